"""Checkers of Go."""
