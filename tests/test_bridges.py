"""The bridges into Pi and OpenCode: what they send, the exact answers, and the file in which one lies."""

import json

import pytest

from untilgreen import hosts
from untilgreen.hosts.host import Scope
from untilgreen.hosts.records import Closing

VERSIONS = {"pi": "0.87.1", "opencode": "1.18.33"}
NAMES = tuple(VERSIONS)


def closing_of(host: str, printed: str) -> Closing | None:
    closing = hosts.get(host).closing
    return closing(printed) if closing else None


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
    found = closing_of("pi", "\n".join(map(json.dumps, ended)))
    assert found is not None
    assert (found.text, found.failed, found.tokens, found.cost) == ("Done.", False, 14, 1.0)
    broken = {"type": "message_end", "message": {**said, "stopReason": "error", "errorMessage": "Connection error."}}
    failed = closing_of("pi", json.dumps(broken))
    assert failed is not None
    assert (failed.failed, failed.error) == (True, "Connection error.")
    assert closing_of("pi", "nothing") is None
    steps = [{"type": "text", "part": {"text": "Done."}}, {"type": "step_finish", "part": {"tokens": {"total": 9}}}]
    whole = closing_of("opencode", "\n".join(map(json.dumps, steps)))
    assert whole is not None
    assert (whole.text, whole.failed, whole.tokens, whole.cost) == ("Done.", False, 9, None)
    fault = {"type": "error", "error": {"name": "APIError", "data": {"message": "no", "statusCode": 503}}}
    wrong = closing_of("opencode", json.dumps(fault))
    assert wrong is not None
    assert (wrong.failed, wrong.error, wrong.status) == (True, "no", 503)
    assert closing_of("opencode", "") is None
