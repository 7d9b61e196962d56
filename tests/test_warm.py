"""A checker that stays warm for edits (`warm = true`): its answers are those of a cold one, and where it cannot
answer the check runs as always.

The language server and the daemon are the real ones. Where no answer of them is meant, the one-shot is a script.
"""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from eventually import eventually, gone
from node import installed
from untilgreen.checkers.js import eslint
from world import World

LSP, BOTH = "post-tool-lsp", ("post-tool-lint", "--with", "lsp")
STRICT = '[tool.basedpyright]\ntypeCheckingMode = "strict"\nignore = ["ignored.py"]\nexclude = ["aside", "**/.*"]\n'
LIB, USER = "def one(n: int) -> int:\n    return n\n", "from lib import one\n\nONE: int = one(1)\n"
# the edits: a file and its text, None: it is gone; and which of its lines are told as new
EDITS: dict[str, tuple[str, str | None, list[str]]] = {
    "an error": ("user.py", USER.replace("ONE: int", "ONE: str"), ["3:12"]),
    "that is mended": ("user.py", USER, []),
    "one in a dependent": ("lib.py", LIB.replace("-> int", "-> str"), []),
    "that is mended, too": ("lib.py", LIB, []),
    "an error of syntax": ("lib.py", LIB + "def two(:\n", ["3:8", "3:9", "3:9"]),
    "that is mended as well": ("lib.py", LIB, []),
    "a new file": ("new.py", 'A = "é𝕏"; B: int = "é𝕏" + A\n', ["1:21"]),
    "it is gone": ("new.py", None, []),
    "a module that is not there": ("user.py", "from late import late\n" + USER, ["1:18", "1:18", "1:6"]),
    "now it is": ("late.py", "def late() -> int:\n    return 1\n", []),
    "an unused import": ("user.py", USER + "import os\nprint(undefined)\n", ["4:8", "5:7", "5:7"]),
    "a file that is ignored": ("ignored.py", "X: int = ''\n", []),
    "no more than a word": ("lib.py", LIB + "reveal_type(one(1))\n", []),
}
# what the script that stands for a cold run finds in user.py
COLD = {
    "generalDiagnostics": [
        {
            "file": "",
            "severity": "error",
            "message": "no",
            "rule": "cold",
            "range": {"start": {"line": 2, "character": 0}},
        }
    ],
    "summary": {"filesAnalyzed": 1, "errorCount": 1, "warningCount": 0, "informationCount": 0},
}
ALWAYS, OF_THE_SERVER = ["cold"], ["reportAssignmentType"]


class Warm:
    """A project that wants what checks its edits to stay warm, with its broker."""

    def __init__(self, world: World) -> None:
        self.world, self.folder = world, world.project / ".untilgreen" / "warm"
        world.write({"untilgreen.toml": "warm = true\n"})
        world.commit()
        world.init()

    def edit(self, path: str, text: str, *hook: str) -> list[str]:
        """The lines that the agent is told; it waits as long as a busy machine needs."""
        file = self.world.project / path
        payload = self.world.edited(path, text, file.read_text() if file.exists() else None)
        self.world.write({path: text})
        said = self.world.run(*(hook or (LSP,)), "--deadline", "60", stdin=json.dumps(payload))
        return said.context.split("\n")[1:]

    def rules(self, number: int) -> list[str]:
        """What rules an edit is told that is wrong in the one line that it changes."""
        return [line.split(" ")[1] for line in self.edit("user.py", wrong(number))]

    def begin(self) -> int:
        """Have a broker, and wait until it can answer; its process."""
        self.rules(0)
        return self.ready()

    def ready(self) -> int:
        eventually((self.folder / "socket").exists, self.folder / "lock")
        return self.pid

    @property
    def pid(self) -> int:
        return int(json.loads((self.folder / "lock").read_text())["pid"])

    def counts(self, check: str = "basedpyright") -> dict[str, int]:
        """How many findings are known of each file."""
        details = self.world.state["current"]["file_details"]
        return {one["path"]: sum(one["by_check"][check].values()) for one in details}

    def cold(self) -> dict[str, int]:
        """The same, by the tool itself."""
        found = json.loads(self.world.process("basedpyright", "--outputjson").stdout)["generalDiagnostics"]
        paths = [os.path.relpath(one["file"], self.world.project) for one in found]
        return {path: paths.count(path) for path in sorted({*paths})}


def of_python(world: World, *, scripted: bool) -> Warm:
    """A project for basedpyright; `scripted`: a script stands for its command line."""
    if scripted:
        COLD["generalDiagnostics"][0]["file"] = str(world.project / "user.py")  # type: ignore[index]
        script = world.programs / "basedpyright"
        script.unlink()
        script.write_text(f"#!/bin/sh\necho '{json.dumps(COLD)}'\nexit 1\n")
        script.chmod(0o755)
    world.write({"pyproject.toml": STRICT, "lib.py": LIB, "user.py": USER})
    return Warm(world)


def wrong(number: int) -> str:
    return USER.replace("ONE: int = one(1)", f"ONE: str = one({number})")


@pytest.fixture
def warm(world: World) -> Iterator[Warm]:
    """With a script for cold runs. Whatever its broker does, it is gone afterwards."""
    made = of_python(world, scripted=True)
    yield made
    end(made)


def end(made: Warm) -> None:
    if (made.folder / "lock").is_file() and (text := (made.folder / "lock").read_text()):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(json.loads(text)["pid"], signal.SIGKILL)


@pytest.mark.tools("basedpyright", "basedpyright-langserver")
def test_what_a_warm_checker_says_is_what_a_cold_one_says(world: World) -> None:
    made = of_python(world, scripted=False)
    made.begin()
    try:
        made.edit("lib.py", LIB)
        made.edit("user.py", USER)
        told, known, cold = {}, {}, {}
        for number, (name, (path, text, _)) in enumerate(EDITS.items()):
            if text is None:
                (world.project / path).unlink()
                continue
            shutil.rmtree(world.project / ".untilgreen" / "types", ignore_errors=True)
            told[name] = [":".join(line.split(":")[1:3]) for line in made.edit(path, text)]
            assert not (world.project / ".untilgreen" / "types").exists(), "the whole was not looked at"
            if number == 2 or name == [*EDITS][-1]:
                known[name], cold[name] = made.counts(), made.cold()
        assert told == {name: wanted for name, (_, text, wanted) in EDITS.items() if text is not None}
        assert known == cold
    finally:
        end(made)


@pytest.mark.tools("mypy", "dmypy")
def test_what_mypys_daemon_says_of_edited_files_is_what_mypy_says(world: World) -> None:
    made = of_python(world, scripted=False)
    (world.project / "pyproject.toml").unlink()
    world.write({"mypy.ini": "[mypy]\nstrict = True\n", "aside.py": "ONE = 1  # type: ignore\n"})
    made.begin()
    shutil.rmtree(world.project / ".untilgreen" / "types")
    try:
        told = [made.edit(path, text) for path, text, _ in [*EDITS.values()][:7] if text]
        assert not (world.project / ".untilgreen" / "types").exists(), "the whole was not looked at"
        assert [[line.split(" ")[0] for line in some] for some in told] == [
            *(["user.py:3:12:"], [], [], [], ["lib.py:3:10:"], []),
            ["new.py:1:16:"],
        ]
        said = world.process("mypy", ".").stdout
        assert sorted(made.counts("mypy")) == sorted({line.partition(":")[0] for line in said.split("\n")[:-2]})
        assert sorted(made.counts("mypy")) == ["aside.py", "new.py"]
    finally:
        end(made)


NPM = ("typescript@5.9.3", "eslint@9.39.5", "typescript-eslint@8.74.0")
TYPED = """import { configs } from 'typescript-eslint';
const typed = { languageOptions: { parserOptions: { projectService: true } } };
export default [{ ignores: ['*.mjs'] }, ...configs.recommendedTypeChecked, typed];
"""
A, CALLS = (
    "import { two } from './lib';\n\nexport const a: number = two(1);\n",
    "import { two } from './lib';\n\ntwo(1);\n",
)
TWO, LATER = "export const two = (n: number): number => n;\n", "export const two = (n: number) => Promise.resolve(n);\n"
LATE = "import { late } from './late';\nexport const b = late + 1;\n"
CONFIG = (
    '{"compilerOptions": {"strict": true, "noUnusedLocals": %s, "module": "node16", "lib": ["es2015"], "types": []}}'
)
FLOATING, UNSAFE = "@typescript-eslint/no-floating-promises", "@typescript-eslint/no-unsafe-assignment"
# the edits: who writes it, a file, and its text, None: it is gone; and what is told. At the last one eslint begins
# anew, and what stands for its command line answers
NPM_EDITS: list[tuple[str, str, str | None, list[str]]] = [
    ("an edit", "a.ts", A.replace("a: number", "a: string"), ["3:14 TS2322"]),
    ("an edit", "lib.ts", LATER, []),
    ("an edit", "a.ts", CALLS, [f"3:1 {FLOATING}"]),
    ("somebody", "lib.ts", TWO, []),
    ("an edit", "a.ts", CALLS + "two(2);\n", []),
    ("an edit", "b.ts", LATE, ["1:22 TS2307", f"2:14 {UNSAFE}"]),
    ("somebody", "late.ts", "export const late = 1;\n", []),
    ("an edit", "b.ts", LATE + "void b;\n", []),
    ("somebody", "late.ts", None, []),
    ("an edit", "b.ts", LATE, ["1:22 TS2307", f"2:14 {UNSAFE}"]),
    ("somebody", "tsconfig.json", CONFIG % "true", []),
    ("an edit", "a.ts", CALLS + "const c = 1;\n", ["1:1 cold", "4:7 TS6133"]),
]


def of_npm(world: World, *, cold: str) -> Warm:
    """A project of TypeScript with typed rules; `cold`: a program that stands for eslint's own, "" for itself."""
    packages, modules = installed(*NPM) / "node_modules", world.project / "node_modules"
    (modules / "eslint").mkdir(parents=True)
    (modules / ".bin").mkdir()
    for one in packages.iterdir():
        if one.name not in (".bin", "eslint"):
            (modules / one.name).symlink_to(one)
    (modules / ".bin" / "tsc").symlink_to(packages / "typescript" / "bin" / "tsc")
    for one in (packages / "eslint").iterdir():
        if one.name != "bin" or not cold:
            (modules / "eslint" / one.name).symlink_to(one)
    if cold:
        (modules / "eslint" / "bin").mkdir()
        (modules / "eslint" / "bin" / "eslint.js").write_text(cold)
        (modules / "eslint" / "bin" / "eslint.js").chmod(0o755)
    (modules / ".bin" / "eslint").symlink_to(modules / "eslint" / "bin" / "eslint.js")
    development = {name.rpartition("@")[0]: "*" for name in NPM}
    world.write({"package.json": json.dumps({"devDependencies": development}), ".gitignore": "node_modules\n"})
    world.write({"tsconfig.json": CONFIG % "false", "eslint.config.mjs": TYPED, "a.ts": A, "lib.ts": TWO})
    return Warm(world)


def test_what_typescript_and_typed_eslint_say_warm_is_what_they_say_cold(world: World) -> None:
    # as typescript-eslint in the process of one run: of a text it says what it says of the file
    found = [{"ruleId": "cold", "severity": 2, "message": "no", "line": 1, "column": 1}]
    said = [json.dumps([{"filePath": str(world.project / "a.ts"), "messages": some}]) for some in ([], found)]

    def children() -> list[str]:
        file = Path(f"/proc/{made.pid}/task/{made.pid}/children") if (made.folder / "lock").exists() else None
        return file.read_text().split() if file else []

    made = of_npm(world, cold=f"#!/bin/sh\n[ \"$TSESTREE_SINGLE_RUN\" ] && echo '{said[0]}' || echo '{said[1]}'\n")
    try:
        while len(children()) < 2:  # a broker begins for the first check, and takes in the second
            made.edit("a.ts", A, *BOTH)
            made.ready()
        told = []
        for who, path, text, _ in NPM_EDITS:
            made.ready()
            if text is None:
                (world.project / path).unlink()
            elif who == "somebody":
                world.write({path: text})
            lines = made.edit(path, text, *BOTH) if who == "an edit" and text is not None else []
            told.append([":".join(line.split(" ")[0].split(":")[1:3]) + " " + line.split(" ")[1] for line in lines])
        assert told == [wanted for *_, wanted in NPM_EDITS]
    finally:
        end(made)


# what stands for eslint: it reads a file by itself, and one as TypeScript
READS = """const fs = require('node:fs'), ts = require('../../typescript/lib/typescript.js');
require('../../@typescript-eslint/parser/dist/index.js').clearCaches = () => { cleared = true; };
let cleared = false;
exports.execute = async (words, stdin) => {
  for (const read of [fs.readFileSync, ts.read]) try { read(read === ts.read ? 'types' : 'own'); } catch {}
  if (fs.existsSync('thread')) new (require('node:worker_threads').Worker)('', { eval: true });
  console.log(stdin ?? '', cleared), cleared = false;
  return 1;
};
"""


def test_eslint_that_stays_forgets_or_ends_where_what_was_read_is_another_now(tmp_path: Path) -> None:
    script, modules = Path(eslint.STAYS), tmp_path / "node_modules"
    for path, text in {
        "eslint/lib/cli.js": READS,
        "typescript/lib/typescript.js": "exports.read = (path) => require('node:fs').readFileSync(path);\n",
        "@typescript-eslint/parser/dist/index.js": "",
    }.items():
        (modules / path).parent.mkdir(parents=True)
        (modules / path).write_text(text)

    def ask(*words: str, stdin: str | None = None) -> str:
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps({"words": words, "stdin": stdin}) + "\n")
        process.stdin.flush()
        said = json.loads(process.stdout.readline() or "{}")
        return f"{said['stdout'].strip()} {said['why']}".strip() if said else "ended"

    words, pipe = ("node", str(script), str(modules / "eslint/lib/cli.js")), subprocess.PIPE
    process = subprocess.Popen(words, cwd=tmp_path, stdin=pipe, stdout=pipe, text=True)
    with process:
        told = [ask("a"), ask("types"), ask("--stdin", "--stdin-filename", "types", stdin="text")]
        (tmp_path / "types").write_text("1")  # it was not there, and no edit makes what others did not find
        told += [ask("types"), ask("types")]
        (tmp_path / "types").write_text("22")
        told += [ask("types"), ask("types")]
        (tmp_path / "types").write_text("333")
        told += [ask("a"), ask("a")]
        (tmp_path / "a").write_text("")
        told += [ask("a"), ask("b")]
        (tmp_path / "a").write_text("1")
        told += [ask("b")]
        (tmp_path / "own").write_text("1")
        told += [ask("a")]
    kept, cleared = "false", "true"
    (tmp_path / "thread").touch()
    with subprocess.Popen(words, cwd=tmp_path, stdin=pipe, stdout=pipe, text=True) as process:
        assert "Worker" in ask("a")
    assert told == [kept, kept, "text false", cleared, kept, kept, kept, cleared, kept, cleared, kept, cleared, "ended"]


@pytest.mark.tools("basedpyright", "basedpyright-langserver")
def test_without_a_broker_that_answers_the_check_runs_as_always(warm: Warm) -> None:
    said = [warm.rules(1)]
    first = warm.ready()
    said.append(warm.rules(2))
    shutil.rmtree(warm.world.project / ".untilgreen" / "types")
    warm.edit("aside/a.py", "X: int = ''\n")
    assert (warm.world.project / ".untilgreen" / "types").exists(), "a file that is left out is for the whole to judge"
    assert warm.ready() == first
    os.kill(first, signal.SIGKILL)
    said.append(warm.rules(3))
    (warm.folder / "socket").unlink(missing_ok=True)  # the killed one's, or the next one's trial
    second = warm.ready()
    said.append(warm.rules(4))
    warm.world.write({"pyproject.toml": STRICT.replace("strict", "basic")})
    said.append(warm.rules(5))
    third = warm.ready()
    said.append(warm.rules(6))
    assert said == [ALWAYS, OF_THE_SERVER] * 3
    assert len({first, second, third}) == 3
    doctor = warm.world.run("untilgreen", "doctor", "--no-run").stdout
    assert f"a checker stays warm for edits (process {third})" in doctor
    os.kill(third, signal.SIGSTOP)
    payload = json.dumps(warm.world.edited("user.py", wrong(1), None))
    began = time.monotonic()
    late = warm.world.run(LSP, "--deadline", "10", stdin=payload)
    assert "cold" in late.context
    assert time.monotonic() - began >= 4, "two of five seconds are for an answer"
    assert not (warm.folder / "socket").exists(), "nobody waits for it again"
    os.kill(third, signal.SIGCONT)
    assert (warm.ready(), warm.rules(7)) == (third, OF_THE_SERVER)
    (warm.folder / "lock").unlink()
    assert gone(third)


def has_socket(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return any("socket" in os.readlink(one) for one in Path(f"/proc/{pid}/fd").iterdir())
    return False


@pytest.mark.tools("basedpyright", "basedpyright-langserver")
def test_an_answer_about_another_text_is_none_and_of_two_at_once_each_has_its_own(warm: Warm) -> None:
    pid = warm.begin()
    os.kill(pid, signal.SIGSTOP)
    warm.world.write({"user.py": wrong(1)})
    asked = warm.world.begin(LSP, "--deadline", "60", stdin=json.dumps(warm.world.edited("user.py", wrong(1), USER)))
    eventually(lambda: has_socket(asked.pid), "it does not ask")
    time.sleep(0.1)
    warm.world.write({"user.py": wrong(2)})
    os.kill(pid, signal.SIGCONT)
    assert "cold" in warm.world.end(asked).context
    warm.ready()
    warm.world.write({"lib.py": LIB + "TWO: str = 2\n", "user.py": wrong(3)})
    payloads = [warm.world.edited("lib.py", LIB + "TWO: str = 2\n", LIB), warm.world.edited("user.py", wrong(3), USER)]
    both = [warm.world.begin(LSP, "--deadline", "60", stdin=json.dumps(one)) for one in payloads]
    lib, user = (warm.world.end(one).context for one in both)
    assert ("user.py:3:" in user, lib == "" or "lib.py:3:" in lib, "user.py" in lib) == (True, True, False), (lib, user)


@pytest.mark.tools("basedpyright", "basedpyright-langserver")
@pytest.mark.parametrize("instead", ["a file", "a folder of others", "no setting"])
def test_where_no_broker_may_be_none_is(warm: Warm, instead: str) -> None:
    if instead == "a file":
        warm.folder.touch()
    elif instead == "a folder of others":
        warm.folder.mkdir(mode=0o755)
    else:
        warm.world.write({"untilgreen.toml": ""})
    assert warm.rules(1) == ALWAYS
    assert not warm.folder.is_dir() or not [*warm.folder.iterdir()]


def test_the_end_of_a_loop_or_a_session_and_uninstall_end_the_broker(green: World) -> None:
    green.run("untilgreen", "init", "--host", "claude-code")
    lock = green.project / ".untilgreen" / "warm" / "lock"
    lock.parent.mkdir(mode=0o700)
    left = {}

    def after(what: str, *words: str) -> None:
        lock.touch()
        if words:
            green.run(*words)
        elif what == "session":
            green.event("SessionEnd", reason="exit")
        else:
            green.edit("app.py", "VALUE = 2\n")
            assert "green" in green.stop().notice
        left[what] = lock.exists()

    green.start()
    after("cancel", "cancel-loop", "--session", green.session)
    green.start()
    after("release")
    after("session")
    after("uninstall", "untilgreen", "uninstall")
    assert left == dict.fromkeys(("cancel", "release", "session", "uninstall"), False)
