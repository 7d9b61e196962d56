"""Checkers of JavaScript and TypeScript."""
