"""What every host is held to: scenes written once, played on each real program against a scripted model, headless.

In `make test` a whole round on each kind of host, on the pinned versions; the rest in `make e2e`, and these on the
newest version. Qwen Code is made of Gemini CLI, and is called as that is.
"""

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from untilgreen import hosts
from world import BIN, THEN

from .guest import Guest, NewGuest
from .model import Answer, Turn
from .programs import Program
from .scenes import CLEAN, FOUND, UNUSED, wait_until
from .terminal import Terminal

pytestmark = [pytest.mark.e2e, pytest.mark.needs("npm")]

TOLD = f"broken.py:1:8 ruff F401: {FOUND}"
BEGIN = "untilgreen:loop Add a module"
DONE = "All is done.\n<jikime>DONE</jikime>"
wide = pytest.mark.wide


def first(n: int, most: int, left: int = 1) -> str:
    """The first line of a hold."""
    return f"Not green yet: {left} left after round {n} of {most} · ruff {left}"


def held(guest: Guest) -> list[str]:
    """The first line of each hold that reached the model."""
    return [text.splitlines()[0] for text in guest.holds]


def red(*more: Callable[[Program], Turn]) -> Callable[[Program], list[Turn]]:
    """The model writes a file with a finding and says that it is done; then does what is given."""
    return lambda program: [program.writes("broken.py", UNUSED), "Done.", *(one(program) for one in more)]


def mends(program: Program) -> Turn:
    return program.edits("broken.py", UNUSED, CLEAN)


def says(text: str) -> Callable[[Program], Turn]:
    return lambda _: text


def looks(program: Program) -> Turn:
    return program.runs("true")


@pytest.mark.hosts("pi", "opencode")
def test_the_agent_is_held_with_the_findings_and_let_go_when_it_is_green(new_guest: NewGuest) -> None:
    guest = new_guest(red(mends, says("Mended.")))

    guest.asked(BEGIN)

    assert held(guest) == [first(1, 10)]
    assert TOLD in guest.holds[0]
    assert guest.holds[0].endswith(f"Task: Add a module\n{THEN}")
    loop = guest.loop()
    assert (loop["stop_reason"], loop["verified"], loop["iteration"]) == ("complete", True, 2)
    assert loop["task_description"] == "Add a module"


@pytest.mark.hosts("codex", "copilot", "gemini")
def test_as_a_plugin_that_its_own_command_installed_it_is_held_and_let_go(new_guest: NewGuest, checkout: Path) -> None:
    guest = new_guest(red(mends, says("Mended.")), registered=False)
    guest.env["PATH"] = f"{BIN}:{guest.env['PATH']}"
    guest.program.plugged(guest.at, checkout)
    for words in guest.program.plugs:
        done = guest.command(*(word.format(checkout) for word in words))
        assert done.code == 0, done

    guest.asked(BEGIN)

    assert held(guest) == [first(1, 10)]
    assert TOLD in guest.holds[0]
    loop = guest.loop()
    assert (loop["stop_reason"], loop["verified"], loop["host"]) == ("complete", True, guest.program.name)


@wide
def test_registered_in_two_scopes_it_is_told_once_and_a_stop_is_one_round(new_guest: NewGuest) -> None:
    guest = new_guest(red(mends, says("Mended.")), registered=False)
    for scope in ("--local", "--user"):
        guest.untilgreen("init", scope, "--host", guest.program.name, "--force")
    guest.program.registered(guest.at)

    guest.asked(BEGIN)

    assert held(guest) == [first(1, 10)]
    assert guest.model.told(2).count("Not green yet") == 1
    assert (guest.loop()["stop_reason"], guest.loop()["iteration"]) == ("complete", 2)


@wide
def test_a_promise_on_red_is_not_believed(new_guest: NewGuest) -> None:
    guest = new_guest(lambda program: [program.writes("broken.py", UNUSED), DONE, mends(program), DONE])

    guest.asked(BEGIN)

    assert held(guest) == [first(1, 10)]
    loop = guest.loop()
    assert (loop["stop_reason"], loop["verified"], loop["iteration"]) == ("complete", True, 2)


@pytest.mark.hosts("codex")
def test_an_agent_that_is_blocked_is_let_go_with_its_reason(new_guest: NewGuest) -> None:
    guest = new_guest(red(says("I cannot.\n<ralph>BLOCKED: the key is missing</ralph>")))

    guest.asked(BEGIN)

    loop = guest.loop()
    assert (loop["stop_reason"], loop["completion_reason"]) == ("blocked", "the key is missing")
    assert len(guest.holds) == 1


@wide
def test_a_loop_that_does_not_get_on_ends_as_stagnant(new_guest: NewGuest) -> None:
    guest = new_guest(red(), after="Done.")

    guest.asked(f"{BEGIN} --stagnation-limit 2")

    assert guest.loop()["stop_reason"] == "stagnant"
    assert len(guest.holds) == guest.loop()["iteration"] - 1


@wide
def test_a_loop_ends_after_its_last_round(new_guest: NewGuest) -> None:
    guest = new_guest(red(), after="Done.")

    guest.asked(f"{BEGIN} -m 3 --stagnation-limit 0")

    assert (guest.loop()["stop_reason"], guest.loop()["iteration"]) == ("max-iterations", 3)
    assert held(guest) == [first(1, 3), first(2, 3)]


@wide
def test_more_holds_than_the_host_honours_end_the_turn_and_go_on_makes_the_loop_go_on(new_guest: NewGuest) -> None:
    guest = new_guest(
        lambda program: [
            *(program.writes("broken.py", UNUSED), "Done."),
            # Gemini CLI ends a turn in which the same call comes five times
            *(turn for n in range(11) for turn in (program.runs(f"echo {n}"), "Done.")),
        ],
        after="Done.",
    )

    done = guest.asked(f"{BEGIN} -m 12 --stagnation-limit 0", timeout=240)

    cap = guest.program.cap
    if not cap:
        assert (guest.loop()["stop_reason"], len(guest.holds)) == ("max-iterations", 11)
        return
    assert len(guest.holds) == cap
    assert guest.loop()["active"]
    guest.asked("go on", guest.program.session_of(done.out), timeout=240)
    assert guest.loop()["stop_reason"] == "max-iterations"


@wide
def test_a_cancel_from_a_shell_beside_ends_the_hold(new_guest: NewGuest) -> None:
    made: list[Guest] = []

    def cancelled(_: object) -> str:
        made[0].untilgreen("cancel")
        return "Done."

    guest = new_guest(lambda program: [program.writes("broken.py", UNUSED), "Done.", looks(program), cancelled])
    made.append(guest)

    guest.asked(BEGIN)

    assert (guest.loop()["stop_reason"], held(guest)) == ("cancelled", [first(1, 10)])


@wide
def test_a_question_is_answered_without_a_hold_and_the_loop_goes_on_when_its_user_says_so(new_guest: NewGuest) -> None:
    guest = new_guest(
        lambda program: [
            program.writes("broken.py", UNUSED),
            "<ralph>BLOCKED: which name?</ralph>",
            "It is Python.",
            program.runs("echo 'VALUE = 1' > broken.py"),  # a new process edits nothing unread
            "Mended.",
        ]
    )
    session = guest.program.session_of(guest.asked(BEGIN).out)
    guest.asked("What is this?", session)
    assert (guest.loop()["stop_reason"], guest.holds) == ("blocked", [])

    guest.asked("untilgreen:resume", session)

    assert guest.loop()["stop_reason"] == "complete"


@wide
def test_a_session_that_is_resumed_goes_on_with_its_loop(new_guest: NewGuest) -> None:
    guest = new_guest(lambda program: ["I wait for you.", program.writes("broken.py", UNUSED), "Done.", mends(program)])
    first_run = guest.asked("Hello")
    session = guest.program.session_of(first_run.out)

    again = guest.asked(BEGIN, session)

    assert guest.program.session_of(again.out) == session
    assert guest.loop()["stop_reason"] == "complete"


@wide
def test_the_findings_of_an_edit_are_told_in_the_next_request(new_guest: NewGuest) -> None:
    guest = new_guest(red(mends, says("Mended.")))

    guest.asked(BEGIN)

    after_edit = guest.model.told(1)
    assert FOUND in after_edit
    assert "Not green yet" not in after_edit


@wide
def test_a_second_session_is_not_held_by_the_loop_of_the_first(new_guest: NewGuest) -> None:
    guest = new_guest(
        lambda _: ["<ralph>BLOCKED: I wait</ralph>", "It is Python."],
        files={"untilgreen.toml": 'auto = "off"\n', "broken.py": UNUSED},
    )
    guest.asked("untilgreen:loop Mend it")

    guest.asked("What is this?")

    assert guest.holds == []
    assert len(guest.model.main) == 2


@wide
@pytest.mark.parametrize("fault", ["missing", "crashes"])
def test_a_hook_that_is_missing_or_crashes_keeps_nobody(new_guest: NewGuest, fault: str) -> None:
    guest = new_guest(red())
    for launcher in (guest.home / ".local").rglob("stop-loop"):
        if fault == "missing":
            launcher.unlink()
        else:
            launcher.write_text("#!/bin/sh\nexit 1\n")

    guest.asked(BEGIN)

    assert guest.holds == []
    assert len(guest.model.main) == 2


@wide
def test_a_hook_that_is_late_keeps_nobody(new_guest: NewGuest) -> None:
    guest = new_guest(red(), registered=False)
    guest.untilgreen("init", "--host", guest.program.name, "--stop-timeout", "30")
    guest.program.registered(guest.at)
    for launcher in (guest.home / ".local").rglob("stop-loop"):
        launcher.write_text("#!/bin/sh\nexec sleep 60\n")
    began = time.monotonic()

    guest.asked(BEGIN)

    assert (guest.holds, len(guest.model.main)) == ([], 2)
    assert time.monotonic() - began > 30  # Gemini CLI waits for the end of what the hook's shell started, too


@wide
def test_init_then_a_loop_then_uninstall_leave_every_file_as_it_was(new_guest: NewGuest) -> None:
    guest = new_guest(red(mends, says("Mended.")), registered=False)
    before = guest.everything()
    guest.untilgreen("init", "--host", guest.program.name)
    written = {name for name in guest.everything() if name not in before}
    guest.program.registered(guest.at)
    guest.asked(BEGIN)
    assert guest.loop()["stop_reason"] == "complete"

    guest.untilgreen("uninstall", "--host", guest.program.name)

    after = guest.everything()
    assert not written.intersection(after), json.dumps(sorted(written.intersection(after)))
    kept = {name: text for name, text in before.items() if name.startswith(str(guest.project))}
    assert {name: after.get(name) for name in kept} == kept


@wide
def test_a_person_at_its_terminal_sees_what_is_held_and_how_it_ends(new_guest: NewGuest) -> None:
    guest = new_guest(red(mends, says("Mended.")))

    with guest.at_its_terminal() as terminal:
        asks(terminal, guest, "loop Add a module")
        terminal.wait_for(r"✗ round 1 of 10", timeout=60)
        terminal.wait_for(r"✓ green after 2 rounds", timeout=60)

    assert held(guest) == [first(1, 10)]
    assert (guest.loop()["stop_reason"], guest.loop()["verified"]) == ("complete", True)


def typed(guest: Guest) -> str:
    """How people type our commands there."""
    return hosts.get(guest.program.name).facts.typed


def asks(terminal: Terminal, guest: Guest, command: str) -> None:
    terminal.type(f"{typed(guest)}{command} ")  # with the blank nothing is offered to complete it
    terminal.key("enter")


@wide
def test_a_cancel_at_its_terminal_ends_the_loop_as_the_line_of_a_hold_says(new_guest: NewGuest) -> None:
    guest = new_guest(red(lambda _: Answer(["Too late."], delay=60), says("It is cancelled."), says("Bye.")))
    with guest.at_its_terminal() as terminal:
        asks(terminal, guest, "loop Add a module")
        guest.model.wait_for(3, timeout=60)
        terminal.wait_for(guest.program.busy)
        time.sleep(2)
        typed_first = hosts.get(guest.program.name).facts.escape_sends
        if typed_first:
            asks(terminal, guest, "cancel")
        escape(terminal, guest)
        if not typed_first:
            asks(terminal, guest, "cancel")
        wait_until(lambda: is_cancelled(terminal, guest), shown=terminal.screen)

    assert len(guest.holds) == 1


def escape(terminal: Terminal, guest: Guest) -> None:
    """Ends the agent's turn."""
    for _ in range(guest.program.busy.count("esc") or 1):
        terminal.key("esc")
        time.sleep(0.15)  # Copilot CLI takes two that come sooner or later for one
    time.sleep(1.5)


def is_cancelled(terminal: Terminal, guest: Guest) -> bool:
    """Whether the loop is over; presses Enter, as one may be lost while a turn is wound up."""
    time.sleep(1)
    if guest.loop()["stop_reason"] == "cancelled":
        return True
    terminal.key("enter")
    return False


@wide
def test_esc_at_its_terminal_while_a_check_runs_ends_it_and_counts_no_round(new_guest: NewGuest) -> None:
    slow = "import os, time\nopen('began', 'w').write(str(os.getpid()))\ntime.sleep(60)\n"
    guest = new_guest(lambda program: [program.writes("new.py", CLEAN), "Done."], files={"slow.py": slow})
    began = guest.project / "began"

    with guest.at_its_terminal() as terminal:
        asks(terminal, guest, "loop Add a module --check 'slow=python3 slow.py'")
        wait_until(lambda: began.exists() and began.read_text() != "", shown=terminal.screen)
        pid = int(began.read_text())
        time.sleep(1)
        escape(terminal, guest)
        wait_until(lambda: not Path(f"/proc/{pid}").exists(), timeout=10, shown=terminal.screen)
        time.sleep(2)

    assert (guest.loop()["iteration"], guest.loop()["active"], guest.holds) == (1, True, [])


@wide
def test_a_session_that_is_opened_again_at_its_terminal_goes_on_with_its_loop(new_guest: NewGuest) -> None:
    guest = new_guest(
        lambda program: [
            program.writes("broken.py", UNUSED),
            "<ralph>BLOCKED: which name?</ralph>",
            program.runs("echo 'VALUE = 1' > broken.py"),  # a new process edits nothing unread
            "Mended.",
        ]
    )
    session = guest.program.session_of(guest.asked(BEGIN).out)
    words = [word.format(session=session) for word in hosts.get(guest.program.name).facts.reopen]

    with guest.at_its_terminal(*words) as terminal:
        asks(terminal, guest, "resume")
        terminal.wait_for(r"✓ green after", timeout=60)

    assert (guest.loop()["session_id"], guest.loop()["stop_reason"]) == (session, "complete")
