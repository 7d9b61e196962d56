"""Checks: which a project needs, running them, what they say now."""
