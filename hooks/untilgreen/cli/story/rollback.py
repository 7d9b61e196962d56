"""`untilgreen rollback`: the work tree as it was at the start of a loop, or in one of its rounds."""

import os
import sys
from collections.abc import Iterator

import click

from untilgreen.cli import errors
from untilgreen.cli.story import history
from untilgreen.core.errors import UserError
from untilgreen.core.model.loop import Loop
from untilgreen.core.words import brief
from untilgreen.loops import back
from untilgreen.loops.back import Way

_SHOWN = 20  # files that are listed before the question


@click.command("rollback", epilog="Example: untilgreen rollback --to best --dry-run")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--session", default="", metavar="ID", help="The session, or the loop; else the newest loop.")
@click.option("--to", "word", default="start", metavar="N|start|best", show_default=True, help="What to go back to.")
@click.option("--dry-run", is_flag=True, help="List what would change, and change nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--project", default="", metavar="DIR", help="The project's folder.")
def command(paths: tuple[str, ...], session: str, word: str, dry_run: bool, yes: bool, project: str) -> int:
    """Put the files back as they were when a loop began.

    What the agent created goes, what it deleted comes back. Ignored files stay, and so do commits, branches and the
    index. "best" is the earliest round with the fewest things left. The files as they are now are kept first: the
    answer names the way back to them. With PATH only these files and folders change.
    """
    kept = history.find(project, session=session)
    inner = [back.relative(kept.place.root, path, os.getcwd()) for path in paths]
    if dry_run or not yes:
        way = back.look(kept.place, kept.loop, word, inner)
        errors.tell(*_about(kept.loop, way, len(way.differences) if dry_run else _SHOWN))
        if dry_run or not way.differences:
            return errors.OK
        _ask()
    way = back.go(kept.place, kept.loop, word, inner)
    errors.tell(*back.told(kept.loop, way))
    if way.failed:
        raise back.unfinished(way)
    return errors.OK


def _ask() -> None:
    """Raises UserError where nobody can answer, click.Abort where the answer is no."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UserError("nothing was changed: nobody can be asked here", "add --yes")
    click.confirm("Go back?", abort=True)


def _about(loop: Loop, way: Way, most: int) -> Iterator[str]:
    if not way.differences:
        yield back.nothing(loop, way)
        return
    yield f"back to {way.target} of {loop.loop_id}: {brief.clean(loop.task_description)}".removesuffix(": ")
    yield from (f"  {one.verb} {back.shown(one.path)}" for one in way.differences[:most])
    if len(way.differences) > most:
        yield f"  and {len(way.differences) - most} more (--dry-run lists all)"
    yield from back.alone(way)
