"""The traces of stops as they lie on disk (see `untilgreen.events.trace`), and which one is the newest.

Anybody may have written one, so its shape is looked at before it is told.
"""

import os
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from untilgreen.cli.why import explanation
from untilgreen.core.errors import UserError
from untilgreen.events import trace
from untilgreen.loops import listing
from untilgreen.state import call_marks, clock
from untilgreen.state.place import of

_EARLY = ("0", "1", "7")  # steps at which a stop may end before its payload is understood
_LONGEST = 4_096  # characters of a mark that are read
_LARGEST = 4_000_000  # bytes of a file that may be a trace
_Time = Annotated[float, Field(ge=0, le=1e12, allow_inf_nan=False)]
_Count = Annotated[int, Field(ge=0, le=10**12)]
_Number = Annotated[int, Field(ge=0, le=12)]


class _TracedLoop(TypedDict):
    loop_id: str
    mode: str
    iteration: _Count
    max_iterations: _Count


class _Step(TypedDict):
    step: _Number | Literal["checks"]
    answer: str
    ms: _Time | None


class _TracedTests(TypedDict):
    run: _Count
    failed: _Count


class _TracedCheck(TypedDict):
    name: str
    outcome: str
    counts: dict[str, _Count]
    tests: _TracedTests | None
    reason: str
    root: str
    tool: str
    seconds: _Time


class _Payload(TypedDict, total=False):
    prompt_id: str
    permission_mode: str
    agent_id: str
    stop_hook_active: bool
    message: str


class _TracedStop(TypedDict):
    at: Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$")]
    pid: int
    session: str
    project: str
    loop: _TracedLoop | None
    payload: _Payload
    step: _Number
    verdict: str
    reason: str
    text: str
    steps: list[_Step]
    start_ms: _Time | None
    save_ms: _Time | None
    total_ms: _Time | None
    checks: list[_TracedCheck]


_TRACE = TypeAdapter(_TracedStop)


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
    """The traces of this project's stops, and a note on each file that is none and was skipped."""
    found, odd = [], ""
    for folder in (base, *(place.folder for place in listing.sessions_of(base, root))):
        path = os.path.join(folder, trace.FILE)
        try:
            one = _read(path)
        except ValueError as error:
            odd = f"no stop is known: {path} is not what a stop writes ({error}); the next stop replaces it"
            continue
        if one and one["project"] == root:
            found.append(one)
    return found, odd


def _early(base: str, root: str) -> list[dict[str, Any]]:
    """The stop that ended before its payload was understood, if that was the last call."""
    at, line = _mark(base)
    step, session, why = (*line.split(" ", 2), "", "", "")[:3]
    return [explanation.early(int(step), session, why, at, root)] if step in _EARLY else []


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
        fix = "see untilgreen status for the sessions that have a loop, or explain the newest stop without --session"
        raise UserError(f"no session {session} is known here", fix)
    if session:
        return f"no stop of session {session} is known here; untilgreen explain without --session shows the newest"
    if called_at:
        return (
            f"stop-loop was called at {called_at[:19]}Z, but could not write down what happened; run untilgreen doctor"
        )
    return "no stop is known: the host never called stop-loop here; run untilgreen doctor"


def _read(path: str) -> dict[str, Any] | None:
    """The trace in a file; None where there is no file. Raises ValueError where it is something else."""
    try:
        with open(path, "rb", opener=call_marks.at_once) as file:
            text = file.read(_LARGEST)
    except (FileNotFoundError, IsADirectoryError):
        return None
    except OSError as error:
        raise ValueError(error.strerror or str(error)) from None
    try:
        return dict(_TRACE.validate_json(text, strict=True))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise ValueError(f"{where}: {first['msg']}" if where else first["msg"]) from None
