"""What is Codex CLI's alone: a newcomer at its terminal, whom it asks whether the hooks are trusted."""

import json
import subprocess
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from untilgreen.hosts.codex import install as trusted
from world import BIN

from .guest import Guest, NewGuest
from .scenes import FOUND, UNUSED
from .terminal import Terminal
from .test_every_host import mends, red, says
from .wires import Tool

pytestmark = [pytest.mark.e2e, pytest.mark.needs("npm"), pytest.mark.wide]


@contextmanager
def at_the_terminal(guest: Guest) -> Iterator[Terminal]:
    environment, _ = guest.launch({"TERM": "xterm-256color"})
    terminal = Terminal(guest.start, guest.project, environment)
    try:
        yield terminal
    finally:
        terminal.close()


def sent(terminal: Terminal, text: str) -> None:
    terminal.type(text)
    terminal.key("enter")


def second(terminal: Terminal, answer: str) -> None:
    """The second answer to a question."""
    terminal.wait_for(f"2. {answer}")
    terminal.key("down")
    terminal.wait_for(rf"\u203a 2\. {answer}")
    terminal.key("enter")


def test_a_newcomer_trusts_folder_and_hooks_and_is_held_until_green(new_guest: NewGuest) -> None:
    guest = new_guest(red(mends, says("Mended.")), registered=False)
    config = guest.home / ".codex" / "config.toml"
    config.write_text(config.read_text(encoding="utf-8").partition("[projects.")[0], encoding="utf-8")
    guest.untilgreen("init", "--host", "codex")
    untrusted = guest.untilgreen("doctor", code=1).out

    with at_the_terminal(guest) as terminal:
        terminal.wait_for("1. Trust and continue")
        time.sleep(0.5)  # keys that come while it draws the first screen are lost
        terminal.key("enter")
        second(terminal, "Trust all and continue")
        second(terminal, "Use existing model")  # it advertises a newer one
        terminal.wait_for("Ask Codex to do anything")
        sent(terminal, "$untilgreen-loop Add a module")
        terminal.wait_for("✓ green after 2 rounds")
        screen = terminal.screen()

    hooks = guest.project / ".codex" / "hooks.json"
    state = tomllib.loads(config.read_text(encoding="utf-8"))["hooks"]["state"]
    assert {key: one["trusted_hash"] for key, one in state.items()} == trusted.hashes(
        str(hooks), json.loads(hooks.read_text(encoding="utf-8"))
    )
    assert "Codex does not trust" in untrusted
    assert "none of the hooks in .codex/hooks.json is trusted yet" in untrusted
    assert "switches" not in guest.untilgreen("doctor").out
    assert "✗ round 1 of 10 · 1 left" in screen
    assert FOUND in guest.holds[0]
    assert guest.loop()["stop_reason"] == "complete"


def test_a_loop_that_the_agent_begins_in_its_shell_is_that_of_its_session(new_guest: NewGuest) -> None:
    start = f"{BIN / 'start-loop'} Add a module"
    guest = new_guest(lambda program: [program.runs(start), *red(mends, says("Mended."))(program)])
    (guest.home / ".bash_profile").write_text(
        f"export PATH={guest.env['PATH']}\n"
    )  # the agent's shell is a login shell

    done = guest.asked("Add a module, in a loop")

    loop = guest.loop()
    assert (loop["session_id"], loop["stop_reason"]) == (guest.program.session_of(done.out), "complete")
    assert len(guest.holds) == 1


def test_without_a_loop_a_file_that_the_agent_added_holds_it(new_guest: NewGuest) -> None:
    guest = new_guest(red(mends, says("Mended.")))

    guest.asked("Add a module")

    assert [FOUND in text for text in guest.model.main[2].told.splitlines() if "F401" in text] == [True]


def test_a_run_goes_on_with_codex_until_the_checks_are_green(new_guest: NewGuest) -> None:
    guest = new_guest(red(mends, says("Mended.")))
    guest.env["PATH"] = f"{Path(guest.start[0]).parent}:{guest.env['PATH']}"

    shown = guest.shell("untilgreen", "run", "--host", "codex", "Add a module")

    assert shown.code == 0, shown
    assert "✓ green after 2 rounds" in shown.out + shown.err


def test_in_a_linked_work_tree_it_is_held_by_the_hooks_of_the_main_one_after_init_there(new_guest: NewGuest) -> None:
    guest = new_guest(red(mends, says("Mended.")))
    tree = guest.project.with_name("tree")
    subprocess.run(["git", "worktree", "add", "-q", str(tree)], cwd=guest.project, env=guest.env, check=True)
    guest.project = tree
    untrusted = guest.untilgreen("doctor", code=1).out

    guest.untilgreen("init", "--host", "codex")
    guest.command(*guest.program.ask("untilgreen:loop Add a module"))

    assert "no hook of untilgreen is registered here" in untrusted
    assert "twice" not in guest.shell("untilgreen", "doctor").out
    assert (guest.loop()["stop_reason"], len(guest.holds)) == ("complete", 1)


def test_what_a_sub_agent_wrote_holds_the_agent_and_not_the_sub_agent(new_guest: NewGuest) -> None:
    spawn = Tool("collaboration.spawn_agent", {"message": "Add a module", "task_name": "helper"})
    waits = Tool("collaboration.wait_agent", {})
    mended = "echo 'VALUE = 1' > broken.py"
    guest = new_guest(lambda program: [spawn, waits, "Done.", program.runs(mended), "Mended."])
    guest.model.subagent = [guest.program.writes("broken.py", UNUSED), "Written."]
    with (guest.home / ".codex" / "config.toml").open("a", encoding="utf-8") as config:
        config.write("[features]\nmulti_agent_v2 = true\n")

    guest.asked("untilgreen:loop Add a module")

    of_agent = [request for request in guest.model.requests if request.kind == "subagent"]
    assert [request.told.count("Not green yet") for request in of_agent] == [0, 0]
    assert len(guest.holds) == 1
    assert (guest.loop()["stop_reason"], guest.loop()["iteration"]) == ("complete", 2)
