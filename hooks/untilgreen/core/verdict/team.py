"""May a teammate rest, or call its task done? What is found in its files holds it: five times a task at most, and never
again by what it was once let go with. Pure."""

from collections.abc import Iterable

from untilgreen.core.model.snapshot import Snapshot
from untilgreen.core.record import NamedTuple


class Mate(NamedTuple):
    """A teammate, and how it was judged last."""

    #: "task" (it called its task done) or "idle" (it wanted to rest)
    event: str = ""
    #: the work tree's fingerprint then
    tree: str = ""
    #: the findings that held it then, by identity; none: it was let go
    failing: tuple[str, ...] = ()
    #: task ("" where it was none) to how often it was held since it was last let go
    held: dict[str, int] = {}
    #: the identities of findings that never hold it again
    let_go: tuple[str, ...] = ()


class Team(NamedTuple):
    """The teammates under one loop."""

    loop_id: str = ""
    #: by the host's id for the agent
    mates: dict[str, Mate] = {}


MOST = 5  # holds of one task
_REMEMBERED = 1_000  # findings that a teammate was let go with


class Judged(NamedTuple):
    """The teammate from now on, and how often it was held by now; 0: it is let go."""

    mate: Mate
    holds: int = 0


def is_judged(mate: Mate, event: str, tree: str) -> bool:
    """Whether what was said last stands: it was let go with this very tree, or its task was just judged with it and it
    wants to rest. The host asks for both in one go, and nobody is told the same twice."""
    return tree != "" and mate.tree == tree and (not mate.failing or (mate.event, event) == ("task", "idle"))


def holding(snapshot: Snapshot, mate: Mate) -> Snapshot:
    """The snapshot without the findings with which the teammate was let go before."""
    items = tuple(item for item in snapshot.items if item.id not in mate.let_go)
    counts = {name: sum(item.check == name for item in items) for name in snapshot.failing_by_check}
    return snapshot._replace(items=items, failing_by_check=counts)


def judged(mate: Mate, event: str, task: str, tree: str, failing: Iterable[str]) -> Judged:
    """The verdict on what holds it, by identity."""
    failing, held = tuple(failing), mate.held.get(task, 0)
    mate = mate._replace(event=event, tree=tree, failing=failing)
    if failing and held < MOST:
        return Judged(mate._replace(held=mate.held | {task: held + 1}), held + 1)
    others = {name: number for name, number in mate.held.items() if name != task}
    let_go = tuple(dict.fromkeys((*mate.let_go, *failing)))[-_REMEMBERED:]
    return Judged(mate._replace(failing=(), held=others, let_go=let_go))
