"""Qwen Code: what its payloads mean, the exact answers, its chat log, its files. The program itself: tests/e2e."""

import json
from pathlib import Path
from typing import Any

import pytest

from untilgreen import hosts
from untilgreen.core.model.event import Act, Tokens
from untilgreen.core.model.snapshot import Answered, ReadSoFar, Used
from untilgreen.hosts.host import Scope, Source
from untilgreen.hosts.records import Closing

QWEN = hosts.get("qwen")
RECORDED = Path(__file__).parent / "payloads" / "qwen" / "0.24.4"
CHATS = RECORDED / "transcripts" / "chats"
SESSION = "657d7d63-09a1-4ee2-9f54-f76625187d81"
LOG = CHATS / f"{SESSION}.jsonl"


def payload(name: str) -> dict[str, Any]:
    call = json.loads((RECORDED / f"{name}.json").read_text(encoding="utf-8"))
    found: dict[str, Any] = json.loads(call["stdin"])
    return found


def test_a_prompt_is_the_line_that_was_typed_not_what_its_command_makes_of_it() -> None:
    typed = payload("02-typed.02-UserPromptSubmit")
    line = "loop fix 'it' --max-iterations 3 $(x)"
    assert QWEN.read(typed, {}, "other").prompt == f"/untilgreen:{line}"
    del typed["submitted_prompt"]  # fetched from the history
    assert QWEN.read(typed, {}, "other").prompt == f"untilgreen:{line}"


def test_its_log_tells_what_was_said_done_and_used(tmp_path: Path) -> None:
    acts = QWEN.acts(str(LOG))
    assert QWEN.last_message(str(LOG)) == "Answer number 8."
    assert [act for act in acts if not act.tokens] == [
        Act("2026-11-23T23:33:21.197Z", edited="/tmp/project/app.py"),
        Act("2026-11-23T23:33:21.471Z", edited="/tmp/project/notes.txt"),
        Act("2026-11-23T23:33:21.655Z", command="echo out; echo err >&2; exit 3"),
        Act("2026-11-23T23:33:22.121Z", command="echo fine"),
    ]
    assert {act.tokens for act in acts if act.tokens} == {Tokens(1000, 0, 50)}
    one = Used(1000, 50)
    since = QWEN.usage(str(LOG), (), {}, "2026-11-23T23:33:22.5") or {}
    assert {name: [*found.newest.values()] for name, found in since.items()} == {
        f"chats/{SESSION}.jsonl": [Answered("rig-model", one)] * 2
    }
    assert QWEN.usage(str(LOG), (), since, "2026") == since


def test_the_logs_of_sub_agents_count_too() -> None:
    main = CHATS / "ba19abad-989a-4bee-b242-f41a202c3f62.jsonl"
    found = QWEN.usage(str(main), (), {}, "2026") or {}
    agent = "subagents/ba19abad-989a-4bee-b242-f41a202c3f62/agent-general-purpose-call_rig_1_0.jsonl"
    assert sorted(found) == [f"chats/{main.name}", agent]
    assert found[agent].newest != {}
    assert found[agent]._replace(newest={}, offset=0) == ReadSoFar()


def test_its_settings_call_for_a_shell_and_leave_nothing_behind() -> None:
    own = QWEN.settings()
    assert own is not None
    entries = own.entries(lambda name: (f"/a b/{name}", ["--host", "qwen"]), 600)
    assert entries["Stop"] == [
        {"hooks": [{"type": "command", "command": "'/a b/stop-loop' --host qwen", "timeout": 600}]}
    ]
    merged = own.merged({}, entries)
    assert own.without({**merged, "$version": 4}, {}) == {}  # the host's own mark
    assert own.without({**own.merged({"ui": {}}, entries), "$version": 4}, {"ui": {}}) == {"ui": {}, "$version": 4}


@pytest.mark.parametrize("failed", [False, True])
def test_what_it_prints_at_its_end_is_read(failed: bool) -> None:
    closing = QWEN.closing
    assert closing is not None
    said = {"type": "assistant", "message": {"content": [{"type": "text", "text": "Done."}]}}
    result = {"type": "result", "is_error": failed, "result": "First.Done.", "usage": {"total_tokens": 12}}
    error = {"error": {"message": "no connection"}} if failed else {}
    text = json.dumps([said, {**result, **error}])
    assert closing(text) == Closing("Done.", "no connection" if failed else "", failed=failed, tokens=12)


# --- health ---------------------------------------------------------------------


def silenced(found: list[Source], root: Path, env: dict[str, str]) -> list[str]:
    health = QWEN.settings()
    assert health is not None
    return [one.what for one in health.silenced(found, str(root), env, str)]


def test_what_keeps_the_host_from_running_our_hooks_is_said(tmp_path: Path) -> None:
    files = QWEN.settings()
    assert files is not None
    ours = files.merged({}, files.entries(lambda name: (f"/opt/{name}", ["--host", "qwen"]), 0))
    theirs = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}}
    asks = {"security": {"folderTrust": {"enabled": True}}}
    home, project = tmp_path / "home", tmp_path / "project"
    env = {"QWEN_HOME": str(home)}

    def told(local: dict[str, Any], user: dict[str, Any]) -> list[str]:
        sources = [
            Source("qwen", Scope("local", "local.json"), local),
            Source("qwen", Scope("user", "user.json"), user),
        ]
        return silenced(sources, project, env)

    assert told(ours, {}) == []
    assert told(ours, {"disableAllHooks": True}) == ['"disableAllHooks" is true in user.json: the host runs no hook']
    assert told(ours | {"disableAllHooks": False}, {"disableAllHooks": True}) == []
    assert told(ours, theirs) == ["another hook on Stop may hold the agent, too (user.json): say done"]
    assert told(ours, asks) == [f"{project} is no trusted folder: the host runs no hook of it"]
    assert told({}, ours | asks) == []
    home.mkdir()
    (home / "trustedFolders.json").write_text(json.dumps({str(tmp_path): "TRUST_FOLDER"}))
    assert told(ours, asks) == []
    (home / "trustedFolders.json").write_text(json.dumps({str(tmp_path): "TRUST_FOLDER", str(project): "DO_NOT_TRUST"}))
    assert told(ours, asks) == [f"{project} is no trusted folder: the host runs no hook of it"]
