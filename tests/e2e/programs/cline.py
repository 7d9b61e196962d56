"""Cline CLI, which nothing holds: `untilgreen run` starts it."""

from collections.abc import Sequence
from pathlib import Path

from ..install import NODE, node
from ..wires import Tool
from . import Place, Program


class _Cline(Program):
    name = "cline"
    packages = {"cline": "3.0.65", NODE: "22.23.3"}
    headless = False  # it is never held

    def start(self, folders: Sequence[Path]) -> list[str]:
        return [node(folders[1]), str(folders[0] / "node_modules" / "cline" / "bin" / "cline")]

    def environment(self, _place: Place) -> dict[str, str]:
        return {"CLINE_NO_AUTO_UPDATE": "1", "CLINE_TELEMETRY_DISABLED": "1"}

    def runs(self, command: str) -> Tool:
        return Tool("run_commands", {"commands": [command]})


PROGRAM = _Cline()
