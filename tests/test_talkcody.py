"""Presets `talkcody` and `talkcody-strict`: TalkCody's stop rules and completion promise, word for word."""

import json

import pytest

from untilgreen.core.verdict import markers
from world import Answer, World

PROMISE = """\
Ralph Loop completion promise:
- When the task is fully done, output exactly: <ralph>COMPLETE</ralph>
- If blocked, output exactly: <ralph>BLOCKED: reason</ralph>
"""
RULES = """\
- Run tests and ensure they pass before completion.
- Run lint and fix all lint errors before completion.
- Run typecheck (tsc) and fix all errors before completion.
- Do not declare completion if any tool or execution errors occurred.
"""
USUAL = "the promise gets in the way"


@pytest.mark.tools("mypy")
def test_each_rule_that_is_asked_for_is_told_at_the_start_and_at_each_hold(world: World) -> None:
    world.write({"app.py": "import os\n", "test_app.py": "def test() -> None:\n    pass\n"})
    told = world.prompt("/untilgreen:loop --preset talkcody-strict mend it", prompt_id="p1").context
    assert told.endswith(f"\n{RULES}{PROMISE}task:\nmend it")
    held = world.stop(prompt_id="p1").stderr
    assert held.endswith(f"\nTask: mend it\n{RULES}{PROMISE}")
    for text in (told, held):
        parts = [text, *text.splitlines()]
        assert [markers.find(part) for part in parts] == [None] * len(parts)


def test_only_what_is_asked_for_is_told(quick: World) -> None:
    quick.write({"app.py": "import os\n"})
    quick.run("start-loop", "x", "--preset", "talkcody", "--criteria", "lint_clean", "--session", quick.session)
    assert quick.stop().stderr.endswith("\n".join(("\nTask: x", *RULES.splitlines()[1::2], PROMISE)))


def shell(world: World, event: str, command: str = "make") -> None:
    payload = world.payload(hook_event_name=event, tool_name="Bash", tool_input={"command": command})
    world.run("post-tool-bash", stdin=json.dumps(payload | {"error": "Exit code 1", "tool_response": {}}))


def test_its_default_is_the_marker_and_calls_that_went_well_whatever_linters_say(red: World) -> None:
    told = red.prompt("/untilgreen:loop --preset talkcody mend it", prompt_id="p1").context
    assert [line for line in told.splitlines() if line.startswith(("criteria", "- Do not", "- Run"))] == [
        "criteria: no_tool_errors, its completion promise",
        RULES.splitlines()[3],
    ]
    held = red.stop(prompt_id="p1").stderr
    assert held.splitlines()[0] == "Not done yet after round 1 of 6: the promise is not given"
    shell(red, "PostToolUseFailure")
    failed = red.stop("<ralph>COMPLETE</ralph>", prompt_id="p1").stderr
    assert failed.splitlines()[0] == "Not green yet: 1 left after round 2 of 6 · tool calls 1"
    shell(red, "PostToolUse")
    ended = red.stop("<ralph>COMPLETE</ralph>", prompt_id="p1")
    assert (ended.held, ended.notice.partition(" · ")[0]) == (False, "■ ended unchecked: the agent gave its promise")
    assert (red.state["stop_reason"], red.state["verified"]) == ("complete", False)


@pytest.mark.parametrize("preset", ["talkcody", "supercode"])
def test_after_compaction_the_promise_is_told_once_in_the_spelling_that_counts(red: World, preset: str) -> None:
    red.start("mend it", "--preset", preset)
    assert red.stop().held
    told = red.event("SessionStart", source="compact").stdout
    promise = {"talkcody": PROMISE, "supercode": "- When FULLY complete, output: <promise>DONE</promise>\n"}[preset]
    assert (told.endswith(f"\n{promise}"), told.count(promise[:20]), "[/" in told) == (True, 1, False)


def test_an_agent_that_begins_its_loop_itself_reads_them_at_once(quick: World) -> None:
    words = ("start-loop", "x", "--preset", "talkcody", "--session", quick.session)
    assert quick.run(*words, env={"CLAUDECODE": "1"}).stdout.endswith(f"\n{RULES.splitlines()[3]}\n{PROMISE}")


def test_where_another_promise_ends_the_loop_that_one_is_told(quick: World) -> None:
    quick.write({"app.py": "VALUE = 1\n"})
    line = f"/untilgreen:loop --preset talkcody --completion-promise '{USUAL}' --criteria lint_clean x"
    told = quick.prompt(line).context
    line = f"This loop ends when the last line of the message is its promise, in a promise tag: {USUAL}."
    assert (line in told, "Ralph Loop completion promise" in told) == (True, False)


def test_the_presets_are_listed_with_what_they_set(quick: World) -> None:
    answer = quick.run("untilgreen", "config", "presets")
    assert (answer.code, answer.stderr) == (0, "")
    lines = dict(line.split(maxsplit=1) for line in answer.stdout.partition("\n\n")[0].splitlines())
    assert (
        lines["talkcody"] == 'marker = "require", max_iterations = 6, criteria = ["no_tool_errors"], words = "talkcody"'
    )
    assert lines["strict"] == "strict = true"
    found = json.loads(quick.run("untilgreen", "config", "presets", "--json").stdout)["presets"]
    assert (list(found), found["ralph-mem"]) == (
        list(lines),
        {"marker": "verify", "max_iterations": 10, "max_minutes": 30},
    )
    assert quick.run("untilgreen", "config", "presets", "x") == Answer(
        64, "", "untilgreen: Got unexpected extra argument (x). Fix: run untilgreen config presets --help\n"
    )
