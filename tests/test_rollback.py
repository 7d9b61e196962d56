"""Going back: after whatever an agent did, the files are byte for byte as they were; nothing else is touched."""

import errno
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pexpect  # type: ignore[import-untyped]
import pytest

import tables
from in_terminal import terminal
from untilgreen.core.trees import Difference, Entry, differences, with_modes
from untilgreen.state import restoring, snapshots
from untilgreen.state.trees import TreeStore
from world import World

ODD = (b"with space.txt", b"new\nline.txt", b"caf\xe9.txt", b"-dash", b'quote".txt', b"tab\there")
HISTORY = "untilgreen rollback --to {} --session {}"


def census(top: Path, *passed_over: str) -> dict[bytes, tuple[str, bytes]]:
    """Every file and link below a folder: its kind (x: executable), and content or target."""
    found: dict[bytes, tuple[str, bytes]] = {}
    for folder, folders, names in os.walk(os.fsencode(top)):
        inner = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        folders[:] = [name for name in folders if name not in inner and os.fsdecode(name) not in passed_over]
        for name in (*names, *inner):
            path = os.path.join(folder, name)
            if os.fsdecode(name) in passed_over:
                continue
            if os.path.islink(path):
                entry = "link", os.readlink(path)
            else:
                entry = "x" if os.access(path, os.X_OK) else "", Path(os.fsdecode(path)).read_bytes()
            found[os.path.relpath(path, os.fsencode(top))] = entry
    return found


def files(world: World) -> dict[bytes, tuple[str, bytes]]:
    return census(world.project, ".git", ".untilgreen", "__pycache__", ".ruff_cache")


def git(world: World, *words: str, cwd: Path | None = None) -> str:
    always = ("-c", "protocol.file.allow=always", "-c", "maintenance.auto=false", "-c", "core.fsync=none")
    done = subprocess.run(
        ["git", *always, *words], cwd=cwd or world.project, env=world.env, capture_output=True, check=True
    )
    return done.stdout.decode("utf-8", "replace")


def put(world: World, files: Mapping[bytes, bytes]) -> None:
    for name, content in files.items():
        path = os.path.join(os.fsencode(world.project), name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        Path(os.fsdecode(path)).write_bytes(content)


def project(world: World) -> None:
    """Every kind of file, of which some differ from what will be committed."""
    put(world, {name: b"1 " + name for name in ODD})
    put(
        world, {b"bin/data": bytes(range(256)) * 40, b"deep/er/a.py": b"a = 1\n", b"b.py": b"import os\n", b"gone": b""}
    )
    put(world, {b"run.sh": b"#!/bin/sh\n", b"plain.sh": b"#!/bin/sh\n", b"folder/f": b"f\n", b"becomes": b"a file\n"})
    put(world, {b"crlf.txt": b"one\r\ntwo\r\n", b"id.txt": b"$Id$\n", b"wide.txt": "wide\n".encode("utf-16")})
    attributes = b"crlf.txt text eol=crlf\nid.txt ident\nwide.txt working-tree-encoding=UTF-16\nfiltered filter=up\n"
    put(world, {b".gitattributes": attributes, b"filtered": b"lower\n", b".gitignore": b"*.log\nbuilt/\n"})
    put(world, {b"hidden.py": b"h = 1\n", b"skipped.py": b"s = 1\n"})
    (world.project / "run.sh").chmod(0o755)
    for name, target in (("to_file", "b.py"), ("to_folder", "folder"), ("dangling", "no/where"), ("outside", "/etc")):
        (world.project / name).symlink_to(target)


def unsettled(world: World) -> None:
    """What a person has not committed when the loop begins."""
    put(
        world,
        {b"b.py": b"import os  # changed\n", b"mine/new.py": b"new = 1\n", b"x.log": b"ignored\n", b"built/o": b"o"},
    )
    (world.project / "gone").unlink()


def damage(world: World) -> None:
    """An agent at work: it creates, changes, renames, deletes, and turns one kind of file into another."""
    root = world.project
    put(world, {name: b"2 " + name for name in ODD[:3]})
    for name in ODD[3:]:
        os.unlink(os.path.join(os.fsencode(root), name))
    put(world, {b"made/by/agent.py": b"", b"deep/er/b.py": b"b\n", b"agent \xff": b"x", b"hidden.py": b"h = 2\n"})
    put(world, {b"crlf.txt": b"one\ntwo\n", b"filtered": b"other\n", b"gone": b"back\n", b"skipped.py": b"s = 2\n"})
    (root / "bin/data").rename(root / "bin/moved")
    shutil.rmtree(root / "mine")
    shutil.rmtree(root / "folder")
    (root / "folder").symlink_to("/etc")
    (root / "becomes").unlink()
    put(world, {b"becomes/a/folder": b"f"})
    (root / "plain.sh").chmod(0o755)
    (root / "run.sh").chmod(0o644)
    (root / "to_file").unlink()
    (root / "to_file").write_text("a file\n")
    (root / "dangling").unlink()
    (root / "dangling").symlink_to("b.py")
    (root / "b.py").unlink()
    (root / "b.py").symlink_to("/etc/hostname")
    if (root / "sub/own").is_file():
        put(world, {b"sub/own": b"changed in the submodule\n", b"sub/more": b"more\n"})


@contextmanager
def untouched(folder: Path) -> Iterator[None]:
    """Nothing below this folder may be written meanwhile, not even with the same bytes."""

    def stamps() -> dict[str, tuple[int, int]]:
        paths = folder.rglob("*") if folder.is_dir() else ()
        return {str(path): (path.lstat().st_mtime_ns, path.lstat().st_ino) for path in paths}

    before = stamps()
    yield
    assert stamps() == before


def repository(world: World) -> None:
    """Commits, a submodule, a repository that git does not know, files that git is told to take for unchanged."""
    other = world.home / "other"
    other.mkdir()
    (other / "own").write_text("own\n")
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "x"]):
        git(world, *words, cwd=other)
    git(world, "init", "-q")
    git(world, "submodule", "--quiet", "add", str(other), "sub")
    git(world, "add", "-A")
    git(world, "commit", "-qm", "work")
    git(world, "config", "filter.up.clean", "tr a-z A-Z; touch $HOME/RAN")
    git(world, "update-index", "--assume-unchanged", "hidden.py")
    git(world, "update-index", "--skip-worktree", "skipped.py")


def without_commits(world: World) -> None:
    git(world, "init", "-q")


def other_names(world: World) -> None:
    git(world, "init", "-q", "--object-format=sha256")
    git(world, "add", "-A")
    git(world, "commit", "-qm", "work")


def linked(world: World) -> None:
    main = world.home / "main"
    world.project.rename(main)
    world.project = main
    repository(world)
    git(world, "worktree", "add", "-q", "--detach", str(world.home / "linked"))
    world.project = world.home / "linked"


def no_repository(world: World) -> None:
    del world


LAYOUTS = (repository, without_commits, other_names, linked, no_repository)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_after_an_agent_all_is_byte_for_byte_as_it_was(world: World, layout: Callable[[World], None]) -> None:
    project(world)
    layout(world)
    unsettled(world)
    before, own = files(world), git_folder(world)
    with untouched(own):
        world.start("mend it", "--preset", "supercode")
    damage(world)
    after = files(world)
    if own.is_dir():
        subprocess.run(["git", "add", "-A"], cwd=world.project, env=world.env, check=True, capture_output=True)
        (own / "index.lock").touch()
    (world.home / "RAN").unlink(missing_ok=True)
    with untouched(own):
        assert world.stop().held
        assert world.run("untilgreen", "rollback", "--yes").code == 0
        assert files(world) == before
        assert not (world.project / "made").exists()
        # and there again, by the name that it printed
        assert world.run("untilgreen", "rollback", "--to", "before-1", "--yes").code == 0
        assert files(world) == after
        assert world.run("untilgreen", "rollback", "--to", "1", "--yes").stdout.startswith(
            "untilgreen: nothing differs"
        )
        assert world.run("untilgreen", "rollback", "--yes").code == 0
    assert files(world) == before
    assert not (world.home / "RAN").exists()  # no filter ran
    assert not Path("/etc/f").exists()  # no link was followed
    store = f"--git-dir={world.project}/.untilgreen/git"
    checked = subprocess.run(
        ["git", store, "fsck", "--full", "--strict"], env=world.env, capture_output=True, check=False
    )
    assert (checked.returncode, b"missing" in checked.stdout) == (0, False), checked


def git_folder(world: World) -> Path:
    path = world.project / ".git"
    return Path(path.read_text().strip().removeprefix("gitdir: ")) if path.is_file() else path


@pytest.mark.parametrize("layout", [repository, no_repository])
def test_without_git_nothing_is_kept_and_that_is_said(world: World, layout: Callable[[World], None]) -> None:
    project(world)
    layout(world)
    world.env["PATH"] = str(world.programs)
    assert "no snapshot of the start was kept" in world.start("mend it", "--preset", "supercode").stdout
    world.write({"b.py": "other"})
    assert world.stop().held
    assert world.state["start_ref"] == world.state["snapshots"][0]["ref"] == ""
    assert "was not kept. Fix: read" in world.run("untilgreen", "rollback", "--yes").stderr
    assert "git is not there" in (world.project / ".untilgreen/untilgreen.log").read_text()
    assert (world.project / "b.py").read_text() == "other"


RED = "import os\n"


@pytest.fixture
def ended(world: World) -> World:
    """A loop that ended after three rounds, the second of which was the best."""
    project(world)
    put(world, {b"ruff.toml": b""})
    repository(world)
    unsettled(world)
    world.run("start-loop", "mend it", "--session", world.session, "--max-iterations", "3")
    for number, text in enumerate((RED * 3, RED, RED * 2), 1):
        world.write({"shop.py": text, f"round{number}.txt": ""})
        world.answer = world.stop()  # type: ignore[attr-defined]
    return world


def test_an_end_without_green_tells_both_ways_back_and_both_work(ended: World) -> None:
    *_, command, by_hand = ended.answer.notice.split("\n")  # type: ignore[attr-defined]
    loop, ref = ended.state["loop_id"], ended.state["snapshots"][1]["ref"]
    assert command == f"Rollback: {HISTORY.format('best', loop)} · or type /untilgreen:rollback best"
    assert by_hand == f"Manual: git --git-dir=.untilgreen/git --work-tree=. checkout {ref} -- ."
    untidy = files(ended)
    damage(ended)
    put(ended, {b"shop.py": b"other"})
    shutil.rmtree(ended.project / "becomes")
    (ended.project / "folder").unlink()
    by_hand = by_hand.removeprefix("Manual: ")
    subprocess.run(by_hand, shell=True, cwd=ended.project, env=ended.env, check=True, capture_output=True)
    assert {name: one for name, one in files(ended).items() if name in untidy} == untidy | {
        b"shop.py": ("", RED.encode())
    }
    assert ended.run(*command.removeprefix("Rollback: ").partition(" · ")[0].split(), "--yes").code == 0
    assert files(ended) == {name: one for name, one in untidy.items() if name != b"round3.txt"} | {
        b"shop.py": ("", RED.encode())
    }


def test_what_would_change_is_listed_and_nobody_who_cannot_be_asked_changes_anything(ended: World) -> None:
    before, loop = files(ended), ended.state["loop_id"]
    listed = f"back to round 1 of {loop}: mend it\n  delete round2.txt\n  delete round3.txt\n  change shop.py\n"
    words = ("untilgreen", "rollback", "--to", "1")
    assert ended.run(*words, "--dry-run") == (0, listed, "")
    refused = "untilgreen failed: nothing was changed: nobody can be asked here. Fix: add --yes\n"
    assert ended.run(*words) == (64, listed, refused)
    assert files(ended) == before
    # only what is named, from where it is named
    (ended.project / "deep/new").mkdir()
    (ended.project / "deep/new/file.txt").touch()
    answer = ended.run(*words, "--yes", "new", "../round2.txt", cwd=ended.project / "deep")
    assert answer.stdout.startswith(f"untilgreen: 2 files put back as in round 1 of {loop}\n")
    assert set(before) - set(files(ended)) == {b"round2.txt"}
    assert not (ended.project / "deep/new").exists()


def test_at_a_terminal_it_asks_and_no_is_no(green: World) -> None:
    green.start("mend it", "--preset", "supercode")
    green.write({"new.py": ""})
    for answer, code, there in (("n", 130, True), ("y", 0, False)):
        with terminal(green, "rollback") as asked:
            asked.expect("Go back\\? ")
            assert "\n  delete new.py\r" in asked.before
            asked.sendline(answer)
            asked.expect(pexpect.EOF)
        assert (asked.exitstatus, (green.project / "new.py").exists()) == (code, there)


def test_a_way_that_is_not_there_is_said_in_one_line(ended: World) -> None:
    loop = ended.state["loop_id"]
    for words, reason in (
        (["--to", "9"], f"{loop} has no round 9. Fix: give one of start, 1, 2, 3, best"),
        (["--to", "before-1"], f"{loop} has no round before-1. Fix: give one of start, 1, 2, 3, best"),
        (["--session", "nobody"], "no loop nobody is known here. Fix: untilgreen status --all"),
        (["../elsewhere"], f"../elsewhere is outside of {ended.project}. Fix: name a file of the project"),
    ):
        assert ended.run("untilgreen", "rollback", "--yes", *words) == (64, "", f"untilgreen failed: {reason}\n")


def test_a_typed_rollback_acts_and_says_so(ended: World) -> None:
    assert "untilgreen: 4 files put back as in the start" in ended.prompt("/untilgreen:rollback").stdout
    assert not (ended.project / "shop.py").exists()
    assert "put back as in round 2" in ended.prompt("/untilgreen:rollback best").stdout
    assert (ended.project / "shop.py").read_text() == RED
    refused = ended.prompt("/untilgreen:rollback best please")
    assert (refused.code, "rollback takes start, best or the number of a round" in refused.stderr) == (2, True)


def test_stash_index_and_commits_stay_and_git_finds_nothing_wrong_with_them(green: World) -> None:
    green.write({"ruff.toml": "", "kept.py": "K = 1\n"})
    green.commit()
    green.write({"kept.py": "K = 2\n"})
    git(green, "stash", "push", "-q")
    before = files(green)
    green.run("start-loop", "mend it", "--session", green.session)
    green.write({"app.py": RED, "agent.py": "A = 1\n"})
    git(green, "add", "-A")
    git(green, "commit", "-qm", "the agent's")
    green.write({"staged.py": "S = 1\n"})
    git(green, "add", "staged.py")
    assert green.stop().held

    def kept() -> list[object]:
        index = (green.project / ".git/index").read_bytes()
        return [index, *(git(green, *words.split()) for words in ("stash list", "show-ref", "rev-parse HEAD"))]

    asked = kept()
    assert green.run("untilgreen", "rollback", "--yes").code == 0
    assert (files(green), kept() == asked) == (before, True)
    assert git(green, "fsck", "--strict", "--no-dangling") == ""
    git(green, "stash", "pop", "-q")
    assert (green.project / "kept.py").read_text() == "K = 2\n"


def test_a_loop_that_runs_goes_on_after_a_rollback(green: World) -> None:
    green.write({"ruff.toml": ""})
    green.run("start-loop", "mend it", "--session", green.session)
    green.write({"app.py": RED})
    assert green.stop().held
    assert green.run("untilgreen", "rollback", "--yes").code == 0
    assert (green.state["active"], green.state["iteration"]) == (True, 2)
    assert not green.stop().held


def test_what_git_ignores_stays_and_what_it_ignores_only_now_is_kept_before_it_goes(green: World) -> None:
    green.write({".gitignore": "*.log\n", "a.log": "1", "notes.txt": "mine", "data/x": "1"})
    green.commit()
    green.write({"late.txt": "not committed"})
    green.start("mend it", "--preset", "supercode")
    green.write({".gitignore": "*.log\n*.txt\n", "a.log": "2", "late.txt": "changed", "new.txt": "ignored now"})
    said = green.run("untilgreen", "rollback", "--yes").stdout
    assert "\nleft alone, as it was never kept: new.txt\n" in said  # git would add it again
    kept = ("a.log", "new.txt", "late.txt")
    assert [(green.project / name).read_text() for name in kept] == ["2", "ignored now", "not committed"]
    assert green.run("untilgreen", "rollback", "--to", "before-1", "--yes").code == 0
    assert [(green.project / name).read_text() for name in kept] == ["2", "ignored now", "changed"]


@pytest.mark.parametrize("does", ["echo > .gitignore", "rm -rf .git", "rm -rf .git; git init -q"])
def test_what_was_ignored_at_the_start_stays_whoever_ignores_it_now(green: World, does: str) -> None:
    mine = {"prod.env": "KEY=1", "build/out": "1", "node_modules/a/b.js": "1"}
    green.write({".gitignore": "*.env\nbuild/\nnode_modules/\n", **mine})
    green.commit()
    green.start("mend it", "--preset", "supercode")
    green.write({"new.py": "", "app.py": RED})
    subprocess.run(["sh", "-c", does], cwd=green.project, env=green.env, check=True)
    assert green.run("untilgreen", "rollback", "--yes").code == 0
    assert {name: (green.project / name).read_text() for name in mine} == mine
    assert ((green.project / "new.py").exists(), (green.project / "app.py").read_text() == RED) == (False, False)


def test_a_file_that_grew_comes_back_and_what_it_was_lies_apart(green: World) -> None:
    green.write({"small.txt": "small"})
    green.start("mend it", "--preset", "supercode")
    (green.project / "small.txt").write_bytes(bytes(11_000_000))
    said = green.run("untilgreen", "rollback", "--yes").stdout
    apart = green.project / f".untilgreen/aside/{green.state['loop_id']}-before-1/small.txt"
    assert f"\nwas not kept before, and lies apart now: {apart}\n" in said
    assert ((green.project / "small.txt").read_text(), apart.stat().st_size) == ("small", 11_000_000)


@pytest.mark.parametrize("put_there", [lambda path: path.write_bytes(bytes(11_000_000)), os.mkfifo])
def test_what_was_not_kept_and_has_the_place_of_a_folder_lies_apart(
    green: World, put_there: Callable[[Path], object]
) -> None:
    green.write({"folder/in/a.txt": "mine"})
    green.start("mend it", "--preset", "supercode")
    shutil.rmtree(green.project / "folder")
    put_there(green.project / "folder")
    answer = green.run("untilgreen", "rollback", "--yes")
    apart = green.project / f".untilgreen/aside/{green.state['loop_id']}-before-1/folder"
    assert f"\nwas not kept before, and lies apart now: {apart}\n" in answer.stdout
    assert (apart.exists(), "left alone" in answer.stdout) == (True, False)
    assert (green.project / "folder/in/a.txt").read_text() == "mine"


def modes(world: World, names: Iterable[str]) -> dict[str, str]:
    return {name: f"{(world.project / name).stat().st_mode & 0o777:o}" for name in names}


def test_permissions_are_as_they_were(green: World) -> None:
    wanted = {"key": "600", "other": "400", "script": "700", "all": "666", "plain": "644", "run": "755"}
    wanted |= {"safe/in/key": "644", "safe/in": "750", "safe": "700"}
    green.write(
        dict.fromkeys((name for name in wanted if name not in ("safe", "safe/in")), "x") | {"more": "", "most": ""}
    )
    for name, mode in wanted.items():
        (green.project / name).chmod(int(mode, 8))
    green.start("mend it", "--preset", "supercode")
    for name in ("key", "plain", "all"):
        (green.project / name).chmod(0o640)
    then = modes(green, wanted)
    for name in ("other", "script", "run"):
        (green.project / name).unlink()
    shutil.rmtree(green.project / "safe")
    assert green.run("sh", "-c", "umask 077; exec untilgreen rollback --yes").code == 0
    assert modes(green, wanted) == wanted
    assert green.run("untilgreen", "rollback", "--to", "before-1", "--yes").code == 0
    assert modes(green, ("key", "plain", "all")) == {name: then[name] for name in ("key", "plain", "all")}


def test_what_root_puts_back_belongs_to_whom_it_belonged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[tuple[str, int, int]] = []
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(os, "chown", lambda name, user, group, **_: given.append((name, user, group)))
    for folder in ("project", "state"):
        (tmp_path / folder).mkdir()
    (tmp_path / "project/there").write_text("the agent's")
    with TreeStore(str(tmp_path / "state"), str(tmp_path / "project")) as trees:
        trees.make()
        mine = Entry("100644", trees.write(b"mine"))
        wanted = [Difference("in/new", None, mine), Difference("there", None, mine)]
        restoring.restore(trees, str(tmp_path / "project"), wanted, str(tmp_path / "aside/x"))
    owner = ((info := (tmp_path / "project").stat()).st_uid, info.st_gid)
    assert [name for name, *_ in given] == ["in", *[f".untilgreen-restored-{os.getpid()}"] * 2]
    assert {tuple(ids) for _, *ids in given} == {owner}


def test_where_nobody_may_look_nothing_is_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lstat(_: str) -> os.stat_result:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(os, "lstat", lstat)  # as below a folder that root made
    now = {"a/b": Entry("100644", "0" * 40)}
    found = snapshots.permissions(str(tmp_path), now)
    [one] = differences(with_modes(now, found), with_modes(now, {"a/b": "644"}), lambda _: False)
    assert one.path == "a/b"


@pytest.mark.parametrize("new", ["wanted", None])
def test_what_is_written_while_files_are_replaced_lies_apart(tmp_path: Path, new: str | None) -> None:
    for folder in ("project/in", "state"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "project/in/a").write_text("mine")
    with TreeStore(str(tmp_path / "state"), str(tmp_path / "project")) as trees:
        trees.make()
        before, after = (Entry("100644", trees.write(text.encode())) for text in ("the agent's", new or ""))
        wanted = [Difference("in/a", before, after if new else None)]
        done = restoring.restore(trees, str(tmp_path / "project"), wanted, str(tmp_path / "aside/x"))
    assert done == restoring.Restored((), (str(tmp_path / "aside/x/in/a"),))
    assert (tmp_path / "aside/x/in/a").read_text() == "mine"
    there = tmp_path / "project/in/a"
    assert (there.read_text() if there.exists() else None) == new


def test_where_no_hard_link_can_be_what_the_repository_has_is_copied(
    green: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def link(*_: object, **__: object) -> None:
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))

    monkeypatch.setattr(os, "link", link)  # as of another file system
    green.commit()
    blob = git(green, "rev-parse", "HEAD:app.py").strip()
    with TreeStore(str(green.home), str(green.project)) as trees:
        trees.make()
        trees.borrow()
        shutil.rmtree(green.project / ".git")
        assert trees.read(blob) == (green.project / "app.py").read_bytes()


def test_no_link_is_followed_though_git_ignores_it_and_what_it_ignores_keeps_its_place(green: World) -> None:
    outside = green.home / "outside"
    outside.mkdir()
    (outside / "a.py").write_text("a stranger's")
    green.write({".gitignore": "*.log\n", "file": "mine", "linked/a.py": "mine", "folder/a.py": "mine"})
    green.commit()
    green.start("mend it", "--preset", "supercode")
    (green.project / "file").unlink()
    for name in ("linked", "folder"):
        shutil.rmtree(green.project / name)
    (green.project / "linked").symlink_to(outside)
    green.write({"folder": "now ignored", "file/a.log": "", ".gitignore": "*.log\nlinked\nfolder\n"})
    answer = green.run("untilgreen", "rollback", "--yes")
    reason = "file is not back yet: a folder with ignored files has its place; every file is either the old"
    assert (answer.code, reason in answer.stderr) == (64, True), answer
    assert [(green.project / name / "a.py").read_text() for name in ("linked", "folder")] == ["mine", "mine"]
    assert (outside / "a.py").read_text() == "a stranger's"
    assert green.run("untilgreen", "rollback", "--to", "before-1", "--yes").code == 0
    assert (os.readlink(green.project / "linked"), (green.project / "folder").read_text()) == (
        str(outside),
        "now ignored",
    )


def test_what_is_too_large_to_be_kept_is_named_and_left_alone(green: World) -> None:
    (green.project / "large").write_bytes(bytes(11_000_000))
    said = green.start("mend it", "--preset", "supercode").stdout
    assert "\nnot in the snapshot: large\n" in said
    (green.project / "large").write_bytes(b"small now")
    green.write({"new.py": ""})
    answer = green.run("untilgreen", "rollback", "--yes")
    assert "\nleft alone, as it was never kept: large\n" in answer.stdout
    assert ((green.project / "large").read_bytes(), (green.project / "new.py").exists()) == (b"small now", False)
    again = green.run("untilgreen", "rollback", "--dry-run").stdout.splitlines()
    assert [line.partition(" loop-")[0] for line in again] == [
        "untilgreen: nothing differs from the start of",
        "left alone, as it was never kept: large",
    ]


def test_where_a_file_cannot_be_written_every_file_is_old_or_new_and_the_same_command_goes_on(green: World) -> None:
    large = os.urandom(200_000)
    green.write({"a.txt": "1", "z.txt": "1"})
    (green.project / "large").write_bytes(large)
    green.start("mend it", "--preset", "supercode")
    green.write({"a.txt": "2", "large": "2", "z.txt": "2"})
    words = "ulimit -f 100; exec untilgreen rollback --yes"
    done = subprocess.run(["bash", "-c", words], cwd=green.project, env=green.env, capture_output=True, check=False)
    reason = (
        "untilgreen failed: large is not back yet: File too large; every file is either the old one or the new one."
    )
    assert (done.returncode, done.stderr.decode()) == (
        64,
        f"{reason} Fix: solve that, then run the same command again\n",
    )
    assert [(green.project / name).read_text() for name in ("a.txt", "large", "z.txt")] == ["1", "2", "1"]
    assert green.run("untilgreen", "rollback", "--yes").code == 0
    assert (green.project / "large").read_bytes() == large
    assert not [name for name in os.listdir(green.project) if "restored" in name]


ON_A_FULL_DISK = tables.text("rollback", "on a full disk")


@pytest.mark.needs("mounts")
def test_with_the_disk_full_in_the_middle_it_says_so_and_goes_on_once_there_is_room(green: World) -> None:
    green.write({".gitignore": "*.log\n"})
    words = ["unshare", "--mount", "sh", "-c", ON_A_FULL_DISK]
    env = green.env | {"SESSION": green.session}
    done = subprocess.run(words, cwd=green.project, env=env, capture_output=True, check=False, text=True)
    assert done.returncode == 0, done
    assert re.search("failed: data/. is not back yet.*: No space left on device; every file is either", done.stderr), (
        done
    )
    # each is the old one or the new one, whole
    assert re.search(r"^12[3c]cc$", done.stdout, re.MULTILINE), done
    assert done.stdout.endswith("\n45000\n")
