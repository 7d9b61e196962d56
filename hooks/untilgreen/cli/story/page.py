"""A loop's rounds, down the page of a terminal; and the words that its other forms use, too."""

import textwrap
from collections.abc import Iterator

import click

from untilgreen.core.record import NamedTuple
from untilgreen.core.words import brief
from untilgreen.core.words.story import Ran, Round, Story, Work
from untilgreen.state.clock import local

MOST = 50  # items of a round that are shown
_TASK = 72  # characters of it; --json and the page have it whole
FEW = 5  # files and commands of a round
_COLOURS = {"✓": "green", "✗": "red", "■": "red", "-": "green", "+": "red", "!": "yellow"}


class Line(NamedTuple):
    """A line of the page: `sign` stands before it and colours it; it goes on below itself."""

    text: str
    sign: str = ""
    indent: int = 0
    head: bool = False


def drawn(story: Story, width: int) -> list[str]:
    """The page, a line each, with its colours. `width`: of the terminal, 0: lines have no end."""
    return [one for line in (*_head(story), *_rounds(story)) for one in _drawn(line, width)]


def _drawn(line: Line, width: int) -> Iterator[str]:
    begin = " " * line.indent + (f"{line.sign} " if line.sign else "")
    for part in line.text.replace("\t", "    ").split("\n"):
        below = " " * len(begin)
        wrapped = [begin + part]
        if width and len(begin + part) > width:
            wrapped = textwrap.wrap(part, max(width, 20), initial_indent=begin, subsequent_indent=below)
        for one in wrapped:
            colour = _COLOURS.get(line.sign)
            yield click.style(one, fg=colour, bold=line.head or None) if one and (colour or line.head) else one
        begin = below


def _head(story: Story) -> Iterator[Line]:
    sign, _, outcome = story.outcome.partition(" ") if story.outcome[:1] in _COLOURS else ("", "", story.outcome)
    yield Line(outcome, sign, head=True)
    yield Line(about(story))
    if story.task:
        yield Line(f"task: {brief.clean(story.task, _TASK)}")
    yield from map(Line, story.asked)
    if story.history and story.history not in story.outcome:
        yield Line(story.history)


def _rounds(story: Story) -> Iterator[Line]:
    for one in story.rounds:
        yield Line("")
        yield Line(title(one), head=True)
        name = max((len(check.name) for check in one.checks), default=0)
        said = max((len(words(check)) for check in one.checks), default=0)
        for check in one.checks:
            yield Line(f"{check.name:<{name}}  {words(check):<{said}}  {took(check)}".rstrip(), sign(check), 2)
        yield from (Line(line, indent=2) for line in worked(one.work, FEW))
        yield from items(story, one)


def items(story: Story, one: Round) -> Iterator[Line]:
    """What is new and, in the first round and the newest, left; what is fixed; what stands against a clean pass."""
    whole = one is story.rounds[0] or one is story.rounds[-1]
    left = [Line(item.text, "+" if item.new else " ", 2) for item in one.items if whole or item.new]
    for lines, what in ((left, "are left" if whole else "are new"), ([Line(f, "-", 2) for f in one.fixed], "fixed")):
        yield from lines[:MOST]
        if len(lines) > MOST:
            yield Line(f"... and {len(lines) - MOST} more {what}: --json has all", indent=2)
    if one.left and not one.items:
        yield Line("(what was left then is not kept)", indent=2)
    yield from (Line(f"not a clean pass: {but}", "!", 2) for but in one.but)


def title(one: Round) -> str:
    """`round 2 · 3 left · 03:44:10 CET · 12 s of work`."""
    number = "" if one.left is None else f"{one.left} left"
    hidden = f"more may be hidden: {', '.join(one.hidden)}" if one.hidden else ""
    told = (f"round {one.number}", number, hidden, clock(one.judged_at))
    return " · ".join(filter(None, (*told, f"{brief.spent(one.seconds)} of work" if one.seconds is not None else "")))


def worked(work: Work | None, most: int) -> Iterator[str]:
    """What the agent did, a line each: `edited app.py 2 times, test_app.py`."""
    if work is None:
        return
    for what, done in (("edited", work.edits), ("ran", work.commands)):
        told = [f"{name} ({times} times)" if times > 1 else name for name, times in done.items()]
        more = [f"and {len(told) - most} more"] if len(told) > most else []
        if told:
            yield f"{what}: {' · '.join([*told[:most], *more])}"
    if any(work.tokens):
        parts = zip(work.tokens, ("read", "read from the cache", "written"), strict=True)
        yield f"tokens: {', '.join(f'{number:,} {what}' for number, what in parts if number)}"


def words(check: Ran) -> str:
    """`1 failed of 41`, `41 tests`, `3`, `not judged`, ""."""
    if check.outcome in ("broken", "absent"):
        return "not judged" if check.outcome == "broken" else "left out"
    if check.outcome == "pending":
        return "not yet"
    if check.tests is None:
        return str(check.failing or "")
    return f"{check.failing} failed of {check.tests}" if check.failing else brief.plural(check.tests, "test")


def sign(check: Ran) -> str:
    """A tick, a cross, or a dot for what did not run."""
    return "·" if check.outcome in ("absent", "pending") else "✗" if check.failing or check.outcome == "broken" else "✓"


def took(check: Ran) -> str:
    """How long it took, "" where nobody knows."""
    return "" if check.seconds is None else brief.spent(check.seconds)


def about(story: Story) -> str:
    """Which loop it is, and when it was."""
    when = [f"begun {moment(story.started_at)}", f"ended {moment(story.ended_at)}" if story.ended_at else ""]
    worked = f"{brief.spent(story.seconds)} of work" if story.seconds else ""
    return " · ".join(filter(None, (story.loop_id, *when, worked)))


def moment(stamp: str) -> str:
    """`2026-03-01 09:30 CET`, by the clock on the wall."""
    return local(stamp, "%Y-%m-%d %H:%M %Z")


def clock(stamp: str) -> str:
    """`09:30:12 CET`."""
    return local(stamp, "%H:%M:%S %Z")
