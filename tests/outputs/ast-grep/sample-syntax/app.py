def broken(:
    pass


def run(text):
    return eval(text)
