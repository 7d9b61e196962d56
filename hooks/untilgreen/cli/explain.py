"""`untilgreen explain`: why the last stop went as it did."""

import os
from typing import Any

import click
import orjson

from untilgreen.cli.why import explained, traces
from untilgreen.core import brief
from untilgreen.core.errors import UserError
from untilgreen.events import trace
from untilgreen.loops import listing, starting
from untilgreen.state import call_marks, clock
from untilgreen.state.place import base_of, of

_EARLY = ("0", "1", "7")  # steps at which a stop may end before its payload is understood
_LONGEST = 4_096  # characters of a mark that are read


@click.command("explain")
@click.option("--session", default="", metavar="ID", help="The session whose last stop is meant; else the newest.")
@click.option("--project", default="", metavar="DIR", help="The project's folder.")
@click.option("--json", "as_json", is_flag=True, help="Answer in JSON.")
def command(session: str, project: str, as_json: bool) -> None:
    """Explain why the last stop went as it did: each step of the verdict with its answer and time, each check with its
    outcome, tool and duration."""
    root = starting.root_of(project, os.environ)
    base = base_of(root, os.environ)
    last, note = last_stop(base, root, session)
    if as_json:
        facts = {"project": root, "state_dir": base, "stop": explained.named(last) if last else None, "note": note}
        click.echo(orjson.dumps(facts, option=orjson.OPT_INDENT_2))
        return
    told = [f"untilgreen: {brief.printable(note)}"] if note else []
    click.echo("\n".join([*(explained.lines(last) if last else ()), *told]))


def last_stop(base: str, root: str, session: str = "") -> tuple[dict[str, Any] | None, str]:
    """The trace of the newest stop in this project (of this session), and what is to be said beside it, or in its
    place. Raises UserError for a session that nothing is known of."""
    written, odd = _traces(base, root)
    stops = [one for one in (*written, *_early(base, root)) if session in ("", one["session"])]
    last = max(stops, key=lambda one: str(one["at"]), default=None)
    at, line = _mark(base)
    if last is None:
        return None, odd or _nothing(base, root, session, at)
    if at > last["at"] and not line:
        return (
            last,
            f"stop-loop was called again at {at[:19]}Z: that stop is still judged, or could not be written down",
        )
    return last, ""


def _traces(base: str, root: str) -> tuple[list[dict[str, Any]], str]:
    """What the stops of this project wrote down, and which file is no trace: it is passed over, it is only advice."""
    found, odd = [], ""
    for folder in (base, *(place.folder for place in listing.sessions_of(base, root))):
        path = os.path.join(folder, trace.FILE)
        try:
            one = traces.read(path)
        except ValueError as error:
            odd = f"no stop is known: {path} is not what a stop writes ({error}); the next stop replaces it"
            continue
        if one and one["project"] == root:
            found.append(one)
    return found, odd


def _early(base: str, root: str) -> list[dict[str, Any]]:
    """The stop that ended before its payload was understood, if that was the last call."""
    at, line = _mark(base)
    step, _, rest = line.partition(" ")
    session, _, why = rest.partition(" ")
    return [explained.early(int(step), session, why, at, root)] if step in _EARLY else []


def _mark(base: str) -> tuple[str, str]:
    """When stop-loop was last called, and the line that it left; ("", "") when it never was."""
    path = os.path.join(base, call_marks.FOLDER, "stop-loop")
    try:
        with open(path, encoding="utf-8", errors="replace", opener=call_marks.at_once) as file:
            return clock.iso(os.stat(file.fileno()).st_mtime), file.readline(_LONGEST).strip()
    except OSError:
        return "", ""


def _nothing(base: str, root: str, session: str, called_at: str) -> str:
    """Why nothing is known, and what to do. Raises UserError for a session that nothing is known of."""
    if not os.path.isdir(base):
        return (
            f"no stop is known: {root} has no {os.path.basename(base)}/, so the hooks are silent; run untilgreen init"
        )
    if session and not os.path.isdir(of(root, base, session).folder):
        known = "untilgreen status names the sessions that have a loop"
        raise UserError(f"no session {session} is known here; {known}, explain without --session shows the newest stop")
    if session:
        return f"no stop of session {session} is known here; untilgreen explain without --session shows the newest"
    if called_at:
        return (
            f"stop-loop was called at {called_at[:19]}Z, but could not write down what happened; run untilgreen doctor"
        )
    return "no stop is known: the host never called stop-loop here; run untilgreen doctor"
