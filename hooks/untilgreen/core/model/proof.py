"""What running tests on another version of the code showed."""

from untilgreen.core.record import NamedTuple


class Proof(NamedTuple):
    """The tests of the start, run as they were on today's code; and those that are new or edited, on the code of the
    start. Tests by the name that their runner gives them."""

    #: how many that fail on the code of the start pass now
    fixed: int = 0
    #: how many of the start pass as they were
    kept: int = 0
    #: those of the start that fail as they were
    failing: tuple[str, ...] = ()
    #: those that were not edited, and fail with the fixtures, helpers and data of the start
    propped: tuple[str, ...] = ()
    #: those of the start that pass as they were, but are skipped now
    skipped: tuple[str, ...] = ()
    #: those of the start that pass as they were, but did not run now, and no other ran in their place
    gone: tuple[str, ...] = ()
    #: new ones that pass on the code of the start, too
    idle: tuple[str, ...] = ()
    #: why nothing can be said of the tests of the start; "" where it can
    unproven: str = ""
