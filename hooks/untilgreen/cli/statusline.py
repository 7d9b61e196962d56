"""`untilgreen statusline`; and our line in the host's settings, before one that was there: put in, and taken out.

The value is `{"type": "command", "command": LINE, ...}`; a shell runs LINE (Claude Code 2.1.330).
"""

import json
import os
import shlex
from typing import Any

import click

from untilgreen import statusline

THEN = "--then"  # the command that was there: its output comes after our line
INSTEAD_OF = "--instead-of"  # a value without a command that could run: kept as JSON, for the way back
INHERITED = "--inherited"  # after THEN: the command stands in settings that count less, and is shown there again
_MODULE = "statusline.py"
_PACKAGE = "untilgreen"
_SECONDS = 5  # between two looks at a loop's clock, where the line is ours alone


@click.command("statusline")
@click.option(THEN, "then", default="", metavar="COMMAND", help="A status line of your own, shown below ours.")
@click.option(INSTEAD_OF, "instead_of", hidden=True)
@click.option(INHERITED, "inherited", is_flag=True, hidden=True)
def command(then: str, instead_of: str | None, inherited: bool) -> None:
    """Print the session's loop in one line, for Claude Code's statusLine setting.

    It reads the host's JSON from stdin, and prints nothing where no loop runs.
    """
    del instead_of, inherited
    statusline.answer(then)


def setting(existing: Any, command: str, directory: str, inherited: Any = None) -> dict[str, Any]:
    """The value of `statusLine` that shows our line, and after it what `existing` (the value so far, None: none) shows,
    or `inherited`, the one of settings that count less, which ours would hide.

    `command` is the interpreter's path, `directory` the folder of the package's modules. An earlier line of ours in
    `existing` is replaced; its other keys (padding, ...) stay. On its own it is called every five seconds, too.
    """
    before = without(existing)
    words = [command, "-I", os.path.join(directory, _MODULE)]
    below = without(inherited)
    if before is None and below is not None and _runs(below):
        return {**below, "command": shlex.join([*words, THEN, below["command"], INHERITED])}
    if before is None:
        return {**(existing or {"type": "command", "refreshInterval": _SECONDS}), "command": shlex.join(words)}
    if _runs(before):
        return {**before, "command": shlex.join([*words, THEN, before["command"]])}
    return {"type": "command", "command": shlex.join([*words, INSTEAD_OF, json.dumps(before)])}


def without(current: Any) -> Any | None:
    """What `statusLine` was before `setting`, None where it was not there. A value that is not ours stays as it is."""
    if not is_ours(current):
        return current
    kind, kept = _kept(current["command"]) or ("", "")
    if kind == THEN:
        return {**current, "command": kept}
    return json.loads(kept) if kind == INSTEAD_OF else None


def is_ours(current: Any) -> bool:
    """Whether this value of `statusLine` runs our status line."""
    return _runs(current) and _kept(current["command"]) is not None


def _runs(value: Any) -> bool:
    return isinstance(value, dict) and value.get("type") == "command" and isinstance(value.get("command"), str)


def _kept(line: str) -> tuple[str, str] | None:
    """(THEN or INSTEAD_OF, its value) of a line of ours, ("", "") where it replaced nothing here, None of another's."""
    try:
        words = shlex.split(line)
    except ValueError:  # an open quote
        return None
    typed = [os.path.basename(word) for word in words[:2]] == [_PACKAGE, "statusline"]
    file = words[2] if len(words) > 2 and words[1] == "-I" else ""
    if not typed and file.split(os.sep)[-2:] != [_PACKAGE, _MODULE]:
        return None
    rest = words[2 if typed else 3 :]
    if not rest or (len(rest) == 3 and (rest[0], rest[2]) == (THEN, INHERITED)):
        return "", ""
    if len(rest) != 2 or rest[0] not in (THEN, INSTEAD_OF):
        return None
    return (rest[0], rest[1]) if rest[0] == THEN or _is_json(rest[1]) else None


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
