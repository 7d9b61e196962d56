"""`untilgreen report`: a loop as Markdown for a pull request, or as one page of HTML."""

import os
import re
from collections.abc import Iterator, Sequence

import click

from untilgreen.cli.story import history, page
from untilgreen.cli.story.show import FEW, MOST, about, clock, sign, time, words, worked
from untilgreen.core import foreign
from untilgreen.core.errors import unwritten
from untilgreen.core.words import brief
from untilgreen.core.words.story import Round, Story

_TASK = 200  # characters of it


@click.command("report", epilog="Example: untilgreen report --html loop.html")
@click.argument("loop", default="", shell_complete=history.names)
@click.option("--html", default="", metavar="FILE", help="Write one page that needs no network and no script.")
@click.option("--markdown", is_flag=True, help="Print Markdown, beside a page, too. Without --html it always does.")
@click.option("--project", default="", metavar="DIR", help="The project's folder.")
def command(loop: str, html: str, markdown: bool, project: str) -> None:
    """Tell a loop to others, as Markdown or as a page.

    The Markdown is for a pull request; the page, with --html, holds every round.
    LOOP is a name from `untilgreen status`; without one it is the newest loop. Secrets stay masked.
    """
    found = history.told(history.find(project, loop))
    if html:
        try:
            with open(html, "w", encoding="utf-8") as file:
                file.write(page.html(found))
        except OSError as error:
            raise unwritten(error, html) from None
        click.echo(f"untilgreen: {foreign.printable(os.path.abspath(html))} written", err=True)
    if markdown or not html:
        click.echo("\n".join(_markdown(found)))


def _markdown(story: Story) -> Iterator[str]:
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
    ran = {check.name: " ".join(filter(None, (sign(check), words(check), time(check)))) for check in one.checks}
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
