"""What we keep: where it lies, reading and replacing it, one writer at a time."""
