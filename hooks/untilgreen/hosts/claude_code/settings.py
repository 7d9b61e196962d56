"""Claude Code's settings files, and our hooks in them: values in, values out.

The files, all merged (code.claude.com/docs/en/settings): managed policy, the user's, the project's shared and personal
ones. `$CLAUDE_CONFIG_DIR` moves the user's folder. Hooks stand there as `{"hooks": {EVENT: [GROUP, ...]}}`, a group is
`{"matcher"?, "hooks": [ENTRY, ...]}`. Entries are in exec form (`command` and `args`, no shell): a shell, a shim or a
console stub in between costs more than the hook.
"""

import os
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from untilgreen.hosts.claude_code import commands
from untilgreen.hosts.host import Call, Entries, Plugin, Registered, Scope
from untilgreen.project import toplevel

SCOPES = ("local", "user", "shared")
PROJECT = "${CLAUDE_PROJECT_DIR}"
STOP_SECONDS = 600
LEAST_SECONDS = 30  # of a stop
_EDITS = "Edit|Write|MultiEdit|NotebookEdit"
_LINTERS = ("post-tool-lint", "post-tool-lsp", "post-tool-ast-grep")
# the host's event, its matcher, executables, seconds
_HOOKS = (
    ("Stop", "", ("stop-loop",), STOP_SECONDS),
    ("PostToolUse", _EDITS, _LINTERS, 30),
    ("PostToolUse", "Bash", ("post-tool-bash",), 10),
    ("PostToolUseFailure", "", ("post-tool-bash",), 10),
    ("TaskCompleted", "", ("stop-loop",), STOP_SECONDS),
    ("TeammateIdle", "", ("stop-loop",), STOP_SECONDS),
    ("UserPromptSubmit", "", ("session-loop",), 150),
    ("SessionStart", "", ("session-loop",), 10),
    ("SessionEnd", "", ("session-loop",), 10),
    ("StopFailure", "", ("session-loop",), 10),
)
MAIN = "main"
_PLUGIN = "untilgreen@"  # and the marketplace's name (`claude plugin install`, Claude Code 2.1.150 and 2.1.330)
_PLUGIN_SCOPE = {"local": " --scope local", "shared": " --scope project", "user": " --scope user"}
_LINE = "statusLine"
_LINE_FILE = os.sep.join(("", "untilgreen", "events", "status_line.py"))
_LINE_SECONDS = 5  # between two looks at a loop's clock
# what the host shows while the hook runs
_STATUS = {
    "stop-loop": "untilgreen: running the project's checks",
    "post-tool-lint": "untilgreen: linting the file",
    "post-tool-lsp": "untilgreen: checking the file's types",
    "post-tool-ast-grep": "untilgreen: looking for risks in the file",
    "post-tool-bash": "untilgreen: noting the command",
    "session-loop": "untilgreen: looking for a loop",
}
_OURS = re.compile(
    r"(?:^|[/\\ ])((?:stop|session)[-_]loop|post[-_]tool[-_](?:lint|lsp|ast[-_]grep|bash))(?:\.py)?(?:$|[\"' ])"
)


def scopes(root: str, env: Mapping[str, str]) -> tuple[Scope, ...]:
    mac = "/Library/Application Support/ClaudeCode"
    managed = mac if sys.platform == "darwin" else "/etc/claude-code"
    return (
        Scope("managed", os.path.join(managed, "managed-settings.json")),
        Scope("local", os.path.join(root, ".claude", "settings.local.json")),
        Scope("shared", os.path.join(root, ".claude", "settings.json")),
        Scope("user", os.path.join(commands.user_folder(env), "settings.json")),
    )


def linked(root: str) -> tuple[Scope, ...]:
    """In a linked work tree the personal settings of the main one, whose hooks Claude Code 2.1.330 runs, too."""
    main = toplevel.main_tree(root)
    return (Scope(MAIN, os.path.join(main, ".claude", "settings.local.json")),) if main else ()


def folder(scope: str, root: str, env: Mapping[str, str]) -> str:
    """The host's folder of a scope, in which `commands/` and `skills/` lie."""
    return commands.user_folder(env) if scope == "user" else os.path.join(root, ".claude")


def entries(call: Call, stop_seconds: int = STOP_SECONDS) -> Entries:
    """The groups of hooks of each event. With another limit for a stop (seconds) its own deadline is 90 % of that."""
    table: Entries = {}
    for event, matcher, names, seconds in _HOOKS:
        hooks = []
        for name in names:
            command, args = call(name)
            limit = stop_seconds if name == "stop-loop" else seconds
            if limit != seconds:
                args = [*args, "--deadline", str(limit * 9 // 10)]
            hook = {"type": "command", "command": command, "args": args, "timeout": limit}
            hooks.append(hook | {"statusMessage": _STATUS[name]})
        group = ({"matcher": matcher} if matcher else {}) | {"hooks": hooks}
        table[event] = [*table.get(event, ()), group]
    return table


def stop_seconds(settings: Mapping[str, Any]) -> int:
    """The limit of a stop that stands in these settings for our hook, else the usual one."""
    for one in registered(Scope("", ""), settings):
        limit = one.entry.get("timeout")
        if (one.event, one.hook) == ("Stop", "stop-loop") and type(limit) is int and limit >= LEAST_SECONDS:
            return limit
    return STOP_SECONDS


def problem(settings: Mapping[str, Any]) -> str:
    """Why no hooks can be put into these settings, "" where they can."""
    hooks = settings.get("hooks", {})
    if not isinstance(hooks, dict):
        return "hooks must be a table"
    bad = [event for event, *_ in _HOOKS if not isinstance(hooks.get(event, []), list)]
    return f"hooks.{bad[0]} must be a list" if bad else ""


def merged(settings: Mapping[str, Any], wanted: Entries) -> dict[str, Any]:
    """The settings with our groups in them, after those of others: the host runs all hooks of an event at once."""
    others = _others(settings.get("hooks", {}), {})
    ours = {event: [*others.get(event, []), *groups] for event, groups in wanted.items()}
    return {**settings, "hooks": others | ours}


def without(settings: Mapping[str, Any], original: Mapping[str, Any]) -> dict[str, Any]:
    """The settings without our entries. Lists and tables that are empty then go too, unless they are in `original`,
    the settings before ours came."""
    gone = {_LINE} if status_line(settings) == "ours" else set()
    if registered(Scope("", ""), settings):
        before = original.get("hooks")
        kept = _others(settings["hooks"], before if isinstance(before, dict) else {})
        settings = {**settings, "hooks": kept}
        gone |= set() if kept or isinstance(before, dict) else {"hooks"}
    return {key: value for key, value in settings.items() if key not in gone}


def _others(hooks: Mapping[str, Any], original: Mapping[str, Any]) -> dict[str, Any]:
    """These hooks without our entries; without an event that has no others, unless it is in `original`."""
    stripped = {event: _stripped(groups) for event, groups in hooks.items()}
    return {event: left for event, left in stripped.items() if left or left == hooks[event] or event in original}


def registered(scope: Scope, settings: Mapping[str, Any]) -> tuple[Registered, ...]:
    """Our hooks in these settings; what is not shaped like hooks is none."""
    events = settings.get("hooks")
    found = []
    for event, groups in events.items() if isinstance(events, dict) else ():
        for group in groups if isinstance(groups, list) else ():
            found += [
                Registered(scope, event, str(group.get("matcher", "")), name, hook)
                for hook in hooks_of(group)
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


def plugin(files: Sequence[tuple[Scope, Mapping[str, Any]]]) -> Plugin | None:
    """Our plugin, where these settings, the strongest first, enable it; the strongest that names it decides."""
    decided: set[str] = set()
    for scope, settings in files:
        enabled = settings.get("enabledPlugins")
        for key, on in enabled.items() if isinstance(enabled, dict) else ():
            if key.startswith(_PLUGIN) and key not in decided:
                decided.add(key)
                if on:
                    return Plugin(scope, key, f"claude plugin disable {key}{_PLUGIN_SCOPE.get(scope.name, '')}")
    return None


def status_line(settings: Mapping[str, Any]) -> str:
    """Whose status line these settings have: "ours", "theirs", "" where there is none."""
    if _LINE not in settings:
        return ""
    value = settings[_LINE]
    line = value.get("command") if isinstance(value, dict) and value.get("type") == "command" else None
    try:
        words = shlex.split(line) if isinstance(line, str) else []
    except ValueError:  # an open quote
        words = []
    typed = [os.path.basename(word) for word in words] == ["untilgreen", "statusline"]
    file = len(words) == 3 and words[1] == "-I" and words[2].endswith(_LINE_FILE)
    return "ours" if typed or file else "theirs"


def with_status_line(settings: Mapping[str, Any], line: str) -> dict[str, Any]:
    """The settings with this command line for the status line, which a shell runs, where there is none or an older one
    of ours. It is called every five seconds, too."""
    old = settings.get(_LINE) or {"type": "command", "refreshInterval": _LINE_SECONDS}
    return {**settings, _LINE: {**old, "command": line}} if status_line(settings) != "theirs" else dict(settings)


def _stripped(groups: Any) -> Any:
    """These groups without our entries, and without a group that holds no other."""
    if not isinstance(groups, list):
        return groups
    others = [(group, [hook for hook in hooks_of(group) if not hook_of(hook)]) for group in groups]
    return [
        {**group, "hooks": left} if left != hooks_of(group) else group
        for group, left in others
        if left or not hooks_of(group)
    ]


def hooks_of(group: Any) -> list[Any]:
    """The entries of a group, ours and others'."""
    hooks = group.get("hooks") if isinstance(group, dict) else None
    return hooks if isinstance(hooks, list) else []
