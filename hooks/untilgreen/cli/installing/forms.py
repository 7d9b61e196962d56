"""How a registration calls the executables: this installation's own files, or names that mean the same to a team."""

import os
import shutil
import sys
from collections.abc import Mapping

from untilgreen.cli.installing import registration
from untilgreen.core.errors import UserError

PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_ENVIRONMENTS = (".venv", "venv", "env")
_CURE = "install untilgreen in the project's .venv or on the PATH of everybody, or use --local"


def own() -> registration.Call:
    """The interpreter that runs this (of a virtual environment: its own, whatever link was followed to here)."""
    return registration.isolated(sys.executable, os.path.dirname(PACKAGE))


def portable(root: str, env: Mapping[str, str]) -> registration.Call:
    """The console scripts of an environment in the project, else those on the PATH. Raises UserError."""
    for name in _ENVIRONMENTS:
        folder = os.path.join(root, name, "bin")
        if _holds_all(folder) and (same(folder, os.path.dirname(sys.executable)) or _on_path(folder, env)):
            return registration.scripts(f"${{CLAUDE_PROJECT_DIR}}/{name}/bin/")
    for name in registration.NAMES:
        found = shutil.which(name, path=env.get("PATH", ""))
        if found is None:
            raise UserError(f"--shared: {name} is not on the PATH, and an absolute path is yours alone; {_CURE}")
        if not _is_ours(found):
            raise UserError(f"--shared: {found} is not untilgreen's {name}; {_CURE}")
        if os.path.abspath(found).startswith(root.rstrip(os.sep) + os.sep):
            raise UserError(f"--shared: {found} is on your PATH, not on everybody's; {_CURE}")
    return registration.scripts("")


def _holds_all(folder: str) -> bool:
    return all(_is_ours(os.path.join(folder, name)) for name in registration.NAMES)


def _on_path(folder: str, env: Mapping[str, str]) -> bool:
    found = shutil.which("stop-loop", path=env.get("PATH", ""))
    return found is not None and same(folder, os.path.dirname(found))


def same(one: str, other: str) -> bool:
    """Do two paths lead to the same file?"""
    return os.path.realpath(one) == os.path.realpath(other)


def _is_ours(path: str) -> bool:
    """Is this a console script of untilgreen? Those that pip and uv write import it in their first lines."""
    try:
        with open(path, "rb") as file:
            return b"untilgreen." in file.read(4096)
    except OSError:
        return False
