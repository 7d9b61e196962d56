"""Whatever a hook inherits from the process that starts it, a red check is red; and what killed stops left is swept."""

import json
import os
import signal
import sys
import time
from pathlib import Path

import pytest

import tables
from untilgreen.checks.run import processes
from untilgreen.cli.installing import command_forms
from untilgreen.state import locks
from world import BIN, Answer, World

RED = ("--no-zero-errors", "--check", "a=false")
IGNORED, BLOCKED = "signal.signal({}, signal.SIG_IGN)", "signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))"
INHERITED = {
    "SIGCHLD ignored": IGNORED.format("signal.SIGCHLD"),
    "every signal ignored": f"[{IGNORED.format('n')} for n in range(1, 32) if n not in (9, 19)]",
    "every signal blocked": BLOCKED,
    "next to no descriptors": "resource.setrlimit(resource.RLIMIT_NOFILE, (8, 8))",
    "a few descriptors": "resource.setrlimit(resource.RLIMIT_NOFILE, (16, 16))",
    "a thousand descriptors": "[os.set_inheritable(os.open('/dev/null', 0), True) for _ in range(1000)]",
    "small files": "resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))",
    "no core files": "resource.setrlimit(resource.RLIMIT_CORE, (0, 0))",
    "a small stack": "resource.setrlimit(resource.RLIMIT_STACK, (2**18, 2**18))",
    "little memory": "resource.setrlimit(resource.RLIMIT_AS, (2**28, 2**28))",
    "no umask": "os.umask(0)",
    "the whole umask": "os.umask(0o777)",
    "the lowest priority": "os.nice(19)",
    "its folder gone": "os.mkdir('gone'); os.chdir('gone'); os.rmdir('../gone')",
    "stdout closed": "os.close(1)",
    "stderr closed": "os.close(2)",
    "stdout and stderr closed": "os.closerange(1, 3)",
    "a session of its own": "os.setsid()",
}
VARIABLES = tables.literal("faults-inherited", "variables")


def stop(world: World, inherited: str, **env: str) -> Answer:
    """What a stop says whose process inherited this."""
    payload = world.tmp / "payload.json"
    payload.write_text(json.dumps(world.payload()))
    first = f"import os, resource, signal, sys; {inherited}; os.execv(sys.argv[1], sys.argv[1:])"
    words = (sys.executable, "-c", first, str(BIN / "stop-loop"))
    return world.process("/bin/sh", "-c", f'exec "$@" <"{payload}"', "sh", *words, env=env)


@pytest.mark.parametrize("inherited", INHERITED)
def test_a_red_check_holds_whatever_is_inherited(red: World, inherited: str) -> None:
    red.start("mend it", *RED)
    answer = stop(red, INHERITED[inherited])
    assert (answer.code, red.state["active"], red.state["iteration"]) == (2, True, 2), answer


def test_red_checks_hold_whatever_the_environment_says(red: World) -> None:
    red.write({"check.py": "assert 0\n", "Makefile": "check:\n\tfalse\n"})
    words = ("--check", "python=python check.py", "--check", "make=make check")
    red.start("mend it", "--no-zero-errors", *words, "--max-iterations", "99", "--stagnation-limit", "0")
    for name, value in VARIABLES.items():
        before = red.state["iteration"]
        answer = red.run("stop-loop", stdin=json.dumps(red.payload()), env={name: value})
        assert (answer.code, red.state["iteration"]) == (2, before + 1), (name, answer)
        assert ("  python: exit-1" in answer.stderr, "  make: exit-2" in answer.stderr) == (True, True), name


@pytest.mark.parametrize("inherited", [IGNORED.format("signal.SIGTERM"), BLOCKED])
def test_a_check_and_a_pattern_that_take_too_long_end_whatever_signals_do(red: World, inherited: str) -> None:
    red.write({"untilgreen.toml": 'success_regex = "(a+)+$"\n[checks.slow]\ncommand = ["sleep", "600"]\ntimeout = 1\n'})
    red.start("mend it", "--no-zero-errors")
    answer = stop(red, inherited)
    assert "slow: timed out after 1 s" in answer.stdout + answer.stderr, answer


@pytest.mark.parametrize("name", ["stop-loop", "session-loop", "post-tool-lint"])
def test_a_stdin_that_cannot_be_read_is_told(red: World, name: str) -> None:
    answer = red.process("/bin/sh", "-c", f"exec '{BIN / name}' 0>/dev/null")
    assert (answer.code, answer.stderr) == (0, ""), answer
    assert answer.notice.startswith(f"untilgreen: {name} failed: a bug in untilgreen: "), answer


def test_a_registration_whose_package_cannot_be_loaded_says_so(world: World) -> None:
    answer = world.process(sys.executable, "-I", "-S", "-c", command_forms.code("stop-loop", "/gone"))
    why = "the package cannot be loaded (ModuleNotFoundError), nothing was judged"
    fix = "install it again, or take its hooks out of the settings"
    assert answer == (0, f'{{"systemMessage": "untilgreen failed: {why}. Fix: {fix}"}}\n', "")


def test_an_exit_code_that_nobody_saw_is_none(tmp_path: Path) -> None:
    job = processes.Job("a", ("false",), str(tmp_path), 10)
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        output = processes.run((job,), dict(os.environ), time.monotonic() + 10)["a"]
    finally:
        signal.signal(signal.SIGCHLD, before)
    assert (output.code, output.why) == (None, "its exit code was lost")


def test_a_start_sweeps_the_report_folders_of_stops_that_were_killed(red: World) -> None:
    old, new, others = (red.tmp / name for name in ("untilgreen-" + "0" * 16, "untilgreen-" + "1" * 16, "untilgreen-x"))
    for folder in (old, new, others):
        (folder / "copy").mkdir(parents=True)
        (folder / "0.xml").write_text("<a/>")
    for folder in (old, others):
        os.utime(folder, (0, 0))
    link = red.tmp / ("untilgreen-" + "2" * 16)
    link.symlink_to(others)
    minutes = time.time() - 300
    killed, going = (red.home / ("untilgreen-" + number * 16) for number in "34")
    for folder in (killed, going):
        folder.mkdir()
        os.utime(folder, (minutes, minutes))
    held = locks.hold(os.open(going, os.O_RDONLY), str(going), 0)
    red.start()
    os.close(held)
    assert sorted(red.tmp.iterdir()) == sorted((new, others, link))
    assert (killed.exists(), going.exists()) == (False, True)
