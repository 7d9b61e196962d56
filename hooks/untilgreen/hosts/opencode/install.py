"""OpenCode's settings of ours: a plugin, `.opencode/plugin/untilgreen.js` of a project or of the user's folder, and our
commands beside it. OpenCode expands those before its plugins see the line.
"""

import os
import re
from collections.abc import Mapping

from untilgreen.hosts import bridge_file
from untilgreen.hosts.bridge_file import BridgeFile
from untilgreen.hosts.host import Scope

_FRONT = re.compile(r"\A---\n(.*?\n)---\n", re.DOTALL)


class _OpenCodeSettings(BridgeFile):
    HOST = "opencode"
    FILE = "opencode.js"

    def scopes(self, root: str, env: Mapping[str, str]) -> tuple[Scope, ...]:
        found = ((name, self.folder(name, root, env)) for name in self.SCOPES)
        return tuple(Scope(name, os.path.join(folder, "plugin", "untilgreen.js")) for name, folder in found)

    def folder(self, scope: str, root: str, env: Mapping[str, str]) -> str:
        home = env.get("HOME") or os.path.expanduser("~")
        user = os.path.join(env.get("XDG_CONFIG_HOME") or os.path.join(home, ".config"), "opencode")
        return user if scope == "user" else os.path.join(root, ".opencode")

    def texts(
        self, scope: str, root: str, env: Mapping[str, str], commands: Mapping[str, str], skill: Mapping[str, str]
    ) -> dict[str, bytes]:
        folder = self.folder(scope, root, env)
        told = {name: _told(name, text) for name, text in commands.items()}
        skills = {os.path.join(folder, "skill", "until-green", name): text.encode() for name, text in skill.items()}
        return bridge_file.commands_of(os.path.join(folder, "command"), told) | skills


def _told(name: str, text: str) -> str:
    """The command in the form that it has here: what people see of it, and the line that the hook is to get."""
    front = _FRONT.match(text)
    kept = [line for line in front[1].splitlines() if line.startswith("description:")] if front else []
    return "\n".join(["---", *kept, "---", f"untilgreen:{name} $ARGUMENTS", ""])


SETTINGS = _OpenCodeSettings()
