"""The project as files, with the real git and without."""

import os
import pwd
import random
import shutil
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from untilgreen.project import toplevel
from untilgreen.project.tree import git as project_git
from untilgreen.project.tree import worktree


@pytest.fixture(autouse=True)
def own_git(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(home / "gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    (home / "gitconfig").write_text("[user]\n\tname = A\n\temail = a@example.org\n[init]\n\tdefaultBranch = main\n")


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    write(root / "a.py", "a = 1\n")
    write(root / "sub" / "b.py", "b = 1\n")
    git(root, "init", "-q")
    commit(root)
    return root


def git(root: Path, *arguments: str) -> None:
    subprocess.run(("git", *arguments), cwd=root, check=True, capture_output=True)


def commit(root: Path) -> None:
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "x")


def write(path: Path, text: str = "") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def changed(root: Path, before: str) -> bool:
    return worktree.fingerprint(str(root)) != before


def files(root: Path) -> tuple[str, ...]:
    """The files, which git tells by itself and of which a reading of the tree tells the same."""
    found = worktree.files(str(root))
    assert worktree.read(str(root)).listing() == (found, worktree.changed(str(root)))
    return found


# --- what is noted of files -------------------------------------------------------------------------


def _swap(root: Path) -> None:
    """Two files of one size and one time change places."""
    for one, other in (("u0", "tmp"), ("u1", "u0"), ("tmp", "u1")):
        (root / one).rename(root / other)


def _again(root: Path) -> None:
    """Another content of the same size, and the time put back."""
    info = (root / "u2").stat()
    write(root / "u2", "other\n")
    os.utime(root / "u2", ns=(info.st_atime_ns, info.st_mtime_ns))


def _replaced(root: Path) -> None:
    """Another file of the same size and time, put in its place."""
    write(root / "tmp", "other\n")
    shutil.copystat(root / "u3", root / "tmp")
    (root / "tmp").replace(root / "u3")


ACTS: list[Callable[[Path], object]] = [
    *(_swap, _again, _replaced, lambda root: (root / "u4").unlink(), lambda root: (root / "u5").chmod(0o755)),
    *(lambda root: write(root / "u6", "longer than before\n"), lambda root: write(root / "new/u", "new\n")),
    *(lambda root: (root / "u9").unlink(), lambda root: (root / "u9").mkdir()),
    lambda root: write(root / "u9" / "below", "x\n"),
    *(lambda root: write(root / "a.py", "a = 2\n"), lambda root: write(root / "a.py", "a = 1\n")),
    *(lambda root: (root / "u7").unlink(), lambda root: (root / "u7").symlink_to("u8")),
    lambda root: os.truncate(root / "u10", 3),
]


def test_a_reading_that_begins_with_notes_finds_what_one_without_them_finds(repo: Path) -> None:
    for number in range(12):
        write(repo / f"u{number}", f"{number:05}\n")
        os.utime(repo / f"u{number}", (1_600_000_000, 1_600_000_000))
    write(repo / "sub" / "b.py", "b = 2\n")
    time.sleep(2.1)  # nothing is noted of what is newer
    first = worktree.read(str(repo))
    assert sorted(first.notes) == sorted([b"sub/b.py", *(f"u{number}".encode() for number in range(12))])
    newest = again = worktree.read(str(repo), notes=first.notes)
    assert again.same == {os.fsdecode(path) for path in first.notes}, "none of them was opened"
    for act in random.Random(7).sample(ACTS * 2, 2 * len(ACTS)):
        with suppress(OSError):
            act(repo)
        fresh = worktree.read(str(repo))
        for notes in (first.notes, newest.notes):
            read = worktree.read(str(repo), notes=notes)
            assert (read.records, read.listing()) == (fresh.records, fresh.listing())
            assert not read.same.difference(map(os.fsdecode, notes))
        newest = read
    assert worktree.read(str(repo), notes=first.notes).same == {"sub/b.py", "u8", "u11"}
    commit(repo)
    assert worktree.read(str(repo), notes=newest.notes).fingerprint == worktree.fingerprint(str(repo))


# --- what is a change -----------------------------------------------------------------------------


def test_looking_changes_nothing(repo: Path) -> None:
    index = (repo / ".git" / "index").read_bytes()
    os.utime(repo / "a.py")
    assert worktree.fingerprint(str(repo)) == worktree.fingerprint(str(repo))
    assert (repo / ".git" / "index").read_bytes() == index


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_what_git_was_told_to_take_for_unchanged_is_looked_at(repo: Path, flag: str) -> None:
    before = worktree.fingerprint(str(repo))
    git(repo, "update-index", flag, "a.py")
    assert not changed(repo, before)
    write(repo / "a.py", "a = 2\n")
    assert changed(repo, before)
    (repo / "a.py").unlink()
    assert changed(repo, before)


def test_touching_staging_undoing_and_ignored_files_are_no_change_of_content(repo: Path) -> None:
    clean = worktree.fingerprint(str(repo))
    write(repo / "a.py", "a = 2\n")
    assert changed(repo, clean)
    write(repo / "a.py", "a = 1\n")
    assert not changed(repo, clean)
    write(repo / "a.py", "a = 2\n")
    write(repo / "new.py", "n = 1\n")
    write(repo / ".gitignore", "build/\n")
    before = worktree.fingerprint(str(repo))
    os.utime(repo / "a.py", (1, 1))
    git(repo, "add", "-A")
    write(repo / "build" / "x", "1")
    assert not changed(repo, before)


def point_a_link_elsewhere(repo: Path) -> None:
    (repo / "link").unlink()
    (repo / "link").symlink_to("sub/b.py")


def put_a_pipe_in_place(repo: Path) -> None:
    (repo / "a.py").unlink()
    os.mkfifo(repo / "a.py")


CHANGES: dict[str, Callable[[Path], object]] = {
    "edit": lambda repo: write(repo / "a.py", "a = 2\n"),
    "edit what is changed already": lambda repo: write(repo / "dirty.py", "d = 3\n"),
    "delete": lambda repo: (repo / "a.py").unlink(),
    "rename": lambda repo: git(repo, "mv", "a.py", "c.py"),
    "make executable": lambda repo: (repo / "dirty.py").chmod(0o755),
    "add an empty file": lambda repo: write(repo / "new" / "empty"),
    "point a link elsewhere": point_a_link_elsewhere,
    "put a pipe in its place": put_a_pipe_in_place,
    "record the change": commit,
    "in a repository in here": lambda repo: write(repo / "inner" / "c.py", "c = 10\n"),
}


@pytest.mark.parametrize("act", CHANGES.values(), ids=CHANGES.keys())
def test_every_kind_of_change_is_seen(repo: Path, act: Callable[[Path], object]) -> None:
    write(repo / "dirty.py", "d = 2\n")
    (repo / "link").symlink_to("a.py")
    write(repo / "inner" / "c.py", "c = 1\n")
    git(repo / "inner", "init", "-q")
    commit(repo / "inner")
    before = worktree.fingerprint(str(repo))
    act(repo)
    assert changed(repo, before)


def test_what_checks_leave_behind_and_our_own_state_are_no_change(repo: Path) -> None:
    before = worktree.fingerprint(str(repo))
    litter = [
        *("__pycache__/a.cpython-311.pyc", "sub/__pycache__/b.pyc", "old.pyc", ".pytest_cache/v/x", ".coverage"),
        *(".mypy_cache/3.11/x", "sub/.ruff_cache/x", ".coverage.host.1", ".hypothesis/x", ".untilgreen/state.json"),
    ]
    for path in litter:
        write(repo / path, "x")
    assert not changed(repo, before)
    assert files(repo) == ("a.py", "sub/b.py")


@pytest.mark.parametrize("skipped", ["state", "sub/own"])
def test_a_folder_to_skip_does_not_count(repo: Path, skipped: str) -> None:
    def value() -> str:
        return worktree.fingerprint(str(repo), str(repo / skipped))

    before = value()
    write(repo / skipped / "x", "1")
    assert value() == before
    write(repo / f"{skipped}2", "1")
    assert value() != before


def test_a_large_file_goes_by_size_and_time(repo: Path) -> None:
    large = repo / "large.bin"
    with large.open("wb") as stream:
        stream.truncate(11 * 1024 * 1024)
    os.utime(large, ns=(1, 1))
    before = worktree.fingerprint(str(repo))
    os.utime(large, ns=(1, 2))
    assert changed(repo, before)


def test_nothing_behind_a_link_is_read(repo: Path, tmp_path: Path) -> None:
    write(tmp_path / "elsewhere" / "b.py", "x = 1\n")
    (repo / "folder").symlink_to(tmp_path / "elsewhere")
    shutil.rmtree(repo / "sub")
    (repo / "sub").symlink_to(tmp_path / "elsewhere")
    before = worktree.fingerprint(str(repo))
    write(tmp_path / "elsewhere" / "b.py", "x = 2\n")
    assert not changed(repo, before)
    assert files(repo) == ("a.py", "folder", "sub")


def test_a_conflict_counts_with_the_version_that_lies_in_the_tree(repo: Path) -> None:
    git(repo, "checkout", "-q", "-b", "other")
    (repo / "a.py").unlink()
    commit(repo)
    git(repo, "checkout", "-q", "main")
    write(repo / "a.py", "a = 2\n")
    commit(repo)
    assert subprocess.run(("git", "merge", "-q", "other"), cwd=repo, check=False, capture_output=True).returncode == 1
    before = worktree.fingerprint(str(repo))
    write(repo / "a.py", "a = 3\n")
    assert changed(repo, before)


def test_a_linked_work_tree_in_here_is_somebody_elses(repo: Path) -> None:
    git(repo, "worktree", "add", "-q", "-b", "agent", ".trees/agent")
    before = worktree.fingerprint(str(repo))
    write(repo / ".trees" / "agent" / "a.py", "a = 5\n")
    assert not changed(repo, before)
    assert files(repo) == ("a.py", "sub/b.py")


def test_what_changes_in_a_submodule_is_seen(repo: Path) -> None:
    write(repo / "inner" / "c.py", "c = 1\n")
    git(repo / "inner", "init", "-q")
    commit(repo / "inner")
    git(repo, "submodule", "add", "./inner")
    git(repo, "submodule", "absorbgitdirs")
    commit(repo)
    before = worktree.fingerprint(str(repo))
    write(repo / "inner" / "c.py", "c = 10\n")
    dirty = worktree.fingerprint(str(repo))
    write(repo / "inner" / "c.py", "c = 100\n")
    assert len({before, dirty, worktree.fingerprint(str(repo))}) == 3


# git-lfs keeps another text than lies in the tree, and says that its filter is required
LFS = ("filter.lfs.clean", "sed s/^/pointer:/"), ("filter.lfs.required", "true")


@pytest.fixture
def filtered(repo: Path) -> Path:
    """A repository with a file that a filter keeps in another form, and a file whose line ends git keeps otherwise."""
    for key, value in LFS:
        git(repo, "config", key, value)
    write(repo / ".gitattributes", "*.bin filter=lfs\n*.txt text eol=crlf\n")
    write(repo / "large.bin", "large\n")
    write(repo / "lines.txt", "a\r\nb\r\n")
    commit(repo)
    return repo


def test_a_file_that_a_filter_keeps_otherwise_is_no_change_whether_git_looked_into_it_or_not(filtered: Path) -> None:
    for name in ("large.bin", "lines.txt"):
        os.utime(filtered / name, (1, 1))
    before = worktree.fingerprint(str(filtered))
    git(filtered, "status")  # it refreshes the index
    assert not changed(filtered, before)


@pytest.mark.parametrize("name", ["large.bin", "lines.txt"])
def test_a_change_of_what_git_keeps_otherwise_is_seen(filtered: Path, name: str) -> None:
    before = worktree.fingerprint(str(filtered))
    write(filtered / name, "other\r\n")
    first = worktree.fingerprint(str(filtered))
    git(filtered, "add", "-A")
    assert first != before
    assert not changed(filtered, first)
    write(filtered / name, "different\r\n")
    assert changed(filtered, first)


NAMES = [b"new\nline.py", b"caf\xe9.py", b' sp "ace".py', "käse.py".encode(), b"-- x.py", b"tab\t.py"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("tracked", [True, False])
def test_any_file_name_is_listed_and_its_changes_are_seen(repo: Path, name: bytes, tracked: bool) -> None:
    path = os.path.join(os.fsencode(repo), name)
    with open(path, "wb") as stream:
        stream.write(b"x = 1\n")
    if tracked:
        commit(repo)
    assert files(repo) == tuple(sorted(("a.py", "sub/b.py", os.fsdecode(name))))
    before = worktree.fingerprint(str(repo))
    with open(path, "wb") as stream:
        stream.write(b"x = 2\n")
    assert changed(repo, before)


Tree = dict[str, bytes]
trees: st.SearchStrategy[Tree] = st.dictionaries(
    st.text("ab:;1", min_size=1, max_size=3), st.binary(max_size=4) | st.sampled_from([b"4:file1:a", b"1:"]), max_size=3
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(one=trees, two=trees)
def test_different_trees_never_look_alike(repo: Path, one: Tree, two: Tree) -> None:
    def value(tree: Tree) -> str:
        for name, content in tree.items():
            (repo / name).write_bytes(content)
        result = worktree.fingerprint(str(repo))
        for name in tree:
            (repo / name).unlink()
        return result

    assert (value(one) == value(two)) == (one == two)


# --- where git cannot say ----------------------------------------------------------------------------


def test_a_repository_without_a_commit_has_a_fingerprint(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    before = worktree.fingerprint(str(tmp_path))
    write(tmp_path / "a.py", "a = 1\n")
    assert changed(tmp_path, before)
    assert files(tmp_path) == ("a.py",)


@pytest.fixture(params=["no repository", "no git", "git refuses", "git of the project"])
def ungoverned(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of which git says nothing."""
    root = tmp_path / "project"
    root.mkdir()
    if request.param != "no repository":
        git(root, "init", "-q")
    if request.param == "git refuses":
        (root / ".git" / "config").write_text("[core\n")
    if request.param == "no git":
        monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    if request.param == "git of the project":
        write(root / "bin" / "git", f"#!/bin/sh\ntouch {tmp_path}/was-run\n")
        (root / "bin" / "git").chmod(0o755)
        monkeypatch.setenv("PATH", str(root / "bin"))
    return root


def test_without_git_size_and_time_stand_for_the_content(ungoverned: Path, tmp_path: Path) -> None:
    write(ungoverned / "a.py", "a = 1\n")
    os.utime(ungoverned / "a.py", ns=(1, 1))
    before = worktree.fingerprint(str(ungoverned))
    assert not changed(ungoverned, before)
    os.utime(ungoverned / "a.py", ns=(1, 2))
    assert changed(ungoverned, before)
    write(ungoverned / "a.py", "a = 10\n")
    os.utime(ungoverned / "a.py", ns=(1, 1))
    assert changed(ungoverned, before)
    assert not (tmp_path / "was-run").exists()


def test_the_walk_passes_over_what_is_not_the_projects_own(ungoverned: Path) -> None:
    shutil.rmtree(ungoverned / "bin", ignore_errors=True)
    write(ungoverned / "z" / "a.py")
    before = worktree.fingerprint(str(ungoverned))
    for path in ("node_modules/x/i.js", "py/pyvenv.cfg", "py/lib/x.py", "conda/conda-meta/h", "conda/x", ".x-cache/y"):
        write(ungoverned / path)
    write(ungoverned / "submodule" / ".git", "gitdir: elsewhere\n")
    write(ungoverned / "submodule" / "a.py")
    for path in (".git/z", ".untilgreen/s", "__pycache__/a.pyc", ".tox/x"):
        write(ungoverned / path)
    assert not changed(ungoverned, before)
    assert files(ungoverned) == ("z/a.py",)


def test_a_folder_below_the_top_level_is_judged_by_itself(repo: Path) -> None:
    assert files(repo / "sub") == ("b.py",)
    before = worktree.fingerprint(str(repo / "sub"))
    write(repo / "a.py", "a = 3\n")
    assert not changed(repo / "sub", before)


def test_the_environment_of_a_git_hook_does_not_lead_elsewhere(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = worktree.fingerprint(str(repo))
    write(tmp_path / "other" / "x.py")
    git(tmp_path / "other", "init", "-q")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other" / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path / "other"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    assert not changed(repo, before)
    assert files(repo) == ("a.py", "sub/b.py")


# --- where a project begins ----------------------------------------------------------------------------


def test_a_work_tree_that_the_repository_puts_elsewhere_is_not_looked_at_in_place_of_the_project(
    repo: Path, tmp_path: Path
) -> None:
    git(repo, "config", "core.worktree", str(tmp_path))
    before = worktree.fingerprint(str(repo))
    write(repo / "new.py")
    assert changed(repo, before)
    assert files(repo) == ("a.py", "new.py", "sub/b.py")
    assert worktree.changed(str(repo)) == ("new.py",)


def test_a_repository_in_which_git_waits_for_ever_is_waited_for_once(repo: Path) -> None:
    (repo / ".git" / "index").unlink()
    os.mkfifo(repo / ".git" / "index")
    asked = [project_git.start(str(repo), "status") for _ in range(2)]
    assert project_git.end(asked[0], 0.2) == (-1, b"")
    began = time.monotonic()
    assert project_git.end(asked[1]) == (-1, b"")
    before = worktree.fingerprint(str(repo))
    write(repo / "new.py")
    assert changed(repo, before)
    assert files(repo) == ("a.py", "new.py", "sub/b.py")
    assert time.monotonic() - began < 9, "ten seconds are for each wait"


def test_a_project_begins_at_the_git_top_level_for_which_a_name_is_not_enough(repo: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(repo / "sub")
    git(repo, "worktree", "add", "-q", str(tmp_path / "linked"))
    write(tmp_path / "a" / ".git" / "config")
    write(tmp_path / "b" / ".git", "hello\n")
    own = [tmp_path / "a", tmp_path / "b", tmp_path]
    starts = [repo, repo / "sub", tmp_path / "link", repo / "not" / "there", tmp_path / "linked" / "sub", *own]
    tops = [*[repo] * 4, tmp_path / "linked", *own]
    assert [toplevel.top(str(start)) for start in starts] == list(map(str, tops))


def test_the_main_tree_of_a_linked_one_is_found_unless_it_is_bare(repo: Path, tmp_path: Path) -> None:
    git(repo, "worktree", "add", "-q", str(tmp_path / "linked"))
    git(tmp_path, "clone", "-q", "--bare", str(repo), "bare.git")
    git(tmp_path / "bare.git", "worktree", "add", "-q", str(tmp_path / "of-bare"))
    write(tmp_path / "submodule" / ".git", f"gitdir: {repo}/.git/modules/x\n")
    roots = [tmp_path / "linked", repo, tmp_path / "submodule", tmp_path, tmp_path / "of-bare"]
    assert [toplevel.main_tree(str(root)) for root in roots] == [str(repo), "", "", "", ""]


def test_the_top_of_the_file_system_and_home_folders_are_no_projects(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    env = {"HOME": str(tmp_path)}
    account = pwd.getpwuid(os.getuid()).pw_dir
    refused = [bool(toplevel.refused(path, env)) for path in ("/", str(tmp_path), str(tmp_path / "link"), account)]
    assert refused == [True] * 4
    assert toplevel.refused(str(tmp_path / "project"), env) == ""
