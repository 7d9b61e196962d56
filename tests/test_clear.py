"""`/clear` in mid-loop: the loop is parked, and goes to the session that the same client begins next."""

import json
import stat
import uuid
from typing import Any

import pytest

from world import Answer, World

SILENT = Answer(0, "", "")
CLIENT = "4711"


def session(world: World, event: str, client: str = CLIENT, **fields: Any) -> Answer:
    """What session-loop says when a session begins or ends."""
    payload = {"session_id": world.session, "cwd": str(world.project), "hook_event_name": event} | fields
    return world.run("session-loop", stdin=json.dumps(payload), env={"CLAUDE_PID": client} if client else {})


def known(world: World) -> dict[str, Any]:
    """The session's `session.json`."""
    loaded: dict[str, Any] = json.loads((world.folder / "session.json").read_text())
    return loaded


def journal(world: World) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (world.folder / "journal.jsonl").read_text().splitlines()]


def cleared(world: World, client: str = CLIENT, then: str = CLIENT, source: str = "clear") -> tuple[str, Answer]:
    """`/clear`: the world is in its next session then. The session before, and what the host is told in the new one."""
    before = world.session
    assert session(world, "SessionEnd", client, reason="clear") == SILENT
    world.session = str(uuid.uuid4())
    return before, session(world, "SessionStart", then, source=source)


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
    entry = journal(looping)[-1]
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
    session(looping, "SessionEnd", reason="clear")
    state = looping.state
    assert (state["active"], state["status"], state["round_started"]) == (True, "paused", 0.0)
    assert (looping.project / ".untilgreen/parked" / CLIENT).read_text() == looping.session
    assert known(looping)["ended_at"] != ""


def test_a_session_that_ends_otherwise_keeps_its_loop(looping: World) -> None:
    session(looping, "SessionEnd", reason="logout")
    assert (looping.state["active"], looping.state["status"]) == (True, "paused")
    looping.session = str(uuid.uuid4())
    assert session(looping, "SessionStart", source="clear") == SILENT
    assert not (looping.folder / "loop_state.json").exists()


def test_another_client_does_not_get_it(looping: World) -> None:
    old, answer = cleared(looping, then="4712")
    assert answer == SILENT
    looping.session = old
    assert looping.state["status"] == "paused"


def test_a_session_that_begins_otherwise_does_not_get_it(looping: World) -> None:
    _, answer = cleared(looping, source="startup")
    assert "was left behind (parked: /clear ended the session)" in answer.notice
    assert not (looping.folder / "loop_state.json").exists()


@pytest.mark.parametrize("client", ["", "../4711", "4711x", "\u0664"])
def test_a_client_that_names_no_process_is_known_by_its_own(looping: World, client: str) -> None:
    told = cleared(looping, client, client)[1].stdout.splitlines()
    assert told[0] == "untilgreen: loop still running, round 2 of 10: mend it"
    assert known(looping)["client"] != client
    assert known(looping)["client"].isdecimal()


def test_a_session_that_begins_is_noted_with_its_client(quick: World) -> None:
    quick.init()
    assert session(quick, "SessionStart", source="startup") == SILENT
    first = known(quick)
    assert (first["client"], first["project"], first["ended_at"]) == (CLIENT, str(quick.project), "")
    assert first["started_at"] != ""
    assert stat.S_IMODE(quick.folder.stat().st_mode) == 0o700
    session(quick, "SessionEnd", reason="logout")
    session(quick, "SessionStart", "4712", source="resume")
    now = known(quick)
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
    assert session(quick, "SessionStart", source="startup") == SILENT
    assert session(quick, "SessionEnd", reason="logout") == SILENT
    assert not (quick.project / ".untilgreen").exists()


def test_a_session_that_nobody_knew_ends_without_a_trace(quick: World) -> None:
    quick.init()
    assert session(quick, "SessionEnd", reason="clear") == SILENT
    assert not quick.folder.exists()


def test_where_only_files_were_edited_nothing_is_parked(quick: World) -> None:
    quick.init()
    quick.edit("app.py", "import os\n")
    assert quick.stop().held
    assert cleared(quick)[1] == SILENT
    assert not (quick.project / ".untilgreen/parked").exists()


def test_a_loop_that_is_over_is_not_parked(looping: World) -> None:
    looping.run("cancel-loop")
    assert cleared(looping)[1] == SILENT
    assert not (looping.project / ".untilgreen/parked").exists()


def test_a_loop_that_was_cancelled_meanwhile_is_not_taken_over(looping: World) -> None:
    session(looping, "SessionEnd", reason="clear")
    looping.run("cancel-loop")
    looping.session = str(uuid.uuid4())
    assert session(looping, "SessionStart", source="clear") == SILENT
    assert not (looping.folder / "loop_state.json").exists()


@pytest.mark.parametrize("note", ["..", "x-/../y", "no session", ""])
def test_a_note_that_is_none_of_ours_gives_nobody_a_loop(looping: World, note: str) -> None:
    session(looping, "SessionEnd", reason="clear")
    (looping.project / ".untilgreen/parked" / CLIENT).write_text(note)
    looping.session = str(uuid.uuid4())
    assert session(looping, "SessionStart", source="clear") == SILENT
    assert not (looping.folder / "loop_state.json").exists()


def test_a_session_with_an_id_that_is_no_folders_name_is_taken_over_too(quick: World) -> None:
    quick.session = "Session/of/a/host"
    quick.start("mend it")
    assert cleared(quick)[1].stdout == "untilgreen: loop still running, round 1 of 10: mend it\n"
    assert quick.state["session_id"] == quick.session
