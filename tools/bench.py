"""What a hook call costs, as a ratio to the bare interpreter, and how long a newcomer waits: `make bench`.

Where valgrind is installed each row also says the instructions of its process, in millions.

Every row runs what `init` registers; the rows take turns, so that a busy
machine slows all of them alike; the median counts. No test: numbers differ between machines, the modules that are
loaded do not (tests/test_cold_start.py).
"""

import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

sys.path.append(str(Path(__file__).resolve().parent.parent / "tests"))

import installs
import untilgreen
from test_start_tree import Kept
from untilgreen.checks.elsewhere import rerun
from untilgreen.checks.elsewhere.materialise import KeptTree
from untilgreen.checks.plan import planning
from untilgreen.checks.plan.planning import CheckScope
from untilgreen.checks.run import checking
from untilgreen.cli.installing import command_forms
from untilgreen.core.model.event import Place
from untilgreen.core.model.settings import Criteria, Settings
from untilgreen.project.tree import worktree
from untilgreen.state import snapshots, store
from world import World

RUNS = 20
FOLDER = Path(untilgreen.__file__).parent
PLUGIN = str(Path(__file__).parent.parent / "hooks" / "launch")
OTHER = "0" * 36


class Row(NamedTuple):
    """One row: what is run with which payload, and its budget (None: printed only). `before` runs untimed."""

    name: str
    words: tuple[str, ...]
    payload: str
    env: Mapping[str, str]
    budget: float | None
    before: Callable[[], object] = lambda: None


def transcript(path: Path, lines: int) -> None:
    """A transcript as Claude Code writes one: a user's entry, then the agent's."""
    user = {"type": "user", "message": {"role": "user", "content": "mend it"}}
    content = [{"type": "text", "text": "x" * 200}]
    with path.open("w") as file:
        file.write(json.dumps(user) + "\n")
        for number in range(lines - 1):
            message = {"id": f"m{number}", "role": "assistant", "content": content}
            file.write(json.dumps({"type": "assistant", "message": message}) + "\n")


def registered(world: World, name: str) -> tuple[str, ...]:
    """What `init` registers for an executable, where it would put that."""
    path = world.home / ".local/state/untilgreen/hooks/0" / name
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(command_forms.launcher(name, sys.executable, str(FOLDER.parent)))
        path.chmod(0o755)
    return (str(path), "--host", "claude-code")


def rows(folder: Path) -> list[Row]:
    """Every row, in a world made for it: one session has a loop, one a finished loop, one nothing."""
    world, bare = World(folder / "a", "all"), World(folder / "b", "all")
    for one in (world, bare):
        one.write({"app.py": "VALUE = 1\n"})
        one.commit()
    world.start("go on", "--completion-promise", "DONE", "--max-iterations", "100000", "--stagnation-limit", "0")
    finished = World(folder / "c", "all")
    finished.write({"app.py": "VALUE = 1\n"})
    finished.start("over")
    finished.run("cancel-loop", "--session", finished.session)
    names = ("stop-loop", "session-loop", "post-tool-lint", "post-tool-bash")
    stop, spoken, edited, ran = (registered(world, name) for name in names)

    def known(one: World, session: str = "") -> dict[str, str]:
        return one.env | {"CLAUDE_PROJECT_DIR": str(one.project), "CLAUDE_CODE_SESSION_ID": session or one.session}

    def said(one: World, **changes: object) -> str:
        return json.dumps(one.payload(**changes), separators=(",", ":"))

    def from_transcript(lines: int) -> str:
        path = folder / f"{lines}.jsonl"
        transcript(path, lines)
        payload = world.payload(transcript_path=str(path))
        del payload["last_assistant_message"]
        return json.dumps(payload)

    def edit(one: World, name: str) -> str:
        path = str(one.project / name)
        response = {"filePath": path, "originalFile": "VALUE = 1\n"}
        payload = {"hook_event_name": "PostToolUse", "tool_name": "Edit", "tool_input": {"file_path": path}}
        return said(one, **payload, tool_response=response)

    def command(one: World, session: str = "", line: str = "git status && ls -la src") -> str:
        used = {"tool_name": "Bash", "tool_input": {"command": line}, "tool_use_id": "t", "duration_ms": 5}
        return said(one, hook_event_name="PostToolUse", session_id=session or one.session, **used)

    prompt = {"session_id": OTHER, "cwd": str(world.project), "hook_event_name": "UserPromptSubmit", "prompt": "hello"}
    return [
        Row("python -I -c pass", (sys.executable, "-I", "-c", "pass"), "", world.env, None),
        Row("disabled", stop, said(world), known(world) | {"UNTILGREEN_DISABLE": "1"}, 1.10),
        Row("no .untilgreen/", registered(bare, "stop-loop"), said(bare), known(bare), 0.15),
        Row("the plugin's, no .untilgreen/", (PLUGIN, "stop-loop", *stop[1:]), said(bare), known(bare), 1.10),
        Row("no state of that session", stop, said(world, session_id=OTHER), known(world, OTHER), 0.15),
        Row("an edit, no .untilgreen/", registered(bare, "post-tool-lint"), edit(bare, "app.py"), known(bare), 0.15),
        Row("a prompt, no loop", spoken, json.dumps(prompt, separators=(",", ":")), known(world, OTHER), 0.15),
        Row("a command, no .untilgreen/", registered(bare, "post-tool-bash"), command(bare), known(bare), 0.15),
        Row("a command, no state of that session", ran, command(world, OTHER), known(world, OTHER), 0.15),
        Row("payload parsed: not JSON", stop, "{", world.env, 2.5),
        Row("payload parsed: no loop", stop, said(world, session_id=OTHER), world.env, 2.5),
        Row("payload parsed: loop is over", registered(finished, "stop-loop"), said(finished), known(finished), 2.5),
        Row("a command in a loop", ran, command(world), known(world), 2.5),
        Row("one that looks like a check", ran, command(world, line="grep -rn pytest ."), known(world), 2.5),
        Row("a run of tests in a loop", ran, command(world, line="make test"), known(world), None),
        Row("an edit of a .md file", edited, edit(world, "README.md"), known(world), 2.5),
        Row("an edit, with ruff", edited, edit(world, "app.py"), known(world), None),
        Row("a loop, no checker", stop, said(world), known(world), 4),
        Row("a loop, 10 lines of transcript", stop, from_transcript(10), known(world), 4),
        Row("a loop, 200,000 lines of transcript", stop, from_transcript(200_000), known(world), 4),
    ]


def seconds(row: Row) -> float:
    """One run of a row, in seconds."""
    began = time.perf_counter()
    subprocess.run(row.words, input=row.payload.encode(), env=row.env, capture_output=True, check=False)
    return time.perf_counter() - began


def instructions(row: Row) -> str:
    """The instructions of a row's own process, in millions: a busy machine does not move them. Not those of `git`."""
    counting = ("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null")
    words = [*counting, *row.words]
    done = subprocess.run(words, input=row.payload.encode(), env=row.env, capture_output=True, check=False)
    counted = re.search(rb"Collected : (\d+)", done.stderr)
    return f"{int(counted[1]) / 1e6:7.0f} M" if counted else ""  # the plugin's is a shell that becomes another process


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
    """Print the ratios."""
    with tempfile.TemporaryDirectory() as name:
        measured = (first_hold(Path(name) / "first"), red_stops(Path(name) / "red"), blamed(Path(name) / "blamed"))
        trees = (proved(Path(name) / "proved"), other_trees(Path(name) / "trees"), kept(Path(name) / "kept"))
        for took_so_long in (*measured, *trees):
            for what, took in took_so_long.items():
                print(f"{what:<38}{took:6.2f} s")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for world in "abc":
            (folder / world).mkdir()
        table = rows(folder)
        times: dict[str, list[float]] = {row.name: [] for row in table}
        for number in range(RUNS + 1):
            for row in table:
                took = seconds(row)
                if number:  # the first run fills the caches
                    times[row.name].append(took)
        counted = {row.name: instructions(row) for row in table} if shutil.which("valgrind") else {}
    bare = statistics.median(times[table[0].name])
    print(f"{os.cpu_count()} processors, bare interpreter {bare * 1000:.1f} ms")
    for row in table:
        ratio = statistics.median(times[row.name]) / bare
        late = row.budget is not None and ratio > row.budget
        budget = "" if row.budget is None else f"  budget {row.budget:g}{', over it' if late else ''}"
        print(f"{row.name:<38}{ratio:6.2f}{counted.get(row.name, '')}{budget}")


if __name__ == "__main__":
    main()
