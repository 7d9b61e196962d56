"""The status line: the loop of the session in one line."""

import json
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tables
import untilgreen
from loops import new_loop
from untilgreen.cli.installing import command_forms
from untilgreen.core.model.check import Turn
from untilgreen.core.model.settings import Criteria
from untilgreen.core.words import brief
from untilgreen.hosts.claude_code.install import SETTINGS
from untilgreen.loops.heard.status_line import elapsed
from untilgreen.state import clock
from world import WAITS, Answer, World

FILE = Path(untilgreen.__file__).parent / "loops" / "heard" / "status_line.py"
PAYLOADS = sorted((Path(__file__).parent / "payloads" / "claude-code").glob("*/*-StatusLine.json"))
SILENT = Answer(0, "", "")


def payload(world: World, **fields: Any) -> str:
    """What Claude Code 2.1.330 sends, shortened."""
    folders = {"current_dir": str(world.project), "project_dir": str(world.project), "added_dirs": []}
    return json.dumps({"session_id": world.session, "cwd": str(world.project), "workspace": folders} | fields) + "\n"


def line(world: World, *words: str, stdin: str | None = None, env: Mapping[str, str] | None = None) -> Answer:
    """What the registered command prints; times as M:SS."""
    done = subprocess.run(
        [sys.executable, "-I", str(FILE), *words],
        input=(payload(world) if stdin is None else stdin).encode("utf-8", "surrogateescape"),
        env=world.env | {"CLAUDE_PROJECT_DIR": str(world.project)} | dict(env or {}),
        cwd=world.home,
        capture_output=True,
        timeout=60,
        check=False,
    )
    return Answer(done.returncode, re.sub(r"\b\d+:\d\d\b", "M:SS", done.stdout.decode()), done.stderr.decode())


def shows(text: str) -> Answer:
    return Answer(0, text + "\n", "")


def test_a_loop_is_shown_with_its_round_what_is_left_and_its_time(red: World) -> None:
    red.start("mend it")
    now = shows("untilgreen · round 1 of 10 · 1 left: ruff 1 · M:SS")
    assert line(red) == now
    assert line(red, env={"CLAUDE_PROJECT_DIR": ""}) == now, "the payload names the project"
    answer = red.run("untilgreen", "statusline", stdin=payload(red))  # for people
    assert answer._replace(stdout=re.sub(r"\d+:\d\d", "M:SS", answer.stdout)) == now
    red.stop()
    assert line(red) == shows("untilgreen · round 2 of 10 · 1 left: ruff 1 · M:SS")
    red.edit("app.py", "import os\nimport sys\n")
    assert line(red) == shows("untilgreen · round 2 of 10 · 1 left: ruff 1 · M:SS"), "until a stop counts again"


def counted(failing: dict[str, int], outcomes: dict[str, str]) -> dict[str, Any]:
    """The state after a stop that counted this."""
    one = {"iteration": 1, "timestamp": "", "failing_by_check": failing, "outcomes": outcomes, "error_count": 9}
    return {"snapshots": [one]}


@pytest.mark.parametrize(
    ("words", "state", "told"),
    [
        ((), counted({"pytest": 4}, {"pytest": "found"}), "4 left: pytest 4 · "),
        ((), counted({"ruff": 2, "mypy": 0, "pytest": 1}, {}), "3 left: ruff 2, pytest 1 · "),
        ((), counted({"ruff": 0, "mypy": 1}, {"ruff": "clean", "mypy": "broken"}), "1 left: check:mypy 1 · "),
        ((), counted({"ruff": 0}, {"ruff": "clean"}), "0 left · "),
        ((), {"initial": None}, "not measured · "),
        ((), {"status": "paused", "round_started": 0.0}, "paused · "),  # `/clear` left it behind
        (("--completion-promise", "DONE"), {}, ""),
    ],
)
def test_what_is_left_is_what_the_last_stop_counted_where_there_is_something_to_count(
    red: World, words: tuple[str, ...], state: dict[str, Any], told: str
) -> None:
    red.start("mend it", *words)
    red.change(**state)
    assert line(red) == shows(f"untilgreen · round 1 of 10 · {told}M:SS")


def test_a_loop_that_waits_says_what_it_waits_for(red: World) -> None:
    red.run("start-loop", "mend it", "--session", "next")
    assert line(red) == shows("untilgreen · waiting · starts with the next prompt")
    red.prompt("hello")
    assert line(red) == shows("untilgreen · round 1 of 10 · 1 left: ruff 1 · M:SS")


def test_the_end_is_told_for_a_while(red: World) -> None:
    red.start("mend it")
    red.stop()
    red.write({"app.py": "VALUE = 1\n"})
    red.stop()
    assert line(red) == shows("untilgreen · complete · verified")
    red.change(ended_at=clock.iso(time.time() - 590))
    assert line(red) == shows("untilgreen · complete · verified")
    red.change(ended_at=clock.iso(time.time() - 610))
    assert line(red) == SILENT


@pytest.mark.parametrize(
    ("message", "end"),
    [
        ("<jikime>DONE</jikime>", "complete · declared done"),
        ("<ralph>BLOCKED: no key\nfor the shop</ralph>", "blocked · no key for the shop"),
        (f"<ralph>BLOCKED: {'long ' * 40}</ralph>", f"blocked · {('long ' * 16)[:79].rstrip()}…"),
        ("", "cancelled"),
    ],
)
def test_every_end_is_one_printable_line(red: World, message: str, end: str) -> None:
    red.start("mend it")
    if message:
        red.stop(message)
    else:
        red.run("cancel-loop", "--session", red.session)
    assert line(red) == shows(f"untilgreen · {end}")
    if end.startswith("complete"):
        red.change(completion_reason="No\x1b[31m way\r\n\u202eout\x07 é")
        assert line(red) == shows("untilgreen · complete · no way out é")


def test_a_session_that_is_held_without_a_loop_shows_what_holds_it(watched: World) -> None:
    watched.edit("new.py", "import os\n")
    assert line(watched) == SILENT
    watched.stop(prompt_id="p")
    assert line(watched) == shows("untilgreen auto · round 2 of 5 · 1 left: ruff 1")


def state(world: World) -> str:
    """What the line says between the program's name and the time; seconds as N."""
    return re.sub(r"\b[\d.]+ s\b", "N s", line(world).stdout)[len("untilgreen · ") : -len(" · M:SS\n")]


@pytest.mark.needs("locks")
def test_a_stop_that_is_being_judged_says_what_runs_and_looking_does_not_disturb_it(red: World) -> None:
    red.start("mend it", "--check", WAITS)
    stop = red.checking()
    assert [state(red) for _ in range(3)] == ["round 1 of 10 · checking · slow N s · ruff ✗"] * 3
    red.write({"go": ""})
    assert red.end(stop).code == 2
    assert line(red) == shows("untilgreen · round 2 of 10 · 1 left: ruff 1 · M:SS")


@pytest.mark.needs("locks")
def test_a_check_that_took_its_time_says_how_long(red: World) -> None:
    red.start("mend it", "--check", WAITS)
    notes = red.folder / "checking.json"
    notes.write_text(json.dumps({"pid": 1, "took": {"slow": 59.6}}))
    stop = red.checking()
    assert state(red) == "round 1 of 10 · checking · slow N s · last time 1 min · ruff ✗"
    red.write({"go": ""})
    assert red.end(stop).code == 2
    assert 0 < json.loads(notes.read_text())["took"]["slow"] < 59


@pytest.mark.needs("locks")
@pytest.mark.parametrize(("text", "told"), tables.literal("statusline", "what others left there is no lie"))
def test_what_others_left_there_is_no_lie_and_no_fault(red: World, text: str, told: str) -> None:
    red.start("mend it", "--check", WAITS)
    notes = red.folder / "checking.json"
    stop = red.checking()
    notes.write_text(text)
    assert state(red) == f"round 1 of 10 · {told}"
    red.write({"go": ""})
    assert red.end(stop).code == 2


def test_where_it_cannot_be_written_the_verdict_is_the_same_and_the_log_says_so(red: World) -> None:
    red.start("mend it")
    (red.folder / "checking.json").mkdir()
    assert red.stop().held
    assert (red.project / ".untilgreen/untilgreen.log").read_text().count("which checks run is not shown: ") == 1


def now(*turns: tuple[str, Turn]) -> str:
    return brief.checking(dict(turns), 1_000.0)


def test_what_runs_is_told_before_what_has_ended() -> None:
    ended = ("ruff", Turn("clean", 990.0)), ("mypy", Turn("found", 990.0)), ("tsc", Turn("broken", 990.0))
    assert now() == "checking"
    assert now(*ended) == "checking · ruff ✓ mypy ✗ tsc ✗"
    assert now(*ended, ("pytest", Turn("whole", 959.0, 60.2))) == (
        "checking · pytest 41 s · last time 1 min · ruff ✓ mypy ✗ tsc ✗"
    )
    assert now(("pytest", Turn("first", 998.8, 60.0))) == "checking · pytest (what failed last) 1.2 s"
    assert now(("jest", Turn("whole", 900.0, 134.0))) == "checking · jest 1 min 40 s · last time 2 min 14 s"
    assert now(("ruff", Turn("whole", 1_001.0, 0.3))) == "checking · ruff 0.0 s"
    many = tuple((f"ruff@{name}", Turn("whole", 998.0)) for name in "abcde")
    assert now(*many) == "checking · ruff@a 2.0 s, ruff@b 2.0 s, ruff@c 2.0 s, 2 more"


def test_another_session_another_project_and_a_switched_off_one_show_nothing(
    red: World, make_world: Callable[[str], World]
) -> None:
    red.start("mend it")
    other = make_world("other")
    other.init()
    assert line(red, stdin=payload(red, session_id="0" * 36)) == SILENT
    assert line(other, stdin=payload(red), env={"CLAUDE_PROJECT_DIR": str(other.project)}) == SILENT
    assert line(red, env={"UNTILGREEN_DISABLE": "1"}) == SILENT
    red.change(project=str(other.project))
    assert line(red) == SILENT


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"session_id": 5}', "[" * 100_000, '{"workspace": {}}'])
def test_what_is_no_payload_is_no_fault(red: World, text: str) -> None:
    red.start("mend it")
    assert line(red, stdin=text) == SILENT


@pytest.mark.parametrize("path", PAYLOADS, ids=lambda path: path.stem)
def test_every_recorded_payload_is_understood(red: World, path: Path) -> None:
    sent = json.loads(json.loads(path.read_text())["stdin"])
    red.start("mend it")
    said = sent | {"session_id": red.session, "workspace": sent["workspace"] | {"project_dir": str(red.project)}}
    assert line(red, stdin=json.dumps(said | {"unknown": None})) == shows(
        "untilgreen · round 1 of 10 · 1 left: ruff 1 · M:SS"
    )


@pytest.mark.parametrize("text", ["{", "[]", "null", '{"schema_version": 99, "active": true}', "\x00", "[" * 100_000])
def test_state_that_cannot_be_read_is_left_to_others(red: World, text: str) -> None:
    red.start("mend it")
    state = red.folder / "loop_state.json"
    state.write_text(text)
    before = sorted(red.project.rglob("*"))
    assert line(red) == SILENT
    assert (state.read_text(), sorted(red.project.rglob("*"))) == (text, before)


def test_it_starts_no_process_and_loads_nothing_for_people(red: World) -> None:
    red.start("mend it")
    done = subprocess.run(
        [sys.executable, "-I", "-X", "importtime", str(FILE)],
        input=payload(red).encode(),
        env=red.env,
        capture_output=True,
        check=False,
    )
    loaded = {row.rpartition("|")[2].strip() for row in done.stderr.decode().splitlines()}
    assert (
        loaded & {"subprocess", "hashlib", "click", "pydantic", "orjson", "dataclasses", "pathlib", "tomllib"} == set()
    )


NOW = 1_000_000.0


@pytest.mark.parametrize(
    ("loop", "turn_started", "seconds"),
    [
        ({"started_at": clock.iso(NOW - 90), "round_started": NOW - 90}, 0.0, 90),
        ({"last_iteration_at": clock.iso(NOW - 60), "round_started": NOW - 60, "elapsed_seconds": 100.0}, 0.0, 160),
        # the user went to lunch after a stop that was allowed
        ({"last_iteration_at": clock.iso(NOW - 900), "round_started": NOW - 800, "elapsed_seconds": 100.0}, 0.0, 100),
        ({"round_started": NOW - 800, "elapsed_seconds": 100.0}, NOW - 20, 120),
        ({"round_started": 0.0, "elapsed_seconds": 100.0}, 0.0, 100),
        # `/clear` put it aside
        ({"round_started": 0.0, "elapsed_seconds": 100.0, "status": "paused"}, NOW - 20, 100),
        ({"started_at": clock.iso(NOW + 50), "round_started": NOW + 50}, 0.0, 0),
    ],
)
def test_the_clock_runs_while_the_agent_works(loop: dict[str, Any], turn_started: float, seconds: float) -> None:
    assert elapsed(new_loop(Criteria(), **loop), turn_started, NOW) == seconds


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
OTHERS = st.dictionaries(st.text().filter(lambda key: key not in ("hooks", "statusLine")), JSON)


@given(before=OTHERS, python=st.text(min_size=1), folder=st.text())
def test_our_line_is_put_in_and_out_and_an_older_one_is_replaced(before: Any, python: str, folder: str) -> None:
    def line(path: str) -> str:
        return shlex.join([python, "-I", f"{path}/untilgreen/loops/heard/status_line.py"])

    ours = SETTINGS.with_status_line(before, line(folder))
    assert (SETTINGS.status_line(before), SETTINGS.status_line(ours)) == ("", "ours")
    assert ours == before | {"statusLine": {"type": "command", "refreshInterval": 5, "command": line(folder)}}
    assert SETTINGS.without(ours, {}) == before
    assert SETTINGS.with_status_line(SETTINGS.with_status_line(before, line("/old")), line(folder)) == ours


def test_the_value_for_the_settings_is_a_line_for_a_shell(red: World, tmp_path: Path) -> None:
    red.start("mend it")
    assert command_forms.status_line() == [sys.executable, "-I", str(FILE)]
    odd = tmp_path / "it's a place"
    odd.mkdir()
    (odd / "untilgreen").symlink_to(FILE.parents[2])
    words = [sys.executable, "-I", str(odd / "untilgreen" / "loops" / "heard" / "status_line.py")]
    ours = SETTINGS.with_status_line({}, shlex.join(words))
    done = subprocess.run(
        ["sh", "-c", ours["statusLine"]["command"]],
        input=payload(red),
        env=red.env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert re.sub(r"\d+:\d\d", "M:SS", done.stdout) == "untilgreen · round 1 of 10 · 1 left: ruff 1 · M:SS\n"


@pytest.mark.parametrize("theirs", tables.literal("statusline", "what is not ours is left alone"))
def test_what_is_not_ours_is_left_alone(theirs: Any) -> None:
    before = {"statusLine": theirs}
    assert SETTINGS.status_line(before) == "theirs"
    assert SETTINGS.without(before, {}) == SETTINGS.with_status_line(before, "ours") == before
