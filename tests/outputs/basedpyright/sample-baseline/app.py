one: int = 1
two: int = ""
