"""`untilgreen show --why`: a stop that ended at each of the steps, made to end there, and what is said of it."""

import fcntl
import json
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from untilgreen.cli.story.why import NAMES, last_stop
from untilgreen.cli.story.why import lines as explained_lines
from untilgreen.core.model.event import Place
from untilgreen.state import seal
from world import WAITS, Answer, World

RED = ("--no-zero-errors", "--check", "a=false")
SLOW = ("--no-zero-errors", "--check", "slow=sh -c 'touch ../tmp/begun; exec sleep 60'")
OTHER = "0" * 36
TASK = {"id": "task1", "type": "subagent", "status": "running", "description": "look around"}


def explained(world: World, *words: str) -> dict[str, Any]:
    answer = world.run("untilgreen", "show", "--why", "--json", *words)
    assert (answer.code, answer.stderr) == (0, ""), answer
    found: dict[str, Any] = json.loads(answer.stdout)["stop"]
    return found


Act = Callable[[World], object]
BEGUN: dict[tuple[str, ...], Path] = {}  # the state and seal of a loop that just began, by its options


def begin(world: World, *options: str) -> None:
    """Begin a loop in the project of this module; with the same options only once, then as a copy of its state."""
    state, seals = world.project / ".untilgreen", world.home / ".local/state/untilgreen/sealed"
    if state.exists():
        world.start("x", *options)
        return
    shutil.rmtree(seals, ignore_errors=True)  # of the loop of another case
    if options in BEGUN:
        shutil.copytree(BEGUN[options] / "state", state)
        shutil.copytree(BEGUN[options] / "seals", seals)
    else:
        world.start("x", *options)
        BEGUN[options] = world.tmp / f"begun-{len(BEGUN)}"
        shutil.copytree(state, BEGUN[options] / "state")
        shutil.copytree(seals, BEGUN[options] / "seals")


def in_loop(*acts: Act, options: tuple[str, ...] = RED, **stop: Any) -> Act:
    """A loop begins, these acts come, and a stop with these fields."""

    def arrange(world: World) -> None:
        begin(world, *options)
        for act in acts:
            act(world)
        world.stop(**stop)

    return arrange


def edited(*acts: Act, text: str = "print(undefined)\n", config: str = "", **stop: Any) -> Act:
    """An edit without a loop, these acts, and a stop with these fields."""

    def arrange(world: World) -> None:
        world.init()
        world.write({"untilgreen.toml": config})
        world.edit("new.py", text)
        for act in acts:
            act(world)
        world.stop(**stop)

    return arrange


def while_checks_run(act: Act) -> Act:
    """A stop whose slow check runs when the act comes."""

    def arrange(world: World) -> None:
        begin(world, *SLOW)
        world.prompt("x", prompt_id="p1")
        begun = world.tmp / "begun"
        begun.unlink(missing_ok=True)
        stopping = world.begin("stop-loop", stdin=json.dumps(world.payload(prompt_id="p1")))
        while not begun.exists():
            time.sleep(0.02)
        act(world)
        world.end(stopping)

    return arrange


def touch(place: str) -> Act:
    def act(world: World) -> None:
        path = Path(place.format(home=world.home, project=world.project, folder=world.folder))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()

    return act


def speak(text: str) -> Act:
    return lambda world: world.prompt(text, prompt_id="p1")


def write(text: str) -> Act:
    return lambda world: world.write({"app.py": text})


def off_by_the_environment(world: World) -> None:
    begin(world, *RED)
    world.stop(env=world.hosted | {"UNTILGREEN_DISABLE": "1"})


def a_session_nothing_is_known_of(world: World) -> None:
    begin(world, *RED)
    world.stop(session_id=OTHER, env=world.hosted | {"CLAUDE_CODE_SESSION_ID": OTHER})


def another_stop_is_judged(world: World) -> None:
    begin(world, *RED)
    fd = os.open(world.folder / "stop.lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(fd, fcntl.LOCK_EX)
    place = Place(str(world.project), str(world.project / ".untilgreen"), world.session)
    seal.change(world.env, place, lambda one: one._replace(judging=os.getpid()))
    world.stop()
    os.close(fd)


def no_lock(world: World) -> None:
    (world.folder / "state.lock").unlink(missing_ok=True)
    (world.folder / "state.lock").mkdir()


def cancel(world: World) -> None:
    assert world.run("cancel-loop", "--session", world.session).code == 0


def green_and_nothing_changed(world: World) -> None:
    write("VALUE = 2\n")(world)
    world.start("x")
    world.stop()


held, blocked = in_loop(), in_loop(message="<ralph>BLOCKED: no network</ralph>")
DONE, LET_GO = "<jikime>DONE</jikime>", "no loop runs, and the session wrote nothing since it was last let go"
STEPS: dict[str, tuple[Act, str]] = {
    "off by the environment": (off_by_the_environment, "1 allow UNTILGREEN_DISABLE=1"),
    "off as in the seed": (
        in_loop(env={"JIKIME_DISABLE_LOOP_CONTROLLER": "1"}),
        "1 allow JIKIME_DISABLE_LOOP_CONTROLLER=1",
    ),
    **{
        f"off by {path}": (in_loop(touch(path)), f"1 allow the file {path}")
        for path in ("{home}/.local/state/untilgreen/off", "{project}/.untilgreen/off", "{folder}/off")
    },
    "a sub-agent": (in_loop(agent_id="a1"), "2 allow a sub-agent's stop"),
    "plan mode": (in_loop(permission_mode="plan"), "2 allow plan mode"),
    "another host": (in_loop(cursor_version="1.7"), "2 allow a host without an adapter"),
    "another session's loop": (
        in_loop(lambda world: shutil.copytree(world.folder, world.folder.parent / OTHER), session_id=OTHER),
        "2 allow what is kept here is another session's or another project's",
    ),
    "another stop": (another_stop_is_judged, "2 allow another stop of this session is being judged: they are one"),
    "blocked": (blocked, "3 release no network"),
    "declared": (in_loop(message=DONE), "4 release Declared done"),
    "the user spoke": (
        in_loop(speak("x"), speak("and now?"), prompt_id="p1", stop_hook_active=True),
        "5 allow the user has spoken",
    ),
    "the user spoke while checks ran": (while_checks_run(speak("and now?")), "5 allow the user has spoken"),
    "waiting": (in_loop(background_tasks=[TASK]), "6 allow waiting for sub-agent task1"),
    "nothing is known": (
        a_session_nothing_is_known_of,
        "7 allow nobody began a loop, and no file is known that the session wrote",
    ),
    "the loop is over": (in_loop(lambda world: world.stop(DONE)), f"7 allow {LET_GO}"),
    "cancelled while checks ran": (
        while_checks_run(cancel),
        "8 allow the loop is gone, cancelled or at another round by now",
    ),
    "green": (in_loop(write("VALUE = 2\n"), options=()), "9 release All conditions satisfied"),
    "green, but": (in_loop(write("import os  # noqa: F401\n"), options=()), "9 release Green, but 1 new noqa"),
    "green already": (green_and_nothing_changed, "9 allow green, and nothing has changed since the start"),
    "the last round": (in_loop(options=(*RED, "--max-iterations", "1")), "10 release Max iterations reached (1)"),
    "out of time": (
        in_loop(lambda world: world.change(elapsed_seconds=61.0), options=(*RED, "--max-minutes", "1")),
        "10 release Max wall time reached (1 min)",
    ),
    "stagnant": (
        in_loop(lambda world: world.stop(), options=(*RED, "--stagnation-limit", "1")),
        "11 release No improvement in 1 iterations",
    ),
    "held": (held, "12 continue 1 left: a 1; round 2 of 10 begins"),
    "not saved": (
        in_loop(no_lock),
        "12 release the state could not be saved: [Errno 21] Is a directory: '{folder}/state.lock'",
    ),
    "edits and a marker": (edited(config='marker = "trust"\n', message=DONE), "4 release Declared done"),
    "edits and a user": (
        edited(lambda world: world.stop(), lambda world: world.prompt("wait"), stop_hook_active=True),
        "5 allow the user has spoken",
    ),
    "edits and a sub-agent": (edited(background_tasks=[TASK]), "6 allow waiting for sub-agent task1"),
    "edits, not watched": (
        edited(config='auto = "off"\n'),
        '7 allow no loop runs, and the configuration says auto = "off"',
    ),
    "edits, let go": (edited(lambda world: world.stop(), text="VALUE = 1\n"), f"7 allow {LET_GO}"),
    "edits that do not hold": (edited(text="VALUE = 1\n"), "9 allow nothing holds of what the session wrote"),
    "edits that hold": (edited(), "12 continue 1 left: ruff 1; round 2 of 5 begins"),
}
ENDS = {
    "allow": "the agent may stop",
    "continue": "the agent must go on",
    "release": "the agent may stop, and the loop is over",
}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> tuple[World, Path]:
    """A project in a git repository, trusted, and a copy of it."""
    BEGUN.clear()
    world = World(tmp_path_factory.mktemp("explained"), "mypy")
    world.write({"app.py": "VALUE = 1\n"})
    world.commit()
    assert world.run("untilgreen", "trust").code == 0
    return world, Path(shutil.copytree(world.project, world.tmp / "project"))


@pytest.fixture
def project(prepared: tuple[World, Path]) -> Iterator[World]:
    """The project as it was, with nothing in its state folder."""
    world, copy = prepared
    session = world.session
    yield world
    world.session = session
    (world.home / ".local" / "state" / "untilgreen" / "off").unlink(missing_ok=True)
    shutil.rmtree(world.project)
    shutil.copytree(copy, world.project)


def table(text: str) -> dict[str, str]:
    """The answers of the steps, by number; the checks' by name, however many there were."""
    rows = text.partition("\nstep ")[2].partition("\n\n")[0].splitlines()[1:]
    return {row[:4].strip() or row[6:26].strip(): row[38:].removeprefix("1 ").removeprefix("2 ") for row in rows}


def answers(step: int, reason: str, checked: bool) -> dict[str, str]:
    """What each step answers when this one decides."""
    last = max(step, 7) if checked else step
    told = {str(number): "no" if number <= last else "not asked" for number in range(1, 13)}
    return told | {str(step): f"yes: {reason}", "checks": "asked" if checked else "not asked"}


@pytest.mark.parametrize("case", STEPS)
def test_the_step_that_decided_is_named_with_its_reason(project: World, case: str) -> None:
    arrange, told = STEPS[case]
    arrange(project)
    number, verdict, reason = told.split(" ", 2)
    step, reason = int(number), reason.format(home=project.home, project=project.project, folder=project.folder)
    last, note = last_stop(str(project.project / ".untilgreen"), str(project.project))
    assert (last is None, note) == (False, "")
    lines = explained_lines(last or {})
    assert table("\n".join(lines)) == answers(step, reason, step > 7 or case.endswith("checks ran"))
    assert f"{ENDS[verdict]}: step {step} ({NAMES[step]}): {reason}" in lines


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
    assert 0.25 <= checks["slow"]["seconds"] < 120
    assert (checks["ruff"]["tool"], checks["ruff"]["root"]) == (str(project.programs / "ruff"), ".")
    assert checks["mypy"]["reason"] != ""
    lines = project.run("untilgreen", "show", "--why").stdout.splitlines()
    assert f"  ruff  {checks['ruff']['seconds']:8.2f} s  found: 1 error, in ., {project.programs / 'ruff'}" in lines
    times = [one["ms"] for one in stop["steps"] if one["ms"] is not None]
    assert 250 < sum(times) <= stop["total_ms"]


def test_the_newest_stop_of_the_project_is_meant_unless_a_session_is_named(project: World) -> None:
    held(project)
    first = project.session
    project.session = OTHER
    blocked(project)
    assert explained(project)["session"] == OTHER
    assert [explained(project, "--session", first)[key] for key in ("session", "step")] == [first, 12]
    elsewhere = project.run("untilgreen", "show", "--why", "--project", str(project.project), cwd=project.home)
    assert elsewhere.stdout == project.run("untilgreen", "show", "--why").stdout
    fix = "see untilgreen status --all for the sessions that have a loop, or leave --session out for the newest stop"
    assert project.run("untilgreen", "show", "--why", "--session", "nobody") == Answer(
        64, "", f"untilgreen failed: no session nobody is known here. Fix: {fix}\n"
    )


def test_where_no_stop_is_known_it_says_why_that_can_be(project: World) -> None:
    def told() -> str:
        return project.run("untilgreen", "show", "--why").stdout

    none = f"untilgreen: no stop is known: {project.project} has no .untilgreen/, so the hooks are silent"
    assert told() == f"{none}; run untilgreen init\n"
    project.stop(env=project.hosted)  # and this call must not make one
    assert told() == f"{none}; run untilgreen init\n"
    project.init()
    assert told() == "untilgreen: no stop is known: the host never called stop-loop here; run untilgreen doctor\n"
    assert project.run("untilgreen", "show", "--why", "--json").code == 0


def test_a_stop_whose_trace_cannot_be_written_is_judged_all_the_same(project: World) -> None:
    begin(project, *RED)
    project.stop()
    (project.folder / "last_stop.json").unlink()
    (project.folder / "last_stop.json").mkdir()
    assert project.stop().held
    log = (project.project / ".untilgreen" / "untilgreen.log").read_text()
    assert "what happened at the last stop is not known to explain" in log
    told = project.run("untilgreen", "show", "--why").stdout
    assert told.startswith("untilgreen: stop-loop was called at 20")


@pytest.mark.needs("locks")
def test_a_stop_that_still_runs_is_told_beside_the_last_one(project: World) -> None:
    begin(project, *RED, "--check", WAITS)
    stop = project.checking()
    now = r"untilgreen: a stop is judged just now: checking · slow [\d.]+ s · (ruff ✓ )?a ✗"
    assert re.fullmatch(now, project.run("untilgreen", "show", "--why").stdout.strip())
    project.write({"go": ""})
    assert project.end(stop).held
    (project.project / "go").unlink()
    stop = project.checking()
    first, *_, last = project.run("untilgreen", "show", "--why", "--session", project.session).stdout.splitlines()
    assert (first.partition(":")[0], bool(re.fullmatch(now, last))) == ("the agent must go on", True)
    project.write({"go": ""})
    assert project.end(stop).held
    assert "untilgreen: " not in project.run("untilgreen", "show", "--why").stdout


def test_a_call_of_which_no_trace_was_left_is_told_beside_the_last_one(project: World) -> None:
    held(project)
    mark = project.project / ".untilgreen" / "called" / "stop-loop"
    os.utime(mark, (time.time() + 5, time.time() + 5))
    told = project.run("untilgreen", "show", "--why").stdout.splitlines()
    assert told[-1].startswith("untilgreen: stop-loop was called again at 20")


def test_a_message_is_shown_cut_and_without_what_a_terminal_would_obey(project: World) -> None:
    begin(project, *RED)
    project.stop("\x1b[31mred\n" + "w" * 500)
    told = project.run("untilgreen", "show", "--why").stdout.splitlines()
    assert told[told.index("") + 2] == f'the agent said: "?[31mred {"w" * 191}"'


def test_what_is_secret_in_a_message_is_kept_nowhere(project: World) -> None:
    secret = "ghp_" + "a1B2" * 9
    begin(project, *RED)
    project.stop(f"{'w' * 180} {secret}")
    kept = [path for path in (project.project / ".untilgreen" / "sessions").rglob("*") if path.is_file()]
    assert [path.name for path in kept if secret[:12].encode() in path.read_bytes()] == []
    assert "ghp_…(masked)" in project.run("untilgreen", "show", "--why").stdout


def test_a_fault_is_told_as_one(project: World) -> None:
    held(project)
    (project.folder / "loop_state.json").write_text("{")
    project.stop()
    stop = explained(project)
    assert (stop["step"], stop["verdict"]) == (0, "unjudged")
    assert stop["sentence"].startswith(
        f"the agent may stop, unjudged: {project.folder}/loop_state.json was not readable"
    )


def test_a_stop_whose_payload_was_none_is_the_last_one(project: World) -> None:
    held(project)
    time.sleep(0.02)
    said = project.run("stop-loop", stdin="garbage", env=project.hosted).notice
    told = project.run("untilgreen", "show", "--why").stdout.splitlines()
    why = "the payload is not JSON (Expecting value: line 1 column 1 (char 0))"
    assert said == f"untilgreen: {why}; nothing was judged"
    assert (told[0], told[2].partition(" at ")[0]) == (
        f"the agent may stop, unjudged: {why}",
        f"stop of session {project.session}",
    )


ODD: list[dict[str, Any]] = [
    *({"at": None}, {"loop": 3}, {"loop": {"mode": "loop"}}, {"payload": [1]}, {"steps": None}, {"steps": [3]}),
    *({"steps": [{}]}, {"steps": [{"step": 1, "answer": "", "ms": "x"}]}, {"checks": None}, {"checks": [{}]}),
    *({"checks": [[]]}, {"total_ms": {}}, {"step": [1]}, {"verdict": []}),
]


def test_what_is_no_trace_is_passed_over_and_said_where_it_is_the_only_one(project: World) -> None:
    held(project)
    path = project.folder / "last_stop.json"
    trace = json.loads(path.read_text())
    base = str(project.project / ".untilgreen")
    for text in ("", "[]", "{", "{}", "9" * 5_000, "[" * 9_000, *(json.dumps(trace | fields) for fields in ODD)):
        path.write_text(text)
        last, note = last_stop(base, str(project.project))
        assert last is None, text
        assert note.startswith(f"no stop is known: {path} is not what a stop writes ("), text
    told = project.run("untilgreen", "show", "--why")
    assert (told.code, told.stdout.count("\n"), told.stderr) == (0, 1, "")
    other = project.folder.parent / OTHER
    other.mkdir()
    (other / "last_stop.json").write_text(json.dumps(trace | {"session": OTHER}))
    found, note = last_stop(base, str(project.project))
    assert found is not None
    assert found["session"] == OTHER


@pytest.mark.parametrize("line", ["9" * 5_000, "²  x", "-1 a b", "13 a b", "x"])
def test_a_mark_that_says_nothing_is_passed_over(project: World, line: str) -> None:
    held(project)
    last, _ = last_stop(str(project.project / ".untilgreen"), str(project.project))
    (project.project / ".untilgreen" / "called").mkdir(exist_ok=True)
    (project.project / ".untilgreen" / "called" / "stop-loop").write_text(line)
    assert last_stop(str(project.project / ".untilgreen"), str(project.project))[0] == last


def test_a_pipe_where_a_trace_or_a_mark_should_be_is_waited_for_by_nobody(project: World) -> None:
    held(project)
    (project.project / ".untilgreen" / "called").mkdir(exist_ok=True)
    for path in (project.folder / "last_stop.json", project.project / ".untilgreen" / "called" / "stop-loop"):
        path.unlink(missing_ok=True)
        os.mkfifo(path)
    assert project.run("untilgreen", "show", "--why").code == 0
