"""What a plan is made of before its tools are looked for."""

from untilgreen.checkers.checker import Checker
from untilgreen.core.record import NamedTuple


class Wanted(NamedTuple):
    """A checker at a root, and the project's own call of it."""

    checker: Checker
    root: str
    call: tuple[str, ...] = ()
    source: str = ""
    chosen: bool = True
    #: as in `OwnCall`
    apart: bool = False
    env: tuple[str, ...] = ()
    hooks: tuple[tuple[str, str], ...] = ()
