"""The bridges into Pi and OpenCode: what they send, the exact answers, and the file in which one lies."""

import json
from pathlib import Path

import pytest

from untilgreen import hosts
from untilgreen.core.model.event import Edit, Event, Kind, Message, Reply, ToolUse
from untilgreen.hosts.host import Scope
from untilgreen.hosts.opencode import closing as opencode_closing
from untilgreen.hosts.pi import closing as pi_closing

PAYLOADS = Path(__file__).parent / "payloads"
VERSIONS = {"pi": "0.87.1", "opencode": "1.18.33"}
NAMES = tuple(VERSIONS)


def read(host: str, name: str) -> Event:
    call = json.loads((PAYLOADS / host / VERSIONS[host] / f"bridge.{name}.json").read_text(encoding="utf-8"))
    return hosts.get(host).read(json.loads(call["stdin"]), call["env"], "other")


def test_a_stop_is_read_field_by_field() -> None:
    event = read("pi", "07-Stop")
    assert event == Event(
        name="stop",
        host="pi",
        session=event.session,
        cwd="/tmp/project",
        message="second stop",
        transcript=event.transcript,
        client=event.client,
        turn_goes_on=True,
        quiet=True,
    )
    assert event.transcript.endswith(f"_{event.session}.jsonl")
    assert event.client.isdecimal()
    own = read("opencode", "09-Stop")
    assert (own.name, own.message, own.permission_mode, own.turn_goes_on) == ("stop", "second stop", "build", True)


@pytest.mark.parametrize("host", NAMES)
def test_the_other_events_are_read_by_their_names(host: str) -> None:
    assert (read(host, "01-SessionStart").name, read(host, "01-SessionStart").source) == ("session-start", "startup")
    prompt = read(host, "02-UserPromptSubmit")
    assert (prompt.name, prompt.prompt.strip('"')) == ("prompt", "fix it please")
    failed = read(host, {"pi": "11-StopFailure", "opencode": "13-StopFailure"}[host])
    assert failed.name == "failure"
    assert failed.failure is not None
    assert failed.failure.kind == "unknown"
    assert "onnect" in failed.failure.text
    again = {"pi": "09-SessionStart", "opencode": "11-SessionStart"}[host]
    assert (read(host, again).source, read(host, again).session) == ("resume", failed.session)


@pytest.mark.parametrize("host", NAMES)
def test_a_file_is_read_with_the_text_that_was_there_before_and_a_command_with_its_exit_code(host: str) -> None:
    assert read(host, "03-PostToolUse-edit").edits == (
        Edit("/tmp/project/app.py", "def add(a, b):\n    return a - b\n"),
    )
    assert read(host, "04-PostToolUse-write").edits == (Edit("/tmp/project/notes.txt", ""),)
    shell = read(host, "05-PostToolUse-bash").used
    assert shell is not None
    assert (shell.name, shell.command, shell.exit_code) == ("bash", "echo out; echo err >&2; exit 3", 3)
    assert shell.output.startswith("out\nerr\n")


def test_what_a_sub_agent_wrote_is_its_user_s_session_s() -> None:
    event = read("opencode", "06-PostToolUse-write")
    assert event.session == read("opencode", "08-Stop").session
    assert (event.name, event.agent_id != "", event.agent_id != event.session) == ("edit", True, True)
    assert read("opencode", "07-PostToolUse-task").used == ToolUse("task", about="look", id="call_rig_4_0")


@pytest.mark.parametrize(
    ("typed", "prompt"),
    [
        ('"untilgreen:loop Mend \\"it\\" -m 3"', 'untilgreen:loop Mend "it" -m 3'),
        ("untilgreen:loop Mend it", "untilgreen:loop Mend it"),
        ('"Mend it"', '"Mend it"'),
        ('"', '"'),
    ],
)
def test_the_quotes_that_opencode_puts_round_a_word_are_taken_off_a_line_of_ours(typed: str, prompt: str) -> None:
    payload = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": typed}
    assert hosts.get("opencode").read(payload, {}, "other").prompt == prompt


@pytest.mark.parametrize("host", NAMES)
@pytest.mark.parametrize(
    ("event", "verdict", "message", "reply"),
    [
        ("stop", "allow", Message(), Reply()),
        ("stop", "allow", Message(notice="n"), Reply(stdout='{"systemMessage": "n"}')),
        ("stop", "release", Message("green", "n"), Reply(stdout='{"systemMessage": "green\\nn"}')),
        ("stop", "continue", Message("red", quiet=True), Reply(2, "", "red")),
        ("stop", "continue", Message("red", "n"), Reply(2, '{"systemMessage": "n"}', "red")),
        ("edit", "context", Message("c"), Reply(stdout='{"hookSpecificOutput": {"additionalContext": "c"}}')),
        ("prompt", "refuse", Message("no"), Reply(2, "", "no")),
        ("prompt", "answer", Message("yes"), Reply(2, "", "yes")),
    ],
)
def test_the_answers_are_exact(host: str, event: str, verdict: Kind, message: Message, reply: Reply) -> None:
    assert hosts.get(host).write(Event(event, host), verdict, message) == reply


@pytest.mark.parametrize("host", NAMES)
def test_the_settings_are_one_line_of_a_program_that_is_otherwise_as_it_was_shipped(host: str) -> None:
    settings = hosts.get(host).settings()
    assert settings is not None
    wanted = settings.merged({}, settings.entries(lambda name: (f"/h/{name}", ["--host", host]), 0))
    data = settings.wrapped(json.dumps(wanted, indent=2).encode())
    assert json.loads(settings.unwrapped(data)) == wanted
    assert settings.wrapped(settings.unwrapped(data)) == data
    assert len(data.splitlines()) <= 120
    (stop,) = (one for one in settings.registered(Scope("", ""), wanted) if one.hook == "stop-loop")
    assert stop.entry == {"command": "/h/stop-loop", "args": ["--host", host], "timeout": 600}
    assert settings.without(wanted, {}) == {}
    theirs = b"export default () => {};\nconst SETTINGS = {};\n"
    assert settings.unwrapped(theirs) == theirs


def test_what_they_print_at_the_end_of_a_process_is_read() -> None:
    used = {"usage": {"totalTokens": 7, "cost": {"total": 0.5}}, "role": "assistant"}
    said = {"content": [{"type": "text", "text": "Done."}], "stopReason": "stop", **used}
    ended = [{"type": "message_end", "message": one} for one in ({"role": "user", "content": "go"}, used, said)]
    found = pi_closing.read("\n".join(map(json.dumps, ended)))
    assert found is not None
    assert (found.text, found.failed, found.tokens, found.cost) == ("Done.", False, 14, 1.0)
    broken = {"type": "message_end", "message": {**said, "stopReason": "error", "errorMessage": "Connection error."}}
    failed = pi_closing.read(json.dumps(broken))
    assert failed is not None
    assert (failed.failed, failed.error) == (True, "Connection error.")
    assert pi_closing.read("nothing") is None
    steps = [{"type": "text", "part": {"text": "Done."}}, {"type": "step_finish", "part": {"tokens": {"total": 9}}}]
    whole = opencode_closing.read("\n".join(map(json.dumps, steps)))
    assert whole is not None
    assert (whole.text, whole.failed, whole.tokens, whole.cost) == ("Done.", False, 9, None)
    fault = {"type": "error", "error": {"name": "APIError", "data": {"message": "no", "statusCode": 503}}}
    wrong = opencode_closing.read(json.dumps(fault))
    assert wrong is not None
    assert (wrong.failed, wrong.error, wrong.status) == (True, "no", 503)
    assert opencode_closing.read("") is None
