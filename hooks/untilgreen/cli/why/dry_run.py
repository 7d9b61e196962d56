"""Calls of the real hooks in a copy of the state folder, which nobody finds again."""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, NoReturn

import orjson

from untilgreen.cli import explain
from untilgreen.cli.installing import forms
from untilgreen.core.errors import UserError
from untilgreen.events import trace
from untilgreen.project import trust
from untilgreen.state import call_marks
from untilgreen.state.place import base_of, config_folder, key_of

_NOT_COPIED = shutil.ignore_patterns(call_marks.FOLDER, call_marks.RECORDED, trace.FILE, "untilgreen.log*", "*.tmp")

_ENDING = (signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else []))
_PATIENCE = 10.0  # seconds for a hook to end its checks


class Answered(NamedTuple):
    """What one executable said, and the trace of the stop that it judged, if it is one and left any."""

    name: str
    code: int
    stdout: str
    stderr: str
    trace: dict[str, Any] | None = None


class _Copy(NamedTuple):
    """The copied state folder `state` of `base`, the folder that stands for $XDG_STATE_HOME, and the environment of a
    host in this project."""

    base: str
    state: str
    home: str
    env: dict[str, str]


def answers(names: Sequence[str], payload: bytes, session: str, root: str, env: Mapping[str, str]) -> list[Answered]:
    """What the executables say to a payload of this session in this project. Raises UserError."""
    base = base_of(root, env)
    try:
        with _interruptible(), _copied(base, root, session, env) as copy:
            return [_answer(name, payload, root, copy) for name in names]
    except (OSError, shutil.Error) as error:
        raise UserError(f"the state in {base} cannot be copied: {error}") from None


@contextmanager
def _interruptible() -> Iterator[None]:
    """A signal that ends the process lets it clean up first."""
    before = {number: signal.getsignal(number) for number in _ENDING}
    for number, action in before.items():
        if action is signal.SIG_DFL:
            signal.signal(number, _end)
    try:
        yield
    finally:
        for number, action in before.items():
            signal.signal(number, action)


def _end(number: int, _frame: object) -> NoReturn:
    for other in _ENDING:
        signal.signal(other, signal.SIG_IGN)  # the second one would come into the cleaning up
    raise SystemExit(128 + number)


def _run(words: Sequence[str], payload: bytes, root: str, env: Mapping[str, str]) -> tuple[int, bytes, bytes]:
    """The exit code and both streams. When we are to end, so is the process, with the checks that it began."""
    pipe = subprocess.PIPE
    with subprocess.Popen(words, env=env, cwd=root, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        try:
            out, err = process.communicate(payload)
        except BaseException:
            process.terminate()
            try:
                process.wait(_PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
            raise
        return process.returncode, out, err


@contextmanager
def _copied(base: str, root: str, session: str, env: Mapping[str, str]) -> Iterator[_Copy]:
    own = os.path.join(config_folder(root, env), "config.json")
    with tempfile.TemporaryDirectory(prefix="untilgreen-") as folder:
        state, home = os.path.join(folder, "state"), os.path.join(folder, "home")
        if os.path.isdir(base):
            shutil.copytree(base, state, symlinks=True, ignore=_NOT_COPIED)
            # where nothing is kept of a session, its stop leaves no trace
            os.makedirs(os.path.join(state, "sessions", key_of(session)), exist_ok=True)
            if os.path.isfile(own):
                shutil.copy2(own, os.path.join(state, "config.json"))
        if os.path.isdir(trust.folder(env)):
            shutil.copytree(trust.folder(env), os.path.join(home, "untilgreen"))
        kept = {key: value for key, value in env.items() if key != "CLAUDE_CODE_SESSION_ID"}
        if session.isascii() and session.isprintable() and session:
            kept["CLAUDE_CODE_SESSION_ID"] = session
        yield _Copy(base, state, home, kept | {"CLAUDE_PROJECT_DIR": root, "UNTILGREEN_STATE_DIR": state})


def _answer(name: str, payload: bytes, root: str, copy: _Copy) -> Answered:
    executable, arguments = forms.own()(name)
    words = [executable, *arguments, "--project", root]
    # a loop that begins makes its project a trusted one: not really, here
    env = copy.env | ({"XDG_STATE_HOME": copy.home} if name == "session-loop" else {})
    code, *streams = _run(words, payload, root, env)
    out, err = (stream.decode("utf-8", "replace").replace(copy.state, copy.base) for stream in streams)
    last = explain.last_stop(copy.state, root)[0] if name == "stop-loop" else None
    if last:
        last = orjson.loads(orjson.dumps(last).decode().replace(copy.state, copy.base))
    return Answered(name, code, out, err, last)
