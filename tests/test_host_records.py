"""What hosts write down of a session, and what they print at the end of a process: recorded ones, in one table."""

import json
import threading
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import recorded
from untilgreen import hosts
from untilgreen.core.model.event import Act, Tokens, TurnFailure
from untilgreen.core.model.snapshot import Answered, ReadSoFar, Used
from untilgreen.hosts.records import Closing

COPILOT, GEMINI, QWEN = map(hosts.get, ("copilot", "gemini", "qwen"))
SUBAGENT = recorded.PAYLOADS / "copilot/1.0.102/transcripts/02-subagent.jsonl"
CHATS = recorded.PAYLOADS / "qwen/0.24.4/transcripts/chats"
SESSION = "657d7d63-09a1-4ee2-9f54-f76625187d81"
APP, EACH = "/tmp/project/app.py", Tokens(1000, 0, 50)
AT = "2026-11-23T23:"
CODEX_DID = [
    Act(f"{AT}44:16.721Z", edited=APP),
    Act(f"{AT}44:16.849Z", edited=APP),
    Act(f"{AT}44:17.717Z", command="sleep 2; echo late; exit 4"),
]
GEMINI_DID = [
    Act(f"{AT}45:49.377Z", edited=APP),
    Act(f"{AT}45:49.583Z", command="echo out; echo err >&2; exit 3"),
    Act(f"{AT}45:49.780Z", command="echo fine"),
]
QWEN_DID = [
    Act(f"{AT}33:21.197Z", edited=APP),
    Act(f"{AT}33:21.471Z", edited="/tmp/project/notes.txt"),
    Act(f"{AT}33:21.655Z", command="echo out; echo err >&2; exit 3"),
    Act(f"{AT}33:22.121Z", command="echo fine"),
]
COPILOT_DID = [Act(f"{AT}50:13.407Z", edited="/tmp/project/notes.txt")]
RATE_LIMITED = "exceeded retry limit, last status: 429 Too Many Requests"
UNREACHED = "Could not connect to local model provider at http://127.0.0.1:9/v1."


@pytest.mark.parametrize(
    ("path", "message", "did", "answers"),
    [
        ("codex/0.169.0/sessions/tools.jsonl", "Done.", CODEX_DID, 4),
        ("codex/0.169.0/sessions/failed.jsonl", None, [], 0),
        ("copilot/1.0.102/transcripts/02-subagent.jsonl", "Answer main.", COPILOT_DID, 4),
        ("gemini/0.61.0/transcripts/session-2026-11-23T23-45-ff95fc14.jsonl", "Answer number 8.", GEMINI_DID, 8),
        ("gemini/0.61.0/transcripts/session-2026-11-23T23-54-e7f5282f.jsonl", "", None, 0),
        (f"qwen/0.24.4/transcripts/chats/{SESSION}.jsonl", "Answer number 8.", QWEN_DID, 8),
    ],
)
def test_a_record_tells_what_was_said_and_done(
    path: str, message: str | None, did: list[Act] | None, answers: int
) -> None:
    """None for `did`: it is not looked at."""
    host = hosts.get(path.partition("/")[0])
    assert host.last_message(str(recorded.PAYLOADS / path)) == message
    if did is not None:
        acts = host.acts(str(recorded.PAYLOADS / path))
        assert [act for act in acts if not act.tokens] == did
        assert [act.tokens for act in acts if act.tokens] == [EACH] * answers


@pytest.mark.parametrize(
    ("path", "kind", "text"),
    [
        ("codex/0.169.0/sessions/tools.jsonl", "", ""),
        ("codex/0.169.0/sessions/failed.jsonl", "response_too_many_failed_attempts", RATE_LIMITED),
        ("copilot/1.0.102/transcripts/02-subagent.jsonl", "", ""),
        ("copilot/1.0.102/transcripts/04-api-error.jsonl", "unknown", UNREACHED),
    ],
)
def test_a_record_tells_why_a_turn_ended_without_an_answer(path: str, kind: str, text: str) -> None:
    failure = hosts.get(path.partition("/")[0]).last_failure(str(recorded.PAYLOADS / path))
    first = failure and failure._replace(text=failure.text.splitlines()[0])
    assert first == (TurnFailure(kind, text) if kind else None)


def newest(records: dict[str, ReadSoFar] | None) -> dict[str, list[Answered]]:
    return {name: [*one.newest.values()] for name, one in (records or {}).items()}


def test_what_models_used_since_a_moment_is_read() -> None:
    log = recorded.PAYLOADS / "gemini/0.61.0/transcripts/session-2026-11-23T23-45-ff95fc14.jsonl"
    found = GEMINI.usage(str(log), ("ff95fc14-3d14-42bc-b68c-7e90b0a1ab55",), {}, f"{AT}45:50")
    assert newest(found) == {log.name: [Answered("gemini-2.5-pro", Used(1000, 50))] * 2}
    chat = str(CHATS / f"{SESSION}.jsonl")
    since = QWEN.usage(chat, (), {}, f"{AT}33:22.5") or {}
    assert newest(since) == {f"chats/{SESSION}.jsonl": [Answered("rig-model", Used(1000, 50))] * 2}
    assert QWEN.usage(chat, (), since, "2026") == since


def test_the_logs_of_sub_agents_count_too() -> None:
    main = CHATS / "ba19abad-989a-4bee-b242-f41a202c3f62.jsonl"
    found = QWEN.usage(str(main), (), {}, "2026") or {}
    agent = "subagents/ba19abad-989a-4bee-b242-f41a202c3f62/agent-general-purpose-call_rig_1_0.jsonl"
    assert sorted(found) == [f"chats/{main.name}", agent]
    assert found[agent].newest != {}
    assert found[agent]._replace(newest={}, offset=0) == ReadSoFar()


def test_what_was_used_is_read_on_from_where_a_stop_ended(tmp_path: Path) -> None:
    text = SUBAGENT.read_text(encoding="utf-8").replace('"cacheReadTokens":0', '"cacheReadTokens":400', 1)
    lines = text.splitlines(keepends=True)
    file = tmp_path / "s" / "events.jsonl"
    file.parent.mkdir()
    half = next(at for at, line in enumerate(lines) if '"initiator":"sub-agent"' in line)
    file.write_text("".join(lines[:half]) + lines[half][:80], encoding="utf-8")
    first = COPILOT.usage(str(file), ["gone"], {}, "2026")
    assert first == {"s": ReadSoFar(len("".join(lines[:half]).encode()), {"rig-model": Used(600, 50, 0, 0, 400)}, {})}
    file.write_text(text, encoding="utf-8")
    second = COPILOT.usage(str(file), ["gone"], first, "2026")
    assert second == {"s": ReadSoFar(len(text.encode()), {"rig-model": Used(3600, 200, 0, 0, 400)}, {})}
    with pytest.raises(FileNotFoundError):
        COPILOT.usage(str(tmp_path / "gone" / "events.jsonl"), [], {}, "2026")


def test_a_message_of_an_earlier_turn_is_no_answer_to_this_one(tmp_path: Path) -> None:
    lines = SUBAGENT.read_text(encoding="utf-8").splitlines(keepends=True)
    asked = next(line for line in lines if '"user.message"' in line)
    stop = next(line for line in reversed(lines) if '"agentStop"' in line)
    file = tmp_path / "events.jsonl"
    file.write_text("".join((*lines, asked, "{\n", "[]\n", stop)), encoding="utf-8")
    assert COPILOT.last_message(str(file)) is None


def test_the_message_of_this_stop_is_waited_for_behind_that_of_the_stop_before(tmp_path: Path) -> None:
    # its patience is short: on a busy machine the message may come too late for it once, and not each time
    assert any(comes_in_time(tmp_path / "events.jsonl") for _ in range(8))


def comes_in_time(file: Path) -> bool:
    """Whether a message that is written a moment later is found, and nothing is waited for after it."""
    lines = SUBAGENT.read_text(encoding="utf-8").splitlines(keepends=True)
    stop = next(line for line in reversed(lines) if '"agentStop"' in line and '"hook.start"' in line)
    message = next(line for line in reversed(lines) if "Answer main." in line)
    file.write_text(message + stop, encoding="utf-8")

    def written() -> None:
        now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        this = json.dumps(json.loads(stop) | {"timestamp": now})
        with file.open("a", encoding="utf-8") as record:
            record.write(f"{message.replace('Answer main.', 'I am blocked.')}{this}\n")

    later = threading.Timer(0.15, written)
    later.start()
    began = time.monotonic()
    found, took = COPILOT.last_message(str(file)), time.monotonic() - began
    later.join()
    return found == "I am blocked." and took < 0.5


# --- the end of a process -------------------------------------------------------

BYE = [
    {"type": "assistant.message", "data": {"content": "Bye."}},
    {"type": "assistant.message", "agentId": "x", "data": {}},
]
NO_MODEL = [{"type": "session.error", "data": {"message": "no model"}}, {"type": "result", "exitCode": 1}]
ANSWERED = {"session_id": "x", "response": "Done.", "stats": {"models": {"m": {"tokens": {"total": 12}}}}}
NO_KEY = {"session_id": "x", "error": {"type": "Error", "message": "no key", "code": 429}}
CHAT = {"type": "assistant", "message": {"content": [{"type": "text", "text": "Done."}]}}
RESULT = {"type": "result", "is_error": False, "result": "First.Done.", "usage": {"total_tokens": 12}}
CUT = {**RESULT, "is_error": True, "error": {"message": "no connection"}}
PI_USED = {"usage": {"totalTokens": 7, "cost": {"total": 0.5}}, "role": "assistant"}
PI_SAID = {"content": [{"type": "text", "text": "Done."}], "stopReason": "stop", **PI_USED}
PI_FAILED = {**PI_SAID, "stopReason": "error", "errorMessage": "Connection error."}
STEPS = [{"type": "text", "part": {"text": "Done."}}, {"type": "step_finish", "part": {"tokens": {"total": 9}}}]
FAULT = {"type": "error", "error": {"name": "APIError", "data": {"message": "no", "statusCode": 503}}}


def pi_ends(*messages: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"type": "message_end", "message": one} for one in messages]


@pytest.mark.parametrize(
    ("host", "printed", "closing"),
    [
        ("copilot", BYE, None),
        ("copilot", [*BYE, {"type": "result", "exitCode": 0}], Closing("Bye.")),
        ("copilot", NO_MODEL, Closing("", "no model", failed=True)),
        ("gemini", "YOLO mode\n" + json.dumps(ANSWERED, indent=2), Closing("Done.", tokens=12)),
        ("gemini", json.dumps(NO_KEY, indent=2), Closing("", "no key", failed=True, status=429)),
        ("gemini", "", None),
        ("qwen", json.dumps([CHAT, RESULT]), Closing("Done.", tokens=12)),
        ("qwen", json.dumps([CHAT, CUT]), Closing("Done.", "no connection", failed=True, tokens=12)),
        ("pi", pi_ends({"role": "user", "content": "go"}, PI_USED, PI_SAID), Closing("Done.", tokens=14, cost=1.0)),
        ("pi", pi_ends(PI_FAILED), Closing("Done.", "Connection error.", failed=True, tokens=7, cost=0.5)),
        ("pi", "nothing", None),
        ("opencode", STEPS, Closing("Done.", tokens=9)),
        ("opencode", [FAULT], Closing("", "no", failed=True, status=503)),
        ("opencode", "", None),
    ],
)
def test_what_a_process_prints_at_its_end_is_read(
    host: str, printed: str | Sequence[dict[str, Any]], closing: Closing | None
) -> None:
    read = hosts.get(host).closing
    assert read is not None
    assert read(printed if isinstance(printed, str) else "\n".join(map(json.dumps, printed))) == closing
