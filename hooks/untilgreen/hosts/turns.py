"""What a transcript tells of each turn: who spoke, what was edited, how each command ended. Cold: `history` reads so.

Each host's `records` reads a line; here is what a stop need not know: how calls end, and who speaks as the user.
"""

import glob
import json
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

from untilgreen import hosts
from untilgreen.core.model.event import Act, ToolUse
from untilgreen.core.record import NamedTuple
from untilgreen.hosts import gemini_tools, records
from untilgreen.hosts.reading import END, objects_in, table_in, text_in
from untilgreen.project import tables

_TABLE = tables.read("transcripts")
_PLACES = {row[0]: row[1].split() for row in _TABLE["Places"]}
_CODES = {row[0]: re.compile(row[1]) for row in _TABLE["Codes"]}
_SPEAKERS = {kind: tuple(row[0] for row in _TABLE[kind]) for kind in ("held", "cut", "notice")}
_RUNS_ON = re.compile(r"(?m)^Process running with session ID (\d+)", re.ASCII)
_PATCHED = re.compile(r"(?m)^\*\*\* (?:Add|Update|Delete) File: (.+)$")
HOSTS = tuple(_PLACES)
# a call's id, whether it went well, what it printed, its exit code (None: none, or not yet), what it was if told there
_Ended = Iterator[tuple[str, bool, str, int | None, Act | None]]


class TurnStep(NamedTuple):
    """What happened. `kind`: "prompt", "held" (a stop hook made the turn go on), "cut" (its user interrupted it),
    "notice" (the host spoke), "said", "edited" or "ran"."""

    kind: str
    at: str
    text: str = ""  #: what was said, the file that was edited
    id: str = ""  #: of the answer, "" where the host tells none
    run: ToolUse | None = None
    aside: bool = False  #: by a sub-agent


def records_of(name: str) -> Any:
    """The module that reads a host's transcripts."""
    return __import__(f"untilgreen.hosts.{hosts.ADAPTERS[name][0]}.records", fromlist=["LOG"])


def transcripts(name: str, env: Mapping[str, str]) -> Iterator[str]:
    """The files that a host left of its sessions."""
    settings, moved = hosts.get(name).settings(), env.get("QWEN_RUNTIME_DIR", "") if name == "qwen" else ""
    folder = glob.escape(moved or (settings.home(env) if settings else ""))
    for pattern in _PLACES[name]:
        yield from sorted(glob.iglob(os.path.join(folder, pattern), recursive=True))


def place_in(entry: dict[str, Any], path: str) -> tuple[str, str, bool]:
    """The folder and the id of the session that a line tells, "" where it tells none; whether it is a sub-agent's, of
    which Codex has files beside the others."""
    data = table_in(entry, "payload") or table_in(entry, "data") or entry
    folder = text_in(data, "cwd") or text_in(table_in(data, "context"), "cwd")
    beside = os.path.join(path, "../../.project_root")
    if "projectHash" in entry and os.path.isfile(os.path.normpath(beside)):  # Gemini CLI names it there alone
        folder = records.tail(os.path.normpath(beside), 4096)[0].decode(errors="replace")
    name = text_in(data, "sessionId") or (text_in(data, "id") if entry.get("type") == "session_meta" else "")
    return folder, name, "subagent" in table_in(data, "source")


def steps(name: str, entry: dict[str, Any], calls: dict[str, Act]) -> Iterator[TurnStep]:
    """What a line of a host's transcript tells, in its order. `calls`: those of the session so far, by their ids."""
    at, line = text_in(entry, "timestamp"), records_of(name).LOG.reads(entry) or records.LogLine("")
    calls |= line.calls
    if line.by == "user":
        yield TurnStep(_speaker(entry, line.text or ""), at, aside=line.aside)
    elif line.by == "model" and (line.text or "").strip():
        yield TurnStep("said", at, line.text or "", line.id, aside=line.aside)
    for one, ok, output, code, told in _ENDS[name](entry, line, calls):
        act = told or calls.pop(one, Act(""))
        if act.command and code is None and (runs := _RUNS_ON.search(output)):
            calls[runs[1]] = act  # it is asked for its end later
        elif act.command:
            use = ToolUse("", code == 0, act.command, exit_code=code, output=output[-END:], open_end=code is None)
            yield TurnStep("ran", at, run=use, aside=line.aside)
        elif ok:
            yield from (TurnStep("edited", at, path, aside=line.aside) for path in act.edited.split("\n") if path)


def _speaker(entry: dict[str, Any], text: str) -> str:
    message = table_in(entry, "message")
    parts = objects_in(entry.get("content") or message.get("parts") or message.get("content"))
    said = (text or text_in(message, "content") or "\n".join(text_in(part, "text") for part in parts)).lstrip()
    own = "notice" if entry.get("isMeta") or entry.get("isCompactSummary") else "prompt"
    return next((kind for kind, begins in _SPEAKERS.items() if said.startswith(begins)), own)


def _code(name: str, output: str) -> int | None:
    found = _CODES[name].search(output)
    return int(next(filter(None, found.groups()))) if found else None


def _claude(entry: dict[str, Any], _line: records.LogLine, _calls: dict[str, Act]) -> _Ended:
    told, blocks = table_in(entry, "toolUseResult"), objects_in(table_in(entry, "message").get("content"))
    for one in (block for block in blocks if block.get("type") == "tool_result"):
        output = text_in(one, "content") or "\n".join(text_in(part, "text") for part in objects_in(one.get("content")))
        ok, runs = not one.get("is_error"), told.get("backgroundTaskId") or told.get("interrupted")
        yield text_in(one, "tool_use_id"), ok, output, None if runs else 0 if ok else _code("claude-code", output), None


def _codex(entry: dict[str, Any], line: records.LogLine, calls: dict[str, Act]) -> _Ended:
    payload = table_in(entry, "payload")
    item, kind = table_in(payload, "item"), text_in(payload, "type")
    name, told = text_in(payload, "call_id") or text_in(item, "id"), payload.get("output")
    for act in line.calls.values():  # an item that is over
        code = item.get("exit_code")
        calls.pop(name, None)
        yield name, True, text_in(item, "aggregated_output"), code if type(code) is int and code >= 0 else None, act
    if kind.endswith("_call"):  # all that older versions have
        given = next(records.objects([text_in(payload, "arguments")]), {})
        asked = given.get("cmd") or given.get("command") or table_in(payload, "action").get("command") or ""
        command = str(asked[-1] if asked and isinstance(asked, list) else asked)
        edited = "\n".join(_PATCHED.findall(text_in(payload, "input") or command))
        calls[name] = calls.get(str(given.get("session_id"))) or Act("", edited, "" if edited else command)
    elif kind.endswith("_call_output"):
        output = told if isinstance(told, str) else json.dumps(told)
        yield name, _code("codex", output) in (0, None), output, _code("codex", output), None


def _copilot(entry: dict[str, Any], _line: records.LogLine, _calls: dict[str, Act]) -> _Ended:
    data = table_in(entry, "data")
    output = text_in(table_in(data, "result"), "content")
    if entry.get("type") == "tool.execution_complete":
        yield text_in(data, "toolCallId"), data.get("success") is not False, output, _code("copilot", output), None


def _gemini(entry: dict[str, Any], _line: records.LogLine, _calls: dict[str, Act]) -> _Ended:
    done = table_in(entry, "toolCallResult")  # Qwen Code's, whose parts are the message's
    own = [{"id": done.get("callId"), "result": table_in(entry, "message").get("parts"), **done}] if done else []
    for one in own or objects_in(entry.get("toolCalls")):
        told = [table_in(table_in(part, "functionResponse"), "response") for part in objects_in(one.get("result"))]
        text = "\n".join(text_in(part, "output") or text_in(part, "error") for part in told)
        use = gemini_tools.of_shell(ToolUse(gemini_tools.SHELL), table_in(one, "args"), text)
        yield text_in(one, "id"), one.get("status") == "success", use.output, use.exit_code, None


_ENDS = {"claude-code": _claude, "codex": _codex, "copilot": _copilot, "gemini": _gemini, "qwen": _gemini}
