"""Checkers of other files."""
