"""`untilgreen init` and `uninstall` among others: killed at any moment, beside a host that writes its settings, in
folders that are gone, and with what others put into the same files."""

import json
import os
import shlex
import shutil
import signal
import stat
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from trees import of_world as tree
from untilgreen.cli.installing import changes, command_forms
from untilgreen.core.errors import UserError
from world import Answer, World

FOREIGN = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}, "model": "opus"}'
CLAUDE = ".claude/settings.local.json"


def done(world: World, command: str, *words: str, **env: str) -> Answer:
    answer = world.run("untilgreen", command, *words, env=env)
    assert (answer.code, answer.stderr) == (0, ""), answer
    return answer


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def status_line(path: Path) -> dict[str, Any]:
    line: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["statusLine"]
    return line


def receipts(world: World) -> Path:
    return world.home / ".local/state/untilgreen/installed"


# --- others write the same file


def test_a_permission_granted_while_init_asks_the_tools_stays(red: World) -> None:
    path = put(red.project / CLAUDE, '{"permissions": {"allow": ["Read"]}}\n')
    red.write({"poetry.lock": "", "pyproject.toml": "[tool.poetry]\n"})
    put(red.tmp / "poetry", f'#!/bin/sh\nsed -i \'s/"Read"/"Read", "Edit"/\' {path}\n').chmod(0o755)
    done(red, "init", PATH=f"{red.tmp}{os.pathsep}{red.env['PATH']}")
    settings = json.loads(path.read_text())
    assert settings["permissions"] == {"allow": ["Read", "Edit"]}
    assert "Stop" in settings["hooks"]


def test_what_somebody_writes_before_a_file_is_put_in_place_stays(tmp_path: Path) -> None:
    first, second = put(tmp_path / "a", "a"), put(tmp_path / "b", "b")
    wanted = [changes.planned(str(path), b"ours") for path in (first, second)]
    second.write_text("theirs")
    with ExitStack() as undo, pytest.raises(UserError) as raised:
        changes.put(wanted, undo)
    assert str(raised.value) == f"{second} was changed meanwhile; nothing was changed. Fix: try again"
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a": "a", "b": "theirs"}


def test_a_hook_of_somebodys_own_that_ends_or_begins_loops_is_theirs(red: World) -> None:
    own = [{"type": "command", "command": f"/x/untilgreen/bin/{name}"} for name in ("cancel-loop", "start-loop go")]
    text = json.dumps({"hooks": {"Stop": [{"hooks": own}], "Notification": [{"hooks": own}]}})
    path = put(red.project / CLAUDE, text)
    done(red, "init")
    assert json.loads(path.read_text())["hooks"]["Stop"][0]["hooks"] == own
    path.write_text(path.read_text() + "\n")
    done(red, "uninstall")
    assert path.read_text() == text


@pytest.mark.parametrize("command", ["init", "uninstall"])
@pytest.mark.parametrize("linked", [True, False], ids=["behind a link", "itself"])
def test_settings_that_are_no_file_are_refused_in_a_line(red: World, command: str, linked: bool) -> None:
    path = red.project / CLAUDE
    path.parent.mkdir()
    pipe = red.tmp / "pipe" if linked else path
    os.mkfifo(pipe)
    if linked:
        path.symlink_to(pipe)
    before = tree(red) if linked else {}
    answer = red.run("untilgreen", command)
    if command == "init":
        assert answer == (64, "", f"untilgreen failed: {path} is no regular file. Fix: move it away\n")
    else:
        assert answer == (0, "untilgreen: nothing is registered here\n", "")
    assert stat.S_ISFIFO(path.stat().st_mode)
    assert tree(red) == before if linked else not (red.project / ".untilgreen").exists()


def test_a_device_is_never_replaced() -> None:
    with pytest.raises(UserError, match="no regular file"):
        changes.content(os.devnull)


# --- killed


def ended(world: World, command: str, sign: Path, number: int, *, there: bool) -> None:
    """Start the command and send it the signal as soon as the sign is there, or gone."""
    process = world.begin("untilgreen", command)
    until = time.monotonic() + 120
    while sign.exists() != there and process.poll() is None and time.monotonic() < until:
        time.sleep(0.0005)
    process.send_signal(number)
    world.end(process)


@pytest.mark.parametrize(
    ("sign", "number"),
    [
        *((sign, signal.SIGKILL) for sign in ("receipts", "trust", "state", "settings")),
        *(("state", number) for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)),
    ],
)
def test_a_killed_init_is_taken_back(red: World, sign: str, number: int) -> None:
    put(red.project / CLAUDE, FOREIGN)
    before = tree(red)
    signs = {
        "receipts": receipts(red),
        "trust": red.home / ".local/state/untilgreen/trusted",
        "state": red.project / ".untilgreen",
        "settings": red.project / ".claude/commands/untilgreen/status.md",
    }
    ended(red, "init", signs[sign], number, there=True)
    done(red, "uninstall")
    assert tree(red) == before


@pytest.mark.parametrize("sign", ["trust", "state", "settings", "commands"])
def test_a_killed_uninstall_is_carried_on(red: World, sign: str) -> None:
    before = tree(red)
    done(red, "init")
    red.start()
    signs = {
        "trust": red.home / ".local/state/untilgreen/trusted",
        "state": red.project / ".untilgreen",
        "settings": red.project / CLAUDE,
        "commands": red.project / ".claude/commands/untilgreen",
    }
    ended(red, "uninstall", signs[sign], signal.SIGKILL, there=False)
    done(red, "uninstall")
    assert tree(red) == before


def test_a_list_that_a_killed_grant_left_empty_goes(red: World) -> None:
    before = tree(red)
    done(red, "init")
    put(red.home / ".local/state/untilgreen/trusted", "")
    done(red, "uninstall")
    assert tree(red) == before


def test_what_a_killed_one_wrote_down_and_did_not_do_is_taken_back(red: World) -> None:
    path = put(red.project / CLAUDE, FOREIGN)
    put(red.project / "untilgreen.toml", 'auto = "off"\n')
    before = tree(red)
    done(red, "init", "--preset", "strict")
    path.write_text(FOREIGN)
    put(red.project / "untilgreen.toml", 'auto = "off"\n')
    shutil.rmtree(red.project / ".claude/commands")
    answer = done(red, "uninstall")
    assert "kept" not in answer.stdout
    assert tree(red) == before


@pytest.mark.parametrize("command", ["init", "uninstall"])
def test_what_a_killed_one_left_is_swept(red: World, command: str) -> None:
    before = tree(red)
    done(red, "init")
    put(red.project / ".claude/settings.local.json.untilgreen.tmp", "{}")
    put(red.project / ".claude/commands/untilgreen/loop.md.untilgreen.tmp", "")
    for one in [*receipts(red).iterdir()]:
        put(one.with_name(one.name + ".untilgreen.tmp"), "")
    assert red.run("untilgreen", command).code == 0
    assert [*red.project.rglob("*.tmp")] == []
    done(red, "uninstall")
    assert {name: what for name, what in tree(red).items() if name in before} == before
    if command == "uninstall":
        assert tree(red) == before


# --- the status line


@pytest.mark.parametrize("place", ["home/.claude/settings.json", "project/.claude/settings.json", f"project/{CLAUDE}"])
def test_a_status_line_that_is_there_stays_and_init_says_what_to_add(red: World, place: str) -> None:
    text = '{"statusLine": {"type": "command", "command": "echo mine", "padding": 2}}'
    path = put(red.project.parent / place, text)
    before = tree(red)
    answer = done(red, "init", "--statusline")
    [said] = [line for line in answer.stdout.splitlines() if line.startswith("kept")]
    why, _, line = said.rpartition(": ")
    assert why == f"kept the status line of {path}; to have the loop in it, let it print this, too"
    assert shlex.split(line)[1:] == command_forms.status_line()[1:]
    if place.endswith(CLAUDE):
        assert status_line(path) == json.loads(text)["statusLine"]
    else:
        assert "statusLine" not in json.loads((red.project / CLAUDE).read_text())
    done(red, "uninstall")
    assert tree(red) == before


def test_a_plain_init_mends_a_status_line_of_ours(red: World) -> None:
    done(red, "init", "--statusline")
    path = red.project / CLAUDE
    text = path.read_text()
    command = status_line(path)["command"]
    path.write_text(text.replace(command, "/gone/bin/python -I /gone/untilgreen/loops/heard/status_line.py"))
    done(red, "init")
    assert path.read_text() == text


def test_half_a_pair_of_surrogates_stays_as_it_is(red: World) -> None:
    path = put(red.project / CLAUDE, '{"model":"b\\ud83d"}')
    done(red, "init")
    assert '"model": "b\\ud83d"' in path.read_text()
    path.write_text(path.read_text() + "\n")
    done(red, "uninstall")
    assert path.read_text() == '{"model":"b\\ud83d"}'


# --- a version before this one


def test_what_a_version_before_this_one_registered_is_replaced_and_then_taken_back(red: World) -> None:
    path = put(red.project / CLAUDE, FOREIGN)
    before = tree(red)
    done(red, "init")
    settings = json.loads(path.read_text())
    for hook in (hook for groups in settings["hooks"].values() for group in groups for hook in group["hooks"]):
        if "args" in hook:
            name = Path(hook["command"]).name.replace("-", "_")
            hook |= {"command": "/usr/bin/python3", "args": ["-I", "-c", "exec(...)", f"/x/untilgreen/{name}.py"]}
    path.write_text(json.dumps(settings))
    done(red, "init")
    settings = json.loads(path.read_text())
    assert "untilgreen/stop_loop.py" not in path.read_text()
    assert [len(groups) for groups in settings["hooks"].values()] == [2, 2, 1, 1, 1, 1, 1, 1, 1]
    done(red, "uninstall")
    assert tree(red) == before


def test_a_receipt_that_nobody_can_read_is_none(red: World) -> None:
    path = put(red.project / CLAUDE, FOREIGN)
    done(red, "init")
    for number, receipt in enumerate(receipts(red).iterdir()):
        receipt.write_text(("{", '{"subject": 3, "parts": {}}')[number])
    done(red, "uninstall")
    assert json.loads(path.read_text()) == json.loads(FOREIGN)


# --- whose it is


def test_what_a_colleague_shares_is_asked_for_by_name(red: World) -> None:
    done(red, "init", "--shared")
    shutil.rmtree(receipts(red))  # a colleague's machine
    shared = red.project / ".claude/settings.json"
    text = shared.read_text()
    why = f"only {shared} has the hooks. Fix: run `untilgreen uninstall --shared`"
    assert red.run("untilgreen", "uninstall") == (64, "", f"untilgreen failed: {why}\n")
    done(red, "init", "--force")
    answer = done(red, "uninstall")
    assert answer.stdout == (
        f"removed: .claude/settings.local.json\nkept the project's state and trust: {shared} serves it too\n"
    )
    assert shared.read_text() == text
    done(red, "uninstall", "--shared")
    assert not shared.exists()


@pytest.mark.parametrize("moved", [True, False], ids=["moved", "deleted"])
def test_the_trust_of_a_folder_that_is_gone_is_taken_back(red: World, moved: bool) -> None:
    homes = tree(red).keys() & {str(path) for path in red.home.rglob("*")}
    done(red, "init")
    old = red.project
    if moved:
        old.rename(old.with_name("new"))
    else:
        shutil.rmtree(old)
    words = ["untilgreen", "uninstall", "--project", str(old)]
    assert red.run(*words, cwd=red.home) == (0, f"trusted no more: {old}\n", "")
    assert {str(path) for path in red.home.rglob("*")} == homes
    why = f"--project {old}: no such folder, and nothing is known of it. Fix: name the folder that it was"
    assert red.run(*words, cwd=red.home) == (64, "", f"untilgreen failed: {why}\n")


@pytest.mark.parametrize("first", [0, 1])
def test_two_projects_leave_nothing_in_the_home_in_whatever_order(red: World, first: int) -> None:
    second = red.home.parent / "second"
    shutil.copytree(red.project, second)
    before = tree(red)
    projects = [red.project, second]
    for command, order in (("init", projects), ("uninstall", [projects[first], projects[1 - first]])):
        for project in order:
            assert red.run("untilgreen", command, cwd=project).code == 0
    assert tree(red) == before
