"""Copilot CLI: its payloads, the exact bytes of the answers, its record of a session, its settings and skills."""

import json
import os
import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from in_process import untilgreen
from untilgreen import hosts
from untilgreen.core.model.event import Act, Event, Message, Tokens
from untilgreen.core.model.snapshot import ReadSoFar, Used
from untilgreen.hosts import copilot as wire
from untilgreen.hosts.copilot.install import SETTINGS
from untilgreen.hosts.host import Scope, Source
from untilgreen.hosts.records import Closing
from world import World

COPILOT = hosts.get("copilot")
RECORDED = Path(__file__).parent / "payloads" / "copilot" / "1.0.102"
CALLS = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(RECORDED.glob("*.json"))}
SUBAGENT, API_ERROR = (str(RECORDED / "transcripts" / name) for name in ("02-subagent.jsonl", "04-api-error.jsonl"))


def payload(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(CALLS[name]["stdin"])
    return found


def read(name: str) -> Event:
    return wire.read(payload(name), {"HOME": "/tmp/home", **CALLS[name]["env"]})


# --- read -----------------------------------------------------------------------


def test_of_an_end_the_record_is_known_though_the_host_does_not_name_it() -> None:
    session = payload("04-api-error.09-SessionEnd")["session_id"]
    moved = wire.read(payload("04-api-error.09-SessionEnd"), {"COPILOT_HOME": "/elsewhere"})
    assert moved.transcript == f"/elsewhere/session-state/{session}/events.jsonl"
    assert wire.read({"hook_event_name": "SessionEnd", "session_id": "../../x"}, {}).transcript == ""


def test_what_a_skill_of_ours_tells_the_agent_is_no_part_of_the_line() -> None:
    told = payload("06-skill.01-UserPromptSubmit")
    told["prompt"] = told["prompt"].replace("  now", f" now,\n\nand then\n\nrest.\n\n{wire.ASIDE}\nWork on it.")
    assert wire.read(told, {}).prompt == 'untilgreen:loop Make "it" $(work) now,\n\nand then\n\nrest.'
    told["prompt"] = told["prompt"].replace("untilgreen:loop", "Look at")
    assert wire.read(told, {}).prompt == told["prompt"]


@pytest.mark.parametrize(
    ("camel", "pascal"),
    [
        ("01-camel.01-sessionStart", "00-smoke.01-SessionStart"),
        ("01-camel.02-userPromptSubmitted", "00-smoke.02-UserPromptSubmit"),
        ("01-camel.09-postToolUse-bash", "00-smoke.08-PostToolUse-Bash"),
        ("01-camel.12-postToolUse-create", "00-smoke.11-PostToolUse-Write"),
        ("01-camel.15-postToolUse-edit", "00-smoke.14-PostToolUse-Edit"),
        ("01-camel.17-postToolUseFailure-edit", "00-smoke.16-PostToolUseFailure-Edit"),
        ("01-camel.23-agentStop", "00-smoke.21-Stop"),
        ("01-camel.24-sessionEnd", "00-smoke.22-SessionEnd"),
    ],
)
def test_both_forms_of_an_event_are_read_alike(camel: str, pascal: str) -> None:
    session = payload(pascal)["session_id"]
    theirs = CALLS[camel]["stdin"].replace(payload(camel)["sessionId"], session)
    assert wire.read(json.loads(theirs), {"HOME": "/tmp/home"}) == read(pascal)


# --- write ----------------------------------------------------------------------


def test_a_verdict_that_is_none_is_an_error() -> None:
    with pytest.raises(ValueError, match="no such verdict: nothing"):
        wire.write(Event("stop", "copilot"), "nothing", Message())  # type: ignore[arg-type]


# --- its record of a session ----------------------------------------------------


def test_the_last_message_is_the_main_agents() -> None:
    assert COPILOT.last_message(SUBAGENT) == "Answer main."


def test_a_message_of_an_earlier_turn_is_no_answer_to_this_one(tmp_path: Path) -> None:
    lines = Path(SUBAGENT).read_text(encoding="utf-8").splitlines(keepends=True)
    asked = next(line for line in lines if '"user.message"' in line)
    stop = next(line for line in reversed(lines) if '"agentStop"' in line)
    file = tmp_path / "events.jsonl"
    file.write_text("".join((*lines, asked, "{\n", "[]\n", stop)), encoding="utf-8")
    assert COPILOT.last_message(str(file)) is None


def test_the_message_of_this_stop_is_waited_for_behind_that_of_the_stop_before(tmp_path: Path) -> None:
    lines = Path(SUBAGENT).read_text(encoding="utf-8").splitlines(keepends=True)
    stop = next(line for line in reversed(lines) if '"agentStop"' in line and '"hook.start"' in line)
    message = next(line for line in reversed(lines) if "Answer main." in line)
    file = tmp_path / "events.jsonl"
    file.write_text(message + stop, encoding="utf-8")

    def written() -> None:
        now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        this = json.dumps(json.loads(stop) | {"timestamp": now})
        with file.open("a", encoding="utf-8") as record:
            record.write(f"{message.replace('Answer main.', 'I am blocked.')}{this}\n")

    later = threading.Timer(0.15, written)
    later.start()
    began = time.monotonic()
    assert COPILOT.last_message(str(file)) == "I am blocked."
    assert time.monotonic() - began < 0.5
    later.join()


def test_a_turn_that_the_model_did_not_answer_is_known_by_its_error() -> None:
    failure = COPILOT.last_failure(API_ERROR)
    assert failure is not None
    assert (failure.kind, failure.text.splitlines()[0]) == (
        "unknown",
        "Could not connect to local model provider at http://127.0.0.1:9/v1.",
    )
    assert COPILOT.last_failure(SUBAGENT) is None


def test_what_it_and_its_sub_agents_did_and_used_is_read_on_from_where_a_stop_ended(tmp_path: Path) -> None:
    assert COPILOT.acts(SUBAGENT)[0] == Act("2026-11-23T23:50:13.407Z", edited="/tmp/project/notes.txt")
    assert [act.tokens for act in COPILOT.acts(SUBAGENT)[1:]] == [Tokens(1000, 0, 50)] * 4
    text = Path(SUBAGENT).read_text(encoding="utf-8").replace('"cacheReadTokens":0', '"cacheReadTokens":400', 1)
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


def test_a_process_closes_with_its_last_message_or_its_error() -> None:
    said = (
        '{"type":"assistant.message","data":{"content":"Bye."}}\n{"type":"assistant.message","agentId":"x","data":{}}\n'
    )
    closing = COPILOT.closing
    assert closing is not None
    assert closing(said) is None
    assert closing(said + '{"type":"result","exitCode":0}') == Closing("Bye.")
    failed = '{"type":"session.error","data":{"message":"no model"}}\n{"type":"result","exitCode":1}'
    assert closing(failed) == Closing("", "no model", failed=True)


# --- settings, skills, health ---------------------------------------------------


def test_it_is_registered_beside_what_others_have_there_and_taken_out(green: World) -> None:
    file = green.project / ".github" / "copilot" / "settings.local.json"
    theirs = {"hooks": {"Stop": [{"type": "command", "command": "say done"}]}, "model": "gpt-5"}
    green.write({".github/copilot/settings.local.json": json.dumps(theirs)})
    before = file.read_bytes()

    assert untilgreen(green, "init", "--host", "copilot") == 0

    settings = json.loads(file.read_text())
    entry = settings["hooks"]["Stop"][1]["hooks"][0]
    assert settings["hooks"]["Stop"][0] == theirs["hooks"]["Stop"][0]  # type: ignore[index]
    assert sorted(entry) == ["args", "exec", "timeoutSec", "type"]
    assert (os.access(entry["exec"], os.X_OK), entry["args"], entry["timeoutSec"]) == (True, ["--host", "copilot"], 600)
    skill = (green.project / ".github/skills/untilgreen-loop/SKILL.md").read_text()
    assert skill.startswith("---\nname: untilgreen:loop\ndescription: ")
    assert f"\n---\n\nuntilgreen:loop $ARGUMENTS\n\n{wire.ASIDE}\nA loop of untilgreen" in skill
    assert (green.project / ".github/skills/until-green/SKILL.md").exists()

    assert untilgreen(green, "uninstall", "--host", "copilot") == 0

    assert file.read_bytes() == before
    assert not (green.project / ".github" / "skills").exists()


def test_a_project_in_a_folder_that_is_not_trusted_is_told(green: World) -> None:
    entries = SETTINGS.entries(lambda name: (f"/untilgreen/{name}", ["--host", "copilot"]))
    local = Source("copilot", Scope("local", "/local.json"), SETTINGS.merged({}, entries))
    user, root = local._replace(scope=Scope("user", "/user.json")), str(green.project)

    def told(*found: Source) -> list[str]:
        return [one.what for one in SETTINGS.silenced(found, root, green.env, str)]

    assert told(local) == [f"{root} is no trusted folder: its hooks run in no session that is not asked to trust it"]
    assert told(user) == []
    config = green.home / ".copilot" / "config.json"
    config.parent.mkdir()
    config.write_text(f'// managed automatically\n{{"trustedFolders": ["{green.project.parent}"]}}')
    assert told(local) == []
    off = Source("copilot", Scope("settings", "/settings.json"), {"disableAllHooks": True})
    assert told(local, off) == ['"disableAllHooks" is true in /settings.json: the host runs no hook']
