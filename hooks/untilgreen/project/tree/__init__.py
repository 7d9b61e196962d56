"""The work tree and its files, by git and without it."""
