"""What a stop in a loop tells and keeps: cleaned, bounded, and no number that nobody measured."""

import json
from typing import Any

from test_stops_after_edits import instead
from world import THEN, World

RED = "import os\n"


def started(world: World, *options: str) -> list[str]:
    """What `start-loop` says, without its first two lines."""
    return world.start("mend it", *options).stdout.splitlines()[2:]


def test_the_task_is_told_without_markers_and_control_sequences(project: World) -> None:
    project.prompt("/untilgreen:loop say <promise>DONE</promise> \x1b[31mred\x1b[0m \x07or not", prompt_id="p")
    lines = project.stop(prompt_id="p").stderr.splitlines()
    assert lines[-2:] == ["Task: say [promise]DONE[/promise] red or not", THEN]


def test_a_weakened_configuration_is_told_without_markers(project: World) -> None:
    project.start("mend it", "--strict")
    project.write({"app.py": "import os  # noqa\n", "<promise>DONE<promise>/ruff.toml": "lint.ignore = ['F']\n"})
    answer = project.stop()
    assert answer.held
    assert "<promise>" not in answer.stderr + answer.stdout
    assert "[promise]DONE[promise]/ruff.toml" in answer.stderr


def test_a_task_is_told_up_to_two_hundred_characters(project: World) -> None:
    project.start("long " * 100)
    assert project.stop().stderr.splitlines()[-1] == f"Task: {('long ' * 40)[:199]}…"


def test_the_last_words_of_a_verdict_are_kept_up_to_two_thousand_characters(project: World) -> None:
    project.write({"app.py": "".join(f"import module_{number}\n" for number in range(100))})
    project.start()
    held = project.stop()
    assert len(held.stderr) > 3_000
    assert project.state["last_output"] == held.stderr[:2_000]
    project.write({"app.py": "VALUE = 1\n"})
    released = project.stop()
    assert (project.state["stop_reason"], project.state["last_output"]) == ("complete", released.notice)


def test_a_promise_loop_says_how_it_ends_and_others_do_not(project: World) -> None:
    line = "This loop ends when the last line of the message is its promise, in a promise tag: SHIPPED."
    project.start("mend it", "--completion-promise", "SHIPPED", "--no-zero-errors")
    told = project.stop()
    assert told.stderr.splitlines()[1:] == [line, "Task: mend it"]
    assert "promise not given yet" in told.notice
    assert not project.stop("<promise>SHIPPED</promise>").held
    project.start("mend it", "--replace")
    assert line not in project.stop().stderr


def test_where_a_marker_is_required_a_green_round_says_what_is_missing(project: World) -> None:
    project.start("mend it", "--marker", "require")
    project.write({"app.py": "VALUE = 1\n"})
    told = project.stop()
    assert (told.held, project.state["iteration"]) == (True, 2)
    line = "This loop ends when all is green and the last line of the message is the marker: DONE in the tag jikime."
    assert told.stderr.splitlines()[1:] == [line, "Task: mend it"]
    assert not project.stop("<jikime>DONE</jikime>").held


def test_nothing_is_called_measured_where_no_linter_answered(project: World) -> None:
    assert "at the start: 1 left: ruff 1" in started(project)
    project.run("cancel-loop")
    instead(project, "ruff", "exit 2\n")
    broken = "ruff did not do its work (exit code 2): all that it finds counts"
    assert started(project)[-2:] == ["at the start: not measured yet: ruff", broken]
    assert project.state["initial"] is None
    project.run("cancel-loop")
    (project.tmp / "programs" / "ruff").unlink()
    told = started(project, "--allow-absent")
    assert told[-2:] == [
        "left out: ruff is not installed: python -m pip install ruff",
        "at the start: nothing to measure",
    ]
    assert project.state["initial"] is None


def test_a_noqa_in_a_notebook_is_told(project: World) -> None:
    def notebook(line: str) -> str:
        cell: dict[str, Any] = {
            "cell_type": "code",
            "source": [line],
            "metadata": {},
            "outputs": [],
            "execution_count": None,
        }
        return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})

    project.write({"app.py": "VALUE = 1\n", "work.ipynb": notebook("import os")})
    project.start("mend it")
    assert project.stop("no").held
    project.write({"work.ipynb": notebook("import os  # NOQA")})
    assert project.stop().notice.startswith("Ralph Loop: COMPLETE - Green, but 1 new noqa |")


def test_an_argument_with_a_nul_is_a_broken_check_and_no_fault(project: World) -> None:
    project.write({"app.py": "VALUE = 1\n", "untilgreen.toml": '[checks.own]\ncommand = ["echo", "a\\u0000b"]\n'})
    project.start()
    lines = project.stop().stderr.splitlines()
    assert lines[2].startswith("  check own: could not start ")
    assert lines[2].endswith(": embedded null byte")
    assert project.state["snapshots"][-1]["outcomes"] == {"ruff": "clean", "own": "broken"}


def test_three_thousand_characters_of_an_item_are_kept(project: World) -> None:
    project.write({"app.py": "VALUE = 1\n", "fail.sh": f"for i in {'1 ' * 19}; do echo {'x' * 390}; done\nexit 1\n"})
    project.start("mend it", "--check", "own=sh fail.sh")
    assert project.stop().held
    (item,) = project.state["snapshots"][-1]["items"]
    assert (item["check"], len(item["text"])) == ("own", 3_000)


def test_five_hundred_failing_sets_are_remembered(project: World) -> None:
    project.start()
    assert project.stop().held
    (newest,) = project.state["seen"]
    old = [f"{number:016x}" for number in range(500)]
    project.change(seen=old)
    assert project.stop().held
    assert project.state["seen"] == [*old[1:], newest]


def test_twenty_thousand_findings_of_a_checks_first_result_are_remembered(project: World) -> None:
    project.start()
    assert project.stop().held
    first = project.state["first"]["ruff"]
    items = [f"{number:016x}" for number in range(20_001)]
    project.change(first={"ruff": first | {"items": items}})
    assert project.stop().held
    assert project.state["first"]["ruff"] == first | {"items": items[:-1]}


def test_a_hundred_snapshots_are_kept_and_details_of_the_newest_two(project: World) -> None:
    project.start("fix it", "--stagnation-limit", "0", "--max-iterations", "200")
    assert project.stop().held
    (one,) = project.state["snapshots"]
    project.change(snapshots=[one | {"iteration": number} for number in range(100)])
    assert project.stop().held
    kept = project.state["snapshots"]
    assert [snapshot["iteration"] for snapshot in kept] == [*range(1, 100), 2]
    assert [len(snapshot["items"]) for snapshot in kept] == [0] * 98 + [1, 1]
    assert [len(snapshot["file_details"]) for snapshot in kept] == [0] * 98 + [1, 1]


def test_the_start_of_a_loop_is_kept(project: World) -> None:
    project.start("mend it", "--description", "a word", "--max-iterations", "7", "--max-minutes", "5", "--strict")
    state = project.state
    fields = ("active", "session_id", "iteration", "max_iterations", "task_description", "description")
    assert [state[key] for key in fields] == [True, project.session, 1, 7, "mend it", "a word"]
    assert [state["settings"][key] for key in ("max_iterations", "max_minutes", "strict")] == [7, 5, True]
    more = ("status", "marker", "promise_only", "own_prompt", "prompts_at_start", "project")
    assert [state[key] for key in more] == ["running", "trust", False, -1, 0, str(project.project)]
    assert (state["initial"]["error_count"], state["current"]) == (1, state["initial"])
    assert state["tree_at_start"] == state["tree"] != ""
    assert state["started_at"] == state["updated_at"]
    assert state["round_started"] > 0


def test_whatever_is_kept_is_for_its_owner_alone(project: World) -> None:
    project.init()
    project.edit("new.py", RED)
    assert project.stop("no", prompt_id="p").held
    assert not project.stop("<ralph>BLOCKED: no</ralph>", prompt_id="p").held
    for _ in range(2):
        project.start("mend it", "--replace")
        assert project.stop().held
    project.run("start-loop", "later", "--session", "next")
    project.event("SessionEnd", reason="clear")
    base = project.project / ".untilgreen"
    assert base.stat().st_mode & 0o777 == 0o700
    (base / ".gitignore").chmod(0o600)  # the world's own
    kept = {path.relative_to(base): path.stat().st_mode & 0o777 for path in base.rglob("*")}
    names = {path.name for path in kept if path.suffix == ""}
    assert names >= {"called", "loops", "next", "originals", "parked", "released", "sessions"}
    assert {str(path) for path, mode in kept.items() if mode & 0o077} <= {"sessions"}


def test_errors_are_asked_for_unless_they_are_left_out(project: World) -> None:
    assert started(project)[0] == "criteria: zero_errors"
    assert started(project, "--replace", "--zero-warnings")[0] == "criteria: zero_errors, zero_warnings"
    assert started(project, "--replace", "--zero-warnings", "--no-zero-errors")[0] == "criteria: zero_warnings"
