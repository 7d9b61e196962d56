"""Snapshots: what is kept of a work tree, that it costs what changed, and what a failure to keep one does."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
import zlib
from pathlib import Path

import pytest

from untilgreen.core.model.event import Place
from untilgreen.loops import pruning
from untilgreen.project.tree import worktree
from untilgreen.state import snapshots
from untilgreen.state.trees import Missing, TreeStore
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
    """Those that are our own: what the project has, too, is there by hard link."""
    found = (world.project / ".untilgreen/git/objects").glob("??/*")
    return {path for path in found if path.is_file() and path.stat().st_nlink == 1}


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


def test_what_nobody_wrote_to_since_the_stop_before_is_kept_without_opening_it_again(begun: World) -> None:
    begun.write({f"many/{number}.txt": f"{number:04}\n" for number in range(40)} | {"deep/a.py": RED})
    time.sleep(2.1)  # nothing is noted of what is newer
    assert begun.stop().held
    begun.write({"deep/a.py": "import sys\n", "many/7.txt": "0077\n", "new1": ""})
    (begun.project / "many/8.txt").unlink()
    trace, stop = begun.tmp / "trace", [str(Path(sys.executable).with_name("stop-loop")), "--host", "claude-code"]
    if traced := shutil.which("strace"):
        stop = [traced, "-f", "-qq", "-e", "trace=openat,open", "-o", str(trace), *stop]
    said = json.dumps(begun.payload())
    done = subprocess.run(
        stop, input=said, env=begun.env, cwd=begun.project, text=True, capture_output=True, check=False
    )
    assert done.returncode == 2
    if traced:
        opened = {*re.findall(r'"(?:[^"]*/)?(many/[^."/]+.txt|deep/a.py|new\d+)"', trace.read_text())}
        assert opened == {"many/7.txt", "deep/a.py", "new1"}
    ref = begun.state["snapshots"][-1]["ref"]
    kept = by_git(begun, "ls-tree", "-r", "--name-only", ref).splitlines()
    assert ("many/7.txt" in kept, "many/8.txt" in kept, len(kept)) == (True, False, 44)
    assert all(by_git(begun, "show", f"{ref}:{path}") == (begun.project / path).read_text() for path in kept)


def test_the_store_is_not_seen_by_the_repository_and_is_for_its_owner_alone(begun: World) -> None:
    for words in (["status", "--porcelain"], ["for-each-ref", "--format=x", "refs/untilgreen"]):
        done = subprocess.run(["git", *words], cwd=begun.project, env=begun.env, capture_output=True, check=True)
        assert done.stdout == b"", done
    for one in objects(begun):
        assert not (begun.project / ".git/objects" / one.relative_to(one.parent.parent)).exists()
    paths = (begun.project / ".untilgreen/git").rglob("*")
    modes = {path.stat().st_mode & 0o077 for path in paths if path.is_dir() or path.stat().st_nlink == 1}
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


def test_what_is_lost_is_said_and_the_rest_comes_back(begun: World) -> None:
    asked = ["git", "rev-parse", "HEAD:deep/er/a.py"]
    blob = subprocess.check_output(asked, cwd=begun.project, env=begun.env, text=True).strip()
    begun.write({"deep/er/a.py": "B = 2\n", "app.py": "B = 2\n"})
    for folder in (".git", ".untilgreen/git"):
        (begun.project / folder / "objects" / blob[:2] / blob[2:]).unlink()
    answer = begun.run("untilgreen", "rollback", "--yes")
    assert (answer.code, "deep/er/a.py is not back yet: is in no store of git objects" in answer.stderr) == (64, True)
    assert (begun.project / "app.py").read_text() == ""


@pytest.mark.parametrize("has_repository", [True, False])
def test_whatever_happens_to_the_projects_git_takes_no_snapshot_away(world: World, has_repository: bool) -> None:
    world.write({"ruff.toml": "", "app.py": "A = 1\n", "packed.py": "P = 1\n"})
    world.commit()
    subprocess.run(["git", "repack", "-adq"], cwd=world.project, env=world.env, check=True)
    world.write({"app.py": "A = 2\n"})
    world.commit()
    world.start("mend it", "--preset", "supercode")
    world.write({"app.py": RED, "packed.py": RED})
    assert world.stop().held
    git = world.project / ".git"
    for path in (git / "objects").rglob("*") if has_repository else ():
        if path.is_file():
            path.unlink()
    if not has_repository:
        git.rename(world.home / "away")
    assert world.run("untilgreen", "rollback", "--yes").code == 0
    assert [(world.project / name).read_text() for name in ("app.py", "packed.py")] == ["A = 2\n", "P = 1\n"]


@pytest.mark.parametrize("variable", ["GIT_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ATTR_SOURCE"])
def test_the_callers_variables_do_not_lead_elsewhere(begun: World, variable: str) -> None:
    begun.env[variable] = str(begun.home / "elsewhere")
    begun.write({"app.py": RED})
    assert begun.stop().held
    del begun.env[variable]
    refs = begun.state["start_ref"], begun.state["snapshots"][0]["ref"]
    assert by_git(begun, "diff", "--name-only", *refs) == "app.py\n"
    assert not (begun.home / "elsewhere").exists()


def test_a_replaced_object_and_a_graft_are_not_looked_at(begun: World) -> None:
    start, blob = begun.state["start_ref"], by_git(begun, "hash-object", "-w", "ruff.toml").strip()
    (begun.project / ".untilgreen/git/info/grafts").write_text(f"{start} {start}\n")
    store = begun.project / ".untilgreen/git/refs/replace"
    store.mkdir(parents=True)
    (store / by_git(begun, "rev-parse", f"{start}:deep/er/a.py").strip()).write_text(f"{blob}\n")
    begun.write({"deep/er/a.py": RED})
    assert begun.run("untilgreen", "rollback", "--yes").code == 0
    assert (begun.project / "deep/er/a.py").read_text() == "A = 1\n"


@pytest.mark.parametrize("what", ["deep/er/a.py", "deep/er", ""])
def test_nothing_has_a_name_that_is_not_its_own(begun: World, what: str) -> None:
    """Git believes what lies there under a name: a file, a folder and a commit of the start are written over."""
    start = begun.state["start_ref"]
    name = by_git(begun, "rev-parse", f"{start}:{what}" if what else start).strip()
    store = begun.project / ".untilgreen/git/objects"
    kind, other = {"deep/er/a.py": ("blob", b"A = 2\n"), "deep/er": ("tree", b""), "": ("commit", b"")}[what]
    path = store / name[:2] / name[2:]
    path.unlink()
    path.write_bytes(zlib.compress(f"{kind} {len(other)}\0".encode() + other))
    with TreeStore(str(begun.project / ".untilgreen"), str(begun.project)) as trees, pytest.raises(Missing):
        trees.read(trees.tree(start)["deep/er/a.py"].name)


def test_a_diff_shows_nothing_that_was_written_over(begun: World) -> None:
    begun.write({"app.py": RED})
    name = by_git(begun, "hash-object", "app.py").strip()
    path = begun.project / ".untilgreen/git/objects" / name[:2] / name[2:]
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(zlib.compress(b"blob 9\0harmless\n"))
    answer = begun.run("untilgreen", "diff", "start")
    assert (answer.stdout, "is in no store of git objects" in answer.stderr) == ("", True)


def test_a_tree_is_as_it_lies_whatever_an_index_says(begun: World) -> None:
    place, root = Place(str(begun.project), str(begun.project / ".untilgreen"), begun.session), str(begun.project)
    with TreeStore(place.base, place.root) as trees:
        start = trees.tree(begun.state["start_ref"])
        assert snapshots.as_it_lies(trees, root, start, begun.state["started_at"]) == start
        begun.write({"deep/er/a.py": RED})
        (begun.project / "app.py").unlink()
        found = snapshots.as_it_lies(trees, root, start, begun.state["started_at"])
        assert (trees.read(found["deep/er/a.py"].name), "app.py" in found) == (RED.encode(), False)
        untouched = snapshots.as_it_lies(trees, root, start, "2099")
        assert untouched["deep/er/a.py"] == start["deep/er/a.py"]


def test_a_diff_is_what_git_prints(world: World) -> None:
    world.write({"ruff.toml": "", "a b.py": "A = 1\nB = 2\n", "gone.txt": "x\ny", "same.py": ""})
    (world.project / "data").write_bytes(bytes(10))
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
    (tmp_path / "state").mkdir()
    (tmp_path / "project").mkdir()
    with TreeStore(str(tmp_path / "state"), str(tmp_path / "project")) as trees:
        refs = []
        for number in range(4):
            (tmp_path / "project/file").write_bytes(bytes([number]) + os.urandom(50_000))
            reading = worktree.read(trees.root)
            place = Place(trees.root, str(tmp_path / "state"), "s")
            refs.append(snapshots.keep(place, reading, f"loop-{number}", "start", 60).ref)
            moment = time.time() - 9 + number
            os.utime(tmp_path / f"state/git/refs/untilgreen/s/loop-{number}/start", (moment, moment))
        done = pruning.prune(trees, {"loop-0"}, 60.0, most=120_000)
        assert (done.gone, done.left, done.freed > 100_000) == (2, 2, True)
        assert {commit for _, commit in trees.refs()} == {refs[0], refs[3]}
        assert len(trees.read(trees.tree(refs[0])["file"].name)) == 50_001
        with pytest.raises(Missing):
            trees.tree(refs[1])
