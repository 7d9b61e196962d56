"""`untilgreen show --why`: why the last stop went as it did, by the newest of the traces that stops leave on disk."""

import os
import time
from collections.abc import Callable
from typing import Any

import orjson

from untilgreen.cli import errors, options
from untilgreen.core import foreign, secrets
from untilgreen.core.errors import UserError
from untilgreen.core.words import brief
from untilgreen.loops.begin import listing, starting
from untilgreen.loops.stop import trace
from untilgreen.project import files, tables
from untilgreen.state import call_marks, clock, under_way
from untilgreen.state.place import of

_EARLY = ("0", "1", "7")  # steps at which a stop may end before its payload is understood
_LONGEST = 4_096  # characters of a mark that are read
_LARGEST = 4_000_000  # bytes of a file that may be a trace


def page(root: str, session: str, *, as_json: bool) -> None:
    """Print why the last stop went as it did: the verdict, each step to it, each check. Raises UserError."""
    base = starting.base_of(root, os.environ)
    last, note = last_stop(base, root, session)
    if as_json:
        facts = {"project": root, "state_dir": base, "stop": _named(last) if last else None, "note": note}
        options.print_json(facts)
        return
    more = [f"untilgreen: {foreign.printable(note)}"] if note else []
    errors.tell(*(lines(last) if last else ()), *more)


def last_stop(base: str, root: str, session: str = "") -> tuple[dict[str, Any] | None, str]:
    """The newest stop's trace, and what is said beside it or in its place. Raises UserError for an unknown session."""
    stops, odd = _traces(base, root)
    at, line = _mark(base)
    step, whose, why = (*line.split(" ", 2), "", "", "")[:3]
    if step in _EARLY:
        stops.append(_early(int(step), whose, why, at, root))
    last = max((one for one in stops if session in ("", one["session"])), key=lambda one: str(one["at"]), default=None)
    places = [of(root, base, session)] if session else listing.sessions_of(base, root)
    if checking := next(filter(None, (under_way.told(place, time.time()) for place in places)), ""):
        return last, f"a stop is judged just now: {checking}"
    if last is None:
        return None, odd or _nothing(base, root, session, at)
    if at > str(last["at"]) and not line:
        again = f"stop-loop was called again at {at[:19]}Z: that stop is still judged, or could not be written down"
        return last, again
    return last, ""


def _traces(base: str, root: str) -> tuple[list[dict[str, Any]], str]:
    """The traces of this project's stops, and a note on a file that is none and was skipped."""
    found, odd = [], ""
    for folder in (base, *(place.folder for place in listing.sessions_of(base, root))):
        path = os.path.join(folder, trace.FILE)
        try:
            with open(path, "rb", opener=files.opened) as file:
                one = orjson.loads(file.read(_LARGEST))
            lines(one)  # anybody may have written it
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
        fix = (
            "see untilgreen status --all for the sessions that have a loop, or leave --session out for the newest stop"
        )
        raise UserError(f"no session {session} is known here", fix)
    if session:
        return f"no stop of session {session} is known here; untilgreen show --why shows the newest"
    if called_at:
        said = f"stop-loop was called at {called_at[:19]}Z, but could not write down what happened"
        return f"{said}; run untilgreen doctor"
    return "no stop is known: the host never called stop-loop here; run untilgreen doctor"


_TOLD = tables.read("why")
NAMES: dict[int | str, str] = {int(step) if step.isdigit() else step: name for step, name in _TOLD["steps"]}
_VERDICTS, _COUNTED = dict(_TOLD["verdicts"]), dict(_TOLD["counted"])


def _early(step: int, session: str, why: str, at: str, project: str) -> dict[str, Any]:
    """The trace of a stop that ended before its payload was understood, of which only this is known."""
    answers = {key: "no" if isinstance(key, int) and key < step else "not asked" for key in NAMES}
    answers |= {step: f"yes: {why}"} if step else {}
    steps = [{"step": key, "answer": answer, "ms": None} for key, answer in answers.items()]
    verdict = "allow" if step else "unjudged"
    decision = {"step": step, "verdict": verdict, "reason": why, "text": "", "steps": steps, "checks": []}
    return {"at": at, "session": session, "project": project, **decision}


def _named(trace: dict[str, Any]) -> dict[str, Any]:
    """The trace with the names of its steps, and the verdict in one sentence. What the agent said has no secrets."""
    trace = secrets.in_document(trace)
    steps = [{"name": NAMES.get(one["step"], ""), **one} for one in trace["steps"]]
    return trace | {"steps": steps, "sentence": sentence(trace)}


def sentence(trace: dict[str, Any]) -> str:
    verdict = _VERDICTS.get(trace["verdict"], trace["verdict"])
    step = f"step {trace['step']} ({NAMES.get(trace['step'], '')}): " if trace["step"] else ""
    return _one_line(f"{verdict}: {step}{trace['reason']}")


def lines(trace: dict[str, Any]) -> list[str]:
    """The verdict, which stop, the steps, the checks. Raises whatever a dict may raise that is no trace."""
    loop, message = trace.get("loop"), (trace.get("payload") or {}).get("message")
    kind = {"loop": "loop", "auto": "no loop, edits watched"}.get(loop["mode"], loop["mode"]) if loop else ""
    of = f", {kind}, round {loop['iteration']} of {loop['max_iterations']}" if loop else ""
    head = [f"stop of session {trace['session'] or 'unknown'} at {trace['at'][:19]}Z{of}"]
    head += [f'the agent said: "{message}"'] if message else []
    told = [sentence(trace), *([f"said: {trace['text']}"] if trace["text"] else []), "", *head, "", *_steps(trace)]
    told += _table("checks", trace["checks"], _check)
    told += ["", *trace["own_runs"]] if trace.get("own_runs") else []
    told += _table("completion hooks, in their order", trace.get("hooks", []), _hook)
    return [_one_line(line) for line in told]


def _steps(trace: dict[str, Any]) -> list[str]:
    table = [f"step  {'':<20}{'ms':>10}  answer"]
    for one in trace["steps"]:
        number = "" if one["step"] == "checks" else one["step"]
        answer = f"{len(trace['checks'])} asked" if one["answer"] == "asked" else one["answer"]
        table.append(f"{number:>4}  {NAMES.get(one['step'], ''):<20}{_number(one['ms']):>10}  {answer}")
    times = (("start_ms", "until the payload was read"), ("save_ms", "to save"), ("total_ms", "in all"))
    told = [f"{_number(trace[key])} ms {what}" for key, what in times if trace.get(key) is not None]
    return [*table, "", ", ".join(told)] if told else table


def _table(title: str, rows: list[dict[str, Any]], answer: Callable[[dict[str, Any]], str]) -> list[str]:
    """What ran, a line each, with its time and its answer; nothing where nothing did."""
    width = max((len(one["name"]) for one in rows), default=0)
    lines = [
        (f"  {one['priority']:>3}" if "priority" in one else "")
        + f"  {one['name']:<{width}}  {one['seconds']:8.2f} s  {answer(one)}"
        for one in rows
    ]
    return ["", title, *lines] if lines else []


def _check(check: dict[str, Any]) -> str:
    told = [brief.plural(check["counts"][key], name) for key, name in _COUNTED.items() if check["counts"].get(key)]
    told += [f"{brief.plural(check['tests']['run'], 'test')} ran"] if check["tests"] else []
    told += [check["reason"]] if check["reason"] else []
    outcome = f"{check['outcome']}: {', '.join(told)}" if told else check["outcome"]
    return ", ".join(filter(None, (f"{outcome}, in {check['root']}", check["tool"])))


def _hook(hook: dict[str, Any]) -> str:
    return f"{hook['answer']}: {hook['reason']}" if hook["reason"] else str(hook["answer"])


def _number(milliseconds: float | None) -> str:
    return "" if milliseconds is None else f"{milliseconds:.1f}"


def _one_line(text: str) -> str:
    return foreign.printable(foreign.one_line(secrets.safe(text)))
