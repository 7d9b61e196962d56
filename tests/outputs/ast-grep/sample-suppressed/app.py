def run(text):
    # ast-grep-ignore: py-eval
    value = eval(text)
    other = eval(text)  # ast-grep-ignore: py-eval
    return value, other  # ast-grep-ignore: no-such-rule
