"""`untilgreen status`: every loop of the project in one table."""

import json
import os
import re
import shutil
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pexpect  # type: ignore[import-untyped]
import pytest

import tables
from in_terminal import terminal
from loops import with_fields
from untilgreen.cli import status
from untilgreen.cli.status import COLUMNS
from untilgreen.core import document
from untilgreen.core.model.event import Place
from untilgreen.core.model.loop import Loop
from untilgreen.loops.begin.listing import Kept
from untilgreen.project import trust
from world import WAITS, Answer, World

ONE = "11111111-1111-4111-8111-111111111111"
OTHER = "22222222-2222-4222-8222-222222222222"
ENDS = "N s of 60 min · /untilgreen:cancel ends it"
NO_LOOPS = "untilgreen: no loops here yet, and no hook is registered: run untilgreen init\n"


def table(answer: Answer) -> list[list[str]]:
    """The rows of the table, the head aside, without the loops' names; times as M:SS."""
    assert (answer.code, answer.stderr) == (0, ""), answer
    head, *rows = answer.stdout.splitlines()
    assert tuple(head.split()) == COLUMNS
    return [re.split(r"  +", re.sub(r"\d+:\d\d", "M:SS", row))[1:] for row in rows]


def put(world: World, path: str, **fields: Any) -> Path:
    """A copy of the session's state with other values, in another place of the state folder."""
    file = world.project / ".untilgreen" / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(world.state | fields))
    return file


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> tuple[World, Path]:
    """A project with one error and a loop, and a copy of its state."""
    world = World(tmp_path_factory.mktemp("started"))
    world.write({"app.py": "import os\n\nVALUE = 1\n"})
    world.commit()
    world.start("mend it")
    return world, Path(shutil.copytree(world.project / ".untilgreen", world.tmp / "state"))


@pytest.fixture
def started(prepared: tuple[World, Path]) -> Iterator[World]:
    """The project with its loop, as it was when that began."""
    world, state = prepared
    yield world
    shutil.rmtree(world.project / ".untilgreen")
    shutil.copytree(state, world.project / ".untilgreen")


def over(world: World, number: int) -> None:
    """An earlier loop of the session."""
    second = f"2026-01-01T00:00:{number:02}.000000Z"
    put(
        world,
        f"sessions/{world.session}/loops/loop-{number}.json",
        loop_id=f"loop-{number}",
        active=False,
        stop_reason="cancelled",
        ended_at=second,
        task_description=f"task {number}",
    )


def test_running_loops_come_first_then_waiting_ones_then_what_is_over(red: World) -> None:
    assert red.run("untilgreen", "status") == Answer(0, NO_LOOPS, "")
    red.run("start-loop", "first", "--session", ONE)
    red.run("cancel-loop", "--session", ONE)
    red.run("start-loop", "second", "--session", ONE, "--marker", "trust")
    red.stop("<jikime>DONE</jikime>", session_id=ONE)
    red.run("start-loop", "later", "--session", "next")
    red.run("start-loop", "third\nof all", "--session", OTHER, "--max-iterations", "5")
    assert red.stop(session_id=OTHER).held
    assert table(red.run("untilgreen", "status", "--all")) == [
        [OTHER, "2/5", "running", "1: ruff 1", "-", "M:SS", "third of all"],
        ["next session", "1/10", "waiting", "1: ruff 1", "-", "M:SS", "later"],
        [ONE, "1/10", "unchecked", "1: ruff 1", "-", "M:SS", "second"],
        [ONE, "1/10", "cancelled", "1: ruff 1", "-", "M:SS", "first"],
    ]


def test_the_columns_stand_under_their_names(started: World) -> None:
    name = started.state["loop_id"]
    seconds = re.search(r"0:0\d", started.run("untilgreen", "status", "--all").stdout)
    assert seconds is not None
    assert re.sub(r"0:0\d", "0:00", started.run("untilgreen", "status", "--all").stdout) == (
        f"loop{' ' * (len(name) - 4)}  session                               "
        "round  state    left       tests  elapsed  task\n"
        f"{name}  {started.session}  1/10   running  1: ruff 1  -         0:00  mend it\n"
    )


@pytest.mark.parametrize(("fields", "cells"), tables.literal("status", "what is over says how"))
def test_what_is_over_says_how(started: World, fields: dict[str, Any], cells: list[str]) -> None:
    newest: dict[str, Any] = {"iteration": 1, "timestamp": "", "failing_by_check": {"ruff": 3}}
    given = [newest | snapshot for snapshot in fields.get("snapshots", [{}])]
    after = {"active": False, "status": "stopped", "elapsed_seconds": 3723.4} | fields | {"snapshots": given}
    started.change(**after)
    [row] = [line.split("  ") for line in started.run("untilgreen", "status", "--all").stdout.splitlines()[1:]]
    found = [cell.strip() for cell in row if cell.strip()][3:]
    assert found[: len(cells)] == cells
    assert ("7/9" in found) == (given[0].get("tests_run") == 9)


def test_before_the_first_loop_it_says_how_to_begin_one(red: World) -> None:
    assert red.run("untilgreen", "status").stdout == NO_LOOPS
    assert red.run("untilgreen", "init").code == 0
    assert red.run("untilgreen", "status").stdout == (
        "untilgreen: no loops here yet: type /untilgreen:loop TASK in the agent, or run untilgreen start TASK\n"
    )


def test_a_session_that_is_held_without_a_loop_is_in_the_table(watched: World) -> None:
    watched.edit("new.py", "import os\n")
    assert watched.run("untilgreen", "status").stdout == NO_LOOPS
    watched.stop(prompt_id="p")
    assert table(watched.run("untilgreen", "status", "--all")) == [
        [watched.session, "2/5", "held", "1: ruff 1", "-", "M:SS"]
    ]


def test_what_is_over_stands_by_its_end_whatever_was_noted_later(started: World) -> None:
    for number in (1, 2):
        over(started, number)
    first = started.project / ".untilgreen/sessions" / started.session / "loops/loop-1.json"
    first.write_text(json.dumps(json.loads(first.read_text()) | {"updated_at": "2099-01-01T00:00:00.000000Z"}))
    assert [row[-1] for row in table(started.run("untilgreen", "status", "--all"))] == ["mend it", "task 2", "task 1"]


def test_a_loop_that_runs_is_told_in_two_lines_and_all_are_where_they_are_asked_for(started: World) -> None:
    for number in range(1, 14):
        over(started, number)
    told = re.sub(r"\d\.\d s", "N s", started.run("untilgreen", "status").stdout)
    assert told.splitlines() == [
        f"round 1 of 10 · running · 1 left: ruff 1 · {ENDS}",
        "  mend it",
        "13 other loops: untilgreen status --all",
    ]
    assert len(started.run("untilgreen", "status", "--all").stdout.splitlines()) == 1 + 1 + 13
    assert len(json.loads(started.run("untilgreen", "status", "--json").stdout)["loops"]) == 11
    shown = json.loads(started.run("untilgreen", "status", "--json", "--all").stdout)["loops"]
    assert [loop["loop_id"] for loop in shown[1:]] == [f"loop-{number}" for number in range(13, 0, -1)]
    assert [Path(loop["state"]).exists() for loop in shown] == [True] * 14
    assert shown[1]["state"] == str(started.folder / "loops" / "loop-13.json")


def test_several_that_run_are_told_with_their_sessions(started: World) -> None:
    started.run("start-loop", "later", "--session", "next")
    started.run("start-loop", "more", "--session", ONE, "--max-minutes", "0")
    told = re.sub(r"\d\.\d s", "N s", started.run("untilgreen", "status").stdout)
    assert told.splitlines() == [
        f"session {started.session[:8]} · round 1 of 10 · running · 1 left: ruff 1 · {ENDS}",
        "  mend it",
        "session 11111111 · round 1 of 10 · running · 0 left · N s · /untilgreen:cancel ends it",
        "  more",
        "round 1 of 10 · waiting · 0 left · N s of 60 min",
        "  later",
    ]


def test_where_none_runs_the_newest_that_is_over_is_told(started: World) -> None:
    started.write({"app.py": "VALUE = 1\n"})
    started.stop()
    told = re.sub(r"\d\.\d s|\d\d:\d\d", "N", started.run("untilgreen", "status").stdout)
    assert told == "✓ green after 1 round, N · ruff ✓ · left 0 · ended N\n  mend it\n"


def test_a_loop_that_lies_in_two_places_is_one(started: World) -> None:
    started.run("cancel-loop", "--session", started.session)
    put(started, f"sessions/{started.session}/loops/{started.state['loop_id']}.json")
    assert len(table(started.run("untilgreen", "status", "--all"))) == 1


def test_another_projects_loops_are_not_shown(started: World) -> None:
    put(started, f"sessions/{ONE}/loop_state.json", loop_id="loop-1", project="/home/you/other")
    assert len(table(started.run("untilgreen", "status", "--all"))) == 1


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "is not readable (Expecting property name enclosed in double quotes: line 1 column 2 (char 1))"),
        ("[]", "is not readable (not a state of untilgreen)"),
        ('{"schema_version": 99}', "was written by a newer untilgreen (schema 99); it is left alone"),
        ("9" * 5_000, "is not readable (Exceeds the limit (4300 digits) for integer string conversion: "),
    ],
)
@pytest.mark.parametrize(
    "place", [f"sessions/{ONE}/loop_state.json", f"sessions/{ONE}/loops/loop-1.json", "next/loop-1.json"]
)
def test_what_cannot_be_read_is_said_and_hides_no_other(started: World, place: str, text: str, why: str) -> None:
    file = put(started, place)
    file.write_text(text)
    files = sorted(started.project.rglob("*"))
    answer = started.run("untilgreen", "status", "--all")
    assert answer.stderr.startswith(f"untilgreen: {file} {why}")
    assert answer.stderr.count("\n") == 1
    assert table(answer._replace(stderr="")) == [
        [started.session, "1/10", "running", "1: ruff 1", "-", "M:SS", "mend it"]
    ]
    assert (file.read_text(), sorted(started.project.rglob("*"))) == (text, files)
    assert [
        loop["session_id"] for loop in json.loads(started.run("untilgreen", "status", "--json").stdout)["loops"]
    ] == [started.session]


def test_words_of_the_task_do_not_reach_the_terminal_as_control_characters(red: World) -> None:
    red.start("mend \x1b[31mit\x07\tsoon")
    [row] = table(red.run("untilgreen", "status", "--all"))
    assert row[-1] == "mend it soon"


def test_no_word_of_a_state_file_reaches_the_terminal_as_control_characters(started: World) -> None:
    odd = "a\x07b\nc\x1b[31m"
    put(started, f"sessions/{started.session}/loop_state.json", loop_id=odd, status=odd)
    told = started.run("untilgreen", "status", "--all").stdout
    assert (told.count("\n"), [char for char in told if not char.isprintable()]) == (2, ["\n", "\n"])


@pytest.mark.parametrize("odd", [1e30, -1e30, float("inf"), float("nan"), 10**400], ids=lambda odd: str(odd)[:9])
@pytest.mark.parametrize("field", ["round_started", "elapsed_seconds"])
def test_a_time_that_cannot_be_one_is_no_bug(field: str, odd: float) -> None:
    loop = with_fields(document.load(Loop, LOOP), **{field: odd})
    place = Place("/p", "/nowhere", "next" if field == "elapsed_seconds" else "x")
    [_, row] = status.lines([Kept(place, loop, "/x")], 1e9, 0)
    assert re.split(r"  +", row)[6] == ("?" if field == "elapsed_seconds" else "0:00")


def test_a_state_with_such_a_time_is_shown(started: World) -> None:
    put(started, f"sessions/{started.session}/loop_state.json", round_started=1e30, elapsed_seconds=float("nan"))
    put(started, "next/loop-1.json", loop_id="loop-1", elapsed_seconds=10**400)
    told = started.run("untilgreen", "status", "--all")
    assert (told.code, told.stdout.count("\n"), told.stderr.count("is not readable")) == (0, 2, 1)


LOOP: dict[str, Any] = tables.literal("status", "loop")
LOOP |= {"started_at": "", "updated_at": "", "project": "/p", "mode": "loop", "task_description": "修正する e\u0301x"}
LOOP |= {"target_files": [], "completion_criteria": {}}


def test_wide_characters_take_two_columns_and_no_line_is_wider_than_the_terminal() -> None:
    kept = [Kept(Place("/p", "/nowhere", "next"), document.load(Loop, LOOP), "/x")]
    whole = status.lines(kept, 1e9, 0)[1]
    for columns in range(1, 90):
        for line in status.lines(kept, 1e9, columns):
            wide = sum(unicodedata.east_asian_width(char) in "WF" for char in line)
            assert len(line) + wide - line.count("\u0301") <= columns
    other = document.load(Loop, LOOP | {"loop_id": "修正"})
    rows = status.lines([*kept, kept[0]._replace(loop=other)], 1e9, 0)
    assert rows[1].index("s ") == rows[2].index("s ") + 2
    assert whole.endswith("修正する e\u0301x")


@pytest.mark.needs("locks")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_loop_whose_stop_is_being_judged_is_checking_and_says_what(red: World) -> None:
    red.start("mend it", "--check", WAITS)
    stop = red.checking()
    with terminal(red, "status", "--watch", "0.2") as child:
        child.expect(r"round 1 of 10 · checking · slow [\d.]+ s · ruff ✗ · 1 left: ruff 1 · [\d.]+ s of 60 min")
    with terminal(red, "show", "--watch") as child:
        child.expect("round 1 of 10 · checking · 1 left: ruff 1")
        child.expect(r"⠹ checking · slow [\d.]+ s · ruff ✗ · q leaves")
        child.expect(r"⠸ checking · slow")
        red.write({"go": ""})
        red.end(stop)
        child.expect(r"round 2 of 10 · 1 left: ruff 1")
        child.send("q")
        child.expect(pexpect.EOF)
    [row] = table(red.run("untilgreen", "status", "--all"))
    assert row[1:3] == ["2/10", "running"]


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_in_a_terminal_the_table_is_cut_to_its_width(red: World) -> None:
    red.start("a long task " * 20)
    with terminal(red, "status", "--all", size=(80, 24)) as child:
        child.expect(pexpect.EOF)
        head, row = child.before.split("\r\n")[:2]
    assert head.split()[:4] == ["loop", "session", "round", "state"]
    assert row.split()[1:4] == [red.session[:8], "1/10", "running"]
    assert (len(row), row[-3:]) == (80, "...")
    with terminal(red, "status", "--all") as child:
        child.expect(pexpect.EOF)
        assert red.session in child.before


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
@pytest.mark.parametrize("words", [["--watch"], ["--watch", "0.2"], ["--watch=0.2"]])
def test_watch_draws_until_ctrl_c(red: World, words: list[str]) -> None:
    red.start("mend it")
    with terminal(red, "status", *words, size=(100, 10)) as child:
        child.expect("round 1 of 10")
        red.stop()
        child.expect("round 2 of 10")
        child.sendintr()
        child.expect(pexpect.EOF)
        child.wait()
        assert (child.exitstatus, "Traceback" in child.before) == (130, False)


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_watch_never_draws_more_rows_than_the_terminal_has(started: World) -> None:
    for number in range(1, 14):
        over(started, number)
    put(started, "next/loop-1.json").write_text("{")
    with terminal(started, "status", "--watch", "--all", size=(100, 6)) as child:
        child.expect("loop-13")
        child.expect("\x1b\\[H")
        assert child.before.count("\n") <= 6


@pytest.mark.parametrize("words", [["--watch"], ["--watch", "1", "--json"]])
def test_watch_without_a_terminal_is_an_error_that_says_what_to_do(red: World, words: list[str]) -> None:
    assert red.run("untilgreen", "status", *words) == Answer(
        64, "", "untilgreen failed: --watch needs a terminal. Fix: run untilgreen status --json as often as you need\n"
    )


@pytest.mark.parametrize("seconds", ["0", "-1", "x"])
def test_watch_wants_a_number_of_seconds(red: World, seconds: str) -> None:
    answer = red.run("untilgreen", "status", f"--watch={seconds}")
    assert (answer.code, answer.stdout, answer.stderr.startswith("untilgreen: ")) == (64, "", True)


def test_each_project_has_its_own_table(started: World, make_world: Callable[[str], World]) -> None:
    other = make_world("other")
    trust.grant(str(started.project), other.env)
    elsewhere = other.run("untilgreen", "status", "--all", "--project", str(started.project), env={"COLUMNS": "20"})
    assert table(elsewhere) == table(started.run("untilgreen", "status", "--all"))
    assert os.listdir(other.project) == []


def test_a_script_learns_from_the_exit_code_how_it_stands(red: World) -> None:
    def code() -> int:
        return red.run("untilgreen", "status", "--exit-code").code

    red.trust()
    assert code() == 4
    red.start("mend it")
    assert code() == 1
    red.write({"app.py": "VALUE = 1\n"})
    assert not red.stop().held
    assert code() == 0
    red.start("again", "--check", "a=false")
    red.run("cancel-loop")
    assert (code(), red.run("untilgreen", "status", "--json", "--exit-code").code) == (1, 1)


def answered(world: World, prompt: str) -> Answer:
    """What session-loop says to a host that shows it."""
    return world.prompt(prompt, env={"AI_AGENT": "claude-code_2-1-330_harness"}, prompt_id=prompt)


def shown(*lines: str) -> Answer:
    return Answer(0, json.dumps({"continue": False, "stopReason": "\n".join(lines)}) + "\n", "")


def test_a_command_that_asks_for_no_work_is_answered_without_the_model(red: World) -> None:
    none = shown("untilgreen: no loop is running in this session")
    assert answered(red, "/untilgreen:status") == shown("untilgreen: no loops here yet")
    assert answered(red, "/untilgreen:cancel") == none
    red.start("mend it")
    loop = red.state["loop_id"]
    listed = r"round 1 of 10 · running · 1 left: ruff 1 · [\d.]+ s of 60 min · /untilgreen:cancel ends it\n  mend it"
    assert re.fullmatch(listed, json.loads(answered(red, "/untilgreen:status").stdout)["stopReason"])
    assert re.fullmatch(listed + "\n", answered(red, "/untilgreen:status and what does that mean?").stdout)
    assert answered(red, "/untilgreen:loop --cancel") == shown(f"untilgreen: loop cancelled in round 1 of 10 ({loop})")
    assert (red.state["stop_reason"], answered(red, "/untilgreen:status /untilgreen:cancel")) == ("cancelled", none)


def test_a_status_that_no_turn_follows_begins_none(red: World) -> None:
    red.prompt("/untilgreen:loop mend it", prompt_id="p1")
    assert red.stop(prompt_id="p1").held
    answered(red, "/untilgreen:status")
    assert red.known["prompts"] == 1
    assert red.stop(prompt_id="p1").held


def test_what_a_user_was_not_told_yet_is_in_the_answer(red: World) -> None:
    red.start("mend it")
    red.run("cancel-loop")
    told = json.loads(answered(red, "/untilgreen:cancel").stdout)["stopReason"].splitlines()
    assert told[0].startswith("untilgreen: the loop of this session was cancelled from a shell: ")
    assert told[1:] == ["untilgreen: no loop is running in this session"]
