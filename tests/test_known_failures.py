"""Where other loops died or never ended: 28 cases that were run against two published loop plugins (both failed most).

Named after what a right tool does; the comment says what happened elsewhere.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from world import Answer, World

PROMISE = "<promise>DONE</promise>"
RECORDED = Path(__file__).parent / "payloads" / "claude-code" / "2.1.330"
FAILED_TURN = RECORDED / "a13b-api-error-always.03-StopFailure.json"
FRONT_MATTER = "---\niteration: 7\nmax_iterations: 0\n---\nfix it"
RULED = "fix this\n---\nthen that"
LIKE_STATE = "first line\niteration: 3\ncompletion_promise: x"


def promised(world: World, promise: str = "DONE", *options: str) -> World:
    """The world with a loop that only its promise ends."""
    world.start("fix it", "--completion-promise", promise, *options)
    return world


def entry(role: str, content: Any, **fields: Any) -> str:
    """One line of a transcript as the host writes it."""
    return json.dumps({"type": role, "message": {"role": role, "content": content}, **fields})


def said(text: str, **fields: Any) -> str:
    return entry("assistant", [{"type": "text", "text": text}], **fields)


def stop_with_transcript(world: World, *lines: str, end: str = "\n") -> int:
    """The exit code of a stop whose payload has no message, as hosts before 2.1.47 send it."""
    (world.home / "transcript.jsonl").write_text("\n".join((entry("user", "fix it"), *lines)) + end, encoding="utf-8")
    payload = world.payload()
    del payload["last_assistant_message"]
    return world.run("stop-loop", stdin=json.dumps(payload)).code


def drop_from_state(world: World, key: str) -> None:
    kept = {name: value for name, value in world.state.items() if name != key}
    (world.folder / "loop_state.json").write_text(json.dumps(kept))


def complete(world: World) -> bool:
    return bool(world.state["stop_reason"] == "complete")


@pytest.mark.parametrize(
    "message",
    [
        pytest.param(f"I will print:\n```\n{PROMISE}\n```", id="inside_a_fence"),
        pytest.param(f"I can NOT output `{PROMISE}` yet", id="said_not_to_be_printed_yet"),
        pytest.param(f"I can NOT output {PROMISE} yet", id="within_a_sentence"),
        pytest.param("DONE", id="the_bare_word"),
    ],
)
def test_a_promise_that_is_not_given_is_ignored(world: World, message: str) -> None:
    promised(world)
    held = world.stop(message)
    assert (held.code, world.state["iteration"], world.state["active"]) == (2, 2, True)


@pytest.mark.parametrize("between", ["\n", " ", "\n\n"])
def test_of_two_tags_the_last_one_wins(world: World, between: str) -> None:
    promised(world)
    assert world.stop(f"{PROMISE}{between}<promise>MORE</promise>").held
    assert world.stop(f"<promise>MORE</promise>{between}{PROMISE}").code == 0
    assert complete(world)


def test_a_transcript_that_ends_with_a_tool_call_does_not_matter(world: World) -> None:
    # elsewhere: state removed, the loop was dead
    promised(world)
    call = entry("assistant", [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {}}])
    assert stop_with_transcript(world, call) == 2
    (world.home / "transcript.jsonl").write_text(call)
    assert world.stop(PROMISE).code == 0
    assert complete(world)


def test_content_that_is_a_plain_string_is_read(world: World) -> None:
    promised(world)
    assert stop_with_transcript(world, entry("assistant", "not yet")) == 2
    assert stop_with_transcript(world, entry("assistant", PROMISE)) == 0
    assert complete(world)


def test_a_sub_agents_promise_is_ignored(world: World) -> None:
    promised(world)
    assert stop_with_transcript(world, said("not yet"), said(PROMISE, isSidechain=True)) == 2
    assert world.stop(PROMISE, agent_id="a31e66a598fb33ef9", hook_event_name="SubagentStop") == (0, "", "")
    assert (world.state["active"], world.state["iteration"]) == (True, 2)


def test_a_turn_that_ended_with_an_api_error_is_never_held(red: World) -> None:
    # elsewhere: held again and again while the service is down
    red.start()
    payload = json.loads(json.loads(FAILED_TURN.read_text())["stdin"])
    payload |= {"session_id": red.session, "cwd": str(red.project)}
    before = red.state
    assert red.run("session-loop", stdin=json.dumps(payload)) == (0, "", "")
    assert red.run("stop-loop", stdin=json.dumps(payload)) == (0, "", "")
    assert red.state["iteration"] == before["iteration"] == 1
    assert red.state["active"]


def test_an_api_error_in_the_transcript_is_nobodys_word(world: World) -> None:
    promised(world)
    assert stop_with_transcript(world, said("not yet"), said(PROMISE, isApiErrorMessage=True)) == 2
    assert stop_with_transcript(world, said(PROMISE), said("API Error: 529", isApiErrorMessage=True)) == 0
    assert complete(world)


@pytest.mark.parametrize("separators", [(", ", ": "), (",", ":"), (" , ", " : ")])
def test_the_transcript_is_parsed_as_json(world: World, separators: tuple[str, str]) -> None:
    # elsewhere: `"role": "assistant"` with a space was no assistant's line, and the state was removed
    promised(world)
    line = json.dumps(json.loads(said(PROMISE)), separators=separators)
    assert stop_with_transcript(world, line) == 0
    assert complete(world)


def test_a_half_written_last_line_is_skipped(world: World) -> None:
    promised(world)
    assert stop_with_transcript(world, said("not yet"), said(PROMISE)[:-9], end="") == 2
    assert stop_with_transcript(world, said(PROMISE), said("and so on")[:-9], end="") == 0
    assert complete(world)


def test_a_progress_line_that_nests_an_assistants_message_is_passed_over(world: World) -> None:
    promised(world)
    nested = {"type": "progress", "data": {"message": {"role": "assistant", "content": PROMISE}}}
    flat = {"type": "progress", "message": {"role": "assistant", "content": PROMISE}}
    assert stop_with_transcript(world, said("not yet"), json.dumps(nested), json.dumps(flat)) == 2


def test_a_promise_given_in_the_last_round_is_a_completion(world: World) -> None:
    promised(world, "DONE", "--max-iterations", "1")
    assert world.stop(PROMISE).code == 0
    assert (world.state["stop_reason"], world.state["final_status"]) == ("complete", "COMPLETE")


def test_state_without_its_iteration_is_put_aside_with_one_clear_message(red: World) -> None:
    # elsewhere: exit code 1 at every stop, and nobody was told
    red.start()
    drop_from_state(red, "iteration")
    told = red.stop()
    assert (told.code, told.stderr) == (0, "")
    assert told.notice == (
        f"untilgreen: {red.folder}/loop_state.json was not readable (Loop.iteration: missing); "
        "it is kept as loop_state.json.corrupt-1; the stop was not judged"
    )
    assert (red.folder / "loop_state.json.corrupt-1").exists()
    assert red.stop() == (0, "", "")


def test_state_without_a_promise_is_no_fault(red: World) -> None:
    red.start()
    drop_from_state(red, "completion_promise")
    assert red.stop().held
    assert (red.state["iteration"], red.state["completion_promise"]) == (2, "")


def test_state_with_the_line_ends_of_another_system_is_read(red: World) -> None:
    red.start()
    text = json.dumps(red.state, indent=2).replace("\n", "\r\n")
    (red.folder / "loop_state.json").write_bytes(text.encode())
    assert red.stop().held
    assert red.state["iteration"] == 2


@pytest.mark.parametrize(
    "task",
    [
        pytest.param(FRONT_MATTER, id="that_looks_like_front_matter"),
        pytest.param(RULED, id="with_a_horizontal_rule"),
        pytest.param(LIKE_STATE, id="with_lines_like_the_state"),
    ],
)
def test_a_task_is_kept_as_it_was_typed(red: World, task: str) -> None:
    # elsewhere: "corrupted" and removed; the rule vanished; the line was rewritten
    red.run("start-loop", "--task", task, "--session", red.session, "--max-iterations", "5")
    assert red.stop().held
    state = red.state
    assert (state["task_description"], state["iteration"], state["max_iterations"]) == (task, 2, 5)


@pytest.mark.parametrize(
    ("promise", "given"),
    [("ALL  DONE", "ALL DONE"), ("ALL DONE", "  ALL\n  DONE "), (" ALL DONE ", "all done"), ("ALL  DONE", "ALL  DONE")],
)
def test_white_space_and_letter_case_of_a_promise_do_not_matter(world: World, promise: str, given: str) -> None:
    promised(world, promise)
    assert world.stop("<promise>ALLDONE</promise>").held
    assert world.stop(f"<promise>{given}</promise>").code == 0
    assert complete(world)


def test_another_sessions_stop_is_left_alone(red: World) -> None:
    red.start()
    other = "00000000-1111-2222-3333-444444444444"
    assert red.stop(session_id=other) == (0, "", "")
    assert (red.state["iteration"], red.state["active"]) == (1, True)
    assert red.stop().held


@pytest.mark.parametrize("transcript", ["empty", "missing"])
def test_the_promise_in_the_payload_needs_no_transcript(world: World, transcript: str) -> None:
    promised(world)
    if transcript == "empty":
        (world.home / "transcript.jsonl").write_text("")
    assert world.stop(PROMISE).code == 0
    assert complete(world)


def test_the_hosts_flag_for_held_turns_is_no_switch(red: World) -> None:
    red.start("fix it", "--max-iterations", "3")
    assert [red.stop(stop_hook_active=flag).code for flag in (False, True, True)] == [2, 2, 0]
    assert red.state["stop_reason"] == "max-iterations"


def test_max_iterations_with_a_leading_zero_is_decimal(red: World) -> None:
    # elsewhere: 08 was no number, so the loop had no end; iteration 500 was still held
    red.start("fix it", "--max-iterations", "08")
    assert red.state["max_iterations"] == 8
    red.change(iteration=500)
    assert red.stop().code == 0
    assert red.state["stop_reason"] == "max-iterations"


def test_max_iterations_of_010_is_ten(red: World) -> None:
    # elsewhere: octal, so it ended at 8
    red.start("fix it", "--max-iterations=010")
    red.change(iteration=8)
    assert [red.stop().code for _ in range(3)] == [2, 2, 0]
    assert (red.state["iteration"], red.state["stop_reason"]) == (10, "max-iterations")


def test_the_round_after_the_eighth_is_the_ninth(red: World) -> None:
    red.start()
    red.change(iteration=8)
    assert red.stop().held
    assert red.state["iteration"] == 9


@pytest.mark.parametrize("missing", ["jq", "perl"])
def test_no_other_program_is_needed(world: World, tmp_path: Path, missing: str) -> None:
    # elsewhere: without jq the loop was silently dead, without perl no promise ever matched
    nothing = {"PATH": str(tmp_path / f"no-{missing}")}
    promised(world)
    assert world.stop("not yet", env=nothing).held
    assert world.stop(PROMISE, env=nothing).code == 0
    assert complete(world)


def together(world: World, count: int) -> list[Answer]:
    """So many stops of one session at once: all of them run before the first of them gets its payload."""
    stops = [world.begin("stop-loop", stdin=None) for _ in range(count)]
    for one in stops:
        assert one.stdin is not None
        one.stdin.write(json.dumps(world.payload()).encode())
        one.stdin.close()
        one.stdin = None
    return [world.end(one) for one in stops]


def test_eight_parallel_stops_of_one_session_are_one_stop(red: World) -> None:
    # elsewhere: eight stops from round 1 led to round 2, and every one of the eight was held
    red.start("fix it", "--max-iterations", "20", "--stagnation-limit", "0")
    for round_number in range(1, 6):
        answers = together(red, 8)
        held = [answer for answer in answers if answer.held]
        silent = [answer for answer in answers if answer == (0, "", "")]
        assert (len(held), len(silent)) == (1, 7), answers
        assert held[0].stderr.startswith(f"Ralph Loop: CONTINUE | Iteration: {round_number + 1}/20 | ")
        assert red.state["iteration"] == round_number + 1
        assert len(red.state["snapshots"]) == round_number


def test_stops_in_quick_succession_are_counted_each(world: World) -> None:
    # the other side of the rule above: a stop that begins right after the last one was counted is another one
    promised(world, "DONE", "--max-iterations", "40", "--stagnation-limit", "0")
    assert [world.stop("not yet").code for _ in range(30)] == [2] * 30
    assert world.state["iteration"] == 31
