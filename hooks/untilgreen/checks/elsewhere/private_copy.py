"""The project in a private folder, as one of its trees has it, with all that its tools need beside that."""

import os
import re
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial

from untilgreen.checks.elsewhere import environments, ignored, materialise
from untilgreen.checks.elsewhere.laid import NOTHING, Laid, clear, clear_tree, found, mark, tick
from untilgreen.checks.run import report_folder
from untilgreen.checks.run.report_folder import digest, empty
from untilgreen.core.model.check import Check
from untilgreen.core.record import NamedTuple
from untilgreen.core.trees import above as folders_above
from untilgreen.project.tools import on_path
from untilgreen.project.toplevel import above, within
from untilgreen.project.tree.layout import is_tests

_SECONDS = 10.0  # for each call of git
_PLAIN = ("core.hooksPath=/dev/null", "core.fsmonitor=false", "gc.auto=0", "advice.detachedHead=false")
# a test by its file's name
_TEST = re.compile(r"(?:test_.*|.*_test|conftest|.*[.-](?:test|spec))\.\w+")
_TARGET = "CARGO_TARGET_DIR"
_BY_PYTHON = ("pytest", "unittest", "django-test", "mypy")


class Copy(NamedTuple):
    """The project as a tree has it."""

    root: str  #: absolute
    move: materialise.Move  #: from the project, and from environments outside of it, into the copies
    env: dict[str, str]
    tools: Mapping[str, str]  #: the tools that lie outside of the project and are run by a Python: tool to its copy
    told: environments.Testimony
    differing: tuple[str, ...]  #: files that are not as they are in the work tree
    beside: ignored.Beside
    unbuilt: tuple[str, ...] = ()  #: what a build made in the work tree, and is left out: the tree has other sources

    def check(self, check: Check) -> Check:
        tool = self.tools.get(check.tool) or self.move.path(check.tool)
        interpreter = self.tools.get(check.interpreter) or self.move.path(check.interpreter)
        call, own = self.move.words(check.call), self.move.words(check.env)
        target = self.env.get(_TARGET)  # a call of ours builds here, too
        apart = (f"{_TARGET}={target}",) if target else ()
        return check._replace(tool=tool, interpreter=interpreter, call=call, env=(*apart, *own))


class _PythonTool(NamedTuple):
    """A tool that a Python runs: its file; the folder of the environment, or the file of a Python that has none."""

    tool: str
    home: str
    alone: environments.Python | None = None


def make_copy(
    project: str,
    planned: Sequence[Check],
    env: Mapping[str, str],
    kept: materialise.KeptTree,
    private: str,
    over: Callable[[], bool],
) -> Copy | None:
    """The copy for these checks, in a folder of ours where a former one may lie; None where `over` said so. Raises
    Unfit, other OSErrors."""
    if within(project, private):
        raise materialise.Unfit("there is no folder for it outside of the project")
    beside = ignored.found(project)
    # environments that nobody ignores: they are installed all the same
    installed = [os.path.dirname(path) for path in kept.tree if path.endswith(f"/{environments.MARK}")]
    beside.environments.extend(path for path in installed if path not in beside.environments)
    tools = [tool for check in planned for tool in (check.tool, check.interpreter)]
    # without environments that other tools keep for themselves
    beside.environments[:] = [path for path in beside.environments if _is_used(project, path, tools)]
    pythons = _pythons(project, planned, env)
    homes = {one.home: os.path.join(private, f"environment-{digest(one.home)}") for one in pythons.values()}
    move = _move(project, os.path.join(private, os.path.basename(project)), homes, beside)
    making = _Making(project, private, env, beside, pythons, homes, move)
    start, laid = kept.start, found(private, kept.start, move.pairs)
    if start is not None and not laid.until:
        empty(private)
        began = tick(private)
        if making.tree(kept._replace(tree=start.tree), NOTHING, over) is None:
            return None
        laid = mark(private, start, move.pairs, began)
    copy = making.tree(kept, laid, over)
    return making.completed(copy, kept) if copy else None


class _Making(NamedTuple):
    project: str
    private: str
    env: Mapping[str, str]
    beside: ignored.Beside
    pythons: Mapping[str, _PythonTool]
    homes: Mapping[str, str]  #: the environments outside of the project, to their copies
    move: materialise.Move

    def tree(self, kept: materialise.KeptTree, laid: Laid, over: Callable[[], bool]) -> Copy | None:
        """The copy with the tree's files, environments and packages; None where `over` said so."""
        root, told = (os.path.join(self.private, name) for name in (os.path.basename(self.project), "told"))
        clear(self.private, {os.path.basename(path) for path in (root, *self.homes.values())})
        for folder in (root, told):
            os.makedirs(folder, 0o700, exist_ok=True)
        inside = tuple(f"{os.path.dirname(path)}/" for path in kept.tree if path.endswith(f"/{environments.MARK}"))
        files = {path: one for path, one in kept.tree.items() if not path.startswith(inside)}
        taken = {one for path in files for one in (path, *folders_above(path))}
        apart = [[path for path in paths if path not in taken] for paths in self.beside[:2]]
        clear_tree(root, files, {*apart[0], *apart[1]})
        differing = materialise.write(files, kept.read, self.project, root, over, laid)
        if differing is None:
            return None
        move, testimony = self.move._replace(laid=laid), environments.Testimony(self.project, told)
        for path in filter(partial(ignored.is_inside, root), apart[0]):
            environments.mirror(os.path.join(self.project, path), os.path.join(root, path), move, testimony)
        for path in filter(partial(ignored.is_inside, root), apart[1]):
            materialise.mirror_packages(os.path.join(self.project, path), os.path.join(root, path), move)
        copies = {
            tool: self.homes[one.home] if one.alone else move.path(one.home) for tool, one in self.pythons.items()
        }
        for copy, one in {copies[tool]: one for tool, one in self.pythons.items()}.items():
            if one.alone:
                environments.overlay(one.alone, copy, move, testimony)
            elif not within(root, copy):
                environments.mirror(one.home, copy, move, testimony)
        tools = {tool: _tool(one, copies[tool]) for tool, one in self.pythons.items()}
        return Copy(root, move, dict(self.env), tools, testimony, differing, self.beside)

    def completed(self, copy: Copy, kept: materialise.KeptTree) -> Copy:
        """The copy with all else that its checks need. Raises OSError."""
        project, beside, root = self.project, self.beside, copy.root
        _repository(project, root, self.env)
        unbuilt = beside.built if any(map(_is_source, copy.differing)) else []
        for path in [*beside.others, *([] if unbuilt else beside.built), *ignored.submodules(project, root)]:
            ignored.bring(project, root, path, copy.move)
        # Node looks for packages in the folders above the project, too
        places = (os.path.join(folder, materialise.NODE_MODULES) for folder in above(project))
        if packages := next(filter(os.path.isdir, places), ""):
            os.symlink(packages, os.path.join(self.private, materialise.NODE_MODULES))
        first = dict.fromkeys(os.path.dirname(copy.tools[tool]) for tool, one in self.pythons.items() if one.alone)
        # what names the project names the copy
        own = {name: copy.move.word(value) for name, value in self.env.items()} | {"UV_NO_SYNC": "1"}
        own["PATH"] = os.pathsep.join((*first, own.get("PATH", os.defpath)))
        if crates := [os.path.dirname(path) for path in kept.tree if os.path.basename(path) == "Cargo.toml"]:
            built = (self.env.get(_TARGET, ""), os.path.join(report_folder.kept(self.env, project), "cargo-test"))
            target = os.path.join(self.private, "target")
            own[_TARGET] = ignored.seed_cargo(project, root, crates, target, built)
        return copy._replace(env=own, unbuilt=tuple(unbuilt))


def _is_used(project: str, path: str, tools: Sequence[str]) -> bool:
    return not ignored.is_held(path) or any(tool.startswith(os.path.join(project, path, "")) for tool in tools)


def _is_source(path: str) -> bool:
    """Whether a build may read the file: it is none of tests."""
    folder, name = os.path.split(path)
    return not is_tests(folder) and not _TEST.fullmatch(name)


def _move(project: str, root: str, homes: Mapping[str, str], beside: ignored.Beside) -> materialise.Move:
    """Into the copy, and into those of environments that lie outside of the project, or do so by a link."""
    there = ((os.path.join(project, path), os.path.join(root, path)) for path in beside.environments)
    folders = ((old, new) for old, new in (*homes.items(), *there) if os.path.isdir(old))
    names = ((name, new) for old, new in folders for name in dict.fromkeys((old, os.path.realpath(old))))
    outside = ((name, new) for name, new in names if not name.startswith(project + os.sep))
    return materialise.Move((*outside, (project, root)))


def _pythons(project: str, planned: Sequence[Check], env: Mapping[str, str]) -> dict[str, _PythonTool]:
    """The tools that a Python runs, but those of environments in the project. Raises Unfit where nobody knows which."""
    tools = {tool: check.checker for check in planned for tool in (check.tool, check.interpreter) if tool}
    found = dict[str, _PythonTool]()
    for tool, checker in tools.items():
        path = tool if os.path.isabs(tool) else on_path(tool, project, env, trusted=True)  # as a command of one's own
        inside = path.startswith(project + os.sep)
        if not path or (inside and environments.prefix_of(path)):
            continue
        if one := _python(path, project, env, asked=checker in _BY_PYTHON and not inside):
            found[tool] = one
    return found


def _python(tool: str, project: str, env: Mapping[str, str], *, asked: bool) -> _PythonTool | None:
    python = environments.python_of(tool)
    file = tool
    if not python:
        file = os.path.realpath(tool)
        python = environments.python_of(file)
    if not python and asked:  # a program that starts the real one, as pyenv has them; its Python lies beside it
        file, python = "", os.path.join(os.path.dirname(tool), "python")
    if not python:
        return None
    if prefix := environments.prefix_of(python):
        return _PythonTool(file, prefix)
    told = environments.ask_python(python, project, env)
    if told is None:
        raise materialise.Unfit(f"the Python of {tool} does not say where its packages are")
    file = told.executable if file == tool == python else file
    file = file or os.path.join(os.path.dirname(told.executable), os.path.basename(tool))
    prefix = environments.prefix_of(told.executable)
    return _PythonTool(file, prefix or told.executable, None if prefix else told)


def _tool(one: _PythonTool, copy: str) -> str:
    """The tool in the copy of its environment. Raises OSError."""
    programs = os.path.join(copy, "bin")
    is_python = environments.python_of(one.tool) == one.tool
    return os.path.join(programs, "python") if is_python else environments.script(one.tool, programs)


def _repository(project: str, copy: str, env: Mapping[str, str]) -> None:
    """Make the copy a repository with the project's history, for tests and tools that ask git; its index is that of
    the newest commit. What is written to it is written there, and it has no remote. Without git there is none."""
    if not os.path.lexists(os.path.join(project, ".git")) or not (git := on_path("git", project, env, trusted=False)):
        return
    plain, apart = [word for one in _PLAIN for word in ("-c", one)], f"{copy}-history"
    kept = {name: value for name, value in env.items() if not name.startswith("GIT_") or name.startswith("GIT_CONFIG")}
    kept |= {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "file", "GIT_TERMINAL_PROMPT": "0"}
    for words in (
        ("clone", "-q", "--shared", "--no-checkout", "--template=", project, apart),
        ("-C", apart, "remote", "remove", "origin"),
        ("-C", apart, "reset", "-q"),
    ):
        with suppress(OSError, subprocess.SubprocessError):
            subprocess.run(
                (git, *plain, *words),
                cwd=copy,
                env=kept,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=True,
                timeout=_SECONDS,
            )
    with suppress(OSError):
        os.rename(os.path.join(apart, ".git"), os.path.join(copy, ".git"))
