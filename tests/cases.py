"""What `make test` leaves to `--all` where a list of cases shows one thing many times."""

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def but(names: Iterable[str], wide: Collection[str]) -> list[Any]:
    """These cases for `parametrize`, each its own id; those that are `wide` run with --all alone."""
    return [pytest.param(name, id=name, marks=[pytest.mark.wide] if name in wide else []) for name in names]
