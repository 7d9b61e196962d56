count: int = "one"
