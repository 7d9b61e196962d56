"""The configuration: what is in force (for hooks), and how its sources are read (cold)."""
