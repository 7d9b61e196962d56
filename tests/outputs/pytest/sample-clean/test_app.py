import pytest


def test_one():
    assert True


@pytest.mark.skip(reason="later")
def test_two():
    assert False


@pytest.mark.xfail
def test_three():
    assert False
