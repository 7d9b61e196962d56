"""`untilgreen simulate`: what the hooks would answer, and nothing left behind."""

import json
import re
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from world import REPOSITORY, Answer, World

RED = ("--no-zero-errors", "--check", "a=false")
RECORDED = REPOSITORY / "tests" / "payloads"
STOPS = sorted((RECORDED / "claude-code").rglob("*Stop.json"))


def simulated(world: World, payload: object, *words: str) -> dict[str, Any]:
    """The answer in JSON to a payload on standard input."""
    text = payload if isinstance(payload, str) else json.dumps(payload)
    answer = world.run("untilgreen", "simulate", "-", "--json", *words, stdin=text)
    assert (answer.code, answer.stderr) == (0, ""), answer
    facts: dict[str, Any] = json.loads(answer.stdout)
    return facts


def everything(world: World) -> dict[str, tuple[int, bytes]]:
    """Every file of the world, with its time; what checkers keep for themselves aside."""
    found = {}
    for folder in (world.home, world.project, world.tmp):
        for path in sorted(folder.rglob("*")):
            if not {".git", ".ruff_cache", ".mypy_cache"} & set(path.parts):
                found[str(path)] = (path.lstat().st_mtime_ns, path.read_bytes() if path.is_file() else b"")
    return found


def answered(facts: dict[str, Any]) -> dict[str, Answer]:
    return {one["executable"]: Answer(one["exit_code"], one["stdout"], one["stderr"]) for one in facts["answers"]}


def untimed(answer: Answer) -> Answer:
    """The answer without the time that it tells."""
    return answer._replace(stdout=answer.notice)


def test_it_says_what_the_hook_then_says_and_stores_nothing(red: World) -> None:
    red.start("mend it")
    red.stop()
    red.edit("app.py", "import os\nimport sys\n")
    before = everything(red)
    facts = simulated(red, red.payload())
    assert everything(red) == before
    assert [(one["stop"]["step"], one["stop"]["verdict"]) for one in facts["answers"]] == [(12, "continue")]
    assert untimed(answered(facts)["stop-loop"]) == untimed(red.stop())


@pytest.mark.parametrize(
    ("payload", "step"),
    [
        ({"last_assistant_message": "<ralph>BLOCKED: no network</ralph>"}, 3),
        ({"last_assistant_message": "<jikime>DONE</jikime>"}, 4),
        ({"permission_mode": "plan"}, 2),
        ({"session_id": "0" * 36}, 7),
        ({"session_id": "somebody else"}, 7),
        ({"cursor_version": "1.7"}, 2),
    ],
)
def test_each_ending_can_be_tried_again_and_again(plain: World, payload: dict[str, str], step: int) -> None:
    before = everything(plain)
    found = [simulated(plain, plain.payload(**payload))["answers"][0]["stop"]["step"] for _ in range(2)]
    assert found == [step, step]
    assert everything(plain) == before


def test_a_switch_is_seen(red: World) -> None:
    red.start("mend it", *RED)
    answer = red.run("untilgreen", "simulate", "-", stdin=json.dumps(red.payload()), env={"UNTILGREEN_DISABLE": "1"})
    assert "the agent may stop: step 1 (off): UNTILGREEN_DISABLE=1" in answer.stdout.splitlines()
    assert answer.stdout.endswith("\n\nstop-loop would answer: exit code 0, and nothing\n")


def test_for_people_the_explanation_comes_first_and_then_both_streams(red: World) -> None:
    red.start("mend it", *RED)
    payload = red.project / "payload.json"
    payload.write_text(json.dumps(red.payload()))
    told = red.run("untilgreen", "simulate", str(payload))
    explanation, _, answer = told.stdout.partition("\n\nstop-loop would answer: exit code 2\n")
    held = red.stop()
    theirs = red.run("untilgreen", "explain").stdout.rstrip("\n")
    assert [line for line in explanation.splitlines() if "step 12" in line] == [
        line for line in theirs.splitlines() if "step 12" in line
    ]
    streams = {"stdout": held.stdout, "stderr": held.stderr}
    lines = [line for name, text in streams.items() for line in (f"{name}:", *(f"  {x}" for x in text.splitlines()))]
    times = r"\d+\.\d s "
    assert re.sub(times, "N s ", answer).splitlines() == [re.sub(times, "N s ", line) for line in lines]


@pytest.mark.tools("mypy", "ast-grep")
def test_an_edit_is_answered_by_the_three_hooks_of_edits(watched: World) -> None:
    watched.write({"app.py": "import os\n"})
    payload = watched.edited("app.py", "import os\n", "VALUE = 1\n")
    before = everything(watched)
    facts = simulated(watched, payload)
    assert everything(watched) == before
    assert answered(facts) == {
        name: watched.run(name, stdin=json.dumps(payload))
        for name in ("post-tool-lint", "post-tool-lsp", "post-tool-ast-grep")
    }


def test_a_typed_command_starts_no_loop_and_trusts_nothing(red: World) -> None:
    before = everything(red)
    payload = {"hook_event_name": "UserPromptSubmit", "prompt": "/untilgreen:loop mend it", "session_id": red.session}
    said = answered(simulated(red, payload))["session-loop"]
    assert (said.code, said.context.splitlines()[0].partition(" (")[0]) == (0, "untilgreen: loop started")
    assert everything(red) == before


@pytest.mark.parametrize(
    ("payload", "told"),
    [
        ("", "untilgreen: the payload is empty; nothing was judged"),
        ("[]", "untilgreen: the payload is not a JSON object but list; nothing was judged"),
        ('{"session_id": 3}', "untilgreen: the payload has no usable session_id; nothing was judged"),
    ],
)
def test_of_a_payload_that_is_none_it_tells_what_the_hook_says(red: World, payload: str, told: str) -> None:
    facts = simulated(red, payload)
    assert [(one.notice, one.code) for one in answered(facts).values()] == [(told, 0)]
    assert [one["stop"] for one in facts["answers"]] == [None]


def test_an_event_that_no_hook_hears_is_named(red: World) -> None:
    told = red.run("untilgreen", "simulate", "-", stdin='{"hook_event_name": "PreToolUse"}')
    assert told == Answer(0, "untilgreen: no hook of untilgreen hears PreToolUse\n", "")


def test_a_file_that_is_not_there_is_the_users_error(red: World) -> None:
    told = red.run("untilgreen", "simulate", "nowhere.json")
    assert told == Answer(
        1,
        "",
        "untilgreen failed: cannot read nowhere.json: No such file or directory. Fix: name a file that can be read\n",
    )


def test_where_nothing_is_kept_nothing_is_made(red: World) -> None:
    before = everything(red)
    facts = simulated(red, red.payload())
    assert [(one["exit_code"], one["stdout"], one["stop"]) for one in facts["answers"]] == [(0, "", None)]
    assert everything(red) == before


def test_what_a_file_says_of_its_environment_trusts_nothing_and_loads_nothing(red: World) -> None:
    red.write({"plugin.py": f"open({str(red.project / 'ran')!r}, 'w')\n", "mypy.ini": "[mypy]\nplugins = plugin.py\n"})
    red.init()
    assert red.run("untilgreen", "trust", env={"XDG_STATE_HOME": str(red.home / "theirs")}).code == 0
    red.edit("app.py", "import os\nimport sys\n")
    env = {"XDG_STATE_HOME": str(red.home / "theirs"), "LD_PRELOAD": "/nowhere.so", "PATH": "/nowhere", "AI_AGENT": "x"}
    env |= {"HOME": "/", "PYTHONPATH": "/x", "UNTILGREEN_STATE_DIR": "/x", "GIT_DIR": "/x", "CLAUDECODE": "\x00"}
    [one] = simulated(red, {"env": env, "stdin": json.dumps(red.payload())})["answers"]
    outcomes = {check["name"]: check["outcome"] for check in one["stop"]["checks"]}
    assert (one["stop"]["step"], "ld.so" in one["stderr"], outcomes["mypy"]) == (12, False, "absent")
    assert not (red.project / "ran").exists()


def test_nothing_that_a_terminal_would_obey_is_printed(red: World) -> None:
    told = red.run("untilgreen", "simulate", "-", stdin=json.dumps({"hook_event_name": "\x1b[31mX\x07\x1b]0;t\x07\n"}))
    assert told == Answer(0, "untilgreen: no hook of untilgreen hears ?[31mX??]0;t??\n", "")


def test_a_payload_that_is_nested_deeply_is_the_hooks_to_judge(red: World) -> None:
    deep = '{"cwd": "/elsewhere", "x": ' + "[" * 600 + "]" * 600 + "}"
    assert red.run("untilgreen", "simulate", "-", "--session", red.session, stdin=deep).code == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_and_the_copy_goes(red: World, number: signal.Signals) -> None:
    red.start("mend it", "--no-zero-errors", "--check", "slow=sh -c 'touch begun; sleep 60'")
    running = red.begin("untilgreen", "simulate", "-", stdin=json.dumps(red.payload()))
    until = time.monotonic() + 120
    while not (red.project / "begun").exists():
        assert time.monotonic() < until
        time.sleep(0.02)
    assert list(red.tmp.iterdir()) != []
    running.send_signal(number)
    assert red.end(running) == Answer(128 + number, "", "")
    assert list(red.tmp.iterdir()) == []


@pytest.mark.parametrize("path", STOPS, ids=lambda path: path.stem)
def test_every_recorded_stop_can_be_simulated(plain: World, path: Path) -> None:
    payload = json.loads(json.loads(path.read_text())["stdin"])
    facts = simulated(plain, path.read_text(), "--session", plain.session)
    [one] = facts["answers"]
    ours = not payload.get("agent_id") and payload["hook_event_name"] == "Stop"
    may_wait = payload.get("background_tasks") or payload.get("session_crons")
    quiet = "AI_AGENT" in path.read_text() and path.parent.name != "2.1.150"
    ends = [(0 if quiet else 2, 12), *([(0, 6)] if may_wait else [])] if ours else [(0, 2)]
    assert (one["exit_code"], one["stop"]["step"]) in ends
    assert plain.state["iteration"] == 1


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A project with a loop whose only check is quick and red."""
    world = World(tmp_path_factory.mktemp("plain"))
    world.start("fix it", *RED)
    return world
