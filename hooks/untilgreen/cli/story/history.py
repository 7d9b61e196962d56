"""`untilgreen history`: every loop of a project that is over, as a table or as one page."""

import os
from collections.abc import Iterator, Sequence
from html import escape

import click

from untilgreen.cli import errors, options
from untilgreen.cli.story import report
from untilgreen.cli.story.page import moment
from untilgreen.core.model.loop import Loop
from untilgreen.core.words import brief
from untilgreen.loops.begin import listing, starting

_HEAD = ("when", "loop", "end", "rounds", "work", "task")


@click.command("history", epilog="Example: untilgreen history --html loops.html")
@click.option("--html", default="", metavar="FILE", help="Write one page that needs no network and no script.")
@options.project
@options.as_json
def command(html: str, root: str, *, as_json: bool) -> None:
    """Show every loop that is over.

    The newest comes first. Show one of them with `untilgreen show LOOP`.
    """
    base = starting.base_of(root, os.environ)
    kept, unreadable = listing.everything(base, root)
    for one in unreadable:
        errors.tell(f"untilgreen: {one}", err=True)
    loops = sorted((one.loop for one in kept if not one.loop.active), key=lambda loop: loop.started_at, reverse=True)
    if as_json:
        options.print_json({"loops": [listing.as_json(loop, base) for loop in loops]})
    elif html:
        report.write(f"{os.path.basename(root)}: {_sum(loops)}", _body(loops), html)
    else:
        rows = [_HEAD, *map(_row, loops)] if loops else []
        widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
        table = ("  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)) for row in rows)
        errors.tell(*(line.rstrip() for line in table), f"untilgreen: {_sum(loops)}")


def _row(loop: Loop) -> tuple[str, ...]:
    work = brief.spent(loop.clock.elapsed_seconds)
    return (moment(loop.started_at), loop.loop_id, _end(loop), str(loop.rounds.iteration), work, brief.titled(loop))


def _end(loop: Loop) -> str:
    """`green`, `green, but`, `stuck`, or why it ended."""
    if loop.end.stop_reason != "complete":
        return {"stagnant": "stuck"}.get(loop.end.stop_reason or "", loop.end.stop_reason or "")
    return "unchecked" if loop.end.declared else "green" if loop.end.verified else "green, but"


def _sum(loops: Sequence[Loop]) -> str:
    if not loops:
        return "no loop is over"
    ends = [*map(_end, loops)]
    told = (f"{ends.count(end)} {end}" for end in dict.fromkeys(ends))
    work = brief.spent(sum(loop.clock.elapsed_seconds for loop in loops))
    rounds = brief.plural(sum(loop.rounds.iteration for loop in loops), "round")
    return " · ".join((brief.plural(len(loops), "loop"), *told, rounds, f"{work} of work"))


def _body(loops: Sequence[Loop]) -> Iterator[str]:
    yield f"<h1>{escape(_sum(loops))}</h1>\n<table>\n<tr>"
    yield "".join(f'<th scope="col">{name}</th>' for name in _HEAD) + "</tr>\n"
    for loop in loops:
        yield f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in _row(loop))}</tr>\n"
    yield "</table>\n"
