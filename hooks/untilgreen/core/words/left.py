"""How much is left: the one number that every text tells, and the parts that it is the sum of. Pure."""

from collections.abc import Mapping

from untilgreen.core.model.loop import Loop
from untilgreen.core.model.snapshot import Snapshot
from untilgreen.core.record import NamedTuple


class Share(NamedTuple):
    """What is left of one check."""

    #: the check's; `check:NAME` where the check itself is what must be mended
    name: str
    failing: int
    #: the tests that it ran; 0: it runs none, or nobody knows whether these were all
    ran: int = 0
    broken: bool = False


def number(snapshot: Snapshot) -> int:
    """How many items of the loop's criteria fail."""
    return sum(snapshot.failing_by_check.values())


def parts(snapshot: Snapshot) -> tuple[Share, ...]:
    """What they are the failures of, in the order in which the items are told."""
    names = dict.fromkeys((*(item.check for item in snapshot.items), *snapshot.failing_by_check))
    failing = snapshot.failing_by_check
    return tuple(_part(name, failing[name], snapshot) for name in names if failing.get(name))


def _part(name: str, failing: int, snapshot: Snapshot) -> Share:
    if snapshot.outcomes.get(name) == "broken":
        return Share(f"check:{name}", failing, broken=True)
    whole = snapshot.scores.get("tests") is not None and name not in snapshot.not_run
    return Share(name, failing, snapshot.ran.get(name, 0) if whole else 0)


def shown(snapshot: Snapshot) -> str:
    """`pytest 1, mypy 1, check:ruff 1`."""
    return ", ".join(f"{part.name} {part.failing}" for part in parts(snapshot))


def of(snapshot: Snapshot) -> str:
    """`3 left: pytest 1, mypy 1, ruff 1`; `0 left`."""
    return f"{number(snapshot)} left" + (f": {shown(snapshot)}" if number(snapshot) else "")


def told(snapshot: Snapshot, words: Mapping[str, str]) -> str:
    """The same in the words of a catalogue."""
    n = number(snapshot)
    return words["left" if n else "nothing_left"].format(n=n, parts=shown(snapshot))


def without_broken(snapshot: Snapshot) -> Snapshot:
    """The snapshot with what checks found alone: a broken check says nothing."""
    failing = {name: n for name, n in snapshot.failing_by_check.items() if snapshot.outcomes.get(name) != "broken"}
    items = tuple(item for item in snapshot.items if item.kind != "check")
    return snapshot._replace(items=items, failing_by_check=failing)


def was_checked(snapshot: Snapshot) -> bool:
    """Whether any check was asked: a hook that came first may have held the round."""
    return any(not name.startswith("hook:") for name in snapshot.outcomes)


def newest(loop: Loop) -> Snapshot | None:
    """The snapshot that says how much is left: that of the last counted stop, or of the start."""
    return loop.history.newest or loop.start.initial
