"""What is Copilot CLI's alone: hooks of two registrations, its terminal, its sub-agents, its record of a session."""

import json
import shutil

import pytest

from .guest import NewGuest
from .programs import Program
from .scenes import FOUND, UNUSED
from .test_every_host import BEGIN, first, held, mends, red, says
from .wires import Tool

pytestmark = [pytest.mark.e2e, pytest.mark.wide, pytest.mark.needs("npm")]


@pytest.mark.parametrize("also_own", [False, True])
def test_hooks_of_claude_are_answered_in_its_form_and_not_twice(new_guest: NewGuest, also_own: bool) -> None:
    guest = new_guest(red(mends, says("Mended.")), registered=False)
    guest.untilgreen("init", "--host", "claude-code", *(("--host", "copilot") if also_own else ()))

    done = guest.command("-p", BEGIN, "--allow-all-tools")  # as text: its JSON has no warnings

    assert held(guest) == [first(1, 10)]
    assert guest.model.told(1).count(FOUND) == 1
    loop = guest.loop()
    assert (loop["stop_reason"], loop["iteration"], loop["host"]) == ("complete", 2, "copilot")
    assert done.err.count("✗ round 1 of 10") == 1


def test_in_its_terminal_a_typed_command_begins_a_loop_that_is_held_and_let_go(new_guest: NewGuest) -> None:
    guest = new_guest(red(mends, says("Mended.")), after="It is Python.")

    with guest.at_its_terminal() as shown:
        shown.say("/untilgreen:loop Add a module")
        shown.wait_for("✗ round 1 of 10", timeout=60)
        shown.wait_for("✓ green after 2 rounds", timeout=60)
        shown.say("What is this?")
        shown.wait_for("It is Python")
        shown.say("/untilgreen:status")
        shown.wait_for("round 1 of ")

    assert held(guest) == [first(1, 10)]
    assert "A loop of untilgreen begins with this prompt" in guest.model.told(0)
    assert guest.loop()["task_description"] == "Add a module"


def test_what_a_sub_agent_writes_and_says_is_the_loops_and_its_own_stop_is_not_held(new_guest: NewGuest) -> None:
    def asks(_program: Program) -> Tool:
        given = {"agent_type": "general-purpose", "name": "helper", "description": "write", "prompt": "Write it."}
        return Tool("task", {**given, "mode": "sync"})

    guest = new_guest(
        lambda program: [
            asks(program),
            program.writes("broken.py", UNUSED),
            "Sub-agent: done.",
            "Done.",
            mends(program),
            "Mended.",
        ]
    )

    guest.asked(BEGIN)

    assert held(guest) == [first(1, 10)]
    loop = guest.loop()
    assert (loop["stop_reason"], loop["iteration"]) == ("complete", 2)
    assert "broken.py" in guest.untilgreen("show").out


def test_in_a_folder_that_nobody_trusts_headless_no_hook_runs_and_the_doctor_says_so(new_guest: NewGuest) -> None:
    guest = new_guest(red())
    config = guest.home / ".copilot" / "config.json"
    config.write_text("{}")
    (guest.home / ".local" / "bin").mkdir(parents=True, exist_ok=True)

    guest.asked(BEGIN)

    assert (guest.holds, guest.loops()) == ([], [])
    assert "is no trusted folder" in guest.shell("untilgreen", "doctor").out


def test_its_users_own_hooks_run_everywhere(new_guest: NewGuest) -> None:
    guest = new_guest(red(mends, says("Mended.")), registered=False)
    guest.untilgreen("init", "--user", "--host", "copilot")
    (guest.home / ".copilot" / "config.json").write_text("{}")

    guest.asked(BEGIN)

    assert held(guest) == [first(1, 10)]
    assert guest.loop()["stop_reason"] == "complete"


def test_a_run_starts_it_for_each_round(new_guest: NewGuest) -> None:
    guest = new_guest(red(mends, says("Mended.")), registered=False)
    program = guest.home / "bin" / "copilot"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {guest.start[0]} "$@"\n')
    program.chmod(0o755)
    guest.env["PATH"] = f"{program.parent}:{guest.env['PATH']}"
    words = ("run", "--host", "copilot", "Add a module", "--", "--allow-all-tools")

    shown = guest.untilgreen(*words)

    assert "✓ green after 2 rounds" in shown.out + shown.err
    assert shutil.which("copilot", path=guest.env["PATH"]) == str(program)
    assert "Not green yet: 1 left after round 1 of 10" in json.dumps(guest.model.told(2))
