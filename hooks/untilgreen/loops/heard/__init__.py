"""What the user typed, and what the user is told beside a verdict."""
