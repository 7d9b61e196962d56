import pytest


@pytest.fixture
def leaky():
    yield 1
    raise RuntimeError("teardown")


def test_adds():
    assert 1 + 2 == 3


def test_subtracts():
    x = 1 - 2
    assert x == 3, "wrong"


def test_twice(leaky):
    assert leaky == 2


class TestGroup:
    @pytest.mark.parametrize("n", [1, 2])
    def test_even(self, n):
        assert n % 2 == 0


@pytest.mark.skip
def test_later():
    pass


@pytest.mark.xfail
def test_some_day():
    assert 0
