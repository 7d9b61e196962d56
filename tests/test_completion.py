"""Shell completion: words that real shells complete."""

import json
import re
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pexpect  # type: ignore[import-untyped]
import pytest

import tables
from untilgreen.cli import completion, root
from untilgreen.cli.terminal import asking
from untilgreen.loops.begin import options
from untilgreen.settings.keys import PRESETS, SETTINGS
from world import World

ONE = "11111111-1111-4111-8111-111111111111"
OTHER = "22222222-2222-4222-8222-222222222222"
# what readline does when somebody presses Tab: the function that `complete` knows gets the words, and leaves its answer
BASH = tables.text("completion", "bash")


def bash(world: World, *words: str) -> list[str]:
    """What bash offers for the last of these words, which are as they were typed."""
    command = BASH.format(
        words=" ".join(map(shlex.quote, words)),
        last=len(words) - 1,
        line=shlex.quote(" ".join(words)),
        command=words[0],
    )
    done = world.process("bash", "--norc", "--noprofile", "-c", command)
    assert done.stderr == ""
    return done.stdout.splitlines()


def offered(world: World, *words: str) -> list[str]:
    """What the command answers when bash's function asks it for the last of these words."""
    env = {asking(words[0]): "bash_complete", "COMP_WORDS": " ".join(words), "COMP_CWORD": f"{len(words) - 1}"}
    answer = world.run(words[0], env=env)
    assert (answer.code, answer.stderr) == (0, "")
    return [line.partition(",")[2] for line in answer.stdout.splitlines() if line]


def test_commands_complete(world: World) -> None:
    assert bash(world, "untilgreen", "") == list(root.COMMANDS)
    assert bash(world, "untilgreen", "stat") == ["status", "statusline"]
    assert bash(world, "untilgreen", "c") == ["check", "cancel", "config", "completion", "classify", "comment"]
    assert bash(world, "untilgreen", "completion", "") == ["bash", "zsh", "fish"]


def test_flags_complete(world: World) -> None:
    flags = [option.flag for option in options.OPTIONS if option.flag.startswith("--ma")]
    assert offered(world, "start-loop", "--ma") == flags
    assert offered(world, "cancel-loop", "--") == ["--session", "--project", "--all", "--json", "--version", "--help"]
    assert offered(world, "untilgreen", "status", "--wat") == ["--watch"]
    assert offered(world, "untilgreen", "start", "--ma") == flags


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["--preset", ""], list(PRESETS)),
        (["--preset", "talk"], ["talkcody", "talkcody-strict"]),
        (["--preset", "=", "talk"], ["talkcody", "talkcody-strict"]),
        (["--preset", "="], list(PRESETS)),
        (["'mend it'", "--criteria", "zero_"], ["zero_errors", "zero_warnings", "zero_security"]),
        (["--criteria", ""], list(SETTINGS.keys["criteria"].choices)),
        (["--marker", ""], list(SETTINGS.keys["marker"].choices)),
        (["--max-iterations", ""], []),
        (["a task", ""], []),
        (['"it\'s"', "--marker", "t"], ["trust"]),
    ],
    ids=" ".join,
)
def test_values_complete(world: World, words: Sequence[str], found: list[str]) -> None:
    assert offered(world, "start-loop", *words) == found


def test_sessions_complete(red: World) -> None:
    assert offered(red, "cancel-loop", "--session", "") == []
    red.run("start-loop", "mend it", "--session", ONE)
    red.run("start-loop", "mend it", "--session", OTHER)
    red.run("start-loop", "mend it", "--session", "next")
    assert offered(red, "cancel-loop", "--session", "") == [ONE, OTHER, "next"]
    assert offered(red, "cancel-loop", "--session", "2") == [OTHER]
    assert offered(red, "start-loop", "--session", "") == ["next"]
    red.run("cancel-loop", "--session", ONE)
    assert offered(red, "cancel-loop", "--session", "") == [OTHER, "next"]
    assert offered(red, "untilgreen", "show", "--why", "--session", "1") == [ONE]
    elsewhere = red.home / "elsewhere"
    elsewhere.mkdir()
    assert offered(red, "cancel-loop", "--project", str(elsewhere), "--session", "") == []


def test_names_of_loops_complete_the_newest_first_with_their_tasks(red: World) -> None:
    assert offered(red, "untilgreen", "show", "") == []
    red.run("start-loop", "mend it", "--session", ONE)
    red.run("start-loop", f"mend\n\x1b[2J{'more ' * 30}", "--session", OTHER)
    states = (red.project / ".untilgreen" / "sessions" / one / "loop_state.json" for one in (ONE, OTHER))
    older, newer = (json.loads(path.read_text())["loop_id"] for path in states)
    assert offered(red, "untilgreen", "show", "") == [newer, older]
    assert offered(red, "untilgreen", "show", "--markdown", "loop-1") == [newer, older]
    asking = {"_UNTILGREEN_COMPLETE": "zsh_complete", "COMP_WORDS": "untilgreen show ", "COMP_CWORD": "2"}
    told = f"mend {'more ' * 15}"[:79] + "…"
    assert red.run("untilgreen", env=asking).stdout == f"plain\n{newer}\n{told}\nplain\n{older}\nmend it\n"


def test_sessions_that_are_at_work_complete(red: World) -> None:
    red.init()
    assert red.event("SessionStart", session_id=ONE, source="startup").code == 0
    assert offered(red, "start-loop", "--session", "") == [ONE, "next"]
    assert offered(red, "untilgreen", "start", "--session", "") == [ONE, "next"]


def test_completing_changes_nothing_and_needs_no_project(world: World) -> None:
    before = sorted(world.project.rglob("*"))
    offered(world, "start-loop", "--session", "")
    offered(world, "start-loop", "--project", str(world.project / "gone"), "--session", "")
    assert sorted(world.project.rglob("*")) == before


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_registers_every_command_for_people(world: World, shell: str) -> None:
    answer = world.run("untilgreen", "completion", shell)
    assert (answer.code, answer.stderr, answer.stdout) == (0, "", completion.script(shell) + "\n")
    registers = {"bash": r"complete -o nosort -F \S+ (\S+)", "zsh": r"compdef _\S+ (\S+)", "fish": r"--command (\S+)"}
    assert tuple(re.findall(registers[shell], answer.stdout)) == completion.COMMANDS


def test_another_shell_is_an_error_that_names_those_that_are_known(world: World) -> None:
    answer = world.run("untilgreen", "completion", "tcsh")
    assert answer == (64, "", 'untilgreen failed: shell is "tcsh". Fix: give one of bash, zsh, fish\n')


@contextmanager
def terminal(world: World, *command: str) -> Iterator[Any]:
    """A shell at work in a terminal, with completion switched on by `setup`."""
    child = pexpect.spawn(
        *(command[0], list(command[1:])),
        cwd=str(world.project),
        env=world.env | {"TERM": "dumb", "PS1": "> "},
        dimensions=(24, 200),
        encoding="utf-8",
        timeout=30,
    )
    try:
        yield child
    finally:
        child.close(force=True)


TABS = [("untilgreen comp", "letion "), ("start-loop --preset super", "code "), ("start-loop --preset=super", "code ")]


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
@pytest.mark.parametrize(("typed", "completed"), TABS)
def test_tab_completes_in_bash(world: World, typed: str, completed: str) -> None:
    with terminal(world, "bash", "--norc", "--noprofile", "-i") as shell:
        shell.sendline('eval "$(untilgreen completion bash)"; echo re""ady')
        shell.expect("ready")
        shell.send(typed + "\t")
        shell.expect_exact(typed + completed)


@pytest.mark.needs("zsh")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
@pytest.mark.parametrize(("typed", "completed"), TABS)
def test_tab_completes_in_zsh(world: World, typed: str, completed: str) -> None:
    with terminal(world, "zsh", "-f", "-i") as shell:
        shell.sendline('autoload -Uz compinit; compinit -u -D; eval "$(untilgreen completion zsh)"; echo re""ady')
        shell.expect("ready\r")
        shell.send(typed + "\t")
        shell.expect_exact(typed + completed.strip())


@pytest.mark.needs("fish")
@pytest.mark.parametrize(("line", "found"), tables.literal("completion", "words complete in fish"))
def test_words_complete_in_fish(world: World, line: str, found: list[str]) -> None:
    done = world.process("fish", "--no-config", "-c", f"untilgreen completion fish | source; complete -C '{line}'")
    assert [row.partition("\t")[0] for row in done.stdout.splitlines()] == found
