"""What makes checks pass without work: suppressions, fake tests, changed configuration."""
