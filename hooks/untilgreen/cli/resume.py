"""`untilgreen resume`: how a loop goes on that its session does not work on, here or with another host."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import click

from untilgreen import hosts
from untilgreen.cli import errors, options, start
from untilgreen.cli.installing import targets
from untilgreen.cli.story import lookup
from untilgreen.cli.waiting import growing
from untilgreen.core.errors import UserError
from untilgreen.core.foreign import plain
from untilgreen.core.model.event import Place
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.outcome import Output
from untilgreen.core.record import NamedTuple
from untilgreen.core.words import memory
from untilgreen.loops.begin import listing, starting
from untilgreen.loops.rest import going_on, parking, standing
from untilgreen.loops.run import agent
from untilgreen.state import catalogue, clock, runs, store
from untilgreen.state.place import NEXT, STATE

_MARGIN = 1.0  # seconds after the moment that the host named
_STEP = 30.0  # seconds of one sleep: a machine that slept must not wait for longer than the clock says
_QUIET = (parking.ENDED, parking.CLEARED)


@click.command("resume", cls=options.BeforeArguments, epilog="Example: untilgreen resume --here")
@click.argument("loop", default="", shell_complete=lookup.names)
@options.session("The session whose loop goes on; with --here the one that gets it.", "ID|next")
@click.option("--here", is_flag=True, help="Give the loop, whose session is gone, to the session at work here.")
@click.option("--to", "host", default="", metavar="HOST", help="Give the running loop to another host, and start it.")
@click.option("--print", "headless", is_flag=True, help="With --to: start it headless, and print its last message.")
@click.option("--when-possible", is_flag=True, help="Wait until the model can be asked, and start the host again.")
@options.project
@options.as_json
def resume(loop: str, root: str, **how: Any) -> None:
    """Go on with a loop that is paused, parked or over.

    A loop that was blocked, got stuck, used up its limits or failed gets its limits once more. One that is complete or
    was cancelled stays so. LOOP is a name from `untilgreen status --all`.

    With --here it goes on in another session of this project, at its next prompt. With --to another host goes on with
    the task, the summary and the feedback; the session that had the loop is let go. With --when-possible its own host
    starts with that session, headless, and again whenever a limit parks the loop. What follows `--` goes to the host.
    """
    asked = _Resumption(loop, root, **how)
    if asked.args and not (asked.host or asked.when_possible):
        raise UserError("arguments for the host need --to or --when-possible", "add one of them")
    if asked.host and asked.as_json:
        raise UserError("--to starts a host, and tells nothing as JSON", "leave --json out")
    base = starting.base_of(root, os.environ)
    if asked.host:
        _hand_over(asked, base)
    elif asked.here:
        _adopt(asked, base)
    else:
        _resume(asked, base)


class _Resumption(NamedTuple):
    loop: str
    root: str
    session: str
    here: bool
    host: str
    headless: bool
    when_possible: bool
    as_json: bool
    args: Sequence[str]

    @property
    def its_session(self) -> str:
        """The session that is named, or that has the loop that is."""
        return lookup.find(self.root, self.loop).loop.session_id if self.loop else self.session


def _resume(asked: _Resumption, base: str) -> None:
    place = going_on.place_to_resume(base, asked.root, asked.its_session or hosts.session(os.environ))
    if runs.read(os.environ, place.session) is not None:
        raise UserError("that loop is a run's", f"untilgreen run --resume --session {place.session}")
    found = store.look_at(place.file(STATE)) if os.path.isdir(place.folder) else None
    start = _starts(place, found, asked.args) if asked.when_possible else ()
    if asked.when_possible and found is not None and found.active and found.rest.parked:
        before = after = found  # it goes on with the host's first prompt
    else:
        before, after = going_on.resume(place, os.environ)
    if asked.as_json:
        options.print_json({"resumed": [listing.as_json(after, base)]})
    else:
        errors.tell(going_on.describe_resumed(before, after), err=asked.when_possible)
    if asked.when_possible:
        raise SystemExit(_run(place, start, after, agent.permission(after.host or hosts.DEFAULT, asked.args)))


def _starts(place: Place, loop: Loop | None, host_args: Sequence[str]) -> tuple[str, ...]:
    facts = hosts.get(loop.host if loop and loop.host else hosts.DEFAULT).facts
    if not facts.resume:
        why = f"{facts.title} cannot be started with a session of its own"
        raise UserError(why, "go on with the session there, and leave --when-possible out")
    program = shutil.which(facts.program)
    if program is None:
        cure = f"install {facts.title}, or go on with the session there"
        raise UserError(f"{facts.program} is not on the PATH", cure)
    session = loop.session_id if loop else place.session
    return (program, *(word.format(session=session) for word in facts.resume), *host_args)


def _run(place: Place, start: tuple[str, ...], loop: Loop, hint: str) -> int:
    """Start the host (`hint`: for its user) when the model can be asked, again when that parks the loop; its code."""
    # between two tries where nobody says when
    pauses, until = growing(60.0, 1800.0), loop.rest.parked_until
    while True:
        _wait(place, until)
        folder = store.read_session(place).began_in
        folder = folder if os.path.isdir(folder) else place.root
        lines = (f"{' '.join(start)} (in {folder})", hint)
        errors.note(*filter(None, lines))
        code = subprocess.run(start, cwd=folder, check=False).returncode
        now = store.look_at(place.file(STATE))
        if now is None or not now.active or not now.rest.parked or now.rest.parked in _QUIET:
            return code if code >= 0 else 128 - code
        until = now.rest.parked_until or clock.iso(time.time() + next(pauses))
        errors.note(parking.why(now))


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


def _adopt(asked: _Resumption, base: str) -> None:
    session = asked.session or hosts.session(os.environ) or start.session_for(asked.root)
    loop = asked.loop or lookup.find(asked.root).loop.loop_id
    moved = going_on.adopt(base, asked.root, loop, session, os.environ)
    if asked.as_json:
        options.print_json(listing.as_json(moved, base))
        return
    where = "waits for the next session that prompts here" if session == NEXT else f"goes on in session {session}"
    round_ = f"round {moved.rounds.iteration} of {moved.settings.max_iterations}"
    errors.tell(f"untilgreen: {moved.loop_id} {where}, {round_}")


def _hand_over(asked: _Resumption, base: str) -> None:
    root, name = asked.root, asked.host
    if starting.whose(os.environ) == "agent":
        raise UserError("a host's session is around this shell", "type it in a terminal of your own")
    place = going_on.place_to_give(base, root, asked.its_session)
    loop = going_on.running_loop(place)
    if runs.read(os.environ, place.session) is not None:
        raise UserError("that loop is a run's", f"untilgreen run --resume --session {place.session}")
    headless = asked.headless or not (sys.stdin.isatty() and sys.stdout.isatty())
    words = _words(name, asked.args, root, headless=headless)
    going_on.refuse_host(loop, name)
    known, before = catalogue.words(loop.settings), _title(loop)
    first = known["handed_over"].format(round=loop.rounds.iteration, max=loop.settings.max_iterations, host=before)
    argv, stdin = agent.given(words, memory.prompt(agent.opening(place, loop, first)))
    waits = going_on.hand_over(place, name, os.environ)
    errors.tell(*_told(place, loop, waits), err=True)
    if not headless:  # be that program from now on
        os.chdir(root)
        sys.stdout.flush()
        os.execve(argv[0], argv, agent.outside(os.environ))  # noqa: S606 no shell is wanted
    if hint := agent.permission(name, asked.args):
        errors.note(hint)
    raise SystemExit(_answered(argv, stdin, base, waits))


def _words(name: str, host_args: Sequence[str], root: str, *, headless: bool) -> tuple[str, ...]:
    """What starts the host. Raises UserError where it is not there, or would not be held."""
    agent.refuse("--to", name)
    facts = hosts.get(name).facts
    program = agent.program(facts, root, os.environ)
    if name not in targets.serving((), root, os.environ):
        why = f"no hook of untilgreen is registered with {facts.title} here"
        raise UserError(why, f"run untilgreen init --host {name}")
    return (program, *(facts.run if headless else facts.begin), *host_args)


def _title(loop: Loop) -> str:
    return hosts.get(loop.host or hosts.DEFAULT).facts.title


def _told(place: Place, before: Loop, loop: Loop) -> list[str]:
    round_ = f"round {loop.rounds.iteration} of {loop.settings.max_iterations}"
    lines = [f"untilgreen: {loop.loop_id} goes to {_title(loop)}, {round_}"]
    session = store.read_session(place)
    if not listing.is_gone(session) and session.rested < session.turn:
        where = f"session {before.session_id} of {_title(before)}"
        lines.append(f"untilgreen: {where} may still be at work: end its turn there, or two agents edit one folder")
    return lines


def _answered(argv: Sequence[str], stdin: str, base: str, waits: Loop) -> int:
    """Start it headless, and print its last message; its exit code, 1 where it did not take the loop."""
    host, env = hosts.get(waits.host or hosts.DEFAULT), agent.outside(os.environ)
    done = subprocess.run(argv, input=stdin.encode(), stdout=subprocess.PIPE, cwd=waits.project, env=env, check=False)
    code = done.returncode if done.returncode >= 0 else 128 - done.returncode
    said = agent.read_answer(Output(code, done.stdout.decode("utf-8", "replace"), ""), host.closing)
    if said.text:
        click.echo(plain(said.text))
    kept = next((one for one in listing.everything(base, waits.project)[0] if one.loop.loop_id == waits.loop_id), None)
    if kept is None:
        return code or errors.NO
    errors.tell(*standing.lines([kept], catalogue.words(kept.loop.settings), time.time()), err=True)
    if kept.loop.status != "waiting":
        return code
    why = f"{host.facts.title} ended, and no hook of its session took the loop, which waits for the next one"
    raise UserError(why, host.facts.after_init or "run untilgreen doctor")
