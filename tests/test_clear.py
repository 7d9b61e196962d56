"""`/clear` in mid-loop: the loop is parked, and goes to the session that the same client begins next."""

import json
import stat
import uuid
from typing import Any

import pytest

from world import Answer, World

SILENT = Answer(0, "", "")
CLIENT = "1"  # a process that lives, as `World.event` tells it


def cleared(world: World, client: str = CLIENT, then: str = CLIENT, source: str = "clear") -> tuple[str, Answer]:
    """`/clear`: the world is in its next session then. The session before, and what the host is told in the new one."""
    before = world.session
    assert world.event("SessionEnd", client, reason="clear") == SILENT
    world.session = str(uuid.uuid4())
    return before, world.event("SessionStart", then, source=source)


@pytest.fixture
def looping(quick: World) -> World:
    """A session in the second round of its loop, after two prompts of its user."""
    quick.write({"app.py": "import os\n"})
    quick.prompt("/untilgreen:loop mend \n it", prompt_id="p1")
    assert quick.stop(prompt_id="p1").held
    quick.prompt("why?", prompt_id="p1")
    assert not quick.stop(prompt_id="p1").held
    return quick


def test_the_new_session_is_told_and_has_the_loop_with_none_of_its_prompts_counted(looping: World) -> None:
    before = looping.state
    assert [before[key] for key in ("own_prompt", "prompts_seen", "turn_id", "answered")] == [1, 1, "p1", 2]
    old, answer = cleared(looping)
    assert (answer.code, answer.stdout.splitlines()[0], answer.stderr) == (
        *(0, "untilgreen: loop still running, round 2 of 10: mend it", ""),
    )
    fresh = {"session_id": looping.session, "own_prompt": -1, "prompts_at_start": 0, "prompts_seen": 0}
    fresh |= {"turn_id": "", "answered": 0, "round_started": 0.0, "status": "running"}
    fresh |= {"told": "", "turn_holds": 0, "sessions": [before["session_id"]]}
    assert looping.state == before | fresh | {"updated_at": looping.state["updated_at"]}
    assert not (looping.folder.with_name(old) / "loop_state.json").exists()
    assert not (looping.project / ".untilgreen/parked" / CLIENT).exists()
    entry = looping.journal[-1]
    assert [entry[key] for key in ("event", "loop_id", "session")] == ["move", before["loop_id"], old]


def test_the_new_session_has_what_the_one_before_wrote(looping: World) -> None:
    looping.edit("new.py", "VALUE = 1\n")
    before = looping.edits
    old, _ = cleared(looping)
    assert looping.edits == before | {"session_id": looping.session, "written": ["new.py"], "unjudged": ["new.py"]}
    assert not (looping.folder.with_name(old) / "edits.json").exists()


def test_the_first_prompt_of_the_new_session_is_the_loops_own(looping: World) -> None:
    cleared(looping)
    looping.prompt("where are we?", prompt_id="p3")
    assert looping.stop(prompt_id="p3").held
    looping.prompt("and now?", prompt_id="p4")
    assert not looping.stop(prompt_id="p4").held
    assert (looping.state["own_prompt"], looping.state["iteration"]) == (1, 3)


def test_in_between_the_loop_is_paused_and_its_clock_stands_still(looping: World) -> None:
    looping.event("SessionEnd", reason="clear")
    state = looping.state
    assert (state["active"], state["status"], state["round_started"]) == (True, "paused", 0.0)
    assert (looping.project / ".untilgreen/parked" / CLIENT).read_text() == looping.session
    assert looping.known["ended_at"] != ""


@pytest.mark.parametrize(("reason", "then"), [("logout", CLIENT), ("clear", "4712")])
def test_after_another_end_and_for_another_client_it_stays_where_it_was(looping: World, reason: str, then: str) -> None:
    looping.event("SessionEnd", reason=reason)
    assert (looping.state["active"], looping.state["status"]) == (True, "paused")
    looping.session = str(uuid.uuid4())
    assert looping.event("SessionStart", then, source="clear") == SILENT
    assert not (looping.folder / "loop_state.json").exists()


def test_a_session_that_begins_otherwise_does_not_get_it(looping: World) -> None:
    _, answer = cleared(looping, source="startup")
    assert "was left behind (parked: /clear ended the session)" in answer.notice
    assert not (looping.folder / "loop_state.json").exists()


@pytest.mark.parametrize("client", ["", "../4711", "4711x", "\u0664"])
def test_a_client_that_names_no_process_is_known_by_its_own(looping: World, client: str) -> None:
    told = cleared(looping, client, client)[1].stdout.splitlines()
    assert told[0] == "untilgreen: loop still running, round 2 of 10: mend it"
    assert looping.known["client"] != client
    assert looping.known["client"].isdecimal()


def test_a_session_that_begins_is_noted_with_its_client(quick: World) -> None:
    quick.init()
    assert quick.event("SessionStart", source="startup") == SILENT
    first = quick.known
    assert (first["client"], first["project"], first["ended_at"]) == (CLIENT, str(quick.project), "")
    assert first["started_at"] != ""
    assert stat.S_IMODE(quick.folder.stat().st_mode) == 0o700
    quick.event("SessionEnd", reason="logout")
    quick.event("SessionStart", "4712", source="resume")
    now = quick.known
    assert now == first | {"client": "4712", "client_since": now["client_since"]}
    assert now["client_since"] > first["client_since"]


@pytest.mark.parametrize("of", [{"session_id": None}, {"agent_id": "a1"}, {"cursor_version": "2.0"}])
def test_what_is_no_session_of_this_host_is_not_noted(quick: World, of: dict[str, Any]) -> None:
    quick.init()
    payload = {"session_id": quick.session, "cwd": str(quick.project), "hook_event_name": "SessionStart"} | of
    sent = {name: value for name, value in payload.items() if value is not None}
    assert quick.run("session-loop", stdin=json.dumps(sent)) == SILENT
    assert not (quick.project / ".untilgreen/sessions").exists()


def test_a_session_that_begins_where_we_have_no_folder_makes_none(quick: World) -> None:
    assert quick.event("SessionStart", source="startup") == SILENT
    assert quick.event("SessionEnd", reason="logout") == SILENT
    assert not (quick.project / ".untilgreen").exists()


def test_a_session_that_nobody_knew_ends_without_a_trace(quick: World) -> None:
    quick.init()
    assert quick.event("SessionEnd", reason="clear") == SILENT
    assert not quick.folder.exists()


@pytest.mark.parametrize("over", [False, True])
def test_where_no_loop_runs_nothing_is_parked(quick: World, over: bool) -> None:
    quick.init()
    quick.edit("app.py", "import os\n")
    if over:
        quick.start()
    assert quick.stop().held
    if over:
        quick.run("cancel-loop")
    assert cleared(quick)[1] == SILENT
    assert not (quick.project / ".untilgreen/parked").exists()


@pytest.mark.parametrize("note", ["..", "x-/../y", "no session", "", None])
def test_a_note_of_no_session_of_ours_and_a_loop_that_was_cancelled_meanwhile_give_nobody_a_loop(
    looping: World, note: str | None
) -> None:
    looping.event("SessionEnd", reason="clear")
    if note is None:
        looping.run("cancel-loop")
    else:
        (looping.project / ".untilgreen/parked" / CLIENT).write_text(note)
    looping.session = str(uuid.uuid4())
    assert looping.event("SessionStart", source="clear") == SILENT
    assert not (looping.folder / "loop_state.json").exists()


def test_a_session_with_an_id_that_is_no_folders_name_is_taken_over_too(quick: World) -> None:
    quick.session = "Session/of/a/host"
    quick.start("mend it")
    assert cleared(quick)[1].stdout == "untilgreen: loop still running, round 1 of 10: mend it\n"
    assert quick.state["session_id"] == quick.session
