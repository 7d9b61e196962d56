def check(value):
    assert value
