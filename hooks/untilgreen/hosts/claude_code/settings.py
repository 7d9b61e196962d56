"""Claude Code's settings files, and our hooks in them: values in, values out.

The files, all merged (code.claude.com/docs/en/settings): managed policy, the user's, the project's shared and personal
ones. `$CLAUDE_CONFIG_DIR` moves the user's folder. Entries are in exec form (`command` and `args`, no shell): a shell,
a shim or a console stub in between costs more than the hook.
"""

import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from untilgreen.hosts.claude_code import commands
from untilgreen.hosts.hook_groups import HookGroups, HookRow
from untilgreen.hosts.host import Plugin, Scope
from untilgreen.project import toplevel

MAIN = "main"
_EDITS = "Edit|Write|MultiEdit|NotebookEdit"
_LINTERS = ("post-tool-lint", "post-tool-lsp", "post-tool-ast-grep")
_STOP_SECONDS = 600
_PLUGIN = "untilgreen@"  # and the marketplace's name (`claude plugin install`, Claude Code 2.1.150 and 2.1.330)
_PLUGIN_SCOPE = {"local": " --scope local", "shared": " --scope project", "user": " --scope user"}
_LINE = "statusLine"
_LINE_FILE = os.sep.join(("", "untilgreen", "loops", "heard", "status_line.py"))
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


class _ClaudeSettings(HookGroups):
    HOST = "claude-code"
    SCOPES = ("local", "user", "shared")
    PROJECT = "${CLAUDE_PROJECT_DIR}"
    ROWS = (
        HookRow("Stop", "", ("stop-loop",), _STOP_SECONDS),
        HookRow("PostToolUse", _EDITS, _LINTERS, 30),
        HookRow("PostToolUse", "Bash", ("post-tool-bash",), 10),
        HookRow("PostToolUseFailure", "", ("post-tool-bash",), 10),
        HookRow("TaskCompleted", "", ("stop-loop",), _STOP_SECONDS),
        HookRow("TeammateIdle", "", ("stop-loop",), _STOP_SECONDS),
        HookRow("UserPromptSubmit", "", ("session-loop",), 150),
        HookRow("SessionStart", "", ("session-loop",), 10),
        HookRow("SessionEnd", "", ("session-loop",), 10),
        HookRow("StopFailure", "", ("session-loop",), 10),
    )

    def scopes(self, root: str, env: Mapping[str, str]) -> tuple[Scope, ...]:
        mac = "/Library/Application Support/ClaudeCode"
        managed = mac if sys.platform == "darwin" else "/etc/claude-code"
        return (
            Scope("managed", os.path.join(managed, "managed-settings.json")),
            Scope("local", os.path.join(root, ".claude", "settings.local.json")),
            Scope("shared", os.path.join(root, ".claude", "settings.json")),
            Scope("user", os.path.join(commands.user_folder(env), "settings.json")),
        )

    def linked(self, root: str) -> tuple[Scope, ...]:
        """In a linked work tree the personal settings of the main one, whose hooks Claude Code 2.1.330 runs, too."""
        main = toplevel.main_tree(root)
        return (Scope(MAIN, os.path.join(main, ".claude", "settings.local.json")),) if main else ()

    def folder(self, scope: str, root: str, env: Mapping[str, str]) -> str:
        """The host's folder of a scope, in which `commands/` and `skills/` lie."""
        return commands.user_folder(env) if scope == "user" else os.path.join(root, ".claude")

    def texts(
        self, scope: str, root: str, env: Mapping[str, str], commands: Mapping[str, str], skill: Mapping[str, str]
    ) -> dict[str, bytes]:
        """Its own form is that of the templates."""
        folder = self.folder(scope, root, env)
        ours = {os.path.join("commands", "untilgreen", f"{name}.md"): text for name, text in commands.items()}
        ours |= {os.path.join("skills", "until-green", name): text for name, text in skill.items()}
        return {os.path.join(folder, name): text.encode() for name, text in ours.items()}

    def entry(self, name: str, command: str, args: list[str], seconds: int) -> dict[str, Any]:
        hook = {"type": "command", "command": command, "args": args, "timeout": seconds}
        return hook | {"statusMessage": _STATUS[name]}

    def without(self, settings: Mapping[str, Any], original: Mapping[str, Any]) -> dict[str, Any]:
        """The settings without our entries, and without our status line."""
        left = super().without(settings, original)
        return {key: value for key, value in left.items() if key != _LINE or self.status_line(settings) != "ours"}

    def plugin(self, files: Sequence[tuple[Scope, Mapping[str, Any]]]) -> Plugin | None:
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

    def status_line(self, settings: Mapping[str, Any]) -> str:
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

    def with_status_line(self, settings: Mapping[str, Any], line: str) -> dict[str, Any]:
        """The settings with this command line for the status line, which a shell runs, where there is none or an older
        one of ours. It is called every five seconds, too."""
        old = settings.get(_LINE) or {"type": "command", "refreshInterval": _LINE_SECONDS}
        return {**settings, _LINE: {**old, "command": line}} if self.status_line(settings) != "theirs" else {**settings}


SETTINGS = _ClaudeSettings()
