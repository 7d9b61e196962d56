"""The nouns: what a host says, what a check found, what a loop remembers, what is answered."""
