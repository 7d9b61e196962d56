"""Type checks of a whole root at every edit: one at a time, shared by those who waited, never longer than an edit may.

The type checker here is a script that counts, waits and answers as mypy does: no real one takes as long as it is told.
"""

import json
import time
from pathlib import Path

import pytest

from eventually import eventually
from world import Answer, World, told

SILENT = Answer(0, "", "")
LSP = "post-tool-lsp"
WRONG = "untilgreen: 1 new finding in new.py\nnew.py:1: misc The answer of run {}"


class Types:
    """A project that wants mypy, and a mypy that takes its time."""

    def __init__(self, world: World, seconds: float) -> None:
        self.world, self.ran = world, world.tmp / "ran"
        folder = world.tmp / "bin"
        folder.mkdir()
        script = folder / "mypy"
        script.write_text(
            f'#!/bin/sh\necho begin >> "{self.ran}"\nnumber=$(grep -c begin "{self.ran}")\nsleep {seconds}\n'
            f'echo end >> "{self.ran}"\necho "new.py:1: error: The answer of run $number  [misc]"\n'
            'echo "Found 1 error in 1 file (checked 1 source file)"\nexit 1\n'
        )
        script.chmod(0o755)
        world.write({"mypy.ini": "[mypy]\n", "new.py": "VALUE = 1\n"})
        world.env["PATH"] = f"{folder}:{world.env['PATH']}"
        assert world.run("untilgreen", "trust").code == 0

    def payload(self) -> str:
        return json.dumps(self.world.edited("new.py", "VALUE = 1\n", None))

    def runs(self) -> list[str]:
        """What the runs did, in their order."""
        return self.ran.read_text().split() if self.ran.exists() else []


@pytest.fixture
def quick(watched: World) -> Types:
    """A type checker that answers after half a second."""
    return Types(watched, 0.5)


def test_edits_that_wait_share_a_run_that_began_after_all_of_them(quick: Types) -> None:
    first = quick.world.begin(LSP, stdin=quick.payload())
    while not quick.runs():
        time.sleep(0.01)
    # their files were written while the first run looked: its answer is not for them
    waiting = [quick.world.begin(LSP, "--deadline", "60", stdin=quick.payload()) for _ in range(8)]
    assert quick.world.end(first) == told(WRONG.format(1))
    answers = [quick.world.end(one) for one in waiting]
    runs = quick.runs()
    assert runs == ["begin", "end"] * (len(runs) // 2), "never two at a time"
    assert 2 <= len(runs) // 2 <= 4, "a process that got its first time slice late may need a run of its own"
    assert told(WRONG.format(1)) not in answers
    assert {answer.code for answer in answers} == {0}
    spoken = [answer.context for answer in answers if answer != SILENT]
    assert {one[:-1] for one in spoken} == {WRONG.format("")}
    assert len(spoken) == len({*spoken}), "the same answer is told once"


def test_an_answer_from_before_an_edit_is_not_used_for_it(quick: Types) -> None:
    edits = [quick.world.run(LSP, stdin=quick.payload()) for _ in range(3)]
    assert edits == [told(WRONG.format(number)) for number in (1, 2, 3)]


def test_an_answer_from_the_future_is_not_used(quick: Types) -> None:
    assert quick.world.run(LSP, stdin=quick.payload()) == told(WRONG.format(1))
    (kept,) = (quick.world.project / ".untilgreen" / "types").glob("*.json")
    kept.write_text(json.dumps(json.loads(kept.read_text()) | {"began": time.time() + 3600}))
    assert quick.world.run(LSP, stdin=quick.payload()) == told(WRONG.format(2))


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"began": "x"}', '{"began": null, "kind": "clean"}'])
def test_an_answer_that_is_none_is_not_used(quick: Types, content: str) -> None:
    quick.world.run(LSP, stdin=quick.payload())
    (kept,) = (quick.world.project / ".untilgreen" / "types").glob("*.json")
    kept.write_text(content)
    assert quick.world.run(LSP, stdin=quick.payload()) == told(WRONG.format(2))


def test_where_no_answer_can_be_kept_it_is_told_all_the_same(quick: Types) -> None:
    (quick.world.project / ".untilgreen" / "types").touch()
    assert quick.world.run(LSP, stdin=quick.payload()) == told(WRONG.format(1))
    assert "mypy runs without a lock" in (quick.world.project / ".untilgreen" / "untilgreen.log").read_text()


def test_a_slow_type_check_is_pending_and_nobody_waits_for_it(watched: World) -> None:
    slow = Types(watched, 60)
    began = time.monotonic()
    both = [watched.begin(LSP, stdin=slow.payload()) for _ in range(2)]
    pending = told("untilgreen: mypy is pending: no answer about new.py within 5 s")
    assert [watched.end(one) for one in both] == [pending, pending]
    assert time.monotonic() - began < 50, "5 s, and a busy machine"
    assert slow.runs()[:1] == ["begin"]
    assert "end" not in slow.runs()
    assert watched.state["current"]["outcomes"] == {}
    assert watched.edits["written"] == ["new.py"]
    lines, ours = Path("/proc"), str(watched.tmp / "bin").encode()
    eventually(lambda: not [one for one in lines.glob("[0-9]*/cmdline") if ours in _line(one)], "it runs on")


def _line(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def test_a_time_of_ones_own_is_the_one_that_counts_and_is_told(watched: World) -> None:
    slow = Types(watched, 60)
    answer = watched.run(LSP, "--deadline", "1", stdin=slow.payload())
    assert answer == told("untilgreen: mypy is pending: no answer about new.py within 1 s")


def test_what_is_not_pending_is_told_within_the_same_call(watched: World) -> None:
    slow = Types(watched, 60)
    watched.write({"new.py": "import os\n"})
    answer = watched.run("post-tool-lint", "--with", "lsp", "--deadline", "6", stdin=slow.payload())
    assert answer == told(
        "untilgreen: 1 new finding in new.py\nnew.py:1:8: F401 `os` imported but unused\n"
        "untilgreen: mypy is pending: no answer about new.py within 6 s"
    )


def test_the_checks_of_one_call_run_at_once(quick: Types) -> None:
    slow_ruff = quick.world.tmp / "bin" / "ruff"
    slow_ruff.write_text(f"#!/bin/sh\necho begin >> '{quick.ran}'\nsleep 0.5\necho '[]'\necho end >> '{quick.ran}'\n")
    slow_ruff.chmod(0o755)
    answer = quick.world.run("post-tool-lint", "--with", "lsp", stdin=quick.payload())
    assert (answer.context.split("\n")[0], quick.runs()) == (
        "untilgreen: 1 new finding in new.py",
        ["begin", "begin", "end", "end"],
    )


@pytest.mark.tools("ty")
def test_ty_is_asked_about_the_one_file_and_sees_the_others(watched: World) -> None:
    watched.write({"ty.toml": '[src]\nexclude = ["aside"]\n', "lib.py": "def two(one: int) -> int:\n    return one\n"})
    assert watched.run("untilgreen", "trust").code == 0
    wrong = 'from lib import two\n\nNAME: int = "é𝕏"; OTHER: str = two("")\n'
    said = watched.edit("new.py", wrong, hook=LSP).context.split("\n")
    assert [line.split(" ")[:2] for line in said[1:]] == [
        ["new.py:3:13:", "invalid-assignment"],
        ["new.py:3:32:", "invalid-assignment"],
        ["new.py:3:36:", "invalid-argument-type"],
    ]
    whole = watched.process("ty", "check", "--output-format=concise", "--color=never", cwd=watched.project).stdout
    assert [line.split(" ")[0] for line in whole.splitlines()[:-1]] == [line.split(" ")[0] for line in said[1:]]
    assert watched.edit("aside/new.py", wrong, hook=LSP) == SILENT
    assert not (watched.project / ".untilgreen" / "types").exists()
