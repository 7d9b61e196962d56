"""The checks of a plan as processes, and what they say now."""
