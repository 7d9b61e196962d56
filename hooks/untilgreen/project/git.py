"""Git, asked without its locks and without running anything that the project's configuration names."""

import os
import subprocess

from untilgreen.project.tools import on_path

_SECONDS = 10.0  # for each process
# the only variables of git's that do not point at some repository: a hook that git runs sets the others
_KEPT = (
    *("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"),
    *("GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_"),
    *("GIT_EXEC_PATH", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM"),
)


def ignored(root: str, path: str) -> bool:
    """Whether git ignores the file (a path relative to `root`) and does not track it; False where git has no say."""
    return end(start(root, "check-ignore", "-q", "--", path))[0] == 0


def start(root: str, *arguments: str) -> "subprocess.Popen[bytes] | None":
    """Start git without its locks and without the project's programs; None when it is missing."""
    if not (program := on_path("git", root, os.environ, trusted=False)):
        return None
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name.startswith(_KEPT)}
    env, none = kept | {"GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}, subprocess.DEVNULL
    # a file system monitor is a program that the repository's configuration names
    words = (program, "--no-optional-locks", "-c", "core.quotepath=off", "-c", "core.fsmonitor=false", *arguments)
    try:
        return subprocess.Popen(words, cwd=root, env=env, stdin=none, stdout=subprocess.PIPE, stderr=none)
    except OSError:
        return None


def end(process: "subprocess.Popen[bytes] | None", seconds: float = _SECONDS) -> tuple[int, bytes]:
    """Git's exit code and what it printed; (-1, b"") when it is missing or takes more than `seconds` from now."""
    if process is None:
        return -1, b""
    with process:
        try:
            printed, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            return -1, b""
    return process.returncode, printed
