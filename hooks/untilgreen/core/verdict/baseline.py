"""The start against now: what was there before a loop began, what of it hides nothing new, and whether a check is green
because it was told to look away. Pure."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from untilgreen.core import secrets
from untilgreen.core.model.check import Absent, Check
from untilgreen.core.model.groups import Against, Buts
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.outcome import SOME, Broken, Clean, Diagnostic, Found, Result
from untilgreen.core.model.snapshot import Before, Text
from untilgreen.core.verdict import measure
from untilgreen.core.verdict.identity import identify, normalise
from untilgreen.core.verdict.measure import Standard
from untilgreen.core.words.brief import Words, counted

# a file cannot be parsed: that is in the file itself, whatever the others are like
_UNPARSED = r"(?:invalid-)?syntax(?:-error)?$|E999$|TS1\d{3}$|parse$"
# mypy on two files of one name; the message names the other
_TWICE = r"Duplicate module named|Source file found twice"
_NAMED = r"[\w./-]+\.\w+"
_KNOWN = 50_000  # findings of one check; those beyond count


def of_results(results: Sequence[Result], rules: Standard) -> dict[str, Before]:
    """What each check said at the start; none for those that ran out of time."""
    known = {}
    for check, one in results:
        if isinstance(one, Found):
            hiding = next((d for d in one.diagnostics if d.hides), None)
            place = hiding and (secrets.place(hiding.file, hiding.line) if hiding.file else hiding.message)
            items = tuple(key for key, d in identify(one.diagnostics) if rules.new or d.hides)[:_KNOWN]
            known[check.name] = Before("found", items=items, unread=place or "")
        elif isinstance(one, Broken) and not one.late:
            known[check.name] = Before("broken", unread=normalise(one.reason))
        elif isinstance(one, Clean):
            known[check.name] = Before("clean")
    old = frozenset(key for one in known.values() for key in one.items)
    every = _numbers(results, rules._replace(new=False))
    still = _numbers(results, rules._replace(before=known, old=old)) if rules.new else {}
    return {name: one._replace(failing=every.get(name, 0) - still.get(name, 0)) for name, one in known.items()}


def _numbers(results: Iterable[Result], rules: Standard) -> dict[str, int]:
    """Check to the number of its findings that count; a broken check has none."""
    numbers: dict[str, int] = {}
    for item in measure.items_of(results, rules):
        if item.kind != "check":
            numbers[item.check] = numbers.get(item.check, 0) + 1
    return numbers


def hiding_nothing_new(
    results: Iterable[Result], loop: Loop, untouched: Callable[[str], bool], same_configuration: bool
) -> tuple[frozenset[str], Buts]:
    """The identities of findings that hid others when the loop began already, and what they are. `untouched` says
    whether nobody wrote a file (relative to the project) since then. A check that came to its end at the start said
    itself what was there; of another it is only known that a file which could not be parsed now could not be parsed
    then. Tests are never of them: what they cannot load may be another file's doing."""

    def was_so(check: Check, key: str, found: Diagnostic) -> bool:
        if found.severity == "test" or not found.file or not untouched(found.file):
            return False
        before = loop.start.before.get(check.name)
        if before is not None and before.outcome != "broken":
            return key in before.items
        if re.search(_TWICE, found.message):
            others = re.findall(_NAMED, found.message)
            return same_configuration and all(untouched(f"{check.root}/{path}") for path in others)
        return same_configuration and re.match(_UNPARSED, found.rule) is not None

    keys, files = set(), dict[Against, None]()
    for check, outcome in results:
        if isinstance(outcome, Found) and any(found.hides for found in outcome.diagnostics):
            for key, found in identify(outcome.diagnostics):
                if found.hides and was_so(check, key, found):
                    keys.add(key)
                    files[Against("unreadable", secrets.place(found.file, 0), check=check.checker)] = None
    return frozenset(keys), tuple(files)


def told(loop: Loop, words: Words, *, short: bool = False) -> list[str]:
    """What was red when the loop began, with the switch; and, where only new findings count, what is not known.
    `short`: without the number, where all findings count and stand beside it."""
    new, numbers, lines = loop.settings.count == "new", dict[str, int](), []
    for check in loop.checks.plan:
        before = loop.start.before.get(check.name)
        if before and before.failing:
            numbers[check.checker] = numbers.get(check.checker, 0) + before.failing
        broken = before is not None and before.outcome == "broken"
        if not (new or broken) or check.absent or check.stage == "tests" or check.checker == "custom":
            continue
        if before is None:
            lines.append(words["before_late"].format(check=check.name))
        elif before.outcome == "broken":
            lines.append(words["before_broken"].format(check=check.name, reason=before.unread))
        elif before.unread:
            lines.append(words["before_hidden"].format(check=check.name, what=before.unread))
    old = 0 if short and not new else sum(numbers.values())
    return [counted(words, "there_before_new" if new else "there_before", old), *lines] if old else lines


def compare(then: Text, now: Text, tests_run_first: int, tests_run_now: int) -> tuple[Buts, int, int]:
    """(what was weakened; how many suppressions were added; how many tests were lost). `tests_run_*` is 0 where it is
    not known. Adding `noqa` is not made good by removing a `type: ignore`: each kind stands alone. Nothing is concluded
    from texts that are not `comparable`; that one of now is not read to its end may be the agent's doing."""
    added: dict[str, int] = {}
    weaker, gone = [], 0
    if comparable(then, now):
        grown = ((kind, count - then.suppressions.get(kind, 0)) for kind, count in now.suppressions.items())
        added = {kind: count for kind, count in grown if count > 0}
        most = sorted(added.items(), key=lambda one: (-one[1], one[0]))
        weaker = [Against("suppressed", kind, count) for kind, count in most]
        for name in sorted({*then.config, *now.config}):
            if then.config.get(name) != now.config.get(name):
                how = "new" if name not in then.config else "removed" if name not in now.config else "changed"
                weaker.append(Against(how, name))
        # ten functions that became one with ten parameters are no loss: as many tests run as were defined; where no
        # more of them are so than before, those that are gone are gone, however many tests there are besides
        gone = 0 if tests_run_now >= then.tests and now.folded > then.folded else then.tests - now.tests
    lost = max(gone, tests_run_first - tests_run_now if tests_run_now else 0, 0)
    weaker += [Against("unread")] if then.complete and not now.complete else []
    weaker += [Against("fewer", number=lost)] if lost else []
    return tuple(weaker), sum(added.values()), lost


def comparable(then: Text, now: Text) -> bool:
    """Whether both were read to their end, and counted by the same rules: no upgrade adds what it learned to count."""
    return then.complete and now.complete and then.version == now.version


def moved(then: Mapping[str, str], now: Mapping[str, str], project: str) -> Buts:
    """The programs that lay elsewhere at the start, and in the project now. `then`, `now`: by check."""
    found = (path for name, path in now.items() if then.get(name, path) != path and path.startswith(f"{project}/"))
    names = sorted({path.rpartition("/")[2] for path in found})
    return tuple(Against("moved", name) for name in names)


def only_told(results: Iterable[Result]) -> Buts:
    """The checks that are red and hold nobody."""
    absent = (outcome for _, outcome in results if isinstance(outcome, Absent) and outcome.cause == "told")
    return tuple(Against("told", check=one.name) for one in absent)


def left_out(results: Iterable[Result]) -> Buts:
    """Why checks are absent; all that only lack trust are one."""
    absent = dict.fromkeys(outcome for _, outcome in results if isinstance(outcome, Absent))
    missing = [Against(one.cause, one.name) for one in absent if one.cause == "missing"]
    missing += [Against("broken", one.why, check=one.name) for one in absent if one.cause == "unable"]
    names = ", ".join(one.name for one in absent if one.cause == "untrusted")
    return (*missing, *([Against("untrusted", names)] if names else []))


def numbers_of_tests(loop: Loop, results: Sequence[Result]) -> tuple[int, int]:
    """How many tests ran at first and now; what a check runs for the first time counts on both sides, as does what was
    not counted the same way then.

    A run that was cut short (a file that could not be collected) says nothing about lost tests, and one of what failed
    last no more than the whole one before it.
    """
    first = now = 0
    for check, result in results:
        suite, number, by = loop.history.suites.get(check.name), 0, ""
        if isinstance(result, Found) and result.not_run is not None:
            number, by = (suite.tests, suite.counted_by) if suite else (0, "")
        elif isinstance(result, Clean | Found) and result.tests:
            number, by = result.tests.run, result.tests.by
        if number and not (isinstance(result, Found) and any(one.hides for one in result.diagnostics)):
            now += number
            then = loop.start.first.get(check.name)
            first += then.tests_run if then and then.counted_by == by != SOME else number
    return first, now
