"""How a registration calls the executables: this installation's own files, or names that mean the same to a team."""

import os
import shutil
import sys
from collections.abc import Mapping

from untilgreen.core.errors import UserError
from untilgreen.hosts.host import EXECUTABLES, Call

PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# imports the package from the folder that follows and answers as the executable named next. Not `python FILE`: an
# interpreter that does not find its file ends with 2, which hosts take for a decision: once the package was gone,
# every prompt was refused (seen with Claude Code 2.1.330 and 2.1.150). Nor the console script: its start costs more
# than the hook. The folder comes before site-packages and after the standard library.
# A package that cannot be loaded is told to the user, and ends with 0.
LOST = "the package cannot be loaded"
START = (
    "import sys; p = sys.path; n = [f.endswith('-packages') for f in p] + [True]; "
    "p.insert(n.index(True), sys.argv.pop(1))\n"
    "try: from untilgreen.entry import main\n"
    f'except Exception as e: print(\'{{"systemMessage": "untilgreen failed: {LOST} (%s), nothing was judged. '
    "Fix: install it again, or take its hooks out of the settings\"}' % type(e).__name__)\n"
    "else: main()"
)
_ENVIRONMENTS = (".venv", "venv", "env")
_CURE = "install untilgreen in the project's .venv or on the PATH of everybody, or use --local"


def own(host: str) -> Call:
    """The interpreter that runs this (of a virtual environment: its own, whatever link was followed to here)."""
    return isolated(sys.executable, os.path.dirname(PACKAGE), host)


def status_line() -> list[str]:
    """What prints the loop's line, for the status line of a host."""
    return [sys.executable, "-I", os.path.join(PACKAGE, "events", "status_line.py")]


def isolated(command: str, directory: str, host: str) -> Call:
    """The package in this directory, run by this interpreter, isolated: the quickest way to start."""
    return lambda name: (command, ["-I", "-c", START, directory, name, "--host", host])


def scripts(prefix: str, host: str) -> Call:
    """The console scripts, behind a folder's path that ends with "/", or by their bare names ("")."""
    return lambda name: (f"{prefix}{name}", ["--host", host])


def portable(host: str, project: str, root: str, env: Mapping[str, str]) -> Call:
    """The console scripts of an environment in the project, else those on the PATH; `project`: how the settings name
    the project's folder. Raises UserError."""
    for name in _ENVIRONMENTS if project else ():
        if all(os.access(os.path.join(root, name, "bin", one), os.X_OK) for one in EXECUTABLES):
            return scripts(f"{project}/{name}/bin/", host)
    for name in EXECUTABLES:
        found = shutil.which(name, path=env.get("PATH", ""))
        if found is None:
            raise UserError(f"--shared: {name} is not on the PATH, and an absolute path is yours alone", _CURE)
        if os.path.abspath(found).startswith(root.rstrip(os.sep) + os.sep):
            raise UserError(f"--shared: {found} is on your PATH, not on everybody's", _CURE)
    return scripts("", host)


def same(one: str, other: str) -> bool:
    """Do two paths lead to the same file?"""
    return os.path.realpath(one) == os.path.realpath(other)
