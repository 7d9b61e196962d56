"""Which Python runs a tool, and where its packages are."""

import os
import re
import subprocess
from collections.abc import Mapping

from untilgreen.core.record import NamedTuple

_PYTHON = re.compile(r"(?:python|pypy)[\d.]*")
# the first line of a script; or, where the path is too long or has a space in it, the second
_STARTED_BY = re.compile(
    rb"#!(?P<plain>/[^\s]*/(?:python|pypy)[\d.]*)(?:[ \t].*)?\n|#!/bin/sh\n'''exec' \"?(?P<sh>/[^\"\n]*?)\"? "
)
_HEAD = 4096  # bytes of a script that are read
_SECONDS = 20.0
_ASKED = (
    "import site, sys; print('\\n'.join([sys.executable, sys.prefix, '%d.%d' % sys.version_info[:2],"
    " *site.getsitepackages(), *([site.getusersitepackages()] if site.ENABLE_USER_SITE else [])]))"
)


class Python(NamedTuple):
    """An interpreter, as it told it itself."""

    executable: str
    prefix: str
    version: str
    #: the folders of its packages
    libraries: tuple[str, ...]


def of(tool: str) -> str:
    """The interpreter that runs a tool (absolute), maybe the tool itself; "" where that is none of Python, or nobody
    knows."""
    if _PYTHON.fullmatch(os.path.basename(tool)):
        return tool
    try:
        with open(tool, "rb") as stream:
            found = _STARTED_BY.match(stream.read(_HEAD))
    except OSError:
        return ""
    return os.fsdecode(found["plain"] or found["sh"]) if found else ""


def prefix(python: str) -> str:
    """The virtual environment of an interpreter, by where it lies; "" where it lies in none."""
    folder = os.path.dirname(os.path.dirname(python))
    return folder if os.path.isfile(os.path.join(folder, "pyvenv.cfg")) else ""


def ask(python: str, cwd: str, env: Mapping[str, str]) -> Python | None:
    """What an interpreter, or a script that starts one, tells of itself; None where it does not."""
    none = subprocess.DEVNULL
    try:
        said = subprocess.check_output(
            (python, "-c", _ASKED), cwd=cwd, env=env, stdin=none, stderr=none, timeout=_SECONDS
        )
    except (OSError, subprocess.SubprocessError):
        return None
    lines = os.fsdecode(said).split("\n")[:-1]
    return Python(lines[0], lines[1], lines[2], tuple(lines[3:])) if len(lines) > 3 else None
