"""The checkout as a plugin of the real host: validated, loaded, installed; and on a Python that lacks the packages."""

import json
import re
import subprocess
import venv
from pathlib import Path

import pytest

import installs
from world import BIN, REPOSITORY

from .host import Host, NewHost, Run
from .scenes import CLEAN, FOUND, NEW_ONLY, UNUSED, edits, writes

pytestmark = [pytest.mark.e2e, pytest.mark.needs("npm")]

WORK = (writes("broken.py", UNUSED), "Done.", edits("broken.py", UNUSED, CLEAN), "Mended.")
LACKING = "python3 has no click, orjson, pydantic>=2, pyyaml. Fix: run "
STATE = {".untilgreen/.gitignore": "*\n"}


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A folder with a `python3` in which nothing is installed, and with ruff."""
    venv.create(tmp_path / "bare", symlinks=True)
    (tmp_path / "bare" / "bin" / "ruff").symlink_to(BIN / "ruff")
    return tmp_path / "bare" / "bin"


def ask(host: Host, prompt: str, *args: str) -> Run:
    run = host.run(prompt, *args)
    assert (run.code, run.stderr) == (0, ""), run
    return run


def check_held_until_mended(host: Host, run: Run) -> None:
    """The finding was told at the edit, held the stop, and was gone at the next."""
    assert run.result["result"] == "Mended."
    told = [request.told for request in host.model.main]
    assert [("untilgreen: loop started" in text, FOUND in text, "Stop hook " in text) for text in told] == [
        (True, False, False),
        (False, True, False),
        (False, True, True),
        (False, False, False),
    ]
    [file] = (host.project / ".untilgreen").glob("sessions/*/loop_state.json")
    loop = json.loads(file.read_text(encoding="utf-8"))
    theirs = "Ralph Loop: CONTINUE | Iteration: 2/10 | Current: 1 error(s)"
    assert (theirs if loop["settings"]["preset"] == "jikime" else "Not green yet: 1 left after round 1 of 10") in told[
        2
    ]
    assert (loop["session_id"], loop["stop_reason"], loop["verified"]) == (run.session_id, "complete", True)


def notices(run: Run) -> list[str]:
    """The messages for the user that hooks wrote, whether this version shows them or only reports them."""
    lines = [line for line in run.lines if line.get("subtype") in ("informational", "hook_response")]
    return [json.dumps(line) for line in lines if "untilgreen" in json.dumps(line)]


@NEW_ONLY
def test_the_hosts_own_validator_has_nothing_to_say(new_host: NewHost) -> None:
    host = new_host()
    for path in (REPOSITORY, REPOSITORY / ".claude-plugin" / "plugin.json"):
        done = host.command("plugin", "validate", str(path), "--strict")
        assert (done.code, done.err) == (0, ""), done
        assert done.out.rstrip().endswith("Validation passed")


@pytest.mark.wide
@NEW_ONLY
def test_loaded_from_a_folder_it_holds_and_lets_go(new_host: NewHost) -> None:
    host = new_host(WORK, path=[BIN])
    run = ask(host, "/untilgreen:loop Add a module", "--plugin-dir", str(REPOSITORY))
    check_held_until_mended(host, run)
    assert "A loop of untilgreen begins with this prompt." in host.model.told(0)
    assert "untilgreen:until-green: Working in a loop that ends when the project's own checks" in host.model.told(0)


@pytest.mark.wide
@NEW_ONLY
def test_an_alias_begins_a_loop_in_the_place_of_the_hosts_own_command(new_host: NewHost) -> None:
    text = (REPOSITORY / "templates" / "aliases" / "loop" / "loop.md").read_text(encoding="utf-8")
    host = new_host(WORK, path=[BIN], files={".claude/commands/loop.md": text})
    subprocess.run([BIN / "untilgreen", "trust"], cwd=host.project, env=host.env, check=True)
    run = ask(host, "/loop 5m $(touch PWNED)", "--plugin-dir", str(REPOSITORY))
    check_held_until_mended(host, run)
    assert "task:\n5m $(touch PWNED)" in host.model.told(0)
    assert text.partition("---\n")[2].partition("---\n")[2].strip() in host.model.told(0)
    assert not (host.project / "PWNED").exists()


@pytest.mark.wide
@NEW_ONLY
def test_the_hosts_own_command_is_left_alone_where_no_alias_is(new_host: NewHost) -> None:
    host = new_host(path=[BIN], files=STATE)
    ask(host, "/loop 5m Look again", "--plugin-dir", str(REPOSITORY))
    assert "loop started" not in host.model.told(0)
    assert list((host.project / ".untilgreen").glob("sessions/*/loop_state.json")) == []


def test_installed_from_a_local_marketplace_it_holds_and_lets_go(new_host: NewHost, checkout: Path) -> None:
    host = new_host(WORK, path=[BIN])
    install(host, checkout)
    settings = json.loads((host.config / "settings.json").read_text(encoding="utf-8"))
    assert settings["enabledPlugins"] == {"untilgreen@untilgreen": True}

    check_held_until_mended(host, ask(host, "/untilgreen:loop Add a module"))


def install(host: Host, checkout: Path) -> None:
    """As its user does, for good."""
    for words in (("marketplace", "add", str(checkout)), ("install", "untilgreen@untilgreen")):
        done = host.command("plugin", *words)
        assert (done.code, done.err) == (0, ""), done


def test_where_uv_is_there_it_gets_its_packages_itself(new_host: NewHost, checkout: Path, bare: Path) -> None:
    host = new_host(WORK, path=[bare, installs.uv().parent])
    offline = host.home / ".config" / "uv" / "uv.toml"
    offline.parent.mkdir(parents=True)
    offline.write_text(f'no-index = true\nfind-links = ["{installs.wheels()}"]\n')
    install(host, checkout)

    check_held_until_mended(host, ask(host, "/untilgreen:loop Add a module"))

    [made] = (host.config / "plugins" / "data").glob("*/python")
    host.command("plugin", "uninstall", "untilgreen@untilgreen")
    assert not made.exists()


def test_without_the_packages_it_says_so_once_and_is_in_nobodys_way(new_host: NewHost, bare: Path) -> None:
    host = new_host(WORK, path=[bare], files={**STATE, "pyproject.toml": "[tool.ruff]\n"})

    run = ask(host, "Add a module", "--plugin-dir", str(REPOSITORY))

    assert (run.result["result"], len(host.model.main)) == ("Done.", 2)
    [notice] = notices(run)
    assert (LACKING in notice, "SessionStart" in notice) == (True, True)
    assert [word for request in host.model.main for word in (LACKING, FOUND) if word in request.told] == []


@pytest.mark.wide
@NEW_ONLY
def test_without_the_packages_its_user_sees_the_notice_once(new_host: NewHost, bare: Path) -> None:
    host = new_host(WORK, path=[bare], files=STATE)
    with host.terminal("--plugin-dir", str(REPOSITORY)) as terminal:
        terminal.wait_for("nothing is judged:\\s+python3 has no\\s+click")
        terminal.say("Add a module")
        terminal.wait_for("Done\\.")
        terminal.say("/untilgreen:loop Go on")
        terminal.wait_for("python3 has no\\s+click(?s:.*)python3 has no\\s+click")
        # at the start, and where it was asked for
        assert len(re.findall("python3 has no\\s+click", terminal.screen())) == 2
    assert len(host.model.main) == 2
