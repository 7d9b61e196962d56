"""Qwen Code's settings files, and our hooks in them (0.24.4).

The system's, then the project's, then the user's (`$QWEN_HOME`, else `~/.qwen`); their hooks are all run. Seconds. A
line for a shell: an entry with `args` was not started.

What Qwen Code's settings make of our hooks. Learned from 0.24.4.
"""

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence

from untilgreen.core.findings import BROKEN, Finding, readable
from untilgreen.core.record import Any
from untilgreen.hosts.hook_groups import HookGroups, HookRow, folder_of
from untilgreen.hosts.hook_health import SWITCHES, HookHealth, loaded, trusts
from untilgreen.hosts.host import Scope, Source
from untilgreen.hosts.reading import table_in

_MARK = "$version"
_STOP_SECONDS = 600
_EDITS = "edit|write_file|notebook_edit"
_LINTERS = ("post-tool-lint", "post-tool-lsp", "post-tool-ast-grep")


class _QwenSettings(HookGroups):
    HOST = "qwen"
    SCOPES = ("local", "user")
    ROWS = (
        HookRow("Stop", "", ("stop-loop",), _STOP_SECONDS),
        HookRow("PostToolUse", _EDITS, _LINTERS, 30),
        HookRow("PostToolUse", "run_shell_command", ("post-tool-bash",), 10),
        HookRow("PostToolUseFailure", "", ("post-tool-bash",), 10),
        HookRow("UserPromptSubmit", "", ("session-loop",), 150),
        HookRow("SessionStart", "", ("session-loop",), 10),
        HookRow("SessionEnd", "", ("session-loop",), 10),
        HookRow("StopFailure", "", ("session-loop",), 10),
    )

    def scopes(self, root: str, env: Mapping[str, str]) -> tuple[Scope, ...]:
        mac = "/Library/Application Support/QwenCode"
        system = os.path.join(mac if sys.platform == "darwin" else "/etc/qwen-code", "settings.json")
        return (
            Scope("managed", env.get("QWEN_CODE_SYSTEM_SETTINGS_PATH") or system),
            Scope("local", os.path.join(self.folder("local", root, env), "settings.json")),
            Scope("user", os.path.join(self.folder("user", root, env), "settings.json")),
        )

    def folder(self, scope: str, root: str, env: Mapping[str, str]) -> str:
        return folder_of(env, "QWEN_HOME", ".qwen") if scope == "user" else os.path.join(root, ".qwen")

    def texts(
        self, scope: str, root: str, env: Mapping[str, str], commands: Mapping[str, str], skill: Mapping[str, str]
    ) -> dict[str, bytes]:
        """Commands in Markdown, and the skill. What a command's file says reaches our hook in the place of the typed
        line, which is not always told beside it: so it says nothing but that."""
        folder = self.folder(scope, root, env)
        ours = {
            os.path.join("commands", "untilgreen", f"{name}.md"): _command(name, text)
            for name, text in commands.items()
        }
        ours |= {os.path.join("skills", "until-green", name): text for name, text in skill.items()}
        return {os.path.join(folder, name): text.encode() for name, text in ours.items()}

    def without(self, settings: Mapping[str, Any], original: Mapping[str, Any]) -> dict[str, Any]:
        """The settings without our entries, and without the mark that the host puts into each settings file, where that
        is all that is left."""
        left = super().without(settings, original)
        return {} if [*left] == [_MARK] and not original else left


def _command(name: str, text: str) -> str:
    told = re.search(r"(?m)^description: .*$", text)
    return f"---\n{told[0] if told else ''}\n---\nuntilgreen:{name} {{{{args}}}}\n"


SETTINGS = _QwenSettings()


class _QwenHealth(HookHealth):
    SETTINGS = SETTINGS

    def silences(
        self, found: Sequence[Source], root: str, env: Mapping[str, str], shown: Callable[[str], str]
    ) -> Iterator[Finding]:
        """The switch for all hooks, and trust in folders, where its user asked for that."""
        said = next((one for one in found if "disableAllHooks" in one.settings), None)  # the strongest file decides
        if said and said.settings["disableAllHooks"] is True:
            path = shown(said.scope.path)
            what = f'"disableAllHooks" is true in {path}: the host runs no hook'
            yield Finding(SWITCHES, BROKEN, what, f'edit {path}: take "disableAllHooks" out')
        asks = any(table_in(table_in(one.settings, "security"), "folderTrust").get("enabled") is True for one in found)
        rules = loaded(os.path.join(SETTINGS.folder("user", root, env), "trustedFolders.json"))
        if asks and any(one.scope.name == "local" for one in self.ours(found)) and not trusts(rules, root):
            what = f"{readable(root)} is no trusted folder: the host runs no hook of it"
            yield Finding(SWITCHES, BROKEN, what, f"start qwen in {readable(root)} and trust the folder")


HEALTH = _QwenHealth()
