"""How a registration calls the executables: this installation's own files, or names that mean the same to a team."""

import ast
import hashlib
import os
import re
import shlex
import shutil
import sys
from collections.abc import Mapping

from untilgreen import hosts
from untilgreen.core.errors import UserError
from untilgreen.core.record import NamedTuple
from untilgreen.hosts.host import EXECUTABLES, Call
from untilgreen.project import files, trust
from untilgreen.state import call_marks

PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LOST = "the package cannot be loaded"
# The package comes before site-packages and after the standard library. One that cannot be loaded is told to the user.
_CODE = """\
import sys
p = sys.path
n = [f.endswith('-packages') for f in p] + [True]
p.insert(n.index(True), {folder})
try: from untilgreen.entry import {function} as main
except Exception as e: print('{{"systemMessage": "untilgreen failed: {lost} (%s), nothing was judged. \
Fix: install it again, or take its hooks out of the settings"}}' % type(e).__name__)
else: main()
"""
_NAMED = r"p\.insert\(n\.index\(True\), (.*)\)\n"
_LARGEST = 16_384  # bytes of a launcher
_ENVIRONMENTS = (".venv", "venv", "env")
_CURE = "install untilgreen in the project's .venv or on the PATH of everybody, or use --local"


def code(name: str, directory: str) -> str:
    """The Python that answers as an executable of ours, with the package in this directory."""
    return _CODE.format(folder=ascii(directory), function=name.replace("-", "_"), lost=LOST)


def launcher(name: str, interpreter: str, directory: str) -> bytes:
    """The file that a host runs for an executable: a shell sees whether there is anything to do, and only then starts
    the interpreter, isolated.

    Not `python FILE`: an interpreter that does not find its file ends with 2, which hosts take for a decision (once the
    package was gone, every prompt was refused: Claude Code 2.1.330 and 2.1.150), and a host that drops the arguments
    (Copilot CLI) would hand the payload to it as a program. Nor the console script: its start costs more than the hook.
    """
    with open(os.path.join(files.templates_folder(), "launcher.sh"), encoding="utf-8") as file:
        text = file.read()
    rows = (
        f"{host}) ug_session=${row[1]} ug_project=${row[2]} ;;"
        for host, row in hosts.ADAPTERS.items()
        if row[1] and row[2]
    )
    quoted = shlex.quote(interpreter), shlex.quote(code(name, directory))
    mark = f'echo "7 $ug_session {call_marks.NOTHING[1]}"' if name == "stop-loop" else "echo"
    words = {"HOSTS": "\n  ".join(rows), "MARK": mark, "NAME": name, "CALL": 'exec {} -I -c {} "$@"'.format(*quoted)}
    text = re.sub(rf"\b(?:{'|'.join(words)})\b", lambda found: words[found[0]], text)
    return os.fsencode(text)


def folder(settings: str, env: Mapping[str, str]) -> str:
    """Where the launchers of a settings file lie: outside of the project, out of the reach of git and cleanups."""
    return os.path.join(trust.folder(env), "hooks", hashlib.sha256(os.fsencode(settings)).hexdigest()[:8])


def launchers(folder: str) -> dict[str, bytes]:
    """Every launcher in that folder, for the interpreter that runs this (of a virtual environment: its own, whatever
    link was followed to here): path to what it holds."""
    directory = os.path.dirname(PACKAGE)
    return {os.path.join(folder, name): launcher(name, sys.executable, directory) for name in EXECUTABLES}


class Launcher(NamedTuple):
    interpreter: str
    directory: str  #: the folder that the package is in
    ours: bool  #: it does what ours do, and nothing else


def read(path: str) -> Launcher | None:
    """What this file names, None where it is no launcher that can be read."""
    try:
        whole = files.read(path, _LARGEST, follow=True)
        called = re.search(r"(?ms)^  exec (.*?) \"\$@\"$", os.fsdecode(whole))
        interpreter, _, _, text = shlex.split(called[1]) if called else ("", "", "", "")
        found = re.search(_NAMED, text)
        directory = str(ast.literal_eval(found[1])) if found else ""
        ours = whole == launcher(os.path.basename(path), interpreter, directory)
        return Launcher(interpreter, directory, ours) if found else None
    except (OSError, ValueError, SyntaxError):
        return None


def status_line() -> list[str]:
    """What prints the loop's line, for the status line of a host."""
    return [sys.executable, "-I", os.path.join(PACKAGE, "loops", "heard", "status_line.py")]


def scripts(prefix: str, host: str) -> Call:
    """The console scripts, behind a folder's path that ends with "/", or by their bare names ("")."""
    return lambda name: (f"{prefix}{name}", ["--host", host])


def portable(host: str, project: str, root: str, env: Mapping[str, str]) -> Call:
    """The scripts of an environment in the project (settings name it `project`), or on the PATH. Raises UserError."""
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
    return os.path.realpath(one) == os.path.realpath(other)
