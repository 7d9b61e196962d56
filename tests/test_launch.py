"""What starts the plugin's hooks: an installation is found, or uv makes one, or its lack is told with one cure."""

import json
import os
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

import installs
from world import BIN, REPOSITORY, Answer, World

SILENT = Answer(0, "", "")
TYPED = "/untilgreen:loop Make the shop work"
NOTHING = "untilgreen: nothing is judged: no Python 3.11 is here. Fix: "


class Plugin(NamedTuple):
    """The plugin in a world, and the folders on whose PATH its hooks are started."""

    world: World
    path: Sequence[object]

    @property
    def data(self) -> Path:
        """The folder that the host keeps for the plugin."""
        return self.world.tmp / "plugin's data"

    def hook(self, name: str, event: str, **fields: object) -> Answer:
        known = {"CLAUDE_PROJECT_DIR": str(self.world.project), "CLAUDE_CODE_SESSION_ID": self.world.session}
        known |= {"CLAUDE_PLUGIN_DATA": str(self.data), "PATH": os.pathsep.join(map(str, self.path))}
        payload = json.dumps(self.world.payload(hook_event_name=event, **fields), separators=(",", ":"))
        launch = str(REPOSITORY / "hooks" / "launch")
        return self.world.process(launch, name, "--host", "claude-code", stdin=payload, env=known)

    def begin(self) -> Answer:
        return self.hook("session-loop", "SessionStart", source="startup")

    def prompt(self, text: str = TYPED) -> Answer:
        return self.hook("session-loop", "UserPromptSubmit", prompt=text)

    def stop(self) -> Answer:
        return self.hook("stop-loop", "Stop")


def program(folder: Path, name: str, text: str) -> Path:
    """An executable file of this name in a folder; the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{text}\n")
    (folder / name).chmod(0o755)
    return folder


def linked(folder: Path, *programs: Path) -> Path:
    """A folder with links to programs."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in programs:
        (folder / path.name).symlink_to(path)
    return folder


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A folder with a `python3` in which nothing is installed, and with ruff."""
    venv.create(tmp_path / "bare", symlinks=True)
    return linked(tmp_path / "bare" / "bin", BIN / "ruff")


def test_an_installation_on_the_path_is_the_first_choice(red: World, bare: Path) -> None:
    plugin = Plugin(red, [bare, installs.installed("pipx").bin, "/usr/bin", "/bin"])
    assert plugin.begin() == SILENT
    assert plugin.prompt().context.startswith("untilgreen: loop started")
    assert plugin.stop().stderr.startswith("Not green yet: 1 left after round 1 of 10")
    assert not plugin.data.exists()


def test_it_is_found_where_pipx_and_uv_put_it_too(red: World) -> None:
    linked(red.home / ".local" / "bin", *(installs.installed("uv").bin.iterdir()))
    plugin = Plugin(red, [linked(red.tmp / "checkers", BIN / "ruff"), "/usr/bin", "/bin"])
    assert plugin.prompt().context.startswith("untilgreen: loop started")


def test_a_command_of_that_name_without_the_hooks_beside_it_is_no_installation(world: World, bare: Path) -> None:
    plugin = Plugin(world, [program(world.tmp / "mine", "untilgreen", "exit 1"), bare])
    assert plugin.begin().notice.startswith("untilgreen: no loop can begin here")


def test_uv_makes_an_environment_when_a_session_begins(red: World, bare: Path) -> None:
    # where packages come from is said by the user, and not by a project that nobody trusts
    ours = red.home / ".config" / "uv" / "uv.toml"
    ours.parent.mkdir(parents=True)
    ours.write_text(f'no-index = true\nfind-links = ["{installs.wheels()}"]\npython-downloads = "never"\n')
    red.write({"uv.toml": 'required-version = ">=99"\n'})
    uv = linked(red.tmp / "uv", installs.uv())
    plugin = Plugin(red, [uv, bare, "/usr/bin", "/bin"])
    assert plugin.begin() == SILENT
    (uv / "uv").unlink()
    assert plugin.prompt().context.startswith("untilgreen: loop started")
    assert plugin.stop().stderr.startswith("Not green yet: 1 left after round 1 of 10")
    assert sorted(path.name for path in plugin.data.iterdir()) == ["python", "uv.log"]


def test_an_uv_that_fails_is_not_asked_again_at_every_prompt(world: World, bare: Path) -> None:
    calls = world.tmp / "calls"
    uv = program(world.tmp / "uv", "uv", f"echo called >>'{calls}'; exit 2")
    plugin = Plugin(world, [uv, bare, "/usr/bin", "/bin"])
    why = f"python3 has no click, orjson, pydantic>=2, pyyaml. Fix: run uv tool install {REPOSITORY}"
    assert plugin.begin().notice == f"untilgreen: no loop can begin here and nothing is judged: {why}"
    assert (plugin.prompt(), plugin.stop()) == (Answer(2, "", f"untilgreen failed: {why}\n"), SILENT)
    assert calls.read_text() == "called\n"


@pytest.mark.parametrize(
    ("program_there", "fix"),
    [("", "install uv (https://docs.astral.sh/uv)"), ("uv", f"run uv tool install '{REPOSITORY}'")],
    ids=["nothing", "uv alone"],
)
def test_without_a_python_it_says_so_when_a_session_begins(world: World, program_there: str, fix: str) -> None:
    folder = program(world.tmp / "programs", program_there or "other", "exit 2")
    plugin = Plugin(world, [folder])
    said = f"untilgreen: nothing is judged: no Python 3.11 is here. Fix: {fix}"
    assert (plugin.begin().notice, plugin.prompt(), plugin.stop()) == (said, SILENT, SILENT)


def test_a_host_that_drops_the_words_is_not_blocked_and_its_user_is_told_when_a_session_begins(world: World) -> None:
    launch = str(REPOSITORY / "hooks" / "launch")
    stop, begin = (json.dumps(world.payload(hook_event_name=name)) for name in ("Stop", "SessionStart"))
    why = "the host calls the plugin without its words. Fix: take it out of the host, and run untilgreen init"
    assert world.process(launch, stdin=stop) == SILENT
    assert world.process(launch, stdin=begin).notice == f"untilgreen: nothing is judged: {why}"


def test_what_the_project_has_in_a_relative_folder_of_the_path_is_not_run(world: World, bare: Path) -> None:
    for name in ("untilgreen", "session-loop", "uv", "python3"):
        program(world.project / "bin", name, "touch RUN")
    assert Plugin(world, ["", ".", "bin", bare, "/usr/bin", "/bin"]).begin().notice.startswith("untilgreen: no loop")
    assert not (world.project / "RUN").exists()
