"""What is noted of the agent's work while a loop runs."""
