"""`untilgreen doctor` does no harm: it runs no stranger's code, and its advice can be followed to the letter."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from in_process import untilgreen
from untilgreen.cli import doctor
from untilgreen.cli.doctor import case, starts
from untilgreen.cli.doctor.case import Extent
from untilgreen.cli.installing import command_forms
from untilgreen.core.errors import UserError
from untilgreen.core.findings import Finding, word
from untilgreen.hosts.host import Scope, Source
from world import BIN, World

HOST = ["--host", "claude-code"]
MODULE = f"{command_forms.PACKAGE}/stop_loop.py"


def entry(command: str, *args: str) -> dict[str, Any]:
    return {"type": "command", "command": command, "args": list(args)}


def shell(line: str) -> dict[str, Any]:
    return {"type": "command", "command": line}


def stop(entry: dict[str, Any]) -> str:
    return json.dumps({"hooks": {"Stop": [{"hooks": [entry]}]}})


def script(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


# ---- whose code runs

STRANGE: dict[str, dict[str, Any]] = {
    "a script of its own": entry("bin/stop-loop", "rel", *HOST),
    "a script of its own, well named": entry("bin/stop-loop", *HOST),
    "a script in the project": entry("${CLAUDE_PROJECT_DIR}/bin/stop-loop", *HOST),
    "a shell": entry("/bin/bash", "-c", "touch ran; stop-loop --host claude-code"),
    "a shell line": shell("touch ran; stop-loop --host claude-code"),
    "a shell line that expands": shell("stop-loop --host claude-code $(touch ran)"),
    "a line of two": shell("stop-loop --host claude-code\ntouch ran"),
    "Python": entry(sys.executable, "-c", "open('ran', 'w')", "stop_loop.py", *HOST),
    "a file of its own": entry(sys.executable, "untilgreen/stop_loop.py", *HOST),
    "a file of its own, with its folder": entry(
        sys.executable, "-I", "${CLAUDE_PROJECT_DIR}/untilgreen/stop_loop.py", *HOST
    ),
    "env": entry("env", "-C", "bin", "./stop-loop", *HOST),
}


@pytest.mark.parametrize("name", STRANGE)
def test_what_an_untrusted_project_registers_is_not_started(green: World, name: str) -> None:
    script(green.project / "bin" / "stop-loop", "#!/bin/sh\n# untilgreen\ntouch ran\n")
    text = "import pathlib\npathlib.Path('ran').touch()\n"
    green.write({".claude/settings.json": stop(STRANGE[name]), "untilgreen/stop_loop.py": text})
    said = [*doctor.examine(case.of(str(green.project), green.env, Extent(seconds=1.0)))]
    [start] = [one for one in said if one.subject == "start"]
    assert (start.level, start.what.partition(":")[0]) == (
        "warning",
        "stop-loop (shared) is not as init writes it, and was not started",
    )
    assert start.cure.startswith("look at it in .claude/settings.json; ")
    assert not (green.project / "ran").exists()


def test_a_folder_of_the_project_on_path_is_not_asked_either(green: World) -> None:
    script(green.project / "bin" / "stop-loop", "#!/bin/sh\n# untilgreen\ntouch ran\n")
    green.write({".claude/settings.json": stop(entry("stop-loop", *HOST))})
    for path in ("bin", str(green.project / "bin")):
        green.env["PATH"] = f"{path}{os.pathsep}/usr/bin{os.pathsep}/bin"
        done = green.run("untilgreen", "doctor", "--deadline", "1")
        what = "stop-loop (shared) is not as init writes it, and was not started: stop-loop --host claude-code"
        assert f"  warn    {what}\n" in done.stdout
        assert not (green.project / "ran").exists()


OURS = {
    "as init writes it": entry("{launcher}", *HOST),
    "with a deadline": entry("{launcher}", *HOST, "--deadline", "270"),
    "the console script": entry(str(BIN / "stop-loop"), *HOST),
    "the console script on PATH": entry("stop-loop", *HOST),
}
OTHERS: dict[str, dict[str, Any]] = {
    "a launcher of another interpreter": entry("{other}", *HOST),
    "a launcher that does more": entry("{more}", *HOST),
    "a file": entry(sys.executable, "-I", MODULE, *HOST),
    "other words": entry("stop-loop", *HOST, "--project", "/"),
    "a runner": entry("uv", "run", "stop-loop", *HOST),
    "another program": entry("rm", MODULE, *HOST),
    "a shell line of one command": shell("stop-loop --host claude-code"),
}


def starts_of(world: World, entry: dict[str, Any], scope: str) -> list[tuple[str, str]]:
    """What is said of this entry, were it in the settings of this scope."""
    text = command_forms.launcher("stop-loop", sys.executable, os.path.dirname(command_forms.PACKAGE)).decode()
    other = text.replace(sys.executable, "/usr/bin/env")
    paths = {}
    for name, held in {"launcher": text, "other": other, "more": f"{text}open('ran', 'w')\n"}.items():
        paths[name] = world.tmp / name / "untilgreen" / "stop-loop"
        script(paths[name], held)
    entry = entry | {"command": entry["command"].format_map(defaultdict(Path, paths))}
    settings = {"hooks": {"Stop": [{"hooks": [entry]}]}}
    this = case.of(str(world.project), world.env, Extent())._replace(
        sources=(Source("claude-code", Scope(scope, "/x"), settings),)
    )
    return [(one.level, re.sub(r"\d+ ms", "T", one.what).partition(":")[0]) for one in starts.examine(this)]


@pytest.mark.parametrize("scope", ["local", "user", "shared"])
@pytest.mark.parametrize("name", OURS)
def test_what_init_would_write_is_started_also_in_an_untrusted_project(green: World, name: str, scope: str) -> None:
    said = (f"stop-loop ({scope}) starts in T", f"stop-loop ({scope}) held a test stop in T")
    assert starts_of(green, OURS[name], scope) == [("ok", one) for one in said]


@pytest.mark.parametrize("name", STRANGE | OTHERS)
def test_what_init_would_not_write_is_not_started_in_a_trusted_project_either(green: World, name: str) -> None:
    assert untilgreen(green, "trust") == 0
    script(green.project / "bin" / "stop-loop", "#!/bin/sh\ntouch ran\n")
    [(level, what)] = starts_of(green, (STRANGE | OTHERS)[name], "user")
    assert (level, what.partition(", ")[0]) in [
        ("warning", "stop-loop (user) is not as init writes it"),
        ("broken", "stop-loop (user) cannot run"),  # its file is not there
    ]
    assert not (green.project / "ran").exists()


# ---- advice to the letter


def test_advice_for_a_folder_with_two_spaces_means_that_folder_and_no_other(world: World) -> None:
    names = ("my  shop", "my shop")
    for name in names:
        world.project = world.tmp / name
        world.project.mkdir()
        world.commit()
        assert untilgreen(world, "init") == 0
        world.write({".untilgreen/off": ""})
    there, other = (world.tmp / name / ".untilgreen" / "off" for name in names)
    lines = world.run("untilgreen", "doctor", "--no-run", "--project", str(world.tmp / names[0])).stdout.splitlines()
    [cure] = [line.strip() for line in lines if "run: untilgreen on " in line]
    subprocess.run(["/bin/sh", "-c", cure.removeprefix("run: ")], check=True, env=world.env, capture_output=True)
    assert (there.exists(), other.exists()) == (False, True)


@pytest.mark.parametrize("name", ["a\nb", "a\x1b[31mb", "it's\\\t", "caf\xe9 \udcff", "$(touch ran)", "\u202eabc"])
def test_a_path_is_one_harmless_word_and_still_that_path(world: World, name: str) -> None:
    quoted = word(name)
    assert quoted.isprintable()
    done = subprocess.run(
        ["bash", "-c", f"printf %s {quoted}"], cwd=world.tmp, env=world.env, capture_output=True, check=True
    )
    assert os.fsdecode(done.stdout) == name
    assert list(world.tmp.iterdir()) == []


def test_a_project_whose_name_holds_control_characters_and_bytes_is_examined(world: World) -> None:
    world.project = Path(os.fsdecode(os.fsencode(world.tmp) + b"/red\x1b[31m\xff\nend"))
    world.project.mkdir()
    world.commit()
    shown = world.run("untilgreen", "doctor", "--no-run")
    assert (shown.code, shown.stderr) == (1, "")
    assert shown.stdout.replace("\n", "").isprintable()
    assert "start the host in" in shown.stdout or "run: untilgreen init" in shown.stdout
    answer = world.run("untilgreen", "doctor", "--no-run", "--json")
    assert (answer.code, answer.stderr, json.loads(answer.stdout)["broken"]) == (1, "", True)


@pytest.mark.parametrize("top", [False, True], ids=["the home folder", "the top"])
def test_where_there_can_be_no_project_init_is_no_cure(world: World, top: bool) -> None:
    said = [*doctor.examine(case.of(os.sep if top else str(world.home), world.env, Extent(run=False)))]
    assert [one.cure for one in said if "untilgreen" in one.cure.split() and "PATH" not in one.cure] == []
    [broken] = [one for one in said if (one.subject, one.level) == ("project", "broken")]
    assert broken.cure == "start the host in a project's own folder"


def test_a_status_line_that_init_would_refuse_to_write_beside_the_hooks_is_edited(green: World) -> None:
    assert untilgreen(green, "init") == 0
    command = shlex.join(["/gone/python", "-I", "/gone/untilgreen/loops/heard/status_line.py"])
    (green.home / ".claude").mkdir(exist_ok=True)
    settings = json.dumps({"statusLine": {"type": "command", "command": command}})
    (green.home / ".claude" / "settings.json").write_text(settings)
    said = [*doctor.examine(case.of(str(green.project), green.env, Extent(run=False)))]
    line = json.dumps(shlex.join(command_forms.status_line()))
    assert [one for one in said if one.subject == "status line"] == [
        Finding(
            "status line",
            "warning",
            "it cannot run: /gone/python is gone (~/.claude/settings.json)",
            f'edit ~/.claude/settings.json: in statusLine, "command": {line}',
        )
    ]


# ---- how it ends


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_told_to_stop_during_the_checks_a_command_of_people_ends_as_a_shell_says_it(
    green: World, number: signal.Signals
) -> None:
    assert untilgreen(green, "trust") == 0
    green.write({"untilgreen.toml": "[checks.slow]\ncommand = ['sh', '-c', 'touch began; sleep 60']\n"})
    process = green.begin("untilgreen", "doctor")
    until = time.monotonic() + 120
    while not (green.project / "began").exists() and time.monotonic() < until:
        time.sleep(0.05)
    process.send_signal(number)
    assert green.end(process) == (128 + number, "", "")


def to(world: World, place: str, *words: str) -> tuple[int, str]:
    """Exit code and stderr of an executable whose stdout the shell has put somewhere."""
    line = f"{shlex.join([str(BIN / words[0]), *words[1:]])} {place}"
    done = world.process("bash", "-c", line)
    return done.code, done.stderr


@pytest.mark.parametrize(
    "words", [("untilgreen", "doctor", "--no-run"), ("untilgreen", "--help"), ("stop-loop", "--help")]
)
def test_what_cannot_be_said_is_an_error_in_one_line(green: World, words: tuple[str, ...]) -> None:
    name = words[0]
    full = f"{name} failed: cannot write to stdout: No space left on device. Fix: write to where there is room\n"
    assert to(green, ">/dev/full", *words) == (64, full)
    assert to(green, ">/dev/full 2>/dev/full", *words) == (64, "")
    assert to(green, ">&-", *words) == (
        64,
        f"{name} failed: cannot write to stdout: Bad file descriptor. Fix: write to where there is room\n",
    )
    assert to(green, "| true; exit ${PIPESTATUS[0]}", *words) == (141, "")


def test_an_error_line_keeps_the_spaces_of_a_path() -> None:
    assert str(UserError("  no such\n file: my  shop\x1b[0m ", "\tgo")) == "no such file: my  shop?[0m. Fix: go"
