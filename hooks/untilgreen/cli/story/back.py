"""The work tree as it was: `untilgreen rollback`, `untilgreen diff`, `untilgreen gc`."""

import os
import sys
from collections.abc import Iterator

import click

from untilgreen.cli import errors, options, terminal
from untilgreen.cli.story import lookup
from untilgreen.core.errors import UserError
from untilgreen.core.foreign import printable
from untilgreen.core.model.event import Place
from untilgreen.core.model.loop import Loop
from untilgreen.core.words import brief
from untilgreen.loops import back, pruning
from untilgreen.loops.begin import starting
from untilgreen.loops.rest import orphans
from untilgreen.state.place import NEXT

_SHOWN = 20  # files that are listed before the question
_SECONDS = 600.0  # to drop snapshots
_MB = 1_000_000
_COLOURS = {"+": "green", "-": "red", "@": "cyan"}
_HEADS = ("diff --git ", "+++ ", "--- ", "index ", "new file ", "deleted file ", "old mode ", "new mode ")

_session = options.session("The session, or the loop; else the newest loop.")


@click.command("rollback", epilog="Example: untilgreen rollback --to best --dry-run")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@_session
@click.option("--to", "word", default="start", metavar="N|start|best", show_default=True, help="What to go back to.")
@click.option("--dry-run", is_flag=True, help="List what would change, and change nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@options.project
def rollback(paths: tuple[str, ...], session: str, word: str, dry_run: bool, yes: bool, root: str) -> None:
    """Put the files back as they were when a loop began.

    It deletes what the agent created, and restores what it deleted. Ignored files, commits, branches and the index
    stay. "best" is the earliest round with the fewest things left. It keeps the files of now first, and says how to
    get them back. With PATH only these files and folders change.
    """
    kept = lookup.find(root, session=session)
    inner = [back.relative(kept.place.root, path, os.getcwd()) for path in paths]
    if dry_run or not yes:
        way = back.go(kept.place, kept.loop, word, inner, act=False)
        errors.tell(*_about(kept.loop, way, len(way.differences) if dry_run else _SHOWN))
        if dry_run or not way.differences:
            return
        if not (sys.stdin.isatty() and sys.stdout.isatty()):
            raise UserError("nothing was changed: nobody can be asked here", "add --yes")
        click.confirm("Go back?", abort=True)
    way = back.go(kept.place, kept.loop, word, inner)
    errors.tell(*back.told(kept.loop, way))
    if way.failed:
        raise back.unfinished(way)


def _about(loop: Loop, way: back.Way, most: int) -> Iterator[str]:
    if not way.differences:
        yield from back.told(loop, way)
        return
    yield f"back to {way.target} of {loop.loop_id}: {brief.clean(loop.task_description)}".removesuffix(": ")
    yield from (f"  {one.verb} {back.shown(one.path)}" for one in way.differences[:most])
    if len(way.differences) > most:
        yield f"  and {len(way.differences) - most} more (--dry-run lists all)"
    yield from back.alone(way)


@click.command("diff", epilog="Example: untilgreen diff start 2")
@click.argument("one", metavar="N")
@click.argument("other", default=back.NOW, metavar="[M]")
@_session
@options.project
def diff(one: str, other: str, session: str, root: str) -> None:
    """Show what changed between two moments of a loop.

    N and M are the number of a round, start, best or now. Without M it is now.
    """
    kept = lookup.find(root, session=session)
    text = back.diff(kept.place, kept.loop, one, other)
    if not sys.stdout.isatty():
        click.echo(text, nl=False)
        return
    for line in text.decode("utf-8", "replace").removesuffix("\n").split("\n"):
        head = line.startswith(_HEADS)
        shown = printable(line.expandtabs())
        drawn = click.style(shown, fg=None if head else _COLOURS.get(line[:1]), bold=head or None)
        click.echo(drawn, color=terminal.colours())


@click.command("gc", epilog="Example: untilgreen gc")
@options.project
def gc(root: str) -> None:
    """Drop old snapshots of the work tree.

    It drops those that are older than 14 days, then the oldest while all take more than 1 GB, but none of a running
    loop. It ends loops whose session did not come back for 14 days. Each start does the same once a day.
    """
    base = starting.base_of(root, os.environ)
    for _, _, loop in orphans.swept(base, root, os.environ):
        if not loop.active:
            errors.tell(orphans.line(loop))
    with starting.state_is_used("nothing was dropped"):
        done = pruning.at(Place(root, base, NEXT), _SECONDS) if os.path.isdir(base) else pruning.Pruned()
    left = brief.plural(done.left, "snapshot")
    errors.tell(
        f"untilgreen: dropped {brief.plural(done.gone, 'snapshot')}, {done.freed / _MB:.1f} MB; "
        f"{left} left, {done.size / _MB:.1f} MB"
    )
