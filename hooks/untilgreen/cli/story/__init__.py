"""A loop to look back at: `untilgreen show`, `diff`, `rollback`, `history`."""
