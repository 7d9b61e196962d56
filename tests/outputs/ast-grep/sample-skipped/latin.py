eval("ÿ")
