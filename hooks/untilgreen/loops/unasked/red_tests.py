"""Where nobody began a loop: which failing tests the session turned red.

A failing test holds where it did not fail when the tests of this session were looked at before, or where the session
made its file. What failed at the first look may have failed before the session's first edit: it never holds.
"""

import os
import re

from untilgreen.core.model.check import Check
from untilgreen.core.model.event import Place
from untilgreen.core.model.loop import Edits
from untilgreen.core.model.outcome import Clean, Diagnostic, Found
from untilgreen.core.model.settings import Settings
from untilgreen.core.record import NamedTuple
from untilgreen.core.verdict import automatic
from untilgreen.core.verdict.identity import identify
from untilgreen.project import files
from untilgreen.state import originals

_LARGEST = 1024 * 1024  # bytes of a test file that is read


class Held(NamedTuple):
    """A check that came to its end, and what holds of what it found."""

    check: Check
    #: with their identities
    holding: tuple[tuple[str, Diagnostic], ...]
    #: all that it found
    result: Found | Clean
    #: what it looked at, None for its whole root
    files: tuple[str, ...] | None
    #: the identities of all that counts in the files that the session wrote
    known: tuple[str, ...]


def held(check: Check, result: Found | Clean, place: Place, edits: Edits, settings: Settings) -> Held:
    """What holds of a run of tests: nothing that the session may not have turned red.

    A test that is called otherwise now may be one that failed before: no more of them hold than there are more.
    """
    failing = _failing(result)
    let_go, before = frozenset(edits.let_go), edits.tested.get(check.name)
    new = [(key, one) for key, one in failing if key not in let_go]
    if before is None:
        new = [(key, one) for key, one in new if _made(place, one.file, edits)]
    else:
        new = new[: max(0, len(failing) - before)]
    affected = tuple(
        (key, one) for key, one in new if settings.unasked.auto_tests == "all" or _affected(place, one.file, edits)
    )
    return Held(check, affected, result, None, tuple(key for key, _ in failing))


def _failing(result: Found | Clean) -> tuple[tuple[str, Diagnostic], ...]:
    found = result.diagnostics if isinstance(result, Found) else ()
    return tuple((key, one) for key, one in identify(found) if one.severity == "test")


def looked_at(edits: Edits, held: tuple[Held, ...], let_go: bool) -> Edits:
    """The edits, and how many tests failed. At the first look what does not hold never will; a look behind which
    other tests may be hidden is none."""
    tested, old = dict(edits.tested), []
    for one in held:
        hides = any(found.hides for _, found in _failing(one.result))
        if one.check.stage != "tests" or hides or not (let_go or one.check.name not in tested):
            continue
        holding = frozenset() if let_go else frozenset(key for key, _ in one.holding)
        tested[one.check.name] = len(one.known) - len(holding)
        old += [key for key in one.known if key not in holding]
    return automatic.remembered(edits._replace(tested=tested), old)


def _made(place: Place, path: str, edits: Edits) -> bool:
    """Whether there was no such file before the session wrote it."""
    return path in edits.written and originals.was_empty(place, path)


def _affected(place: Place, path: str, edits: Edits) -> bool:
    """Whether the session wrote this file of tests, or it names a file that the session wrote."""
    if not path or path in edits.written:
        return True
    try:
        full = os.path.join(place.root, path)
        with open(full, encoding="utf-8", errors="replace", opener=files.followed) as stream:
            text = stream.read(_LARGEST)
    except OSError:
        return True
    names = {os.path.basename(one).partition(".")[0] for one in edits.written}
    names |= {os.path.basename(os.path.dirname(one)) for one in edits.written if "/" in one}
    return any(re.search(rf"\b{re.escape(name)}\b", text) for name in names if name)
