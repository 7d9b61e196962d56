"""Where Claude Code reads its settings from, and which of our hooks stand in each place.

The files, all merged (code.claude.com/docs/en/settings, and hosts.md §2.1 of the research behind this): managed
policy, the user's, the project's shared and personal ones. `$CLAUDE_CONFIG_DIR` moves the user's folder.
"""

import json
import os
import re
import stat
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

from untilgreen.cli.installing import settings_text
from untilgreen.core.errors import UserError
from untilgreen.hosts.claude_code import commands as aliases

_OURS = re.compile(
    r"(?:^|[/\\ ])((?:stop|session)[-_]loop|post[-_]tool[-_](?:lint|lsp|ast[-_]grep))(?:\.py)?(?:$|[\"' ])"
)


class Scope(NamedTuple):
    """One settings file: `name` is "managed", "user", "shared" or "local"; the file need not exist."""

    name: str
    path: str


class Registered(NamedTuple):
    """One hook entry of ours: `event` of the host, `matcher` of its group, `hook` the executable's name ("stop-loop"),
    `entry` as it stands in the settings."""

    scope: Scope
    event: str
    matcher: str
    hook: str
    entry: dict[str, Any]


def scopes(root: str, env: Mapping[str, str]) -> tuple[Scope, ...]:
    """Every settings file that the host reads for this project, the strongest first."""
    mac = "/Library/Application Support/ClaudeCode"
    managed = mac if sys.platform == "darwin" else "/etc/claude-code"
    return (
        Scope("managed", os.path.join(managed, "managed-settings.json")),
        Scope("local", os.path.join(root, ".claude", "settings.local.json")),
        Scope("shared", os.path.join(root, ".claude", "settings.json")),
        Scope("user", os.path.join(aliases.user_folder(env), "settings.json")),
    )


def read(path: str) -> dict[str, Any]:
    """The settings of a file, empty where there is none. Raises UserError where they cannot be understood or read."""
    text = text_of(path)
    return understood(text, path) if text is not None else {}


def taken(scope: Scope) -> dict[str, Any]:
    """What the host takes of a settings file: nothing of one that is not understood; one that we may not read says
    nothing."""
    try:
        return read(scope.path)
    except UserError:
        return {}


def inherited(key: str, scope: Scope, root: str, env: Mapping[str, str]) -> Any:
    """What the host takes for a key of the settings where this scope, and what is stronger, says nothing."""
    known = scopes(root or os.sep, env)
    weaker = known[[one.name for one in known].index(scope.name) + 1 :]
    values = (taken(one).get(key) for one in weaker)
    return next((value for value in values if value is not None), None)


def text_of(path: str) -> str | None:
    """The text of a settings file as it is, None where there is none. Raises UserError where it cannot be read."""
    data = content(path)
    try:
        return None if data is None else data.decode()
    except UnicodeDecodeError:
        raise UserError(f"{path} is not UTF-8 text") from None


def content(path: str) -> bytes | None:
    """What a file holds, None where there is none. Raises UserError where it cannot be read, or is none: a pipe would
    never end, and to replace a device would be the end of it."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode) and not os.path.isdir(path):
            raise UserError(f"{path} is no regular file")
        with open(path, "rb") as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from None


def understood(text: str, path: str) -> dict[str, Any]:
    """The settings of a text; `path` names it in the UserError where it is none that the host reads."""
    try:
        settings = settings_text.parsed(text)
    except json.JSONDecodeError as error:
        hint = "; the host passes over settings with a comment" if text[error.pos :].lstrip()[:1] == "/" else ""
        raise UserError(f"{path} is not JSON ({error}){hint}") from None
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path} is not JSON ({error})") from None
    if not isinstance(settings, dict):
        raise UserError(f"{path} holds no table of settings")
    return settings


def registered(scope: Scope, settings: Mapping[str, Any]) -> tuple[Registered, ...]:
    """Our hooks in these settings; what is not shaped like hooks is none."""
    events = settings.get("hooks")
    found = []
    for event, groups in events.items() if isinstance(events, dict) else ():
        for group in groups if isinstance(groups, list) else ():
            hooks = group.get("hooks") if isinstance(group, dict) else None
            found += [
                Registered(scope, event, str(group.get("matcher", "")), name, hook)
                for hook in (hooks if isinstance(hooks, list) else ())
                if (name := hook_of(hook))
            ]
    return tuple(found)


def hook_of(entry: Any) -> str:
    """Which of our executables a hook entry calls, "" when it is somebody else's."""
    if not isinstance(entry, dict):
        return ""
    args = entry.get("args")
    words = [str(entry.get("command", "")), *(map(str, args) if isinstance(args, list) else ())]
    line = " ".join(words)
    if "untilgreen" not in line and "--host claude-code" not in line:
        return ""
    names = (match.group(1).replace("_", "-") for word in words if (match := _OURS.search(word)))
    return next(names, "")
