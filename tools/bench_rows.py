"""The rows of `make bench`: worlds in which hooks, and what does the like, are called.

Every row runs what `untilgreen init` registers, with the code of the folder `hooks` that is measured: the commands are
read from the settings that this code wrote.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

from world import REPOSITORY, World

HOOKS = REPOSITORY / "hooks"
OTHER = "0" * 36
ENDLESS = ("--max-iterations", "100000", "--stagnation-limit", "0")
PROMISED = ("--completion-promise", "DONE", *ENDLESS)
APP = "def double(number: int) -> int:\n    return number * 2\n"
TEST = "from app import double\n\n\ndef test_double() -> None:\n    assert double(2) == 4\n"
CONFIGURED = {"ruff.toml": "", "mypy.ini": "[mypy]\n", "pytest.ini": "[pytest]\npythonpath = .\n"}
NAIVE = (
    "import json, subprocess, sys\nfound = json.load(sys.stdin)\n"
    "subprocess.run(['git', 'status', '--porcelain'], capture_output=True)\n"
    "sys.exit(2 if found['last_assistant_message'] != 'DONE' else 0)\n"
)
BASH = 'payload=$(cat); case $payload in *DONE*) exit 0 ;; esac; echo "go on" >&2; exit 2'
# as the plugin ralph does it: a file with front matter, jq for the payload, the counter written anew
RALPH = """
payload=$(cat); [ -f loop.md ] || exit 0
front=$(sed -n '/^---$/,/^---$/{ /^---$/d; p; }' loop.md)
round=$(echo "$front" | grep '^iteration:' | sed 's/iteration: *//')
most=$(echo "$front" | grep '^max:' | sed 's/max: *//'); [ "$round" -lt 100000 ] || exit 0
said=$(echo "$payload" | python3 -I -c 'import json, sys; print(json.load(sys.stdin)["last_assistant_message"])')
echo "$said" | perl -0777 -pe 's/.*?<promise>(.*?)<\\/promise>.*/$1/s' | grep -qx DONE && exit 0
task=$(awk '/^---$/{i++; next} i>=2' loop.md)
sed "s/^iteration: .*/iteration: $((round + 1))/" loop.md >loop.tmp && mv loop.tmp loop.md
printf '%s\\n' "$task" >&2; exit 2
"""


class Call(NamedTuple):
    """A process of a row, and what it reads."""

    words: tuple[str, ...]
    payload: str
    env: Mapping[str, str]
    cwd: Path

    def made(self, *before: str) -> "subprocess.CompletedProcess[str]":
        """Make the call; `before`: the words of a program that runs it."""
        line = [*before, *self.words]
        return subprocess.run(
            line,
            input=self.payload,
            env=self.env,
            cwd=self.cwd,
            text=True,
            errors="replace",
            capture_output=True,
            check=False,
        )


class Row(NamedTuple):
    """One row: its calls, one after another. `before` is done before each time, and is not measured."""

    name: str
    calls: tuple[Call, ...]
    before: Callable[[], object] = lambda: None
    code: int = 0  #: the exit code that is expected


def command(hooks: Path, name: str, *words: str) -> tuple[str, ...]:
    """The command line of an executable of the code in a folder."""
    code = f"import sys; sys.path.insert(0, {str(hooks)!r}); from untilgreen import entry"
    return (sys.executable, "-c", f"{code}; sys.exit(entry.command({name!r}))", *words)


class Place(World):
    """A project in which the measured code is at work."""

    def __init__(self, folder: Path, hooks: Path, files: Mapping[str, str], *begin: str) -> None:
        folder.mkdir(parents=True)
        super().__init__(folder, "all")
        self.hooks, self.number = hooks, 0
        self.write({".gitignore": "node_modules/\n", **files})
        self.commit()
        self.ours("untilgreen", "init")
        if begin:
            self.loop(*begin)

    def ours(self, name: str, *words: str) -> None:
        """Run an executable of the measured code."""
        done = subprocess.run(
            command(self.hooks, name, *words),
            cwd=self.project,
            env=self.env,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done

    def loop(self, *options: str) -> None:
        self.ours("start-loop", "go on", "--session", self.session, "--replace", *options)

    def edit_app(self) -> None:
        """Another content each time."""
        self.number += 1
        self.write({"app.py": f"{APP}\n\nVALUE = {self.number}\n"})

    def registered(self, event: str, tool: str, fields: Mapping[str, object]) -> tuple[Call, ...]:
        """The calls that the host makes at an event."""
        settings = json.loads((self.project / ".claude/settings.local.json").read_text(encoding="utf-8"))
        said = json.dumps(self.payload(**fields), separators=(",", ":"))
        env = self.env | self.hosted | {"CLAUDE_CODE_SESSION_ID": str(fields.get("session_id", self.session))}
        return tuple(
            Call((hook["command"], *hook["args"]), said, env, self.project)
            for group in settings["hooks"][event]
            if not tool or tool in group.get("matcher", "").split("|")
            for hook in group["hooks"]
        )

    def stops(self, **fields: object) -> tuple[Call, ...]:
        return self.registered("Stop", "", fields)

    def edited_file(self, name: str) -> tuple[Call, ...]:
        text = (self.project / name).read_text()
        fields = {key: value for key, value in self.edited(name, text, text).items() if key != "session_id"}
        return self.registered("PostToolUse", "Edit", fields)

    def by_hand(self, *words: str) -> Call:
        return Call(words, "", self.env, self.project)


def many(number: int, folder: str) -> dict[str, str]:
    """So many small files."""
    return {f"{folder}/p{one // 500}/m{one}.py": f"VALUE = {one}\n" * 20 for one in range(number)}


def rows(folder: Path, hooks: Path, sections: Collection[str] = ()) -> Iterator[Row]:
    """The rows of these sections, of all where none is named, each made when it is asked for."""
    for name, section in SECTIONS.items():
        if not sections or name in sections:
            yield from section(folder, hooks)


def _small(folder: Path, hooks: Path) -> Iterator[Row]:
    one = Place(folder / "one", hooks, {"app.py": APP}, *PROMISED)
    yield Row("bare interpreter", (one.by_hand(sys.executable, "-I", "-c", "pass"),))
    said = json.dumps(one.payload())
    yield Row("peer: bash", (Call(("bash", "-c", BASH), said, one.env, one.project),), code=2)
    yield Row("peer: naive Python", (Call((sys.executable, "-I", "-c", NAIVE), said, one.env, one.project),), code=2)
    loop = one.project / "loop.md"
    ralph = Call(("bash", "-c", RALPH), said, one.env, one.project)
    yield Row(
        "peer: like the ralph plugin", (ralph,), lambda: loop.write_text("---\niteration: 1\nmax: 9\n---\ngo on\n"), 2
    )
    loop.unlink(missing_ok=True)
    for call in one.stops() * 2:  # from the second on a stop has one before it
        one.edit_app()
        call.made()
    yield Row("stop: nothing armed", one.stops(session_id=OTHER))
    yield Row("stop: held, no checker", one.stops(), one.edit_app, 2)
    yield Row("stop: held, no checker, same tree", one.stops(), code=2)


def _checked(folder: Path, hooks: Path) -> Iterator[Row]:
    """Stops of ruff, mypy and pytest."""
    project = {"app.py": APP, "test_app.py": TEST, **CONFIGURED}
    red = {**project, "app.py": f"import os\n{APP}X: str = 1\n", "test_app.py": TEST.replace("== 4", "== 5")}
    held, green = Place(folder / "held", hooks, red, *ENDLESS), Place(folder / "green", hooks, project)
    checks = [held.by_hand(name, *words) for name, *words in (("ruff", "check"), ("mypy", "."), ("pytest", "-q"))]
    yield Row("ruff, mypy, pytest by hand", tuple(checks), code=1)

    def touched() -> None:
        held.number += 1
        held.write({"app.py": f"{red['app.py']}VALUE = {held.number}\n"})

    yield Row("stop: held by three checks", held.stops(), touched, 2)
    yield Row("stop: held by three checks, same tree", held.stops(), code=2)
    yield Row("checks of the green by hand", tuple(one._replace(cwd=green.project, env=green.env) for one in checks))

    def begun(name: str, text: str) -> Callable[[], None]:
        def before() -> None:
            green.write(project)
            green.loop(*ENDLESS)
            green.number += 1
            green.write({name: f"{text}\n\nVALUE = {green.number}\n"})

        return before

    yield Row("start", (green.by_hand(*command(hooks, "start-loop", "x", "--replace", "--session", OTHER)),))
    yield Row("stop: green", green.stops(), begun("app.py", APP))
    more = TEST + "\n\ndef test_more() -> None:\n    assert double(3) == 6\n"
    yield Row("stop: green, with proof", green.stops(), begun("test_app.py", more))


def _edits(folder: Path, hooks: Path) -> Iterator[Row]:
    place = Place(folder / "edits", hooks, {"app.py": APP, "ruff.toml": ""}, *ENDLESS)
    yield Row("ruff on one file by hand", (place.by_hand("ruff", "check", "app.py"),))
    yield Row("edit: Python, ruff", place.edited_file("app.py"), place.edit_app)
    if shutil.which("tsc", path=place.env["PATH"]):
        config = '{"compilerOptions": {"strict": true, "noEmit": true}}'
        files = {f"src/m{number}.ts": f"export const v{number}: number = {number};\n" for number in range(250)}
        typed = Place(folder / "typed", hooks, {"tsconfig.json": config, "package.json": "{}", **files}, *ENDLESS)
        yield Row("tsc by hand, 250 files", (typed.by_hand("tsc", "--noEmit"),))
        yield Row("edit: TypeScript, tsc, 250 files", typed.edited_file("src/m1.ts"))


def _much(folder: Path, hooks: Path) -> Iterator[Row]:
    """Much that is left, was said or is long ago."""
    undefined = {f"m{file}.py": "".join(f"x{n} = undefined{n}\n" for n in range(200)) for file in range(100)}
    many_left = Place(folder / "left", hooks, {"ruff.toml": "", "app.py": APP, **undefined}, *ENDLESS)
    yield Row("ruff by hand, 20,000 findings", (many_left.by_hand("ruff", "check", "--output-format=json"),), code=1)
    yield Row("stop: held by 20,000 findings of ruff", many_left.stops(), many_left.edit_app, 2)
    lines = "".join(f"src/m{n % 50}.c:{n}:1: error: something is wrong\n" for n in range(100_000))
    command = ("--check", "own=sh -c 'cat lines.txt; exit 1'")
    loud = Place(folder / "loud", hooks, {"app.py": APP, "lines.txt": lines}, *command, *ENDLESS)
    yield Row("stop: held by a command of 100,000 lines", loud.stops(), loud.edit_app, 2)
    talked = Place(folder / "talked", hooks, {"app.py": APP}, *PROMISED)
    path = talked.home / "transcript.jsonl"
    entry = {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": "x" * 200}]}}
    user = {"type": "user", "message": {"role": "user", "content": "mend it"}}
    path.write_text("\n".join([json.dumps(user), *[json.dumps(entry)] * 100_000, ""]))
    payload = {"last_assistant_message": None}
    calls = tuple(
        one._replace(payload=json.dumps({k: v for k, v in json.loads(one.payload).items() if k not in payload}))
        for one in talked.stops()
    )
    yield Row("stop: 100,000 lines of transcript", calls, talked.edit_app, 2)
    old = Place(folder / "old", hooks, {"app.py": f"import os\n{APP}", "ruff.toml": ""}, *ENDLESS)
    [call] = old.stops()
    for _ in range(2):
        call.made()
    journal = old.folder / "journal.jsonl"
    journal.write_text(journal.read_text() + journal.read_text().splitlines()[-1].join("\n" * 1_001))
    old.change(snapshots=old.state["snapshots"] * 50)
    yield Row(
        "stop: after a thousand rounds", (call,), lambda: old.write({"x.py": f"import os\nX = {os.urandom(4)!r}\n"}), 2
    )


def _trees(number: int, folder: Path, hooks: Path) -> Iterator[Row]:
    """Held stops without a checker in projects of so many files, of which one changes each time."""
    for kind in ("tracked", "untracked", "ignored"):
        files, below = {"app.py": APP}, "node_modules" if kind == "ignored" else "src"
        place = Place(folder / f"{number}-{kind}", hooks, files)
        place.write(many(number, below))
        for path in (place.project / below).rglob("*.py"):  # a world gives each file the second after the one before
            os.utime(path, (1e9, 1e9))
        if kind == "tracked":
            place.commit()
        place.loop(*PROMISED)
        words = ("git", "status", "--porcelain", "--untracked-files=all")
        yield Row(f"git status, {number:,} {kind}", (place.by_hand(*words),))
        for number_of_stop in range(20):  # what is new is kept bit by bit, and noted when it is two seconds old
            for call in place.stops():
                place.edit_app()
                call.made()
            if number_of_stop > 1 and all(one["ref"] for one in place.state["snapshots"][-2:]):
                break
            time.sleep(2.1)
        yield Row(f"stop: held, no checker, {number:,} {kind}", place.stops(), place.edit_app, 2)
        shutil.rmtree(folder / f"{number}-{kind}")


def _suite(folder: Path, hooks: Path) -> Iterator[Row]:
    tests = "".join(f"def test_{number}():\n    pass\n\n\n" for number in range(100))
    files = {f"tests/test_{number}.py": tests for number in range(50)} | {"pytest.ini": "[pytest]\n"}
    files["tests/test_7.py"] = tests.replace("test_7():\n    pass", "test_7():\n    assert 0")
    place = Place(folder / "suite", hooks, {"app.py": APP, **files}, "--tests-pass", *ENDLESS)
    yield Row("pytest by hand, 5,000 tests, one red", (place.by_hand("pytest", "-q"),), code=1)
    yield Row("that test by hand", (place.by_hand("pytest", "-q", "tests/test_7.py::test_7"),), code=1)
    yield Row("stop: 5,000 tests, one red", place.stops(), place.edit_app, 2)


SECTIONS: dict[str, Callable[[Path, Path], Iterator[Row]]] = {
    "small": _small,
    "checks": _checked,
    "edits": _edits,
    "much": _much,
    **{f"{number}": partial(_trees, number) for number in (1_000, 10_000, 50_000)},
    "suite": _suite,
}
