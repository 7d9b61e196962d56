import pytest


def test_one():
    assert True


def test_two():
    pytest.exit("enough", returncode=0)


def test_three():
    assert False
