"""State of the version before this one (tests/former, recorded with it): read as it is meant now, and lost nowhere.

There, a session that edited files was a loop of its own kind, and what it wrote stood in its loop's document.
"""

import json
import re
import time
from hashlib import blake2b
from pathlib import Path

import pytest

from world import BIN, World

FORMER = Path(__file__).parent / "former"
RED = "import os\n\nVALUE = 1\n"


@pytest.fixture
def project(watched: World) -> World:
    watched.write({"new.py": RED})
    return watched


def left_behind(world: World, name: str) -> None:
    """What the version before left in this session's folder."""
    text = (FORMER / f"{name}.json").read_text()
    for word, value in (("PROJECT", world.project), ("SESSION", world.session), ("BIN", BIN)):
        text = text.replace(word, str(value))
    text = re.sub(r'"round_started": [1-9][0-9.]*', f'"round_started": {time.time()}', text)  # not long ago
    world.folder.mkdir(parents=True)
    (world.folder / "loop_state.json").write_text(text)
    before = world.folder / "originals" / blake2b(b"new.py", digest_size=8).hexdigest()
    before.parent.mkdir()
    before.write_text("")  # there was no such file


def test_files_that_a_session_wrote_are_still_to_be_judged(project: World) -> None:
    left_behind(project, "edited")
    answer = project.stop(prompt_id="p")
    assert answer.held
    assert answer.stderr.startswith("Not green yet: 1 left after round ")
    assert (project.edits["written"], project.edits["unjudged"]) == (["new.py"], ["new.py"])
    assert (project.state["schema_version"], project.state["active"]) == (2, False)


def test_a_stop_that_was_held_goes_on_counting(project: World) -> None:
    left_behind(project, "held")
    answer = project.stop(prompt_id="p")
    assert (answer.held, project.edits["turn"]["iteration"]) == (True, 3)
    assert project.edits["turn"]["max_iterations"] == 5


def test_a_cancel_still_switches_stops_without_a_loop_off(project: World) -> None:
    left_behind(project, "off")
    project.edit("new.py", RED + "OTHER = undefined\n")
    assert not project.stop(prompt_id="p2").held
    assert project.edits["off"] is True


def test_a_running_loop_goes_on_with_its_round_its_limit_and_its_sessions_edits(project: World) -> None:
    left_behind(project, "running")
    assert "mend it" in project.run("untilgreen", "status").stdout
    assert project.stop(prompt_id="p").held
    state = project.state
    assert [state[name] for name in ("schema_version", "iteration", "max_iterations", "marker")] == [2, 3, 4, "trust"]
    assert state["settings"]["max_iterations"] == 4
    assert project.edits["written"] == ["new.py"]


def test_a_check_that_was_left_out_of_a_running_loop_stays_left_out_for_the_same_reason(project: World) -> None:
    left_behind(project, "running")
    path = project.folder / "loop_state.json"
    state = json.loads(path.read_text())
    sentences = {"mypy@docs": "not trusted, mypy did not run (`untilgreen trust`)", "go-vet": "go is not installed"}
    state["plan"] += [
        state["plan"][0] | {"name": name, "checker": name.partition("@")[0], "tool": "", "absent": sentence}
        for name, sentence in sentences.items()
    ]
    path.write_text(json.dumps(state))
    assert project.stop(prompt_id="p").held
    assert {check["name"]: check["absent"] for check in project.state["plan"] if check["name"] in sentences} == {
        "mypy@docs": {"cause": "untrusted", "name": "mypy"},
        "go-vet": {"cause": "missing", "name": "go"},
    }


@pytest.mark.parametrize(
    ("reason", "state"), [("Declared done", "declared"), ("Green, but 1 test fewer", "green, but")]
)
def test_status_still_tells_how_an_earlier_loop_ended(project: World, reason: str, state: str) -> None:
    left_behind(project, "running")
    path = project.folder / "loop_state.json"
    over = {"active": False, "stop_reason": "complete", "completion_reason": reason, "verified": False}
    path.write_text(json.dumps(json.loads(path.read_text()) | over))
    assert state in project.run("untilgreen", "status").stdout


@pytest.mark.parametrize("name", ["edited", "held", "off", "running"])
def test_a_new_loop_loses_none_of_the_sessions_edits(project: World, name: str) -> None:
    left_behind(project, name)
    project.start("the next", "--replace")
    assert (project.state["task_description"], project.edits["written"]) == ("the next", ["new.py"])
    assert project.edits["off"] is (name == "off")
    earlier = [path.name for path in project.folder.glob("loops/*.json")]
    assert len(earlier) == (1 if name == "running" else 0), "only a loop that somebody began is kept as one"


def test_what_is_none_of_ours_is_put_aside_and_said(project: World) -> None:
    left_behind(project, "running")
    path = project.folder / "loop_state.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"edited": 5}))
    answer = project.stop(prompt_id="p")
    assert (answer.code, answer.stderr) == (0, "")
    assert "is kept as loop_state.json.corrupt-1" in answer.notice
