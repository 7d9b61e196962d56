"""`/loop`, `/ralph`, `/cancel-ralph`, `/jikime:loop`: ours where `init --alias` put them, somebody else's where not."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from untilgreen import entry, hosts
from untilgreen.cli.installing import command_forms
from untilgreen.hosts.claude_code import commands as aliases
from untilgreen.loops.heard import words
from untilgreen.settings import values
from untilgreen.state import place
from world import REPOSITORY, Answer, World

TEMPLATES = REPOSITORY / "templates"
BEGIN = ("/loop", "/ralph start", "/jikime:loop")
END = ("/loop --cancel", "/ralph stop", "/cancel-ralph", "/jikime:loop --cancel")
SHELLS = "it's a \"task\" with `touch PWNED`, $(touch PWNED); ${IFS}\n'\nEOF\ntouch PWNED"


def install(world: World, folder: Path | None = None) -> None:
    """Put the commands of every alias where `init --alias` puts them."""
    for alias in (TEMPLATES / "aliases").iterdir():
        shutil.copytree(alias, (folder or world.project / ".claude") / "commands", dirs_exist_ok=True)


@pytest.fixture
def aliased(red: World) -> World:
    """A red world whose project, which is trusted, has the commands of all aliases."""
    install(red)
    red.trust()
    return red


def typed(world: World, text: str, env: Mapping[str, str] | None = None) -> Answer:
    return world.compact("UserPromptSubmit", env, prompt=text)


def is_silent(world: World, text: str, env: Mapping[str, str] | None = None) -> bool:
    return typed(world, text, env) == (0, "", "") and not (world.project / ".untilgreen").exists()


@pytest.mark.parametrize("name", BEGIN)
def test_an_alias_begins_a_loop_with_the_flags_and_the_task(aliased: World, name: str) -> None:
    answer = typed(aliased, f"{name} --max-iterations 4 mend --strict it")

    assert (answer.code, answer.stderr) == (0, "")
    state = aliased.state
    assert answer.context.splitlines()[0] == f"untilgreen: loop started ({state['loop_id']}), round 1 of 4"
    assert (state["active"], state["task_description"], state["settings"]["strict"]) == (True, "mend it", True)
    assert aliased.stop().held
    assert typed(aliased, f"{name} --replace {SHELLS}").code == 0
    assert aliased.state["task_description"] == SHELLS, "full of shell syntax, and as it was typed"
    assert list(aliased.home.parent.rglob("PWNED")) == []


@pytest.mark.parametrize("line", END)
def test_an_alias_ends_the_loop(aliased: World, line: str) -> None:
    aliased.start("mend it")
    loop_id = aliased.state["loop_id"]

    assert typed(aliased, line) == (0, f"untilgreen: loop cancelled in round 1 of 10 ({loop_id})\n", "")
    assert (aliased.state["active"], aliased.state["final_status"]) == (False, "CANCELLED")
    none = "untilgreen: no loop is running in this session"
    if line == "/cancel-ralph":  # SuperCode's own
        none = "No Active Loop · No Ralph Loop is currently running"
    assert typed(aliased, line) == (0, f"{none}\n", "")


def test_ralph_status_says_where_the_loop_stands(aliased: World) -> None:
    assert typed(aliased, "/ralph status") == (0, "untilgreen: no loops here yet\n", "")
    aliased.start("mend it")
    told = re.sub(r"\d\.\d s", "N s", typed(aliased, "/ralph status").stdout)
    assert told == "round 1 of 10 · running · 1 left: ruff 1 · N s of 60 min · /untilgreen:cancel ends it\n  mend it\n"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("/ralph", "/ralph takes start, stop, status or rollback. Fix: begin a loop with /ralph start TASK"),
        (
            "/ralph mend it",
            '/ralph takes start, stop, status or rollback, not "mend". Fix: begin a loop with /ralph start TASK',
        ),
        (
            "/ralph rollback",
            "no loop of this session is known here. Fix: run untilgreen rollback --session ID in a shell",
        ),
        ("/ralph start x --max-iterations 0", "--max-iterations is 0. Fix: give a number from 1 up"),
        (
            "/loop --criteria blue x",
            f'--criteria is "blue". Fix: give one of {", ".join(values.CRITERIA)}, tests_pass',
        ),
        ("/jikime:loop --max-iterations", "--max-iterations needs a value. Fix: write --max-iterations N"),
    ],
)
def test_wrong_words_stop_the_command_and_show_the_reason(aliased: World, line: str, reason: str) -> None:
    assert typed(aliased, line) == (2, "", f"untilgreen failed: {reason}\n")
    assert not aliased.folder.exists()


def test_a_command_that_is_not_installed_or_only_begins_like_one_is_none_of_ours(red: World) -> None:
    for line in (*(f"{name} mend it" for name in BEGIN), *END, "/ralph status", "/ralph mend it"):
        assert is_silent(red, line), line
    install(red)
    red.trust()
    for line in ("/loopy x", "/loop5m x", "/loop-x y", "/ralphs start x", "/jikime:loops x", "/Loop x", " /loop x"):
        assert is_silent(red, line), line


@pytest.mark.parametrize("name", BEGIN)
def test_a_command_of_somebody_else_stays_theirs(aliased: World, name: str) -> None:
    for file in (aliased.project / ".claude" / "commands").rglob("*.md"):
        file.write_text("---\ndescription: mine\n---\nDo it again.\n", encoding="utf-8")
    assert is_silent(aliased, f"{name} mend it")


def test_ralph_takes_the_line_that_its_users_know(aliased: World) -> None:
    answer = typed(aliased, '/ralph "mend it" --max-iterations=25 --completion-promise=DONE')
    assert (answer.code, aliased.state["active"], aliased.state["task_description"]) == (0, True, "mend it")
    settings = aliased.state["settings"]
    assert (settings["max_iterations"], settings["completion_promise"]) == (25, "DONE")


def test_of_commands_typed_one_behind_the_other_cancel_wins(aliased: World) -> None:
    aliased.start()
    answer = typed(aliased, "/untilgreen:status /untilgreen:cancel")
    assert (answer.code, "untilgreen: loop cancelled in round 1 of 10" in answer.stdout) == (0, True)
    assert aliased.state["stop_reason"] == "cancelled"


def test_a_command_of_the_hosts_own_costs_no_cold_start(red: World) -> None:
    code = command_forms.code("session-loop", os.path.dirname(command_forms.PACKAGE))
    done = subprocess.run(
        [sys.executable, "-I", "-X", "importtime", "-c", code, "--host", hosts.DEFAULT],
        input='{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"/loop 5m look again"}',
        env=red.env | red.hosted | {"CLAUDE_CODE_SESSION_ID": "s"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert "untilgreen.hosts.claude_code.commands" in done.stderr
    assert not re.findall(
        r"untilgreen\.cli|click|pydantic|orjson|untilgreen\.(?:loops\.begin\.(?:starting|options)|checks)", done.stderr
    )


def test_a_prompt_that_is_not_ours_is_counted_as_the_users_own(red: World) -> None:
    red.start("mend it")
    red.prompt("go on", prompt_id="p1")
    assert red.stop(prompt_id="p1").held
    assert red.prompt("/loop 5m look again", prompt_id="p1") == (0, "", "")
    assert red.stop(prompt_id="p1").notice.startswith("untilgreen: loop paused in round 2 of 10")


@pytest.mark.parametrize("variable", ["", "CLAUDE_CONFIG_DIR"])
def test_a_command_in_the_users_own_folder_counts_in_every_project(red: World, variable: str) -> None:
    folder = red.home / ("elsewhere" if variable else ".claude")
    install(red, folder)
    env = {variable: str(folder)} if variable else {}
    assert typed(red, "/ralph start mend it", env).context.startswith("untilgreen: loop started")


def test_the_users_own_command_hides_the_projects(aliased: World) -> None:
    theirs = aliased.home / ".claude" / "commands" / "loop.md"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("Do it every five minutes.\n", encoding="utf-8")
    assert is_silent(aliased, "/loop mend it")
    assert typed(aliased, "/ralph start mend it").context.startswith("untilgreen: loop started")


def test_a_command_that_cannot_be_read_or_is_ones_own_and_speaks_of_untilgreen_is_none_of_ours(red: World) -> None:
    (red.project / ".claude/commands/loop.md").mkdir(parents=True)
    red.write({".claude/commands/ralph.md": "My own ralph. It is not that of untilgreen.\n"})
    assert is_silent(red, "/loop mend it")
    assert is_silent(red, "/ralph fix it")


def test_what_init_installs_is_recognised(red: World) -> None:
    assert red.run("untilgreen", "init", "--alias", "jikime", "--alias", "ralph").code == 0
    assert typed(red, "/loop 5m look again") == (0, "", "")
    assert typed(red, "/ralph start mend it").context.startswith("untilgreen: loop started")
    assert typed(red, "/jikime:loop --cancel").stdout.startswith("untilgreen: loop cancelled in round 1 of 10")


def test_every_alias_is_found_by_its_bytes_by_its_file_and_by_its_name(world: World) -> None:
    files = sorted(
        str(path.relative_to(alias)) for alias in (TEMPLATES / "aliases").iterdir() for path in alias.rglob("*.md")
    )
    assert files == sorted(aliases.ALIASES.values())
    for name in aliases.ALIASES:
        raw = f'{{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"{name}"}}'
        env = {"CLAUDE_CODE_SESSION_ID": "s", "CLAUDE_PROJECT_DIR": str(world.project)}
        assert entry.ends("session-loop", raw.encode(), env, place.base_here(env), "") is None
        assert words.command_of(f"{name} start x", aliases.NAMES) is not None


@pytest.mark.parametrize("name", ["loop/loop.md", "jikime/jikime/loop.md"])
def test_an_alias_tells_the_model_what_the_command_does(name: str) -> None:
    ours = (TEMPLATES / "commands" / "loop.md").read_text(encoding="utf-8")
    ours = ours.replace("checks are green\n", "checks are green (untilgreen)\n")  # `/loop` is the host's own, too
    if "jikime" in name:
        ours = ours.replace("`Not green yet`", "`Ralph Loop: CONTINUE`").replace("untilgreen>DONE", "jikime>DONE")
        ours = ours.replace("DONE</untilgreen>", "DONE</jikime>").replace("untilgreen>BLOCKED", "ralph>BLOCKED")
        ours = ours.replace("reason</untilgreen>", "reason</ralph>")
    assert (TEMPLATES / "aliases" / name).read_text(encoding="utf-8") == ours


def test_a_typed_loop_tells_the_user_what_is_asked_for_and_what_is_red(red: World) -> None:
    answer = red.prompt("/untilgreen:loop mend it")
    assert answer.notice == (
        "untilgreen: loop on until ruff ✗1 is green · at most 10 rounds · /untilgreen:cancel ends it"
    )
