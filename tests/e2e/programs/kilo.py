"""Kilo Code CLI, which is OpenCode by another name, with folders and variables of its own."""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from . import Place
from .opencode import OpenCode


class _Kilo(OpenCode):
    name = "kilo"
    packages = {"@kilocode/cli-linux-x64": "7.7.9", "@kilocode/plugin": "7.3.1"}

    headless = False  # it leaves at the first rest
    cannot: ClassVar = OpenCode.cannot | {
        "test_a_session_that_is_opened_again_at_its_terminal_goes_on_with_its_loop": "its loop begins headless"
    }

    def start(self, folders: Sequence[Path]) -> list[str]:
        return [str(folders[0] / "node_modules/@kilocode/cli-linux-x64/bin/kilo")]

    def environment(self, _place: Place) -> dict[str, str]:
        switches = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS", "SHARE", "SESSION_INGEST")
        return {f"KILO_DISABLE_{name}": "1" for name in switches}

    def prepare(self, place: Place, folders: Sequence[Path]) -> None:
        self._placed(place, folders, place.home / ".config/kilo", "kilo.json", place.project / ".kilo")


PROGRAM = _Kilo()
