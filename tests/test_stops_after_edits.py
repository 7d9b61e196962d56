"""A stop without a loop: which files it looks at, what is still to be judged, and how much it says and keeps."""

import json
import os
from pathlib import Path

import pytest

from world import BIN, THEN, Answer, World

SILENT = Answer(0, "", "")
RED, CLEAN = "import os\n", "VALUE = 1\n"


@pytest.fixture
def project(quick: World) -> World:
    """A project in which the hooks were registered."""
    quick.init()
    return quick


def instead(world: World, name: str, script: str) -> Path:
    """A program of this name that runs a shell script; `$REAL` is the one that it stands for."""
    path = world.tmp / "programs" / name
    real = os.path.realpath(path)
    path.unlink(missing_ok=True)
    path.write_text(f'#!/bin/sh\nREAL="{real}"\n{script}')
    path.chmod(0o755)
    return path


def during(world: World, script: str, program: str = "ruff") -> None:
    """Let this happen while ruff, or another program, runs next."""
    flag = world.tmp / "flag"
    once = f'[ -z "$NESTED" ] && [ -e "{flag}" ]'  # what happens may run ruff, too
    host = "NESTED=1; export NESTED; unset UNTILGREEN_DISABLE"
    instead(world, program, f'if {once}; then /bin/rm "{flag}"; ({host}; {script}); fi\nexec "$REAL" "$@"\n')
    flag.touch()


def edit_during(world: World, path: str, text: str, program: str = "ruff") -> None:
    """Let the agent write this file while ruff, or another program, runs next."""
    payload = world.tmp / "payload.json"
    payload.write_text(json.dumps(world.edited(path, text, None)))
    hook = f'"{BIN}/post-tool-lint" <"{payload}" >"{world.tmp}/said"'
    during(world, f"printf '%s' '{text}' >\"{world.project / path}\"; {hook}", program)


def test_what_is_written_while_the_checks_run_is_still_to_be_judged_when_the_stop_holds(project: World) -> None:
    project.edit("new.py", RED)
    edit_during(project, "more.py", RED)
    assert project.stop(prompt_id="p").held
    state = project.edits
    assert (state["written"], state["unjudged"]) == (["new.py", "more.py"], ["new.py", "more.py"])
    project.edit("new.py", CLEAN)
    answer = project.stop(prompt_id="p")
    assert answer.stderr.splitlines()[1:3] == [
        "+ more.py:1:8 ruff F401: `os` imported but unused (ruff check --fix)",
        "+ new since the last round; 1 fixed.",
    ]


def test_what_is_written_while_the_checks_run_is_still_to_be_judged_when_it_lets_go(project: World) -> None:
    project.edit("new.py", CLEAN)
    edit_during(project, "more.py", RED)
    assert project.stop(prompt_id="p") == SILENT
    assert (project.edits["written"], project.edits["unjudged"]) == (["new.py", "more.py"], ["more.py"])
    assert project.stop(prompt_id="p").held


def test_what_an_edit_finds_while_a_loop_ends_unchecked_is_kept(project: World) -> None:
    project.write({"app.py": CLEAN})
    project.commit()
    project.start("fix it", "--marker", "trust")
    edit_during(project, "more.py", RED, "git")
    assert not project.stop("<jikime>DONE</jikime>").held
    assert (project.state["stop_reason"], project.state["current"]["error_count"]) == ("complete", 1)


def test_a_judged_file_that_is_written_again_while_the_checks_run_is_still_to_be_judged(project: World) -> None:
    project.edit("new.py", CLEAN)
    edit_during(project, "new.py", "OTHER = 2\n")
    assert project.stop(prompt_id="p") == SILENT
    assert project.edits["unjudged"] == ["new.py"]


def test_a_file_that_was_deleted_is_judged_with_the_others(project: World) -> None:
    project.edit("new.py", CLEAN)
    project.edit("gone.py", RED)
    (project.project / "gone.py").unlink()
    assert project.stop() == SILENT
    assert (project.edits["written"], project.edits["unjudged"]) == (["new.py", "gone.py"], [])


def test_what_a_session_wrote_is_judged_although_the_document_of_its_checks_is_gone(project: World) -> None:
    project.edit("new.py", RED)
    (project.folder / "loop_state.json").unlink()
    assert project.stop(prompt_id="p").held


def test_each_file_is_kept_as_it_was_when_it_was_let_go(project: World) -> None:
    for path in ("one.py", "two.py"):
        project.edit(path, f"NAME = {path!r}\n")
        assert project.stop() == SILENT
    project.edit("one.py", CLEAN)
    assert project.stop() == SILENT
    assert sorted(path.read_text() for path in (project.folder / "released").iterdir()) == ["NAME = 'two.py'\n", CLEAN]
    assert sorted(path.read_text() for path in (project.folder / "originals").iterdir()) == ["", ""]
    assert not (project.project / ".untilgreen/untilgreen.log").exists()


def test_a_file_that_is_no_utf_8_is_let_go_with_the_others(project: World) -> None:
    project.edit("new.py", CLEAN)
    (project.project / "new.py").write_bytes(b"# \xff\nVALUE = 1\n")
    project.write({"untilgreen.toml": "stagnation_limit = 1\n"})
    assert [project.stop(prompt_id="p").held for _ in range(2)] == [True, False]
    [kept] = (project.folder / "released").iterdir()
    assert kept.read_text(encoding="utf-8") == "# \ufffd\nVALUE = 1\n"


def test_a_prompt_typed_while_the_stop_is_held_goes_first_in_silence(project: World) -> None:
    project.edit("new.py", RED)
    assert project.stop(prompt_id="p").held
    assert project.prompt("why?", prompt_id="p") == SILENT
    assert project.stop(prompt_id="p") == SILENT


def test_what_a_broken_check_did_not_see_is_still_to_be_judged(project: World) -> None:
    project.edit("new.py", RED)
    project.write({"ruff.toml": "lint.select = 1\n"})
    assert project.stop() == SILENT
    assert project.edits["unjudged"] == ["new.py"]
    project.write({"ruff.toml": ""})
    assert project.stop().held


def test_a_check_of_a_whole_project_is_given_no_list_of_files(project: World) -> None:
    calls = project.tmp / "calls"
    instead(project, "mypy", f'echo "$@" >>"{calls}"\necho "Success: no issues found in 1 source file"\n')
    instead(project, "ruff", f'echo "$@" >>"{calls}"\nexec "$REAL" "$@"\n')
    project.write({"mypy.ini": "[mypy]\n", "old.py": CLEAN})
    assert project.run("untilgreen", "trust").code == 0
    project.edit("new.py", CLEAN)
    calls.unlink()
    assert project.stop() == SILENT
    asked = {line.split()[0]: line for line in calls.read_text().splitlines()}
    assert sorted("new.py" in line for line in asked.values()) == [False, True]
    assert not any("old.py" in line for line in asked.values())


def test_a_check_of_a_whole_project_that_is_clean_takes_back_what_it_said_of_any_file(project: World) -> None:
    red = project.tmp / "red"
    said = "other.py:1: error: Bad  [misc]\\nFound 1 error in 1 file (checked 2 source files)\\n"
    clean = "echo 'Success: no issues found in 2 source files'"
    instead(project, "mypy", f"[ -e '{red}' ] || {{ {clean}; exit; }}\nprintf '{said}'\nexit 1\n")
    project.write({"mypy.ini": "[mypy]\n", "other.py": CLEAN})
    assert project.run("untilgreen", "trust").code == 0
    red.touch()
    assert project.edit("new.py", CLEAN, hook="post-tool-lsp") == SILENT
    assert project.state["current"]["file_details"][0]["path"] == "other.py"
    red.unlink()
    assert project.stop() == SILENT
    current = project.state["current"]
    assert (current["error_count"], current["file_details"], current["outcomes"]["mypy"]) == (0, [], "clean")


def test_what_an_edit_saw_stays_known_where_the_check_is_broken_at_the_stop(project: World) -> None:
    broken = project.tmp / "broken"
    said = "other.py:1: error: Bad  [misc]\\nFound 1 error in 1 file (checked 2 source files)\\n"
    instead(project, "mypy", f"[ -e '{broken}' ] && exit 3\nprintf '{said}'\nexit 1\n")
    project.write({"mypy.ini": "[mypy]\n", "other.py": CLEAN})
    assert project.run("untilgreen", "trust").code == 0
    assert project.edit("new.py", CLEAN, hook="post-tool-lsp") == SILENT
    broken.touch()
    assert not project.stop().held
    assert [file["path"] for file in project.state["current"]["file_details"]] == ["other.py"]


def test_a_check_of_a_part_of_the_project_is_asked_about_files_of_that_part(project: World) -> None:
    said = "new.py:1: error: Bad  [misc]\\nFound 1 error in 1 file (checked 1 source file)\\n"
    instead(project, "mypy", f"printf '{said}'\nexit 1\n")
    project.write({"part/mypy.ini": "[mypy]\n", "part/old.py": CLEAN})
    assert project.run("untilgreen", "trust").code == 0
    project.edit("new.py", CLEAN)
    assert project.stop(prompt_id="p") == SILENT
    project.edit("part/new.py", CLEAN)
    assert "part/new.py:1 mypy@part misc: Bad" in project.stop(prompt_id="p").stderr


def test_a_task_in_the_background_is_waited_for_twice_without_a_loop(project: World) -> None:
    task = {"id": "b1", "type": "shell", "status": "running", "command": "pytest"}
    project.edit("new.py", RED)
    stops = [project.stop(prompt_id="p", background_tasks=[task]) for _ in range(3)]
    assert ([stop.held for stop in stops], stops[:2]) == ([False, False, True], [SILENT, SILENT])


def test_the_feedback_ends_at_nine_thousand_characters_and_counts_what_it_leaves_out(project: World) -> None:
    names = [f"a_module_with_a_name_that_is_long_enough_to_fill_a_line_{number}" for number in range(200)]
    project.edit("new.py", "".join(f"import {name}\n" for name in names))
    answer = project.stop()
    lines = answer.stderr.splitlines()
    told = [line for line in lines if line.startswith("new.py:")]
    assert 8_800 < len(answer.stderr.rstrip("\n")) <= 9_000
    assert lines[-2:] == [f"... and {200 - len(told)} more", THEN]
    assert project.edits["turn"]["last_output"] == answer.stderr[:2_000]


def test_four_hundred_characters_of_a_line_are_told(project: World) -> None:
    project.edit("new.py", f"import {'x' * 1_000}\n")
    (line,) = [line for line in project.stop().stderr.splitlines() if line.startswith("new.py:")]
    assert (len(line), line[-20:]) == (400, "xx (ruff check --fix)"[1:])


def test_five_thousand_files_of_a_session_are_remembered(project: World) -> None:
    project.edit("new.py", CLEAN)
    names = [f"m{number}.py" for number in range(5_000)]
    project.change("edits.json", written=names, unjudged=names)
    project.edit("more.py", CLEAN)
    state = project.edits
    assert (state["written"], state["unjudged"]) == ([*names[1:], "more.py"], [*names[1:], "more.py"])
    project.edit("m7.py", CLEAN)
    assert project.edits["written"] == [*names[1:], "more.py"], "known already"


def test_five_thousand_findings_that_were_let_go_are_remembered(project: World) -> None:
    project.edit("new.py", CLEAN)
    old = [f"{number:016x}" for number in range(5_000)]
    project.change("edits.json", let_go=old)
    project.write({"untilgreen.toml": "stagnation_limit = 1\n"})
    project.edit("new.py", RED)
    assert [project.stop(prompt_id="p").held for _ in range(2)] == [True, False]
    kept = project.edits["let_go"]
    assert (len(kept), kept[:-1]) == (5_000, old[1:])


def test_a_prompt_that_comes_while_the_checks_run_goes_first(project: World) -> None:
    payload = project.tmp / "prompt.json"
    prompt = {"session_id": project.session, "cwd": str(project.project), "hook_event_name": "UserPromptSubmit"}
    payload.write_text(json.dumps(prompt | {"prompt": "wait", "prompt_id": "p"}))
    project.edit("new.py", RED)
    during(project, f'"{BIN}/session-loop" <"{payload}"')
    assert project.stop(prompt_id="p") == SILENT
    assert (project.state["snapshots"], project.edits["unjudged"]) == ([], ["new.py"])
    project.start()
    during(project, f'"{BIN}/session-loop" <"{payload}"')
    project.change("session.json", newest="")
    still = 'untilgreen: loop paused in round 1 of 10; say "go on", or /untilgreen:cancel'
    assert project.stop(prompt_id="p") == Answer(0, json.dumps({"systemMessage": still}) + "\n", "")
    assert (project.state["snapshots"], project.state["iteration"]) == ([], 1)


@pytest.mark.parametrize("kind", ["loop", "edits"])
def test_a_state_that_is_taken_away_while_the_checks_run_is_nobodys_any_more(project: World, kind: str) -> None:
    project.edit("new.py", RED)
    if kind == "loop":
        project.start()
    during(project, f'/bin/rm -r "{project.folder}"')
    assert project.stop() == SILENT
    assert not (project.folder / "loop_state.json").exists()


@pytest.mark.parametrize("kind", ["loop", "edits"])
def test_a_cancel_that_comes_while_the_checks_run_wins(project: World, kind: str) -> None:
    project.edit("new.py", RED)
    if kind == "loop":
        project.start()
    else:
        assert project.stop(prompt_id="p").held
    during(project, f'"{BIN}/cancel-loop" --session {project.session} >"{project.tmp}/said"')
    assert project.stop(prompt_id="p") == SILENT
    state = project.state if kind == "loop" else project.edits["turn"]
    assert (state["active"], state["stop_reason"], project.edits["off"]) == (False, "cancelled", True)
    assert len(state["snapshots"]) == (0 if kind == "loop" else 1)


@pytest.mark.parametrize("kind", ["loop", "edits"])
@pytest.mark.parametrize("name", ["stop.lock", "state.lock"])
def test_a_stop_that_cannot_be_counted_does_not_hold(project: World, kind: str, name: str) -> None:
    project.edit("new.py", RED)
    if kind == "loop":
        project.start()
    before = project.state
    (project.folder / name).unlink(missing_ok=True)
    (project.folder / name).mkdir()
    answer = project.stop()
    assert (answer.code, answer.stderr, project.state) == (0, "", before)
    assert "the state could not be saved: " in answer.notice


@pytest.mark.parametrize("other", [{"session_id": "0" * 36}, {"project": "/elsewhere"}])
@pytest.mark.parametrize("kind", ["loop", "edits"])
def test_the_state_of_another_session_or_project_is_left_alone(
    project: World, kind: str, other: dict[str, str]
) -> None:
    project.edit("new.py", RED)
    if kind == "loop":
        project.start()
    theirs = project.state | other
    (project.folder / "loop_state.json").write_text(json.dumps(theirs))
    assert ("was ended by hand" in project.stop().notice) is (kind == "loop")
    assert project.stop() == SILENT
    assert project.edit("more.py", RED).context.startswith("untilgreen: 1 new finding")
    assert project.state == theirs
