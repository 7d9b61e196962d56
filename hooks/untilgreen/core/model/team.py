"""`team.json`: what is known of the teammates that work under a session's loop."""

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
