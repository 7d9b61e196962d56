"""Gemini CLI's settings files, and our hooks in them (0.61.0).

The system's, then the project's, then the user's (`~/.gemini`, below `$GEMINI_CLI_HOME` where that is set); their hooks
are all run. Milliseconds. A line for a shell, which must end with 0: whatever prints words that are no JSON and ends
with another code than 0 or 1, as a shell does that does not find its command, holds the agent for ever (measured). What
it prints is shown to the user then.

What Gemini CLI's settings make of our hooks. Learned from 0.61.0.
"""

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence

from untilgreen.core.findings import BROKEN, Finding, readable
from untilgreen.core.record import Any
from untilgreen.hosts.hook_groups import LET_GO, HookGroups, HookRow
from untilgreen.hosts.hook_health import SWITCHES, HookHealth, loaded, trusts
from untilgreen.hosts.host import Scope, Source
from untilgreen.hosts.reading import table_in

_STOP_SECONDS = 600
_LINTERS = ("post-tool-lint", "post-tool-lsp", "post-tool-ast-grep")


class _GeminiSettings(HookGroups):
    HOST = "gemini"
    SCOPES = ("local", "user")
    ROWS = (
        HookRow("AfterAgent", "", ("stop-loop",), _STOP_SECONDS),
        HookRow("AfterTool", "replace|write_file", _LINTERS, 30),
        HookRow("AfterTool", "run_shell_command", ("post-tool-bash",), 10),
        HookRow("BeforeAgent", "", ("session-loop",), 150),
        HookRow("SessionStart", "", ("session-loop",), 10),
        HookRow("SessionEnd", "", ("session-loop",), 10),
    )

    def scopes(self, root: str, env: Mapping[str, str]) -> tuple[Scope, ...]:
        mac = "/Library/Application Support/GeminiCli"
        system = os.path.join(mac if sys.platform == "darwin" else "/etc/gemini-cli", "settings.json")
        return (
            Scope("managed", env.get("GEMINI_CLI_SYSTEM_SETTINGS_PATH") or system),
            Scope("local", os.path.join(self.folder("local", root, env), "settings.json")),
            Scope("user", os.path.join(self.folder("user", root, env), "settings.json")),
        )

    def folder(self, scope: str, root: str, env: Mapping[str, str]) -> str:
        home = env.get("GEMINI_CLI_HOME") or env.get("HOME") or os.path.expanduser("~")
        return os.path.join(home if scope == "user" else root, ".gemini")

    def texts(
        self, scope: str, root: str, env: Mapping[str, str], commands: Mapping[str, str], skill: Mapping[str, str]
    ) -> dict[str, bytes]:
        """Commands in TOML, and the skill. What a command's file says reaches our hook in the place of the typed line:
        so it says nothing but that."""
        folder = self.folder(scope, root, env)
        ours = {
            os.path.join("commands", "untilgreen", f"{name}.toml"): _command(name, commands[name]) for name in commands
        }
        ours |= {os.path.join("skills", "until-green", name): text for name, text in skill.items()}
        return {os.path.join(folder, name): text.encode() for name, text in ours.items()}

    def entry(self, name: str, command: str, args: list[str], seconds: int) -> dict[str, Any]:
        hook = super().entry(name, command, args, seconds * 1_000)
        return hook | {"name": f"untilgreen {name}", "command": f"{hook['command']}{LET_GO}"}

    def seconds_of(self, entry: Mapping[str, Any]) -> int:
        return super().seconds_of(entry) // 1_000


def _command(name: str, text: str) -> str:
    told = re.search(r"(?m)^description: (.*)$", text)
    return f'description = "{told[1] if told else name}"\nprompt = "untilgreen:{name} {{{{args}}}}"\n'


SETTINGS = _GeminiSettings()


_TRUST = "GEMINI_CLI_TRUST_WORKSPACE"


class _GeminiHealth(HookHealth):
    NEEDED = ("AfterAgent", "BeforeAgent")
    SETTINGS = SETTINGS

    def silences(
        self, found: Sequence[Source], root: str, env: Mapping[str, str], shown: Callable[[str], str]
    ) -> Iterator[Finding]:
        """The switch for all hooks, those that `/hooks disable` named, and trust in the folder."""
        for one in found:
            path, switches = shown(one.scope.path), table_in(one.settings, "hooksConfig")
            if switches.get("enabled") is False:
                what = f'"hooksConfig.enabled" is false in {path}: the host runs no hook'
                yield Finding(SWITCHES, BROKEN, what, f"edit {path}: take it out")
            named = switches.get("disabled")
            off = [name for name in (named if isinstance(named, list) else ()) if "untilgreen" in str(name)]
            if off:
                what = f'"hooksConfig.disabled" in {path} switches off: {", ".join(map(str, off))}'
                yield Finding(SWITCHES, BROKEN, what, f"edit {path}: take {'it' if len(off) == 1 else 'them'} out")
        if any(one.scope.name == "local" for one in self.ours(found)) and not self._is_trusted(found, root, env):
            what = f"{readable(root)} is no trusted folder: the host runs no hook of it"
            yield Finding(SWITCHES, BROKEN, what, f"start gemini in {readable(root)} and trust the folder")

    def _is_trusted(self, found: Sequence[Source], root: str, env: Mapping[str, str]) -> bool:
        if env.get(_TRUST) in ("true", "false"):
            return env[_TRUST] == "true"
        asks = (table_in(table_in(one.settings, "security"), "folderTrust").get("enabled") for one in found)
        if next((one for one in asks if isinstance(one, bool)), True) is False:
            return True
        return trusts(loaded(os.path.join(SETTINGS.folder("user", root, env), "trustedFolders.json")), root)


HEALTH = _GeminiHealth()
