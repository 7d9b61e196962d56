import not_installed


def test_it():
    assert not_installed
