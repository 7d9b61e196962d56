"""Checkers of Python."""
