"""`untilgreen resume`: go on with a loop that rests or is over; and start its host when the model can be asked."""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from datetime import datetime

import click
import orjson

from untilgreen import hosts
from untilgreen.cli import errors
from untilgreen.core.errors import UserError
from untilgreen.core.model.event import Place
from untilgreen.core.model.loop import Loop
from untilgreen.loops.begin import listing, starting
from untilgreen.loops.rest import going_on, parking
from untilgreen.loops.run import agent
from untilgreen.state import clock, runs, store
from untilgreen.state.place import STATE

_FIRST, _LONGEST = 60.0, 1800.0  # seconds between two tries where nobody says when
_MARGIN = 1.0  # seconds after the moment that the host named
_STEP = 30.0  # seconds of one sleep: a machine that slept must not wait for longer than the clock says
_QUIET = (parking.ENDED, parking.CLEARED)


@click.command("resume", epilog="Example: untilgreen resume --when-possible -- --permission-mode acceptEdits")
@click.argument("host_args", nargs=-1, type=click.UNPROCESSED)
@click.option("--session", default="", metavar="ID", help="The session whose loop goes on; else the only one that can.")
@click.option("--when-possible", is_flag=True, help="Wait until the model can be asked, and start the host again.")
@click.option("--project", default="", metavar="DIR", help="The project's folder.")
@click.option("--json", "as_json", is_flag=True, help="Answer in JSON.")
def command(host_args: Sequence[str], session: str, when_possible: bool, project: str, as_json: bool) -> None:
    """Go on with a loop that rests, or open one again.

    A loop rests when its user paused it, or when its session ended or its model could not be asked (it is parked).
    One that was blocked, got stuck, used up its limits or failed gets its limits once more; one that is complete or was
    cancelled stays so. With --when-possible the host is started with that session, headless, and again whenever a
    limit parks the loop anew; HOST_ARGS, behind `--`, are given to it.
    """
    root = starting.root_of(project, os.environ)
    base = starting.base_of(root, os.environ)
    if host_args and not when_possible:
        raise UserError("arguments for the host need --when-possible", "add it")
    place = going_on.place_to_resume(base, root, session or hosts.session(os.environ))
    if runs.read(os.environ, place.session) is not None:
        raise UserError("that loop is a run's", f"untilgreen run --resume --session {place.session}")
    start = _command(place, host_args) if when_possible else ()
    found = store.look_at(place.file(STATE)) if os.path.isdir(place.folder) else None
    if when_possible and found is not None and found.active and found.rest.parked:
        before = after = found  # it goes on with the host's first prompt
    else:
        before, after = going_on.resume(place, os.environ)
    if as_json:
        click.echo(orjson.dumps({"resumed": [listing.as_json(after, base)]}, option=orjson.OPT_INDENT_2))
    else:
        errors.tell(going_on.describe_resumed(before, after), err=when_possible)
    if when_possible:
        raise SystemExit(_run(place, start, after, agent.permission(after.host or hosts.DEFAULT, host_args)))


def _command(place: Place, host_args: Sequence[str]) -> tuple[str, ...]:
    """What starts the host with this session. Raises UserError."""
    loop = store.look_at(place.file(STATE)) if os.path.isdir(place.folder) else None
    facts = hosts.get(loop.host if loop and loop.host else hosts.DEFAULT).facts
    if not facts.resume:
        why = f"{facts.title} cannot be started with a session of its own"
        raise UserError(why, "go on with the session there, and leave --when-possible out")
    program = shutil.which(facts.program)
    if program is None:
        raise UserError(
            f"{facts.program} is not on the PATH", f"install {facts.title}, or go on with the session there"
        )
    session = loop.session_id if loop else place.session
    return (program, *(word.format(session=session) for word in facts.resume), *host_args)


def _run(place: Place, start: tuple[str, ...], loop: Loop, hint: str) -> int:
    """Start the host when the model can be asked, and again when that parks the loop anew; its last exit code. `hint`:
    what its user should know of that."""
    pauses, until = _pauses(), loop.rest.parked_until
    while True:
        _wait(place, until)
        folder = store.read_session(place).began_in
        folder = folder if os.path.isdir(folder) else place.root
        errors.tell(
            f"untilgreen: {' '.join(start)} (in {folder})", *([f"untilgreen: {hint}"] if hint else []), err=True
        )
        code = subprocess.run(start, cwd=folder, check=False).returncode
        now = store.look_at(place.file(STATE))
        if now is None or not now.active or not now.rest.parked or now.rest.parked in _QUIET:
            return code if code >= 0 else 128 - code
        until = now.rest.parked_until or clock.iso(time.time() + next(pauses))
        errors.tell(f"untilgreen: {parking.why(now)}", err=True)


def _pauses() -> Iterator[float]:
    pause = _FIRST
    while True:
        yield pause
        pause = min(2 * pause, _LONGEST)


def _wait(place: Place, until: str) -> None:
    """Sleep until then; not at all where nothing is named. Raises UserError where the loop is over meanwhile."""
    end = datetime.fromisoformat(until).timestamp() + _MARGIN if until else 0.0
    if time.time() < end:
        errors.tell(f"untilgreen: waits until {clock.local(until)}", err=True)
    while (left := end - time.time()) > 0:
        time.sleep(min(left, _STEP))
        loop = store.look_at(place.file(STATE))
        if loop is None or not loop.active:
            raise UserError("the loop ended meanwhile", "untilgreen status")
