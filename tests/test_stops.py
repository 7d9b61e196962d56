"""A stop in a loop: what the agent says of itself, whose turn it is, and which stop is an old one."""

import json
from typing import Any

import pytest

from world import Answer, World

SILENT = Answer(0, "", "")
STILL = 'untilgreen: loop paused in round {} of 10; say "go on", or /untilgreen:cancel'
RED = "import os\n"


def test_the_last_line_is_a_completion_where_the_users_own_pattern_fits_it(project: World) -> None:
    project.write({"untilgreen.toml": 'success_regex = "all (green|done)"\n'})
    project.start("fix it", "--marker", "trust")
    assert project.stop("<jikime>DONE</jikime>").held, "the pattern stands for the words"
    assert project.stop("all done\nor so I think").held
    answer = project.stop("It works.\n\nALL DONE\n")
    assert (answer.held, project.state["completion_reason"]) == (False, "Declared done")


def test_a_message_blocks_from_where_the_users_own_pattern_fits_it(project: World) -> None:
    project.write({"untilgreen.toml": 'blocked_regex = "stuck: (.*)"\n'})
    project.start()
    assert project.stop("<ralph>BLOCKED: no network</ralph>").held, "the pattern stands for the words"
    answer = project.stop("I tried.\nStuck: the disk\nis full")
    assert (answer.held, project.state["stop_reason"]) == (False, "blocked")
    assert project.state["completion_reason"] == "the disk is full"


def test_both_patterns_are_asked_and_blocked_goes_first(project: World) -> None:
    project.write({"untilgreen.toml": 'success_regex = "done"\nblocked_regex = "stuck.*"\n'})
    project.start("fix it", "--marker", "trust")
    project.stop("stuck\ndone")
    assert (project.state["stop_reason"], project.state["completion_reason"]) == ("blocked", "no reason given")


def test_the_users_own_patterns_are_asked_where_nobody_began_a_loop(project: World) -> None:
    project.write({"untilgreen.toml": 'success_regex = "all done"\nblocked_regex = "stuck: (.*)"\nmarker = "trust"\n'})
    project.init()
    project.edit("first.py", RED)
    assert project.stop(prompt_id="p").held
    assert project.stop("stuck: no disk", prompt_id="p").notice.startswith("■ blocked: no disk ·")
    project.edit("second.py", RED)
    assert project.stop(prompt_id="q").held
    assert project.stop("all done", prompt_id="q").notice.startswith("■ ended unchecked: the agent said it was done")


@pytest.mark.parametrize(("filling", "held"), [(16_300, False), (16_400, True)])
def test_the_users_own_pattern_looks_no_further_back_than_16_thousand_characters(
    project: World, filling: int, held: bool
) -> None:
    project.write({"untilgreen.toml": 'blocked_regex = "stuck: .*"\n'})
    project.start()
    assert project.stop("x\nstuck: " + "word " * (filling // 5)).held is held


def test_a_pattern_that_never_ends_finds_nothing_and_is_logged(project: World) -> None:
    project.write({"untilgreen.toml": 'blocked_regex = "(a+)+b"\n'})
    project.start()
    assert project.stop("a" * 60).held
    log = (project.project / ".untilgreen/untilgreen.log").read_text()
    assert "success_regex and blocked_regex took too long on the agent's message" in log


def test_the_agents_words_are_looked_for_in_the_transcript_where_the_host_does_not_send_them(project: World) -> None:
    project.start()
    said = {"role": "assistant", "content": [{"type": "text", "text": "<ralph>BLOCKED: no key</ralph>"}]}
    (project.home / "transcript.jsonl").write_text(json.dumps({"type": "assistant", "message": said}) + "\n")
    payload = {k: v for k, v in project.payload().items() if k != "last_assistant_message"}
    assert project.run("stop-loop", stdin=json.dumps(payload)).code == 0
    assert project.state["completion_reason"] == "no key"


def test_the_newest_message_counts_where_the_host_sends_several(project: World) -> None:
    project.start()
    texts = ["<ralph>BLOCKED: old</ralph>", "<ralph>BLOCKED: new</ralph>"]
    messages = [{"role": "assistant", "content": text} for text in texts]
    payload = {k: v for k, v in project.payload(messages=messages).items() if k != "last_assistant_message"}
    assert project.run("stop-loop", stdin=json.dumps(payload)).code == 0
    assert project.state["completion_reason"] == "new"


def test_without_any_words_the_checks_decide(project: World) -> None:
    project.start()
    unsaid: list[dict[str, Any]] = [{}, {"messages": []}, {"transcript_path": ""}]
    for fields in unsaid:
        payload = {k: v for k, v in project.payload(**fields).items() if k != "last_assistant_message"}
        assert project.run("stop-loop", stdin=json.dumps(payload)).code == 2


def test_prompts_that_a_counted_stop_saw_do_not_go_first_at_the_next(project: World) -> None:
    project.start()
    project.prompt("please")
    assert project.stop().held
    assert (project.state["prompts_seen"], project.state["own_prompt"]) == (1, 1)
    assert project.stop(stop_hook_active=True).held
    project.prompt("why?")
    assert project.stop(stop_hook_active=True).notice == STILL.format(3)
    assert (project.state["prompts_seen"], project.state["answered"]) == (1, 2)


def test_a_turn_that_began_without_an_id_answers_its_prompt_although_the_stop_has_one(project: World) -> None:
    project.prompt("/untilgreen:loop mend it")
    project.prompt("what is this?")
    assert project.stop(prompt_id="p9").notice == STILL.format(1)
    project.write({"app.py": "import re\n"})
    assert project.stop(prompt_id="p9").held


def test_a_question_is_answered_and_work_on_it_is_judged(project: World) -> None:
    project.prompt("/untilgreen:loop mend it", prompt_id="p1")
    assert project.stop(prompt_id="p1").held
    project.prompt("what is this?", prompt_id="p2")
    assert project.stop(prompt_id="p2").notice == STILL.format(2)
    assert project.stop(prompt_id="p2") == SILENT, "the user is told once"
    project.prompt("and this?", prompt_id="p3")
    project.write({"app.py": "import re\n"})
    assert project.stop(prompt_id="p3").held


def test_a_waiting_loop_begins_with_the_prompt_that_takes_it(project: World) -> None:
    project.start("first")
    for number in (1, 2):
        project.prompt(f"prompt {number}", prompt_id=f"p{number}")
    project.run("cancel-loop")
    assert project.run("start-loop", "second", "--session", "next").code == 0
    answer = project.prompt("what is this?", prompt_id="p3")
    assert answer.context.startswith("untilgreen: loop started (")
    line = answer.notice.split("\n")[-1]
    assert line == (
        "untilgreen: loop on until ruff ✗1 is green"
        " · begun in a shell: second · at most 10 rounds · /untilgreen:cancel ends it"
    )
    state = project.state
    fields = ("task_description", "session_id", "status", "own_prompt", "prompts_at_start", "prompts_seen")
    assert [state[key] for key in fields] == ["second", project.session, "running", 3, 2, 3]
    assert list((project.project / ".untilgreen/next").iterdir()) == []
    assert project.stop(prompt_id="p3").held


def test_the_oldest_of_the_waiting_loops_of_this_project_is_taken(project: World) -> None:
    project.run("start-loop", "first", "--session", "next")
    folder = project.project / ".untilgreen/next"
    [oldest] = folder.iterdir()
    loop = json.loads(oldest.read_text())
    newest = folder / "loop-9.json"
    newest.write_text(json.dumps(loop | {"loop_id": "loop-9", "task_description": "second"}))  # an older version's
    elsewhere = loop | {"project": "/elsewhere"}
    (folder / "loop-0.json").write_text(json.dumps(elsewhere))
    (folder / "note.txt").write_text("not a loop")
    project.prompt("go")
    assert project.state["task_description"] == "first"
    assert sorted(path.name for path in folder.iterdir()) == ["loop-0.json", newest.name, "note.txt"]


def test_a_prompt_that_is_heard_twice_counts_once(project: World) -> None:
    project.start()
    for _ in range(2):
        project.prompt("hello", prompt_id="p1")
    assert project.known["prompts"] == 1
    for text, prompt in (("hello", "p2"), ("hello again", "p2")):
        project.prompt(text, prompt_id=prompt)
    assert project.known["prompts"] == 3


def test_equal_prompts_some_seconds_apart_are_two(project: World) -> None:
    project.start()
    project.prompt("hello")
    project.change("session.json", newest_at=project.known["newest_at"] - 3.5)
    project.prompt("hello")
    assert project.known["prompts"] == 2


def test_a_notification_is_no_prompt_of_the_user(project: World) -> None:
    project.start()
    project.prompt("<task-notification>\n<task-id>b1</task-id>", prompt_id="n1")
    assert (project.known["prompts"], project.known["notified"]) == (0, "n1")
    assert project.stop(prompt_id="n1").held


@pytest.mark.parametrize("kind", ["loop", "edits"])
def test_a_stop_that_began_before_the_last_counted_one_is_silent(project: World, kind: str) -> None:
    if kind == "loop":
        project.start()
    else:
        project.init()
        project.edit("new.py", RED)
    early = project.begin("stop-loop", stdin=None)
    assert project.stop(prompt_id="p").held
    counted = project.state
    assert project.end(early, json.dumps(project.payload(prompt_id="p"))) == SILENT
    assert project.state == counted
    assert project.stop(prompt_id="p").held


@pytest.mark.parametrize(
    "fields", [{"agent_id": "a1"}, {"permission_mode": "plan"}, {"hook_event_name": "SubagentStop"}]
)
def test_what_is_not_this_agents_stop_is_silent_and_counts_nothing(project: World, fields: dict[str, Any]) -> None:
    project.start()
    assert project.stop(**fields) == SILENT
    assert project.state["iteration"] == 1


def test_a_task_in_the_background_is_waited_for_twice(project: World) -> None:
    tasks = [{"id": "a1", "type": "subagent", "status": "running", "description": "look"}]
    project.start()
    answers = [project.stop(prompt_id="p", background_tasks=tasks) for _ in range(3)]
    assert [(one.held, one.notice) for one in answers[:2]] == [(False, STILL.format(1)), (False, "")]
    assert (answers[2].held, project.state["waited"]) == (True, {"a1": 2})


def test_a_stop_ends_its_checks_by_the_deadline_of_its_registration(project: World) -> None:
    project.start("fix it", "--check", "slow=/bin/sleep 60")
    assert project.run("stop-loop", "--deadline", "5", stdin=json.dumps(project.payload())).held
    assert project.state["current"]["outcomes"] == {"ruff": "found", "slow": "broken"}


def test_a_stop_that_waits_and_cannot_be_counted_says_so(project: World) -> None:
    tasks = [{"id": "a1", "type": "subagent", "status": "running", "description": "look"}]
    project.start()
    (project.folder / "state.lock").unlink(missing_ok=True)
    (project.folder / "state.lock").mkdir()
    answer = project.stop(background_tasks=tasks)
    assert (answer.code, "the state could not be saved: " in answer.notice) == (0, True)
    assert "failed (" not in answer.notice, "a fault"


def test_the_time_of_a_round_counts_from_its_prompt(project: World) -> None:
    project.start("fix it", "--max-minutes", "5")
    project.change(round_started=project.state["round_started"] - 1_000)
    project.prompt("go", prompt_id="p")
    assert project.stop(prompt_id="p").held, "only the time since the prompt is the agent's"
    assert project.state["elapsed_seconds"] < 100
    project.change(round_started=project.state["round_started"] - 1_000)
    project.change("session.json", turn_started=project.known["turn_started"] - 2_000)
    answer = project.stop(prompt_id="p")
    assert answer.notice.startswith("Ralph Loop: STOPPED - Max wall time reached (5 min) |")
    assert 1_000 <= project.state["elapsed_seconds"] < 1_100


def test_a_stop_that_two_registrations_are_called_for_in_turn_is_held_once(red: World) -> None:
    red.start()
    mine, ours = ({"UNTILGREEN_CALLED": f"/hooks/{name}/stop-loop"} for name in ("mine", "ours"))

    assert red.stop(env=mine).held
    assert red.stop(env=ours) == (0, "", "")
    assert red.state["iteration"] == 2
    assert red.stop(env=ours) == (0, "", ""), "of the next stop, in another order"
    assert red.stop(env=mine).held
    assert red.state["iteration"] == 3

    red.write({"app.py": "import sys\n"})  # somebody worked: it is another stop
    assert red.stop(env=ours).held
