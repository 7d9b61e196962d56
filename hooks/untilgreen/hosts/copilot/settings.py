"""Copilot CLI's files with hooks, and our hooks in them; its skills, by which people type our commands.

The files, all merged (measured on 1.0.102): `.github/hooks/*.json`, `.github/copilot/settings.json` and
`settings.local.json`, which a session reads in a trusted folder only; `~/.copilot/hooks/*.json` and
`~/.copilot/settings.json`, which it always reads. Entries are in exec form (`exec` and `args`, no shell), within
`timeoutSec` seconds; without it 30. It reads `.claude/settings.json` and `settings.local.json` of a project, too.
"""

import os
from collections.abc import Mapping
from typing import Any

from untilgreen.hosts.copilot import wire
from untilgreen.hosts.hook_groups import HookGroups, HookRow
from untilgreen.hosts.host import Scope

_LINTERS = ("post-tool-lint", "post-tool-lsp", "post-tool-ast-grep")
_SKILL = """\
---
name: {name}
{head}
---

{line} $ARGUMENTS

{aside}
{text}"""


class _CopilotSettings(HookGroups):
    HOST = wire.NAME
    SCOPES = ("local", "user", "shared")
    PROJECT = "."  # hooks are started in the project's root
    ROWS = (
        HookRow("Stop", "", ("stop-loop",), 600),
        HookRow("PostToolUse", "Edit|Write", _LINTERS, 30),
        HookRow("PostToolUse", "Bash", ("post-tool-bash",), 10),
        HookRow("PostToolUseFailure", "", ("post-tool-bash",), 10),
        HookRow("UserPromptSubmit", "", ("session-loop",), 150),
        HookRow("SessionStart", "", ("session-loop",), 10),
        HookRow("SessionEnd", "", ("session-loop",), 10),
    )

    def scopes(self, root: str, env: Mapping[str, str]) -> tuple[Scope, ...]:
        theirs, own = os.path.join(root, ".github"), wire.folder(env)
        return (
            Scope("local", os.path.join(theirs, "copilot", "settings.local.json")),
            Scope("repository", os.path.join(theirs, "copilot", "settings.json")),
            Scope("shared", os.path.join(theirs, "hooks", "untilgreen.json")),
            Scope("user", os.path.join(own, "hooks", "untilgreen.json")),
            Scope("settings", os.path.join(own, "settings.json")),
        )

    def folder(self, scope: str, root: str, env: Mapping[str, str]) -> str:
        """Where `skills/` lies; it has no files of commands but those of `.claude`."""
        return wire.folder(env) if scope == "user" else os.path.join(root, ".github")

    def texts(
        self, scope: str, root: str, env: Mapping[str, str], commands: Mapping[str, str], skill: Mapping[str, str]
    ) -> dict[str, bytes]:
        """A skill for each command, as people type skills with a slash; the model does not see those."""
        skills = os.path.join(self.folder(scope, root, env), "skills")
        found = {os.path.join(skills, "until-green", name): text for name, text in skill.items()}
        for name, template in commands.items():
            _, head, text = template.split("---\n", 2)
            line = f"untilgreen:{name}"
            path = os.path.join(skills, f"untilgreen-{name}", "SKILL.md")
            found[path] = _SKILL.format(name=line, head=head.strip(), line=line, aside=wire.ASIDE, text=text)
        return {path: text.encode() for path, text in found.items()}

    def entry(self, _name: str, command: str, args: list[str], seconds: int) -> dict[str, Any]:
        return {"type": "command", "exec": command, "args": args, "timeoutSec": seconds}

    def seconds_of(self, entry: Mapping[str, Any]) -> int:
        limit = entry.get("timeoutSec", entry.get("timeout"))
        return limit if type(limit) is int else 0

    def hook_of(self, entry: Any) -> str:
        line = first(entry) if isinstance(entry, dict) else ""
        return super().hook_of({**entry, "command": line}) if line else ""


def first(entry: Mapping[str, Any]) -> str:
    """What an entry starts: a program, or a line for a shell."""
    found = (entry.get(key) for key in ("exec", "bash", "command"))
    return next((one for one in found if isinstance(one, str) and one), "")


SETTINGS = _CopilotSettings()
