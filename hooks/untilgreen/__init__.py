"""Stop hooks for coding agents: hold the agent until the project's own checks are green."""
