import unittest

import pytest


@pytest.fixture
def unready():
    raise ValueError("no\nway")


@pytest.fixture
def leaking():
    yield
    raise RuntimeError("left open")


def test_passes():
    assert True


def test_plain():
    assert [1, 2] == [1, 3], "because\nof this"


def test_needs_setup(unready):
    pass


def test_fails_twice(leaking):
    assert 0


def test_fails_in_teardown(leaking):
    pass


@pytest.mark.parametrize("value", ["a", "b::c", "x.y[z]", "\x1b\n"])
def test_with(value):
    assert value == "a"


class TestOuter:
    class TestInner:
        def test_raises(self):
            raise KeyError("k")


class Old(unittest.TestCase):
    def test_equal(self):
        self.assertEqual(1, 2)


@pytest.mark.xfail(strict=True)
def test_passes_unexpectedly():
    assert True


def test_without_words():
    raise Exception


@pytest.mark.skip
def test_skipped():
    assert 0
