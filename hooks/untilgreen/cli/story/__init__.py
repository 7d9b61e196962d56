"""A loop to look at: `untilgreen show`, `untilgreen watch`, `untilgreen report`."""
