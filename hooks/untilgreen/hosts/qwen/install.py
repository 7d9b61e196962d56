"""Qwen Code's settings files, and our hooks in them (0.24.4).

The system's, then the project's, then the user's (`$QWEN_HOME`, else `~/.qwen`); their hooks are all run. Seconds. A
line for a shell: an entry with `args` was not started.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from untilgreen.core.findings import Finding
from untilgreen.core.record import Any
from untilgreen.hosts.hook_health import HookHealth, all_off, loaded, trusts
from untilgreen.hosts.hook_rows import rows
from untilgreen.hosts.host import Source
from untilgreen.hosts.qwen import EDIT_TOOLS, NAME
from untilgreen.hosts.reading import table_in

_MARK = "$version"
_EVENTS = ("Stop", "PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "SessionStart", "SessionEnd", "StopFailure")


class _QwenSettings(HookHealth):
    HOST = NAME
    ROWS = rows("|".join(EDIT_TOOLS), "run_shell_command", *_EVENTS)
    FOLDER = ".qwen"
    FILES = dict.fromkeys(HookHealth.SCOPES, "settings.json")
    MANAGED = (
        "QWEN_CODE_SYSTEM_SETTINGS_PATH",
        "/Library/Application Support/QwenCode/settings.json",
        "/etc/qwen-code/settings.json",
    )
    COMMENTS = True
    PLUGIN = "extensions/untilgreen", "hooks/hooks.json", "qwen extensions uninstall untilgreen"
    COMMAND = os.path.join("commands", "untilgreen", "{}.md")

    def command(self, name: str, text: str) -> str:
        """What a command's file says reaches our hook in the place of the typed line, which is not always told beside
        it: so it says nothing but that."""
        told = re.search(r"(?m)^description: .*$", text)
        return f"---\n{told[0] if told else ''}\n---\nuntilgreen:{name} {{{{args}}}}\n"

    def without(self, settings: Mapping[str, Any], original: Mapping[str, Any]) -> dict[str, Any]:
        """The settings without our entries, and without the mark that the host puts into each settings file, where that
        is all that is left."""
        left = super().without(settings, original)
        return {} if [*left] == [_MARK] and not original else left

    def silences(
        self, found: Sequence[Source], root: str, env: Mapping[str, str], shown: Callable[[str], str]
    ) -> Iterator[Finding]:
        """The switch for all hooks, and trust in folders, where its user asked for that."""
        yield from all_off(found, shown)
        asks = any(table_in(table_in(one.settings, "security"), "folderTrust").get("enabled") is True for one in found)
        rules = loaded(os.path.join(self.home(env), "trustedFolders.json"))
        if asks and any(one.scope.name == "local" for one in self.ours(found)) and not trusts(rules, root):
            yield self.untrusted(root)


SETTINGS = _QwenSettings()
