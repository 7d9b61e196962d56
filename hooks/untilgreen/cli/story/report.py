"""A loop for others: as Markdown for a pull request, or as one page of HTML."""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from string import Template

import click

from untilgreen.cli.story.page import FEW, MOST, NOT_KEPT, about, clock, sign, title, took, words, worked
from untilgreen.core import foreign
from untilgreen.core.errors import unwritten
from untilgreen.core.model.check import STAGES
from untilgreen.core.words import brief
from untilgreen.core.words.story import Round, Story
from untilgreen.project.files import templates_folder

_TASK = 200  # characters of it
_LISTED = 500  # items of a round that are listed
_WIDE, _HIGH, _FOOT, _ROOM = 360, 120, 132, 16  # of the chart, its bars, and of two numbers beside each other
_HEAD = '<th scope="col">check</th><th scope="col">said</th><th scope="col">took</th>'
_KEY = '<svg viewBox="0 0 8 8" aria-hidden="true"><rect class="{stage}" width="8" height="8"/></svg> {stage}'
_CLASSES = {"✓": "good", "✗": "bad"}


def write(title: str, body: Iterable[str], path: str) -> None:
    """Write a page. Raises UserError."""
    try:
        with open(os.path.join(templates_folder(), "report.html"), encoding="utf-8") as file:
            page = Template(file.read())
        with open(path, "w", encoding="utf-8") as file:
            file.write(page.substitute(title=escape(title), body="".join(body)))
    except OSError as error:
        raise unwritten(error, path) from None
    click.echo(f"untilgreen: {foreign.printable(os.path.abspath(path))} written", err=True)


def markdown(story: Story) -> Iterator[str]:
    """The loop as Markdown, in parts. Secrets stay masked."""
    yield f"## {_plain(story.outcome)}\n"
    if story.task:
        yield _block(brief.clean(story.task, _TASK))
    yield from (f"- {_plain(line)}" for line in story.asked)
    yield f"- {_plain(about(story))}\n"
    if story.rounds:
        names = tuple(dict.fromkeys(check.name for one in story.rounds for check in one.checks))
        head = ("round", "at", "left", "new", "fixed", "work", *names, "not a clean pass")
        yield _table(head, [_row(one, names) for one in story.rounds])
        did = [(one.number, "; ".join(worked(one.work, FEW))) for one in story.rounds]
        yield "".join(f"- round {number}: {_plain(told)}\n" for number, told in did if told)
    if story.rounds and (items := story.rounds[-1].items):
        more = [f"... and {len(items) - MOST} more"] if len(items) > MOST else []
        yield "Left:\n"
        yield _block("\n".join([*(item.text for item in items[:MOST]), *more]))


def _row(one: Round, names: Sequence[str]) -> tuple[str, ...]:
    left = "" if one.left is None else f"{one.left}{'+' if one.hidden else ''}"
    numbers = (left, str(sum(item.new for item in one.items) or ""), str(len(one.fixed) or ""))
    ran = {check.name: " ".join(filter(None, (sign(check), words(check), took(check)))) for check in one.checks}
    worked = "" if one.seconds is None else brief.spent(one.seconds)
    checks = (ran.get(name, "") for name in names)
    return (str(one.number), clock(one.judged_at), *numbers, worked, *checks, ", ".join(one.but))


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [map(_plain, head), ["---"] * len(head), *(map(_plain, row) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _plain(text: str) -> str:
    """Words of others in a line or a cell: nothing in them is Markdown, nobody is mentioned, nothing referred to."""
    line = re.sub(r"(?<!\w)@(?=\w)|#(?=\d)", "\\g<0>\u200b", " ".join(text.split()))
    return re.sub(r"([\\`*_{}\[\]<>#!~&$])", r"\\\1", line).replace("|", "&#124;").replace("\u200b", "&#8203;")


def _block(text: str) -> str:
    """Words of others as they stand, behind a fence that is longer than any in them."""
    fence = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", text)), 0)
    return f"{fence}text\n{text}\n{fence}\n"


def body(story: Story) -> Iterator[str]:
    """The parts of a loop's page."""
    yield f"<h1>{escape(story.outcome)}</h1>\n"
    yield f'<p class="soft">{escape(about(story))}</p>\n'
    if story.task:
        yield f"<h2>Task</h2>\n<pre>{escape(story.task)}</pre>\n"
    yield f"<h2>What was asked for</h2>\n{_list(('', line) for line in story.asked)}"
    if story.history:
        yield f"<h2>Left, round by round</h2>\n{_chart(story.rounds)}"
    yield f"<h2>Rounds</h2>\n{''.join(map(_section, story.rounds))}"


def _section(one: Round) -> str:
    items = [("new" if item.new else "", f"{'+' if item.new else ' '} {item.text}") for item in one.items[:_LISTED]]
    items += [("", f"... and {len(one.items) - _LISTED} more")] if len(one.items) > _LISTED else []
    items += [("", NOT_KEPT)] if one.left and not one.items else []
    items += [("fixed", f"- {fixed}") for fixed in one.fixed[:_LISTED]]
    items += [("fixed", f"... and {len(one.fixed) - _LISTED} more fixed")] if len(one.fixed) > _LISTED else []
    items += [("but", f"! not a clean pass: {but}") for but in one.but]
    checks = "".join(
        f'<tr><td><span class="{_CLASSES.get(sign(check), "soft")}">{sign(check)}</span> {escape(check.name)}</td>'
        f"<td>{words(check)}</td><td>{took(check)}</td></tr>\n"
        for check in one.checks
    )
    table = f"<table>\n<tr>{_HEAD}</tr>\n{checks}</table>\n" if checks else ""
    work = _list(("soft", line) for line in worked(one.work, _LISTED))
    return f"<section>\n<h3>{escape(title(one))}</h3>\n{table}{work}{_list(items)}</section>\n"


def _list(lines: Iterable[tuple[str, str]]) -> str:
    rows = "".join(f'<li class="{name}">{escape(text)}</li>\n' for name, text in lines)
    return f"<ul>\n{rows}</ul>\n" if rows else ""


def _chart(rounds: tuple[Round, ...]) -> str:
    """A bar a round, of its stages; a plus where more may be hidden."""
    most = max(1, *(sum(one.stages.values()) for one in rounds))
    step = _WIDE / len(rounds)
    bars = "".join(_bar(one, n * step, step, _HIGH / most) for n, one in enumerate(rounds))
    told = ", ".join(f"round {one.number}: {one.left}" for one in rounds)
    keys = " ".join(_KEY.format(stage=stage) for stage in STAGES if any(one.stages[stage] for one in rounds))
    return (
        f'<figure>\n<svg viewBox="0 0 {_WIDE} {_FOOT + 14}" role="img" aria-label="{escape(told)}">\n'
        f'<line x2="{_WIDE}" y1="{_FOOT}" y2="{_FOOT}"/>\n{bars}</svg>\n'
        f"<figcaption>What was left, by stage: {keys}</figcaption>\n</figure>\n"
    )


def _bar(one: Round, x: float, step: float, unit: float) -> str:
    top, parts = float(_FOOT), ""
    for stage in STAGES:
        high = one.stages[stage] * unit
        top -= high
        place = f'x="{x + step * 0.15:.1f}" y="{top:.1f}" width="{step * 0.7:.1f}" height="{high:.1f}"'
        parts += f'<rect class="{stage}" {place}/>\n' if high else ""
    texts = ((f"{one.left}{'+' if one.hidden else ''}", top - 2), (one.number, _FOOT + 11)) if step >= _ROOM else ()
    return parts + "".join(f'<text x="{x + step / 2:.1f}" y="{y:.1f}">{text}</text>\n' for text, y in texts)
