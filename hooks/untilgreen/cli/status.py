"""`untilgreen status`: where the loops of a project stand, and all of them in one table."""

import os
import shutil
import sys
import time
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

import click

from untilgreen import hosts
from untilgreen.cli import errors, options, waiting
from untilgreen.core import foreign
from untilgreen.core.errors import UserError
from untilgreen.core.words import brief, story
from untilgreen.loops.begin import listing, starting
from untilgreen.loops.begin.listing import Kept
from untilgreen.loops.heard import status_line
from untilgreen.loops.rest import standing, switching
from untilgreen.state import catalogue, store, under_way
from untilgreen.state.place import NEXT

COLUMNS = ("loop", "session", "round", "state", "left", "tests", "elapsed", "task")
_NUMBERS = "elapsed"  # the column that is aligned to the right
_NEWEST = 10  # ended loops of which --json tells
_SHORT = 8  # characters of a session id where the whole does not fit
_NONE = "untilgreen: no loops here yet"
_REDRAW = "\x1b[H\x1b[2J"


@click.command("status", epilog="Example: untilgreen status --watch")
@click.option("--project", default="", metavar="DIR", help="The project's folder.")
@click.option("--all", "everything", is_flag=True, help="All loops in a table, with their ids.")
@options.session("With --wait the session whose loop is meant; else the only one that runs.")
@options.as_json
@click.option(
    "--wait",
    is_flag=False,
    flag_value=float("inf"),
    type=click.FloatRange(min=0, min_open=True),
    metavar="[MINUTES]",
    help="Ask the checks that are pending again until they have ended; give up after MINUTES.",
)
@click.option(
    "--watch",
    is_flag=False,
    flag_value=2.0,
    type=click.FloatRange(min=0.1, max=86_400),
    metavar="[SECONDS]",
    help="Draw it again every 2 seconds, or every SECONDS, until Ctrl-C. Needs a terminal.",
)
@click.option(
    "--exit-code",
    is_flag=True,
    help="Exit with 0 if the newest loop ended green, 1 if it runs or ended otherwise, 4 if there is none.",
)
def command(project: str, *, as_json: bool, watch: float | None, wait: float | None, **more: Any) -> int:
    """Say where the loops of this project stand.

    Those that run come in two lines each; if none runs, the newest that is over does. Below stands what is switched
    off, and the command that changes it.

    With --wait: 0 if nothing is pending any more, 1 if a check is red or could not be judged, 4 if time was up.
    """
    root, everything = starting.root_of(project, os.environ), more["everything"]
    if wait is not None:
        return waiting.wait(root, more["session"], wait)
    base = starting.base_of(root, os.environ)
    if watch is not None:
        if as_json or not sys.stdout.isatty():
            raise UserError("--watch needs a terminal", "run untilgreen status --json as often as you need")
        _watch(base, root, everything, watch)
    kept, unreadable = _selected(base, root)
    errors.note(*unreadable)
    switched = switching.told(base, root, os.environ)
    if as_json:
        most = len(kept) if everything else sum(one.loop.active for one in kept) + _NEWEST
        loops = [listing.as_json(one.loop, base) | {"state": one.path} for one in kept[:most]]
        files = [one.facts for one in switched]
        facts = {"project": root, "state_dir": base, "switches": files, "loops": loops}
        options.print_json(facts)
    else:
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
        told = _told(kept, time.time(), width, everything) if kept else [_nothing(root)]
        click.echo("\n".join((*told, *switching.lines(switched, project and root))))
    # the loops that run come first, then what is over, the newest first
    green = kept and kept[0].loop.end.stop_reason == "complete" and not kept[0].loop.end.declared
    return (0 if green else 1 if kept else 4) if more["exit_code"] else 0


def _selected(base: str, root: str) -> tuple[tuple[Kept, ...], list[str]]:
    kept, unreadable = listing.everything(base, root)
    return kept, [foreign.printable(str(error)) for error in unreadable]


def _told(kept: Sequence[Kept], now: float, width: int, everything: bool) -> list[str]:
    if everything:
        return lines(kept, now, width)
    return standing.lines(kept, catalogue.words(kept[0].loop.settings) if kept else {}, now) or [_NONE]


def _nothing(root: str) -> str:
    from untilgreen.cli.doctor import case  # all of it, which a table does not need

    there = [source.host for source in case.sources(root, os.environ) if case.registered(source)]
    if there:
        typed = dict.fromkeys(hosts.get(name).facts.typed or hosts.TYPED for name in there)
        line = " or ".join(f"{one}loop TASK" for one in typed)
        return f"{_NONE}: type {line} in the agent, or run untilgreen start TASK"
    return f"{_NONE}, and no hook is registered: run untilgreen init"


def _watch(base: str, root: str, everything: bool, seconds: float) -> None:
    while True:
        kept, unreadable = _selected(base, root)
        size = shutil.get_terminal_size()
        switched = switching.lines(switching.told(base, root, os.environ))
        drawn = [*_told(kept, time.time(), size.columns, everything), *switched, *unreadable]
        click.echo(_REDRAW + "\n".join(_cut(line, size.columns) for line in drawn[: size.lines - 1]))
        time.sleep(seconds)


def lines(kept: Sequence[Kept], now: float, width: int) -> list[str]:
    """The table, a line each. `width`: of the terminal, 0: there is none."""
    if not kept:
        return [_NONE]
    table = _table(kept, now, short=False)
    if 0 < width < max(map(width_of, table)):
        table = _table(kept, now, short=True)
    return [_cut(line, width) if width else line for line in table]


def _table(kept: Sequence[Kept], now: float, *, short: bool) -> list[str]:
    """The rows as they are shown. `short`: with the beginnings of the sessions' names."""
    return aligned((COLUMNS, *(_row(one, now, short=short) for one in kept)))


def aligned(rows: Iterable[Sequence[str]]) -> list[str]:
    """A table, a line each; its first row has the names of the columns."""
    columns = []
    for cells in zip(*rows, strict=True):
        blanks = [" " * (max(map(width_of, cells)) - width_of(cell)) for cell in cells]
        parts = zip(blanks, cells, strict=True)
        columns.append([blank + cell if cells[0] == _NUMBERS else cell + blank for blank, cell in parts])
    return ["  ".join(row).rstrip() for row in zip(*columns, strict=True)]


def width_of(text: str) -> int:
    """The columns of a terminal that a text takes: two for a wide character, none for one that joins another."""
    if text.isascii():
        return len(text)
    wide = (unicodedata.east_asian_width(char) in "WF" for char in text)
    return sum(0 if unicodedata.combining(char) else 1 + more for char, more in zip(text, wide, strict=True))


def _cut(line: str, columns: int) -> str:
    """The line, cut to the room there is, with three dots where these fit."""
    if width_of(line) <= columns:
        return line
    dots = "..." if columns > 3 else ""
    while width_of(line) > columns - len(dots):
        line = line[: min(len(line) - 1, columns)]
    return line + dots


def _row(kept: Kept, now: float, *, short: bool) -> tuple[str, ...]:
    loop, session = kept.loop, kept.loop.session_id or "next session"
    elapsed = loop.clock.elapsed_seconds
    if loop.active and kept.place.session != NEXT:
        elapsed = status_line.elapsed(loop, store.read_session(kept.place).turn_started, now)
    seen = None if loop.asked.promise_only else brief.newest_snapshot(loop)
    return (
        brief.clean(loop.loop_id),
        brief.clean(session[:_SHORT] if short and loop.session_id else session),
        f"{loop.rounds.iteration}/{loop.settings.max_iterations}",
        brief.clean(_state(kept)),
        "-" if seen is None else brief.clean(brief.describe_left(seen).replace(" left", "")),
        f"{seen.tests_run - seen.tests_failed}/{seen.tests_run}" if seen is not None and seen.tests_run else "-",
        brief.duration(elapsed),
        brief.titled(loop),
    )


def _state(kept: Kept) -> str:
    if not kept.loop.active:
        return story.verdict(kept.loop)
    held = "held" if kept.held else "parked" if kept.loop.rest.parked else kept.loop.status
    return held if under_way.now(kept.place) is None else "checking"
