exec("1")
