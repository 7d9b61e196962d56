"""What is known of a session's loops outside of every repository, beside the list of trusted folders.

Who may run commands in the project may also write the state there. The seal tells: it says what the loop asked for
when we last wrote it, and that it ran. It is open while the loop runs, and closed by whatever ends the loop with a word
to its user; where it is still open and no loop runs, nobody was told yet. One small file for each session: project to
seal. Where none can be written the loop runs without (doctor says so).
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress

from untilgreen.core import document
from untilgreen.core.model.event import Place
from untilgreen.core.model.loop import Loop, bounded
from untilgreen.core.record import Any, NamedTuple
from untilgreen.core.words import brief
from untilgreen.project import trust
from untilgreen.state import locks, store
from untilgreen.state.place import seal_of, there

_WAIT = 2.0  # seconds for the session's lock
_LARGEST = 2**53


class Seal(NamedTuple):
    """What is known of a session in one project."""

    loop: str = ""  #: the loop that runs, as it is told; "" where nobody began one
    parts: dict[str, tuple[str, ...]] = {}  #: to its digest, and the one before: who is killed leaves an older state
    changed: tuple[str, ...] = ()  #: the parts that were changed by hand
    unsaid: str = ""  #: what the user is to be told at the next event
    off: str = ""  #: why it holds nobody although it runs, as the user was told
    state: str = ""  #: the state folder
    judging: int = 0  #: the process that judges a stop


def read(env: Mapping[str, str], place: Place) -> Seal | None:
    """The seal of this session in its project; None where there is none, or none that can be read."""
    try:
        return _read(env, place)
    except OSError:
        return None


def _read(env: Mapping[str, str], place: Place) -> Seal | None:
    """As `read`. Raises OSError: what cannot be read now must not be lost by what is written next."""
    found = _all(seal_of(env, place.session)).get(place.root)
    try:
        return None if found is None else document.load(Seal, found)
    except document.Mismatch:
        return None


def projects(env: Mapping[str, str], session: str) -> list[tuple[str, str]]:
    """The projects in which something is known of the session (the name of its folder), and their state folders."""
    with suppress(OSError):
        found = _all(seal_of(env, session)).items()
        return [(root, str(one.get("state", ""))) for root, one in found if isinstance(one, dict)]
    return []


def put(env: Mapping[str, str], place: Place, seal: Seal | None) -> bool:
    """Write the seal, None: close it; whether that could be done. Only under the session's lock, where it has one."""
    path = seal_of(env, place.session)
    try:
        others = {root: one for root, one in _all(path).items() if root != place.root}
        if seal is not None:
            trust.make_private(os.path.dirname(path))
            others[place.root] = document.dump(seal)
        if others:
            store.write_text(path, json.dumps(others), durable=False)
            return True
        os.unlink(path)
    except OSError:
        return False
    return True


def change(env: Mapping[str, str], place: Place, wanted: Callable[[Seal], Seal]) -> None:
    """Change the seal, under the session's lock; an empty one goes."""
    with suppress(OSError, locks.Busy), locked(place):
        before = _read(env, place) or Seal()
        after = wanted(before)
        if after != before:
            put(env, place, None if after == Seal() else after)


@contextmanager
def locked(place: Place) -> Iterator[None]:
    """Hold the session's lock, where there is a folder for it. Raises locks.Busy, OSError."""
    with locks.locked(place.file(store.LOCK), _WAIT) if os.path.isdir(place.folder) else nullcontext():
        yield


def renew(env: Mapping[str, str], place: Place, loop: Loop, was: Loop | None = None) -> None:
    """Seal the loop that is about to be saved, under the session's lock. `was`: as read, to see changes by hand.

    Where that fails it goes on without a seal: an older one would tell of a change. Raises OSError where that stays.
    """
    before, path = _read(env, place) or Seal(), seal_of(env, place.session)
    by_hand = () if was is None else changed(before, was) if before.parts else ("seal",)
    before = before._replace(changed=tuple(dict.fromkeys((*before.changed, *by_hand))))
    parts = {part: tuple(dict.fromkeys((*now, *before.parts.get(part, ())[:1]))) for part, now in of(loop).items()}
    after = before._replace(loop=brief.named(loop), parts=parts, off="", state=place.base, judging=0)
    if not put(env, place, after) and there(path):
        os.unlink(path)


def of_waiting(place: Place, path: str) -> Place:
    """Where the seal of a loop lies that waits in this file: it has no session yet."""
    return place._replace(session=f"next-{os.path.basename(path).removesuffix('.json')}")


def begin(env: Mapping[str, str], place: Place, loop: Loop, unsaid: str = "", by_hand: tuple[str, ...] = ()) -> None:
    """Seal a loop that has just begun, under the lock. `by_hand`: its parts that were changed while it waited."""
    unsaid = brief.changed_by_hand(by_hand) if by_hand else unsaid
    put(env, place, Seal(brief.named(loop), of(loop), by_hand, unsaid, state=place.base))
    store.sweep(os.path.dirname(seal_of(env, place.session)))


def changed(seal: Seal, loop: Loop) -> tuple[str, ...]:
    """The parts of this loop that are not as they were sealed."""
    now = of(loop)
    return tuple(part for part, known in seal.parts.items() if part in now and now[part][0] not in known)


def of(loop: Loop) -> dict[str, tuple[str, ...]]:
    """Part to its digest: a group as a whole, so that no field is forgotten; not turns, history, end, names."""
    from untilgreen.core.verdict.identity import digest  # where no loop runs nobody asks

    loop = bounded(loop.put(loop.history._replace(snapshots=(), current=None)))
    # the language is nothing that a loop asks for; the lines of a preset stood in its place before
    lang = loop.settings.words if loop.settings.words != "plain" else "auto"
    loop = loop._replace(settings=loop.settings._replace(lang=lang, words="plain"))
    parts = {
        "criteria": loop.asked,
        "settings": loop.settings,
        "plan": loop.checks,
        "evidence": loop.observed,
        "baseline": loop.start,
        "rounds": (loop.rounds, loop.clock, loop.rest),
        "reviews": (loop.reviews,),
        "budgets": loop.spent,
    }
    return {part: (digest(json.dumps(_told(value), sort_keys=True)),) for part, value in parts.items()}


def is_alive(judging: int) -> bool:
    """Whether the process that is said to judge a stop is there; 0 is none."""
    try:
        os.kill(judging, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True  # it is there, but somebody else's
    return judging > 0


@contextmanager
def judging(env: Mapping[str, str], place: Place) -> Iterator[None]:
    """While a stop is judged; whoever is told to end meanwhile, or killed, leaves its mark."""
    me = os.getpid()

    def judged() -> None:
        change(env, place, lambda seal: seal._replace(judging=0) if seal.judging == me else seal)

    change(env, place, lambda seal: seal._replace(judging=me))
    try:
        yield
    except Exception:  # told by whoever guards us; what is told to end is none, and leaves its mark
        judged()
        raise
    judged()


def _told(value: Any) -> Any:
    """The value without what is as it would be anyhow: a release that adds a field changes no loop by that."""
    if isinstance(value, dict):
        return {key: _told(item) for key, item in value.items()}
    if isinstance(value, tuple):
        usual = getattr(value, "_field_defaults", None)
        if usual is None:
            return [_told(item) for item in value]
        fields = {name: getattr(value, name) for name in value._fields}  # type: ignore[attr-defined]
        return {name: _told(one) for name, one in fields.items() if name not in usual or one != usual[name]}
    # as a document gives it back; a number that no float holds is no number of ours
    return float(value) if type(value) is int and abs(value) < _LARGEST else value


def _all(path: str) -> dict[str, Any]:
    """Project to its seal, as they lie there."""
    try:
        found = store.read_json(path)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def forget(env: Mapping[str, str], root: str) -> None:
    """Close every seal of a project, whatever its state is."""
    for path in store.documents_in(os.path.dirname(seal_of(env, "any"))):
        key = os.path.basename(path).removesuffix(".json")
        if root in _all(path):
            put(env, Place(root, "", key), None)
