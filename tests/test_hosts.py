"""The adapters: every recorded payload is read, whatever is missing from it, and the answers are exact bytes."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tables
from recorded import CALLS as ALL
from recorded import Recorded, named
from untilgreen import hosts
from untilgreen.core.model.event import Event, Kind, Message, Reply, Task
from untilgreen.hosts import claude_code, copilot, generic, guess

CLAUDE_CODE, GENERIC = hosts.get("claude-code"), hosts.get("generic")
NEWEST = {"AI_AGENT": "claude-code_2-1-330_harness"}


OURS = [call for call in ALL if call.host == "claude-code"]
FOREIGN = [call for call in ALL if call.host != "claude-code"]


def test_the_recordings_are_there() -> None:
    assert {call.host for call in ALL} == {
        "claude-code",
        "codex",
        "copilot",
        "gemini",
        "qwen",
        "opencode",
        "opencode-events",
        "pi",
        "openhands",
        "vibe",
    }
    ours = {call.event for call in OURS}
    assert ours >= {"Stop", "SubagentStop", "UserPromptSubmit", "SessionStart", "SessionEnd", "StopFailure"}


# --- read -----------------------------------------------------------------------


def test_a_sub_agents_stop_names_its_agent_even_on_a_client_that_does_not() -> None:
    payload = named("claude-code", "f00-subagent.06-SubagentStop").payload
    assert claude_code.read(payload, {}).agent_id == "a31e66a598fb33ef9"
    unnamed = {key: value for key, value in payload.items() if key != "agent_id"}
    for host in ("claude-code", "codex", "qwen"):
        event = hosts.get(host).read(unnamed, {}, "stop")
        assert (event.name, event.agent_id) == ("stop", "sub-agent")


def test_of_an_end_the_record_is_known_though_copilot_does_not_name_it() -> None:
    payload = named("copilot", "04-api-error.09-SessionEnd").payload
    moved = copilot.read(payload, {"COPILOT_HOME": "/elsewhere"})
    assert moved.transcript == f"/elsewhere/session-state/{payload['session_id']}/events.jsonl"
    assert copilot.read({"hook_event_name": "SessionEnd", "session_id": "../../x"}, {}).transcript == ""


def test_what_a_skill_of_ours_tells_copilot_s_agent_is_no_part_of_the_line() -> None:
    told = dict(named("copilot", "06-skill.01-UserPromptSubmit").payload)
    told["prompt"] = told["prompt"].replace("  now", f" now,\n\nand then\n\nrest.\n\n{copilot.ASIDE}\nWork on it.")
    assert copilot.read(told, {}).prompt == 'untilgreen:loop Make "it" $(work) now,\n\nand then\n\nrest.'
    told["prompt"] = told["prompt"].replace("untilgreen:loop", "Look at")
    assert copilot.read(told, {}).prompt == told["prompt"]


def test_of_qwen_a_prompt_from_its_history_is_what_the_command_makes_of_it() -> None:
    typed = named("qwen", "02-typed.02-UserPromptSubmit").payload
    line = "loop fix 'it' --max-iterations 3 $(x)"
    assert hosts.get("qwen").read(typed, {}, "other").prompt == f"/untilgreen:{line}"
    rest = {key: value for key, value in typed.items() if key != "submitted_prompt"}
    assert hosts.get("qwen").read(rest, {}, "other").prompt == f"untilgreen:{line}"


@pytest.mark.parametrize(("typed", "prompt"), tables.literal("hosts", "the quotes that opencode puts round"))
def test_the_quotes_that_opencode_puts_round_a_word_are_taken_off_a_line_of_ours(typed: str, prompt: str) -> None:
    payload = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": typed}
    assert hosts.get("opencode").read(payload, {}, "other").prompt == prompt


@pytest.mark.parametrize("line", ["$untilgreen-loop  fix it all", "untilgreen:loop fix it", "/untilgreen:loop fix it"])
def test_of_codex_a_skill_and_the_plain_words_are_commands_of_ours(line: str) -> None:
    commands = hosts.get("codex").commands()
    assert commands is not None
    assert commands.is_ours(line)
    assert commands.NAMES[line.split(maxsplit=1)[0]] == "loop"
    assert not commands.is_ours(f"say {line}")
    assert not commands.is_ours("")


@pytest.mark.parametrize(("task", "tasks"), tables.literal("hosts", "only what still runs and ends"))
def test_only_what_still_runs_and_ends_is_a_task(task: object, tasks: tuple[tuple[str, ...], ...]) -> None:
    assert claude_code.read({"background_tasks": [task]}, {}).tasks == tuple(Task(*one) for one in tasks)


def test_only_a_timer_that_fires_once_is_a_wakeup() -> None:
    crons = [{"id": "c1", "recurring": False}, {"id": "c2", "recurring": True}, {"id": "c3"}, {"schedule": "5 4 * * *"}]
    timer = {"schedule": "0 9 1 1 *", "recurring": False}
    event = claude_code.read({"session_crons": [*crons, timer, 5]}, {})
    assert event.tasks == (Task("c1", "wakeup"), Task("0 9 1 1 *", "wakeup"))


@pytest.mark.parametrize(("payload", "message"), tables.literal("hosts", "a message is unknown only where its"))
def test_a_message_is_unknown_only_where_its_key_is_missing(payload: dict[str, Any], message: str | None) -> None:
    assert claude_code.read(payload, {}).message == message


@pytest.mark.parametrize(("messages", "texts"), tables.literal("hosts", "messages typed by hand give"))
def test_messages_typed_by_hand_give_the_assistants_texts(messages: object, texts: tuple[str, ...] | None) -> None:
    assert claude_code.read({"messages": messages}, {}).messages == texts


def test_an_empty_payload_is_the_event_that_was_expected() -> None:
    assert claude_code.read({}, {}, "stop") == Event("stop", "claude-code")
    assert claude_code.read({"hook_event_name": None}, {}, "stop").name == "stop"
    assert claude_code.read({"hook_event_name": "PreCompact"}, {}, "stop").name == "other"
    assert claude_code.read({}, {}).name == "other"


@pytest.mark.parametrize("call", OURS, ids=lambda call: call.name)
def test_every_recorded_payload_is_read_with_a_key_more_or_less_or_null(call: Recorded) -> None:
    event = claude_code.read(call.payload, call.env)
    assert event.session == call.payload["session_id"]
    assert claude_code.read({**call.payload, "something_new": {"a": [1]}}, call.env) == event
    for key in call.payload:
        rest = {name: value for name, value in call.payload.items() if name != key}
        missing = claude_code.read(rest, {}, "stop")
        wrongs: tuple[object, ...] = (None, 7, [None, 1, {}], {"a": 1}, True)
        for wrong in wrongs:
            changed = claude_code.read({**call.payload, key: wrong}, {}, "stop")
            if key == "last_assistant_message":
                assert (missing.message, changed.message) == (None, "")
            elif key not in ("stop_hook_active", "messages", "is_interrupt") and (key, wrong) != ("duration_ms", 7):
                assert changed == missing


# what is not read as if it were missing when it is null, or of another type
TOLD_BY_THEIR_KEY = ("last_assistant_message", "stop_hook_active", "is_interrupt", "duration_ms")


@pytest.mark.parametrize("call", FOREIGN, ids=lambda call: f"{call.host}-{call.name}")
def test_every_adapter_reads_its_payloads_with_a_key_more_or_less_or_null(call: Recorded) -> None:
    adapter = hosts.get(call.host)
    event = adapter.read(call.payload, call.env, "other")
    assert adapter.read({**call.payload, "something_new": {"a": [1]}}, call.env, "other") == event
    for key in call.payload:
        rest = {name: value for name, value in call.payload.items() if name != key}
        missing = adapter.read(rest, {}, "stop")
        wrongs: tuple[object, ...] = (None, 7, [None, 1, {}], {"a": 1}, True)
        for wrong in wrongs if key not in TOLD_BY_THEIR_KEY else ():
            assert adapter.read({**call.payload, key: wrong}, {}, "stop") == missing


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(alphabet=st.characters(categories=["L", "Cs", "Cc"]), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "type", "role", "text"]), inner),
    max_leaves=6,
)
KEYS = st.sampled_from(sorted({key for call in ALL for key in call.payload} | {"messages"}))


@given(st.dictionaries(KEYS, JSON, max_size=6))
def test_no_payload_makes_an_adapter_raise_and_every_text_can_be_encoded(payload: dict[str, Any]) -> None:
    for adapter in map(hosts.get, hosts.ADAPTERS):
        event = adapter.read(payload, {}, "stop")
        str(event).encode()
        "".join((event.session, event.prompt, event.message or "", *(event.messages or ()))).encode()
    hosts.detect(payload, {})


# --- write ----------------------------------------------------------------------


CONTEXT = Reply(
    0,
    '{"hookSpecificOutput": {"hookEventName": "Stop", "additionalContext": "left"}, "systemMessage": "round 3 of 10"}',
)
EXIT = Reply(2, '{"systemMessage": "round 3 of 10"}', "left")


@pytest.mark.parametrize(
    ("agent", "reply"),
    [
        ("claude-code_2-1-330_harness", CONTEXT),
        ("claude-code_2-1-214_harness", CONTEXT),
        ("claude-code_2-1-214", CONTEXT),
        ("claude-code_2-2-0_harness", CONTEXT),
        ("claude-code_10-0-0_x", CONTEXT),
        ("claude-code_2-1-213_harness", EXIT),
        ("claude-code_2-1-99_harness", EXIT),
        ("claude-code_1-9-999_harness", EXIT),
        ("claude-code_2-1_harness", EXIT),
        ("other_9-9-9", EXIT),
        ("", EXIT),
    ],
)
def test_holding_by_context_is_for_clients_that_can(agent: str, reply: Reply) -> None:
    stop = claude_code.read({}, {"AI_AGENT": agent}, "stop")
    assert claude_code.write(stop, "continue", Message("left", "round 3 of 10", quiet=True)) == reply
    assert claude_code.write(stop, "continue", Message("left", "round 3 of 10")) == EXIT


def test_holding_by_context_is_not_for_a_client_without_a_name() -> None:
    quiet = Message("left", "round 3 of 10", quiet=True)
    assert claude_code.write(claude_code.read({}, {}, "stop"), "continue", quiet) == EXIT
    newest = claude_code.read({}, NEWEST, "stop")
    assert claude_code.write(newest, "continue", quiet._replace(notice="")).stdout == (
        '{"hookSpecificOutput": {"hookEventName": "Stop", "additionalContext": "left"}}'
    )


UNSHOWN = '{"hookEventName": "UserPromptSubmit", "suppressOriginalPrompt": true}'
OLD = {"AI_AGENT": "claude-code_2-1-150_harness"}


@pytest.mark.parametrize(
    ("env", "answers", "stdout"),
    [
        (NEWEST, "stop", '{"continue": false, "stopReason": "no loop"}'),
        (NEWEST | {"CLAUDE_CODE_ENTRYPOINT": "cli"}, "stop", '{"continue": false, "stopReason": "no loop"}'),
        (
            OLD | {"CLAUDE_CODE_ENTRYPOINT": "cli"},
            "block",
            f'{{"decision": "block", "reason": "no loop", "hookSpecificOutput": {UNSHOWN}}}',
        ),
        (OLD | {"CLAUDE_CODE_ENTRYPOINT": "sdk-cli"}, "", None),
        ({}, "", None),
    ],
)
def test_a_prompt_is_answered_where_the_host_shows_that(env: dict[str, str], answers: str, stdout: str | None) -> None:
    prompt = claude_code.read({"hook_event_name": "UserPromptSubmit"}, env)
    assert (prompt.answers, claude_code.read({}, env, "stop").answers) == (answers, "")
    if stdout is not None:
        assert claude_code.write(prompt, "answer", Message("no loop")) == Reply(stdout=stdout)


def test_an_unknown_verdict_is_an_error() -> None:
    block: Any = "block"
    for adapter in (one for one in map(hosts.get, hosts.ADAPTERS) if one.write is not generic.write):
        with pytest.raises(ValueError, match="no such verdict: block"):
            adapter.write(adapter.read({}, {}, "stop"), block, Message())


@pytest.mark.parametrize(("kind", "event"), [("continue", "stop"), ("context", "prompt")])
def test_no_text_is_longer_than_codex_passes_on(kind: Kind, event: str) -> None:
    codex = hosts.get("codex")
    answer = json.loads(codex.write(Event(event, "codex"), kind, Message(("é" * 50 + "\n") * 200)).stdout)
    text = answer.get("reason") or answer["hookSpecificOutput"]["additionalContext"]
    assert 9_800 < len(text.encode()) <= codex.facts.most_feedback == 10_000


@given(st.sampled_from(["allow", "continue", "release", "context", "refuse"]), st.text(), st.text(), st.booleans())
def test_every_answer_can_be_encoded_and_stdout_is_one_json_object_or_a_line(
    kind: Kind, text: str, notice: str, context: bool
) -> None:
    lone = "\ud800"
    for adapter in map(hosts.get, hosts.ADAPTERS):
        stop = adapter.read({}, NEWEST, "stop")
        reply = adapter.write(stop, kind, Message(text + lone, notice + lone, context))
        (reply.stdout + reply.stderr).encode()
        assert not reply.stdout or isinstance(json.loads(reply.stdout), dict)
        assert reply.stdout.isascii()


def test_the_generic_adapter_never_holds() -> None:
    kinds: tuple[Kind, ...] = ("allow", "continue", "release", "context", "refuse")
    for kind in kinds:
        stop = generic.read({}, NEWEST, "stop")
        assert generic.write(stop, kind, Message("text", quiet=True)) == Reply()
        assert generic.write(stop, kind, Message("text", "no adapter")) == Reply(0, '{"systemMessage": "no adapter"}')


# --- detect ---------------------------------------------------------------------

INHERITED = tables.literal("hosts", "inherited")


@pytest.mark.parametrize("call", OURS, ids=lambda call: call.name)
def test_claude_code_is_known_in_whatever_shell_it_was_started(call: Recorded) -> None:
    for env in (call.env, {**INHERITED, **call.env}):
        assert hosts.detect(call.payload, env, "claude-code") is CLAUDE_CODE
        assert hosts.detect(call.payload, env, "") is CLAUDE_CODE
        assert hosts.detect({**call.payload, "something_new": 1}, env) is CLAUDE_CODE
        for key in call.payload:
            rest = {name: value for name, value in call.payload.items() if name != key}
            assert hosts.detect(rest, env) is CLAUDE_CODE


@pytest.mark.parametrize("call", FOREIGN, ids=lambda call: f"{call.host}-{call.name}")
def test_other_hosts_are_known_in_whatever_shell_they_were_started(call: Recorded) -> None:
    for env in (call.env, {**INHERITED, **call.env}, {**call.env, **NEWEST, "CLAUDECODE": "1"}):
        assert guess.foreign(call.payload, env) == call.host
        assert hosts.detect(call.payload, env, "claude-code") is hosts.get(call.host)
        assert hosts.detect(call.payload, env) is hosts.get(call.host)


STOP = {"hook_event_name": "Stop", "session_id": "s", "cwd": "/p", "stop_hook_active": False}


@pytest.mark.parametrize(
    ("payload", "env", "host"),
    [
        ({**STOP, "cursor_version": "3.1"}, {}, "cursor"),
        ({"conversation_id": "c", "hook_event_name": "stop", "status": "completed"}, {}, "cursor"),
        ({**STOP, "transcript_path": "C:\\u\\.cursor\\x.jsonl"}, {}, "cursor"),
        ({**STOP, "turn_id": "t", "model": "m"}, {}, "codex"),
        ({**STOP, "turn_id": "t", "prompt_id": "p"}, {}, ""),
        ({"hookEventName": "Stop", "sessionId": "s"}, {}, "vscode"),
        ({"sessionId": "s", "timestamp": 1, "stopReason": "end_turn"}, {}, "copilot"),
        ({**STOP, "timestamp": "2026-11-21T21:00:00Z", "stop_reason": "end_turn"}, {}, "unknown"),
        ({**STOP, "timestamp": "2026-11-21T21:00:00Z"}, {"CLAUDECODE": "1"}, ""),
        ({**STOP, "prompt_response": "Done."}, {}, "gemini"),
        ({**STOP, "hook_event_name": "AfterAgent"}, {}, "gemini"),
        ({**STOP, "context_usage": 0.1}, {}, "qwen"),
        ({**STOP, "permission_mode": "yolo"}, {}, "qwen"),
        (STOP, {"QWEN_PROJECT_DIR": "/p"}, "qwen"),
        (STOP, {"QWEN_PROJECT_DIR": ""}, ""),
        ({**STOP, "permission_mode": "auto-low"}, {}, "droid"),
        ({**STOP, "permission_mode": "auto"}, {}, ""),
        ({**STOP, "stopHookActive": False}, {}, "grok"),
        ({**STOP, "client_type": "kimi_code_cli"}, {}, "kimi"),
        ({"conversationId": "c", "workspacePaths": []}, {}, "antigravity"),
        ({"agent_action_name": "x", "trajectory_id": "t"}, {}, "windsurf"),
        ({}, {}, ""),
        ({}, INHERITED, ""),  # typed by hand in another agent's shell
        ({"messages": []}, {}, ""),
        (STOP, {}, ""),
        ({**STOP, "transcript_path": 7, "permission_mode": [], "hook_event_name": {}}, {}, ""),
    ],
)
def test_what_only_one_host_sends_gives_it_away(payload: dict[str, Any], env: dict[str, str], host: str) -> None:
    assert guess.foreign(payload, env) == host
    answers = hosts.get(host or hosts.DEFAULT)
    assert hosts.detect(payload, env) is (GENERIC if answers.facts.never_run else answers)


def test_a_named_host_without_an_adapter_is_generic() -> None:
    assert hosts.detect({}, {}, "windsurf") is GENERIC
    assert hosts.detect({}, {}, "generic") is GENERIC
    assert hosts.detect({}, {}, "claude-code") is CLAUDE_CODE


@pytest.mark.parametrize(
    ("name", "event"),
    [("Stop", "stop"), ("stop", "stop"), ("AfterAgent", "stop"), ("BeforeAgent", "prompt"), ("Other", "other")],
)
def test_of_an_unknown_host_only_the_event_is_read(name: str, event: str) -> None:
    assert generic.read({"hook_event_name": name, "session_id": "s", "prompt": "p"}, {}) == Event(event, "generic")
    assert generic.read({"session_id": "s"}, {}, "stop") == Event("stop", "generic")
