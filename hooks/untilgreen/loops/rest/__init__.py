"""How a loop rests, goes on and ends."""
