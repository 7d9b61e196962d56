"""`untilgreen history`: every loop of a project that is over, as a table or as one page."""

import os
from collections.abc import Iterator, Sequence
from html import escape

import click

from untilgreen.cli import errors, options, status
from untilgreen.cli.story import report
from untilgreen.cli.story.page import moment
from untilgreen.core.model.loop import Loop
from untilgreen.core.words import brief
from untilgreen.core.words.story import verdict
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
        name = os.path.basename(root)
        report.write(f"{name}: {_sum(loops)}", _body(name, loops), html)
    else:
        table = status.aligned((_HEAD, *map(_row, loops))) if loops else ()
        errors.tell(*table, f"untilgreen: {_sum(loops)}")


def _row(loop: Loop) -> tuple[str, ...]:
    work = brief.spent(loop.clock.elapsed_seconds)
    return (moment(loop.started_at), loop.loop_id, verdict(loop), str(loop.rounds.iteration), work, brief.titled(loop))


def _sum(loops: Sequence[Loop]) -> str:
    if not loops:
        return "no loop is over"
    ends = [*map(verdict, loops)]
    told = (f"{ends.count(end)} {end}" for end in dict.fromkeys(ends))
    work = brief.spent(sum(loop.clock.elapsed_seconds for loop in loops))
    rounds = brief.plural(sum(loop.rounds.iteration for loop in loops), "round")
    return " · ".join((brief.plural(len(loops), "loop"), *told, rounds, f"{work} of work"))


def _body(name: str, loops: Sequence[Loop]) -> Iterator[str]:
    ends, rounds = [*map(verdict, loops)], str(sum(loop.rounds.iteration for loop in loops))
    minutes = f"{sum(loop.clock.elapsed_seconds for loop in loops) / 60:.1f}"
    counts = [(end, str(ends.count(end)), report.VERDICTS[end]) for end in report.VERDICTS]
    yield f"<h1>{escape(name)}: {brief.plural(len(loops), 'loop')}</h1>\n"
    yield report.facts((*counts, ("rounds", rounds, ""), ("minutes of work", minutes, "")))
    cell = '<td class="{}">{}</td>'.format
    rows = ("".join(cell(report.VERDICTS.get(one, ""), escape(one)) for one in _row(loop)) for loop in loops)
    yield report.table("loops", _HEAD, rows)
