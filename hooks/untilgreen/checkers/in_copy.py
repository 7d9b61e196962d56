"""Run a tool in a copy of the project, which it may change: `in_copy.py COPY TOOL words …`, in the project.

A process of its own that imports nothing of ours, in the process group of its check. The copy is a repository with the
project's history and with the files that git knows or does not ignore, as they are in the work tree; folders of what is
installed are linked. What the tool says goes through, and its exit code, which is 1 where it only changed files; at the
end comes a line for each of these: `untilgreen: changed a.py`.
"""

import os
import sys

_CHANGED = "untilgreen: changed "
# the host's own git may be in the middle of a commit; its settings and names are fine
_KEPT = ("GIT_CONFIG", "GIT_AUTHOR", "GIT_COMMITTER", "GIT_EXEC_PATH", "GIT_SSL")
_PLAIN = ("core.hooksPath=/dev/null", "core.fsmonitor=false", "core.safecrlf=false", "gc.auto=0", "core.quotepath=off")
_BRANCH = "refs/heads/untilgreen"
_LINKED = ("node_modules", ".venv", "venv")


def argv(copy: str, tool: str, *words: str) -> tuple[str, ...]:
    """The command line that runs the tool in the copy, a folder that is not there yet."""
    return (sys.executable, "-I", os.path.abspath(__file__), copy, tool, *words)


def changed(stdout: str) -> list[str]:
    """The files that the tool changed."""
    return [line.removeprefix(_CHANGED) for line in stdout.split("\n") if line.startswith(_CHANGED)]


def main(words: list[str]) -> int:
    import subprocess  # only the process of its own needs it

    copy, tool, *rest = words
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name.startswith(_KEPT)}
    env["PATH"] = os.path.dirname(tool) + os.pathsep + env.get("PATH", os.defpath)
    env["UV_NO_SYNC"] = "1"  # an environment that is only linked must not learn to look for the project in here
    listing = ("ls-files", "-z", "--cached", "--others", "--exclude-standard")
    listed = _git(env, ".", *listing)
    if _git(env, ".", "clone", "-q", "--shared", "--no-checkout", "--template=", ".", copy) is None:
        _git(env, ".", "init", "-q", "--template=", copy)
    if listed is None:  # the project is no repository
        listed = _git(env, ".", f"--git-dir={copy}/.git", "--work-tree=.", *listing)
    if not listed:
        print("error: git lists no file here: nothing was looked at", file=sys.stderr)
        return 2
    for command in (("update-ref", _BRANCH, "HEAD"), ("symbolic-ref", "HEAD", _BRANCH)):  # hooks look for main's name
        _git(env, copy, *command)
    for name in filter(None, os.fsdecode(listed).split("\0")):
        _copy(name, os.path.join(copy, name))
    _git(env, copy, "add", "--all", "--force")
    for name in _LINKED:
        if os.path.isdir(name) and not os.path.lexists(os.path.join(copy, name)):
            os.symlink(os.path.abspath(name), os.path.join(copy, name))
    try:
        code = subprocess.run((tool, *rest), cwd=copy, env=env, stdin=subprocess.DEVNULL, check=False).returncode
    except OSError as error:
        print(f"error: {error}", file=sys.stderr)
        return 127  # as a shell tells it
    names = [name for name in os.fsdecode(_git(env, copy, "diff", "--name-only", "-z") or b"").split("\0") if name]
    for name in names:
        print(f"{_CHANGED}{os.fsencode(name).decode(errors='replace')}", flush=True)
    return (code or bool(names)) if code >= 0 else 128 - code  # of a signal as a shell tells it


def _copy(name: str, path: str) -> None:
    if not os.path.lexists(name):
        return
    if os.path.isdir(name) and not os.path.islink(name):  # a submodule, or a repository in this one
        os.makedirs(path, exist_ok=True)
        return
    import shutil

    os.makedirs(os.path.dirname(path), exist_ok=True)
    shutil.copy2(name, path, follow_symlinks=False)


def _git(env: dict[str, str], folder: str, *words: str) -> bytes | None:
    """What git printed; None where it failed."""
    import subprocess

    plain = (word for one in _PLAIN for word in ("-c", one))
    done = subprocess.run(
        ("git", *plain, *words), cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    return done.stdout if done.returncode == 0 else None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
