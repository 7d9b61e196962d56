"""How each host's registration looks, and what keeps the host from running it: switches, and trust in folders."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

import recorded
import tables
from in_process import untilgreen
from untilgreen.cli.installing import targets
from untilgreen.hosts.codex.install import hashes
from untilgreen.hosts.copilot import ASIDE
from untilgreen.hosts.hook_health import words_of
from untilgreen.hosts.host import Entries, Scope, Source
from world import World

ASKS = {"security": {"folderTrust": {"enabled": True}}}

SIX = ["session_start", "session_shutdown", "input", "tool_call", "tool_result", "agent_before_settle"]
# loads the bridge as Pi does: says which events it asked for, and begins a session where that is the only one
START = """
import bridge from "./bridge.mjs";
const asked = {};
await bridge({ on: (event, heard) => (asked[event] = heard), sendMessage() {} });
console.log(JSON.stringify(Object.keys(asked)));
if (Object.keys(asked).length === 1) asked.session_start({}, { hasUI: false });
"""


def entries(host: str, folder: str = "/opt", seconds: int = 600) -> Entries:
    return targets.settings(host).entries(lambda name: (f"{folder}/{name}", ["--host", host]), seconds)


def ours(host: str) -> dict[str, Any]:
    return targets.settings(host).merged({}, entries(host))


def silenced(host: str, root: Path, env: dict[str, str], **files: dict[str, Any]) -> list[tuple[str, str]]:
    """What silences our hooks, and its cure, where these are its settings: scope to what such a file holds."""
    found = [Source(host, Scope(scope, f"{scope}.json"), settings) for scope, settings in files.items()]
    told = targets.settings(host).silenced(found, str(root), env, os.path.basename)
    return [(one.what, one.cure) for one in told]


# --- registrations --------------------------------------------------------------


def test_of_gemini_cli_a_command_that_is_gone_lets_the_agent_go() -> None:
    own, wanted = targets.settings("gemini"), entries("gemini", "/nowhere")
    entry: dict[str, Any] = {"type": "command", "command": "/nowhere/stop-loop --host gemini || true"}
    entry |= {"timeout": 600_000, "name": "untilgreen stop-loop"}
    assert wanted["AfterAgent"] == [{"hooks": [entry]}]
    done = subprocess.run(["/bin/sh", "-c", entry["command"]], capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, b"")
    assert words_of(entry) == ("/nowhere/stop-loop", "--host", "gemini")
    assert own.stop_seconds(own.merged({}, entries("gemini", seconds=300))) == 300
    assert own.without(own.merged({"ui": {}}, wanted), {"ui": {}}) == {"ui": {}}


def test_of_qwen_code_settings_call_for_a_shell_and_leave_nothing_behind() -> None:
    own, wanted = targets.settings("qwen"), entries("qwen", "/a b")
    entry = {"type": "command", "command": "'/a b/stop-loop' --host qwen", "timeout": 600}
    assert wanted["Stop"] == [{"hooks": [entry]}]
    assert own.without({**own.merged({}, wanted), "$version": 4}, {}) == {}  # the host's own mark
    assert own.without({**own.merged({"ui": {}}, wanted), "$version": 4}, {"ui": {}}) == {"ui": {}, "$version": 4}


@pytest.mark.parametrize("host", ["pi", "opencode"])
def test_a_bridge_is_one_line_of_settings_in_a_program_that_is_otherwise_as_it_was_shipped(host: str) -> None:
    settings, wanted = targets.settings(host), ours(host)
    data = settings.wrapped(json.dumps(wanted, indent=2).encode())
    assert json.loads(settings.unwrapped(data)) == wanted
    assert settings.wrapped(settings.unwrapped(data)) == data
    assert len(data.splitlines()) <= 120
    (stop,) = (one for one in settings.registered(Scope("", ""), wanted) if one.hook == "stop-loop")
    assert stop.entry == {"command": "/opt/stop-loop", "args": ["--host", host], "timeout": 600}
    assert settings.without(wanted, {}) == {}
    theirs = b"export default () => {};\nconst SETTINGS = {};\n"
    assert settings.unwrapped(theirs) == theirs


def test_copilot_cli_is_registered_with_beside_what_others_have_there_and_taken_out(green: World) -> None:
    file = green.project / ".github" / "copilot" / "settings.local.json"
    theirs = {"hooks": {"Stop": [{"type": "command", "command": "say done"}]}, "model": "gpt-5"}
    green.write({".github/copilot/settings.local.json": json.dumps(theirs)})
    before = file.read_bytes()

    assert untilgreen(green, "init", "--host", "copilot") == 0

    settings = json.loads(file.read_text())
    entry = settings["hooks"]["Stop"][1]["hooks"][0]
    assert settings["hooks"]["Stop"][0] == theirs["hooks"]["Stop"][0]  # type: ignore[index]
    assert sorted(entry) == ["args", "exec", "timeoutSec", "type"]
    assert (os.access(entry["exec"], os.X_OK), entry["args"], entry["timeoutSec"]) == (True, ["--host", "copilot"], 600)
    skill = (green.project / ".github/skills/untilgreen-loop/SKILL.md").read_text()
    assert skill.startswith("---\nname: untilgreen:loop\ndescription: ")
    assert f"\n---\n\nuntilgreen:loop $ARGUMENTS\n\n{ASIDE}\nA loop of untilgreen" in skill
    assert (green.project / ".github/skills/until-green/SKILL.md").exists()

    assert untilgreen(green, "uninstall", "--host", "copilot") == 0

    assert file.read_bytes() == before
    assert not (green.project / ".github" / "skills").exists()


# --- what silences them ---------------------------------------------------------


def test_of_qwen_code_the_strongest_switch_decides_and_trust_counts_where_it_is_asked_for(tmp_path: Path) -> None:
    own, rules = ours("qwen"), tmp_path / "trustedFolders.json"
    project = tmp_path / "project"

    def told(local: dict[str, Any], user: dict[str, Any]) -> list[str]:
        return [what for what, _ in silenced("qwen", project, {"QWEN_HOME": str(tmp_path)}, local=local, user=user)]

    theirs = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}}
    assert told(own, {}) == told(own | {"disableAllHooks": False}, {"disableAllHooks": True}) == []
    assert told(own, {"disableAllHooks": True}) == ['"disableAllHooks" is true in user.json: the host runs no hook']
    assert told(own, theirs) == ["another hook on Stop may hold the agent, too (user.json): say done"]
    untrusted = [f"{project} is no trusted folder: the host runs no hook of it"]
    assert (told(own, ASKS), told({}, own | ASKS)) == (untrusted, [])
    rules.write_text(json.dumps({str(tmp_path): "TRUST_FOLDER"}))
    assert told(own, ASKS) == []
    rules.write_text(json.dumps({str(tmp_path): "TRUST_FOLDER", str(project): "DO_NOT_TRUST"}))
    assert told(own, ASKS) == untrusted


def test_of_gemini_cli_trust_is_asked_for_and_hooks_are_switched_off_by_name(tmp_path: Path) -> None:
    own, project = ours("gemini"), tmp_path / "project"

    def told(user: dict[str, Any], **env: str) -> list[str]:
        env |= {"GEMINI_CLI_HOME": str(tmp_path)}
        return [what for what, _ in silenced("gemini", project, env, local=own, user=user)]

    assert told({}) == [f"{project} is no trusted folder: the host runs no hook of it"]
    assert told({}, GEMINI_CLI_TRUST_WORKSPACE="true") == []
    assert told({"security": {"folderTrust": {"enabled": False}}}) == []
    (tmp_path / ".gemini").mkdir()
    (tmp_path / ".gemini" / "trustedFolders.json").write_text(json.dumps({str(project / "x"): "TRUST_PARENT"}))
    assert told({}) == []
    off = '"hooksConfig.enabled" is false in user.json: the host runs no hook'
    assert told({"hooksConfig": {"enabled": False}}) == [off]
    named = '"hooksConfig.disabled" in user.json switches off: untilgreen stop-loop'
    assert told({"hooksConfig": {"disabled": ["untilgreen stop-loop", "other"]}}) == [named]


def test_of_copilot_cli_a_registration_in_a_folder_that_is_not_trusted_is_told(tmp_path: Path) -> None:
    own, root = ours("copilot"), tmp_path / "project"

    def told(**files: dict[str, Any]) -> list[str]:
        return [what for what, _ in silenced("copilot", root, {"HOME": str(tmp_path)}, **files)]

    what = f"{root} is no trusted folder: its hooks run in no session that is not asked to trust it"
    assert (told(local=own), told(user=own)) == ([what], [])
    config = tmp_path / ".copilot" / "config.json"
    config.parent.mkdir()
    config.write_text(f'// managed automatically\n{{"trustedFolders": ["{tmp_path}"]}}')
    assert told(local=own) == []
    off = '"disableAllHooks" is true in settings.json: the host runs no hook'
    assert told(local=own, settings={"disableAllHooks": True}) == [off]


def test_of_codex_cli_the_hash_of_an_entry_is_the_one_by_which_the_host_trusts_it() -> None:
    """Recorded: what `Trust all and continue` wrote for these settings."""
    noted = json.loads((recorded.PAYLOADS / "codex/0.169.0/trust/hashes.json").read_text(encoding="utf-8"))
    assert hashes("/tmp/project/.codex/hooks.json", noted["settings"]) == noted["trusted"]


@pytest.mark.parametrize(
    ("state", "level", "what", "cure"), tables.literal("host-switches", "of codex cli the doctor names what its")
)
def test_of_codex_cli_the_doctor_names_what_its_user_has_yet_to_trust(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, state: str, level: str, what: str, cure: str
) -> None:
    monkeypatch.chdir(tmp_path)  # where the settings lie
    keys = hashes(os.path.realpath("local.json"), ours("codex"))
    stop = next(key for key in keys if ":stop:" in key)
    notes = "".join(f"[hooks.state.{json.dumps(key)}]\ntrusted_hash = {json.dumps(keys[key])}\n" for key in keys)
    config = {"all": notes, "none": "", "changed": notes.replace(keys[stop], "sha256:0")}
    config["off"] = notes.replace(f'{keys[stop]}"\n', f'{keys[stop]}"\nenabled = false\n')
    text = f'[projects.{json.dumps(str(tmp_path))}]\ntrust_level = "{level}"\n' + config.get(state, state + notes)
    (tmp_path / "config.toml").write_text(text, encoding="utf-8")
    found = silenced("codex", tmp_path, {"CODEX_HOME": str(tmp_path)}, local=ours("codex"))
    assert found == ([(what.replace("ROOT", str(tmp_path)), cure.replace("ROOT", str(tmp_path)))] if what else [])


@pytest.mark.needs("npm")
@pytest.mark.parametrize(
    ("version", "registered"),
    [("0.86.1", ["session_start"]), ("0.87.0", SIX), ("1.6.0", SIX), (None, SIX)],
)
def test_a_pi_that_cannot_be_held_is_told_so_and_calls_no_hook(
    tmp_path: Path, version: str | None, registered: list[str]
) -> None:
    settings = targets.settings("pi")
    (tmp_path / "bridge.mjs").write_bytes(settings.wrapped(json.dumps(ours("pi")).encode()))
    if version:
        package = tmp_path / "node_modules" / "@earendil-works" / "pi-coding-agent"
        package.mkdir(parents=True)
        (package / "package.json").write_text('{"name": "@earendil-works/pi-coding-agent", "main": "index.js"}')
        (package / "index.js").write_text(f"exports.VERSION = '{version}';\n")
    (tmp_path / "start.mjs").write_text(START)
    done = subprocess.run(["node", "start.mjs"], cwd=tmp_path, capture_output=True, text=True, check=True)
    said = f"untilgreen: Pi {version} cannot be held, and no hook runs. It needs 0.87 or later. Fix: pi update\n"
    assert (json.loads(done.stdout), done.stderr) == (registered, said if registered != SIX else ""), done


def test_in_a_subfolder_doctor_names_the_hosts_that_read_no_hooks_there(green: World) -> None:
    assert green.run("untilgreen", "init", "--host", "gemini").code == 0
    green.write({"sub/a.txt": ""})
    what = "Gemini CLI runs no hook of the project in sub: it reads those of its own folder"
    cure = f"start gemini in {green.project}, or `untilgreen init --user --host gemini`"
    for folder, told in ((green.project, False), (green.project / "sub", True)):
        said = green.run("untilgreen", "doctor", cwd=folder).stdout
        assert (what in said, cure in said) == (told, told), said
