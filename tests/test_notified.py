"""`notify`: somebody elsewhere is told once how a loop ended, by a command. No stop waits for
it, and nothing leaks."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import near
from eventually import eventually
from untilgreen.core.errors import UserError
from untilgreen.settings import load
from world import World

TOLD = """\
import json, os, sys
told = json.load(sys.stdin)
told["variables"] = {name: value for name, value in os.environ.items() if name.startswith(("UNTILGREEN_", "CLAUDE_"))}
with open(sys.argv[1], "a") as file:
    file.write(json.dumps(told) + "\\n")
"""
TOKEN = "ghp_" + "a1B2" * 10


@pytest.fixture
def told(red: World) -> Path:
    """Where the command of the project's `notify` writes what it is told, a line each."""
    file = red.tmp / "told.jsonl"
    (red.tmp / "tell.py").write_text(TOLD)
    red.init()
    red.write({"untilgreen.toml": f"[notify]\ncommand = ['python3', '{red.tmp}/tell.py', '{file}']\n"})
    return file


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def start(world: World, task: str, *options: str) -> None:
    answer = world.run("start-loop", "--session", world.session, *options, "--", task)
    assert answer.code == 0, answer


def test_a_command_is_told_once_that_the_loop_is_complete(red: World, told: Path) -> None:
    start(red, "Mend it")
    assert red.stop(prompt_id="p").held
    assert lines(told) == []
    red.write({"app.py": "VALUE = 1\n"})
    env = red.env | {"CLAUDE_CODE_MESSAGING_SOCKET": "/s", "CLAUDE_ENV_FILE": "/e", "CLAUDE_PID": "7"}
    red.env.update(env)
    stop = near.Call(("stop-loop",), json.dumps(red.payload(prompt_id="p")).encode())
    answers = red.at_once(stop, stop)
    assert sorted("✓ green after 2 rounds" in answer.notice for answer in answers) == [False, True]

    [line] = eventually(lambda: lines(told))
    said = {
        "event": "complete",
        "title": "untilgreen, project: the loop is complete",
        "text": "Mend it · All conditions satisfied · round 2 of 10 · 0 left",
        "task": "Mend it",
        "reason": "All conditions satisfied",
    }
    variables = {f"UNTILGREEN_{name.upper()}": text for name, text in said.items()}
    assert line.pop("variables") == variables | {"CLAUDE_PID": "7", "UNTILGREEN_DISABLE": "1"}
    assert line == said | {"project": "project", "iteration": 2, "max_iterations": 10, "left": 0}
    assert red.stop(prompt_id="p").code == 0
    start(red, "again", "--completion-promise", "DONE")
    red.stop("<promise>DONE</promise>", prompt_id="p")
    eventually(lambda: len(lines(told)) == 2)
    assert lines(told)[1]["title"] == "untilgreen, project: the loop ended unchecked"
    assert [lines(told)[1][name] for name in ("event", "reason", "left")] == ["complete", "Declared done", None]


@pytest.mark.parametrize(
    ("options", "message", "event", "text"),
    [
        ((), "<ralph>BLOCKED: no network</ralph>", "blocked", "Mend it · no network · round 1 of 10 · 1 left"),
        (("--max-iterations", "1"), "Done.", "stuck", "Mend it · Max iterations reached (1) · round 1 of 1 · 1 left"),
    ],
)
def test_a_command_is_told_of_every_other_end(
    red: World, told: Path, options: tuple[str, ...], message: str, event: str, text: str
) -> None:
    start(red, "Mend it", *options)
    red.stop(message, prompt_id="p")
    [line] = eventually(lambda: lines(told))
    assert (line["event"], line["title"], line["text"]) == (event, f"untilgreen, project: the loop is {event}", text)


def test_a_command_is_told_of_a_pause_that_nobody_asked_for(red: World, told: Path) -> None:
    start(red, "Mend it")
    failed = red.event("StopFailure", error="rate_limit", last_assistant_message="You've hit your limit")
    line = "Mend it · rate limit: You've hit your limit · round 1 of 10 · 1 left"
    title = "untilgreen, project: the loop is paused"
    assert failed == (0, "", "")
    eventually(lambda: lines(told))
    red.event("SessionEnd", reason="other")
    red.prompt("go on", prompt_id="p")
    assert red.event("SessionEnd", reason="prompt_input_exit") == (0, "", "")
    eventually(lambda: len(lines(told)) == 2)
    assert [(one["event"], one["title"], one["text"]) for one in lines(told)] == [
        ("paused", title, line),
        ("paused", title, "Mend it · the session ended · round 1 of 10 · 1 left"),
    ]


def test_what_its_user_does_and_what_is_not_asked_for_is_no_news(red: World, told: Path) -> None:
    start(red, "Mend it")
    red.prompt("stop", prompt_id="p1")
    red.prompt("go on", prompt_id="p2")
    red.run("cancel-loop")
    red.write({"untilgreen.toml": (red.project / "untilgreen.toml").read_text() + 'on = ["blocked"]\n'})
    start(red, "Mend it", "--max-iterations", "1")
    red.stop(prompt_id="p")
    start(red, "the only one")
    red.stop("<ralph>BLOCKED: so</ralph>", prompt_id="p")
    eventually(lambda: lines(told))
    assert [line["task"] for line in lines(told)] == ["the only one"]


def test_neither_secrets_nor_paths_nor_findings_are_told(red: World, told: Path) -> None:
    task = f"Mend {red.project}/app.py and src/cart.py and/or ~/x with {TOKEN}\n" + "more " * 40
    reason = f"{red.home}/.ssh/id of C:\\Users\\me is not readable with {TOKEN}, see https://u:p@intern/x?y"
    start(red, task)
    assert red.stop(prompt_id="p").held
    red.stop(f"<ralph>BLOCKED: {reason}\n<promise>x</promise></ralph>", prompt_id="p")
    [line] = eventually(lambda: lines(told))
    assert line["task"].startswith("Mend … and … and/or … with ghp_…(masked) more more")
    assert (len(line["task"]), line["task"][-1]) == (100, "…")
    assert line["reason"] == "… of … is not readable with ghp_…(masked), see … …"
    whole = json.dumps(line, ensure_ascii=False)
    for leak in (str(red.project), str(red.home), TOKEN, "cart.py", "F401", "app.py", "intern"):
        assert leak not in whole


def test_no_stop_waits_for_it(red: World, told: Path) -> None:
    waits = f"until [ -e {red.tmp}/go ]; do sleep 0.05; done; python3 {red.tmp}/tell.py {told}"
    red.write({"untilgreen.toml": f'[notify]\ncommand = ["sh", "-c", "{waits}"]\n'})
    start(red, "Mend it", "--max-iterations", "1")
    # its streams end with it: a host waits until nobody holds them
    stopped = red.process("stop-loop", stdin=json.dumps(red.payload(prompt_id="p")), timeout=60)
    assert ("■ stopped: 1 round used up" in stopped.notice, lines(told)) == (True, [])
    (red.tmp / "go").touch()
    assert len(eventually(lambda: lines(told))) == 1


def test_what_takes_too_long_is_ended_with_all_that_it_began_and_said_in_the_log(world: World) -> None:
    world.init()
    group = world.tmp / "group"
    sleeps = f"ps -o pgid= $$ > {group}.new; mv {group}.new {group}; sleep 300 & sleep 300"
    base = world.project / ".untilgreen"
    where = {"base": str(base), "root": str(world.project), "seconds": 3.5}
    told = dict.fromkeys(("event", "title", "text", "task", "reason"), "x")
    given = {"told": told, **where, "command": ["sh", "-c", sleeps]}
    subprocess.run(
        [sys.executable, "-I", "-c", "from untilgreen.loops.heard import own_commands; own_commands.main()"],
        input=json.dumps(given).encode(),
        env=world.env,
        start_new_session=True,
        check=False,
        timeout=60,
    )
    assert (base / "untilgreen.log").read_text().endswith(" the command of notify failed: it took longer than 3.5 s\n")
    number = int(group.read_text())

    def gone() -> bool:
        try:
            os.killpg(number, 0)
        except ProcessLookupError:
            return True
        return False

    eventually(gone)


@pytest.mark.parametrize(("command", "why"), [("false", "exit code 1"), ("there-is-none", "No such file or directory")])
def test_a_command_that_fails_is_a_line_in_the_log(red: World, command: str, why: str) -> None:
    red.init()
    red.write({"untilgreen.toml": f'notify.command = "{command}"\n'})
    start(red, "Mend it", "--max-iterations", "1")
    assert red.stop(prompt_id="p").stderr == ""
    log = red.project / ".untilgreen" / "untilgreen.log"
    assert eventually(lambda: log.read_text() if log.exists() else "").endswith(
        f" the command of notify failed: {why}\n"
    )


def test_where_the_project_is_trusted_no_more_nobody_is_told(red: World, told: Path) -> None:
    start(red, "Mend it", "--max-iterations", "1")
    red.run("untilgreen", "trust", "--no")
    red.stop(prompt_id="p")
    red.trust()
    start(red, "the only one", "--max-iterations", "1")
    red.stop(prompt_id="p")
    eventually(lambda: lines(told))
    assert [line["task"] for line in lines(told)] == ["the only one"]


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ('on = ["done"]', 'notify.on[0] is "done". Fix: give one of complete, blocked, stuck, paused'),
        ("command = 3", "notify.command is 3. Fix: give a command, as a string or a list of strings"),
        ('web = "x"', "notify: unknown key web. Fix: take one of command, on"),
    ],
)
def test_a_wrong_key_of_it_is_refused(tmp_path: Path, key: str, message: str) -> None:
    (tmp_path / "untilgreen.toml").write_text(f"[notify]\n{key}\n")
    with pytest.raises(UserError) as refused:
        load.load(tmp_path)
    assert str(refused.value).startswith(f"untilgreen.toml:2: {message}")


def test_a_person_tries_what_is_configured(red: World, told: Path) -> None:
    assert red.run("untilgreen", "notify").stdout == "untilgreen: it was taken\n"
    tried = ["untilgreen, project: a try", "no loop ended", "complete"]
    assert [lines(told)[0][name] for name in ("title", "text", "event")] == tried
    red.write({"untilgreen.toml": 'notify.command = "false"\n'})
    failed = red.run("untilgreen", "notify")
    why = "the command of notify failed: exit code 1"
    assert (failed.code, failed.stderr) == (64, f"untilgreen failed: {why}. Fix: correct the configuration\n")
    red.write({"untilgreen.toml": ""})
    none = "untilgreen failed: notify names no command. Fix: set notify.command\n"
    assert red.run("untilgreen", "notify").stderr == none
