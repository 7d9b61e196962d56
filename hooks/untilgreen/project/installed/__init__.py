"""What is installed beside the project, and who wrote it since a loop began: the installer, or somebody by hand."""
