"""Every sentence that people and agents read. Pure."""
