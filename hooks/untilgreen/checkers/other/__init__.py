"""Checkers of Go, of Rust and of other files."""
