"""How long a newcomer waits, and stops of large suites and trees, in seconds. What hook calls cost says `bench.py`."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "tests"))

import installs
from test_start_tree import Kept
from untilgreen.checks.elsewhere import rerun
from untilgreen.checks.elsewhere.materialise import KeptTree
from untilgreen.checks.plan import planning
from untilgreen.checks.plan.planning import CheckScope
from untilgreen.checks.run import checking
from untilgreen.core.model.event import Place
from untilgreen.core.model.settings import Criteria, Settings
from untilgreen.project.tree import worktree
from untilgreen.state import snapshots, store
from world import World


def red_stops(folder: Path) -> dict[str, float]:
    """A stop of a suite of 5,000 tests of which one fails, in seconds: the whole of it, then what failed last."""
    folder.mkdir()
    world, tests = World(folder), "".join(f"def test_{number}():\n    pass\n\n\n" for number in range(100))
    files = {f"tests/test_{number}.py": tests for number in range(50)}
    failing = files["tests/test_7.py"].replace("test_7():\n    pass", "test_7():\n    assert 0")
    world.write(files | {"tests/test_7.py": failing})
    world.commit()
    world.start("mend it", "--tests-pass")
    told = {}
    alone = [sys.executable, "-m", "pytest", "-q", "tests/test_7.py::test_7"]
    for name in ("one failing test of 5,000, the whole", "red first", "that test alone, by hand"):
        began = time.perf_counter()
        if name.startswith("that"):
            subprocess.run(alone, cwd=world.project, env=world.env, capture_output=True, check=False)
        else:
            assert world.stop().held
        told[name] = time.perf_counter() - began
    assert world.state["snapshots"][-1]["not_run"] == {"pytest": 4999}
    return told


def blamed(folder: Path) -> dict[str, float]:
    """A stop of a suite of 2,000 tests of which three fail, in seconds: as they are, and told whose they are, by a run
    of these three here and one where the loop began."""
    folder.mkdir()
    world, tests = World(folder), "".join(f"def test_{number}():\n    pass\n\n\n" for number in range(100))
    failing = "from app import VALUE\n\n\n" + tests.replace("pass", "assert VALUE == 1", 3)
    world.write({f"tests/test_{number}.py": tests for number in range(19)} | {"tests/test_19.py": failing})
    world.write({"conftest.py": ""})
    told = {}
    for name, most, expected in (("three failing tests of 2,000", 0, 0), ("the same, told whose they are", 20, 3)):
        world.write({"app.py": "VALUE = 1\n", "untilgreen.toml": f"blame_tests = {most}\n"})
        world.commit()
        world.run("start-loop", "mend it", "--session", world.session, "--replace")
        world.write({"app.py": "VALUE = 2\n"})
        began = time.perf_counter()
        assert world.stop().held
        told[name] = time.perf_counter() - began
        assert [*world.state["blame"].values()] == ["yours"] * expected, world.state["blame"]
    return told


def proved(folder: Path) -> dict[str, float]:
    """A green stop of a suite of 2,000 tests, in seconds: as it is, and proved, as a file of tests was edited."""
    folder.mkdir()
    world, tests = World(folder), "".join(f"def test_{number}():\n    pass\n\n\n" for number in range(100))
    world.write({f"tests/test_{number}.py": tests for number in range(20)} | {"app.py": "VALUE = 1\n"})
    world.commit()
    told = {}
    for name, files in (
        ("2,000 tests, green", {"app.py": "VALUE = 2\n"}),
        ("the same, proved", {"tests/test_0.py": f"# edited\n{tests}def test_new():\n    pass\n"}),
    ):
        world.run("start-loop", "mend it", "--session", world.session, "--replace")
        world.write(files)
        began = time.perf_counter()
        assert world.stop().code == 0
        told[name] = time.perf_counter() - began
    assert (world.state["proof"]["kept"], world.state["proof"]["idle"]) == (2_000, ["test_new"])
    return told


def other_trees(folder: Path) -> dict[str, float]:
    """Tests at another tree, in seconds: 2,000 of pytest in the work tree and there; 10,000 files, put there."""
    folder.mkdir()
    world, tests = World(folder), "".join(f"def test_{number}():\n    assert VALUE\n\n\n" for number in range(100))
    files = {f"tests/test_{number}.py": f"from shop import VALUE\n\n\n{tests}" for number in range(20)}
    world.write(files | {"shop.py": "VALUE = 1\n", "pytest.ini": "[pytest]\npythonpath = .\n"})
    world.commit()
    scope = CheckScope(str(world.project), Settings(), Criteria(test_pass=True), world.env, trusted=True, begins=True)
    [check] = [one for one in planning.plan(scope, worktree.files(scope.root)) if one.stage == "tests"]
    told: dict[str, float] = {}

    def timed(name: str, run: Callable[[], object]) -> None:
        began = time.perf_counter()
        run()
        told[name] = time.perf_counter() - began

    until = time.monotonic() + 600
    tree = Kept({path: (world.project / path).read_text() for path in worktree.files(scope.root)})
    timed("2,000 tests in the work tree", lambda: checking.run(scope, (check,), checking.Watch(until)))
    watch, kept = checking.Watch(until), KeptTree(tree.tree, tree.read)
    timed("the same at another tree", lambda: rerun.run(scope, (check,), watch, at=kept))
    many = Kept({f"src/p{number // 50}/m{number}.py": f"VALUE = {number}\n" * 50 for number in range(10_000)})
    world.write({path: many.objects[entry.name].decode() for path, entry in many.tree.items()})
    timed("a tree of 10,000 files, no check", lambda: rerun.run(scope, (), watch, at=KeptTree(many.tree, many.read)))
    return told


def first_hold(folder: Path) -> dict[str, float]:
    """From nothing to the first stop that is held, in seconds, as a newcomer goes: what is installed comes from the
    package index, with pip as it is set up here."""
    folder.mkdir()
    world, own = World(folder), folder / "own"
    world.write({"app.py": "import os\n", "ruff.toml": ""})
    world.commit()
    told: dict[str, float] = {}

    def timed(name: str, *words: object, code: int = 0, env: Mapping[str, str] = world.env) -> None:
        stdin, began = json.dumps(world.payload()).encode(), time.perf_counter()
        line = [*map(str, words)]
        done = subprocess.run(line, cwd=world.project, env=env, input=stdin, capture_output=True, check=False)
        told[name] = time.perf_counter() - began
        assert done.returncode == code, (name, done)

    timed("python -m venv", sys.executable, "-m", "venv", own)
    index = {**os.environ, "HOME": installs.HOME}
    timed("pip install", own / "bin/python", "-m", "pip", "install", "--quiet", installs.REPOSITORY, env=index)
    timed("untilgreen init", own / "bin/untilgreen", "init")
    timed("untilgreen start", own / "bin/untilgreen", "start", "mend it", "--session", world.session)
    settings = json.loads((world.project / ".claude/settings.local.json").read_text(encoding="utf-8"))
    [stop] = settings["hooks"]["Stop"][0]["hooks"]
    timed("the first stop, held", stop["command"], *stop["args"], code=2)
    return told | {"in all": sum(told.values())}


def kept(folder: Path) -> dict[str, float]:
    """What a start's snapshot costs, and a stop's after three files changed, beside the one look at the work tree: with
    git and without, by the number of files, in seconds."""
    told: dict[str, float] = {}
    for number in (1_000, 10_000, 50_000):
        for has_git in (True, False):
            root, base = folder / f"{number} {has_git}", folder / f"{number} {has_git} state"
            for file in range(number):
                path = root / f"pkg{file // 500}" / f"sub{file // 50 % 10}" / f"m{file}.py"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(f"VALUE = {file}\n" * 40)
            if has_git:
                who = ("-c", "user.name=t", "-c", "user.email=t@example.invalid")
                for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "x"]):
                    subprocess.run(["git", *who, *words], cwd=root, check=True)
            time.sleep(2.5)  # what is newer is not remembered by its time
            store.make_base(str(base))
            place, ref = Place(str(root), str(base), "session"), ""
            for what in ("start", "1"):
                began = time.perf_counter()
                tree = worktree.read(str(root))
                looked = time.perf_counter()
                ref = snapshots.keep(place, tree, "loop-1", what, 600.0, ref).ref
                name = f"{number:,} files{'' if has_git else ', no git'}: {'start' if what == 'start' else 'stop'}"
                told |= {f"{name} looks": looked - began, f"{name} keeps": time.perf_counter() - looked}
                assert ref
                for file in range(3):
                    (root / "pkg0" / "sub0" / f"m{file}.py").write_text("VALUE = 0\n")
    return told


def main() -> None:
    """Print what each took."""
    with tempfile.TemporaryDirectory() as name:
        for what in (first_hold, red_stops, blamed, proved, other_trees, kept):
            for row, took in what(Path(name) / what.__name__).items():
                print(f"{row:<38}{took:6.2f} s", flush=True)


if __name__ == "__main__":
    main()
