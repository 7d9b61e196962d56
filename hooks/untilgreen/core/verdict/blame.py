"""Whose is a failing test: the agent's, was it so before, or does it not say the same twice? Pure.

A test that fails is run again alone. One that fails there is run on the tree of the start; one that passes there, in
company. A test is judged once in a loop, but for one that passed alone: it is run alone again whenever it fails.
"""

from collections.abc import Iterable, Mapping, Sequence

from untilgreen.core.model.check import Check
from untilgreen.core.model.groups import Against, Buts
from untilgreen.core.model.outcome import Clean, Diagnostic, Found, Outcome, Result, TestId
from untilgreen.core.model.snapshot import Suite
from untilgreen.core.record import NamedTuple
from untilgreen.core.verdict.identity import identify
from untilgreen.core.words import brief

#: it fails alone, and passed at the start or was not there; it failed at the start, too; it passes alone; it passes
#: alone, and fails in company each time; nothing can be concluded; it is judged when it fails once more
YOURS, OLD, FLAKY, ORDER, UNKNOWN, LATER = "yours", "old", "flaky", "order", "unknown", "later"
WAS_RED = " (failed at the start, too)"
_UNSTEADY = (FLAKY, ORDER)
_KEPT = 500  # verdicts of a loop
_NAMED, _WIDTH = 5, 80  # tests that are named in one text, and characters of a name


def key_of(check: Check, test: TestId) -> str:
    """What a test is remembered by."""
    return " ".join((check.name, "::".join(filter(None, test))))


def is_spared(check: Check, test: TestId, known: Mapping[str, str], *, new: bool) -> bool:
    """Whether a test was judged not to hold. `new`: only what is new counts."""
    return known.get(key_of(check, test)) in ((*_UNSTEADY, OLD) if new else _UNSTEADY)


class Accused(NamedTuple):
    check: Check
    id: str  #: the identity of what was found
    test: TestId

    @property
    def key(self) -> str:
        return key_of(self.check, self.test)


class Retrial(NamedTuple):
    """What the runs said of each test that was run again, by its key: "passed", "failed" or "gone" (not one of those
    that ran); no entry where nothing can be concluded."""

    alone: Mapping[str, str] = {}
    company: Mapping[str, str] = {}
    start: Mapping[str, str] = {}


class Court(NamedTuple):
    """What is known of the failing tests of a stop."""

    accused: tuple[Accused, ...] = ()
    known: dict[str, str] = {}  #: verdicts of the loop, by the key of a test
    acquitted: frozenset[str] = frozenset()  #: the keys of those that do not hold at this stop: they passed alone, now
    fresh: tuple[Accused, ...] = ()  #: those that were judged just now
    heard: Retrial = Retrial()  #: the runs just now


def to_run(accused: Sequence[Accused], known: Mapping[str, str], most: int) -> tuple[Accused, ...]:
    """Those that are run again alone: not judged yet, or judged by having passed alone. None where too many fail."""
    if len(accused) > most:
        return ()
    return tuple(one for one in accused if known.get(one.key, FLAKY) in _UNSTEADY)


def seconds_of(tests: Iterable[Accused], suites: Mapping[str, Suite]) -> float:
    """What it takes to run these once more, as far as their number tells."""
    known = (suites[one.check.name] for one in tests if one.check.name in suites)
    return sum(suite.seconds / max(1, suite.tests) for suite in known)


def judged(
    accused: Sequence[Accused], run: Sequence[Accused], known: Mapping[str, str], heard: Retrial, unfinished: bool
) -> Court:
    """The verdicts, and who does not hold. `unfinished`: there was no time for all that had to run."""

    def verdict(key: str) -> str:
        """ "" where it is to be judged at another stop."""
        alone, start, before = heard.alone.get(key), heard.start.get(key), known.get(key, "")
        if alone == "passed":
            return before or (ORDER if heard.company.get(key) == "failed" else FLAKY)
        if alone == "failed" and start:
            return OLD if start == "failed" else YOURS
        return before if unfinished or (before and alone != "failed") else UNKNOWN

    given = {one.key: said for one in run if (said := verdict(one.key))}
    fresh = tuple(one for one in run if given.get(one.key) not in (None, known.get(one.key)))
    passed = frozenset(key for key in given if heard.alone.get(key) == "passed")
    after = dict([*known.items(), *given.items()][-_KEPT:]) if given else dict(known)
    return Court(tuple(accused), after, passed, fresh, heard)


def holding(results: Iterable[Result], court: Court, *, new: bool) -> tuple[Result, ...]:
    """The results without the tests that do not hold, and with a word about those that failed at the start. `new`: only
    what is new counts. A run that was ended early by what failed first keeps what it found: without it nothing would
    say that it is red."""
    by_id = {(one.check.name, one.id): one for one in court.accused}

    def holds(check: Check, found: Diagnostic, key: str, gone: set[str]) -> Diagnostic | None:
        one = by_id.get((check.name, key))
        verdict = court.known.get(one.key) if one else None
        if one and (one.key in court.acquitted or (new and verdict == OLD)):
            gone.add(one.key)  # several sub-tests are one test
            return None
        return found._replace(message=found.message + WAS_RED) if verdict == OLD else found

    def kept(check: Check, outcome: Outcome) -> Outcome:
        if not isinstance(outcome, Found) or outcome.tests is None:
            return outcome
        gone: set[str] = set()
        left = [one for key, found in identify(outcome.diagnostics) if (one := holds(check, found, key, gone))]
        tests = outcome.tests._replace(failed=max(0, outcome.tests.failed - len(gone)))
        if left:
            return outcome._replace(diagnostics=tuple(left), tests=tests)
        return Clean(tests) if outcome.not_run is None else outcome

    return tuple((check, kept(check, outcome)) for check, outcome in results)


def unsteady(court: Court) -> Buts:
    """What a green rests on: `flaky: test_a, test_b`."""
    gone = [(court.known[one.key], one) for one in court.accused if one.key in court.acquitted]
    theirs = {verdict: [one for said, one in gone if said == verdict] for verdict in _UNSTEADY}
    return tuple(Against(verdict, _named(tests)) for verdict, tests in theirs.items() if tests)


def told(court: Court, *, new: bool) -> tuple[str, ...]:
    """What is told once: the evidence for each test that was judged just now and does not hold."""
    texts = []
    for one in court.fresh:
        verdict, name = court.known[one.key], one.test.id[:_WIDTH]
        if verdict == ORDER:
            texts.append(f"order: {name} failed twice in the suite, passed alone")
        elif verdict == FLAKY:
            again = " and in a second run" if court.heard.company.get(one.key) == "passed" else ""
            texts.append(f"flaky: {name} failed in the suite, passed alone{again}")
    old = [one for one in court.fresh if new and court.known[one.key] == OLD]
    if old:
        count = "it does not count" if len(old) == 1 else "they do not count"
        texts.append(f"failed at the start, too: {_named(old)}; {count} (all: --all)")
    return tuple(texts)


def _named(tests: Sequence[Accused]) -> str:
    return brief.listed([one.test.id for one in tests], _NAMED)
