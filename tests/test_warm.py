"""A type checker that stays warm for edits (`warm = true`): its answers are those of a cold one, and where it cannot
answer the check runs as always.

The language server and the daemon are the real ones. Where no answer of them is meant, the one-shot is a script.
"""

import contextlib
import json
import os
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from eventually import eventually, gone
from world import World

LSP = "post-tool-lsp"
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
    """A project that wants basedpyright to stay warm, with its broker."""

    def __init__(self, world: World, *, scripted: bool) -> None:
        self.world, self.folder = world, world.project / ".untilgreen" / "warm"
        if scripted:
            COLD["generalDiagnostics"][0]["file"] = str(world.project / "user.py")  # type: ignore[index]
            script = world.programs / "basedpyright"
            script.unlink()
            script.write_text(f"#!/bin/sh\necho '{json.dumps(COLD)}'\nexit 1\n")
            script.chmod(0o755)
        world.write({"pyproject.toml": STRICT, "untilgreen.toml": "warm = true\n", "lib.py": LIB, "user.py": USER})
        world.commit()
        world.init()

    def edit(self, path: str, text: str) -> list[str]:
        """The lines that the agent is told; it waits as long as a busy machine needs."""
        file = self.world.project / path
        payload = self.world.edited(path, text, file.read_text() if file.exists() else None)
        self.world.write({path: text})
        said = self.world.run(LSP, "--deadline", "60", stdin=json.dumps(payload))
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


def wrong(number: int) -> str:
    return USER.replace("ONE: int = one(1)", f"ONE: str = one({number})")


@pytest.fixture
def warm(world: World) -> Iterator[Warm]:
    """With a script for cold runs. Whatever its broker does, it is gone afterwards."""
    made = Warm(world, scripted=True)
    yield made
    end(made)


def end(made: Warm) -> None:
    if (made.folder / "lock").is_file() and (text := (made.folder / "lock").read_text()):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(json.loads(text)["pid"], signal.SIGKILL)


@pytest.mark.tools("basedpyright", "basedpyright-langserver")
def test_what_a_warm_checker_says_is_what_a_cold_one_says(world: World) -> None:
    made = Warm(world, scripted=False)
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
    made = Warm(world, scripted=False)
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
    assert f"a type checker stays warm for edits (process {third})" in doctor
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
