ANSWER: int = "42"
