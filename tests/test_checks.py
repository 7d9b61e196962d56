"""Which checks run, where, with which environment, and what ends with them: through the executables."""

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest

from eventually import eventually, gone
from world import MARKER, World

WRONG_TYPE = {"app.py": 'VALUE: int = "x"\n'}


def failing(world: World) -> list[str]:
    """What holds the agent at its next stop, a line each; [] when it is let go."""
    world.write({"round.txt": str(time.monotonic_ns())})
    answer = world.stop()
    lines = answer.stderr.splitlines()
    assert answer.held == bool(lines), answer
    told = lines[2 : lines.index("Task: fix it")] if lines else []
    return [line.strip() for line in told if line != MARKER]


def configured(world: World, text: str, files: dict[str, str]) -> World:
    world.write(files | {"untilgreen.toml": text})
    world.commit()
    return world


@pytest.mark.parametrize("files", [{"package.json": "{}\n"}, {"app.py": "VALUE = 1\n"}], ids=["javascript", "python"])
def test_a_test_command_of_ones_own_is_what_tests_pass_asks_for(world: World, files: dict[str, str]) -> None:
    world.write(files)
    world.commit()
    world.start("fix it", "--tests-pass", "--check", "test=sh -c 'test -e round.txt'")
    assert failing(world) == []
    assert (world.state["stop_reason"], world.state["verified"]) == ("complete", True)
    assert "pytest" not in world.state["snapshots"][0]["outcomes"]


@pytest.mark.tools("mypy")
def test_a_type_check_of_ones_own_is_what_type_check_asks_for_beside_one_that_is_configured(world: World) -> None:
    world.write(WRONG_TYPE)
    world.commit()
    world.start("fix it", "--criteria", "type_check", "--check", "types=true")
    assert failing(world) == []
    assert world.state["snapshots"][0]["outcomes"] == {"ruff": "clean", "types": "clean"}
    world.write({"mypy.ini": "[mypy]\n"})
    world.start("fix it", "--replace", "--criteria", "type_check", "--check", "types=true")
    wrong = 'assignment Incompatible types in assignment (expression has type "str", variable has type "int")'
    assert failing(world) == [f"app.py:1: {wrong}"]


@pytest.mark.tools("mypy")
@pytest.mark.parametrize("root", ["backend", "a/b/c/d"])
def test_a_checker_runs_in_the_root_that_the_configuration_gives_it(world: World, root: str) -> None:
    files = {
        f"{root}/app.py": "VALUE = 1\n",
        f"{root}/mypy.ini": "[mypy]\n",
        "other/app.py": WRONG_TYPE["app.py"],
        "other/mypy.ini": "[mypy]\n",
    }
    configured(world, f'[checks.mypy]\nroot = "{root}"\n', files)
    world.start("fix it", "--criteria", "type_check")
    assert failing(world) == []
    assert world.state["snapshots"][0]["outcomes"] == {"ruff": "clean", f"mypy@{root}": "clean"}


def test_exit_codes_that_mean_fine_are_for_commands_only(world: World) -> None:
    configured(world, "[checks.ruff]\nok = [0, 1]\n", {"app.py": "import os\n"})
    answer = world.run("start-loop", "fix it", "--session", world.session)
    fix = "leave it out: what ruff says is read, not its exit code alone"
    reason = f"checks.ruff.ok: is for a command of your own. Fix: {fix}"
    assert answer == (64, "", f"start-loop failed: untilgreen.toml:2: {reason}\n")


@pytest.mark.parametrize(
    ("name", "quiet"),
    [("env", {"LC_ALL": "C.UTF-8", "NO_COLOR": "1"}), ("test", {"LC_ALL": "de_DE"})],
    ids=["a static check", "tests"],
)
def test_a_check_sees_the_hosts_environment_without_what_is_removed_and_only_tests_as_it_is(
    world: World, name: str, quiet: dict[str, str]
) -> None:
    configured(world, 'env_remove = ["CI", "SECRET", "UNTILGREEN_DISABLE"]\n', {"app.py": "VALUE = 1\n"})
    world.start("fix it", "--check", f"{name}=sh -c 'env > environment.txt'")
    world.write({"round.txt": "1"})
    told = {"LC_ALL": "de_DE", "FORCE_COLOR": "1", "MINE": "kept"}
    host = {"SECRET": "1", "CLAUDE_CODE_MESSAGING_SOCKET": "/s", "CLAUDE_ENV_FILE": "/f", "CI": "host"}
    assert world.stop(env=told | host).code == 0
    lines = (world.project / "environment.txt").read_text().splitlines()
    seen = dict(line.partition("=")[::2] for line in lines if not line.startswith(("PWD=", "OLDPWD=", "SHLVL=", "_=")))
    assert seen == world.env | quiet | {"UNTILGREEN_DISABLE": "1", "MINE": "kept"}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_no_check_outlives_a_stop_that_is_told_to_end(green: World, number: signal.Signals) -> None:
    green.start("fix it", "--check", "slow=sh -c 'echo $$ > pid.tmp; mv pid.tmp pid; exec sleep 60'")
    green.write({"round.txt": "1"})
    stop = green.begin("stop-loop", stdin=json.dumps(green.payload()))
    check = int(appeared(green.project / "pid"))
    stop.send_signal(number)
    answer = green.end(stop)
    told = f"untilgreen: stop-loop was told to end (signal {number:d}); nothing was judged"
    assert answer.notice == ("" if number == signal.SIGINT else told)
    assert (answer.stderr, answer.held) == ("", False)
    assert gone(check)
    assert (green.state["iteration"], green.state["active"]) == (1, True)


def appeared(path: Path) -> str:
    eventually(path.exists, path.name)
    return path.read_text()


def test_a_state_folder_of_the_environment_is_relative_to_the_project(red: World) -> None:
    red.write({"lib/b.py": "VALUE = 1\n"})
    env = {"UNTILGREEN_STATE_DIR": "kept/state"}
    started = red.run("start-loop", "fix it", "--session", red.session, env=env, cwd=red.project / "lib")
    assert started.code == 0
    assert red.stop(env=env).held
    assert sorted(path.parent for path in red.project.rglob("sessions")) == [red.project / "kept/state"]
    payload = json.dumps(red.payload(cwd=str(red.project / "lib")))
    assert red.run("stop-loop", stdin=payload, env=env | red.hosted, cwd=red.project / "lib").held


@pytest.mark.tools("ast-grep")
def test_plain_asserts_in_tests_are_no_security_finding(world: World) -> None:
    tests = ("tests/helpers.py", "test/helpers.py", "shop/tests.py", "shop/test.py", "test_a.py", "a_test.py")
    world.write(dict.fromkeys((*tests, "conftest.py", "shop/app.py"), "assert __name__\n"))
    world.commit()
    world.start("fix it", "--zero-security")
    assert failing(world) == ["shop/app.py:1: S101 Use of `assert` detected"]


def test_what_passed_when_the_tests_first_ran_is_preserved_although_they_were_broken_before(world: World) -> None:
    tests = "from app import value\n\n\ndef test_value():\n    assert value() == 1\n"
    world.write({"app.py": "def value():\n    return 1\n", "test_app.py": tests, "pytest.ini": "[pytest]\n"})
    world.commit()
    world.start("fix it", "--criteria", "preserve", "--marker", "require")
    world.write({"pytest.ini": "[nothing\n"})
    assert failing(world)[0].startswith("check pytest: ")
    world.write({"pytest.ini": "[pytest]\n"})
    done = "This loop ends when all is green and the last line of the message is the marker: DONE in the tag jikime."
    assert failing(world)[-1] == done
    # of another length: within a second Python tells a source from its compiled form by nothing else
    world.write({"app.py": "def value():\n    return 1 + 1\n"})
    assert failing(world)[0] == "test_app.py:4: test_value assert 2 == 1"


def test_a_target_is_named_from_where_one_stands(world: World) -> None:
    world.write({"app.py": "import os\n", "lib/b.py": "import os\n", "lib/app.py": "VALUE = 1\n"})
    world.commit()
    lib = world.project / "lib"
    words = ("start-loop", "fix it", "--session", world.session, "--replace", "--json")
    targets = {
        given: json.loads(world.run(*words, "--target", given, cwd=lib).stdout)["target_files"]
        for given in ("b.py", "lib/b.py", "app.py", "../app.py", ".", str(lib / "b.py"))
    }
    assert targets == {
        "b.py": ["lib/b.py"],
        "lib/b.py": ["lib/b.py"],
        "app.py": ["lib/app.py"],
        "../app.py": ["app.py"],
        ".": ["lib"],
        str(lib / "b.py"): ["lib/b.py"],
    }


@pytest.mark.parametrize("given", ["", "../home", "missing"])
def test_a_target_that_is_nothing_here_is_an_error(red: World, given: str) -> None:
    answer = red.run("start-loop", "fix it", "--session", red.session, "--target", given)
    told = (
        f"start-loop failed: --target {given}: no such file or folder in {red.project}. Fix: name one that is there\n"
    )
    assert answer == (64, "", told)


def test_a_deadline_is_a_number_of_seconds_in_any_form_and_else_an_error_that_holds_nobody(red: World) -> None:
    red.start()
    for given in ("0", "0.5", "-1", "nan", "²", "soon"):
        answer = red.run("stop-loop", f"--deadline={given}", stdin=json.dumps(red.payload()))
        assert (answer.code, answer.stdout, answer.stderr.splitlines()[0][:10]) == (64, "", "stop-loop:"), given
    for words in (["--deadline", "30.5"], ["--deadline=1e2"], ["--deadline", "30"]):
        assert red.run("stop-loop", *words, stdin=json.dumps(red.payload())).held, words


def test_by_hand_the_home_folder_and_the_top_are_not_judged_and_it_is_said(world: World) -> None:
    world.write({"app.py": "import os\n"})
    for folder, reason in (
        (world.home, f"{world.home} is a home folder, not a project"),
        (Path("/"), "/ is the top of the file system, not a project"),
    ):
        answer = world.run("stop-loop", stdin="{}", cwd=folder)
        assert (answer.code, answer.stderr) == (0, f"untilgreen: nothing was judged: {reason}\n")
        facts = {"verdict": "allow", "stop_reason": None, "completion_reason": reason, "verified": None}
        assert json.loads(answer.stdout) == facts


@pytest.mark.tools("ast-grep")
def test_without_trust_a_linked_worktree_runs_nothing_of_its_main_tree(red: World) -> None:
    linked = red.tmp / "linked"
    words = ("git", "worktree", "add", "-q", str(linked))
    subprocess.run(words, cwd=red.project, env=red.env, check=True, capture_output=True)
    red.write({".venv/bin/ruff": f"#!/bin/sh\necho ran > {red.home}/ran\n"})
    (red.project / ".venv/bin/ruff").chmod(0o755)
    path = f"{red.project}/.venv/bin:{red.env['PATH']}"
    answer = red.run("stop-loop", stdin="{}", cwd=linked, env={"PATH": path})
    assert answer.stderr.splitlines()[1:] == ["app.py:1:8 ruff F401: `os` imported but unused (ruff check --fix)"]
    assert not (red.home / "ran").exists()


def test_a_project_cannot_switch_us_off_in_the_users_name(red: World) -> None:
    red.start()
    red.write({"state/untilgreen/off": ""})
    assert red.stop(env={"XDG_STATE_HOME": "state"}).held
    off = red.home / ".local/state/untilgreen/off"
    off.write_text("")
    why = f"the loop of this session holds nobody, switched off by the file {off}"
    assert red.stop(env={"XDG_STATE_HOME": "state"}).notice == f"untilgreen: {why}"
    assert red.stop(env={"XDG_STATE_HOME": "state"}) == (0, "", "")


@pytest.mark.tools("mypy")
def test_a_root_deep_down_is_found_above_a_file_that_changed(world: World) -> None:
    world.write(
        {"setup.py": "", "app.py": "VALUE = 1\n", "a/b/c/d/mypy.ini": "[mypy]\n", "a/b/c/d/deep.py": "VALUE = 1\n"}
    )
    world.commit()
    world.start("fix it")
    assert [check["name"] for check in world.state["plan"]] == ["ruff"]
    world.write({"a/b/c/d/deep.py": 'VALUE: int = "x"\n'})
    wrong = 'Incompatible types in assignment (expression has type "str", variable has type "int")'
    assert failing(world) == [f"a/b/c/d/deep.py:1: assignment {wrong}"]


def test_what_a_check_leaves_behind_is_no_work_of_the_agents(green: World) -> None:
    green.start("go on", "--check", "lock=sh -c 'echo x >> made.lock'")
    answers = [green.stop("Which one?") for _ in range(3)]
    assert [answer.code for answer in answers] == [0, 0, 0]
    assert (green.state["active"], green.state["iteration"]) == (True, 1)


def test_a_command_in_the_place_of_a_checker_is_what_its_criterion_asks_for(world: World) -> None:
    report = "<testsuite><testcase classname='a' name='b'><failure message='no'/></testcase></testsuite>"
    text = '[checks.pytest]\ncommand = "cat report.xml"\nformat = "junit"\n'
    configured(world, text, {"test_app.py": "def test_it(): ...\n", "report.xml": report})
    world.start("fix it", "--tests-pass")
    assert [(c["name"], c["checker"], c["stage"]) for c in world.state["plan"]] == [
        ("ruff", "ruff", "static"),
        ("pytest", "custom", "tests"),
    ]
    assert failing(world) == ["pytest: a::b no"]
    world.write({"report.xml": report.replace("<failure message='no'/>", "")})
    assert failing(world) == []
    assert (world.state["snapshots"][-1]["tests_run"], world.state["verified"]) == (1, True)


def test_tests_of_a_language_that_has_none_here_are_not_pytests(world: World) -> None:
    world.write({"package.json": '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}\n'})
    world.commit()
    answer = world.run("start-loop", "x", "--tests-pass", "--session", world.session)
    assert answer.code == 64
    assert "test_pass: there are no tests here that a checker knows" in answer.stderr


@pytest.mark.tools("ast-grep")
def test_whom_nobody_trusts_is_told_once_for_all_checks(world: World) -> None:
    world.write({"app.py": "VALUE = 1\n", "mypy.ini": "[mypy]\n", "tsconfig.json": "{}\n", "a.ts": "export {};\n"})
    world.commit()
    told = world.run("stop-loop", stdin="{}").stderr
    assert told == "✓ green, but not trusted, mypy, tsc did not run (`untilgreen trust`) · ruff ✓ ast-grep ✓\n"
