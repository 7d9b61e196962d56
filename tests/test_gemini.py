"""Gemini CLI: what its payloads mean, the exact answers, its chat log, its files. The program itself: tests/e2e."""

import json
import subprocess
from pathlib import Path
from typing import Any

from untilgreen import hosts
from untilgreen.core.model.event import Act, Event, Tokens
from untilgreen.core.model.snapshot import Answered, Used
from untilgreen.hosts.hook_health import words_of
from untilgreen.hosts.host import Scope, Source
from untilgreen.hosts.records import Closing

GEMINI = hosts.get("gemini")
RECORDED = Path(__file__).parent / "payloads" / "gemini" / "0.61.0"
LOG = RECORDED / "transcripts" / "session-2026-11-23T23-45-ff95fc14.jsonl"
EMPTY = RECORDED / "transcripts" / "session-2026-11-23T23-54-e7f5282f.jsonl"


def payload(name: str) -> dict[str, Any]:
    call = json.loads((RECORDED / f"{name}.json").read_text(encoding="utf-8"))
    found: dict[str, Any] = json.loads(call["stdin"])
    return found


def read(name: str) -> Event:
    return GEMINI.read(payload(name), {}, "other")


def test_an_old_answer_is_not_taken_for_the_newest() -> None:
    assert payload("04-empty-answer.10-AfterAgent")["prompt_response"] == "A1"
    assert read("04-empty-answer.10-AfterAgent").message is None
    assert GEMINI.last_message(str(EMPTY)) == ""


def test_its_log_tells_what_was_said_done_and_used() -> None:
    acts = GEMINI.acts(str(LOG))
    assert GEMINI.last_message(str(LOG)) == "Answer number 8."
    assert [(act.edited, act.command) for act in acts if not act.tokens] == [
        ("/tmp/project/app.py", ""),
        ("", "echo out; echo err >&2; exit 3"),
        ("", "echo fine"),
    ]
    assert acts[0] == Act("2026-11-23T23:45:49.377Z", edited="/tmp/project/app.py")
    assert [act.tokens for act in acts if act.tokens] == [Tokens(1000, 0, 50)] * 8
    found = GEMINI.usage(str(LOG), ("ff95fc14-3d14-42bc-b68c-7e90b0a1ab55",), {}, "2026-11-23T23:45:50") or {}
    assert {name: [*one.newest.values()] for name, one in found.items()} == {
        LOG.name: [Answered("gemini-2.5-pro", Used(1000, 50))] * 2
    }


def test_a_registration_whose_command_is_gone_lets_the_agent_go() -> None:
    own = GEMINI.settings()
    assert own is not None
    entries = own.entries(lambda name: (f"/nowhere/{name}", ["--host", "gemini"]), 600)
    (group,) = entries["AfterAgent"]
    assert group == {
        "hooks": [
            {
                "type": "command",
                "command": "/nowhere/stop-loop --host gemini || true",
                "timeout": 600_000,
                "name": "untilgreen stop-loop",
            }
        ]
    }
    done = subprocess.run(["/bin/sh", "-c", group["hooks"][0]["command"]], capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, b"")
    assert words_of(group["hooks"][0]) == ("/nowhere/stop-loop", "--host", "gemini")
    assert own.stop_seconds(own.merged({}, own.entries(lambda name: (name, ["--host", "gemini"]), 300))) == 300
    assert own.without(own.merged({"ui": {}}, entries), {"ui": {}}) == {"ui": {}}


def test_what_it_prints_at_its_end_is_read() -> None:
    closing = GEMINI.closing
    assert closing is not None
    document = {"session_id": "x", "response": "Done.", "stats": {"models": {"m": {"tokens": {"total": 12}}}}}
    assert closing("YOLO mode\n" + json.dumps(document, indent=2)) == Closing("Done.", tokens=12)
    failed = {"session_id": "x", "error": {"type": "Error", "message": "no key", "code": 429}}
    assert closing(json.dumps(failed, indent=2)) == Closing("", "no key", failed=True, status=429)
    assert closing("") is None


# --- health ---------------------------------------------------------------------


def test_what_keeps_the_host_from_running_our_hooks_is_said(tmp_path: Path) -> None:
    files = GEMINI.settings()
    assert files is not None
    ours = files.merged({}, files.entries(lambda name: (f"/opt/{name}", ["--host", "gemini"]), 0))
    home, project = tmp_path / "home", tmp_path / "project"
    untrusted = f"{project} is no trusted folder: the host runs no hook of it"

    def told(local: dict[str, Any], user: dict[str, Any], **env: str) -> list[str]:
        sources = [
            Source("gemini", Scope("local", "local.json"), local),
            Source("gemini", Scope("user", "u.json"), user),
        ]
        found = files.silenced(sources, str(project), {"GEMINI_CLI_HOME": str(home)} | env, str)
        return [one.what for one in found]

    assert told(ours, {}) == [untrusted]
    assert told(ours, {}, GEMINI_CLI_TRUST_WORKSPACE="true") == []
    assert told(ours, {"security": {"folderTrust": {"enabled": False}}}) == []
    (home / ".gemini").mkdir(parents=True)
    (home / ".gemini" / "trustedFolders.json").write_text(json.dumps({str(project / "x"): "TRUST_PARENT"}))
    assert told(ours, {}) == []
    assert told(ours, {"hooksConfig": {"enabled": False}}) == [
        '"hooksConfig.enabled" is false in u.json: the host runs no hook'
    ]
    assert told(ours, {"hooksConfig": {"disabled": ["untilgreen stop-loop", "other"]}}) == [
        '"hooksConfig.disabled" in u.json switches off: untilgreen stop-loop'
    ]
