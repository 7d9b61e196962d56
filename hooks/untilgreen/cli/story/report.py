"""A loop for others: as Markdown for a pull request, or as one page of HTML."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from string import Template

from untilgreen.cli import errors
from untilgreen.cli.story.page import FEW, MOST, about, clock, items, sign, title, took, words, worked
from untilgreen.core import foreign
from untilgreen.core.errors import unwritten
from untilgreen.core.words import brief
from untilgreen.core.words.story import Ran, Round, Story
from untilgreen.project.files import templates_folder
from untilgreen.state.clock import milliseconds

_TASK = 200  # characters of it
_LISTED = 500  # lines of a diff
_SIGNS = {"✓": "good", "✗": "bad", "+": "good", "-": "bad"}  # of checks, and of lines of a diff
_ITEMS = {"+": "bad", "-": "good", "!": "but"}
VERDICTS = {"green": "good", "green, but": "but", "stuck": "bad"}


def write(title: str, body: Iterable[str], path: str) -> None:
    """Write a page. Raises UserError."""
    try:
        with open(os.path.join(templates_folder(), "report.html"), encoding="utf-8") as file:
            page = Template(file.read())
        with open(path, "w", encoding="utf-8") as file:
            file.write(page.substitute(title=escape(title), body="".join(body)))
    except OSError as error:
        raise unwritten(error, path) from None
    errors.note(f"{os.path.abspath(path)} written")


def markdown(story: Story) -> Iterator[str]:
    """The loop as Markdown, in parts. Secrets stay masked."""
    yield f"## {plain(story.outcome)}\n"
    if story.task:
        yield block(brief.clean(story.task, _TASK))
    yield from (f"- {plain(line)}" for line in story.asked)
    yield f"- {plain(about(story))}\n"
    if story.rounds:
        names = tuple(dict.fromkeys(check.name for one in story.rounds for check in one.checks))
        head = ("round", "at", "left", "new", "fixed", "work", *names, "not a clean pass")
        yield _table(head, [_row(one, names) for one in story.rounds])
        did = [(one.number, "; ".join(worked(one.work, FEW))) for one in story.rounds]
        yield "".join(f"- round {number}: {plain(told)}\n" for number, told in did if told)
    if story.rounds and (items := story.rounds[-1].items):
        more = [f"... and {len(items) - MOST} more"] if len(items) > MOST else []
        yield "Left:\n"
        yield block("\n".join([*(item.text for item in items[:MOST]), *more]))


def _row(one: Round, names: Sequence[str]) -> tuple[str, ...]:
    numbers = (_left(one), str(sum(item.new for item in one.items) or ""), str(len(one.fixed) or ""))
    ran = {check.name: " ".join(filter(None, (sign(check), words(check), took(check)))) for check in one.checks}
    worked = "" if one.seconds is None else brief.spent(one.seconds)
    checks = (ran.get(name, "") for name in names)
    return (str(one.number), clock(one.judged_at), *numbers, worked, *checks, ", ".join(one.but))


def _left(one: Round) -> str:
    return "" if one.left is None else f"{one.left}{'+' if one.hidden else ''}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [map(plain, head), ["---"] * len(head), *(map(plain, row) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def plain(text: str) -> str:
    """Words of others in a line or a cell: nothing in them is Markdown, nobody is mentioned, nothing referred to."""
    line = re.sub(r"(?<!\w)@(?=\w)|#(?=\d)", "\\g<0>\u200b", " ".join(text.split()))
    return re.sub(r"([\\`*_{}\[\]<>#!~&$])", r"\\\1", line).replace("|", "&#124;").replace("\u200b", "&#8203;")


def block(text: str) -> str:
    """Words of others as they stand, behind a fence that is longer than any in them."""
    fence = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", text)), 0)
    return f"{fence}text\n{text}\n{fence}\n"


def facts(told: Iterable[tuple[str, str, str]]) -> str:
    """Facts side by side: the name of each, what it is, its class."""
    rows = "".join(f'<div><dt>{name}</dt><dd class="{kind}">{escape(fact)}</dd></div>\n' for name, fact, kind in told)
    return f'<dl class="facts">\n{rows}</dl>\n'


def table(kind: str, head: Iterable[str], rows: Iterable[str]) -> str:
    """A table: the names of its columns, and the cells of each row."""
    first = "".join(f'<th scope="col">{name}</th>' for name in head)
    lines = "".join(f"<tr>{row}</tr>\n" for row in (first, *rows))
    return f'<table class="{kind}">\n{lines}</table>\n'


def heading(story: Story) -> str:
    return brief.clean(story.task, _TASK) or story.loop_id


def body(story: Story, diffs: Mapping[int, str]) -> Iterator[str]:
    """The parts of a loop's page. `diffs`: of the files in a round, by its number."""
    yield f"<h1>{escape(heading(story))}</h1>\n"
    verdict, rounds = story.verdict, f"{story.rounds[-1].number if story.rounds else 0} of {story.most}"
    told = (("verdict", verdict, VERDICTS.get(verdict, "")), ("rounds", rounds, ""))
    yield facts((*told, ("time", brief.spent(story.seconds), "")))
    yield f'<p>{escape(story.outcome)}</p>\n<p class="soft">{escape(about(story))}</p>\n'
    yield (_time(story) if story.seconds else "") + (_grid(story.rounds) if story.rounds else "")
    yield f"<h2>What was asked for</h2>\n{listed(('', line) for line in story.asked)}"
    if len(story.task) > len(heading(story)):
        yield folded("the whole task", escape(story.task))
    yield "<h2>Rounds</h2>\n" if story.rounds else ""
    for one in story.rounds:
        lines = [("soft", line) for line in worked(one.work, MOST)]
        lines += [(_ITEMS.get(line.sign, ""), f"{line.sign or ' '} {line.text}") for line in items(story, one)]
        yield f"<section>\n<h3>{escape(title(one))}</h3>\n{listed(lines)}{_diff(diffs.get(one.number, ''))}</section>\n"


def _time(story: Story) -> str:
    """A bar of whose the time was, where all of it is known."""
    try:
        checks = sum(milliseconds(one.over_at) - milliseconds(one.judged_at) for one in story.rounds) / 1000
        end = story.ended_at or story.rounds[-1].over_at
        pauses = (milliseconds(end) - milliseconds(story.started_at)) / 1000 - story.seconds - checks
    except (ValueError, IndexError):  # not written down
        return ""
    parts = {"agent": story.seconds, "checks": checks, "pauses": max(0.0, pauses)}
    bars = "".join(f'<span class="{name}" style="flex-grow:{1000 * part:.0f}"></span>' for name, part in parts.items())
    keys = "".join(f'<span><i class="{name}"></i> {name} {brief.spent(part)}</span>' for name, part in parts.items())
    return f'<figure>\n<div class="bar" aria-hidden="true">{bars}</div>\n<figcaption>{keys}</figcaption>\n</figure>\n'


def _grid(rounds: Sequence[Round]) -> str:
    names = dict.fromkeys(check.name for one in rounds for check in one.checks)
    ran = {(check.name, one.number): check for one in rounds for check in one.checks}
    told = [(name, [_cell(ran.get((name, one.number))) for one in rounds]) for name in names]
    told.append(("left", [f"<td>{_left(one)}</td>" for one in rounds]))
    rows = (f'<th scope="row">{escape(name)}</th>{"".join(cells)}' for name, cells in told)
    shown = table("", ("round", *(str(one.number) for one in rounds)), rows)
    return f'<div class="wide" tabindex="0">\n{shown}</div>\n'


def _cell(check: Ran | None) -> str:
    if check is None:
        return "<td></td>"
    said = words(check).replace(" failed of ", " of ")
    return f'<td class="{_SIGNS.get(sign(check), "soft")}">{sign(check)} {said}<small>{took(check)}</small></td>'


def _diff(text: str) -> str:
    lines = text.splitlines()
    told = [*lines[:_LISTED], *([f"... and {len(lines) - _LISTED} more lines"] if len(lines) > _LISTED else [])]
    drawn = (f'<span class="{_SIGNS.get(line[:1], "soft")}">{escape(foreign.printable(line))}</span>' for line in told)
    return folded("diff", "\n".join(drawn)) if told else ""


def folded(name: str, text: str) -> str:
    return f"<details>\n<summary>{name}</summary>\n<pre>{text}</pre>\n</details>\n"


def listed(lines: Iterable[tuple[str, str]]) -> str:
    rows = "".join(f'<li class="{name}">{escape(text)}</li>\n' for name, text in lines)
    return f"<ul>\n{rows}</ul>\n" if rows else ""
