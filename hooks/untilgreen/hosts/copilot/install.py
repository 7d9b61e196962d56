"""Copilot CLI's files with hooks, and our hooks in them; its skills, by which people type our commands.

The files, all merged (measured on 1.0.102): `.github/hooks/*.json`, `.github/copilot/settings.json` and
`settings.local.json`, which a session reads in a trusted folder only; `~/.copilot/hooks/*.json` and
`~/.copilot/settings.json`, which it always reads. Entries are in exec form (`exec` and `args`, no shell), within
`timeoutSec` seconds; without it 30. It reads `.claude/settings.json` and `settings.local.json` of a project, too.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from untilgreen.core.findings import WARNING, Finding, readable
from untilgreen.core.record import Any
from untilgreen.hosts.copilot import ASIDE, NAME
from untilgreen.hosts.hook_health import HOOKS, SWITCHES, HookHealth, all_off, loaded, plugged
from untilgreen.hosts.hook_rows import rows
from untilgreen.hosts.host import PLUGIN, Registered, Source, args_of
from untilgreen.hosts.reading import table_in, text_in
from untilgreen.project import toplevel

_SKILL = """\
---
name: {name}
{head}
---

{name} $ARGUMENTS

{aside}
{text}"""
_EVENTS = ("Stop", "PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "SessionStart", "SessionEnd")


class _CopilotSettings(HookHealth):
    HOST = NAME
    SCOPES = ("local", "user", "shared")
    PROJECT = "."  # hooks are started in the project's root
    ROWS = rows("Edit|Write", "Bash", *_EVENTS)
    USUAL = 30
    FOLDER = ".github"
    FILES = {
        "local": os.path.join("copilot", "settings.local.json"),
        "repository": os.path.join("copilot", "settings.json"),
        "shared": os.path.join("hooks", "untilgreen.json"),
        "user": os.path.join("hooks", "untilgreen.json"),
        "settings": "settings.json",
    }
    OWN = ("user", "settings")
    # a skill for each command, as people type skills with a slash; the model does not see those
    COMMAND = os.path.join("skills", "untilgreen-{}", "SKILL.md")

    PLUGIN = "installed-plugins/*/untilgreen", "plugins/copilot/hooks.json", "copilot plugin uninstall untilgreen"

    def plugins(self, found: Sequence[Source], root: str, env: Mapping[str, str]) -> Iterator[Source]:
        """Also those that it runs where they lie, as of a marketplace that is a folder."""
        yield from super().plugins(found, root, env)
        for one in found:
            for name, on in table_in(one.settings, "enabledPlugins").items():
                plugin, _, market = name.partition("@")
                known = table_in(table_in(one.settings, "extraKnownMarketplaces"), market)
                path = text_in(table_in(known, "source"), "path")
                if plugin == "untilgreen" and on is True and path:
                    yield plugged(NAME, path, self.PLUGIN[1])

    def command(self, name: str, text: str) -> str:
        _, head, body = text.split("---\n", 2)
        return _SKILL.format(name=f"untilgreen:{name}", head=head.strip(), aside=ASIDE, text=body)

    def entry(self, _name: str, command: str, args: list[str], seconds: int) -> dict[str, Any]:
        return {"type": "command", "exec": command, "args": args, "timeoutSec": seconds}

    def seconds_of(self, entry: Mapping[str, Any]) -> int:
        limit = entry.get("timeoutSec", entry.get("timeout"))
        return limit if type(limit) is int else 0

    def started(self, entry: Mapping[str, Any]) -> str:
        found = (entry.get(key) for key in ("exec", "bash", "command"))
        return next((one for one in found if isinstance(one, str) and one), "")

    def words(self, one: Registered, root: str) -> tuple[str, ...]:
        program = one.entry.get("exec")
        given = (program, *args_of(one.entry)) if isinstance(program, str) else ()
        return tuple(os.path.join(root, word[2:]) if word.startswith("./") else word for word in given)

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
            yield from all_off([one], shown)
        in_project = any(one.scope.name not in (*self.OWN, PLUGIN) for one in self.ours(found))
        if in_project and not self._is_trusted(root, env):
            what = f"{readable(root)} is no trusted folder: its hooks run in no session that is not asked to trust it"
            cure = f"in a terminal: start copilot in {readable(root)} and trust it, or give `copilot -p` --trust-folder"
            yield Finding(SWITCHES, WARNING, what, cure)

    def _is_trusted(self, root: str, env: Mapping[str, str]) -> bool:
        """Whether the host was told to trust this folder, or one above it."""
        told = (loaded(os.path.join(self.home(env), name)) for name in ("config.json", "settings.json"))
        lists = (one.get("trustedFolders") for one in told)
        folders = [one for some in lists if isinstance(some, list) for one in some if isinstance(one, str)]
        inside = any(toplevel.within(os.path.realpath(one), os.path.realpath(root)) for one in folders)
        return inside or env.get("COPILOT_ALLOW_ALL") == "true"


def _fits(matcher: str, tool: str) -> bool:
    """As the host does: a regular expression for the whole name."""
    try:
        return re.fullmatch(matcher, tool) is not None
    except re.error:
        return False


SETTINGS = _CopilotSettings()
