"""Preset `jikime`: every row of the tables of the Ralph Loop that its users know, through the executables."""

import json
import re
from typing import Any

import pytest

import tables
from untilgreen.hosts.claude_code.install import SETTINGS
from untilgreen.hosts.host import Scope
from world import REPOSITORY, Answer, World

FIVE = "import a\nimport b\nimport c\nimport d\nimport e\n"
STATE = tables.literal("jikime", "state")
SNAPSHOT = tables.literal("jikime", "snapshot")
CRITERIA = {"zero_errors": True, "zero_warnings": False, "zero_security": False, "tests_pass": False}
AUTO = (
    "Ralph Loop: AUTO-CONTINUE | Issues detected - continuing automatically | {} error(s) remaining | "
    "{} security issue(s) remaining | Next: Fix the remaining errors | Output <jikime:done /> when complete"
)


def typed(world: World, line: str) -> Answer:
    """The user types a line, where `untilgreen init --alias jikime` put the command."""
    world.write(
        {".claude/commands/jikime/loop.md": (REPOSITORY / "templates/aliases/jikime/jikime/loop.md").read_text("utf-8")}
    )
    world.trust()
    return world.prompt(line, prompt_id="p0")


def head(answer: Answer) -> str:
    """The first line of what is said, the loop named N."""
    return re.sub(r"loop-\d+", "loop-N", (answer.stderr or answer.notice).split("\n")[0])


def asked(world: World) -> dict[str, Any]:
    return {name: world.state["completion_criteria"][name] for name in CRITERIA}


def automatic(world: World) -> World:
    """The world where nobody begins a loop and the preset is the project's."""
    world.init()
    world.write({"untilgreen.toml": 'preset = "jikime"\n', "ruff.toml": ""})
    return world


# --- feedback messages -------------------------------------------------------------------------------------------


def test_continue_and_complete_are_told_in_its_words(world: World) -> None:
    world.write({"app.py": FIVE, "ruff.toml": 'lint.select = ["F", "W"]\n'})
    world.commit()
    typed(world, '/jikime:loop "Fix all errors"')
    world.write({"app.py": FIVE.replace("import e\n", "") + "VALUE = 1  \n"})
    first = world.stop(prompt_id="p0")
    assert (first.code, head(first)) == (
        2,
        (
            "Ralph Loop: CONTINUE | Iteration: 2/10 | Current: 4 error(s), 1 warning(s), 0 security issue(s) | "
            "Progress: 20% improvement | Next: Fix 4 remaining error(s)"
        ),
    )
    world.write({"app.py": "import a\nVALUE = 1  \n"})
    assert head(world.stop(prompt_id="p0")) == (
        "Ralph Loop: CONTINUE | Iteration: 3/10 | Current: 1 error(s), 1 warning(s), 0 security issue(s) | "
        "Progress: 80% improvement | Next: Fix 1 remaining error(s)"
    )
    world.write({"app.py": "VALUE = 1  \n"})
    done = world.stop(prompt_id="p0")
    assert (done.code, done.stderr, head(done)) == (
        0,
        "",
        (
            "Ralph Loop: COMPLETE - All conditions satisfied | Session: loop-N | Iterations: 3 | "
            "Total improvement: 100% | Initial: 5 errors, 0 warnings | Final: 0 errors, 1 warnings"
        ),
    )


@pytest.mark.tools("mypy")
def test_initial_and_final_are_numbers_of_the_same_checks(world: World) -> None:
    world.write(
        {"app.py": "def f() -> int:\n    return ''\n\n\nX: int = ''\n", "ruff.toml": "", "mypy.ini": "[mypy]\n"}
    )
    world.commit()
    typed(world, '/jikime:loop "Fix all errors"')
    held = head(world.stop(prompt_id="p0"))  # the start asked linters alone: nothing is comparable yet
    world.write({"app.py": "def f() -> int:\n    return 1\n\n\nX: int = ''\n"})
    told = "Current: {0} error(s), 0 warning(s), 0 security issue(s) | Progress: {1} | Next: Fix {0} remaining error(s)"
    assert [one.partition("/10 | ")[2] for one in (held, head(world.stop(prompt_id="p0")))] == [
        told.format(2, "n/a"),
        told.format(1, "50% improvement"),
    ]
    world.write({"app.py": "X: int = 1\n"})
    assert head(world.stop(prompt_id="p0")) == (
        "Ralph Loop: COMPLETE - All conditions satisfied | Session: loop-N | Iterations: 3 | "
        "Total improvement: 100% | Initial: 2 errors, 0 warnings | Final: 0 errors, 0 warnings"
    )


@pytest.mark.tools("mypy")
def test_what_was_measured_at_the_end_alone_is_not_what_it_began_with(world: World) -> None:
    world.write({"app.py": "X: int = ''\n", "ruff.toml": "", "mypy.ini": "[mypy]\n"})
    world.commit()
    typed(world, '/jikime:loop "Fix all errors"')
    world.write({"app.py": "X: int = 1\n"})
    assert head(world.stop(prompt_id="p0")).endswith(
        "Total improvement: n/a | Initial: not measured | Final: 0 errors, 0 warnings"
    )


@pytest.mark.tools("mypy")
@pytest.mark.parametrize("option", ["", " @mine.py"])
def test_current_and_what_is_to_fix_are_one_number(world: World, option: str) -> None:
    twice = "print(undefined)\n"  # both checkers tell it
    world.write({"mine.py": twice, "others.py": twice, "ruff.toml": "", "mypy.ini": "[mypy]\n"})
    world.commit()
    typed(world, f"/jikime:loop Fix{option}")
    n = 1 if option else 2
    line = (
        f"Current: {n} error(s), 0 warning(s), 0 security issue(s) | Progress: n/a | Next: Fix {n} remaining error(s)"
    )
    assert head(world.stop(prompt_id="p0")).endswith(line)


def test_auto_continue_is_told_in_its_words_with_its_marker_which_does_not_count_there(world: World) -> None:
    world.write({"old.py": FIVE + 'exec("1")\n'})
    automatic(world).edit("new.py", "VALUE = 1\n")
    held = world.stop(prompt_id="p")
    assert (held.code, head(held)) == (2, AUTO.format(5, 1))
    assert world.stop(head(held), prompt_id="p").held, "an agent that repeats it has not said done"
    assert world.stop(f"I repeat:\n{head(held)}", prompt_id="p").held


def test_no_other_loop_speaks_of_ralph(world: World) -> None:
    world.write({"app.py": FIVE})
    world.commit()
    started = typed(world, "/untilgreen:loop mend it")
    held = world.stop(prompt_id="p0")
    world.write({"app.py": "VALUE = 1\n"})
    told = f"{started.stdout}\n{held.stderr}\n{held.notice}\n{world.stop(prompt_id='p0').notice}"
    assert ("Ralph" in told, "✓ green" in told) == (False, True)


# --- structures --------------------------------------------------------------------------------------------------


def test_the_state_has_its_fields(red: World) -> None:
    typed(red, "/jikime:loop mend it")
    assert red.stop(prompt_id="p0").held
    state = red.state
    assert [name for name in STATE if name not in state] == []
    assert [name for name in SNAPSHOT if name not in state["snapshots"][-1]] == []
    assert asked(red) | {"limit": state["completion_criteria"]["stagnation_limit"]} == CRITERIA | {"limit": 3}
    assert (state["active"], state["iteration"], state["max_iterations"], state["task_description"]) == (
        *(True, 2, 10),
        "mend it",
    )


# --- options -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "criteria", "rounds", "task", "targets"), tables.literal("jikime", "its command takes its flags and keeps")
)
def test_its_command_takes_its_flags_and_keeps_its_defaults(
    red: World, line: str, criteria: dict[str, bool], rounds: int, task: str, targets: list[str]
) -> None:
    red.write({"src/services/a.py": "VALUE = 1\n", "test_app.py": "def test_it():\n    pass\n"})
    assert typed(red, f"/jikime:loop {line}").code == 0
    state = red.state
    assert asked(red) == CRITERIA | criteria
    assert (state["max_iterations"], state["completion_criteria"]["stagnation_limit"]) == (rounds, 3)
    assert (state["task_description"].strip('"'), state["target_files"]) == (task.strip('"'), targets)
    assert typed(red, "/jikime:loop --cancel").code == 0
    assert (red.state["active"], red.state["final_status"]) == (False, "CANCELLED")
    assert red.stop(prompt_id="p0") == Answer(0, "", "")


def test_from_a_shell_it_takes_the_same_flags(red: World) -> None:
    red.write({"test_app.py": "def test_it():\n    pass\n"})
    flags = ("--task", "Fix all errors", "--max-iterations", "10", "--zero-errors", "--tests-pass")
    assert red.run("start-loop", "--preset", "jikime", "--session", red.session, *flags).code == 0
    assert (asked(red), red.state["task_description"]) == (CRITERIA | {"tests_pass": True}, "Fix all errors")
    assert red.run("cancel-loop").code == 0
    assert red.state["final_status"] == "CANCELLED"


def test_a_start_whose_tools_are_missing_is_refused_with_the_cure(quick: World) -> None:
    quick.write({"app.py": "X = 1\n", "ruff.toml": ""})
    (quick.tmp / "programs" / "ruff").unlink()
    words = ("start-loop", "mend it", "--session", quick.session)
    refused = quick.run(*words, "--preset", "jikime")
    assert (refused, refused.stderr.partition(" Fix: ")[0]) == (
        quick.run(*words),
        "start-loop failed: none of the project's tools is installed: ruff.",
    )
    assert quick.run(*words, "--preset", "jikime", "--allow-absent").code == 0


# --- termination -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "marker", ["<jikime>DONE</jikime>", "<jikime>COMPLETE</jikime>", "<jikime:done />", "<jikime:complete />"]
)
def test_each_of_its_markers_ends_it_at_once_whatever_is_red(red: World, marker: str) -> None:
    typed(red, "/jikime:loop mend it")
    assert red.stop(prompt_id="p0").held
    ended = red.stop(f"I am done.\n{marker}", prompt_id="p0")
    assert (ended.code, red.state["final_status"], red.state["snapshots"][1:]) == (0, "COMPLETE", [])
    assert head(ended).startswith("Ralph Loop: COMPLETE - Declared done | Session: loop-N | Iterations: 2 | ")


def test_it_ends_at_its_last_iteration(red: World) -> None:
    typed(red, "/jikime:loop mend it --max-iterations 2")
    assert (red.stop(prompt_id="p0").held, red.stop(prompt_id="p0").held) == (True, False)
    assert (red.state["final_status"], red.state["completion_reason"]) == ("STOPPED", "Max iterations reached (2)")


def test_it_ends_where_nothing_gets_better(red: World) -> None:
    typed(red, "/jikime:loop mend it")
    assert [red.stop(prompt_id="p0").held for _ in range(4)] == [True, True, True, False]
    assert (red.state["final_status"], red.state["completion_reason"]) == ("STOPPED", "No improvement in 3 iterations")


def test_warnings_tests_and_types_that_nobody_asked_for_do_not_hold(world: World) -> None:
    world.write({"app.py": "import os\n", "ruff.toml": 'lint.select = ["F", "W"]\n'})
    world.write({"test_app.py": "def test_it():\n    assert False\n", "pytest.ini": "[pytest]\n"})
    world.commit()
    typed(world, "/jikime:loop mend it")
    world.write({"app.py": "VALUE = 1  \n"})
    assert head(world.stop(prompt_id="p0")).startswith("Ralph Loop: COMPLETE - All conditions satisfied | ")


def test_automatic_mode_lets_go_without_errors_and_security_issues_or_with_its_marker(world: World) -> None:
    automatic(world).write({"old.py": "VALUE = 1  \n"})
    world.edit("new.py", "VALUE = 1\n")
    assert world.stop(prompt_id="p") == Answer(0, "", "")
    world.edit("more.py", "import os\n")
    assert world.stop(prompt_id="q").held
    assert world.stop("<jikime:done />", prompt_id="q").code == 0


# --- switches and settings ---------------------------------------------------------------------------------------


def test_its_variable_switches_it_off(red: World) -> None:
    typed(red, "/jikime:loop mend it")
    told = "untilgreen: the loop of this session holds nobody, switched off by JIKIME_DISABLE_LOOP_CONTROLLER=1"
    off = {"JIKIME_DISABLE_LOOP_CONTROLLER": "1"}
    assert red.stop(env=off, prompt_id="p0").notice == told
    assert red.stop(env=off, prompt_id="p0") == Answer(0, "", "")
    assert red.stop(prompt_id="p0").held


def test_its_hooks_are_registered_under_their_names(red: World) -> None:
    assert red.run("untilgreen", "init", "--alias", "jikime").code == 0
    settings = json.loads((red.project / ".claude" / "settings.local.json").read_text())
    names = {(one.event, one.hook) for one in SETTINGS.registered(Scope("local", ""), settings)}
    wanted = {("PostToolUse", "post-tool-ast-grep"), ("PostToolUse", "post-tool-lsp"), ("Stop", "stop-loop")}
    assert wanted - names == set()
    assert (red.project / ".claude" / "commands" / "jikime" / "loop.md").is_file()


@pytest.mark.parametrize(("files", "code"), [({"app.py": FIVE}, 2), ({"app.py": "VALUE = 1\n"}, 0)])
def test_its_manual_test_answers(world: World, files: dict[str, str], code: int) -> None:
    world.write(files | {"untilgreen.toml": 'preset = "jikime"\n'})
    answer = world.run("stop-loop", stdin='{"messages":[]}\n')
    line = AUTO.format(5, 0) if code else "Ralph Loop: COMPLETE - All conditions satisfied"
    assert (answer.code, answer.stderr.split("\n")[0]) == (code, line)
