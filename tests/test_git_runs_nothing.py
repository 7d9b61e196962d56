"""No program that a repository names is run when we ask git about it, trusted or not: a table of traps.

Each trap is shown to be live first: git runs the program when it is asked plainly.
"""

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from untilgreen.core.model.event import Place
from untilgreen.loops import back
from untilgreen.project.fakes import text
from untilgreen.project.tree import git, worktree
from untilgreen.state import snapshots


class Repository:
    """A repository with one commit; whatever git runs in it writes to `ran`."""

    def __init__(self, folder: Path) -> None:
        self.root, self.ran, self.program = folder / "repo", folder / "ran", folder / "program"
        self.program.write_text(f'#!/bin/sh\necho "$@" >>{self.ran}\nexit 1\n')
        self.program.chmod(0o755)
        self.write("a.py", "a = 1\n")
        self.git("init", "-q")
        self.commit()

    def git(self, *words: str, at: str = ".") -> None:
        subprocess.run(("git", *words), cwd=self.root / at, check=True, capture_output=True)

    def commit(self, at: str = ".") -> None:
        self.git("add", "-A", at=at)
        self.git("commit", "-q", "-m", "x", at=at)

    def write(self, path: str, content: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(content)

    def filter(self, name: str = "x", what: str = "clean", *to: str, at: str = ".") -> None:
        """Define a filter in the repository's configuration, or in another (`--global`)."""
        self.git("config", *to, f"filter.{name}.{what}", str(self.program), at=at)

    def attributes(self, name: str = "x", at: str = ".gitattributes") -> None:
        self.write(at, f"*.py filter={name}\n")

    def section(self, name: str = "x") -> str:
        return f'[filter "{name}"]\n\tclean = {self.program}\n'

    def touch(self, seconds: int) -> None:
        """Give the files another time, for which git compares their content once more."""
        for path in self.root.parent.rglob("*.py"):
            os.utime(path, (seconds, seconds))

    def partial(self, lacks: str = "HEAD^{tree}", **remote: str) -> None:
        """Make it a clone that fetches what it lacks from such a remote."""
        for name, value in {"promisor": "true", "url": ".", **remote}.items():
            self.git("config", f"remote.o.{name}", value)
        self.git("config", "core.repositoryFormatVersion", "1")
        self.git("config", "extensions.partialClone", "o")
        found = subprocess.run(("git", "rev-parse", lacks), cwd=self.root, check=True, capture_output=True, text=True)
        (self.root / ".git" / "objects" / found.stdout[:2] / found.stdout[2:].strip()).unlink()


def monitor(repo: Repository) -> None:
    repo.git("config", "core.fsmonitor", str(repo.program))


def hook(repo: Repository) -> None:
    (repo.root / ".git" / "hooks").mkdir(exist_ok=True)
    (repo.root / ".git" / "hooks" / "post-index-change").symlink_to(repo.program)


def folder_of_hooks(repo: Repository) -> None:
    (repo.root / "hooks").mkdir()
    (repo.root / "hooks" / "post-index-change").symlink_to(repo.program)
    repo.git("config", "core.hooksPath", "hooks")


def clean_filter(repo: Repository) -> None:
    repo.attributes()
    repo.filter()


def process_filter(repo: Repository) -> None:
    repo.attributes()
    repo.filter("x", "process")


def required_filter(repo: Repository) -> None:
    clean_filter(repo)
    repo.git("config", "filter.x.required", "true")


def filter_beside_an_honest_one(repo: Repository) -> None:
    repo.git("config", "filter.lfs.clean", "cat")
    clean_filter(repo)


def filter_by_attributes_of_the_git_folder(repo: Repository) -> None:
    repo.attributes(at=".git/info/attributes")
    repo.filter()


def filter_by_attributes_that_the_configuration_names(repo: Repository) -> None:
    repo.attributes(at="docs/attributes")
    repo.git("config", "core.attributesFile", str(repo.root / "docs" / "attributes"))
    repo.filter()


def filter_in_an_included_file(repo: Repository) -> None:
    repo.attributes()
    repo.write("more", repo.section())
    repo.git("config", "include.path", "../more")


def filter_in_a_file_that_is_included_on_a_branch(repo: Repository) -> None:
    repo.attributes()
    repo.write("more", repo.section())
    repo.git("config", "includeIf.onbranch:**.path", "../more")


def filter_of_the_work_tree(repo: Repository) -> None:
    repo.attributes()
    repo.git("config", "extensions.worktreeConfig", "true")
    repo.filter("x", "clean", "--worktree")


def filter_of_the_user(repo: Repository) -> None:
    repo.attributes()
    repo.filter("x", "clean", "--global")


def filter_behind_a_git_file(repo: Repository) -> None:
    clean_filter(repo)
    (repo.root / ".git").rename(repo.root / "assets")
    repo.write(".git", "gitdir: assets\n")


def filter_of_a_bare_repository_with_a_tree(repo: Repository) -> None:
    clean_filter(repo)
    for path in (repo.root / ".git").iterdir():
        path.rename(repo.root / path.name)
    (repo.root / ".git").rmdir()
    repo.git("config", "core.bare", "false")
    repo.git("config", "core.worktree", str(repo.root))


def filter_in_a_tree_somewhere_else(repo: Repository) -> None:
    clean_filter(repo)
    repo.git("config", "core.worktree", str(repo.root.parent))
    for name in ("a.py", ".gitattributes"):
        (repo.root.parent / name).write_bytes((repo.root / name).read_bytes())


def filter_called(name: str) -> Callable[[Repository], None]:
    def lay(repo: Repository) -> None:
        repo.attributes(name)
        (repo.root / ".git" / "config").write_text((repo.root / ".git" / "config").read_text() + repo.section(name))

    return lay


def filter_of_a_submodule(repo: Repository) -> None:
    repo.write("inner/b.py", "b = 1\n")
    repo.git("init", "-q", at="inner")
    repo.commit("inner")
    repo.git("submodule", "add", "./inner")
    repo.commit()
    repo.attributes(at="inner/.gitattributes")
    repo.filter(at="inner")


def filter_of_a_submodule_that_nobody_registered(repo: Repository) -> None:
    filter_of_a_submodule(repo)
    repo.git("rm", "-q", "--cached", ".gitmodules")
    (repo.root / ".gitmodules").unlink()


def filter_of_a_submodule_in_which_all_is_to_be_seen(repo: Repository) -> None:
    filter_of_a_submodule(repo)
    repo.git("config", "submodule.inner.ignore", "none")
    repo.git("config", "diff.ignoreSubmodules", "none")
    repo.git("config", "submodule.recurse", "true")


def server_of_a_partial_clone(repo: Repository) -> None:
    repo.partial(uploadpack=str(repo.program))


def transport_of_a_partial_clone(repo: Repository) -> None:
    repo.git("config", "protocol.ext.allow", "always")
    repo.partial(url=f"ext::{repo.program}")


def helper_of_a_partial_clone(repo: Repository) -> None:
    repo.git("config", "protocol.allow", "always")
    repo.partial(vcs="ext", url=str(repo.program))


def ssh_of_a_partial_clone(repo: Repository) -> None:
    repo.git("config", "core.sshCommand", str(repo.program))
    repo.partial(url="ssh://there/x")


def proxy_of_a_partial_clone(repo: Repository) -> None:
    repo.git("config", "core.gitProxy", str(repo.program))
    repo.partial(url="git://there/x")


def attributes_that_a_partial_clone_lacks(repo: Repository) -> None:
    repo.attributes()
    repo.commit()
    (repo.root / ".gitattributes").unlink()
    repo.git("config", "filter.x.required", "true")
    repo.partial("HEAD:.gitattributes", uploadpack=str(repo.program))


TRAPS = [
    monitor,
    hook,
    folder_of_hooks,
    clean_filter,
    process_filter,
    required_filter,
    filter_beside_an_honest_one,
    filter_by_attributes_of_the_git_folder,
    filter_by_attributes_that_the_configuration_names,
    filter_in_an_included_file,
    filter_in_a_file_that_is_included_on_a_branch,
    filter_of_the_work_tree,
    filter_of_the_user,
    filter_behind_a_git_file,
    filter_of_a_bare_repository_with_a_tree,
    filter_in_a_tree_somewhere_else,
    *(pytest.param(filter_called(name), id=f"filter called {name!r}") for name in ("", "Up.Low", "a=b", "-c", "é")),
    filter_of_a_submodule,
    filter_of_a_submodule_that_nobody_registered,
    filter_of_a_submodule_in_which_all_is_to_be_seen,
    server_of_a_partial_clone,
    transport_of_a_partial_clone,
    helper_of_a_partial_clone,
    ssh_of_a_partial_clone,
    proxy_of_a_partial_clone,
    attributes_that_a_partial_clone_lacks,
]


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    for name, value in {
        "HOME": tmp_path,
        "GIT_CONFIG_GLOBAL": tmp_path / "gitconfig",
        "GIT_CONFIG_NOSYSTEM": 1,
    }.items():
        monkeypatch.setenv(name, str(value))
    (tmp_path / "gitconfig").write_text("[user]\n\tname = A\n\temail = a@example.org\n")
    return Repository(tmp_path)


@pytest.mark.parametrize("lay", TRAPS)
def test_git_runs_no_program_of_the_repository_for_us(repo: Repository, lay: Callable[[Repository], None]) -> None:
    lay(repo)
    repo.touch(1)
    for words in (("status",), ("check-attr", "--cached", "filter", "a.py")):
        subprocess.run(("git", *words), cwd=repo.root, check=False, capture_output=True)
    assert repo.ran.exists(), "the trap is not live"
    repo.ran.unlink()
    repo.touch(2)
    root = str(repo.root)
    worktree.fingerprint(root)
    worktree.changed(root)
    files = worktree.files(root)
    text.read(root, files, time.monotonic() + 60)
    git.ignored(root, "a.py")
    state = Place(root, str(repo.root.parent / "state"), "s")
    os.mkdir(state.base)
    for number in ("start", "1"):
        kept = snapshots.keep(state, worktree.read(root, state.base), "loop", number, 60.0)
        assert (kept.ref != "", kept.why) == (True, ""), kept
        repo.write("a.py", "a = 2\n")
    assert back.between(state, kept.ref, kept.ref, 60.0) == b""
    assert not repo.ran.exists(), repo.ran.read_text()
