"""Copilot CLI's files with hooks, and our hooks in them; its skills, by which people type our commands.

The files, all merged (measured on 1.0.102): `.github/hooks/*.json`, `.github/copilot/settings.json` and
`settings.local.json`, which a session reads in a trusted folder only; `~/.copilot/hooks/*.json` and
`~/.copilot/settings.json`, which it always reads. Entries are in exec form (`exec` and `args`, no shell), within
`timeoutSec` seconds; without it 30. It reads `.claude/settings.json` and `settings.local.json` of a project, too.

What Copilot CLI's settings and files make of our hooks. Learned from 1.0.102.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from untilgreen.core.findings import BROKEN, WARNING, Finding, readable
from untilgreen.core.record import Any
from untilgreen.hosts import copilot
from untilgreen.hosts.hook_groups import HookGroups, HookRow
from untilgreen.hosts.hook_health import HOOKS, SWITCHES, HookHealth, loaded
from untilgreen.hosts.host import Registered, Scope, Source
from untilgreen.project import toplevel

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
    HOST = copilot.NAME
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
        theirs, own = os.path.join(root, ".github"), copilot.folder(env)
        return (
            Scope("local", os.path.join(theirs, "copilot", "settings.local.json")),
            Scope("repository", os.path.join(theirs, "copilot", "settings.json")),
            Scope("shared", os.path.join(theirs, "hooks", "untilgreen.json")),
            Scope("user", os.path.join(own, "hooks", "untilgreen.json")),
            Scope("settings", os.path.join(own, "settings.json")),
        )

    def folder(self, scope: str, root: str, env: Mapping[str, str]) -> str:
        """Where `skills/` lies; it has no files of commands but those of `.claude`."""
        return copilot.folder(env) if scope == "user" else os.path.join(root, ".github")

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
            found[path] = _SKILL.format(name=line, head=head.strip(), line=line, aside=copilot.ASIDE, text=text)
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


_IN_PROJECT = ("local", "repository", "shared")


class _CopilotHealth(HookHealth):
    SETTINGS = SETTINGS
    USUAL = 30

    def words(self, one: Registered, root: str) -> tuple[str, ...]:
        program, args = one.entry.get("exec"), one.entry.get("args")
        if not isinstance(program, str):
            return ()
        given = (program, *(map(str, args) if isinstance(args, list) else ()))
        return tuple(os.path.join(root, word[2:]) if word.startswith("./") else word for word in given)

    def line(self, entry: Mapping[str, Any]) -> str:
        args = entry.get("args")
        head = first(entry) or entry.get("url") or entry.get("type")
        return " ".join(map(str, (head, *(args if isinstance(args, list) else ()))))

    def faults(self, one: Registered, usual: Registered, deadline: float, lower: str) -> Iterator[Finding]:
        """A matcher is a regular expression there: it may say the same in other words."""
        deaf = [tool for tool in usual.matcher.split("|") if tool and one.matcher and not _fits(one.matcher, tool)]
        if deaf:
            yield Finding(HOOKS, WARNING, f'its matcher "{one.matcher}" leaves out {", ".join(deaf)}')
        yield from super().faults(one, usual._replace(matcher=one.matcher), deadline, lower)

    def silences(
        self, found: Sequence[Source], root: str, env: Mapping[str, str], shown: Callable[[str], str]
    ) -> Iterator[Finding]:
        for one in found:
            if one.settings.get("disableAllHooks") is True:
                path = shown(one.scope.path)
                what = f'"disableAllHooks" is true in {path}: the host runs no hook'
                yield Finding(SWITCHES, BROKEN, what, f'edit {path}: take "disableAllHooks" out')
        if any(one.scope.name in _IN_PROJECT for one in self.ours(found)) and not trusted(root, env):
            what = f"{readable(root)} is no trusted folder: its hooks run in no session that is not asked to trust it"
            cure = f"in a terminal: start copilot in {readable(root)} and trust it, or give `copilot -p` --trust-folder"
            yield Finding(SWITCHES, WARNING, what, cure)


def trusted(root: str, env: Mapping[str, str]) -> bool:
    """Whether the host was told to trust this folder, or one above it."""
    if env.get("COPILOT_ALLOW_ALL") == "true":
        return True
    told = (loaded(os.path.join(copilot.folder(env), name)) for name in ("config.json", "settings.json"))
    lists = (one.get("trustedFolders") for one in told)
    folders = [one for some in lists if isinstance(some, list) for one in some if isinstance(one, str)]
    return any(toplevel.within(os.path.realpath(one), os.path.realpath(root)) for one in folders)


def _fits(matcher: str, tool: str) -> bool:
    """As the host does: a regular expression for the whole name."""
    try:
        return re.fullmatch(matcher, tool) is not None
    except re.error:
        return False


HEALTH = _CopilotHealth()
