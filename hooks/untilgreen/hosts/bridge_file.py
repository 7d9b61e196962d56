"""A bridge as a settings file: a program from `templates/bridges/` that the host loads, with our hooks in one line of
JSON in it. All but that line is as it was shipped, so it is read, merged and taken away like any other settings.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping

from untilgreen.core.findings import Finding
from untilgreen.core.record import Any
from untilgreen.hosts.hook_health import HookHealth
from untilgreen.hosts.hook_rows import rows
from untilgreen.hosts.host import Registered
from untilgreen.project.files import templates_folder

_LINE = re.compile(rb"^const SETTINGS = (\{.*\});$", re.MULTILINE)
_FRONT = re.compile(r"\A---\n(.*?\n)---\n", re.DOTALL)
_MARK = b"// The bridge to untilgreen: "  # how the files of every version begin
_EVENTS = ("Stop", "PostToolUse", "UserPromptSubmit", "SessionStart", "SessionEnd", "StopFailure")


class BridgeFile(HookHealth):
    """The file in which a bridge lies; not written for a team: it names launchers of one machine."""

    #: of the template
    FILE = ""
    ROWS = rows("edit|write", "", *_EVENTS)
    NEEDED = ("Stop",)

    def unwrapped(self, data: bytes) -> bytes:
        """The line of settings; what is no bridge of ours stays as it is, and is no JSON."""
        found = _LINE.search(data)
        return found[1] if found and data.startswith(_MARK) else data

    def wrapped(self, settings: bytes, _data: bytes = b"") -> bytes:
        line = json.dumps(json.loads(settings), ensure_ascii=False, separators=(", ", ": "))
        whole = b""
        for name in ("hooks.js", self.FILE):
            with open(os.path.join(templates_folder(), "bridges", name), "rb") as file:
                whole += file.read()
        return _LINE.sub(lambda _: b"const SETTINGS = " + line.encode() + b";", whole, count=1)

    def entry(self, _name: str, command: str, args: list[str], seconds: int) -> dict[str, Any]:
        """No shell is between."""
        return {"command": command, "args": args, "timeout": seconds}

    def faults(self, *_: Registered | float | str) -> Iterator[Finding]:
        """None: a line that another version wrote is told as a whole."""
        yield from ()


class OpenCodeFile(BridgeFile):
    """The bridge in OpenCode and its forks: a plugin in the folder of a project or of the user, and our commands beside
    it, which the host expands before its plugins see the line."""

    FILE = "opencode.js"
    FILES = dict.fromkeys(BridgeFile.SCOPES, os.path.join("plugin", "untilgreen.js"))
    COMMAND = os.path.join("command", "untilgreen:{}.md")
    SKILLS = os.path.join("skill", "until-green")

    def home(self, env: Mapping[str, str]) -> str:
        home = env.get("HOME") or os.path.expanduser("~")
        return os.path.join(env.get("XDG_CONFIG_HOME") or os.path.join(home, ".config"), self.HOST)

    def command(self, name: str, text: str) -> str:
        """What people see of it, and the line that the hook is to get."""
        front = _FRONT.match(text)
        kept = [line for line in front[1].splitlines() if line.startswith("description:")] if front else []
        return "\n".join(["---", *kept, "---", f"untilgreen:{name} $ARGUMENTS", ""])
