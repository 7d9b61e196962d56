"""`untilgreen handover`: go on with a running loop in another host, in the same round and within the same limits."""

import os
import subprocess
import sys
from collections.abc import Sequence
from typing import NoReturn

import click

from untilgreen import hosts
from untilgreen.cli import errors
from untilgreen.cli.installing import targets
from untilgreen.core.errors import UserError
from untilgreen.core.foreign import plain
from untilgreen.core.model.event import Place
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.outcome import Output
from untilgreen.core.words import memory
from untilgreen.hosts.facts import Facts
from untilgreen.loops.begin import listing, starting
from untilgreen.loops.rest import going_on
from untilgreen.loops.run import agent
from untilgreen.state import catalogue, runs, store


@click.command("handover", epilog="Example: untilgreen handover --to codex -- --sandbox workspace-write")
@click.argument("host_args", nargs=-1, type=click.UNPROCESSED)
@click.option("--to", "name", required=True, metavar="NAME", help="The host that goes on with it.")
@click.option("--session", default="", metavar="ID", help="The session whose loop it is; else the only one that runs.")
@click.option("--print", "headless", is_flag=True, help="Start it headless, and print its last message at the end.")
@click.option("--project", default="", metavar="DIR", help="The project's folder.")
def command(host_args: Sequence[str], name: str, session: str, headless: bool, project: str) -> None:
    """Give a running loop to another host, and start that.

    The loop goes on there in its round, with its limits, its start and its memory; what was used is used. The session
    that had it is not held any more, and its user is told why. The other host begins with the task, the summary and the
    feedback: at a terminal its own, else headless. HOST_ARGS, behind `--`, are given to it.
    """
    root = starting.root_of(project, os.environ)
    base = starting.base_of(root, os.environ)
    if starting.whose(os.environ) == "agent":
        raise UserError("a host's session is around this shell", "type it in a terminal of your own")
    place = going_on.place_to_give(base, root, session)
    loop = going_on.running_loop(place)
    if runs.read(os.environ, place.session) is not None:
        raise UserError("that loop is a run's", f"untilgreen run --resume --session {place.session}")
    headless = headless or not (sys.stdin.isatty() and sys.stdout.isatty())
    words = _words(name, host_args, root, headless=headless)
    going_on.refuse_host(loop, name)
    argv, stdin = agent.given(words, _prompt(place, loop))
    waits = going_on.hand_over(place, name, os.environ)
    errors.tell(*_told(place, loop, waits), err=True)
    if not headless:
        _become(argv, root)
    if hint := agent.permission(name, host_args):
        errors.tell(f"untilgreen: {hint}", err=True)
    raise SystemExit(_answered(argv, stdin, base, waits))


def _words(name: str, host_args: Sequence[str], root: str, *, headless: bool) -> tuple[str, ...]:
    """What starts the host. Raises UserError where it is not there, or would not be held."""
    agent.refuse("--to", name)
    facts = hosts.get(name).facts
    program = agent.program(facts, root, os.environ)
    if name not in targets.serving((), root, os.environ):
        raise UserError(
            f"no hook of untilgreen is registered with {facts.title} here", f"run untilgreen init --host {name}"
        )
    return (program, *(facts.run if headless else facts.begin), *host_args)


def _prompt(place: Place, loop: Loop) -> str:
    words, before = catalogue.words(loop.settings), _facts(loop).title
    most = loop.settings.max_iterations
    first = words["handed_over"].format(round=loop.rounds.iteration, max=most, host=before)
    return memory.prompt(agent.opening(place, loop, first))


def _facts(loop: Loop) -> Facts:
    return hosts.get(loop.host or hosts.DEFAULT).facts


def _told(place: Place, before: Loop, loop: Loop) -> list[str]:
    """What is said before the other host begins, a line each."""
    round_ = f"round {loop.rounds.iteration} of {loop.settings.max_iterations}"
    lines = [f"untilgreen: {loop.loop_id} goes to {_facts(loop).title}, {round_}"]
    session = store.read_session(place)
    if not listing.is_gone(session) and session.rested < session.turn:
        where = f"session {before.session_id} of {_facts(before).title}"
        lines.append(f"untilgreen: {where} may still be at work: end its turn there, or two agents edit one folder")
    return lines


def _become(argv: tuple[str, ...], root: str) -> NoReturn:
    """Be that program from now on, in the project's folder."""
    os.chdir(root)
    sys.stdout.flush()
    os.execve(argv[0], argv, agent.outside(os.environ))  # noqa: S606 no shell is wanted


def _answered(argv: Sequence[str], stdin: str, base: str, waits: Loop) -> int:
    """Start it headless, and print its last message; its exit code, 1 where it did not take the loop."""
    facts, env = _facts(waits), agent.outside(os.environ)
    done = subprocess.run(argv, input=stdin.encode(), stdout=subprocess.PIPE, cwd=waits.project, env=env, check=False)
    code = done.returncode if done.returncode >= 0 else 128 - done.returncode
    said = agent.read_answer(
        Output(code, done.stdout.decode("utf-8", "replace"), ""), hosts.get(waits.host or hosts.DEFAULT).closing
    )
    if said.text:
        click.echo(plain(said.text))
    kept = next((one for one in listing.everything(base, waits.project)[0] if one.loop.loop_id == waits.loop_id), None)
    if kept is None:
        return code or errors.USER_ERROR
    errors.tell(listing.line(kept.loop, catalogue.words(kept.loop.settings)), err=True)
    if kept.loop.status != "waiting":
        return code
    why = f"{facts.title} ended, and no hook of its session took the loop, which waits for the next one"
    raise UserError(why, facts.after_init or "run untilgreen doctor")
