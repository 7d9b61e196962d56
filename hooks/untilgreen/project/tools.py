"""Where a check's tool lives: the project's own environments first (Python's, then Node's packages), then PATH.

A tool out of the project is the project's own code. Where the project is not trusted, only PATH counts, and
of PATH only what lies outside of the project. What the extra brought lies where our interpreter does, which
is on no PATH where pipx or uv installed us.
"""

import os
import sys
from collections.abc import Iterator, Mapping

from untilgreen.core.record import NamedTuple
from untilgreen.project.toplevel import main_tree, within

_FOLDERS = (".venv", "venv", "env")
_PROGRAMS = ("bin", "Scripts")
_SUFFIX = ".exe" if os.name == "nt" else ""
WRAPPERS = ("gradlew", "mvnw")  # they bring the tool, and lie where the project does
_WITH_US = ("ast-grep",)  # the extra; it needs nothing of the project's environment
_SECONDS = 5.0  # for each tool that is asked for its environment
# file that must be there -> who is asked, with what
_ASKED = {
    "poetry.lock": ("poetry", "env", "info", "-p"),
    "Pipfile.lock": ("pipenv", "--venv"),
    "hatch.toml": ("hatch", "env", "find"),
}


class Tool(NamedTuple):
    path: str
    interpreter: str  #: the project's own Python, "" when none is known
    inside: bool  #: it lives in an environment of the project, and sees the project's packages


def find(
    tool: str, root: str, project: str, env: Mapping[str, str], *, trusted: bool, asked: Mapping[str, str]
) -> Tool | None:
    """The tool for a check in `root` (absolute, in `project`), or None. `asked`: from `ask_environments`."""
    # asking an interpreter where its packages are would run it
    environments = list(environments_of(root, project, env, asked)) if trusted else []
    python = next(filter(None, map(_python, environments)), "")  # the project's own; PATH's does not count
    for folder in environments:
        if path := _program(folder, tool):
            return Tool(path, _python(folder) or python, inside=True)
    if trusted and tool in WRAPPERS and (path := _executable(root, tool)):
        return Tool(path, python, inside=True)
    for folder in (*_folders(root, project), *_in_main_tree(root, project)) if trusted else ():
        if path := _executable(os.path.join(folder, "node_modules", ".bin"), tool):
            return Tool(path, python, inside=True)
    path = on_path(tool, project, env, trusted)
    if not path and tool in _WITH_US:
        path = on_path(tool, project, {"PATH": os.path.dirname(sys.executable)}, trusted)
    if not path:
        return None
    inside = trusted and within(project, os.path.dirname(path))
    beside = _python(os.path.dirname(os.path.dirname(path))) if inside else ""
    return Tool(path, beside or python, inside)


def in_folder(folder: str, tool: str) -> Tool | None:
    """The tool in a folder of programs that is nobody's environment here, or None."""
    path = _executable(folder, tool)
    return Tool(path, "", inside=False) if path else None


def on_path(tool: str, project: str, env: Mapping[str, str], trusted: bool) -> str:
    """The tool's absolute path by PATH, "" when it is not there.

    Not trusted: no relative or empty entry (they mean "wherever the agent is"), nothing that lies in the
    project or in the main tree of a linked one, not even by a link.
    """
    own = [] if trusted else [folder for folder in (project, main_tree(project)) if folder]
    for folder in env.get("PATH", os.defpath).split(os.pathsep):
        if not trusted and not os.path.isabs(folder):
            continue
        path = _executable(os.path.join(project, folder), tool)
        if path and not any(within(home, folder) or within(home, path) for home in own):
            return path
    return ""


def node_modules(root: str, project: str) -> str:
    """The nearest folder of Node's packages from a check root (absolute) upwards, "" where there is none."""
    places = (os.path.join(folder, "node_modules") for folder in _folders(root, project))
    return next(filter(os.path.isdir, places), "")


def ask_environments(project: str, env: Mapping[str, str]) -> dict[str, str]:
    """Where poetry, pipenv, hatch, pdm and uv keep the environment of a project that has their lock.

    Starts their processes (5 s each), which read the project: for trusted projects, once a loop. A tool that
    is missing, fails, is slow or names no folder is left out.
    """
    there = {name for name in (*_ASKED, "pdm.lock", "uv.lock") if os.path.isfile(os.path.join(project, name))}
    found = {command[0]: _answer(command, project, env) for lock, command in _ASKED.items() if lock in there}
    if "pdm.lock" in there:
        found["pdm"] = _pdm_environment(project)
    if "uv.lock" in there and env.get("UV_PROJECT_ENVIRONMENT"):
        found["uv"] = os.path.join(project, env["UV_PROJECT_ENVIRONMENT"])
    return {name: folder for name, folder in found.items() if folder and os.path.isdir(folder)}


def environments_of(root: str, project: str, env: Mapping[str, str], asked: Mapping[str, str]) -> Iterator[str]:
    """Folders of environments that may be the project's, the nearest first."""
    yield from (os.path.join(folder, name) for folder in _folders(root, project) for name in _FOLDERS)
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        folder = env.get(variable, "")
        if os.path.isabs(folder) and os.path.realpath(folder) != os.path.realpath(sys.prefix):
            yield folder
    yield from asked.values()
    yield from (os.path.join(folder, name) for folder in _in_main_tree(root, project) for name in _FOLDERS)


def _folders(root: str, project: str) -> Iterator[str]:
    """The root and the folders above it, up to the project."""
    yield root
    while os.path.realpath(root) != os.path.realpath(project) and os.path.dirname(root) != root:
        root = os.path.dirname(root)
        yield root


def _in_main_tree(root: str, project: str) -> Iterator[str]:
    """The same folders of the main tree, where the project is a linked one."""
    if main := main_tree(project):
        yield from _folders(os.path.normpath(os.path.join(main, os.path.relpath(root, project))), main)


def _python(folder: str) -> str:
    return _program(folder, "python") or _program(folder, "python3")


def _program(folder: str, tool: str) -> str:
    return next((path for programs in _PROGRAMS if (path := _executable(os.path.join(folder, programs), tool))), "")


def _executable(folder: str, tool: str) -> str:
    """The path of a regular file that may be executed; a folder or a text file of that name does not count."""
    path = os.path.join(folder, tool + _SUFFIX)
    return path if os.path.isfile(path) and os.access(path, os.X_OK) else ""


def _answer(command: tuple[str, ...], project: str, env: Mapping[str, str]) -> str:
    """The last line that the tool prints."""
    import subprocess

    program = on_path(command[0], project, env, trusted=True)
    if not program:
        return ""
    # an active environment, which may be ours, would be the answer of poetry and pipenv
    kept = {name: value for name, value in env.items() if name not in ("VIRTUAL_ENV", "CONDA_PREFIX")}
    kept |= {"LC_ALL": "C.UTF-8", "NO_COLOR": "1", "PIPENV_IGNORE_VIRTUALENVS": "1", "UNTILGREEN_DISABLE": "1"}
    words, none = (program, *command[1:]), subprocess.DEVNULL
    try:
        printed = subprocess.check_output(words, cwd=project, env=kept, stdin=none, stderr=none, timeout=_SECONDS)
    except (OSError, subprocess.SubprocessError):  # it failed, or was too slow
        return ""
    return os.fsdecode(printed).strip().rpartition("\n")[2].strip()


def _pdm_environment(project: str) -> str:
    """The environment of the interpreter that pdm notes; a bare interpreter is no environment of the project."""
    try:
        with open(os.path.join(project, ".pdm-python"), encoding="utf-8", errors="surrogateescape") as stream:
            folder = os.path.dirname(os.path.dirname(stream.readline(8192).strip()))
    except OSError:
        return ""
    return folder if os.path.isfile(os.path.join(folder, "pyvenv.cfg")) else ""
