def untyped(value):
    return value
