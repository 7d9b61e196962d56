"""Lines of a shell: one reader, one table of what stands in front of a program, one of programs. Pure."""
