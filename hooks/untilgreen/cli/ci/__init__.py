"""On a clean checkout: is the receipt right, and what do a forge's own pages show of it?"""
