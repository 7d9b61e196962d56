print(len("a"))
