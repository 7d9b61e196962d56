"""The traces of stops as they lie on disk (see `untilgreen.events.trace`).

Anybody may have written one, so its shape is looked at before it is told."""

from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from untilgreen.state import call_marks

LARGEST = 4_000_000  # bytes of a file that may be a trace
_Time = Annotated[float, Field(ge=0, le=1e12, allow_inf_nan=False)]
_Count = Annotated[int, Field(ge=0, le=10**12)]
_Number = Annotated[int, Field(ge=0, le=12)]


class _Loop(TypedDict):
    loop_id: str
    mode: str
    iteration: _Count
    max_iterations: _Count


class _Step(TypedDict):
    step: _Number | Literal["checks"]
    answer: str
    ms: _Time | None


class _Tests(TypedDict):
    run: _Count
    failed: _Count


class _Check(TypedDict):
    name: str
    outcome: str
    counts: dict[str, _Count]
    tests: _Tests | None
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


class _Trace(TypedDict):
    at: Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$")]
    pid: int
    session: str
    project: str
    loop: _Loop | None
    payload: _Payload
    step: _Number
    verdict: str
    reason: str
    text: str
    steps: list[_Step]
    start_ms: _Time | None
    save_ms: _Time | None
    total_ms: _Time | None
    checks: list[_Check]


_TRACE = TypeAdapter(_Trace)


def read(path: str) -> dict[str, Any] | None:
    """The trace in a file; None where there is no file. Raises ValueError where it is something else."""
    try:
        with open(path, "rb", opener=call_marks.at_once) as file:
            text = file.read(LARGEST)
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
