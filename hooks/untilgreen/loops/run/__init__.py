"""What `untilgreen run` does beside the loop itself: it starts the agent, and reads what came of that."""
