"""Calls of the real hooks in a copy of the state folder, which is removed afterwards."""

import json
import os
import shutil
import tempfile
import time
from collections.abc import Mapping, Sequence
from typing import Any

from untilgreen import hosts
from untilgreen.checks import processes
from untilgreen.cli.installing import command_forms
from untilgreen.cli.why import explain, explanation
from untilgreen.core.errors import UserError
from untilgreen.events import trace
from untilgreen.project import trust
from untilgreen.state import call_marks
from untilgreen.state.place import base_of, key_of

_NOT_COPIED = shutil.ignore_patterns(call_marks.FOLDER, call_marks.RECORDED, trace.FILE, "untilgreen.log*", "*.tmp")
_LONGEST = 3_600.0  # seconds for a hook, which has limits of its own
_GRACE = 10.0  # seconds for a hook to end its checks


def answers(
    names: Sequence[str], payload: bytes, session: str, root: str, env: Mapping[str, str]
) -> list[dict[str, Any]]:
    """What the executables say to a payload of this session in this project: {"executable", "exit_code", "stdout",
    "stderr", "stop": the trace of the stop that was judged, or None}. Raises UserError and processes.Interrupted."""
    base = base_of(root, env)
    try:
        with tempfile.TemporaryDirectory(prefix="untilgreen-") as folder:
            state, stdin = os.path.join(folder, "state"), os.path.join(folder, "payload")
            if os.path.isdir(base):
                shutil.copytree(base, state, symlinks=True, ignore=_NOT_COPIED)
                # a stop leaves no trace without its session's folder
                os.makedirs(os.path.join(state, "sessions", key_of(session)), exist_ok=True)
            if os.path.isdir(trust.folder(env)):
                shutil.copytree(trust.folder(env), os.path.join(folder, "untilgreen"))
            with open(stdin, "wb") as file:
                file.write(payload)
            told = hosts.variables(session if session.isascii() and session.isprintable() else "", root)
            kept = {key: value for key, value in env.items() if key not in hosts.variables("x", root)}
            found = [_answer(name, root, folder, kept | told | {"UNTILGREEN_STATE_DIR": state}) for name in names]
            there, here = (json.dumps(path)[1:-1] for path in (state, base))
            text = json.dumps(found).replace(there, here)
    except (OSError, shutil.Error) as error:
        raise UserError(
            f"the state in {base} cannot be copied: {error}", "make it readable, and make room for a copy in TMPDIR"
        ) from None
    parsed: list[dict[str, Any]] = json.loads(text)
    return parsed


def _answer(name: str, root: str, folder: str, env: dict[str, str]) -> dict[str, Any]:
    executable, arguments = command_forms.own(hosts.DEFAULT)(name)
    stdin = os.path.join(folder, "payload")
    job = processes.Job(name, (executable, *arguments, "--project", root), root, _LONGEST, stdin=stdin)
    # a loop that begins trusts its project: here only in the copy
    env |= {"XDG_STATE_HOME": folder} if name == "session-loop" else {}
    output = processes.run((job,), env, time.monotonic() + _LONGEST, grace=_GRACE)[name]
    if output.code is None:
        raise UserError(f"{name} {output.why}", "run untilgreen doctor")
    last = explain.last_stop(env["UNTILGREEN_STATE_DIR"], root)[0] if name == "stop-loop" else None
    facts = {"executable": name, "exit_code": output.code, "stdout": output.stdout, "stderr": output.stderr}
    return facts | {"stop": explanation.named(last) if last else None}
