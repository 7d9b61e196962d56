"""`untilgreen record`: the shapes of payloads kept as fixtures, and nothing that anybody wrote in them."""

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from untilgreen import hosts
from untilgreen.core.shape import Origin, merged, shape
from untilgreen.core.verdict import markers
from untilgreen.hosts import guess
from untilgreen.hosts.claude_code import wire as claude_code
from untilgreen.state import recording
from world import REPOSITORY, Answer, World

RED = ("--no-zero-errors", "--check", "a=false")
ORIGIN = Origin("/home/ada/secret-plans", "salt")
WORDS = merged(hosts.get(name).vocabulary() for name in hosts.ADAPTERS)
ID = re.compile(r"[0-9a-f]{32}")


def recorded(payload: Any, root: str = "/home/ada/secret-plans", salt: str = "salt") -> Any:
    """What is kept of a payload."""
    _, text = recording.fixture("stop-loop", json.dumps(payload).encode(), {}, root, salt, {})
    return json.loads(json.loads(text)["stdin"])


def kept(world: World) -> list[Path]:
    return sorted((world.project / ".untilgreen" / "recorded").glob("*.json"))


def record(world: World, *words: str) -> Answer:
    return world.run("untilgreen", "record", *words)


def test_while_it_is_on_every_call_is_kept_and_then_no_more(red: World) -> None:
    red.start("x", *RED)
    folder = red.project / ".untilgreen" / "recorded"
    red.stop()
    assert kept(red) == []
    assert record(red, "start") == Answer(
        0, f"untilgreen: payloads are kept in {folder} until untilgreen record stop\n", ""
    )
    assert red.stop().held
    red.prompt("hello")
    red.edit("app.py", "import os\n", env={"UNTILGREEN_DISABLE": "1"}, session_id=red.session)
    red.stop(env={"CLAUDE_CODE_SESSION_ID": red.session, "UNTILGREEN_DISABLE": "1"})
    names = ["001-Stop.json", "002-UserPromptSubmit.json", "003-PostToolUse.json", "004-Stop.json"]
    assert [path.name for path in kept(red)] == names
    assert record(red, "list") == Answer(0, "\n".join((*names, "untilgreen: recording, 4 kept\n")), "")
    assert record(red, "stop") == Answer(0, f"untilgreen: recording ended; 4 payloads kept in {folder}\n", "")
    red.stop()
    assert len(kept(red)) == 4
    assert record(red, "stop") == Answer(0, "untilgreen: nothing is being recorded here\n", "")
    assert [path.stat().st_mode & 0o777 for path in kept(red)] == [0o600] * 4


def test_a_fixture_holds_the_shape_of_a_call_and_the_same_ids_and_paths_look_the_same(red: World) -> None:
    red.start("x", *RED)
    record(red, "start")
    message = "PASSWORD=hunter2\nthe key is sk-ant-api03-abc"
    for _ in range(2):
        red.stop(message, prompt_id="8d1c5a1c-0d39-4e51-9f43-2b7c1d5a9f10", company={"name": "Acme"})
    first, second = (
        {**json.loads(text), "stdin": json.loads(json.loads(text)["stdin"])}
        for text in (path.read_text() for path in kept(red))
    )
    assert first == second
    payload = first["stdin"]
    told = red.payload()["transcript_path"]
    assert ID.fullmatch(payload["session_id"])
    assert ID.fullmatch(payload["prompt_id"])
    assert payload["session_id"] != red.session
    assert payload["transcript_path"].count("/") == told.count("/")
    assert first == {
        "event": "Stop",
        "executable": "stop-loop",
        "options": {},
        "env": {},
        "stdin": {
            "session_id": payload["session_id"],
            "transcript_path": payload["transcript_path"],
            "cwd": "/src/project",
            "permission_mode": "default",
            "hook_event_name": "Stop",
            "stop_hook_active": False,
            "last_assistant_message": f"<{len(message)} characters>",
            "background_tasks": [],
            "session_crons": [],
            "prompt_id": payload["prompt_id"],
            "<7 characters>": {"name": "<4 characters>"},
        },
    }


def test_what_was_recorded_can_be_exported_and_simulated(red: World) -> None:
    red.start("x", *RED)
    record(red, "start")
    red.stop("all done")
    red.edit("app.py", "import os\n", cwd=str(red.project / "deep"))
    out = red.home / "fixtures"
    assert record(red, "export", str(out)) == Answer(0, f"untilgreen: 2 payloads written to {out}\n", "")
    stop, edit = sorted(out.iterdir())
    assert [path.stat().st_mode & 0o777 for path in (stop, edit)] == [0o600] * 2
    told = json.loads(red.run("untilgreen", "simulate", "--json", "--session", red.session, str(stop)).stdout)
    assert told["answers"][0]["stop"]["step"] == 12
    # the edited file has another name in there: put one of that name into the project
    name = Path(json.loads(json.loads(edit.read_text())["stdin"])["tool_input"]["file_path"]).name
    red.write({name: "import os\n"})
    told = json.loads(red.run("untilgreen", "simulate", "--json", str(edit)).stdout)
    assert "F401" in told["answers"][0]["stdout"]
    again = record(red, "export", str(out))
    assert again == Answer(1, "", f"untilgreen failed: {out} is not empty. Fix: name a new folder\n")


def test_a_hook_that_was_called_with_options_is_simulated_with_them(red: World) -> None:
    red.start("x", "--no-zero-errors", "--check", 'slow=python -c "import time; time.sleep(600)"')
    record(red, "start")
    for options in (["--host", "generic"], ["--deadline", "1", "--project", str(red.project)]):
        red.run("stop-loop", *options, stdin=json.dumps(red.payload()))
    generic, short = kept(red)
    assert [json.loads(path.read_text())["options"] for path in (generic, short)] == [
        {"host": "generic"},
        {"deadline": "1"},
    ]
    told = [
        red.run("untilgreen", "simulate", "--json", "--session", red.session, str(path)) for path in (generic, short)
    ]
    by_host, by_deadline = (json.loads(one.stdout)["answers"][0]["stop"] for one in told)
    assert by_host["reason"] == "a host without an adapter"
    assert {one["name"]: one["outcome"] for one in by_deadline["checks"]}["slow"] == "broken"


def test_without_anything_recorded_there_is_nothing_to_export(red: World) -> None:
    told = record(red, "export", str(red.home / "x"))
    assert (told.code, told.stderr.partition(" in ")[0]) == (1, "untilgreen failed: nothing was recorded")
    assert not (red.home / "x").exists()


def test_only_the_newest_are_kept_and_none_that_is_huge(tmp_path: Path) -> None:
    folder = tmp_path / "recorded"
    folder.mkdir()
    (folder / "on").write_text("salt\n")
    for number in range(recording.MOST + 5):
        payload = json.dumps({"hook_event_name": "Stop", "session_id": "s", "number": number})
        recording.keep(str(tmp_path), "stop-loop", payload.encode(), {"CLAUDE_PROJECT_DIR": str(tmp_path)}, {})
    recording.keep(str(tmp_path), "stop-loop", b"x" * (recording.LARGEST + 1), {}, {})
    names = [name for _, name in recording.numbered(str(folder))]
    assert names == [f"{number:03d}-Stop.json" for number in range(6, recording.MOST + 6)]


def test_a_folder_that_cannot_be_written_disturbs_no_session(red: World) -> None:
    red.start("x", *RED)
    record(red, "start")
    (red.project / ".untilgreen" / "recorded" / "on").unlink()
    (red.project / ".untilgreen" / "recorded" / "on").mkdir()
    assert red.stop().held
    log = (red.project / ".untilgreen" / "untilgreen.log").read_text()
    assert "a payload was not recorded: IsADirectoryError" in log


SOMEBODYS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
KEYS = st.one_of(SOMEBODYS, st.sampled_from(sorted(WORDS.keys)))
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), SOMEBODYS, st.sampled_from(["Stop", "default"])),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=5)),
    max_leaves=15,
)
KNOWN = {*WORDS.keys, *WORDS.folders, ".pyi", *(word for words in WORDS.words.values() for word in words)}
OURS = re.compile(
    r"<\d+ characters>|[0-9a-f]{32}|[0-9a-f]{8}|/src/project|\n<jikime>DONE</jikime>|\n<ralph>BLOCKED</ralph>"
)


def texts(value: Any) -> list[str]:
    """Every text of a payload, and every key."""
    if isinstance(value, dict):
        return [*value, *(text for item in value.values() for text in texts(item))]
    if isinstance(value, list):
        return [text for item in value for text in texts(item)]
    return [value] if isinstance(value, str) else []


@settings(max_examples=300, deadline=None)
@given(VALUES)
def test_no_text_that_is_no_word_of_the_host_appears_in_a_recording(payload: Any) -> None:
    left = json.dumps([OURS.sub("", text) for text in texts(recorded(payload)) if text not in KNOWN])
    for text in texts(payload):
        nothing = len(text) < 4 or not re.search(r"\w", text)  # `////` is no name of anything
        assert nothing or text in KNOWN or json.dumps(text)[1:-1] not in left


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from(sorted(WORDS.keys)),
    st.text("QXZ#~ ", min_size=4, max_size=20),
    st.sampled_from(["", "/p/", "Stop "]),
)
def test_four_characters_of_a_text_are_not_kept_under_any_key(key: str, text: str, before: str) -> None:
    for value in (
        before + text,
        [before + text],
        {"x": before + text},
        f"{text}\n<ralph>BLOCKED: {text}</ralph> {text}",
    ):
        kept = json.dumps(recorded({key: value}))
        assert [
            text[i : i + 4] for i in range(len(text) - 3) if text[i : i + 4].strip() and text[i : i + 4] in kept
        ] == []


@settings(max_examples=100, deadline=None)
@given(VALUES)
def test_any_payload_gives_a_fixture_of_the_same_kind(value: Any) -> None:
    assert isinstance(recorded(value), type(value))


@pytest.mark.parametrize(
    ("raw", "stdin"),
    [
        (b'{"api_key": "swordfish', "<22 characters>"),
        (b"", ""),
        (b"[" * 100_000, "<100000 characters>"),
        (b"[" * 900 + b"]" * 900, None),
    ],
)
def test_of_a_payload_that_is_none_the_length_is_kept(raw: bytes, stdin: str | None) -> None:
    event, text = recording.fixture("stop-loop", raw, {}, "/p", "salt", {})
    assert event == "unknown"
    assert json.loads(text)["stdin"] in (("<1800 characters>", raw.decode()) if stdin is None else (stdin,))


@pytest.mark.parametrize(
    ("payload", "kept"),
    [
        ({"permission_mode": "plan"}, {"permission_mode": "plan"}),
        ({"permission_mode": "shop"}, {"permission_mode": "<4 characters>"}),
        ({"text": "plan"}, {"text": "<4 characters>"}),
        ({"tool_name": "mcp__acme__read"}, {"tool_name": "<15 characters>"}),
        ({"prompt": "/untilgreen:loop fix it"}, {"prompt": "/untilgreen:loop <7 characters>"}),
        ({"prompt": "/deploy acme"}, {"prompt": "<12 characters>"}),
        ({"prompt": "<task-notification>\nx"}, {"prompt": "<task-notification> <2 characters>"}),
        (
            {"acme": 1, "bank": 2, "<4 characters>": 3, "": 4},
            {"<4 characters>": 2, "<14 characters>": 3, "<0 characters>": 4},
        ),
        ({"acme": {"status": "running"}}, {"<4 characters>": {"status": "running"}}),
        (
            [999, -999, 12345678, -12345678, 2.0, 0.25, 1234.5, True, None, ""],
            [999, -999, 1000, 1000, 2.0, 1000.0, 1000.0, True, None, ""],
        ),
        ({"file_path": "/home/ada/secret-plans"}, {"file_path": "/src/project"}),
        ({"cwd": "../.."}, {"cwd": "../.."}),
        ({"cursor_version": "1.7"}, {"cursor_version": "<3 characters>"}),
    ],
)
def test_what_the_host_says_stays_and_what_anybody_says_goes(payload: Any, kept: Any) -> None:
    assert json.dumps(recorded(payload)) == json.dumps(kept)


def test_a_number_without_end_is_one_of_many_digits() -> None:
    assert recorded([math.inf, -math.inf, math.nan]) == [1000.0, 1000.0, 1000.0]


def test_paths_keep_their_depth_the_kind_of_their_file_and_the_hosts_folder() -> None:
    paths = ["/home/ada/secret-plans/shop/app.py", "/home/ada/secret-plans/shop/acme.key", "/home/ada/.codex/a.jsonl"]
    shown = recorded({"added_dirs": paths})["added_dirs"]
    forms = [r"/src/project/X/X\.py", r"/src/project/X/X", r"/X/X/\.codex/X\.jsonl"]
    assert all(re.fullmatch(form.replace("X", "[0-9a-f]{8}"), path) for form, path in zip(forms, shown, strict=True))
    assert shown[0].split("/")[3] == shown[1].split("/")[3]


def test_an_id_has_one_name_in_a_recording_and_another_in_the_next() -> None:
    first, again, other = (recorded({"id": "x", "agent_id": "x"}, salt=salt) for salt in ("a", "a", "b"))
    assert first == again != other
    assert first["id"] == first["agent_id"]


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("All done.\n\n<jikime>DONE</jikime>", "<32 characters>\n<jikime>DONE</jikime>"),
        ("<PROMISE> Complete </Promise>", "<29 characters>\n<jikime>DONE</jikime>"),
        ("<promise>OPEN SESAME</promise>", "<30 characters>"),
        ("x\n<ralph>BLOCKED: no password:\nzQ7x</ralph>\n", "<44 characters>\n<ralph>BLOCKED</ralph>"),
        ("> `<jikime:done />`", "<19 characters>"),
        ("I said <jikime:done /> twice", "<28 characters>"),
        ("<jikime>DONE</jikime>\nBut wait.", "<31 characters>"),
        ("</ralph>", "<8 characters>"),
        ("<custom>DONE</custom>", "<21 characters>"),
    ],
)
def test_of_the_last_message_it_stays_whether_a_marker_closes_it(message: str, kept: str) -> None:
    shown = recorded({"last_assistant_message": message})["last_assistant_message"]
    assert shown == kept
    kinds = [found and found.kind for found in map(markers.find, (message, shown))]
    assert kinds[0] == kinds[1]
    assert recorded({"text": message}) == {"text": f"<{len(message)} characters>"}


def test_of_the_environment_the_hosts_own_variables_stay() -> None:
    env = {"AI_AGENT": "claude-code_2-1-330_harness", "CLAUDECODE": "1", "CLAUDE_EFFORT": "acme", "API_KEY": "x"}
    env |= {"CLAUDE_PROJECT_DIR": "/p", "CLAUDE_CODE_SESSION_ID": "some-session"}
    _, text = recording.fixture("stop-loop", b'{"session_id": "some-session"}', env, "/p", "salt", {})
    kept = json.loads(text)
    assert kept["env"] == {
        "AI_AGENT": "claude-code_2-1-330_harness",
        "CLAUDECODE": "1",
        "CLAUDE_CODE_SESSION_ID": json.loads(kept["stdin"])["session_id"],
        "CLAUDE_EFFORT": "<4 characters>",
        "CLAUDE_PROJECT_DIR": "/src/project",
    }


def test_an_event_that_nobody_knows_names_no_file() -> None:
    event, text = recording.fixture("stop-loop", b'{"hook_event_name": "AcmeStop"}', {}, "/p", "salt", {})
    assert (event, json.loads(text)["event"]) == ("unknown", "<8 characters>")


def test_of_every_recorded_payload_the_hooks_understand_the_same() -> None:
    for path in sorted((REPOSITORY / "tests" / "payloads").glob("*/*/*.json")):
        payload = json.loads(json.loads(path.read_text())["stdin"])
        if not isinstance(payload, dict):
            continue
        shown = recorded(payload, "/tmp/project")
        assert guess.foreign(shown, {}) == guess.foreign(payload, {}), path.name
        kept, was = claude_code.read(shown, {}), claude_code.read(payload, {})
        assert (kept.name, kept.permission_mode, kept.source) == (was.name, was.permission_mode, was.source)
        assert (kept.session == "", kept.prompt_id == "", kept.agent_id == "") == (
            was.session == "",
            was.prompt_id == "",
            was.agent_id == "",
        )
        assert [one.kind for one in kept.tasks] == [one.kind for one in was.tasks]
        assert [Path(one.path).suffix for one in kept.edits] == [Path(one.path).suffix for one in was.edits]


def test_a_large_payload_takes_no_long_time() -> None:
    """What is not linear in its length would not end."""
    pieces = ("<ralph", "<ralph>", "</ralph>", " ", "\n", "-", "`", "/", "BLOCKED", "1")
    half = recording.LARGEST // 2
    for piece in pieces:
        text = piece * (half // len(piece))
        shape({"last_assistant_message": f"<ralph>{text}x", "cwd": text, "prompt": text}, WORDS, ORIGIN)
    shape({str(number): number for number in range(100_000)}, WORDS, ORIGIN)


def test_a_payload_on_stdin_is_kept_without_its_secrets(red: World) -> None:
    why = f"{red.project} is not trusted: nothing is kept there. Fix: run untilgreen trust"
    assert red.run("untilgreen", "record", stdin="{}") == (1, "", f"untilgreen failed: {why}\n")
    assert red.run("untilgreen", "trust").code == 0
    payload = json.dumps(red.payload(last_assistant_message="the key is sk-ant-api03-" + "Ab1" * 20))
    answer = red.run("untilgreen", "record", stdin=payload)
    path = Path(answer.stdout.strip())
    assert (answer.code, answer.stderr, path.name) == (0, "", "001-Stop.json")
    text = path.read_text(encoding="utf-8")
    assert "Ab1Ab1" not in text
    assert red.session not in text
    assert red.run("untilgreen", "simulate", str(path)).code == 0


def test_without_a_payload_record_says_what_it_takes(red: World) -> None:
    line = "untilgreen failed: there is no payload on stdin. Fix: give one, or a command: start, stop, list, export\n"
    assert red.run("untilgreen", "record") == (1, "", line)
