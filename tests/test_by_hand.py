"""`echo '{"messages":[]}' | stop-loop`: a person asks, the whole project is judged, nothing is stored."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from world import Answer, World

SEED_LINE = '{"messages":[]}\n'
RED = {"app.py": "import os\n\nVALUE = 1\n", "ruff.toml": ""}
GREEN = {"app.py": "VALUE = 1\n", "ruff.toml": ""}
TYPED_WRONG = {"app.py": 'VALUE: int = "x"\n', "mypy.ini": "[mypy]\n"}
HEADLINE = "Not green: 1 left · ruff 1\n"
UNUSED = "app.py:1:8 ruff F401: `os` imported but unused (ruff check --fix)\n"
NOT_TRUSTED = "not trusted, mypy did not run (`untilgreen trust`)"


def facts(verdict: str, stop_reason: str | None = None, reason: str | None = None, **more: Any) -> dict[str, Any]:
    """The verdict on stdout, of a project in which ruff ran and found nothing but what `more` says."""
    counts = dict.fromkeys(("error_count", "warning_count", "info_count", "security_issues"), 0)
    named = {"verdict": verdict, "stop_reason": stop_reason, "completion_reason": reason, "verified": None}
    outcomes = {"ruff": "clean", "ast-grep": "clean"}
    return named | counts | {"outcomes": outcomes} | more


def tree(world: World) -> dict[str, bytes]:
    """All files of the world, but for the cache that mypy itself keeps."""
    paths = [path for folder in (world.home, world.tmp, world.project) for path in sorted(folder.rglob("*"))]
    return {str(p): p.read_bytes() if p.is_file() else b"" for p in paths if ".mypy_cache" not in p.parts}


def asked(world: World, stdin: str = SEED_LINE, times: int = 2) -> Answer:
    """Some runs: the same answer, and nothing stored."""
    before = tree(world)
    answers = [world.run("stop-loop", stdin=stdin) for _ in range(times)]
    assert answers == [answers[0]] * times
    assert tree(world) == before
    assert not (world.project / ".untilgreen").exists()
    return answers[0]


def said(message: str, role: str = "assistant") -> str:
    return json.dumps({"messages": [{"role": "user", "content": "go"}, {"role": role, "content": message}]})


@pytest.mark.parametrize("stdin", [SEED_LINE, "{}"])
@pytest.mark.parametrize("git", [True, False], ids=["git", "no_git"])
def test_a_red_project_is_held(world: World, stdin: str, git: bool) -> None:
    world.write(RED)
    if git:
        world.commit()
    code, stdout, stderr = asked(world, stdin, times=4)  # one more than a loop without progress is held
    assert code == 2
    assert json.loads(stdout) == facts("continue", error_count=1, outcomes={"ruff": "found", "ast-grep": "clean"})
    assert stderr == HEADLINE + UNUSED


@pytest.mark.tools("ast-grep")
@pytest.mark.parametrize("stdin", [SEED_LINE, "{}"])
def test_a_green_project_is_released(green: World, stdin: str) -> None:
    code, stdout, stderr = asked(green, stdin)
    assert (code, stderr) == (0, "✓ green · ruff ✓ ast-grep ✓\n")
    outcomes = {"ruff": "clean", "ast-grep": "clean"}
    assert json.loads(stdout) == facts(
        "release", "complete", "All conditions satisfied", verified=True, outcomes=outcomes
    )


@pytest.mark.parametrize("stdin", [SEED_LINE, "{}"])
def test_in_an_empty_project_nothing_is_judged_and_nothing_called_green(world: World, stdin: str) -> None:
    code, stdout, stderr = asked(world, stdin)
    assert (code, stderr) == (0, "untilgreen: nothing was judged: no check applies here\n")
    assert json.loads(stdout) == facts("allow", None, "no check applies here", outcomes={})


@pytest.mark.tools("ast-grep")
def test_in_a_project_that_nobody_trusted_green_is_green_but(world: World) -> None:
    world.write(TYPED_WRONG)
    world.commit()
    code, stdout, stderr = asked(world)
    assert (code, stderr) == (0, f"✓ green, but {NOT_TRUSTED} · ruff ✓ ast-grep ✓\n")
    outcomes = {"ruff": "clean", "mypy": "absent", "ast-grep": "clean"}
    assert json.loads(stdout) == facts(
        "release", "complete", f"Green, but {NOT_TRUSTED}", verified=False, outcomes=outcomes
    )


def test_in_a_project_that_nobody_trusted_red_says_what_did_not_run(world: World) -> None:
    world.write(TYPED_WRONG | {"app.py": "import os\n\nVALUE: int = 'x'\n", "ruff.toml": ""})
    world.commit()
    code, stdout, stderr = asked(world)
    assert (code, stderr) == (2, HEADLINE + UNUSED + f"{NOT_TRUSTED}\n")
    assert json.loads(stdout) == facts(
        "continue", error_count=1, outcomes={"ruff": "found", "mypy": "absent", "ast-grep": "clean"}
    )


@pytest.mark.tools("mypy")
def test_in_a_trusted_project_its_type_checker_runs(world: World) -> None:
    world.write(TYPED_WRONG)
    world.commit()
    assert world.run("untilgreen", "trust").code == 0
    code, stdout, stderr = asked(world)
    finding = 'Incompatible types in assignment (expression has type "str", variable has type "int")'
    assert (code, stderr) == (2, HEADLINE.replace("ruff", "mypy") + f"app.py:1:14 mypy assignment: {finding}\n")
    assert json.loads(stdout) == facts(
        "continue", error_count=1, outcomes={"ruff": "clean", "mypy": "found", "ast-grep": "clean"}
    )


def test_nothing_of_a_project_that_nobody_trusted_is_executed(world: World) -> None:
    script = f"#!/bin/sh\necho ran >> {world.home}/ran\nexit 0\n"
    world.write(
        RED
        | {".venv/bin/ruff": script, ".venv/bin/python": script, ".venv/bin/mypy": script, "mine": script}
        | {"mypy.ini": "[mypy]\nplugins = plugin.py\n", "conftest.py": "raise SystemExit\n"}
        | {"untilgreen.toml": '[checks.mine]\ncommand = "./mine"\n'}
    )
    for name in (".venv/bin/ruff", ".venv/bin/python", ".venv/bin/mypy", "mine"):
        (world.project / name).chmod(0o755)
    world.commit()
    path = f"{world.project}/.venv/bin:.venv/bin::{world.env['PATH']}"
    answer = world.run("stop-loop", stdin=SEED_LINE, env={"PATH": path, "VIRTUAL_ENV": f"{world.project}/.venv"})
    assert (answer.code, answer.stderr) == (2, HEADLINE + UNUSED + f"{NOT_TRUSTED}\n")
    assert not (world.home / "ran").exists()


@pytest.mark.tools("ast-grep")
def test_security_findings_hold_without_being_asked_for(world: World) -> None:
    world.write({"app.py": "print(eval(input()))\n"})
    code, stdout, stderr = asked(world)
    finding = "S307: Use of possibly insecure function; consider using `ast.literal_eval`"
    assert (code, stderr) == (2, HEADLINE + f"app.py:1:7 ruff {finding}\n")
    assert json.loads(stdout) == facts("continue", security_issues=1, outcomes={"ruff": "found", "ast-grep": "found"})


def test_tests_are_never_run(world: World) -> None:
    world.write(GREEN | {"test_app.py": "def test_fails():\n    raise AssertionError\n", "pytest.ini": "[pytest]\n"})
    world.run("untilgreen", "trust")
    assert asked(world).stderr == "✓ green · ruff ✓ ast-grep ✓\n"


def test_a_check_that_broke_neither_holds_nor_looks_green(world: World) -> None:
    world.write(RED | {"ruff.toml": "nonsense = 1\n"})
    code, stdout, stderr = asked(world)
    reason = "ruff: exit code 2: Cause: Failed to load configuration `ruff.toml`"
    assert (code, stderr) == (0, f"untilgreen: not green: {reason}\n")
    assert json.loads(stdout) == facts("release", "error", reason, outcomes={"ruff": "broken", "ast-grep": "clean"})


def test_without_a_tool_nothing_is_judged_and_nothing_called_green(world: World, tmp_path: Path) -> None:
    world.write({"run.sh": "#!/bin/sh\n", ".shellcheckrc": ""})
    world.run("untilgreen", "trust")
    answer = world.run("stop-loop", stdin=SEED_LINE, env={"PATH": str(tmp_path)})
    reason = "shellcheck is not installed"
    assert (answer.code, answer.stderr) == (0, f"untilgreen: nothing was judged: {reason}\n")
    assert json.loads(answer.stdout) == facts("allow", None, reason, outcomes={"shellcheck": "absent"})


def test_a_tool_that_only_the_untrusted_project_has_is_not_called_missing(red: World, tmp_path: Path) -> None:
    red.write({".venv/bin/ruff": "#!/bin/sh\ntouch RUN\n", "node_modules/.bin/ast-grep": ""})
    (red.project / ".venv/bin/ruff").chmod(0o755)
    answer = red.run("stop-loop", stdin=SEED_LINE, env={"PATH": str(tmp_path)})
    assert answer.stderr == "✓ green, but not trusted, ruff did not run (`untilgreen trust`) · ast-grep ✓\n"
    [said] = [
        one for one in red.run("untilgreen", "doctor", env={"PATH": str(tmp_path)}).stdout.splitlines() if "ruff" in one
    ]
    assert said.split() == ["note", "left", "out", "until", "the", "project", "is", "trusted:", "ruff"]
    assert not (red.project / "RUN").exists()


def test_a_tool_that_is_not_there_stands_against_green(red: World, tmp_path: Path) -> None:
    answer = red.run("stop-loop", stdin=SEED_LINE, env={"PATH": str(tmp_path)})
    assert (answer.code, answer.stderr) == (0, "✓ green, but ruff is not installed · ast-grep ✓\n")


def test_a_configuration_that_is_no_toml_is_told_and_holds_nobody(world: World) -> None:
    world.write({"app.py": RED["app.py"], "pyproject.toml": "[tool.ruff\n"})
    answer = asked(world)
    assert (answer.code, answer.stderr) == (0, "")
    assert answer.notice == (
        "untilgreen: nothing was judged: pyproject.toml:1: is not valid "
        "TOML: Expected ']' at the end of a table declaration "
        "(at line 1, column 11). Fix: correct the file"
    )


@pytest.mark.parametrize(
    "marker",
    ["<jikime>DONE</jikime>", "<jikime:done />", "<ralph>COMPLETE</ralph>", "All is well.\n\n<jikime:complete />\n"],
)
def test_a_marker_in_the_messages_ends_it_unchecked_where_it_is_trusted(red: World, marker: str) -> None:
    assert asked(red, said(marker))[0] == 2
    red.write({"untilgreen.toml": 'marker = "trust"\n'})
    code, stdout, stderr = asked(red, said(marker))
    assert (code, stderr) == (0, "■ ended unchecked: the agent said it was done\n")
    assert json.loads(stdout) == {
        "verdict": "release",
        "stop_reason": "complete",
        "completion_reason": "Declared done",
        "verified": False,
    }


def test_a_blocked_marker_in_the_messages_gives_its_reason(red: World) -> None:
    code, stdout, stderr = asked(red, said("I cannot go on.\n<ralph>BLOCKED: no key\nfor the service</ralph>"))
    assert (code, stderr) == (0, "■ blocked: no key for the service\n")
    assert json.loads(stdout) == {
        "verdict": "release",
        "stop_reason": "blocked",
        "completion_reason": "no key for the service",
        "verified": None,
    }


@pytest.mark.parametrize(
    "stdin",
    [
        pytest.param(said("<jikime>DONE</jikime>", role="user"), id="the_users_own_words"),
        pytest.param(said("I cannot print <jikime>DONE</jikime> yet"), id="within_a_sentence"),
        pytest.param(said("```\n<jikime>DONE</jikime>\n```"), id="in_a_fence"),
        pytest.param(said("<jikime>DONE</jikime>\nNot yet, though."), id="not_the_last_line"),
        pytest.param(
            json.dumps(json.loads(said("<jikime:done />")) | {"last_assistant_message": ""}), id="the_host_says_none"
        ),
    ],
)
def test_words_that_are_no_marker_end_nothing(red: World, stdin: str) -> None:
    answer = asked(red, stdin)
    assert (answer.code, answer.stderr) == (2, HEADLINE + UNUSED)


def test_where_only_checks_decide_a_marker_ends_nothing(world: World) -> None:
    world.write(RED | {"untilgreen.toml": 'marker = "verify"\n'})
    assert asked(world, said("<jikime>DONE</jikime>")).stderr == HEADLINE + UNUSED


def test_the_state_of_a_running_loop_is_left_alone(red: World) -> None:
    red.start()
    before = tree(red)
    answers = [red.run("stop-loop", stdin=SEED_LINE) for _ in range(4)]
    assert answers == [answers[0]] * 4
    assert answers[0].stderr == HEADLINE + UNUSED
    assert tree(red) == before


def test_a_check_that_takes_too_long_neither_holds_nor_looks_green(red: World, tmp_path: Path) -> None:
    slow = tmp_path / "slow"
    slow.mkdir()
    (slow / "ruff").write_text("#!/bin/sh\nexec sleep 60\n")
    (slow / "ruff").chmod(0o755)
    env = {"PATH": f"{slow}:{red.env['PATH']}"}
    answer = red.run("stop-loop", "--deadline", "1", stdin=SEED_LINE, env=env)
    assert answer.code == 0
    late = "timed out after [0-9]+ s"  # on a busy machine ast-grep, too, may need more than a second
    assert re.fullmatch(f"untilgreen: not green: ruff: {late}(; ast-grep: {late})?\n", answer.stderr)
    assert json.loads(answer.stdout)["stop_reason"] == "error"


def test_in_a_home_folder_nothing_is_judged_and_it_is_said_why(world: World) -> None:
    reason = f"{world.home} is a home folder, not a project"
    facts = {"verdict": "allow", "stop_reason": None, "completion_reason": reason, "verified": None}
    expected = Answer(0, json.dumps(facts) + "\n", f"untilgreen: nothing was judged: {reason}\n")
    assert world.run("stop-loop", stdin=SEED_LINE, cwd=world.home) == expected
