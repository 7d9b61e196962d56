"""Registering the hooks with Claude Code: settings.local.json merged, slash commands written.

Exec form, absolute paths: the interpreter that runs this, `-I`, the module's file. A shell, a shim or a console
stub in between costs more than the hook itself. What others registered stays as it is.
"""

import json
import os
import re
import shutil
import stat
import sys
from typing import Any

from untilgreen import catalogue, store
from untilgreen.cli import scopes
from untilgreen.cli.errors import UserError

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_EDITS = "Edit|Write|MultiEdit|NotebookEdit"
# host event, its matcher, executables, seconds, what the host shows while they run
_HOOKS = (
    ("Stop", "", ("stop-loop",), 600, "untilgreen: running the project's checks"),
    ("PostToolUse", _EDITS, ("post-tool-lint", "post-tool-lsp", "post-tool-ast-grep"), 30, ""),
    ("UserPromptSubmit", "", ("session-loop",), 30, ""),
    ("SessionStart", "", ("session-loop",), 10, ""),
    ("SessionEnd", "", ("session-loop",), 10, ""),
)


def entries(command: str, directory: str) -> dict[str, list[dict[str, Any]]]:
    """The `hooks` table of a settings file, for an interpreter and the folder of the package's modules."""
    table: dict[str, list[dict[str, Any]]] = {}
    for event, matcher, names, seconds, message in _HOOKS:
        hooks: list[dict[str, Any]] = []
        for name in names:
            words = ["-I", f"{directory}/{name.replace('-', '_')}.py", "--host", "claude-code"]
            hook: dict[str, Any] = {"type": "command", "command": command, "args": words, "timeout": seconds}
            hooks.append(hook | ({"statusMessage": message} if message else {}))
        table[event] = [({"matcher": matcher} if matcher else {}) | {"hooks": hooks}]
    return table


def install(root: str, stamp: str) -> list[str]:
    """Merge the registration into `.claude/settings.local.json` and write the commands; what was done, a line each.

    Raises UserError where the settings cannot be understood, OSError where they cannot be written.
    """
    path = os.path.join(root, ".claude", "settings.local.json")
    done = []
    text = _read(path)
    wanted = entries(sys.executable, _PACKAGE)
    merged = merge(text, wanted, path)
    if merged != text:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if text:
            shutil.copy2(path, f"{path}.{stamp}.bak")
            done.append(f"kept a copy: {os.path.relpath(path, root)}.{stamp}.bak")
        _write(path, merged)
    done.append(f"registered in {os.path.relpath(path, root)}: {', '.join(wanted)}")
    return done + _commands(root)


def merge(text: str, wanted: dict[str, list[dict[str, Any]]], path: str) -> str:
    """A settings text with our entries in it: our old ones replaced, all else kept, in its order and indentation.

    A text that holds them already stays as it is. Raises UserError where it cannot be understood.
    """
    try:
        settings = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path} is not JSON ({error}); mend it, then run init again") from None
    hooks = settings.setdefault("hooks", {}) if isinstance(settings, dict) else None
    if not isinstance(hooks, dict):
        raise UserError(f"{path}: settings with a table of hooks expected; mend it, then run init again")
    for event, ours in wanted.items():
        theirs = hooks.get(event, [])
        if not isinstance(theirs, list):
            raise UserError(f"{path}: hooks.{event} must be a list; mend it, then run init again")
        hooks[event] = _placed(theirs, ours)
    if text.strip() and settings == json.loads(text):
        return text
    indent = re.search(r"\n([ \t]+)", text)
    ending = "\n" if text.endswith("\n") or not text else ""
    return json.dumps(settings, indent=indent.group(1) if indent else 2, ensure_ascii=False) + ending


def _placed(theirs: list[Any], ours: list[dict[str, Any]]) -> list[Any]:
    """An event's groups with ours where they were before, else at the end."""
    groups: list[Any] = []
    place = None
    for group in theirs:
        kept = _without_ours(group)
        groups += kept
        if kept != [group] and place is None:
            place = len(groups)
    place = len(groups) if place is None else place
    return groups[:place] + ours + groups[place:]


def _without_ours(group: Any) -> list[Any]:
    """A group of hook entries without ours, as a list: of nothing, when nothing is left of it."""
    if not isinstance(group, dict) or not isinstance(group.get("hooks"), list):
        return [group]
    kept = [hook for hook in group["hooks"] if not scopes.hook_of(hook)]
    if len(kept) == len(group["hooks"]):
        return [group]
    return [group | {"hooks": kept}] if kept else []


def _commands(root: str) -> list[str]:
    source = os.path.join(catalogue.templates(), "commands")
    folder = os.path.join(root, ".claude", "commands", "untilgreen")
    os.makedirs(folder, exist_ok=True)
    names = sorted(os.listdir(source))
    for name in names:
        with open(os.path.join(source, name), encoding="utf-8") as file:
            _write(os.path.join(folder, name), file.read())
    return ["slash commands: " + ", ".join(f"/untilgreen:{name.removesuffix('.md')}" for name in names)]


def _write(path: str, text: str) -> None:
    """Replace a file of the project, through a link and with the mode that it has. Raises OSError."""
    target = os.path.realpath(path)
    mode = stat.S_IMODE(os.stat(target).st_mode) if os.path.exists(target) else 0o644
    store.write_text(target, text)
    os.chmod(target, mode)


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError:
        raise UserError(f"{path} is not UTF-8 text; mend it, then run init again") from None
