"""End-to-end tests: the real Claude Code, headless and in a terminal, against a scripted model on 127.0.0.1."""
