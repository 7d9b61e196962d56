"""What a loop proved, for others: `untilgreen receipt` states and signs it, `untilgreen verify` reads it."""
