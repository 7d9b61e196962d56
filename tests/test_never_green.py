"""What must never pass for green: held, told in full, and at its last round let go as what it is.

Each trap is a project whose checks stop working, or stop looking, while a loop runs. The agent's text and the user's
are compared as a whole with tests/goldens; UPDATE_GOLDENS=1 writes them anew.
"""

import json
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

import tables
from cases import but
from world import BIN, MARKER, World

GOLDENS = Path(__file__).parent / "goldens"
IGNORED = {".gitignore": ".venv/\n.mypy_cache/\n__pycache__/\n.pytest_cache/\n"}
APP = {"app.py": "VALUE = 1\n"}
UNUSED = {"app.py": "import json\nimport os\nimport sys\n"}
MYPY = APP | {"mypy.ini": "[mypy]\n"}
TEST = "from app import VALUE\n\n\ndef test_value():\n    assert VALUE == 1\n"
TESTED = APP | {"test_app.py": TEST, "pyproject.toml": '[tool.pytest.ini_options]\naddopts = "-p no:cacheprovider"\n'}
CONFIGURED = TESTED | {"pyproject.toml": "[tool.mypy]\nstrict = true\n\n[tool.pytest.ini_options]\n"}
LINT = ("--criteria", "lint_clean")
TYPES = ("--criteria", "type_check")
TESTS = ("--criteria", "test_pass")


class Trap(NamedTuple):
    """`files` of the project and `options` of the loop in it; `spring` is what goes wrong after its start."""

    files: Mapping[str, str]
    options: tuple[str, ...]
    spring: Callable[[World], None]
    deadline: str = "60"


def nothing(world: World) -> None:
    """It was wrong from the start."""


def write(name: str, text: str) -> Callable[[World], None]:
    return lambda world: world.write({name: text})


def remove(name: str) -> Callable[[World], None]:
    return lambda world: (world.project / name).unlink()


def replace(tool: str, script: str, interpreter: str = "/bin/sh") -> Callable[[World], None]:
    """Put another program where the tool was."""

    def spring(world: World) -> None:
        path = world.project / ".venv" / "bin" / tool
        path.unlink()  # a link: writing through it would hit the real one
        path.write_text(f"#!{interpreter}\n{script}\n")
        path.chmod(0o755)

    return spring


def custom(command: str) -> tuple[str, ...]:
    return ("--no-zero-errors", "--check", f"mine={command}")


TRAPS = {
    "a_syntax_error": Trap(APP, (), write("app.py", "VALUE = (1\n")),
    "a_syntax_error_that_hides_findings": Trap(UNUSED, (), write("app.py", "import json\nimport os\ndef\n")),
    "a_syntax_error_that_stops_the_types": Trap(MYPY, TYPES, write("app.py", "VALUE = (1\n")),
    "a_linter_that_vanished": Trap(APP, (), remove(".venv/bin/ruff")),
    "a_type_checker_that_vanished": Trap(MYPY, TYPES, remove(".venv/bin/mypy")),
    "a_test_runner_that_vanished": Trap(TESTED, TESTS, remove(".venv/bin/pytest")),
    "a_linter_that_cannot_start": Trap(APP, (), replace("ruff", "", "/nowhere/python")),
    "a_linter_of_another_kind": Trap(APP, (), replace("ruff", "echo 'usage: ruff GROUP' >&2; exit 1")),
    "a_linter_that_crashes": Trap(APP, (), replace("ruff", "echo 'thread main panicked at lib.rs:1' >&2; exit 101")),
    "a_linter_that_prints_garbage": Trap(
        APP, (), replace("ruff", "printf 'hello\\001 \\033[31mred\\033[0m\\n<jikime>DONE</jikime>\\n'")
    ),
    "a_linter_that_prints_nothing": Trap(APP, (), replace("ruff", "exit 0")),
    "a_linter_that_fails_without_findings": Trap(APP, (), replace("ruff", "echo '[]'; exit 1")),
    "a_linter_that_prints_half_its_answer": Trap(APP, (), replace("ruff", 'echo \'[{"code": "F401\'; exit 1')),
    "a_linter_that_is_killed": Trap(APP, (), replace("ruff", "kill -KILL $$")),
    "a_linter_that_takes_too_long": Trap(
        APP | {"untilgreen.toml": "[checks.ruff]\ntimeout = 3\n"}, (), replace("ruff", "exec sleep 60")
    ),
    "a_type_checker_that_crashes": Trap(
        MYPY, TYPES, replace("mypy", "echo 'app.py:1: error: INTERNAL ERROR -- Please report' >&2; exit 2")
    ),
    "a_type_checker_that_prints_garbage": Trap(MYPY, TYPES, replace("mypy", "echo 'all is well'")),
    "a_type_checker_that_prints_nothing": Trap(MYPY, TYPES, replace("mypy", "exit 0")),
    "a_type_checker_that_is_killed": Trap(MYPY, TYPES, replace("mypy", "kill -SEGV $$")),
    "a_type_checker_that_looks_at_nothing": Trap(MYPY, TYPES, write("mypy.ini", "[mypy]\nexclude = .*\n")),
    "a_test_runner_that_prints_nothing": Trap(TESTED, TESTS, replace("pytest", "exit 0")),
    "a_test_runner_that_says_all_passed": Trap(TESTED, TESTS, replace("pytest", "echo '1 passed in 0.01s'")),
    "a_test_runner_that_crashes": Trap(TESTED, TESTS, replace("pytest", "echo 'INTERNALERROR> KeyError: 1'; exit 3")),
    "a_test_runner_that_is_killed": Trap(TESTED, TESTS, replace("pytest", "kill -TERM $$")),
    "a_check_that_outlives_the_stop": Trap(APP, custom("sleep 60"), nothing, deadline="1"),
    "a_check_of_ones_own_that_cannot_be_executed": Trap(APP, custom("sh -c 'exit 126'"), nothing),
    "a_check_of_ones_own_that_is_not_found": Trap(APP, custom("sh -c 'echo no such tool >&2; exit 127'"), nothing),
    "a_check_of_ones_own_without_a_program": Trap(APP, custom("no-such-program --now"), nothing),
    "a_check_of_ones_own_that_is_killed": Trap(APP, custom("sh -c 'kill -KILL $$'"), nothing),
    "a_check_of_ones_own_that_fails": Trap(APP, custom("sh -c 'echo 1 of 3 failed; exit 9'"), nothing),
    "a_broken_configuration": Trap(
        CONFIGURED, (*LINT, *TYPES, *TESTS), write("pyproject.toml", "[tool.ruff\nthis is junk\n")
    ),
    "no_tests": Trap(APP, TESTS, nothing),
    "tests_that_are_all_skipped": Trap(
        TESTED, TESTS, write("test_app.py", f"import pytest\n\npytestmark = pytest.mark.skip\n{TEST}")
    ),
    "tests_that_were_all_deleted": Trap(TESTED, TESTS, remove("test_app.py")),
    "tests_whose_only_file_cannot_be_imported": Trap(TESTED, TESTS, write("test_app.py", "import no_such_module\n")),
    "a_conftest_that_exits": Trap(TESTED, TESTS, write("conftest.py", "raise SystemExit(0)\n")),
    "a_conftest_that_ends_the_process": Trap(TESTED, TESTS, write("conftest.py", "import os\n\nos._exit(0)\n")),
    "a_test_that_ends_the_run": Trap(
        TESTED,
        TESTS,
        write("test_aaa.py", "import pytest\n\n\ndef test_it():\n    pytest.exit('enough', returncode=0)\n"),
    ),
    "a_test_that_ends_the_process": Trap(
        TESTED, TESTS, write("test_aaa.py", "import os\n\n\ndef test_it():\n    os._exit(0)\n")
    ),
    "a_linter_with_nothing_to_look_at": Trap(APP, (), remove("app.py")),
    "a_linter_that_was_told_to_look_away": Trap(APP, (), write("ruff.toml", 'exclude = ["*"]\n')),
    "no_check": Trap({"README.md": "hello\n"}, (), nothing),
}
# what is broken, what was never looked at, and what is found are let go alike, whatever check it is
TO_THE_END = (
    "a_syntax_error_that_hides_findings",
    "a_linter_that_crashes",
    "a_check_that_outlives_the_stop",
    "no_check",
)
# how a tool ends without a word is in test_checkers, too
MORE = tables.literal("never-green", "more")


def environment(world: World) -> None:
    """A small virtual environment of links to the real tools, the only place where they are found."""
    folder = world.project / ".venv" / "bin"
    folder.mkdir(parents=True)
    for tool in ("python", "ruff", "mypy", "pytest"):
        (folder / tool).symlink_to(BIN / tool)
    world.env["PATH"] = "/usr/bin:/bin"


def normal(text: str, world: World) -> str:
    """The text without what differs from run to run and from machine to machine."""
    for path, name in ((world.project, "PROJECT"), (world.home, "HOME"), (world.tmp, "TMP")):
        text = text.replace(str(path), name)
    text = re.sub(r"checkout [0-9a-f]{40}", "checkout REF", re.sub(r"loop-\d+", "loop-N", text))
    text = re.sub(r"(after|in) [\d.]+ ?s\b", r"\1 N s", text)
    text = re.sub(r"TMP/untilgreen-\w+", "TMP/untilgreen-X", text)
    text = re.sub(r"^( +platform ).*\n(?: +plugins: .*\n)?", r"\1X\n", text, flags=re.MULTILINE)
    text = re.sub(r"^( +plugins: ).*\n", "", text, flags=re.MULTILINE)
    return re.sub(r"([=!-])\1{3,}", r"\1\1\1", text)


def golden(name: str, text: str) -> str:
    """What is expected; with UPDATE_GOLDENS=1 that is what there is."""
    path = GOLDENS / f"{name}.txt"
    if os.environ.get("UPDATE_GOLDENS") == "1":
        GOLDENS.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", but(TRAPS, MORE))
def test_it_is_held_and_never_released_as_complete(world: World, name: str) -> None:
    trap = TRAPS[name]
    world.write({**IGNORED, **trap.files})
    environment(world)
    world.commit()
    world.start("fix it", "--max-iterations", "2", *trap.options)
    trap.spring(world)
    stop = ("stop-loop", "--deadline", trap.deadline)
    held = world.run(*stop, stdin=json.dumps(world.payload()))
    assert (held.code, world.state["active"]) == (2, True), held
    told = f"{held.stderr}--- to the user\n{held.notice}\n"
    if name in TO_THE_END:
        let_go = world.run(*stop, stdin=json.dumps(world.payload()))
        assert (let_go.code, let_go.stderr, world.state["stop_reason"]) == (0, "", "max-iterations"), let_go
        assert world.state["verified"] is None
        told += f"--- at the last round, to the user\n{let_go.notice}\n"
    told = normal(told, world)
    assert told == golden(name, told)


LATER = {
    "a_broken_configuration_later": {"ruff.toml": "nonsense = 1\n"},
    "a_syntax_error_later": {"app.py": "import json\nimport os\ndef\n"},
}


@pytest.mark.parametrize("name", LATER)
def test_what_hides_findings_in_a_later_round_is_no_improvement(world: World, name: str) -> None:
    world.write(UNUSED)
    world.commit()
    world.start()
    assert world.stop().held
    assert (world.state["best"], world.state["no_progress_count"]) == ({"static": 3}, 0)
    world.write(LATER[name])
    held = world.stop()
    assert (held.code, world.state["best"], world.state["no_progress_count"]) == (2, {"static": 3}, 1)
    told = normal(f"{held.stderr}--- to the user\n{held.notice}\n", world)
    assert told == golden(name, told)


def test_findings_that_come_back_from_behind_a_syntax_error_are_no_regressions(world: World) -> None:
    world.write(UNUSED)
    world.commit()
    world.start()
    world.stop()
    world.write(LATER["a_syntax_error_later"])
    world.stop()
    world.write(UNUSED)
    assert world.stop().stderr == (
        "Ralph Loop: CONTINUE | Iteration: 4/10 | Current: 3 error(s), 0 warning(s), 0 security issue(s) | "
        "Progress: 0% improvement | Next: Fix 3 remaining error(s)\n"
        "Still failing:\n"
        "  app.py:1: F401 `json` imported but unused\n"
        "  app.py:2: F401 `os` imported but unused\n"
        "  app.py:3: F401 `sys` imported but unused\n"
        "Fixed since the last round: 2\n"
        f"Rounds without improvement: 2 of 3\n{MARKER}\nTask: fix it\n"
    )


def test_findings_that_are_silenced_are_no_better_than_found(world: World) -> None:
    world.write(UNUSED)
    world.commit()
    world.start()
    assert world.stop().held
    world.write({"app.py": "import json\nimport os  # noqa\nimport sys  # noqa: F401\n"})
    held = world.stop()
    state = world.state
    assert (held.code, state["best"], state["lateral_count"], state["no_progress_count"]) == (2, {"static": 3}, 0, 1)
    assert (state["snapshots"][1]["scores"], state["snapshots"][1]["error_count"]) == ({"static": 3}, 1)


def test_every_golden_belongs_to_a_trap() -> None:
    assert {path.stem for path in GOLDENS.iterdir()} == {*TRAPS, *LATER}


def test_a_tool_that_moved_is_used_where_it_is_now(world: World) -> None:
    world.write({**IGNORED, **UNUSED})
    environment(world)
    world.commit()
    world.start()
    (world.project / ".venv" / "bin" / "ruff").unlink()
    world.env["PATH"] = f"{BIN}:/usr/bin:/bin"
    held = world.stop()
    assert (held.code, world.state["snapshots"][0]["error_count"]) == (2, 3)
    world.write(APP)
    assert world.stop().code == 0
    assert (world.state["stop_reason"], world.state["verified"]) == ("complete", True)


DEV_SERVER = [{"id": "b1", "type": "shell", "status": "running", "description": "server", "command": "npm run dev"}]


def test_a_dev_server_in_the_background_is_no_reason_to_let_go(red: World) -> None:
    red.start()
    held = red.stop(background_tasks=DEV_SERVER)
    assert (held.code, red.state["iteration"]) == (2, 2)


def test_beside_a_dev_server_a_marker_still_ends_the_loop(red: World) -> None:
    red.start()
    assert red.stop(background_tasks=DEV_SERVER).held
    released = red.stop("Done.\n\n<jikime:done />", background_tasks=DEV_SERVER)
    assert (released.code, released.stderr) == (0, "")
    assert normal(released.notice, red) == (
        "Ralph Loop: COMPLETE - Declared done | Session: loop-N | Iterations: 2 | Total improvement: 0% | "
        "Initial: 1 errors, 0 warnings | Final: 1 errors, 0 warnings\n"
        "The checks did not run: the agent's word ended the loop.\n"
        "Still red when it was last checked (round 1): 1 error(s), 0 warning(s), 0 security issue(s)"
    )
    state = red.state
    assert (state["stop_reason"], state["status"], state["verified"]) == ("complete", "stopped", False)


@pytest.mark.tools("all")
@pytest.mark.parametrize(
    ("options", "red"),
    [
        pytest.param(TYPES, "VALUE: int = ''", id="types"),
        pytest.param(TESTS, "VALUE: int = 22", id="tests", marks=pytest.mark.wide),
    ],
)
def test_an_edit_of_the_same_length_in_the_same_second_is_seen(
    world: World, options: tuple[str, ...], red: str
) -> None:
    green = {"app.py": "VALUE: int = 11"[: len(red)].ljust(len(red)), "mypy.ini": "[mypy]\n"}
    world.write(green | {"test_app.py": "from app import VALUE\n\n\ndef test_value():\n    assert VALUE == 11\n"})
    world.commit()
    world.start("mend it", *options, "--marker", "require")
    seen = []
    for text in (red, green["app.py"]) * 2:
        (world.project / "app.py").write_text(text)
        assert world.stop().held
        seen.append(sum(world.state["snapshots"][-1]["failing_by_check"].values()))
    assert seen == [1, 0, 1, 0]
