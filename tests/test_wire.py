"""What all hosts do: every recorded payload is read as noted beside it, and the answers are exact bytes.

`payloads/HOST/events.txt` holds what is read (`python tools/record_events.py` writes it; read the diff), and
`payloads/HOST/answers.jsonl`, a line an answer, what is printed for a verdict on an event.
"""

import json
from typing import Any

import pytest

import archives
import recorded
from untilgreen import hosts
from untilgreen.core.model.event import Event, Message, Reply, ToolUse

ANSWERING = sorted(path.parent.name for path in recorded.PAYLOADS.glob("*/answers.jsonl"))


@pytest.mark.parametrize("host", recorded.HOSTS)
def test_every_recorded_payload_is_read_field_by_field(host: str) -> None:
    noted = {name: part.content.decode() for name, part in archives.parts(recorded.events(host)).items()}
    assert {call.name: recorded.event(call) for call in recorded.CALLS if call.host == host} == noted


@pytest.mark.parametrize("host", ANSWERING)
def test_every_answer_is_exact(host: str) -> None:
    """A host that does not know a key may void the whole answer."""
    for line in (recorded.PAYLOADS / host / "answers.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        assert hosts.get(host).write(event(host, row["event"]), row["verdict"], Message(**row["message"])) == reply(
            **row["reply"]
        ), line


def event(host: str, fields: dict[str, Any]) -> Event:
    used = {"used": ToolUse(**fields["used"])} if "used" in fields else {}
    return Event(**{**fields, **used}, host=host)


def reply(code: int = 0, stdout: Any = "", stderr: str = "") -> Reply:
    return Reply(code, stdout if isinstance(stdout, str) else json.dumps(stdout), stderr)
