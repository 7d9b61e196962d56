"""Context presets: how work of a kind is done, told to the agent when its loop begins and with its task anew."""

import json

import pytest

import untilgreen
from untilgreen.core.verdict import markers
from untilgreen.loops.begin import options
from untilgreen.state import catalogue
from world import REPOSITORY, Answer, World

NAMES = ("bugfix", "feature", "refactor", "research")
TEXTS = {name: (REPOSITORY / f"templates/contexts/{name}.md").read_text(encoding="utf-8").strip() for name in NAMES}
OTHER = "99999999-8888-7777-6666-555555555555"


def test_each_text_is_short_plain_and_never_a_marker() -> None:
    assert catalogue.contexts() == NAMES
    [option] = [one for one in options.OPTIONS if one.flag == "--context"]
    assert option.value == "|".join(NAMES)
    for name, text in TEXTS.items():
        assert catalogue.context(name) == text
        assert (len(text.splitlines()) <= 12, text.isascii(), "!" in text, markers.find(text)) == (
            True,
            True,
            False,
            None,
        )


@pytest.mark.parametrize("name", NAMES)
def test_the_agent_is_told_at_the_start_and_the_loop_keeps_the_name(quick: World, name: str) -> None:
    told = quick.prompt(f"/untilgreen:loop --context={name} mend it").context
    assert (TEXTS[name] in told, f"context: {name}" in told) == (True, True)
    assert (quick.state["context"], quick.state["task_description"]) == (name, "mend it")


def test_it_is_told_anew_with_the_task_after_clear_and_on_a_resume(quick: World) -> None:
    quick.write({"app.py": "import os\n"})
    quick.prompt("/untilgreen:loop --context bugfix mend it", prompt_id="p1")
    assert TEXTS["bugfix"] not in quick.stop(prompt_id="p1").stderr  # a hold says what is left, and no more
    quick.event("SessionEnd", reason="clear")
    for source in ("clear", "compact", "resume"):
        told = quick.event("SessionStart", session_id=OTHER, source=source)
        assert told.stdout.startswith("untilgreen: loop still running, round 2 of 10: mend it\n")
        assert told.stdout.endswith(f"\n\n{TEXTS['bugfix']}\n")


def test_it_is_shown_where_loops_are(quick: World) -> None:
    answer = quick.run("start-loop", "mend it", "--context", "refactor", "--session", quick.session)
    assert "context: refactor" in answer.stdout.splitlines()
    assert TEXTS["refactor"] not in answer.stdout  # the agent hears it with the next prompt
    [shown] = json.loads(quick.run("untilgreen", "status", "--json").stdout)["loops"]
    assert shown["context"] == "refactor"
    assert quick.run("untilgreen", "status").stdout.splitlines()[1].endswith("  refactor: mend it")
    assert "context: refactor" in quick.run("untilgreen", "show").stdout.splitlines()


def test_an_agent_that_begins_its_loop_itself_reads_it_at_once(quick: World) -> None:
    words = ("start-loop", "mend it", "--context", "feature", "--marker", "require", "--session", quick.session)
    lines = quick.run(*words, env={"CLAUDECODE": "1"}).stdout
    assert lines.endswith(f"the marker: DONE in the tag untilgreen.\n{TEXTS['feature']}\n")


def test_an_unknown_name_is_told_with_the_list_and_the_one_that_was_meant(quick: World) -> None:
    told = '--context is "bug-fix". Did you mean bugfix? Fix: give one of bugfix, feature, refactor, research'
    answer = quick.run("start-loop", "x", "--context", "bug-fix", "--session", quick.session)
    assert answer == Answer(64, "", f"start-loop failed: {told}\n")
    answer = quick.prompt("/untilgreen:loop --context bug-fix x")
    assert (answer.code, answer.stderr) == (2, f"untilgreen failed: {told}\n")
    with pytest.raises(untilgreen.UserError, match="Did you mean bugfix"):
        untilgreen.start("x", session=OTHER, project=quick.project, context="bug-fix")


def test_a_name_that_somebody_wrote_into_the_state_is_no_path(quick: World) -> None:
    assert catalogue.context("../feedback/en") == catalogue.context("") == ""
