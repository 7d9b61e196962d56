"""A bridge as a settings file: a program from `templates/bridges/` that the host loads, with our hooks in one line of
JSON in it. All but that line is as it was shipped, so it is read, merged and taken away like any other settings.
"""

import json
import os
import re
from collections.abc import Mapping

from untilgreen.core.record import Any
from untilgreen.hosts.hook_groups import HookGroups, HookRow
from untilgreen.project.files import templates_folder

_LINE = re.compile(rb"^const SETTINGS = (\{.*\});$", re.MULTILINE)
_MARK = b"// The bridge to untilgreen: "  # how the files of every version begin
_STOP_SECONDS = 600
_LINTERS = ("post-tool-lint", "post-tool-lsp", "post-tool-ast-grep")


class BridgeFile(HookGroups):
    """The file in which a bridge lies."""

    #: of the template
    FILE = ""
    #: what people must be asked for is not written for a team: the file names launchers of one machine
    SCOPES = ("local", "user")
    ROWS = (
        HookRow("Stop", "", ("stop-loop",), _STOP_SECONDS),
        HookRow("PostToolUse", "edit|write", _LINTERS, 30),
        HookRow("PostToolUse", "", ("post-tool-bash",), 10),
        HookRow("UserPromptSubmit", "", ("session-loop",), 150),
        HookRow("SessionStart", "", ("session-loop",), 10),
        HookRow("SessionEnd", "", ("session-loop",), 10),
        HookRow("StopFailure", "", ("session-loop",), 10),
    )

    def unwrapped(self, data: bytes) -> bytes:
        """The line of settings; what is no bridge of ours stays as it is, and is no JSON."""
        found = _LINE.search(data)
        return found[1] if found and data.startswith(_MARK) else data

    def wrapped(self, settings: bytes) -> bytes:
        line = json.dumps(json.loads(settings), ensure_ascii=False, separators=(", ", ": "))
        parts = []
        for name in ("hooks.js", self.FILE):
            with open(os.path.join(templates_folder(), "bridges", name), "rb") as file:
                parts.append(file.read())
        whole = b"".join(parts)
        return _LINE.sub(lambda _: b"const SETTINGS = " + line.encode() + b";", whole, count=1)

    def entry(self, _name: str, command: str, args: list[str], seconds: int) -> dict[str, Any]:
        """No shell is between."""
        return {"command": command, "args": args, "timeout": seconds}


def commands_of(folder: str, commands: Mapping[str, str]) -> dict[str, bytes]:
    """A Markdown file for each of our commands in a host's folder of them, whose name is what people type."""
    return {os.path.join(folder, f"untilgreen:{name}.md"): text.encode() for name, text in commands.items()}
