"""Payloads that are traps, sent to a project of our own in which a loop runs: it is held or let go, and never green."""

import pytest

from world import World

from . import payloads
from .harness import events, filled, violations

EVERY = ("stop-loop", "session-loop", "post-tool-lint", "post-tool-lsp", "post-tool-ast-grep", "post-tool-bash")


def _of(world: World, fields: dict[str, object]) -> dict[str, object]:
    """The fields with the world's own folders in them."""
    return {
        key: filled(one, world) if isinstance(one, str) else _of(world, one) if isinstance(one, dict) else one
        for key, one in fields.items()
    }


@pytest.mark.parametrize("trap", payloads.WHOLE)
def test_what_is_no_payload_is_told(looping: World, trap: str) -> None:
    calls = {name: (name, payloads.WHOLE[trap]) for name in EVERY[: 3 if len(payloads.WHOLE[trap]) < 2**20 else 1]}
    for known in (True, False):  # without a session a person calls
        assert list(violations(looping, calls, known=known, codes=(0, 2))) == []


@pytest.mark.parametrize("trap", payloads.STOP)
def test_a_stop_with_a_field_that_is_a_trap_is_held_or_let_go(looping: World, trap: str) -> None:
    payload = looping.payload(**payloads.STOP[trap])
    found = list(violations(looping, {"stop": ("stop-loop", payloads.sent(payload))}, known=False, codes=(0, 2)))
    assert found == []
    assert looping.state["active"]


@pytest.mark.parametrize("trap", payloads.TRANSCRIPTS)
def test_a_transcript_that_is_a_trap_is_no_message(looping: World, trap: str) -> None:
    payload = looping.payload(transcript_path=filled(payloads.TRANSCRIPTS[trap], looping))
    del payload["last_assistant_message"]
    found = list(violations(looping, {"stop": ("stop-loop", payloads.sent(payload))}, codes=(0, 2)))
    assert found == []
    assert looping.state["iteration"] == 2


@pytest.mark.parametrize("trap", payloads.PROMPTS)
def test_a_prompt_that_is_a_trap_ends_in_time(looping: World, trap: str) -> None:
    payload = events(looping)["prompt"][1] | {"prompt": payloads.PROMPTS[trap]}
    found = list(violations(looping, {"prompt": ("session-loop", payloads.sent(payload))}, codes=(0, 2)))
    assert found == []


@pytest.mark.parametrize("trap", payloads.EDITS)
def test_an_edit_that_is_a_trap_is_looked_at_or_not(looping: World, trap: str) -> None:
    payload = payloads.sent(looping.edited("app.py", "import os\n", "") | _of(looping, payloads.EDITS[trap]))
    calls = {name: (name, payload) for name in EVERY[2:]} | {"stop": ("stop-loop", payloads.sent(looping.payload()))}
    assert list(violations(looping, calls, codes=(0, 2))) == []


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-32", "of 5,000 digits"])
def test_a_payload_in_another_form_is_judged(looping: World, encoding: str) -> None:
    looping.write({"app.py": "import os\n"})
    if encoding.startswith("of"):
        raw = payloads.sent(looping.payload(n="N")).replace(b'"N"', b"9" * 5_000)
    else:
        raw = payloads.sent(looping.payload()).decode().encode(encoding)
    assert looping.run("stop-loop", stdin=raw).held
