def test_one():
    assert False


def test_two():
    assert 1 == 2


def test_three():
    assert True
