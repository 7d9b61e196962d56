"""`untilgreen explain`: why the last stop went as it did, by the newest of the traces that stops leave on disk."""

import os
import time
from typing import Any

import click
import orjson

from untilgreen.cli import errors
from untilgreen.cli.why import explanation
from untilgreen.core import foreign
from untilgreen.core.errors import UserError
from untilgreen.loops.begin import listing, starting
from untilgreen.loops.stop import trace
from untilgreen.project import files
from untilgreen.state import call_marks, clock, under_way
from untilgreen.state.place import of

_EARLY = ("0", "1", "7")  # steps at which a stop may end before its payload is understood
_LONGEST = 4_096  # characters of a mark that are read
_LARGEST = 4_000_000  # bytes of a file that may be a trace


@click.command("explain", epilog="Example: untilgreen explain --json")
@click.option("--session", default="", metavar="ID", help="The session whose last stop is meant; else the newest.")
@click.option("--project", default="", metavar="DIR", help="The project's folder.")
@click.option("--json", "as_json", is_flag=True, help="Answer in JSON.")
def command(session: str, project: str, as_json: bool) -> None:
    """Explain why the last stop went as it did.

    First comes the verdict, then each step to it with its answer and time, and each check with its outcome, tool and
    time.
    """
    root = starting.root_of(project, os.environ)
    base = starting.base_of(root, os.environ)
    last, note = last_stop(base, root, session)
    if as_json:
        facts = {"project": root, "state_dir": base, "stop": explanation.named(last) if last else None, "note": note}
        click.echo(orjson.dumps(facts, option=orjson.OPT_INDENT_2))
        return
    lines = [f"untilgreen: {foreign.printable(note)}"] if note else []
    errors.tell(*(explanation.lines(last) if last else ()), *lines)


def last_stop(base: str, root: str, session: str = "") -> tuple[dict[str, Any] | None, str]:
    """The trace of the newest stop in this project (of this session), and what is to be said beside it, or in its
    place. Raises UserError for a session that nothing is known of."""
    stops, odd = _traces(base, root)
    at, line = _mark(base)
    step, whose, why = (*line.split(" ", 2), "", "", "")[:3]
    if step in _EARLY:
        stops.append(explanation.early(int(step), whose, why, at, root))
    last = max((one for one in stops if session in ("", one["session"])), key=lambda one: str(one["at"]), default=None)
    if checking := _checking(base, root, session):
        return last, f"a stop is judged just now: {checking}"
    if last is None:
        return None, odd or _nothing(base, root, session, at)
    if at > str(last["at"]) and not line:
        again = f"stop-loop was called again at {at[:19]}Z: that stop is still judged, or could not be written down"
        return last, again
    return last, ""


def _checking(base: str, root: str, session: str) -> str:
    """How far the stop is that is judged now in this project (of this session), "" where none is."""
    places = [of(root, base, session)] if session else listing.sessions_of(base, root)
    return next(filter(None, (under_way.told(place, time.time()) for place in places)), "")


def _traces(base: str, root: str) -> tuple[list[dict[str, Any]], str]:
    """The traces of this project's stops, and a note on a file that is none and was skipped."""
    found, odd = [], ""
    for folder in (base, *(place.folder for place in listing.sessions_of(base, root))):
        path = os.path.join(folder, trace.FILE)
        try:
            with open(path, "rb", opener=files.opened) as file:
                one = orjson.loads(file.read(_LARGEST))
            explanation.lines(one)  # anybody may have written it
            ours = one["project"] == root
        except (FileNotFoundError, IsADirectoryError):
            continue
        except (OSError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            why = f"{type(error).__name__}: {error}"
            odd = f"no stop is known: {path} is not what a stop writes ({why}); the next stop replaces it"
            continue
        if ours:
            found.append(one)
    return found, odd


def _mark(base: str) -> tuple[str, str]:
    """When stop-loop was last called, and the line that it left; ("", "") when it never was."""
    path = os.path.join(base, call_marks.FOLDER, "stop-loop")
    try:
        with open(path, encoding="utf-8", errors="replace", opener=files.opened) as file:
            return clock.iso(os.stat(file.fileno()).st_mtime), file.readline(_LONGEST).strip()
    except OSError:
        return "", ""


def _nothing(base: str, root: str, session: str, called_at: str) -> str:
    """Why nothing is known, and what to do. Raises UserError for a session that nothing is known of."""
    if not os.path.isdir(base):
        folder = os.path.basename(base)
        return f"no stop is known: {root} has no {folder}/, so the hooks are silent; run untilgreen init"
    if session and not os.path.isdir(of(root, base, session).folder):
        fix = "see untilgreen status for the sessions that have a loop, or explain the newest stop without --session"
        raise UserError(f"no session {session} is known here", fix)
    if session:
        return f"no stop of session {session} is known here; untilgreen explain without --session shows the newest"
    if called_at:
        said = f"stop-loop was called at {called_at[:19]}Z, but could not write down what happened"
        return f"{said}; run untilgreen doctor"
    return "no stop is known: the host never called stop-loop here; run untilgreen doctor"
