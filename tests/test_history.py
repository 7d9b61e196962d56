"""How often "done" had no passing run behind it: `untilgreen history` on transcripts in the hosts' own formats."""

import json
import re
import shutil
from collections import Counter
from typing import Any

import pytest

import recorded
from in_process import untilgreen
from transcripts import CWD, Written, labelled, write
from world import REPOSITORY, World

PAGE = (REPOSITORY / "docs" / "history.md").read_text(encoding="utf-8")
HOSTS = ("claude-code", "codex", "copilot", "gemini", "qwen")
SECRET = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"


def told(world: World, capsys: pytest.CaptureFixture[str], *words: str) -> str:
    capsys.readouterr()
    assert untilgreen(world, "history", *words) == 0
    return capsys.readouterr().out


def listed(world: World, capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(told(world, capsys, "--json", "--list"))["claims"]["list"]
    return found


def verdicts(world: World, capsys: pytest.CaptureFixture[str]) -> list[str]:
    return [one["verdict"] for one in listed(world, capsys)]


def test_the_page_says_how_good_claims_are_found(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    rows = write(labelled(), world.home)
    found = {one["path"]: one["verdict"] for one in listed(world, capsys)}
    wrong = [(row, found.get(path, "-")) for path, row in rows.items() if found.get(path, "-") != row.verdict]
    real = sum(row.verdict != "-" for row in rows.values())
    right = sum(row.verdict != "-" and path in found for path, row in rows.items())
    measured = f"{len(rows)} turns, {real} claims: precision {right / len(found):.2f}, recall {right / real:.2f}"
    assert measured in " ".join(PAGE.split()), (measured, wrong)
    assert [one for one in wrong if one[1] != "-" and one[0].verdict != "-"] == []  # what is behind a claim is right


def test_a_history_tells_each_month_both_sides_and_what_was_not_counted(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    there = str(world.project)
    Written("claude-code", world.home, "00000001-a", "/a/gone", "2020-02-03").user().did("edit").says("Fixed.")
    Written("codex", world.home, "00000002-a", "/a/gone", "2020-02-04").user().did("edit", "test=1").says("Done.")
    held = Written("qwen", world.home, "00000003-a", there, "2020-03-05").user().did("edit", "test=0").says("Fixed.")
    held.user("What is next?").says("Done: I wrote the mail.").raw("{no json")
    held.user().did("edit").says("Implemented.").user("Not green yet: 1 left").did("test=0").says("Fixed it now.")
    assert world.run("untilgreen", "trust").code == 0
    assert world.run("untilgreen", "start", "--session", world.session, "--check", "a=true", "mend it").code == 0
    assert untilgreen(world, "cancel", "--session", world.session) == 0
    Written("gemini", world.home, "00000004-a", there, "2999-03-05").user().did("edit", "test=0", "edit").says("Done.")
    lines = told(world, capsys).splitlines()
    assert [line.replace(there, "PROJECT") for line in lines[:6]] == [
        "3 of 5 claims had no passing run behind them",
        "month    claims  a passing run  the last run failed  no run since the last edit  no run at all  repository",
        "2020-02  2       0              1                    0                           1              /a/gone",
        "2020-03  2       2              0                    0                           0              PROJECT",
        "2999-03  1       0              0                    1                           0              PROJECT",
        "before untilgreen: 2 of 4 (50 %) · with untilgreen: 1 of 1 (100 %)",
    ]
    beside = "held by a stop hook and not counted: 1 · not counted, since the turn edited no source: 1"
    assert lines[6:8] == [f"4 transcripts · {beside} · lines not read: 1", ""]
    assert lines[8].split()[:3] == ["when", "loop", "end"]
    assert [len(listed(world, capsys)), len(told(world, capsys, "--list", "--since", "2020-03-01").splitlines())] == [
        5,
        3,
    ]
    one = told(world, capsys, "--list", "--repository", "/a/gone", "--since", "2020-02-04")
    path = next((world.home / ".codex").rglob("*.jsonl"))
    assert one == f"{path}:6: the last run failed (test failed in line 5): Done.\n"
    page = world.tmp / "history.html"
    assert untilgreen(world, "history", "--html", str(page)) == 0
    drawn = page.read_text(encoding="utf-8")
    assert "<h1>3 of 5 claims had no passing run behind them</h1>" in drawn
    assert "<td>2020-02</td><td>/a/gone</td><td>2 of 2</td>" in drawn
    assert re.findall(r"<script|https?:", drawn) == []


def test_a_chat_of_an_older_gemini_is_one_document_and_counted_once_beside_its_copy(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    old = recorded.PAYLOADS / "gemini/0.20.0/transcripts/session-2026-11-28T23-17-e93531c8.json"
    for place in ("5817", "shop"):  # by the hash of the folder; a newer version copies it to where it names the folder
        chats = world.home / ".gemini" / "tmp" / place / "chats"
        chats.mkdir(parents=True)
        shutil.copy(old, chats)
    (chats.parent / ".project_root").write_text("/a/gone")
    (chats / "session-broken.json").write_text("[1\n")
    (one,) = listed(world, capsys)
    assert [one[name] for name in ("repository", "verdict", "why", "sentence", "line")] == [
        *("/a/gone", "backed", "test passed in line 14", "Fixed: all tests pass.", 80)
    ]
    assert "3 transcripts · lines not read: 1" in told(world, capsys)


def test_nothing_of_a_transcript_reaches_a_terminal_as_more_than_a_short_clean_sentence(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    hostile = f"Fixed\x1b[31m it\x07 with {SECRET}, {'very ' * 60}long. <script>alert(1)</script>"
    written = Written("claude-code", world.home).user(SECRET).did("edit").ran(f"echo {SECRET}", 0, SECRET).says(hostile)
    written.raw("\udcff{")
    written.raw('{"type": "user", "message": {"content": "\\ud800"}}')
    written.raw("[" * 9_999)
    written.raw('{"timestamp": 5, "type": ["user"], "message": {"content": [null, {"type": "tool_result"}]}}')
    written.raw('{"type": "assistant", "message": {"role": "assistant", "content": [{"type": "tool_use", "id": 1}]}}')
    page = world.tmp / "history.html"
    assert untilgreen(world, "history", "--html", str(page)) == 0
    texts = [told(world, capsys, *words) for words in ((), ("--list",), ("--json", "--list"))]
    for text in (*texts, page.read_text(encoding="utf-8")):
        assert [sign for sign in text if not (sign.isprintable() or sign == "\n")] == []
        assert (SECRET in text, "<script>" in text) == (False, False)
    assert len(texts[1].partition("): ")[2]) <= 101
    assert "lines not read: 2" in texts[0]


@pytest.mark.parametrize("host", HOSTS)
def test_a_claim_is_the_last_message_of_a_turn(world: World, capsys: pytest.CaptureFixture[str], host: str) -> None:
    written = Written(host, world.home)
    written.user().did("edit").says("Fixed. Let me run the tests.").did("test=1").says("Two tests fail.")
    written.user("And now?").did("edit", "test=0").says("Fixed.").user("Commit it").did("look").says("It is fixed.")
    written.user().did("sed", "test=127").says("Fixed, too.").user().did("test=0", "doc").says("I fixed the page.")
    assert verdicts(world, capsys) == ["backed", "backed", "stale", "backed"]


def test_a_transcript_tells_who_spoke(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    claude = Written("claude-code", world.home, "00000001-a")
    claude.user().did("edit").says("Fixed.").user("[Request interrupted by user]").user("<task-notification>x")
    claude.user("Caveat", isMeta=True).says("Fixed, then.").user("<task-notification>x").says("Still fixed.")
    codex = Written("codex", world.home, "00000002-a").user("<environment_context>x").user("Go").did("edit")
    codex.says("Fixed.").user("<hook_prompt hook_run_id=1>no</hook_prompt>").did("test=0").says("Fixed now.")
    codex.user("<turn_aborted>")
    agent = Written("codex", world.home, "00000003-a").user().did("edit").says("Fixed.").path
    own = agent.read_text(encoding="utf-8").replace('"cli_version"', '"source": {"subagent": {}}, "cli_version"')
    agent.write_text(own, encoding="utf-8")
    assert [(one["host"], one["verdict"], one["sentence"]) for one in listed(world, capsys)] == [
        ("claude-code", "none", "Still fixed.")
    ]


def test_a_session_is_read_once_and_with_its_sub_agents(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    main = Written("claude-code", world.home, "00000001-a").user().did("edit", "look", "look", "look").says("Fixed.")
    copy = main.path.with_name("00000002-b.jsonl")
    copy.write_text(main.path.read_text(encoding="utf-8"), encoding="utf-8")
    assert verdicts(world, capsys) == ["none"]
    copy.unlink()
    agent = Written("claude-code", world.home, "00000001-a").user("Look").did("look", "test=0").says("Done.")
    folder = main.path.with_suffix("") / "subagents"
    folder.mkdir(parents=True)
    agent.path.rename(folder / "agent-1.jsonl")
    Written("claude-code", world.home, "00000001-a").user().did("edit", "look", "look", "look").says("Fixed.")
    assert verdicts(world, capsys) == ["backed"]
    Written("claude-code", world.home, "00000001-a").user().did("look", "look", "look", "edit").says("Fixed.")
    stale = "no run since the last edit (last edit in line 9, last run in a sub-agent): Fixed.\n"
    assert told(world, capsys, "--list").endswith(f".jsonl:10: {stale}")


def test_a_command_of_codex_is_asked_for_its_end_later(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    def item(name: str, /, **payload: Any) -> str:
        return json.dumps({"timestamp": "2026-10-05T10:00:30.000Z", "type": name, "payload": payload})

    codex = Written("codex", world.home).user().did("edit").ran("pytest -q", None)
    poll = {"name": "write_stdin", "call_id": "c9", "arguments": '{"session_id": 7, "chars": ""}'}
    codex.raw(item("response_item", type="function_call", **poll))
    output = "Wall time: 9 s\nProcess exited with code 0\nOutput:\n"
    codex.raw(item("response_item", type="function_call_output", call_id="c9", output=output))
    codex.says("Fixed.")
    patch = "*** Begin Patch\n*** Update File: src/app.py\n@@\n-x\n+y\n*** End Patch"
    codex.user().raw(item("response_item", type="custom_tool_call", call_id="c8", name="apply_patch", input=patch))
    codex.raw(item("response_item", type="custom_tool_call_output", call_id="c8", output="Exit code: 0\nOutput:\n"))
    codex.says("Fixed again.").user()
    run = {"type": "CommandExecution", "id": "c7", "command": ["/bin/bash", "-lc", "pytest -q"], "exit_code": 1}
    codex.raw(item("event_msg", type="item_completed", item=run))
    codex.says("Fixed for good.")
    assert verdicts(world, capsys) == ["backed", "stale", "failed"]


def test_hosts_that_live_elsewhere_are_found_there(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    moved = {
        "CLAUDE_CONFIG_DIR": ".claude",
        "CODEX_HOME": ".codex",
        "COPILOT_HOME": ".copilot",
        "GEMINI_CLI_HOME": "",
        "QWEN_HOME": ".qwen",
    }
    elsewhere = world.tmp / "else"
    for host in HOSTS:
        Written(host, elsewhere, f"{HOSTS.index(host):08}-a").user().did("edit").says("Fixed.")
    assert json.loads(told(world, capsys, "--json"))["claims"]["counted"] == 0
    world.env |= {name: str(elsewhere / folder) for name, folder in moved.items()}
    found = listed(world, capsys)
    assert Counter(one["host"] for one in found) == Counter(HOSTS)
    assert {(one["repository"], one["verdict"]) for one in found} == {(CWD, "none")}
