"""Calls of the real hooks in a copy of the state folder, which is removed afterwards."""

import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import orjson

from untilgreen import hosts
from untilgreen.checks import processes
from untilgreen.checks.processes import Job
from untilgreen.cli.installing import command_forms
from untilgreen.cli.why import traces
from untilgreen.core.errors import UserError
from untilgreen.events import trace
from untilgreen.project import trust
from untilgreen.state import call_marks
from untilgreen.state.place import base_of, config_folder, key_of

_NOT_COPIED = shutil.ignore_patterns(call_marks.FOLDER, call_marks.RECORDED, trace.FILE, "untilgreen.log*", "*.tmp")
_LONGEST = 3_600.0  # seconds for a hook, which has limits of its own
_GRACE = 10.0  # seconds for a hook to end its checks


class Answer(NamedTuple):
    """What one executable said, and the trace of the stop that it judged, if it is one and left any."""

    name: str
    code: int
    stdout: str
    stderr: str
    trace: dict[str, Any] | None = None


class _Copy(NamedTuple):
    """The copied state folder `state` of `base`, the folder that stands for $XDG_STATE_HOME, the file with the payload,
    and the environment of a host in this project."""

    base: str
    state: str
    home: str
    payload: str
    env: dict[str, str]


def answers(names: Sequence[str], payload: bytes, session: str, root: str, env: Mapping[str, str]) -> list[Answer]:
    """What the executables say to a payload of this session in this project. Raises UserError and
    processes.Interrupted."""
    base = base_of(root, env)
    try:
        with _copied(base, root, session, env) as copy:
            with open(copy.payload, "wb") as file:
                file.write(payload)
            return [_answer(name, root, copy) for name in names]
    except (OSError, shutil.Error) as error:
        raise UserError(
            f"the state in {base} cannot be copied: {error}", "make it readable, and make room for a copy in TMPDIR"
        ) from None


@contextmanager
def _copied(base: str, root: str, session: str, env: Mapping[str, str]) -> Iterator[_Copy]:
    own = os.path.join(config_folder(root, env), "config.json")
    with tempfile.TemporaryDirectory(prefix="untilgreen-") as folder:
        state, home, payload = (os.path.join(folder, name) for name in ("state", "home", "payload"))
        if os.path.isdir(base):
            shutil.copytree(base, state, symlinks=True, ignore=_NOT_COPIED)
            # a stop leaves no trace without its session's folder
            os.makedirs(os.path.join(state, "sessions", key_of(session)), exist_ok=True)
            if os.path.isfile(own):
                shutil.copy2(own, os.path.join(state, "config.json"))
        if os.path.isdir(trust.folder(env)):
            shutil.copytree(trust.folder(env), os.path.join(home, "untilgreen"))
        told = hosts.variables(session if session.isascii() and session.isprintable() else "", root)
        kept = {key: value for key, value in env.items() if key not in hosts.variables("x", root)}
        yield _Copy(base, state, home, payload, kept | told | {"UNTILGREEN_STATE_DIR": state})


def _answer(name: str, root: str, copy: _Copy) -> Answer:
    executable, arguments = command_forms.own(hosts.DEFAULT)(name)
    job = Job(name, (executable, *arguments, "--project", root), root, _LONGEST, stdin=copy.payload)
    # a loop that begins trusts its project: here only in the copy
    env = copy.env | ({"XDG_STATE_HOME": copy.home} if name == "session-loop" else {})
    output = processes.run((job,), env, time.monotonic() + _LONGEST, grace=_GRACE)[name]
    if output.code is None:
        raise UserError(f"{name} {output.why}", "run untilgreen doctor")
    last = traces.last_stop(copy.state, root)[0] if name == "stop-loop" else None
    if last:
        last = orjson.loads(orjson.dumps(last).decode().replace(copy.state, copy.base))
    out, err = (stream.replace(copy.state, copy.base) for stream in (output.stdout, output.stderr))
    return Answer(name, output.code, out, err, last)
