"""Whatever comes in: exit code 0 or a deliberate 2, at most one notice, and nothing written but in the state folder."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from untilgreen.loops.stop.dispatch import answer
from untilgreen.state.place import key_of, seal_of
from world import THEN, Answer, World

PAYLOADS = Path(__file__).parent / "payloads"
HOOKS = ("stop-loop", "session-loop")
OTHER = "00000000-1111-2222-3333-444444444444"

NO_PAYLOADS: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "the payload is empty"),
    "white_space": (b" \n\t\n", "the payload is empty"),
    "no_json": (b"hello", "the payload is not JSON (Expecting value: line 1 column 1 (char 0))"),
    "cut_json": (b'{"session_id": "', "the payload is not JSON (Unterminated string starting at: line 1 column 16"),
    "ten_megabytes_of_no_json": (b"x" * 10_000_000, "the payload is not JSON (Expecting value"),
    "bytes_that_are_no_utf_8": (b'{"session_id": "\xff\xfe"}', "the payload is not JSON ('utf-8' codec can't decode"),
    "a_nul": (b"\0", "the payload is not JSON (Expecting value"),
    "a_deep_list": (b"[" * 100_000, "the payload is nested too deeply"),
    "a_deep_list_that_ends": (b"[" * 100_000 + b"]" * 100_000, "the payload is nested too deeply"),
    "a_deep_object": (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "the payload is nested too deeply"),
    "a_list": (b"[]", "the payload is not a JSON object but list"),
    "null": (b"null", "the payload is not a JSON object but NoneType"),
    "a_number": (b"42", "the payload is not a JSON object but int"),
    "a_string": (b'"Stop"', "the payload is not a JSON object but str"),
    "an_empty_session": (b'{"session_id": "", "hook_event_name": "Stop"}', "the payload has no usable session_id"),
    "no_session": (b'{"session_id": null, "hook_event_name": "Stop"}', "the payload has no usable session_id"),
    "a_session_of_another_type": (b'{"session_id": [1]}', "the payload has no usable session_id"),
}

# what a Stop of Claude Code has beside its session and its name
KEYS = (
    *("transcript_path", "cwd", "prompt_id", "permission_mode", "stop_hook_active", "last_assistant_message"),
    *("background_tasks", "session_crons", "effort", "agent_id", "messages"),
)

STRANGE_SESSIONS = {
    "a_path_upwards": "../../x",
    "two_dots": "..",
    "one_dot": ".",
    "an_absolute_path": "/etc/passwd",
    "very_long": "s" * 10_000,
    "with_a_nul": "abc\0def",
    "a_lone_surrogate": "\ud800",
    "with_line_ends": "a\nb\r\nc",
    "not_ascii": "sitzung-äöü-\N{SNOWMAN}",
    "upper_case": "00000000-1111-2222-3333-44444444ABCD",
}


def files(*folders: Path) -> dict[str, bytes]:
    """Every file and folder below, the project's state folder and the seals of loops aside."""
    found = {}
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if not {".untilgreen", "sealed"}.intersection(path.relative_to(folder).parts):
                found[str(path)] = path.read_bytes() if path.is_file() else b"folder"
    return found


def outside(world: World) -> dict[str, bytes]:
    """What no hook may change."""
    return files(world.home, world.tmp, world.project)


def kept(world: World) -> dict[str, bytes]:
    """The state folder, but for the marks of calls."""
    folder = world.project / ".untilgreen"
    return {path: text for path, text in files(folder).items() if not path.startswith(str(folder / "called"))}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A red project with a loop of `world.session`; for tests that must leave it as it is."""
    world = World(tmp_path_factory.mktemp("shared"))
    world.write({"app.py": "import os\n"})
    world.commit()
    world.start()
    return world


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A red project that never heard of untilgreen."""
    world = World(tmp_path_factory.mktemp("untouched"))
    world.write({"app.py": "import os\n"})
    world.commit()
    return world


@pytest.mark.parametrize("hook", HOOKS)
@pytest.mark.parametrize("name", NO_PAYLOADS)
def test_what_is_no_payload_is_told_once_and_changes_nothing(
    shared: World, untouched: World, name: str, hook: str
) -> None:
    raw, why = NO_PAYLOADS[name]
    for world in (shared, untouched):
        before, state = outside(world), kept(world)
        said = world.run(hook, stdin=raw)
        assert (said.code, said.stderr) == (0, "")
        assert list(json.loads(said.stdout)) == ["systemMessage"]
        assert said.notice.startswith(f"untilgreen: {why}")
        assert said.notice.endswith("; nothing was judged" if hook == "stop-loop" else "; nothing was done")
        assert "\n" not in said.notice
        assert outside(world) == before
        assert kept(world) == state
    assert not (untouched.project / ".untilgreen").exists()


@pytest.mark.parametrize("name", STRANGE_SESSIONS)
def test_a_session_without_a_loop_gets_silence_whatever_its_id_is(shared: World, name: str) -> None:
    before, state = outside(shared), shared.state
    assert shared.stop(session_id=STRANGE_SESSIONS[name]) == (0, "", "")
    assert shared.prompt("hello", session_id=STRANGE_SESSIONS[name]) == (0, "", "")
    assert outside(shared) == before
    assert shared.state == state
    assert [path.name for path in (shared.project / ".untilgreen" / "sessions").iterdir()] == [shared.session]


@pytest.mark.parametrize("name", STRANGE_SESSIONS)
def test_a_session_has_its_loop_inside_the_state_folder_whatever_its_id_is(red: World, name: str) -> None:
    session = STRANGE_SESSIONS[name]
    before = outside(red)
    started = red.prompt("/untilgreen:loop mend it", session_id=session)
    assert started.code == 0, started
    assert started.context.startswith("untilgreen: loop started (loop-")
    assert red.stop(session_id=session).held
    (folder,) = (red.project / ".untilgreen" / "sessions").iterdir()
    assert re.fullmatch("x-[0-9a-f]{32}", folder.name)
    # starting a loop trusts the project, and that list lies in the home folder
    trusted = red.home / ".local" / "state" / "untilgreen" / "trusted"
    made = {str(trusted): trusted.read_bytes()} | {str(path): b"folder" for path in list(trusted.parents)[:3]}
    assert outside(red) == before | made


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param(dict.fromkeys(KEYS, None), id="null"),
        pytest.param(dict.fromkeys(KEYS, 7), id="a_number"),
        pytest.param({key: [] for key in KEYS}, id="a_list"),
        pytest.param({key: {"a": [None]} for key in KEYS}, id="an_object"),
        pytest.param({"background_tasks": [None, 7, {"id": 7, "type": []}], "session_crons": {"a": 1}}, id="tasks"),
        pytest.param({"zz_unknown": {"nested": [1, None]}, "effort": {"level": "high"}}, id="unknown_keys"),
        pytest.param({"last_assistant_message": "x" * 10_000_000}, id="ten_megabytes"),
        pytest.param({"last_assistant_message": "\ud800 \udfff", "prompt_id": "\ud800"}, id="lone_surrogates"),
        pytest.param({"last_assistant_message": "\0\x1b[31m"}, id="control_characters"),
        pytest.param({"transcript_path": "a\0b"}, id="a_path_with_a_nul"),
    ],
)
def test_a_running_loop_is_judged_whatever_else_the_payload_holds(red: World, fields: dict[str, Any]) -> None:
    red.start()
    before = outside(red)
    held = red.run("stop-loop", stdin=json.dumps(red.payload(**fields)))
    assert held.code == 2, held
    assert held.stderr.startswith("Ralph Loop: CONTINUE | Iteration: 2/10 | Current: 1 error(s)")
    assert outside(red) == before


def test_a_folder_with_a_nul_in_its_name_is_told_and_traps_nobody(red: World) -> None:
    red.start()
    before = outside(red)
    why = "untilgreen: the payload's folder (cwd) has a null byte in its name; nothing was {}"
    for said, done in ((red.stop(cwd="a\0b"), "judged"), (red.prompt("hello", cwd="a\0b"), "done")):
        assert (said.code, said.stderr, said.notice) == (0, "", why.format(done))
    assert outside(red) == before


def test_a_transcript_with_a_nul_in_its_name_says_nothing(red: World) -> None:
    red.start()
    payload = red.payload(transcript_path="a\0b")
    del payload["last_assistant_message"]
    assert red.run("stop-loop", stdin=json.dumps(payload)).held


@pytest.mark.parametrize("kind", ["shell", "subagent"])
def test_of_a_hundred_thousand_tasks_in_the_background_the_newest_count(red: World, kind: str) -> None:
    servers = [
        {"id": f"{n}", "type": kind, "status": "running", "command": "npm run dev & " * 20} for n in range(100_000)
    ]
    red.start()
    answer = red.run("stop-loop", stdin=json.dumps(red.payload(background_tasks=servers)), timeout=10)
    newest = {f"{n}": 1 for n in range(99_800, 100_000)}
    assert (answer.held, red.state["waited"]) == ((True, {}) if kind == "shell" else (False, newest))


def test_of_long_ids_and_of_many_a_part_is_kept(red: World) -> None:
    red.start()
    for n in range(7):
        agents = [{"id": f"{n}-{m}-{'x' * 50_000}", "type": "agent", "status": "running"} for m in range(200)]
        assert not red.stop(background_tasks=agents, prompt_id="p" * 5_000_000).held
    kept = [*red.state["waited"]]
    assert (len(kept), {len(one) for one in kept}, kept[-1][:5]) == (1_000, {200}, "6-199")
    assert (red.folder / "loop_state.json").stat().st_size < 500_000


def test_a_state_whose_language_is_a_path_is_told_in_english(red: World) -> None:
    red.start()
    (red.home / "words.json").write_text('{"continue": "EVIL", "continue_header": "EVIL"}')
    path = str(red.home / "words")
    red.change(settings=red.state["settings"] | {"lang": path, "words": path})
    assert red.stop().stderr.startswith("Not green yet: 1 left")


@pytest.mark.parametrize("checks", [{"own": {"command": []}}, {}])
def test_a_check_whose_command_is_gone_from_the_state_is_broken(red: World, checks: dict[str, Any]) -> None:
    red.start("fix it", "--check", "own=true")
    red.change(settings=red.state["settings"] | {"checks": checks})
    answer = red.stop()
    assert (answer.held, red.state["current"]["outcomes"]["own"]) == (True, "broken")
    assert "own: it is no longer configured" in answer.stderr


def test_a_task_and_a_message_with_lone_surrogates_are_told_in_well_formed_text(red: World) -> None:
    started = red.prompt("/untilgreen:loop mend \ud800 it")
    assert started.context.startswith("untilgreen: loop started (loop-")
    assert "mend \ufffd it" in started.context
    held = red.stop("cannot \udfff <promise>")
    assert held.stderr.endswith(f"Task: mend \ufffd it\n{THEN}\n")


# --- what hosts really send -----------------------------------------------------------------------------------------


class Recorded(NamedTuple):
    """One recorded call."""

    host: str
    env: dict[str, str]
    payload: dict[str, Any]


def recorded(host: str = "*") -> Iterator[Any]:
    """The recorded calls, but for those that begin or end a loop; `wide` are those with the keys of one before, and of
    another host all but its first stop."""
    seen: set[tuple[str, ...]] = set()
    for path in sorted(PAYLOADS.glob(f"{host}/*/*.json")):
        call = json.loads(path.read_text(encoding="utf-8"))
        name, payload = path.relative_to(PAYLOADS).parts[0], json.loads(call["stdin"])
        if "untilgreen" in str(payload.get("prompt")):
            continue
        event, ours = str(payload.get("hook_event_name")), name == "claude-code"
        kind = (name, event, str(payload.get("tool_name")), *payload) if ours else (name,)
        marks = () if kind not in seen and (ours or event in ("Stop", "AfterAgent")) else (pytest.mark.wide,)
        seen |= set() if marks else {kind}
        yield pytest.param(Recorded(name, call["env"], payload), id=f"{name}-{path.stem}", marks=marks)


def placed(world: World, call: Recorded) -> Recorded:
    """The call as if it had been made in this world."""
    text = json.dumps([call.env, call.payload])
    for folder, path in (("/tmp/project", world.project), ("/tmp/home", world.home)):
        text = text.replace(folder, str(path))
    env, payload = json.loads(text)
    return Recorded(call.host, world.env | env, payload)


def variants(payload: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The payload, with a key more, and with each of its keys taken away."""
    yield "as recorded", payload
    yield "with an unknown key", payload | {"zz_unknown": {"nested": [1, None]}}
    for key in payload:
        yield f"without {key}", {name: value for name, value in payload.items() if name != key}


def proper(host: str, code: int, stdout: str, stderr: str) -> bool:
    """Whether a host understands this answer, and nobody is held by accident."""
    text = stdout.startswith("untilgreen: loop still running")  # Claude Code reads what a session's start prints
    object_or_nothing = stdout == "" or text or isinstance(json.loads(stdout), dict)
    # exit code 2 decides nothing on Copilot CLI
    meant = host == "copilot" or stderr.startswith(("Ralph Loop: ", "Not green yet: "))
    deliberate = code == 0 or (code == 2 and meant)
    return object_or_nothing and deliberate and "Traceback" not in stdout + stderr


def surely_judged(host: str, payload: dict[str, Any]) -> bool:
    """A stop of Claude Code's main agent, with nothing in the background that it may wait for."""
    ours = host == "claude-code" and payload.get("hook_event_name") == "Stop"
    free = not (payload.get("background_tasks") or payload.get("session_crons") or payload.get("agent_id"))
    return ours and free and payload.get("permission_mode") != "plan" and "session_id" in payload


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A project whose only check is quick and red; the loop of `world.session` is the model of others."""
    world = World(tmp_path_factory.mktemp("plain"))
    world.start("fix it", "--check", "red=false", "--no-zero-errors")
    return world


@pytest.fixture
def loop_for(plain: World) -> Iterator[Callable[[str], None]]:
    """Gives a session a loop in its first round; afterwards nobody but `plain.session` has one."""
    text = json.dumps(plain.state)
    made = []

    def give(session: str) -> None:
        folder = plain.folder.parent / key_of(session)
        folder.mkdir(exist_ok=True)
        (folder / "loop_state.json").write_text(text.replace(plain.session, session))
        Path(seal_of(plain.env, folder.name)).unlink(missing_ok=True)
        made.append(folder)

    yield give
    for folder in made:
        Path(seal_of(plain.env, folder.name)).unlink(missing_ok=True)
        for path in folder.glob("*"):
            path.unlink()


@pytest.mark.parametrize("running", [False, True], ids=["without_a_loop", "with_its_loop"])
@pytest.mark.parametrize("call", list(recorded()))
def test_every_recorded_payload_is_answered(
    plain: World, loop_for: Callable[[str], None], monkeypatch: pytest.MonkeyPatch, call: Recorded, running: bool
) -> None:
    monkeypatch.chdir(plain.project)
    call = placed(plain, call)
    before, state = outside(plain), plain.state
    for name, payload in variants(call.payload):
        for hook in HOOKS:
            if running and isinstance(payload.get("session_id"), str):
                loop_for(payload["session_id"])
            reply = answer(hook, json.dumps(payload).encode(), call.env, {})
            assert proper(call.host, *reply), (name, hook, reply)
            if running and hook == "stop-loop" and surely_judged(call.host, payload):
                assert Answer(*reply).held, (name, reply)
            if not running and hook == "stop-loop" and name in ("as recorded", "with an unknown key"):
                assert reply == (0, "", ""), (name, reply)
    assert outside(plain) == before
    assert plain.state == state


@pytest.mark.parametrize("call", list(recorded("claude-code")))
def test_every_recorded_payload_through_the_executables(
    plain: World, loop_for: Callable[[str], None], call: Recorded
) -> None:
    call = placed(plain, call)
    if isinstance(call.payload.get("session_id"), str):
        loop_for(call.payload["session_id"])
    before = outside(plain)
    told: dict[str, Answer] = {
        hook: plain.run(hook, stdin=json.dumps(call.payload), env=call.env) for hook in reversed(HOOKS)
    }
    assert told["session-loop"] == (0, "", "")
    assert proper(call.host, *told["stop-loop"])
    if surely_judged(call.host, call.payload):
        assert told["stop-loop"].held
    assert outside(plain) == before


def test_the_payload_is_read_to_its_end_even_where_nothing_is_to_do(untouched: World) -> None:
    # a host that writes into a closed pipe reports an error
    env = {"CLAUDE_CODE_SESSION_ID": OTHER, "CLAUDE_PROJECT_DIR": str(untouched.project)}
    quick = untouched.begin("stop-loop", stdin=None, env=env)
    assert quick.stdin is not None
    quick.stdin.write(json.dumps(untouched.payload(session_id=OTHER, last_assistant_message="x" * 1_000_000)).encode())
    quick.stdin.close()
    quick.stdin = None
    assert untouched.end(quick) == (0, "", "")
