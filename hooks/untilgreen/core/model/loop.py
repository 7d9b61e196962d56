"""What is known of a session in its project: its newest loop, and what it wrote; and the three verdicts on a stop."""

from untilgreen.core import document
from untilgreen.core.model import groups
from untilgreen.core.model.settings import Settings
from untilgreen.core.record import Any, NamedTuple

SCHEMA_VERSION = 2
# what a loop's settings say stands beside them, too: these names are older than the settings
SEED_NAMES = ("max_iterations", "completion_promise", "marker")
SAID = 2_000  # characters that are kept of what was said


class Loop(NamedTuple):
    """`loop_state.json`, its groups flat, side by side. Times are ISO 8601 in UTC.

    What a person asked for (rounds, minutes, marker, promise) is in `settings`; the file repeats `max_iterations`,
    `completion_promise` and `marker` under the names that its readers know. Where nobody began a loop, edit hooks
    keep `current` in a document that is not active and never ended.
    """

    schema_version: int
    loop_id: str
    active: bool
    session_id: str
    started_at: str
    updated_at: str
    task_description: str
    asked: groups.AskedFor
    rounds: groups.Rounds
    status: str = "running"
    description: str = ""
    project: str = ""
    host: str = ""  #: the adapter of its host; "" where none has heard of it yet. A waiting loop goes to no other
    begun_by: str = ""  #: "user" (typed at the host's prompt), "agent" (in its own shell), "shell"; "": nobody knows
    context: str = ""  #: the context preset by which the agent is told how such work is done, "" for none
    reviews: int = 0  #: how often findings of a review held it
    settings: Settings = Settings()
    checks: groups.Checks = groups.Checks()
    start: groups.Start = groups.Start()
    clock: groups.Clock = groups.Clock()
    spent: groups.Spent = groups.Spent()
    turns: groups.Turns = groups.Turns()
    rest: groups.Rest = groups.Rest()
    observed: groups.Observed = groups.Observed()
    history: groups.History = groups.History()
    end: groups.End = groups.End()

    @staticmethod
    def flat() -> frozenset[str]:
        """The fields that are groups: a document has what is in them, side by side (see `document`)."""
        return frozenset(NAMES.values())

    def put(self, *changed: groups.Group) -> "Loop":
        """The loop with these in the place of its own."""
        return self._replace(**{NAMES[type(group)]: group for group in changed})  # type: ignore[arg-type]

    @property
    def begun(self) -> bool:
        """Whether a person or the agent began it: it runs, waits, is parked or over."""
        return self.active or self.end.stop_reason is not None

    @property
    def for_a_judge(self) -> tuple[str, ...]:
        """The criteria that no exit code decides: those that the start named, then those of the project's loops."""
        named = (*self.asked.completion_criteria.judge, *self.settings.judge.criteria)
        return () if self.asked.promise_only else tuple(dict.fromkeys(named))

    @property
    def rests(self) -> bool:
        """Whether its clock stands still: its user paused it, or it is parked."""
        return bool(self.rest.paused or self.rest.parked)

    def worked(self, seconds: float) -> "Loop":
        """The loop with this much more work in its round."""
        return self.put(
            self.clock._replace(elapsed_seconds=round(self.clock.elapsed_seconds + seconds, 3)),
            self.spent._replace(round_seconds=round(self.spent.round_seconds + seconds, 3)),
        )

    def parking(self, later: "Loop") -> "Loop":
        """A later state of this parked loop, parked as it is."""
        rest = later.rest._replace(parked=self.rest.parked, parked_until=self.rest.parked_until)
        return later.put(rest, later.clock._replace(round_started=0.0))._replace(status=self.status)


# a group to the field of a loop that has it
NAMES = {kind: name for name, kind in Loop.__annotations__.items() if kind in groups.Group.__args__}


class Edits(NamedTuple):
    """`edits.json`: what is the session's and no loop's. Paths are relative to the project root, with slashes."""

    schema_version: int
    session_id: str
    project: str  #: the project's root: several may share a state folder
    written: tuple[str, ...] = ()  #: the files that the session wrote
    unjudged: tuple[str, ...] = ()  #: those of them that it wrote since it was last let go
    let_go: tuple[str, ...] = ()  #: the identities of findings that never hold this session again
    tested: dict[str, int] = {}  #: check of tests to how many failed at the first look, or when the session was let go
    told: dict[str, str] = {}  #: hook and files to the fingerprint of the findings of which their writer was told last
    off: bool = False  #: a cancel or a handover switched off stops without a loop
    turn: Loop | None = None  #: the rounds of the prompt judged last without a loop; active while it is held

    @property
    def held(self) -> Loop | None:
        """The rounds of the prompt whose stop is held."""
        return self.turn if self.turn is not None and self.turn.active else None


class Newer(Exception):
    """The document is a newer untilgreen's; the text says its version."""


def dump_loop(loop: Loop) -> dict[str, Any]:
    """A loop as it is written, bounded."""
    found: dict[str, Any] = document.dump(bounded(loop))
    names = {name: document.value(loop.settings, name) for name in SEED_NAMES}
    first = {name: found[name] for name in ("schema_version", "loop_id", "active", "session_id")}
    return first | names | found


def load_loop(found: object) -> Loop:
    """The loop of a document. Raises document.Mismatch, Newer."""
    current = _current(found)
    settings = current.get("settings", {})
    if isinstance(settings, dict):
        own = {name: current[name] for name in SEED_NAMES if name in current}
        current = current | {"settings": settings | own}
    return document.load(Loop, current)


def dump_edits(edits: Edits) -> dict[str, Any]:
    found: dict[str, Any] = document.dump(edits._replace(turn=None))
    return found | {"turn": dump_loop(edits.turn) if edits.turn else None}


def load_edits(found: object) -> Edits:
    """The edits of a document. Raises as `load_loop`."""
    current = _current(found)
    turn = current.get("turn")
    edits = document.load(Edits, current | {"turn": None})
    return edits if turn is None else edits._replace(turn=load_loop(turn))


def _current(found: object) -> dict[str, Any]:
    """The object, if it is of this schema. Raises document.Mismatch, Newer."""
    version = found.get("schema_version") if isinstance(found, dict) else None
    if type(version) is int and version > SCHEMA_VERSION:
        raise Newer(str(version))
    if not isinstance(found, dict) or type(version) is not int or version != SCHEMA_VERSION:
        raise document.Mismatch("not a state of untilgreen")
    return found


def bounded(loop: Loop) -> Loop:
    """The loop with full detail for its newest snapshots only; the journal holds the rest."""
    history, start = loop.history, loop.start
    kept = history.snapshots[-100:]
    old = (one._replace(items=(), beyond=(), file_details=(), judged=()) for one in kept[:-2])
    snapshots = (*old, *(one.bounded() for one in kept[-2:]))
    first = {name: one._replace(items=one.items[:20_000]) for name, one in start.first.items()}
    return loop.put(
        history._replace(snapshots=snapshots, current=history.current and history.current.bounded()),
        start._replace(initial=start.initial and start.initial.bounded(), first=first),
    )


class Known(NamedTuple):
    """What is known of a session in its project: its newest loop, and its edits; None where nothing is."""

    loop: Loop | None = None
    edits: Edits | None = None

    @property
    def running(self) -> Loop | None:
        return self.loop if self.loop is not None and self.loop.active else None

    @property
    def held(self) -> Loop | None:
        """The loop, if it runs, or the rounds in which a stop is held without one."""
        return self.running or (self.edits.held if self.edits else None)


class Allow(NamedTuple):
    """Nothing to do with us, or not now."""

    reason: str
    notice: str = ""  #: one line for the user, or ""
    step: int = 0


class Continue(NamedTuple):
    """Not green yet: the loop goes into its next round."""

    loop: Loop
    step: int = 12


class Release(NamedTuple):
    """Let go, and say why: the loop is over."""

    loop: Loop
    step: int = 0


class Limit(NamedTuple):
    """A limit that is reached: what the loop ends as, why, and which step of the verdict that is."""

    stop_reason: str
    reason: str
    step: int = 10
    words: str = ""  #: the catalogue's words for it, and what stands in them
    values: dict[str, str] = {}


# `step`: which of the twelve steps of the verdict decided, counted from 1; 0 where the step is not asked for
Verdict = Allow | Continue | Release
