"""Gemini CLI's settings files, and our hooks in them (0.61.0).

The system's, then the project's, then the user's (`~/.gemini`, below `$GEMINI_CLI_HOME` where that is set); their hooks
are all run. Milliseconds. A line for a shell, which must end with 0: whatever prints words that are no JSON and ends
with another code than 0 or 1, as a shell does that does not find its command, holds the agent for ever (measured). What
it prints is shown to the user then.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from untilgreen.core.findings import BROKEN, Finding
from untilgreen.core.record import Any
from untilgreen.hosts.gemini import EDIT_TOOLS, NAME
from untilgreen.hosts.hook_health import SWITCHES, HookHealth, loaded, trusts
from untilgreen.hosts.hook_rows import rows
from untilgreen.hosts.host import LET_GO, Source
from untilgreen.hosts.reading import table_in

_TRUST = "GEMINI_CLI_TRUST_WORKSPACE"


class _GeminiSettings(HookHealth):
    HOST = NAME
    ROWS = rows(
        "|".join(EDIT_TOOLS),
        "run_shell_command",
        "AfterAgent",
        "AfterTool",
        "BeforeAgent",
        "SessionStart",
        "SessionEnd",
    )
    NEEDED = ("AfterAgent", "BeforeAgent")
    FOLDER = ".gemini"
    FILES = dict.fromkeys(HookHealth.SCOPES, "settings.json")
    MANAGED = (
        "GEMINI_CLI_SYSTEM_SETTINGS_PATH",
        "/Library/Application Support/GeminiCli/settings.json",
        "/etc/gemini-cli/settings.json",
    )
    COMMENTS = True
    PLUGIN = "extensions/untilgreen", "hooks/hooks.json", "gemini extensions uninstall untilgreen"
    COMMAND = os.path.join("commands", "untilgreen", "{}.toml")

    def home(self, env: Mapping[str, str]) -> str:
        return os.path.join(env.get("GEMINI_CLI_HOME") or env.get("HOME") or os.path.expanduser("~"), ".gemini")

    def command(self, name: str, text: str) -> str:
        """In TOML. What a command's file says reaches our hook in the place of the typed line: so it says nothing but
        that."""
        told = re.search(r"(?m)^description: (.*)$", text)
        return f'description = "{told[1] if told else name}"\nprompt = "untilgreen:{name} {{{{args}}}}"\n'

    def entry(self, name: str, command: str, args: list[str], seconds: int) -> dict[str, Any]:
        hook = super().entry(name, command, args, seconds * 1_000)
        return hook | {"name": f"untilgreen {name}", "command": f"{hook['command']}{LET_GO}"}

    def seconds_of(self, entry: Mapping[str, Any]) -> int:
        return super().seconds_of(entry) // 1_000

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
            yield self.untrusted(root)

    def _is_trusted(self, found: Sequence[Source], root: str, env: Mapping[str, str]) -> bool:
        if env.get(_TRUST) in ("true", "false"):
            return env[_TRUST] == "true"
        asks = (table_in(table_in(one.settings, "security"), "folderTrust").get("enabled") for one in found)
        if next((one for one in asks if isinstance(one, bool)), True) is False:
            return True
        return trusts(loaded(os.path.join(self.home(env), "trustedFolders.json")), root)


SETTINGS = _GeminiSettings()
