"""OpenCode's settings of ours: a plugin, `.opencode/plugin/untilgreen.js` of a project or of the user's folder, and our
commands beside it. OpenCode expands those before its plugins see the line.
"""

import os
import re
from collections.abc import Mapping

from untilgreen.hosts.bridge_file import BridgeFile
from untilgreen.hosts.opencode import NAME

_FRONT = re.compile(r"\A---\n(.*?\n)---\n", re.DOTALL)


class _OpenCodeSettings(BridgeFile):
    HOST = NAME
    FILE = "opencode.js"
    FOLDER = ".opencode"
    FILES = dict.fromkeys(BridgeFile.SCOPES, os.path.join("plugin", "untilgreen.js"))
    COMMAND = os.path.join("command", "untilgreen:{}.md")
    SKILLS = os.path.join("skill", "until-green")

    def home(self, env: Mapping[str, str]) -> str:
        home = env.get("HOME") or os.path.expanduser("~")
        return os.path.join(env.get("XDG_CONFIG_HOME") or os.path.join(home, ".config"), "opencode")

    def command(self, name: str, text: str) -> str:
        """What people see of it, and the line that the hook is to get."""
        front = _FRONT.match(text)
        kept = [line for line in front[1].splitlines() if line.startswith("description:")] if front else []
        return "\n".join(["---", *kept, "---", f"untilgreen:{name} $ARGUMENTS", ""])


SETTINGS = _OpenCodeSettings()
