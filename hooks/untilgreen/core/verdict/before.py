"""What was there before a loop began: what its start knows, which of it hides nothing new, and how it is told. Pure."""

import re
from collections.abc import Callable, Iterable, Sequence

from untilgreen.core import secrets
from untilgreen.core.model.check import Check
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.outcome import Broken, Clean, Diagnostic, Found, Result
from untilgreen.core.model.snapshot import Before
from untilgreen.core.verdict import measure
from untilgreen.core.verdict.identity import identify, normalise
from untilgreen.core.verdict.measure import Standard
from untilgreen.core.words.lines import Words, counted

# a file cannot be parsed: that is in the file itself, whatever the others are like
_UNPARSED = r"(?:invalid-)?syntax(?:-error)?$|E999$|TS1\d{3}$|parse$"
# mypy on two files of one name; the message names the other
_TWICE = r"Duplicate module named|Source file found twice"
_KNOWN = 50_000  # findings of one check; those beyond count
_NAMED = r"[\w./-]+\.\w+"


def of_results(results: Sequence[Result], rules: Standard) -> dict[str, Before]:
    """What each check said at the start; none for those that ran out of time."""
    ended = [(check, one) for check, one in results if not (isinstance(one, Broken) and one.late)]
    known = {check.name: _before(one, rules.new) for check, one in ended if isinstance(one, Found | Broken)}
    known |= {check.name: Before("clean") for check, one in ended if isinstance(one, Clean)}
    old = frozenset(key for one in known.values() for key in one.items)
    every = _numbers(results, rules._replace(new=False))
    still = _numbers(results, rules._replace(before=known, old=old)) if rules.new else {}
    return {name: one._replace(failing=every.get(name, 0) - still.get(name, 0)) for name, one in known.items()}


def _before(outcome: Found | Broken, new: bool) -> Before:
    if isinstance(outcome, Broken):
        return Before("broken", unread=normalise(outcome.reason))
    identified = identify(outcome.diagnostics)
    hiding = next((one for one in outcome.diagnostics if one.hides), None)
    items = tuple(key for key, one in identified if new or one.hides)[:_KNOWN]
    return Before("found", items=items, unread=_place(hiding) if hiding else "")


def _place(found: Diagnostic) -> str:
    return secrets.place(found.file, found.line) if found.file else found.message


def _numbers(results: Iterable[Result], rules: Standard) -> dict[str, int]:
    """Check to the number of its findings that count; a broken check has none."""
    numbers: dict[str, int] = {}
    for item in measure.items_of(results, rules):
        if item.kind != "check":
            numbers[item.check] = numbers.get(item.check, 0) + 1
    return numbers


def hiding_nothing_new(
    results: Iterable[Result], loop: Loop, untouched: Callable[[str], bool], same_configuration: bool
) -> tuple[frozenset[str], tuple[str, ...]]:
    """The identities of findings that hid others when the loop began already, and what they are, a text each.

    `untouched` says whether nobody wrote a file (relative to the project) since then. A check that came to its end at
    the start said itself what was there; of another it is only known that a file which could not be parsed now could
    not be parsed then. Tests are never of them: what they cannot load may be another file's doing.
    """
    keys: list[str] = []
    texts: list[str] = []
    for check, outcome in results:
        for key, found in identify(outcome.diagnostics) if isinstance(outcome, Found) and _hides(outcome) else ():
            if found.hides and _was_so(loop, check, key, found, untouched, same_configuration):
                keys.append(key)
                texts.append(f"{secrets.place(found.file, 0)} cannot be read by {check.checker}{measure.WAS_SO}")
    return frozenset(keys), tuple(dict.fromkeys(texts))


def _hides(outcome: Found) -> bool:
    return any(found.hides for found in outcome.diagnostics)


def _was_so(
    loop: Loop,
    check: Check,
    key: str,
    found: Diagnostic,
    untouched: Callable[[str], bool],
    same_configuration: bool,
) -> bool:
    if found.severity == "test" or not found.file or not untouched(found.file):
        return False
    before = loop.start.before.get(check.name)
    if before is not None and before.outcome != "broken":
        return key in before.items
    if re.search(_TWICE, found.message):
        return same_configuration and all(
            untouched(f"{check.root}/{path}") for path in re.findall(_NAMED, found.message)
        )
    return same_configuration and re.match(_UNPARSED, found.rule) is not None


def told(loop: Loop, words: Words) -> list[str]:
    """What was red when the loop began, with the switch; and, where only new findings count, what is not known."""
    new = loop.settings.count == "new"
    by_checker: dict[str, int] = {}
    for check in loop.checks.plan:
        number = loop.start.before[check.name].failing if check.name in loop.start.before else 0
        if number:
            by_checker[check.checker] = by_checker.get(check.checker, 0) + number
    lines = [_line(by_checker, words, new)] if by_checker else []
    return [*lines, *_unknown(loop, words)] if new else lines


def _line(numbers: dict[str, int], words: Words, new: bool) -> str:
    *most, last = [f"{number:,} {name}" for name, number in numbers.items()]
    what = words["both"].format(first=", ".join(most), last=last) if most else last
    return counted(words, "there_before_new" if new else "there_before", sum(numbers.values()), what=what)


def _unknown(loop: Loop, words: Words) -> list[str]:
    lines = []
    for check in loop.checks.plan:
        if check.absent or check.stage == "tests" or check.checker == "custom":
            continue
        before = loop.start.before.get(check.name)
        if before is None:
            lines.append(words["before_late"].format(check=check.name))
        elif before.outcome == "broken":
            lines.append(words["before_broken"].format(check=check.name, reason=before.unread))
        elif before.unread:
            lines.append(words["before_hidden"].format(check=check.name, what=before.unread))
    return lines
