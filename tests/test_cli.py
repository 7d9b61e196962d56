"""What people type: exit codes, which session a loop is for, ending it, looking at it."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pexpect  # type: ignore[import-untyped]
import pytest

import tables
from untilgreen.cli import options, root
from world import BIN, REPOSITORY, Answer, World

HOOKS = ("stop-loop", "session-loop")
COMMANDS = ("start-loop", "cancel-loop", "untilgreen")
ONE, OTHER = "11111111-aaaa", "22222222-bbbb"


def facts(answer: Answer) -> Any:
    assert (answer.code, answer.stderr) == (0, ""), answer
    return json.loads(answer.stdout)


def said(answer: Answer) -> str:
    """What a command printed that went well, with loops all alike."""
    assert (answer.code, answer.stderr) == (0, ""), answer
    return re.sub(r"loop-\d+", "loop-N", answer.stdout)


def error(answer: Answer) -> str:
    """The one line of a user error."""
    assert (answer.code, answer.stdout) == (64, ""), answer
    assert answer.stderr.count("\n") == 1
    return re.sub(r"loop-\d+", "loop-N", answer.stderr.rstrip("\n"))


def begin_session(world: World, session: str, pid: int) -> None:
    """A session of a host with this process id begins."""
    answer = world.event("SessionStart", str(pid), session_id=session, source="startup")
    assert answer == (0, "", "")


def start(world: World, session: str, *words: str) -> Answer:
    return world.run("start-loop", "mend it", "--session", session, *words)


# --- how every executable ends ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*HOOKS, *COMMANDS])
def test_every_executable_has_help_and_a_version(world: World, name: str) -> None:
    told = said(world.process(name, "--help"))
    begun = "Keep a coding agent at work until" if name == "untilgreen" else f"Usage: {name}"
    assert told.startswith(f"{begun} ")
    assert said(world.run(name, "-h")) == told
    assert said(world.process(name, "--version")) == f"{name}, version {options.version()}\n"


@pytest.mark.parametrize("name", list(root.COMMANDS))
def test_every_command_of_untilgreen_has_help(world: World, name: str) -> None:
    told = said(world.run("untilgreen", name, "-h"))
    assert told.startswith(f"Usage: untilgreen {name} ")
    assert told.splitlines()[-1].startswith("  Example: ")


@pytest.mark.parametrize("name", [*HOOKS, *COMMANDS])
@pytest.mark.parametrize("words", [["--bogus"], ["--project"]], ids=" ".join)
def test_a_usage_error_is_never_the_exit_code_that_holds_an_agent(world: World, name: str, words: list[str]) -> None:
    assert error(world.process(name, *words)).startswith(f"{name}: ")


@pytest.mark.parametrize(("words", "told"), tables.literal("cli", "an unknown word is told with the one"))
def test_an_unknown_word_is_told_with_the_one_that_was_meant(world: World, words: list[str], told: str) -> None:
    assert error(world.run("untilgreen", *words)).replace("untilgreen failed", "untilgreen") == f"untilgreen: {told}"


@pytest.mark.parametrize("words", [["stray"], ["--host", "claude-code", "stray"], ["--deadline", "soon", "--help=1"]])
@pytest.mark.parametrize("name", HOOKS)
def test_a_hook_with_words_that_it_does_not_know_says_so(world: World, name: str, words: list[str]) -> None:
    assert error(world.run(name, *words)).startswith(f"{name}: ")


def test_untilgreen_alone_shows_its_commands(world: World) -> None:
    code, stdout, stderr = world.run("untilgreen")
    assert (code, stdout) == (64, "")
    assert stderr == world.run("untilgreen", "--help").stdout
    for heading, group in root.GROUPS.items():
        listed = world.run("untilgreen", "--help", "--all").stdout.partition(f"\n{heading}\n")[2]
        # each in one line, and none of them cut
        rows = re.findall(
            r"^  (\w+)  +[^ ].*\.$", re.split(r"^\w", listed, maxsplit=1, flags=re.MULTILINE)[0], re.MULTILINE
        )
        assert rows == list(group)


def test_an_interrupt_ends_with_130_and_starts_nothing(green: World, tmp_path: Path) -> None:
    task = tmp_path / "task"
    os.mkfifo(task)
    words = [str(BIN / "start-loop"), "--task-file", str(task), "--session", ONE]
    with subprocess.Popen(words, cwd=green.project, env=green.env, stdout=-1, stderr=-1) as process:
        with task.open("w"):  # it has opened the other end by now, and waits for the text
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=30) == 130
        assert process.communicate() == (b"", b"\n")
    assert not (green.project / ".untilgreen").exists()


def test_a_bug_ends_with_3_one_line_and_a_traceback_in_the_log(green: World, tmp_path: Path) -> None:
    broken = tmp_path / "hooks"  # an installation without one of its checkers
    shutil.copytree(REPOSITORY / "hooks", broken, ignore=shutil.ignore_patterns("__pycache__", "ruff.py"))
    (tmp_path / "templates").symlink_to(REPOSITORY / "templates")
    words = [sys.executable, str(broken / "start-loop"), "mend it", "--session", ONE]
    done = green.process(*words)
    assert (done.code, done.stdout) == (3, "")
    assert done.stderr.startswith("start-loop failed: a bug in untilgreen: ModuleNotFoundError: ")
    log = green.home / ".local/state/untilgreen/untilgreen.log"  # of the project nobody made a state folder
    assert done.stderr.endswith(f". Fix: report it with the traceback that is in {log}\n")
    assert "Traceback (most recent call last)" in log.read_text()


def test_a_table_that_is_not_there_is_named(green: World, tmp_path: Path) -> None:
    broken = tmp_path / "hooks"  # an installation without its templates
    shutil.copytree(REPOSITORY / "hooks", broken, ignore=shutil.ignore_patterns("__pycache__"))
    done = green.process(sys.executable, str(broken / "start-loop"), "mend it", "--session", ONE)
    table = tmp_path / "templates" / "checkers.txt"
    told = f"start-loop failed: cannot use {table}: No such file or directory. Fix: put it back, or try again\n"
    assert (done.code, done.stdout, done.stderr) == (64, "", told)


@pytest.mark.parametrize(
    "words",
    [["start-loop", "x", "--session", ONE], ["cancel-loop"], ["untilgreen", "status"], ["untilgreen", "init"]],
    ids=" ".join,
)
def test_a_folder_that_is_not_there_is_the_users_to_mend(world: World, words: list[str]) -> None:
    name = words[0]
    gone = world.tmp / "gone"
    assert (
        error(world.run(*words, "--project", str(gone)))
        == f"{name} failed: --project {gone}: no such folder. Fix: name one that is there"
    )
    gone.mkdir()
    command = f"rmdir {gone} && exec {' '.join(words)}"
    assert error(world.process("/bin/sh", "-c", command, cwd=gone)) == (
        f"{name} failed: the current folder is gone. Fix: go into a project, or name one with --project"
    )


def test_a_place_that_refuses_a_file_is_the_users_to_mend(world: World) -> None:
    file = world.tmp / "file"
    file.touch()
    said = error(world.run("untilgreen", "trust", env={"XDG_STATE_HOME": str(file)}))
    path = f"{file}/untilgreen/trusted"
    why = f"the list of trusted folders cannot be read: Not a directory ({path})"
    assert said == f"untilgreen failed: {why}. Fix: make {path} a file that you can read"


# --- which session a loop is for --------------------------------------------------------------------------------


@pytest.mark.parametrize("command", [["start-loop"], ["untilgreen", "start"]], ids=" ".join)
def test_a_loop_from_a_shell_waits_for_the_next_session_that_prompts_here(red: World, command: list[str]) -> None:
    assert said(red.run(*command, "mend it")) == (
        "untilgreen: loop started (loop-N), round 1 of 10: mend it\n"
        "it waits for the next session that prompts here\n"
        "criteria: green\n"
        "limits: 10 rounds, 60 min of work, 3 rounds without improvement\n"
        "checks: ruff\n"
        "at the start: 1 left: ruff 1\n"
        "1 of these is older than the loop and counts too (--new leaves it out)\n"
    )
    assert red.stop(session_id=OTHER) == (0, "", "")  # a stop does not claim it
    taken = red.prompt("hello", session_id=ONE)
    assert taken.context.startswith("untilgreen: loop started (loop-")
    assert taken.notice == (
        "untilgreen: loop on until ruff ✗1 is green"
        " · begun in a shell: mend it · at most 10 rounds · /untilgreen:cancel ends it"
    )
    assert red.prompt("hello", session_id=OTHER) == (0, "", "")
    assert red.stop(session_id=OTHER) == (0, "", "")
    assert red.stop(session_id=ONE).held


def test_the_session_that_the_host_names_is_meant(red: World) -> None:
    answer = red.run("start-loop", "mend it", env={"CLAUDE_CODE_SESSION_ID": ONE})
    assert said(answer).splitlines()[1] == f"session {ONE}"
    assert red.stop(session_id=OTHER) == (0, "", "")
    assert red.stop(session_id=ONE).held


def test_next_is_next_even_inside_a_session(red: World) -> None:
    answer = red.run("start-loop", "mend it", "--session", "next", env={"CLAUDE_CODE_SESSION_ID": ONE})
    assert said(answer).splitlines()[1] == "it waits for the next session that prompts here"


def test_with_sessions_at_work_a_shell_must_say_which(red: World) -> None:
    assert red.run("untilgreen", "init").code == 0
    begin_session(red, ONE, os.getpid())
    begin_session(red, OTHER, os.getpid())
    wanted = (
        f"start-loop failed: sessions are at work here: {ONE}, {OTHER}. "
        "Fix: name one with --session ID, or --session next"
    )
    assert error(red.run("start-loop", "mend it")) == wanted
    assert facts(red.run("untilgreen", "status", "--json"))["loops"] == []
    assert said(start(red, OTHER)).splitlines()[1] == f"session {OTHER}"


def test_sessions_of_another_project_are_not_at_work_here_though_the_state_lies_in_one_folder(
    make_world: Callable[[str], World],
) -> None:
    here, there = make_world("here"), make_world("there")
    for one in (here, there):
        one.write({"app.py": "import os\n"})
        one.env["UNTILGREEN_STATE_DIR"] = str(here.tmp / "state")
    assert start(there, there.session).code == 0
    begin_session(there, there.session, os.getpid())
    assert said(here.run("start-loop", "mend it")).splitlines()[1] == "it waits for the next session that prompts here"
    begin_session(here, ONE, os.getpid())
    assert error(here.run("start-loop", "mend it")) == (
        f"start-loop failed: sessions are at work here: {ONE}. Fix: name one with --session ID, or --session next"
    )


def test_a_session_whose_host_is_gone_is_not_at_work(red: World) -> None:
    assert red.run("untilgreen", "init").code == 0
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    begin_session(red, ONE, gone.pid)
    begin_session(red, OTHER, os.getpid())
    assert red.event("SessionEnd", session_id=OTHER, reason="exit") == (0, "", "")
    assert said(red.run("start-loop", "mend it")).splitlines()[1] == "it waits for the next session that prompts here"


def test_on_a_terminal_it_asks(red: World) -> None:
    assert red.run("untilgreen", "init").code == 0
    begin_session(red, ONE, os.getpid())
    terminal = pexpect.spawn(
        str(BIN / "start-loop"), ["mend it"], cwd=str(red.project), env=red.env, encoding="utf-8", timeout=30
    )
    terminal.expect(f"1  {ONE}  since .*2  the next session that prompts here.*Which session")
    terminal.sendline("1")
    terminal.expect(f"session {ONE}")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 0


def test_a_person_is_refused_a_loop_that_would_wait_for_ever(red: World) -> None:
    def typed(*words: str) -> str:
        terminal = pexpect.spawn(
            *(str(BIN / "start-loop"), ["mend it", *words]), cwd=str(red.project), env=red.env, dimensions=(9, 500)
        )
        printed = terminal.read().decode()
        terminal.close()
        return f"{terminal.exitstatus}: {printed.splitlines()[0]}"

    cure = "run untilgreen init, and restart the agent; if something else calls the hooks, give --session next"
    why = f"no hook of untilgreen is registered for {red.project}: nothing would hold the agent"
    assert typed() == f"64: start-loop failed: {why}. Fix: {cure}"
    assert not (red.project / ".untilgreen").exists()
    assert typed("--session", "next").startswith("0: untilgreen: loop started")
    assert red.run("untilgreen", "init").code == 0
    assert typed("--replace").startswith("0: untilgreen: loop started")


# --- a loop that runs already, and its end ----------------------------------------------------------------------


def test_a_session_has_one_loop_at_a_time(red: World) -> None:
    said(start(red, ONE))
    assert error(start(red, ONE)) == (
        "start-loop failed: a loop is running in this session (round 1 of 10). Fix: "
        "end it with cancel-loop, or start with --replace"
    )
    said(start(red, ONE, "--replace", "--max-iterations", "7"))
    now, _ = facts(red.run("untilgreen", "status", "--json"))["loops"]
    assert (now["status"], now["max_iterations"]) == ("running", 7)
    [before] = (red.project / ".untilgreen/sessions" / ONE / "loops").iterdir()
    assert json.loads(before.read_text())["completion_reason"] == "Cancelled by user"


@pytest.mark.parametrize("words", [["cancel-loop"], ["start-loop", "--cancel"], ["untilgreen", "cancel"]], ids=" ".join)
def test_a_cancelled_loop_holds_nobody(red: World, words: list[str]) -> None:
    said(start(red, ONE))
    assert said(red.run(*words)) == "untilgreen: loop cancelled in round 1 of 10 (loop-N)\n"
    told = "untilgreen: the loop of this session was cancelled from a shell: loop-N (round 1 of 10, 1 left)"
    assert re.sub(r"loop-\d+", "loop-N", red.stop(session_id=ONE).notice) == told
    assert red.stop(session_id=ONE) == (0, "", "")
    assert said(red.run(*words)) == "untilgreen: no loop is running here\n"


def test_the_history_knows_how_each_loop_ended(red: World) -> None:
    red.start("first")
    assert red.stop().held
    first = red.state["loop_id"]
    assert red.run("cancel-loop").code == 0
    red.start("second")
    second = red.state["loop_id"]
    red.start("third", "--replace")
    events = red.journal
    assert [one["event"] for one in events] == ["start", "continue", "cancel", "start", "cancel", "start"]
    assert [one["loop_id"] for one in events if one["event"] == "cancel"] == [first, second]


def test_a_cancel_that_is_typed_ends_a_loop_that_still_waits(red: World) -> None:
    said(red.run("start-loop", "mend it"))
    answer = red.prompt("/untilgreen:cancel")
    assert said(answer) == "untilgreen: loop cancelled in round 1 of 10 (loop-N)\n"
    assert red.prompt("hello") == (0, "", "")


def test_cancel_ends_the_loop_of_the_session_it_runs_in(red: World) -> None:
    said(start(red, ONE))
    said(start(red, OTHER))
    assert said(red.run("cancel-loop", env={"CLAUDE_CODE_SESSION_ID": OTHER})).startswith("untilgreen: loop cancelled")
    assert red.stop(session_id=ONE).held
    assert not red.stop(session_id=OTHER).held


def test_of_several_loops_cancel_must_be_told_which(red: World) -> None:
    said(start(red, ONE))
    said(start(red, "next"))
    listed = error(red.run("cancel-loop"))
    assert listed.startswith("cancel-loop failed: several loops run here: loop-N ")
    assert listed.endswith(". Fix: name one with --session ID, or end --all")
    assert [listed.count(what) for what in (ONE, "next session")] == [1, 1]
    assert said(red.run("cancel-loop", "--session", "next")) == (
        "untilgreen: loop cancelled in round 1 of 10 (loop-N)\n"
    )
    assert said(start(red, OTHER)) != ""
    assert said(red.run("cancel-loop", "--all")) == "untilgreen: loop cancelled in round 1 of 10 (loop-N)\n" * 2
    assert said(red.run("cancel-loop", "--all")) == "untilgreen: no loop is running here\n"


def test_cancel_answers_in_json(red: World) -> None:
    said(start(red, ONE))
    [ended] = facts(red.run("cancel-loop", "--json"))["cancelled"]
    assert (ended["session_id"], ended["final_status"], ended["stop_reason"]) == (ONE, "CANCELLED", "cancelled")
    assert facts(red.run("cancel-loop", "--json")) == {"cancelled": []}


# --- what a loop is, before and while it runs -------------------------------------------------------------------


def test_status_answers_in_json(red: World) -> None:
    said(start(red, ONE, "--description", "short"))
    answer = facts(red.run("untilgreen", "status", "--json"))
    base = red.project / ".untilgreen"
    [loop] = answer.pop("loops")
    assert answer == {"project": str(red.project), "state_dir": str(base), "switches": []}
    times = {key: loop.pop(key) for key in ("loop_id", "started_at", "updated_at")}
    assert all(times.values())
    assert loop.pop("completion_criteria")["green"] is True
    assert loop == {
        "session_id": ONE,
        "status": "running",
        "paused": "",
        "parked": "",
        "parked_until": "",
        "active": True,
        "iteration": 1,
        "max_iterations": 10,
        "task_description": "mend it",
        "target_files": [],
        "context": "",
        "stop_reason": None,
        "final_status": None,
        "completion_reason": None,
        "verified": None,
        "left": 1,
        "error_count": 1,
        "warning_count": 0,
        "checks": ["ruff"],
        "left_out": [],
        "elapsed_seconds": 0.0,
        "project": str(red.project),
        "state": str(base / "sessions" / ONE / "loop_state.json"),
    }


@pytest.mark.parametrize("session", [ONE, "next", "any other name/.."])
def test_the_state_file_that_json_names_is_there(red: World, session: str) -> None:
    loop = facts(start(red, session, "--json"))
    assert json.loads(Path(loop["state"]).read_text())["loop_id"] == loop["loop_id"]


def test_neither_the_home_folder_nor_the_top_is_a_project(world: World) -> None:
    for folder, what in ((world.home, "a home folder"), (Path("/"), "the top of the file system")):
        assert error(world.run("start-loop", "mend it", cwd=folder)) == (
            f"start-loop failed: {folder} is {what}, not a project. Fix: start in a project, or name one with --project"
        )
    assert list(world.home.iterdir()) == []


@pytest.mark.parametrize("words", [[], ["--criteria", "lint_clean"], [" "]], ids=str)
def test_a_start_without_a_task_asks_for_one(red: World, words: list[str]) -> None:
    why = "no task is given. Fix: say what to do, for example: Make the tests pass"
    for command in (["start-loop", "--session", "next"], ["untilgreen", "run", "--command", "true"]):
        assert error(red.run(*command, *words)) == f"{command[0]} failed: {why}"
    typed = red.prompt(" ".join(("/untilgreen:loop", *words)))
    assert typed == Answer(2, "", f"untilgreen failed: {why}\n")
    assert not (red.project / ".untilgreen").exists()


def test_a_path_in_the_task_is_a_target_if_it_is_there(red: World) -> None:
    task = "mend @app.py, not @nothing.py, @../outside or a@b.c"
    loop = facts(red.run("start-loop", task, "--session", ONE, "--json"))
    assert (loop["task_description"], loop["target_files"]) == (task, ["app.py"])
    assert error(red.run("start-loop", "x", "--target", "nothing.py")) == (
        f"start-loop failed: --target nothing.py: no such file or folder in {red.project}. Fix: name one that is there"
    )


def test_only_findings_in_a_target_hold(red: World) -> None:
    red.write({"other.py": "import sys\n"})
    said(start(red, ONE, "--target", "other.py"))
    red.write({"other.py": "SIZE = 1\n"})
    assert red.stop(session_id=ONE).notice.startswith("✓ green after 1 round, ")


def test_a_task_from_stdin_is_taken_word_for_word(red: World) -> None:
    task = """it's a "task" with $(touch x) `y`\n--max-iterations 3\n<<EOF\n"""
    loop = facts(red.run("start-loop", "--task-file", "-", "--session", ONE, "--json", stdin=task))
    assert (loop["task_description"], loop["max_iterations"]) == (task, 10)
    assert sorted(path.name for path in red.project.iterdir()) == [".git", ".untilgreen", "app.py", "ruff.toml"]


def test_the_finding_of_a_check_of_ones_own_names_the_check(green: World) -> None:
    said(start(green, ONE, "--check", "docs=sh -c 'echo no title; exit 4'"))
    green.write({"app.py": "VALUE = 2\n"})
    assert green.stop(session_id=ONE).stderr.splitlines()[1] == "docs exit-4: no title"


def test_the_state_may_lie_elsewhere(red: World) -> None:
    away = red.tmp / "state"
    env = {"UNTILGREEN_STATE_DIR": str(away)}
    loop = facts(red.run("start-loop", "mend it", "--session", ONE, "--json", env=env))
    assert loop["state"] == str(away / "sessions" / ONE / "loop_state.json")
    elsewhere = f"untilgreen: the loop of this session holds nobody, its state is in {away}"
    assert red.stop(session_id=ONE).notice == elsewhere
    assert red.stop(session_id=ONE) == (0, "", "")
    assert red.stop(session_id=ONE, env=env).held
    assert said(red.run("cancel-loop", env=env)).startswith("untilgreen: loop cancelled in round 2 of 10")
    assert not (red.project / ".untilgreen").exists()


def test_a_broken_configuration_does_not_keep_a_loop_from_being_seen_and_cancelled(red: World) -> None:
    red.start()
    red.write({"pyproject.toml": "[tool.untilgreen\n"})
    assert red.run("untilgreen", "status").code == 0
    assert red.run("cancel-loop").code == 0
    assert red.state["stop_reason"] == "cancelled"


def test_hooks_that_are_registered_twice_start_one_loop_and_count_each_prompt_once(red: World) -> None:
    fields = {"hook_event_name": "UserPromptSubmit", "prompt": "/untilgreen:loop mend it", "prompt_id": "p1"}
    payload = json.dumps(red.payload(**fields))
    both = [red.begin("session-loop", stdin=payload) for _ in range(2)]
    answers = sorted((red.end(one) for one in both), key=lambda answer: answer.stdout)
    assert answers[0] == (0, "", "")
    assert answers[1].context.startswith("untilgreen: loop started (loop-")
    assert red.stop(prompt_id="p1").code == 2
    red.prompt("what is this?", prompt_id="p2")
    red.prompt("what is this?", prompt_id="p2")
    red.write({"app.py": "import os\nimport sys\n"})
    assert red.stop(prompt_id="p2").code == 2


def test_a_start_that_is_refused_does_not_make_the_project_trusted(red: World) -> None:
    refused = red.run("start-loop", "--session", red.session, "--criteria", "build_success", "mend it")
    assert refused.code == 64
    assert list(red.home.rglob("trusted")) == []


def test_a_task_of_two_hundred_lines_is_one_line_where_it_is_echoed_and_whole_in_the_state(red: World) -> None:
    task = "\n".join(f"{number} {'words ' * 40}".strip() for number in range(200))
    said = [red.run("start-loop", task, "--session", red.session).stdout]
    said += [red.run("untilgreen", *words).stdout for words in (("status",), ("show",), ("show", "--markdown"))]
    said += [red.prompt("/untilgreen:status").stdout, red.stop().stderr]
    told = [[line for line in text.splitlines() if "words words" in line] for text in said]
    assert [(len(lines), lines[0][-1]) for lines in told] == [(1, "…")] * 6
    assert max(len(lines[0]) for lines in told) < 250
    assert red.state["task_description"] == task
