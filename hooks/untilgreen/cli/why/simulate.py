"""`untilgreen simulate`: what the hooks would answer to a payload, as things are now."""

import json
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import orjson

from untilgreen import hosts
from untilgreen.checks.run import processes
from untilgreen.cli.installing import command_forms
from untilgreen.cli.why import explain, explanation
from untilgreen.core import foreign
from untilgreen.core.errors import UserError, unread
from untilgreen.core.shape import PROJECT
from untilgreen.loops.begin import starting
from untilgreen.loops.stop import trace
from untilgreen.project import trust
from untilgreen.project.toplevel import within
from untilgreen.state import call_marks, recording
from untilgreen.state.place import key_of

# our name of an event -> the executables that hear it
_HEARD = {
    "stop": ("stop-loop",),
    "edit": ("post-tool-lint", "post-tool-lsp", "post-tool-ast-grep"),
    "tool": ("post-tool-bash",),
    "task": ("stop-loop",),
    "idle": ("stop-loop",),
    "prompt": ("session-loop",),
    "session-start": ("session-loop",),
    "session-end": ("session-loop",),
}
# a file from anywhere must not say what is trusted or loaded: of its variables only those that hosts are known by are
# taken, and neither the session nor the project
_NOT_TAKEN = frozenset(variable for row in hosts.ADAPTERS.values() for variable in row[1:3])
_NOT_COPIED = shutil.ignore_patterns(call_marks.FOLDER, call_marks.RECORDED, trace.FILE, "untilgreen.log*", "*.tmp")
_LONGEST = 3_600.0  # seconds for a hook, which has limits of its own
_GRACE = 10.0  # seconds for a hook to end its checks


@click.command("simulate", epilog="Example: untilgreen simulate payload.json")
@click.argument("payload", metavar="PAYLOAD")
@click.option("--session", default="", metavar="ID", help="The session that calls, instead of the payload's.")
@click.option("--project", default="", metavar="DIR", help="The project's folder.")
@click.option("--json", "as_json", is_flag=True, help="Answer in JSON.")
def command(payload: str, session: str, project: str, as_json: bool) -> None:
    """Show what the hooks would answer to a payload now.

    It also says why. Nothing is stored, but the checks really run. PAYLOAD is a file (- for standard input) with what
    a host sends to a hook, or one that `untilgreen record` kept. Paths in the folder that it comes from become those
    of this project; of its environment only the variables count by which a host is known.
    """
    root = starting.root_of(project, os.environ)
    raw, told, options = _read(payload)
    raw = _placed(raw, root, session)
    fields, env = _object(raw), {**os.environ, **told}
    heard = _HEARD.get(hosts.detect(fields, env, options.get("host", "")).read(fields, env, "stop").name, ())
    called = fields.get("session_id")
    answers = _answers(heard, raw, called if isinstance(called, str) else "", root, env, options)
    name = fields.get("hook_event_name", "Stop")
    if as_json:
        facts = {"project": root, "event": name, "answers": answers}
        click.echo(orjson.dumps(facts, option=orjson.OPT_INDENT_2))
        return
    lines = [line for one in answers for line in _lines(one)]
    click.echo("\n".join(lines) or f"untilgreen: no hook of untilgreen hears {foreign.printable(str(name))}")


def _read(path: str) -> tuple[bytes, dict[str, str], dict[str, str]]:
    """The payload in a file, or in what was recorded of a call (`{"options", "env", "stdin"}`); the host's variables
    and the hook's options there. Raises UserError."""
    try:
        raw = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as error:
        raise unread(error, path) from None
    document = _object(raw)
    if not isinstance(document.get("stdin"), str):
        return raw, {}, {}
    given = document.get("env")
    known = {name: given.get(name) for name in recording.variables()} if isinstance(given, dict) else {}
    taken = {name: value for name, value in known.items() if isinstance(value, str) and value.isprintable()}
    env = {name: value for name, value in taken.items() if name not in _NOT_TAKEN}
    return document["stdin"].encode("utf-8", "surrogatepass"), env, recording.told(document.get("options"))


def _object(raw: bytes) -> dict[str, Any]:
    """The object in this JSON; an empty one where it holds none: the hook reports that."""
    try:
        document = json.loads(raw)
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def _placed(raw: bytes, root: str, session: str) -> bytes:
    """The payload as if it came from this project and session, written as the host writes it."""
    fields = _object(raw)
    if not fields:
        return raw
    text, cwd = _json(fields | ({"session_id": session} if session else {})), fields.get("cwd")
    if isinstance(cwd, str) and "\0" not in cwd and os.path.isabs(cwd) and cwd.strip("/") and not within(root, cwd):
        folder = PROJECT if within(PROJECT, cwd) else cwd.rstrip("/")
        there, here = (_json(path)[1:-1] for path in (folder, root))
        text = re.sub(re.escape(there) + r"(?![\w.-])", lambda _: here, text)
    return text.encode("utf-8", "surrogatepass")


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _answers(
    names: Sequence[str], payload: bytes, session: str, root: str, env: Mapping[str, str], options: Mapping[str, str]
) -> list[dict[str, Any]]:
    """What the executables say to a payload of this session in this project: {"executable", "exit_code", "stdout",
    "stderr", "stop": the trace of the stop that was judged, or None}. Raises UserError and processes.Interrupted."""
    base = starting.base_of(root, env)
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
            found = [
                _answer(name, root, folder, kept | told | {"UNTILGREEN_STATE_DIR": state}, options) for name in names
            ]
            there, here = (json.dumps(path)[1:-1] for path in (state, base))
            text = json.dumps(found).replace(there, here)
    except (OSError, shutil.Error) as error:
        raise UserError(
            f"the state in {base} cannot be copied: {error}", "make it readable, and make room for a copy in TMPDIR"
        ) from None
    parsed: list[dict[str, Any]] = json.loads(text)
    return parsed


def _answer(name: str, root: str, folder: str, env: dict[str, str], options: Mapping[str, str]) -> dict[str, Any]:
    given = {"host": hosts.DEFAULT, **options, "project": root}
    call = command_forms.isolated(sys.executable, os.path.dirname(command_forms.PACKAGE), given.pop("host"))
    executable, arguments = call(name)
    switches = [word for option, value in given.items() for word in (f"--{option}", value)]
    stdin = os.path.join(folder, "payload")
    job = processes.Job(name, (executable, *arguments, *switches), root, _LONGEST, stdin=stdin)
    # a loop that begins trusts its project, and its seal tells what was said: here only in the copy
    env |= {"XDG_STATE_HOME": folder} if name in ("session-loop", "stop-loop") else {}
    output = processes.run((job,), env, time.monotonic() + _LONGEST, grace=_GRACE)[name]
    if output.code is None:
        raise UserError(f"{name} {output.why}", "run untilgreen doctor")
    last = explain.last_stop(env["UNTILGREEN_STATE_DIR"], root)[0] if name == "stop-loop" else None
    facts = {"executable": name, "exit_code": output.code, "stdout": output.stdout, "stderr": output.stderr}
    return facts | {"stop": explanation.named(last) if last else None}


def _lines(one: dict[str, Any]) -> list[str]:
    """The explanation, then the answer: exit code and both streams as they are."""
    lines = [*explanation.lines(one["stop"]), ""] if one["stop"] else []
    silent = "" if one["stdout"] or one["stderr"] else ", and nothing"
    lines.append(f"{one['executable']} would answer: exit code {one['exit_code']}{silent}")
    for name in ("stdout", "stderr"):
        told = [f"  {foreign.printable(line)}" for line in one[name].rstrip("\n").split("\n")]
        lines += [f"{name}:", *told] if one[name] else []
    return lines
