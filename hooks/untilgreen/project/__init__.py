"""The project as it lies there: root, trust, git, layout, tools, what its text says."""
