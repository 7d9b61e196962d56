"""`untilgreen show`: a loop's rounds, or what one of its other forms tells of it."""

import json
import shutil
import sys
import time
from collections.abc import Callable

import click

from untilgreen.cli import options, terminal
from untilgreen.cli.story import lookup, report, why
from untilgreen.cli.story.page import drawn
from untilgreen.core import document
from untilgreen.core.errors import UserError
from untilgreen.loops.begin.listing import Kept
from untilgreen.state import under_way

_EVERY = 1.0  # seconds between two looks at a loop that is watched


@click.command("show", epilog="Example: untilgreen show --why")
@click.argument("loop", default="", shell_complete=lookup.names)
@options.session("The session whose newest loop, or stop, is meant.")
@click.option("--why", "form", flag_value="why", help="Explain the last stop: its verdict, each step, each check.")
@click.option("--watch", "form", flag_value="watch", help="Draw it again whenever it changes; q leaves.")
@click.option("--markdown", "form", flag_value="markdown", help="Print it as Markdown, for a pull request.")
@click.option("--html", default="", metavar="FILE", help="Write one page that needs no network and no script.")
@options.project
@options.as_json
def show(loop: str, root: str, html: str, *, as_json: bool, **which: str) -> None:
    """Show a loop round by round.

    Each round says what was left, what every check said and how long it took, what was new (+) and what was fixed (-).
    If the host's transcript is still there, it says what the agent edited and ran, and the tokens that it took.
    LOOP is a name from `untilgreen status --all`; without one it is the newest loop. Secrets stay masked.
    """
    form, session = which["form"] or "", which["session"]
    if form == "why":
        if html:
            raise UserError("--why has no page", "leave --html or --why out")
        why.page(root, lookup.find(root, loop).loop.session_id if loop else session, as_json=as_json)
        return
    kept = lookup.find(root, loop, session)
    if form == "watch":
        _watch(root, kept)
    elif as_json:
        click.echo(json.dumps(document.dump(lookup.told(kept)), indent=2, ensure_ascii=False))
    elif form == "markdown":
        click.echo("\n".join(report.markdown(lookup.told(kept))))
    elif not html:
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
        click.echo("\n".join(drawn(lookup.told(kept), width)), color=terminal.colours())
    if html:
        told = lookup.told(kept)
        report.write(report.heading(told), report.body(told, lookup.diffs(kept, told)), html)


def _watch(root: str, kept: Kept) -> None:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        click.echo("\n".join(drawn(lookup.told(kept), 0)), color=terminal.colours())
        click.echo("untilgreen: shown once: --watch needs a terminal", err=True)
        return
    before: list[str] = []
    with terminal.keys() as typed:
        while True:
            size = shutil.get_terminal_size()
            first, *page = drawn(lookup.told(kept), size.columns)
            # of a loop that runs only what fits
            page = [first, *(page[-max(1, size.lines - 3) :] if kept.loop.active else page)]
            if page != before:
                click.clear()
                click.echo("\n".join(page), color=terminal.colours())
                before = page
            if not kept.loop.active:
                return
            if _wait(kept, typed) in ("q", "Q", None):
                click.echo()
                return
            kept = lookup.find(root, kept.loop.loop_id)


def _wait(kept: Kept, typed: Callable[[float], str | None]) -> str | None:
    """Show for a second which checks run, with a sign that turns; the key that was typed, as `terminal.keys`."""
    until = time.monotonic() + _EVERY
    while True:
        now = time.time()
        told = under_way.told(kept.place, now)
        turns = terminal.SPINNER[int(now / terminal.TURN) % len(terminal.SPINNER)]
        terminal.redraw(f"{turns} {told} · q leaves" if told else "q leaves")
        key = typed(terminal.TURN if told else _EVERY)
        if key != "" or time.monotonic() >= until:
            return key
