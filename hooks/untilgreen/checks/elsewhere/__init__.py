"""The checks on another tree: that of the loop's start."""
