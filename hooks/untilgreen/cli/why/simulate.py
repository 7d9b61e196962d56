"""`untilgreen simulate`: what the hooks would answer to a payload, as things are now."""

import json
import os
import re
import sys
from pathlib import Path
from typing import Any, NamedTuple

import click
import orjson

from untilgreen import hosts
from untilgreen.cli.why import dry_run, explanation
from untilgreen.core import brief
from untilgreen.core.errors import unread
from untilgreen.core.shape import PROJECT
from untilgreen.loops import starting
from untilgreen.project.toplevel import within
from untilgreen.state import recording

# our name of an event -> the executables that hear it
_HEARD = {
    "stop": ("stop-loop",),
    "edit": ("post-tool-lint", "post-tool-lsp", "post-tool-ast-grep"),
    "prompt": ("session-loop",),
    "session-start": ("session-loop",),
    "session-end": ("session-loop",),
}
# a file from anywhere must not say what is trusted or loaded: of its variables only those that hosts are known by are
# taken, and neither the session nor the project
_NOT_TAKEN = frozenset(variable for row in hosts.ADAPTERS.values() for variable in row[1:3])


class _HostCall(NamedTuple):
    """What a host sends: the payload's bytes, what they hold where that is an object, and its own variables."""

    raw: bytes
    fields: dict[str, Any]
    env: dict[str, str]


@click.command("simulate")
@click.argument("payload", metavar="PAYLOAD")
@click.option("--session", default="", metavar="ID", help="The session that calls, instead of the payload's.")
@click.option("--project", default="", metavar="DIR", help="The project's folder.")
@click.option("--json", "as_json", is_flag=True, help="Answer in JSON.")
def command(payload: str, session: str, project: str, as_json: bool) -> None:
    """Show what the hooks would answer to PAYLOAD as things are now, and why. Nothing is stored; the checks really run.

    PAYLOAD is a file (- for standard input) with what a host sends to a hook, or one that `untilgreen record` kept.
    Paths in the folder that it comes from are taken for those of this project; of its environment only the variables
    by which a host is known are taken.
    """
    root = starting.root_of(project, os.environ)
    given = _placed(_read(payload), root, session)
    env = {**os.environ, **given.env}
    event = hosts.detect(given.fields, env).read(given.fields, env, "stop")
    called = given.fields.get("session_id")
    names = _HEARD.get(event.name, ())
    answers = dry_run.answers(names, given.raw, called if isinstance(called, str) else "", root, env)
    name = given.fields.get("hook_event_name", "Stop")
    if as_json:
        facts = {"project": root, "event": name, "answers": answers}
        click.echo(orjson.dumps(facts, option=orjson.OPT_INDENT_2))
        return
    lines = [line for one in answers for line in _lines(one)]
    click.echo("\n".join(lines) or f"untilgreen: no hook of untilgreen hears {brief.printable(str(name))}")


def _read(path: str) -> _HostCall:
    """The payload in a file, or in what was recorded of a call: `{"env", "stdin"}`. Raises UserError."""
    try:
        raw = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as error:
        raise unread(error, path) from None
    document = _object(raw)
    if not isinstance(document.get("stdin"), str):
        return _HostCall(raw, document, {})
    named = document.get("env")
    known = {name: named.get(name) for name in recording.variables()} if isinstance(named, dict) else {}
    env = {
        name: value
        for name, value in known.items()
        if isinstance(value, str) and value.isprintable() and name not in _NOT_TAKEN
    }
    raw = document["stdin"].encode("utf-8", "surrogatepass")
    return _HostCall(raw, _object(raw), env)


def _object(raw: bytes | str) -> dict[str, Any]:
    """The object in this JSON; an empty one where it holds none: the hook reports that."""
    try:
        document = json.loads(raw)
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def _placed(payload: _HostCall, root: str, session: str) -> _HostCall:
    """The payload as if it came from this project and session, written as the host writes it."""
    if not payload.fields:
        return payload
    text, cwd = _json(payload.fields | ({"session_id": session} if session else {})), payload.fields.get("cwd")
    if isinstance(cwd, str) and "\0" not in cwd and os.path.isabs(cwd) and cwd.strip("/") and not within(root, cwd):
        folder = PROJECT if within(PROJECT, cwd) else cwd.rstrip("/")
        there, here = (_json(path)[1:-1] for path in (folder, root))
        text = re.sub(re.escape(there) + r"(?![\w.-])", lambda _: here, text)
    return _HostCall(text.encode("utf-8", "surrogatepass"), _object(text), payload.env)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _lines(one: dict[str, Any]) -> list[str]:
    """The explanation, then the answer: exit code and both streams as they are."""
    lines = [*explanation.lines(one["stop"]), ""] if one["stop"] else []
    silent = "" if one["stdout"] or one["stderr"] else ", and nothing"
    lines.append(f"{one['executable']} would answer: exit code {one['exit_code']}{silent}")
    for name in ("stdout", "stderr"):
        told = [f"  {brief.printable(line)}" for line in one[name].rstrip("\n").split("\n")]
        lines += [f"{name}:", *told] if one[name] else []
    return lines
