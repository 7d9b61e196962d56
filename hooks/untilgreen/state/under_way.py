"""What a stop checks just now: `checking.json` in the session's folder, for whoever looks on.

It decides nothing: it is written without fsync, and a fault in that changes no verdict. The next stop takes from it how
long each check took.
"""

import json
import os
import time
from collections.abc import Callable, Mapping

from untilgreen.core import document
from untilgreen.core.model.check import WHOLE, Check, Turn, turned
from untilgreen.core.model.event import Place
from untilgreen.core.model.outcome import Outcome
from untilgreen.core.record import NamedTuple
from untilgreen.core.words import brief
from untilgreen.state import log, seal, store
from untilgreen.state.place import other_keys

FILE = "checking.json"
STOP = "stop.lock"  # held while a stop is judged
_LOCKS = "/proc/locks"
_GRACE = 1.0  # seconds between SIGTERM and SIGKILL
_LARGEST = 262_144  # bytes; of hundreds of checks a tenth


class UnderWay(NamedTuple):
    """The document. `took`: check to the seconds of its last whole run. `groups`: the process groups of what was
    started, where the host may kill the stop without them."""

    pid: int
    checks: dict[str, Turn] = {}
    took: dict[str, float] = {}
    groups: tuple[int, ...] = ()


class Notes:
    """What one stop writes down of its checks. `known`: check to the seconds of its last run, where known better."""

    def __init__(self, place: Place, known: Mapping[str, float]) -> None:
        self._place, self._failed = place, False
        self.took = dict(_read(place.file(FILE)).took) | dict(known)
        self._checks: dict[str, Turn] = {}
        self._groups: tuple[int, ...] = ()

    def started(self, group: int) -> None:
        """A process of a check, which leads its group."""
        self._groups = (*self._groups, group)
        self._write()

    def turned(self, check: Check, turn: str | Outcome) -> None:
        """A check begins (FIRST, WHOLE), or has ended."""
        now, before = time.time(), self._checks.get(check.name)
        self._checks[check.name] = turned(turn, now, self.took.get(check.name, 0.0))
        known = self._checks[check.name].what in ("clean", "found", "broken")  # one that was ended takes longer
        if before and before.what == WHOLE and known:
            self.took[check.name] = round(now - before.since, 3)
        if not self._failed:
            self._write()

    def _write(self) -> None:
        doc = document.dump(UnderWay(os.getpid(), self._checks, self.took, self._groups))
        try:
            store.write_text(self._place.file(FILE), json.dumps(doc), durable=False)
        except OSError as error:
            self._failed = True
            log.write(self._place.base, f"which checks run is not shown: {error}")


def last_times(base: str) -> Mapping[str, float]:
    """Check to the seconds of its last whole run, by the stops of this project."""
    try:
        found = [os.path.join(base, "sessions", key, FILE) for key in other_keys(base, "")]
        newest = sorted(filter(os.path.isfile, found), key=os.path.getmtime)
    except OSError:  # one is just removed
        return {}
    return {name: seconds for path in newest for name, seconds in _read(path).took.items()}


def now(place: Place) -> dict[str, Turn] | None:
    """Check to where it stands in the stop that is judged now, none where they have not begun; None: no stop is."""
    found = _read(place.file(FILE))
    lives, held = seal.is_alive(found.pid), is_held(place.file(STOP))
    if held is None:  # the system does not tell
        return found.checks if lives and any(one.runs for one in found.checks.values()) else None
    return (found.checks if lives else {}) if held else None


def told(place: Place, moment: float) -> str:
    """The same in words, at this moment (in seconds since the epoch); "" where no stop is judged."""
    turns = now(place)
    return "" if turns is None else brief.checking(turns, moment)


def end(place: Place) -> None:
    """End the stop that is judged now, and what it started, also where it was killed itself."""
    import signal  # nobody else who looks on needs it

    found = _read(place.file(FILE))
    if not any(one.runs for one in found.checks.values()):
        return
    if is_held(place.file(STOP)) is not False:
        _sent(os.kill, found.pid, signal.SIGTERM)
    for number, grace in ((signal.SIGTERM, _GRACE), (signal.SIGKILL, 0.0)):
        until = time.monotonic() + grace
        for group in found.groups:
            _sent(os.killpg, group, number)
        while time.monotonic() < until and any(_sent(os.killpg, group, 0) for group in found.groups):
            time.sleep(0.01)


def _sent(send: Callable[[int, int], None], pid: int, number: int) -> bool:
    """Whether the process, which leads its session as all that we start, or the stop, was there for that signal."""
    try:
        if send is os.kill or os.getsid(pid) == pid:
            send(pid, number)
            return True
    except OSError:  # it is gone, or is another user's
        pass
    return False


def is_held(path: str) -> bool | None:
    """Whether a process holds the lock file, as Linux says (trying keeps a stop from it); None: not known."""
    try:
        status = os.stat(path)
        name = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    except OSError:
        return False
    try:
        with open(_LOCKS, encoding="ascii") as file:
            return any(name in line.split() for line in file)
    except (OSError, ValueError):
        return None


def _read(path: str) -> UnderWay:
    """The document as it lies there; an empty one where it is none of ours."""
    found = store.read_record(UnderWay, path, _LARGEST) or UnderWay(0)
    times = (*found.took.values(), *(time for one in found.checks.values() for time in (one.since, one.last)))
    return found if all(0 <= one < brief.LONGEST for one in times) else UnderWay(0)
