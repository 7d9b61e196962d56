eval(text)
