"""Hosts from the npm registry, one folder a version."""

import fcntl
import os
import platform
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

PACKAGE = "@anthropic-ai/claude-code"
PINNED = "2.1.150"
NODE = f"node-{sys.platform}-{'arm64' if platform.machine() in ('arm64', 'aarch64') else 'x64'}"
"""Node.js itself, as npm has it for this platform: for hosts that need a newer one than there may be."""

REPOSITORY = Path(__file__).resolve().parents[2]
NPM_NEEDS = ("PATH", "LANG", "NODE_EXTRA_CA_CERTS", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
HOME = os.environ.get("HOME", "")
"""The developer's own, where npm's settings are: read at import, since tests run without it."""

NPM_SECONDS = 300


def cache_folder() -> Path:
    """`$UNTILGREEN_HOST_CACHE`, else `.cache/hosts` of the repository."""
    return Path(os.environ.get("UNTILGREEN_HOST_CACHE") or REPOSITORY / ".cache" / "hosts")


def install(version: str) -> Path:
    """Claude Code's native executable of that version ("latest" is looked up)."""
    return native(installed(PACKAGE, latest(PACKAGE) if version == "latest" else version))


def installed(package: str, number: str) -> Path:
    """The folder in which this package of that version is installed, downloaded the first time it is asked for.

    Any number of processes may ask at once: one downloads, the others wait for it.
    """
    name = number if package == PACKAGE else f"{package.replace('/', '+')}@{number}"
    folder = cache_folder() / name
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            _download(package, number, folder)
    return folder


@cache
def latest(package: str) -> str:
    """The registry's newest version number."""
    return _npm("view", package, "version", cwd=Path(tempfile.gettempdir())).strip()


def _download(package: str, number: str, folder: Path) -> None:
    """All or nothing: a folder that exists is whole."""
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as temporary:
        new = Path(temporary) / "new"
        new.mkdir()
        (new / "package.json").write_text('{"private": true}\n', encoding="utf-8")
        # Native executables are packages of their own, so that no install script needs to run.
        _npm("install", "--no-audit", "--no-fund", "--ignore-scripts", f"{package}@{number}", cwd=new)
        new.rename(folder)


def native(folder: Path) -> Path:
    """Claude Code's executable. The package of this platform is the only optional one that npm installs (two on Linux
    without libc metadata)."""
    found = sorted((folder / "node_modules").glob(f"{PACKAGE}-*/claude"), key=lambda path: len(str(path)))
    assert found, f"{PACKAGE} has no native executable for this platform"
    return found[0]


def node(folder: Path) -> str:
    """Node's executable in the folder of that package."""
    return str(folder / "node_modules" / NODE / "bin" / "node")


def _npm(*args: str, cwd: Path) -> str:
    wanted = {name: value for name, value in os.environ.items() if name.upper() in NPM_NEEDS}
    settings = {name: value for name, value in os.environ.items() if name.lower().startswith("npm_config_")}
    command = ["npm", "--loglevel=error", *args]
    done = subprocess.run(
        command,
        cwd=cwd,
        env={**wanted, **settings, "HOME": HOME},
        capture_output=True,
        text=True,
        timeout=NPM_SECONDS,
        check=False,
    )
    assert done.returncode == 0, f"npm {args[0]}: {done.stderr.strip()}"
    return done.stdout
