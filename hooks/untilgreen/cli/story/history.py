"""`untilgreen history`: how often "done" had no passing run behind it on this machine, and every loop of a project that
is over; as tables, or as one page."""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from html import escape
from typing import Any

import click

from untilgreen.cli import errors, options, status
from untilgreen.cli.story import claims, report
from untilgreen.cli.story.claims import VERDICTS, CountedClaim
from untilgreen.cli.story.page import moment
from untilgreen.core.model.loop import Loop
from untilgreen.core.words import brief
from untilgreen.core.words.story import verdict
from untilgreen.loops.begin import listing, starting

_HEAD = ("when", "loop", "end", "rounds", "work", "task")
_MONTHS = ("month", "claims", *VERDICTS.values(), "repository")
_COLOURS = dict(zip(VERDICTS, ("green", "red", "amber", "soft"), strict=True))
_LISTED = 500  # claims on a page
_SIDES = ("before untilgreen", "with untilgreen")
_BESIDE = {
    "held": "held by a stop hook and not counted",
    "aside": "not counted, since the turn edited no source",
    "unread": "lines not read",
}


@click.command("history", epilog="Example: untilgreen history --html history.html")
@click.option("--list", "listed", is_flag=True, help="Name each claim with its file and line, and why it counts so.")
@click.option("--since", type=click.DateTime(["%Y-%m-%d"]), metavar="DATE", help="Count claims from this day on.")
@click.option("--repository", default="", metavar="DIR", help="Count the claims of this repository alone.")
@click.option("--html", default="", metavar="FILE", help="Write one page that needs no network and no script.")
@options.project
@options.as_json
def command(since: datetime | None, repository: str, html: str, root: str, *, listed: bool, as_json: bool) -> None:
    """Show how often "done" had no passing run behind it, and every loop that is over.

    Reads the transcripts that Claude Code, Codex, Copilot, Gemini CLI and Qwen Code left on this machine; nothing is
    sent anywhere. The newest of this project's loops comes first. Show one of them with `untilgreen show LOOP`.
    """
    base, counts = starting.base_of(root, os.environ), Counter[str]()
    kept, unreadable = listing.everything(base, root)
    errors.note(*unreadable)
    loops = sorted((one.loop for one in kept if not one.loop.active), key=lambda loop: loop.started_at, reverse=True)
    only = repository and claims.repository_of(os.path.abspath(repository))
    found = [one for one in claims.find(os.environ, counts) if only in ("", one.repository)]
    found = [one for one in found if since is None or one.at >= f"{since:%Y-%m-%d}"]
    if as_json:
        told = {"counted": len(found), "without_passing_run": _bare(found), **dict(_sides(found)), "read": counts}
        told |= {"months": _months(found), **({"list": [one._asdict() for one in found]} if listed else {})}
        options.print_json({"loops": [listing.as_json(loop, base) for loop in loops], "claims": told})
    elif html:
        name = os.path.basename(root)
        title = _headline(found, counts) if counts else f"{name}: {_sum(loops)}"
        page = (f"<h1>{escape(title)}</h1>\n", *(_page(found, counts) if counts else ()), *_body(name, loops))
        report.write(title, page, html)
    elif listed:
        errors.tell(*map(_line, found))
    else:
        table = status.aligned((_HEAD, *map(_row, loops))) if loops else ()
        errors.tell(*(_told(found, counts) if counts else ()), *table, f"untilgreen: {_sum(loops)}")


def _told(found: Sequence[CountedClaim], counts: Counter[str]) -> Iterator[str]:
    yield _headline(found, counts)
    yield from status.aligned((_MONTHS, *(tuple(map(str, row.values())) for row in _months(found)))) if found else ()
    yield from (" · ".join(map(": ".join, _sides(found))), _beside(counts), "")


def _bare(found: Sequence[CountedClaim]) -> int:
    return sum(one.verdict != "backed" for one in found)


def _headline(found: Sequence[CountedClaim], counts: Counter[str]) -> str:
    """`65 of 212 claims had no passing run behind them`."""
    nothing = f"no claim of being done in {brief.plural(counts['transcripts'], 'transcript')}"
    return f"{_bare(found)} of {len(found)} claims had no passing run behind them" if found else nothing


def _sides(found: Sequence[CountedClaim]) -> Iterator[tuple[str, str]]:
    for ours, name in enumerate(_SIDES):
        side = [one for one in found if one.ours == ours]
        yield name, f"{_bare(side)} of {len(side)} ({100 * _bare(side) / len(side):.0f} %)" if side else "no claim"


def _beside(counts: Counter[str]) -> str:
    """What was read, and what was not counted."""
    told = (f"{what}: {counts[name]}" for name, what in _BESIDE.items() if counts[name])
    return " · ".join((brief.plural(counts["transcripts"], "transcript"), *told))


def _months(found: Sequence[CountedClaim]) -> list[dict[str, Any]]:
    """For each repository and month how many claims there are, and how many of each verdict."""
    rows: dict[tuple[str, str], Counter[str]] = {}
    for one in found:
        rows.setdefault((one.repository, one.at[:7]), Counter())[one.verdict] += 1
    return [
        {"month": key[1], "claims": row.total(), **{name: row[name] for name in VERDICTS}, "repository": key[0]}
        for key, row in sorted(rows.items())
    ]


def _line(one: CountedClaim) -> str:
    return f"{one.path}:{one.line}: {VERDICTS[one.verdict]} ({one.why}): {one.sentence}"


def _page(found: Sequence[CountedClaim], counts: Counter[str]) -> Iterator[str]:
    """The claims on a page: what they come to, a bar for each month and repository, and those without a passing run."""
    yield report.facts((*one, "") for one in _sides(found))
    key = '<span><i style="background:var(--{})"></i> {}</span>'.format
    keys = "".join(map(key, _COLOURS.values(), VERDICTS.values()))
    yield f'<p class="soft">{_beside(counts)}</p>\n<figure><figcaption>{keys}</figcaption></figure>\n'
    part, rows, months = '<span style="flex-grow:{};background:var(--{})"></span>'.format, [], _months(found)
    for row in months:
        parts = "".join(part(row[name], colour) for name, colour in _COLOURS.items())
        wide = 20 * row["claims"] / max(one["claims"] for one in months)
        bar = f'<div class="bar" aria-hidden="true" style="width:{wide:.1f}rem">{parts}</div>'
        told = f"{row['claims'] - row['backed']} of {row['claims']}"
        rows.append(f"<td>{row['month']}</td><td>{escape(row['repository'])}</td><td>{told}</td><td>{bar}</td>")
    table = report.table("", ("month", "repository", "without a passing run", "claims"), rows)
    yield f'<div class="wide" tabindex="0">\n{table}</div>\n'
    bare = [("", _line(one)) for one in found if one.verdict != "backed"]
    yield report.folded("claims without a passing run", report.listed(bare[-_LISTED:]))


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
    if not loops:
        return
    ends, rounds = [*map(verdict, loops)], str(sum(loop.rounds.iteration for loop in loops))
    minutes = f"{sum(loop.clock.elapsed_seconds for loop in loops) / 60:.1f}"
    counts = [(end, str(ends.count(end)), report.VERDICTS[end]) for end in report.VERDICTS]
    yield f"<h2>{escape(name)}: {brief.plural(len(loops), 'loop')}</h2>\n"
    yield report.facts((*counts, ("rounds", rounds, ""), ("minutes of work", minutes, "")))
    cell = '<td class="{}">{}</td>'.format
    rows = ("".join(cell(report.VERDICTS.get(one, ""), escape(one)) for one in _row(loop)) for loop in loops)
    yield report.table("loops", _HEAD, rows)
