import pytest


def fails() -> None:
    raise ValueError("no")


@pytest.fixture
def unready() -> None:
    fails()


class TestTraced:
    def test_deep(self) -> None:
        fails()

    @pytest.mark.parametrize("value", [1.5])
    def test_here(self, value: float) -> None:
        assert value == 2


def test_before(unready: None) -> None:
    pass
