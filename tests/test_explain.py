"""`untilgreen explain`: a stop that ended at each of the steps, made to end there, and what is said of it."""

import fcntl
import json
import os
import shutil
import time
from collections.abc import Callable
from typing import Any

import pytest

from untilgreen.cli.explained import NAMES
from world import BIN, Answer, World

RED = ("--no-zero-errors", "--check", "a=false")
SLOW = ("--no-zero-errors", "--check", "slow=sleep 20")
OTHER = "0" * 36
TASK = {"id": "task1", "type": "subagent", "status": "running", "description": "look around"}


def hosted(world: World, session: str = "") -> dict[str, str]:
    """The environment in which Claude Code runs a hook."""
    return {"CLAUDE_PROJECT_DIR": str(world.project), "CLAUDE_CODE_SESSION_ID": session or world.session}


def explained(world: World, *words: str) -> dict[str, Any]:
    answer = world.run("untilgreen", "explain", "--json", *words)
    assert (answer.code, answer.stderr) == (0, ""), answer
    found: dict[str, Any] = json.loads(answer.stdout)["stop"]
    return found


def change(world: World, **fields: object) -> None:
    """Change the loop's state on disk."""
    (world.folder / "loop_state.json").write_text(json.dumps(world.state | fields))


def off_for_the_user(world: World) -> None:
    world.start("x", *RED)
    file = world.home / ".local" / "state" / "untilgreen" / "off"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch()
    world.stop()


def off_for_the_project(world: World) -> None:
    world.start("x", *RED)
    (world.project / ".untilgreen" / "off").touch()
    world.stop()


def off_for_the_session(world: World) -> None:
    world.start("x", *RED)
    (world.folder / "off").touch()
    world.stop()


def off_by_the_environment(world: World) -> None:
    world.start("x", *RED)
    world.stop(env=hosted(world) | {"UNTILGREEN_DISABLE": "1"})


def off_as_in_the_seed(world: World) -> None:
    world.start("x", *RED)
    world.stop(env={"JIKIME_DISABLE_LOOP_CONTROLLER": "1"})


def a_sub_agent(world: World) -> None:
    world.start("x", *RED)
    world.stop(agent_id="a1")


def plan_mode(world: World) -> None:
    world.start("x", *RED)
    world.stop(permission_mode="plan")


def another_host(world: World) -> None:
    world.start("x", *RED)
    world.stop(cursor_version="1.7")


def another_sessions_loop(world: World) -> None:
    world.start("x", *RED)
    shutil.copytree(world.folder, world.folder.parent / OTHER)
    world.stop(session_id=OTHER)


def another_stop_is_judged(world: World) -> None:
    world.start("x", *RED)
    fd = os.open(world.folder / "stop.lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(fd, fcntl.LOCK_EX)
    world.stop()
    os.close(fd)


def blocked(world: World) -> None:
    world.start("x", *RED)
    world.stop("<ralph>BLOCKED: no network</ralph>")


def declared(world: World) -> None:
    world.start("x", *RED)
    world.stop("<jikime>DONE</jikime>")


def the_user_spoke(world: World) -> None:
    world.start("x", *RED)
    world.prompt("x", prompt_id="p1")
    world.prompt("and now?", prompt_id="p1")
    world.stop(prompt_id="p1", stop_hook_active=True)


def the_user_spoke_while_checks_ran(world: World) -> None:
    world.start("x", *SLOW)
    world.prompt("x", prompt_id="p1")
    stopping = world.begin("stop-loop", stdin=json.dumps(world.payload(prompt_id="p1")))
    while not (world.folder / "stop.lock").exists():
        time.sleep(0.02)
    time.sleep(0.5)
    world.prompt("and now?", prompt_id="p1")
    world.end(stopping)


def waiting(world: World) -> None:
    world.start("x", *RED)
    world.stop(background_tasks=[TASK])


def a_session_nothing_is_known_of(world: World) -> None:
    world.start("x", *RED)
    world.stop(session_id=OTHER, env=hosted(world, OTHER))


def the_loop_is_over(world: World) -> None:
    world.start("x", *RED)
    world.stop("<jikime>DONE</jikime>")
    world.stop()


def cancelled_while_checks_ran(world: World) -> None:
    world.start("x", *SLOW)
    stopping = world.begin("stop-loop", stdin=json.dumps(world.payload()))
    while not (world.folder / "stop.lock").exists():
        time.sleep(0.02)
    time.sleep(0.5)
    assert world.run("cancel-loop", "--session", world.session).code == 0
    world.end(stopping)


def green(world: World) -> None:
    world.start("x")
    world.write({"app.py": "VALUE = 2\n"})
    world.stop()


def green_but(world: World) -> None:
    world.start("x")
    world.write({"app.py": "import os  # noqa: F401\n"})
    world.stop()


def green_and_nothing_changed(world: World) -> None:
    world.write({"app.py": "VALUE = 2\n"})
    world.start("x")
    world.stop()


def the_last_round(world: World) -> None:
    world.start("x", *RED, "--max-iterations", "1")
    world.stop()


def out_of_time(world: World) -> None:
    world.start("x", *RED, "--max-minutes", "1")
    change(world, elapsed_seconds=61.0)
    world.stop()


def stagnant(world: World) -> None:
    world.start("x", *RED, "--stagnation-limit", "1")
    world.stop()
    world.stop()


def held(world: World) -> None:
    world.start("x", *RED)
    world.stop()


def not_saved(world: World) -> None:
    world.start("x", *RED)
    (world.folder / "state.lock").unlink(missing_ok=True)
    (world.folder / "state.lock").mkdir()
    world.stop()


def edits_hold(world: World) -> None:
    world.init()
    world.edit("new.py", "import os\n")
    world.stop()


def edits_do_not_hold(world: World) -> None:
    world.init()
    world.edit("new.py", "VALUE = 1\n")
    world.stop()


def edits_are_not_watched(world: World) -> None:
    world.init()
    world.write({"untilgreen.toml": 'auto = "off"\n'})
    world.edit("new.py", "import os\n")
    world.stop()


def edits_were_let_go(world: World) -> None:
    world.init()
    world.edit("new.py", "VALUE = 1\n")
    world.stop()
    world.stop()


def edits_and_a_user(world: World) -> None:
    world.init()
    world.edit("new.py", "import os\n")
    world.stop()
    world.prompt("wait")
    world.stop(stop_hook_active=True)


def edits_and_a_sub_agent(world: World) -> None:
    world.init()
    world.edit("new.py", "import os\n")
    world.stop(background_tasks=[TASK])


def edits_and_a_marker(world: World) -> None:
    world.init()
    world.edit("new.py", "import os\n")
    world.stop("<jikime>DONE</jikime>")


STEPS: list[tuple[Callable[[World], None], int, str, str]] = [
    (off_by_the_environment, 1, "allow", "UNTILGREEN_DISABLE=1"),
    (off_as_in_the_seed, 1, "allow", "JIKIME_DISABLE_LOOP_CONTROLLER=1"),
    (off_for_the_user, 1, "allow", "the file {home}/.local/state/untilgreen/off"),
    (off_for_the_project, 1, "allow", "the file {project}/.untilgreen/off"),
    (off_for_the_session, 1, "allow", "the file {folder}/off"),
    (a_sub_agent, 2, "allow", "a sub-agent's stop"),
    (plan_mode, 2, "allow", "plan mode"),
    (another_host, 2, "allow", "a host without an adapter"),
    (another_sessions_loop, 2, "allow", "what is kept here is another session's or another project's"),
    (another_stop_is_judged, 2, "allow", "another stop of this session is being judged: they are one"),
    (blocked, 3, "release", "no network"),
    (declared, 4, "release", "Declared done"),
    (the_user_spoke, 5, "allow", "the user has spoken"),
    (the_user_spoke_while_checks_ran, 5, "allow", "the user has spoken"),
    (waiting, 6, "allow", "waiting for sub-agent task1"),
    (a_session_nothing_is_known_of, 7, "allow", "nobody began a loop, and no file is known that the session wrote"),
    (the_loop_is_over, 7, "allow", "no loop runs, and the session wrote nothing since it was last let go"),
    (cancelled_while_checks_ran, 8, "allow", "the loop is gone, cancelled or at another round by now"),
    (green, 9, "release", "All conditions satisfied"),
    (green_but, 9, "release", "Green, but +1 noqa"),
    (green_and_nothing_changed, 9, "allow", "green, and nothing has changed since the start"),
    (the_last_round, 10, "release", "Max iterations reached (1)"),
    (out_of_time, 10, "release", "Max wall time reached (1 min)"),
    (stagnant, 11, "release", "No improvement in 1 iterations"),
    (held, 12, "continue", "round 2/10 begins"),
    (not_saved, 12, "release", "the state could not be saved: [Errno 21] Is a directory: '{folder}/state.lock'"),
    (edits_and_a_marker, 4, "release", "Declared done"),
    (edits_and_a_user, 5, "allow", "the user has spoken"),
    (edits_and_a_sub_agent, 6, "allow", "waiting for sub-agent task1"),
    (edits_are_not_watched, 7, "allow", 'no loop runs, and the configuration says auto = "off"'),
    (edits_were_let_go, 7, "allow", "no loop runs, and the session wrote nothing since it was last let go"),
    (edits_do_not_hold, 9, "allow", "nothing holds of what the session wrote"),
    (edits_hold, 12, "continue", "round 2/5 begins"),
]
ENDS = {
    "allow": "the agent may stop",
    "continue": "the agent must go on",
    "release": "the agent may stop, and the loop is over",
}


@pytest.fixture
def project(world: World) -> World:
    world.write({"app.py": "VALUE = 1\n"})
    world.commit()
    return world


def table(text: str) -> dict[str, str]:
    """The answers of the steps, by number; the checks' by name, however many there were."""
    rows = text.partition("step ")[2].partition("\n\n")[0].splitlines()[1:]
    return {row[:4].strip() or row[6:26].strip(): row[38:].removeprefix("1 ").removeprefix("2 ") for row in rows}


def answers(step: int, reason: str, checked: bool) -> dict[str, str]:
    """What each step answers when this one decides."""
    last = max(step, 7) if checked else step
    told = {str(number): "no" if number <= last else "not asked" for number in range(1, 13)}
    return told | {str(step): f"yes: {reason}", "checks": "asked" if checked else "not asked"}


@pytest.mark.parametrize(("arrange", "step", "verdict", "reason"), STEPS, ids=[case[0].__name__ for case in STEPS])
def test_the_step_that_decided_is_named_with_its_reason(
    project: World, arrange: Callable[[World], None], step: int, verdict: str, reason: str
) -> None:
    arrange(project)
    reason = reason.format(home=project.home, project=project.project, folder=project.folder)
    told = project.run("untilgreen", "explain")
    assert (told.code, told.stderr) == (0, "")
    assert table(told.stdout) == answers(step, reason, step > 7 or arrange is the_user_spoke_while_checks_ran)
    assert f"{ENDS[verdict]}: step {step} ({NAMES[step]}): {reason}" in told.stdout.splitlines()


def test_each_check_is_told_with_its_outcome_its_tool_and_its_time(project: World) -> None:
    project.write({"app.py": "import os\nimport sys  # noqa: F401\n", "mypy.ini": "[mypy\n"})
    project.start("x", "--check", "slow=sleep 0.3", "--criteria", "type_check")
    project.stop()
    stop = explained(project)
    checks = {one["name"]: one for one in stop["checks"]}
    assert {name: (one["outcome"], one["counts"]) for name, one in checks.items()} == {
        "ruff": ("found", {"error": 1}),
        "mypy": ("broken", {}),
        "slow": ("clean", {}),
    }
    assert 0.25 <= checks["slow"]["seconds"] < 20
    assert (checks["ruff"]["tool"], checks["ruff"]["root"]) == (str(BIN / "ruff"), ".")
    assert checks["mypy"]["reason"] != ""
    lines = project.run("untilgreen", "explain").stdout.splitlines()
    assert f"  ruff  {checks['ruff']['seconds']:8.2f} s  found: 1 error, in ., {BIN / 'ruff'}" in lines
    times = [one["ms"] for one in stop["steps"] if one["ms"] is not None]
    assert 250 < sum(times) <= stop["total_ms"]


def test_the_newest_stop_of_the_project_is_meant_unless_a_session_is_named(project: World) -> None:
    held(project)
    first = project.session
    project.session = OTHER
    blocked(project)
    assert explained(project)["session"] == OTHER
    assert [explained(project, "--session", first)[key] for key in ("session", "step")] == [first, 12]
    elsewhere = project.run("untilgreen", "explain", "--project", str(project.project), cwd=project.home)
    assert elsewhere.stdout == project.run("untilgreen", "explain").stdout
    unknown = project.run("untilgreen", "explain", "--session", "nobody")
    assert unknown == Answer(
        0,
        "untilgreen: no stop of session nobody is known here; untilgreen explain without --session shows the newest\n",
        "",
    )


def test_where_no_stop_is_known_it_says_why_that_can_be(project: World) -> None:
    def told() -> str:
        return project.run("untilgreen", "explain").stdout

    none = f"untilgreen: no stop is known: {project.project} has no .untilgreen/, so the hooks are silent"
    assert told() == f"{none}; run untilgreen init\n"
    project.stop(env=hosted(project))  # and this call must not make one
    assert told() == f"{none}; run untilgreen init\n"
    project.init()
    assert told() == "untilgreen: no stop is known: the host never called stop-loop here; run untilgreen doctor\n"
    assert project.run("untilgreen", "explain", "--json").code == 0


def test_a_stop_whose_trace_cannot_be_written_is_judged_all_the_same(project: World) -> None:
    project.start("x", *RED)
    project.stop()
    (project.folder / "last_stop.json").unlink()
    (project.folder / "last_stop.json").mkdir()
    assert project.stop().held
    log = (project.project / ".untilgreen" / "untilgreen.log").read_text()
    assert "what happened at the last stop is not known to explain" in log
    told = project.run("untilgreen", "explain").stdout
    assert told.startswith("untilgreen: stop-loop was called at 20")


def test_a_stop_that_still_runs_is_told_beside_the_last_one(project: World) -> None:
    held(project)
    time.sleep(0.02)
    running = project.begin("stop-loop", stdin=json.dumps(project.payload()), env={"PYTHONSTARTUP": ""})
    project.end(running)
    assert "was called again" not in project.run("untilgreen", "explain").stdout
    mark = project.project / ".untilgreen" / "called" / "stop-loop"
    os.utime(mark, (time.time() + 5, time.time() + 5))
    told = project.run("untilgreen", "explain").stdout.splitlines()
    assert told[-1].startswith("untilgreen: stop-loop was called again at 20")


def test_a_message_is_shown_cut_and_without_what_a_terminal_would_obey(project: World) -> None:
    project.start("x", *RED)
    project.stop("\x1b[31mred\n" + "w" * 500)
    told = project.run("untilgreen", "explain").stdout.splitlines()[1]
    assert told == f'the agent said: "?[31mred {"w" * 191}"'


def test_a_fault_is_told_as_one(project: World) -> None:
    held(project)
    (project.folder / "loop_state.json").write_text("{")
    project.stop()
    stop = explained(project)
    assert (stop["step"], stop["verdict"]) == (0, "unjudged")
    assert stop["sentence"].startswith(
        f"the agent may stop, unjudged: {project.folder}/loop_state.json was not readable"
    )
