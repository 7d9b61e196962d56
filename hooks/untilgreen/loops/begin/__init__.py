"""How a loop begins, and whose it is."""
