"""A check that could do no work before a loop began, and that no edit mends, holds nobody."""

import re
from pathlib import Path

import pytest

from world import World, listed

REFUSES = """#!/bin/sh
case " $* " in *" --no-pretty "*) echo "mypy: error: unrecognized arguments: --no-pretty" >&2; exit 2;; esac
case " $* " in *" --version "*) echo "mypy 0.1"; exit 0;; esac
echo "Success: no issues found in 1 source file"
"""
CRASHES = "#!/bin/sh\necho 'Segmentation fault' >&2\nexit 139\n"
PYTEST = """#!/bin/sh
case " $* " in *" --junitxml="*) echo "pytest: error: unrecognized arguments: --junitxml=x" >&2; exit 4;; esac
exit 0
"""
TESTED = {"test_app.py": "def test_one() -> None: ...\n"}
TYPED = {"mypy.ini": "[mypy]\n", "ruff.toml": "", "app.py": "VALUE = 1\n"}
WAS_SO = "(was so before the loop)"


def install(world: World, name: str, script: str) -> Path:
    path = world.programs / name
    path.unlink(missing_ok=True)
    path.write_text(script)
    path.chmod(0o755)
    return path


def begin(world: World, files: dict[str, str], *options: str) -> list[str]:
    """The loop's start; what the agent then writes is green."""
    world.write(files)
    world.commit()
    answer = world.run("start-loop", "mend it", "--session", world.session, *options)
    assert answer.code == 0, answer
    world.write({"work.txt": "done"})
    return answer.stdout.splitlines()


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        (REFUSES, "exit code 2: mypy: error: unrecognized arguments: --no-pretty"),
        (CRASHES, "exit code 139"),
        ("#!/nowhere/python\n", "could not start"),
    ],
    ids=["refuses an option of ours", "crashes whatever it is asked", "has no interpreter"],
)
def test_a_tool_that_could_do_no_work_before_the_loop_holds_nobody_and_is_told(
    world: World, script: str, reason: str
) -> None:
    install(world, "mypy", script)
    start = begin(world, TYPED)
    assert start[-1].startswith(f"mypy did not do its work ({reason}")
    world.write({"app.py": "print(undefined)\n"})
    held = world.stop()
    told = held.stderr.split("\n")
    assert (told[1], [line for line in told if line.startswith("check:")]) == (
        "app.py:1:7 ruff F821: Undefined name `undefined`",
        [],
    )
    [said] = [line for line in told if line.startswith(f"mypy did not do its work: {reason}")]
    assert said.endswith(WAS_SO)
    world.write({"app.py": "VALUE = 2\n"})
    answer = world.stop()
    assert (answer.code, world.state["completion_reason"], world.state["verified"]) == (0, f"Green, but {said}", False)


def test_a_tool_that_could_do_no_work_holds_where_green_must_have_no_but(world: World) -> None:
    install(world, "mypy", CRASHES)
    begin(world, TYPED, "--strict")
    assert f"mypy did not do its work: exit code 139 {WAS_SO}" in world.stop().stderr


def test_where_no_check_can_do_its_work_the_end_is_unchecked(world: World) -> None:
    install(world, "ruff", CRASHES)
    begin(world, {"ruff.toml": "", "app.py": "VALUE = 1\n"})
    answer = world.stop()
    assert (answer.code, world.state["verified"]) == (0, False)
    assert answer.notice.startswith(f"■ ended unchecked: ruff did not do its work: exit code 139 {WAS_SO}")


def test_tests_whose_runner_never_knew_an_option_of_ours_hold_nobody(world: World) -> None:
    install(world, "pytest", PYTEST)
    begin(world, TESTED)
    answer = world.stop()
    told = f"pytest did not do its work: exit code 4: pytest: error: unrecognized arguments: --junitxml=x {WAS_SO}"
    assert (answer.code, world.state["completion_reason"]) == (0, f"Green, but {told}")


def test_a_runner_that_was_replaced_by_one_that_refuses_an_option_holds(world: World) -> None:
    begin(world, TESTED)
    install(world, "pytest", PYTEST)
    assert listed(world.stop()) == ["pytest: error: unrecognized arguments: --junitxml=x"]


def test_tests_that_the_agent_told_to_refuse_an_option_of_ours_hold(world: World) -> None:
    begin(world, TESTED)
    refuse = "    raise pytest.UsageError('unrecognized arguments: --junitxml=x')\n"
    refusal = f"import pytest\n\n\ndef pytest_configure() -> None:\n{refuse}"
    world.write({"conftest.py": refusal})
    held = world.stop()
    assert held.held
    assert "check:pytest could not be judged: exit code 4: ERROR: unrecognized arguments: --junitxml=x" in held.stderr


@pytest.mark.tools("mypy")
@pytest.mark.parametrize("when", ["before the loop", "since then"])
def test_a_configuration_that_nobody_can_read_holds_whenever_it_was_written(world: World, when: str) -> None:
    broken = {"ruff.toml": "nonsense = 1\n"}
    begin(world, TYPED | (broken if when == "before the loop" else {}))
    world.write(broken)
    held = world.stop()
    assert held.held
    assert (WAS_SO in held.stderr.split("\n")[1]) == (when == "before the loop")


def test_a_tool_that_crashes_since_the_loop_began_holds(world: World) -> None:
    begin(world, {"ruff.toml": "", "app.py": "VALUE = 1\n"})
    install(world, "ruff", CRASHES)
    assert world.stop().stderr.split("\n")[1] == "check:ruff could not be judged: exit code 139"


SLOW = "import os\nimport time\n\n\ndef test_slow() -> None:\n    open('ran', 'a').write('x')\n    time.sleep(30)\n"
LIMIT = "pytest hit its 1 s limit. Fix: set checks.pytest.timeout = 3, or run the slow tests elsewhere (docs/recipes)"


def test_tests_that_never_came_to_their_end_hold_nobody_are_told_once_and_do_not_run_again(world: World) -> None:
    begin(world, {"test_app.py": SLOW, "untilgreen.toml": "[checks.pytest]\ntimeout = 1\n"})
    world.write({"app.py": "print(undefined)\n"})
    held = world.stop()
    assert held.stderr.split("\n")[1] == "app.py:1:7 ruff F821: Undefined name `undefined`"
    assert (held.stderr.count(LIMIT), held.notice.count(LIMIT)) == (1, 1)
    world.write({"app.py": "print(unknown)\n"})
    again = world.stop()
    assert (again.held, LIMIT in again.stderr, LIMIT in again.notice) == (True, False, False)
    world.write({"app.py": "VALUE = 1\n"})
    answer = world.stop()
    assert (answer.code, world.state["completion_reason"]) == (
        0,
        "Green, but pytest did not do its work: timed out after 1 s",
    )
    ran = world.project / "ran"  # a busy machine may need the second for the start of pytest
    assert (ran.read_text() if ran.exists() else "x") == "x"


def test_tests_that_came_to_their_end_before_and_do_not_now_hold(world: World) -> None:
    quick = SLOW.replace("time.sleep(30)", "time.sleep(open('seconds').read().count('x'))")
    begin(world, {"test_app.py": quick, "seconds": "", "untilgreen.toml": "[checks.pytest]\ntimeout = 9\n"})
    world.write({"app.py": "print(undefined)\n"})
    assert world.stop().held
    world.write({"app.py": "VALUE = 1\n", "seconds": "x" * 30})
    told = re.sub(r"\d\.\d s", "N s", world.stop().stderr)
    assert "check:pytest could not be judged: did not end within 9 s; N s last time: an endless loop?\n" in told
    assert world.state["suites"]["pytest"]["late"] is True
