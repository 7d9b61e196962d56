"""What makes checks pass without work: suppressions, shams, changed configuration."""
