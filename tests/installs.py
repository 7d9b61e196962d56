"""untilgreen installed as people do it: in a virtual environment, by pipx, as a tool of uv. Once for each wheel."""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import NamedTuple

REPOSITORY = Path(__file__).resolve().parent.parent
SOURCES = ("hooks", "templates", "pyproject.toml", "README.md", "LICENSE")
PACKAGE = "untilgreen[ast-grep]"
TOOLS = ("pipx>=1.8,<2", "uv>=0.9,<1")
NEEDS = ("PATH", "LANG", "SSL_CERT_FILE", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
HOME = os.environ.get("HOME", "")
"""The developer's own, where pip's settings are: read at import, since tests run without it."""

KEPT = 86_400  # seconds an installation of other sources is kept for those who still use it
ODD = "it's my vénv"
"""A folder's name that pip can write a console script for; with a double quote or a dollar sign it cannot."""


class Installation(NamedTuple):
    """`bin`: the folder that is on the PATH; `environment`: the virtual environment in which it runs."""

    bin: Path
    environment: Path


def wheels() -> Path:
    """A folder with the wheels of this repository as it is now, of what it depends on, and of pip.

    In `$UNTILGREEN_INSTALL_CACHE` or `.cache/installs` of the repository. Only this asks the package index, with pip
    as it is set up here; what installs takes it from there. Any number of processes may ask at once.
    """
    return _once(_folder() / "wheels", _build)


def installed(by: str) -> Installation:
    """An installation of those wheels by "venv", "pipx" or "uv"; made when it is first asked for, shared: do not
    write into it."""
    folder, make = _folder() / by, {"venv": _venv, "pipx": _pipx, "uv": _uv}[by]
    house = wheels()
    _once(folder, lambda new: make(new, house))
    environments = {"venv": folder / ODD, "pipx": folder / "venvs/untilgreen", "uv": folder / "tools/untilgreen"}
    return Installation(environments[by] / "bin" if by == "venv" else folder / "bin", environments[by])


def uv() -> Path:
    """The executable of uv; pipx lies beside it."""
    return _once(_cache() / hashlib.sha256(" ".join(TOOLS).encode()).hexdigest()[:16], _tools) / "bin" / "uv"


def into(environment: Path, house: Path) -> None:
    """Makes a virtual environment there and installs the wheels of this folder, compiled: its use writes nothing."""
    _uv_run("venv", "--python", sys.executable, str(environment), home=house)
    words = ("--python", str(environment / "bin/python"), "--no-index", "--find-links", str(house))
    _uv_run("pip", "install", "--compile-bytecode", *words, "untilgreen", home=house)


def _venv(folder: Path, house: Path) -> None:
    _run(sys.executable, "-m", "venv", str(folder / ODD), env={"HOME": str(folder)})
    words = ("install", "--quiet", "--no-compile", "--no-index", "--find-links", str(house), PACKAGE)
    _run(str(folder / ODD / "bin/python"), "-m", "pip", *words, env={"HOME": str(folder)})


def _pipx(folder: Path, house: Path) -> None:
    env = {"HOME": str(folder), "PIPX_HOME": str(folder), "PIPX_BIN_DIR": str(folder / "bin")}
    env |= {"PIPX_MAN_DIR": str(folder / "man"), "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(house)}
    words = ("--backend", "pip", "--pip-args=--no-compile", "--python", sys.executable)
    _run(str(uv().with_name("pipx")), "install", *words, f"{next(house.glob('untilgreen-*.whl'))}[ast-grep]", env=env)


def _uv(folder: Path, house: Path) -> None:
    env = {"UV_TOOL_DIR": str(folder / "tools"), "UV_TOOL_BIN_DIR": str(folder / "bin")}
    words = ("--no-index", "--find-links", str(house), "--python", sys.executable)
    _uv_run("tool", "install", *words, PACKAGE, home=folder, **env)


def _uv_run(*words: str, home: Path, **env: str) -> None:
    own = {"HOME": str(home), "UV_NO_CONFIG": "1", "UV_PYTHON_DOWNLOADS": "never"}
    _run(str(uv()), *words, env=own | env)


def _build(folder: Path) -> None:
    _run(sys.executable, "-m", "pip", "wheel", "--quiet", "--wheel-dir", str(folder), f"{REPOSITORY}[ast-grep]", "pip")


def _tools(folder: Path) -> None:
    _run(sys.executable, "-m", "venv", str(folder))
    _run(str(folder / "bin/python"), "-m", "pip", "install", "--quiet", *TOOLS)


@cache
def _folder() -> Path:
    """The one of the sources as they are now; those of old ones go."""
    tops = [REPOSITORY / name for name in SOURCES]
    files = sorted(file for top in tops for file in ([top] if top.is_file() else top.rglob("*")) if file.is_file())
    digest = hashlib.sha256(sys.version.encode())
    for file in files:
        if "__pycache__" not in file.parts:
            digest.update(f"{file.relative_to(REPOSITORY)}\0".encode() + file.read_bytes())
    folder = _cache() / "wheel" / digest.hexdigest()[:16]
    for other in folder.parent.glob("*"):
        if other != folder and other.stat().st_mtime < time.time() - KEPT:
            shutil.rmtree(other, ignore_errors=True)
    return folder


def _cache() -> Path:
    return Path(os.environ.get("UNTILGREEN_INSTALL_CACHE") or REPOSITORY / ".cache" / "installs")


def _once(folder: Path, make: Callable[[Path], None]) -> Path:
    """The folder, made if it is not there: in place, as scripts hold its path, and marked when it is whole."""
    whole = folder.with_name(f"{folder.name}.whole")
    with _locked(folder):
        if not whole.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            make(folder)
            whole.touch()
    return folder


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_name(f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _run(*words: str, env: dict[str, str] | None = None) -> None:
    kept = {name: value for name, value in os.environ.items() if name in NEEDS or name.startswith("PIP_")}
    kept = {"HOME": HOME, **kept, **(env or {})}
    done = subprocess.run(
        words, env=kept, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, f"{' '.join(words)}: {done.stdout}{done.stderr}"
