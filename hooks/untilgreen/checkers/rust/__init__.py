"""Checkers of Rust."""
