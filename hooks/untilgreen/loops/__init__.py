"""Loops: beginning, owning, listing and ending one; what a start asks for."""
