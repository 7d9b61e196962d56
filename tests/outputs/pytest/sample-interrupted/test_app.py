def test_one():
    assert False


def test_two():
    raise KeyboardInterrupt


def test_three():
    assert False
