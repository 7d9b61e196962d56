"""Snapshots: what is kept of a work tree, that it costs what changed, and what a failure to keep one does."""

import os
import subprocess
import time
from pathlib import Path

import pytest

from untilgreen.core.model.event import Place
from untilgreen.core.model.tree import Entry
from untilgreen.state import pruning, snapshots
from untilgreen.state.objects import Missing, Objects
from world import World

RED = "import os\n"


@pytest.fixture
def begun(world: World) -> World:
    """A loop in a repository, with nothing done yet."""
    world.write({"ruff.toml": "", "app.py": "", "deep/er/a.py": "A = 1\n"})
    world.commit()
    world.run("start-loop", "mend it", "--session", world.session)
    return world


def objects(world: World) -> set[Path]:
    return {path for path in (world.project / ".untilgreen/git/objects").glob("??/*") if path.is_file()}


def by_git(world: World, *words: str) -> str:
    store = f"--git-dir={world.project}/.untilgreen/git"
    done = subprocess.run(["git", store, *words], env=world.env, cwd=world.project, capture_output=True, check=True)
    return done.stdout.decode()


def test_each_stop_that_counts_keeps_what_changed_and_no_more(begun: World) -> None:
    start = begun.state["start_ref"]
    assert len(objects(begun)) == 1  # the commit: its tree is the project's own
    begun.write({"deep/er/a.py": RED})
    assert begun.stop().held
    assert len(objects(begun)) == 1 + 5  # a file, three folders, a commit
    begun.write({"deep/er/a.py": RED})
    assert begun.stop().held
    first, second = (one["ref"] for one in begun.state["snapshots"])
    assert (first == second, len(objects(begun))) == (True, 6)  # the same tree is the same snapshot
    assert by_git(begun, "diff", "--name-only", start, first) == "deep/er/a.py\n"
    session, loop = begun.session, begun.state["loop_id"]
    refs = [line.split()[1] for line in by_git(begun, "show-ref").splitlines()]
    assert refs == [f"refs/untilgreen/{session}/{loop}/{number}" for number in ("1", "2", "start")]
    assert {one["snapshot_path"] for one in begun.state["snapshots"]} == {str(begun.project / ".untilgreen/git")}


def test_the_store_is_not_seen_by_the_repository_and_is_for_its_owner_alone(begun: World) -> None:
    for words in (["status", "--porcelain"], ["for-each-ref", "--format=x", "refs/untilgreen"]):
        done = subprocess.run(["git", *words], cwd=begun.project, env=begun.env, capture_output=True, check=True)
        assert done.stdout == b"", done
    for one in objects(begun):
        assert not (begun.project / ".git/objects" / one.relative_to(one.parent.parent)).exists()
    modes = {path.stat().st_mode & 0o077 for path in (begun.project / ".untilgreen/git").rglob("*")}
    assert modes == {0}


def test_a_tree_that_cannot_be_kept_is_said_once_and_stands_in_nobodys_way(begun: World) -> None:
    store = begun.project / ".untilgreen/git"
    store.rename(store.with_name("away"))
    store.write_text("no folder")
    begun.write({"app.py": RED})
    told = [begun.stop().notice for _ in range(2)]
    assert ["no snapshot of this round was kept" in one for one in told] == [True, False]
    assert [one["ref"] for one in begun.state["snapshots"]] == ["", ""]
    assert "the work tree was not kept" in (begun.project / ".untilgreen/untilgreen.log").read_text()
    assert "was not kept. Fix: read" in begun.run("untilgreen", "rollback", "--to", "1", "--yes").stderr
    answer = begun.run("start-loop", "again", "--session", begun.session, "--replace")
    assert (answer.code, "no snapshot of the start was kept" in answer.stdout) == (0, True)


def test_what_a_prune_threw_away_is_said_and_the_rest_comes_back(begun: World) -> None:
    blob = (
        subprocess.run(
            ["git", "rev-parse", "HEAD:deep/er/a.py"], cwd=begun.project, env=begun.env, capture_output=True, check=True
        )
        .stdout.decode()
        .strip()
    )
    begun.write({"deep/er/a.py": "B = 2\n", "app.py": "B = 2\n"})
    (begun.project / ".git/objects" / blob[:2] / blob[2:]).unlink()
    answer = begun.run("untilgreen", "rollback", "--yes")
    assert (answer.code, "deep/er/a.py is not back yet: is in no store of git objects" in answer.stderr) == (1, True)
    assert (begun.project / "app.py").read_text() == ""


@pytest.mark.parametrize("has_git", [True, False])
def test_a_diff_is_what_git_prints_with_git_and_without(world: World, has_git: bool) -> None:
    world.write({"ruff.toml": "", "a b.py": "A = 1\nB = 2\n", "gone.txt": "x\ny", "same.py": ""})
    (world.project / "data").write_bytes(bytes(10))
    if not has_git:
        world.env["PATH"] = str(world.programs)
    world.run("start-loop", "mend it", "--session", world.session)
    world.write({"a b.py": "A = 1\nB = 3\n", "new.py": RED})
    (world.project / "data").write_bytes(bytes(11))
    (world.project / "gone.txt").unlink()
    (world.project / "same.py").chmod(0o755)
    assert world.stop().held
    world.write({"new.py": "changed after the stop\n"})
    lines = [line for line in world.run("untilgreen", "diff", "start", "1").stdout.split("\n") if line[:6] != "index "]
    assert "\n".join(line.rstrip("\t") for line in lines) == (
        "diff --git a/a b.py b/a b.py\n--- a/a b.py\n+++ b/a b.py\n@@ -1,2 +1,2 @@\n A = 1\n-B = 2\n+B = 3\n"
        "diff --git a/data b/data\nBinary files a/data and b/data differ\n"
        "diff --git a/gone.txt b/gone.txt\ndeleted file mode 100644\n--- a/gone.txt\n+++ /dev/null\n"
        "@@ -1,2 +0,0 @@\n-x\n-y\n\\ No newline at end of file\n"
        "diff --git a/new.py b/new.py\nnew file mode 100644\n--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+import os\n"
        "diff --git a/same.py b/same.py\nold mode 100644\nnew mode 100755\n"
    )
    assert "+changed after the stop" in world.run("untilgreen", "diff", "1").stdout


def test_old_snapshots_go_with_what_only_they_hold_and_those_of_a_running_loop_stay(begun: World) -> None:
    def aged() -> None:
        old = time.time() - 15 * 86_400
        for path in (begun.project / ".untilgreen/git/refs").rglob("*"):
            os.utime(path, (old, old))

    begun.write({"app.py": RED})
    assert begun.stop().held
    aged()
    assert "dropped 0 snapshots, 0.0 MB; 2 snapshots left" in begun.run("untilgreen", "gc").stdout
    begun.run("cancel-loop")
    begun.write({"app.py": "", "new.py": RED})
    begun.run("start-loop", "again", "--session", begun.session)
    kept = begun.state["start_ref"]
    aged()
    assert "dropped 2 snapshots, 0.0 MB; 1 snapshot left" in begun.run("untilgreen", "gc").stdout
    by_git(begun, "fsck", "--full")
    assert set(by_git(begun, "show-ref").split()) == {
        kept,
        f"refs/untilgreen/{begun.session}/{begun.state['loop_id']}/start",
    }
    assert len(objects(begun)) == 3  # a file, the folder above all, the commit


def test_the_oldest_loops_go_until_the_rest_is_small_enough(tmp_path: Path) -> None:
    with Objects(str(tmp_path), str(tmp_path)) as store:
        store.make(borrow=False)
        refs = []
        for number in range(4):
            blob = store.write("blob", bytes([number]) + os.urandom(50_000))
            commit = snapshots.commit(store, store.edited("", {"file": Entry("100644", blob)}), (), "x")
            refs.append(snapshots.named(store, Place("", "", "s"), f"loop-{number}", "start", commit))
            moment = time.time() - 9 + number
            os.utime(tmp_path / f"git/refs/untilgreen/s/loop-{number}/start", (moment, moment))
        done = pruning.prune(store, str(tmp_path), {"loop-0"}, 60.0, most=120_000)
        assert (done.gone, done.left, done.freed > 100_000) == (2, 2, True)
        assert {commit for _, commit in store.refs()} == {refs[0], refs[3]}
        assert len(store.read(store.tree(refs[0])["file"].name)) == 50_001


def test_a_store_edits_trees_as_git_does(tmp_path: Path) -> None:
    with Objects(str(tmp_path), str(tmp_path)) as store:
        store.make(borrow=False)
        blob = store.write("blob", b"text")
        one, run = Entry("100644", blob), Entry("100755", blob)
        tree = store.edited("", {"a": one, "a.b/c": one, "a-b": run, "d/e/f": one})
        assert store.tree(tree) == {"a": one, "a.b/c": one, "a-b": run, "d/e/f": one}
        # a file becomes a folder, a folder a file; one that is empty goes
        changed = store.edited(tree, {"a": None, "a/b": run, "d/e/f": None, "a.b": one, "a.b/c": None})
        assert store.tree(changed) == {"a/b": run, "a.b": one, "a-b": run}
        assert store.edited(changed, {"a/b": run, "no/where": None}) == changed
        assert store.edited(changed, {"a": None, "a.b": None, "a-b": None}) == store.edited("", {})
        assert store.read(blob) == b"text"
        with pytest.raises(Missing):
            store.read("0" * 40)
    checked = subprocess.run(["git", f"--git-dir={tmp_path}/git", "fsck", "--strict"], capture_output=True, check=False)
    assert checked.returncode == 0, checked
