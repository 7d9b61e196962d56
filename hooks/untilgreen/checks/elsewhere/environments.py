"""A virtual environment of Python again, made of links: whatever in it names the project (scripts, `.pth` files, the
finders of setuptools, links) names the copy. An interpreter without an environment gets one in which only that is.

Each Python of it loads a module that looks, when the interpreter ends, where the project's modules came from; what ends
without its end (`os._exit`) tells nothing.
"""

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from functools import partial

from untilgreen.checks.elsewhere import materialise
from untilgreen.checks.elsewhere.materialise import Unfit, put, read_small, rewrite
from untilgreen.checks.run.report_folder import remove
from untilgreen.core.record import NamedTuple
from untilgreen.project.files import templates_folder

MARK = "pyvenv.cfg"
_SCRIPTS, _LIBRARIES = ("bin", "Scripts"), ("site-packages", "dist-packages")
# as `__editable___shop_0_1_finder.py`, `_shop_editable_loader.py`, `shop.egg-link`
_EDITABLE = re.compile(r".*\.(?:pth|egg-link)|_.*editable.*\.py")
# these look for the project before anybody else, and build it where it lies
_STUBBORN = re.compile(rb"class (MesonpyMetaFinder|ScikitBuildRedirectingFinder)\b")
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
_WITNESS = "_untilgreen_witness"


class Python(NamedTuple):
    """An interpreter, as it told it itself."""

    executable: str
    prefix: str
    version: str
    libraries: tuple[str, ...]  #: the folders of its packages


class Testimony(NamedTuple):
    """What is told of a run, and where."""

    root: str  #: the project's, absolute
    folder: str  #: where it is told, a file for each process

    def module(self, installed: Sequence[str] = ()) -> bytes:
        """The text of the module. `installed`: where the project's packages are if they were installed as copies."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        root = os.path.join(self.root, "")
        with open(os.path.join(templates_folder(), "witness.py.txt"), encoding="utf-8") as file:
            text = file.read()
        return text.format(root=root, installed=tuple(installed), folder=self.folder, flags=flags).encode()

    def heard(self) -> str:
        """What of the project was loaded that is not the copy's, and how; "" where nothing was. Raises OSError."""
        for name in sorted(os.listdir(self.folder)):
            with open(os.path.join(self.folder, name), encoding="utf-8", errors="surrogateescape") as stream:
                path = stream.readline(4096).rstrip("\n")
            if path.startswith(os.path.join(self.root, "")) and "site-packages" not in path:
                return f"{os.path.relpath(path, self.root)} was imported from the work tree"
            return f"{path.rpartition('site-packages' + os.sep)[2]} was imported as it is installed"
        return ""


def mirror(prefix: str, copy: str, move: materialise.Move, told: Testimony) -> None:
    """Make the environment at `prefix` again at `copy`. `told`: who looks at what it loads. Raises Unfit where the
    project in it cannot be the copy; other OSErrors."""

    def script(old: str, new: str) -> None:
        always = os.path.basename(old).startswith("activate")
        rewrite(old, new, move, 0o700, lambda text: always or text.startswith(b"#!"))

    def library(old: str, new: str) -> None:
        """`lib/python3.11/site-packages`, and `Lib/site-packages` as Windows has it."""
        name = os.path.basename(old)
        if name in _LIBRARIES:  # its __pycache__ is written anew
            make = partial(_package, move=move)
            materialise.mirror(old, new, move.laid, make, without=("__pycache__",))
            own = _copied(old, move)
            _testify(new, told, [os.path.join(top, one) for top in (old, new) for one in own])
        elif name.startswith(("python", "pypy")) and os.path.isdir(old) and not os.path.islink(old):
            materialise.mirror(old, new, move.laid, library)
        else:
            materialise.link(old, new, move)

    def part(old: str, new: str) -> None:
        name = os.path.basename(old)
        if name == MARK:
            put(new, read_small(old))
        elif os.path.islink(old) or name not in (*_SCRIPTS, "lib", "lib64", "Lib"):
            materialise.link(old, new, move)
        else:
            materialise.mirror(old, new, move.laid, script if name in _SCRIPTS else library)

    materialise.mirror(prefix, copy, move.laid, part)


def overlay(python: Python, copy: str, move: materialise.Move, told: Testimony) -> None:
    """An environment at `copy` for an interpreter that has none. Raises Unfit, other OSErrors, as `mirror` does."""
    packages = os.path.join(copy, "lib", f"python{python.version}", "site-packages")
    if os.path.lexists(copy):
        remove(copy)
    os.makedirs(packages, mode=0o700)
    os.mkdir(os.path.join(copy, "bin"))
    home, name = os.path.split(os.path.realpath(python.executable))
    put(os.path.join(copy, MARK), os.fsencode(f"home = {home}\ninclude-system-site-packages = true\n"))
    for one in dict.fromkeys((name, "python", "python3")):
        os.symlink(os.path.join(home, name), os.path.join(copy, "bin", one))
    own = list[str]()
    for folder in filter(os.path.isdir, python.libraries):
        own += (os.path.join(folder, one) for one in _copied(folder, move))
        for one in filter(_EDITABLE.fullmatch, os.listdir(folder)):
            old, new = os.path.join(folder, one), os.path.join(packages, one)
            if not os.path.lexists(new) and names(old, move):
                _package(old, new, move)
    _testify(packages, told, own)


def names(path: str, move: materialise.Move) -> bool:
    """Whether a file names the project. Raises OSError."""
    text = read_small(path)
    return move.text(text) != text


def script(tool: str, folder: str) -> str:
    """A Python script in the folder of an environment's programs; put there if it is none of its own."""
    path = os.path.join(folder, os.path.basename(tool))
    if not os.path.lexists(path):
        _, _, rest = read_small(tool).partition(b"\n")
        put(path, b"#!%s\n%s" % (os.fsencode(os.path.join(folder, "python")), rest), 0o700)
    return path


def _package(old: str, new: str, move: materialise.Move) -> None:
    name = os.path.basename(old)

    def wanted(text: bytes) -> bool:
        if (found := _STUBBORN.search(text)) and move.text(text) != text:
            raise Unfit(f"{name} imports the project from its work tree ({found[1].decode()})")
        return True

    if _EDITABLE.fullmatch(name):
        rewrite(old, new, move, wanted=wanted)
    else:
        materialise.link(old, new, move)


def _copied(packages: str, move: materialise.Move) -> list[str]:
    """The modules and folders among these packages that the project was installed as, not for editing."""
    found = list[str]()
    for one in filter(re.compile(r".*\.dist-info").fullmatch, os.listdir(packages)):
        origin, record = (os.path.join(packages, one, name) for name in ("direct_url.json", "RECORD"))
        if not os.path.isfile(origin) or not os.path.isfile(record) or not names(origin, move):
            continue
        if not re.search(rb'"editable"\s*:\s*true', read_small(origin)):
            paths = (line.partition(",")[0] for line in os.fsdecode(read_small(record)).split("\n"))
            tops = dict.fromkeys(path.partition("/")[0] for path in paths)
            found += (top for top in tops if top not in ("", "..", one))
    return found


def _testify(packages: str, told: Testimony, own: Sequence[str]) -> None:
    put(os.path.join(packages, f"{_WITNESS}.py"), told.module(own))
    put(os.path.join(packages, f"{_WITNESS}.pth"), f"import {_WITNESS}\n".encode())


# --- which Python runs a tool, and where its packages are


def python_of(tool: str) -> str:
    """The interpreter that runs a tool (absolute), maybe the tool itself; "" where that is not known."""
    if _PYTHON.fullmatch(os.path.basename(tool)):
        return tool
    try:
        with open(tool, "rb") as stream:
            found = _STARTED_BY.match(stream.read(_HEAD))
    except OSError:
        return ""
    return os.fsdecode(found["plain"] or found["sh"]) if found else ""


def prefix_of(python: str) -> str:
    """The virtual environment of an interpreter, by where it lies; "" where it lies in none."""
    folder = os.path.dirname(os.path.dirname(python))
    return folder if os.path.isfile(os.path.join(folder, "pyvenv.cfg")) else ""


def ask_python(python: str, cwd: str, env: Mapping[str, str]) -> Python | None:
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
