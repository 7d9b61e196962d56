"""`untilgreen on` and `off`: files whose existence is the answer, the narrowest of which wins."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

import tables
from untilgreen.project import trust
from world import WAITS, Answer, World

SILENT = Answer(0, "", "")
UNUSED = "import os\n"
OTHER = "99999999-8888-7777-6666-555555555555"


@pytest.fixture
def watched(quick: World) -> World:
    """A trusted project whose edits are looked at."""
    quick.init()
    return quick


def files(world: World) -> dict[str, Path]:
    """The folder of each scope."""
    mine = world.home / ".local/state/untilgreen"
    return {"user": mine, "project": world.project / ".untilgreen", "session": world.folder}


def switch(world: World, *words: str) -> str:
    """What a command says that must succeed."""
    words = tuple(world.session if word == "ID" else word for word in words)
    answer = world.run("untilgreen", *words)
    assert (answer.code, answer.stderr) == (0, ""), answer
    return answer.stdout.removeprefix("untilgreen: ").removesuffix("\n")


def heard(world: World) -> bool:
    """Whether an edit is answered."""
    name = f"new_{len(os.listdir(world.project))}.py"  # the same list of the same file is told once
    return world.edit(name, UNUSED) != SILENT


def status(world: World) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(world.run("untilgreen", "status", "--json").stdout)["switches"]
    return found


def test_the_narrowest_wins(watched: World) -> None:
    user, project, session = files(watched).values()
    assert switch(watched, "off", "--user") == f"off for this user ({user}/off)"
    assert not heard(watched)
    assert switch(watched, "on") == f"on for this project ({project}/on)"
    assert heard(watched)
    mine = f"session {watched.session}"
    assert switch(watched, "off", "--session", "ID") == f"off for {mine} ({session}/off)"
    assert not heard(watched)
    told = f"off for this project ({project}/off)"
    assert switch(watched, "off") == told
    assert switch(watched, "on", "--session", "ID") == f"on for {mine} ({session}/on)"
    assert heard(watched)
    assert switch(watched, "off", "--project") == f"{told}, but on for {mine} ({session}/on)"
    assert switch(watched, "on", "--user") == (
        f"on for this user ({user}/off is not there), but off for project {watched.project} ({project}/off)"
    )
    assert sorted(path.name for folder in (user, project, session) for path in folder.glob("o[nf]*")) == ["off", "on"]


def test_a_file_that_is_removed_by_hand_leaves_it_to_the_wider_one(watched: World) -> None:
    switch(watched, "off", "--user")
    switch(watched, "on", "--session", "ID")
    assert heard(watched)
    (watched.folder / "on").unlink()
    assert not heard(watched)
    (files(watched)["project"] / "on").touch()
    (files(watched)["project"] / "off").touch()  # whoever made both meant off
    assert not heard(watched)
    switch(watched, "on")
    assert heard(watched)


def test_a_loop_that_is_switched_off_says_so_once_and_holds_again_when_it_is_on(watched: World) -> None:
    watched.write({"app.py": UNUSED})
    watched.prompt("/untilgreen:loop mend it", prompt_id="p1")
    assert watched.stop(prompt_id="p1").held
    switch(watched, "off", "--session", "ID")
    told = f"untilgreen: the loop of this session holds nobody, switched off by the file {watched.folder}/off"
    assert watched.stop(prompt_id="p1") == Answer(0, json.dumps({"systemMessage": told}) + "\n", "")
    assert watched.stop(prompt_id="p1") == SILENT
    switch(watched, "on", "--session", "ID")
    watched.write({"more.py": UNUSED})
    assert watched.stop(prompt_id="p1").held


def test_a_loop_that_begins_while_it_is_off_says_that_it_holds_nobody(watched: World) -> None:
    switch(watched, "off")
    line = f"off for this project ({files(watched)['project']}/off): untilgreen on"
    assert watched.run("start-loop", "x", "--session", OTHER).stdout.splitlines()[-1] == line
    assert watched.prompt("/untilgreen:loop mend it").notice.splitlines()[-1] == line


def test_nothing_is_switched_while_a_stop_is_judged(watched: World) -> None:
    watched.write({"app.py": UNUSED})
    watched.start("x", "--check", WAITS)
    stop = watched.checking()
    try:
        for scope in ((), ("--user",), ("--session", watched.session)):
            answer = watched.run("untilgreen", "off", *scope)
            assert answer == Answer(
                64,
                "",
                f"untilgreen failed: a stop of session {watched.session} is judged just now; nothing was switched. "
                "Fix: try again when untilgreen status does not say checking any more\n",
            )
        assert switch(watched, "off", "--session", OTHER).startswith(f"off for session {OTHER} (")
    finally:
        (watched.project / "go").touch()
        watched.end(stop)
    assert not any(folder.joinpath("off").exists() for folder in files(watched).values())
    assert switch(watched, "off", "--session", "ID") == f"off for session {watched.session} ({watched.folder}/off)"


def test_status_and_doctor_name_the_file_and_the_command_that_turns_it(watched: World) -> None:
    user, project, session = files(watched).values()
    assert status(watched) == []
    switch(watched, "off", "--user")
    switch(watched, "on", "--session", "ID")
    assert status(watched) == [
        {"on": False, "scope": "user", "session": None, "file": f"{user}/off"},
        {"on": True, "scope": "session", "session": watched.session, "file": f"{session}/on"},
    ]
    lines = [
        f"off for this user ({user}/off): untilgreen on --user",
        f"on for session {watched.session} ({session}/on): untilgreen off --session {watched.session}",
    ]
    assert watched.run("untilgreen", "status").stdout.splitlines()[-2:] == lines
    assert watched.prompt("/untilgreen:status").stdout.splitlines()[-2:] == lines
    switch(watched, "on")
    line = f"on for this project ({project}/on): untilgreen off --project {watched.project}"
    assert watched.run("untilgreen", "status", "--project", str(watched.project)).stdout.splitlines()[-1] == line
    found = json.loads(watched.run("untilgreen", "doctor", "--no-run", "--json").stdout)["findings"]
    assert [(one["level"], one["what"], one["cure"]) for one in found if "on file" in one["what"]] == [
        (
            "note",
            "an on file keeps the hooks on for this project: .untilgreen/on",
            f"run: untilgreen off --project {watched.project}",
        )
    ]


def test_after_clear_the_session_is_as_it_was(watched: World) -> None:
    watched.prompt("/untilgreen:loop mend it")
    switch(watched, "off", "--session", "ID")
    watched.event("SessionEnd", reason="clear")
    watched.event("SessionStart", session_id=OTHER, source="clear")
    assert not (watched.folder / "off").exists()
    watched.session = OTHER
    assert (watched.folder / "off").exists()


@pytest.mark.parametrize(("words", "told"), tables.literal("switches", "what nobody could mean is an error"))
def test_what_nobody_could_mean_is_an_error(watched: World, words: list[str], told: str) -> None:
    assert watched.run("untilgreen", *words) == Answer(64, "", f"untilgreen failed: {told}\n")


def test_a_project_that_nobody_trusted_is_not_written_to_and_its_user_can_be_switched_anywhere(world: World) -> None:
    why = f"{world.project} is not trusted: the hooks are silent there"
    told = f"untilgreen failed: {why}. Fix: run untilgreen init, or untilgreen off --user for every project\n"
    assert world.run("untilgreen", "off") == Answer(64, "", told)
    assert not (world.project / ".untilgreen").exists()
    mine = trust.folder(world.env)
    assert world.run("untilgreen", "off", "--user", cwd=world.home).stdout == (
        f"untilgreen: off for this user ({mine}/off)\n"
    )
    assert os.listdir(mine) == ["off"]
