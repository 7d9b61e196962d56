"""`untilgreen init`, `uninstall` and `doctor` with several hosts: which are found, what each gets, that all goes."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

import trees
from untilgreen import hosts
from untilgreen.cli.installing import targets
from untilgreen.hosts.facts import Facts
from world import REPOSITORY, World

EVERY = tuple(targets.known())
FACTS = {name: hosts.get(name).facts for name in EVERY}
OTHERS = tuple(name for name in EVERY if name != hosts.DEFAULT)
RUN = tuple(name for name in EVERY if FACTS[name].program and not FACTS[name].never_run)


def has(world: World, *facts: Facts) -> None:
    """These hosts are installed, with programs that do nothing."""
    for one in facts:
        program = world.programs / one.program
        program.write_text("#!/bin/sh\necho 9.9.9\n")
        program.chmod(0o755)


def done(world: World, *words: str) -> str:
    answer = world.run("untilgreen", *words)
    assert (answer.code, answer.stderr) == (0, ""), answer
    return answer.stdout


def blocks(said: str) -> list[str]:
    """The titles of the blocks, one a host."""
    return [
        line.removesuffix(":") for line in said.splitlines() if line.endswith(":") and not line.startswith("a loop")
    ]


def registered(world: World) -> list[str]:
    """The hosts in whose settings our hooks stand."""
    env = world.env
    found = targets.everywhere(EVERY, str(world.project), env)
    return list(dict.fromkeys(one.host for one in found if targets.registered(one)))


def test_the_hosts_that_are_installed_are_registered_with(red: World) -> None:
    has(red, *(FACTS[name] for name in RUN))
    before = trees.of_world(red)
    assert blocks(done(red, "init", "--dry-run")) == [FACTS[name].title for name in RUN]
    assert trees.of_world(red) == before
    said = done(red, "init")
    assert blocks(said) == [FACTS[name].title for name in RUN]
    assert registered(red) == list(RUN)
    after = [f"{one.title}: {one.after_init}" for one in (FACTS[name] for name in RUN) if one.after_init]
    assert [line for line in said.splitlines() if line in after] == after
    done(red, "uninstall")
    assert trees.of_world(red) == before


def test_who_has_claude_code_alone_gets_what_came_ever(red: World) -> None:
    plain = done(red, "init", "--dry-run")
    for one in FACTS.values():
        if one.home:
            (red.home / one.home.removeprefix("~/")).mkdir(parents=True, exist_ok=True)
    has(red, FACTS[hosts.DEFAULT])
    assert done(red, "init", "--dry-run") == plain
    done(red, "init")
    assert registered(red) == [hosts.DEFAULT]


def test_who_has_another_host_alone_gets_no_settings_of_claude_code(red: World) -> None:
    has(red, FACTS["codex"])
    said = done(red, "init")
    assert "type $untilgreen-loop make the tests pass\n" in said
    assert registered(red) == ["codex"]
    assert not (red.project / ".claude").exists()


def test_hosts_leave_one_after_the_other_and_take_their_own_along(red: World) -> None:
    theirs = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}, "model": "x"}
    red.write({".codex/hooks.json": json.dumps(theirs)})
    before = trees.of_world(red)
    done(red, "init")
    done(red, "init", *(word for name in OTHERS for word in ("--host", name)))
    mine = red.project / ".codex" / "hooks.json"
    mine.write_text(mine.read_text().replace('"model": "x"', '"model": "y"'))
    left = list(EVERY)
    while left:
        assert registered(red) == left
        gone = left.pop()
        done(red, "uninstall", *targets_words(red, gone))
        stay = targets.ours(left, str(red.project), red.env)
        assert [path for path in targets.ours([gone], str(red.project), red.env) if Path(path).exists()] == [
            path for path in targets.ours([gone], str(red.project), red.env) if path in stay
        ]
    assert json.loads(mine.read_text()) == theirs | {"model": "y"}
    mine.write_text(json.dumps(theirs))
    assert trees.of_world(red) == before


def targets_words(world: World, name: str) -> list[str]:
    """How it is named, with the scope that init takes there."""
    scope = targets.of(name, "", str(world.project), world.env).scope.name
    return ["--host", name, *(["--user"] if scope == "user" else [])]


def test_people_read_the_commands_as_their_host_spells_them(red: World) -> None:
    done(red, "init", "--host", "codex")
    assert done(red, "status") == (
        "untilgreen: no loops here yet: type $untilgreen-loop TASK in the agent, or run untilgreen start TASK\n"
    )
    for name, event, more in (
        ("session-loop", "UserPromptSubmit", {"prompt": "$untilgreen-loop mend it"}),
        ("stop-loop", "Stop", {"last_assistant_message": "Done."}),
    ):
        payload = {"session_id": red.session, "cwd": str(red.project), "hook_event_name": event, "turn_id": "1"} | more
        answer = red.run(name, "--host", "codex", stdin=json.dumps(payload))
        assert answer.code == 0
    said = json.loads(answer.stdout)
    assert said["systemMessage"].endswith("Esc, then $untilgreen-cancel ends it")
    skill = (red.project / ".codex/skills/until-green/SKILL.md").read_text()
    assert ("`$untilgreen-status` shows the loops" in skill, hosts.TYPED in skill) == (True, False)


@pytest.mark.parametrize("command", ["init", "uninstall"])
def test_a_scope_that_a_host_has_not_is_told_with_its_name(red: World, command: str) -> None:
    answer = red.run("untilgreen", command, "--host", "codex", "--shared")
    why = "Codex CLI has no settings for --shared. Fix: give --local, or other hosts with --host"
    assert answer == (64, "", f"untilgreen failed: {why}\n")


def test_no_two_hosts_write_the_same_file_otherwise(red: World) -> None:
    root = str(red.project)
    settings = [one.scope.path for one in targets.everywhere(EVERY, root, red.env)]
    assert len(settings) == len(set(settings))
    texts: dict[str, bytes] = {}
    for name in EVERY:
        ours = targets.ours([name], root, red.env)
        assert {path: text for path, text in ours.items() if texts.get(path, text) != text} == {}
        texts |= ours


# ---- the doctor speaks of those that are there, and knows which of them called us


def findings(world: World, *words: str) -> list[dict[str, Any]]:
    answer = world.run("untilgreen", "doctor", "--json", *words)
    found: list[dict[str, Any]] = json.loads(answer.stdout)["findings"]
    return found


def about(found: list[dict[str, Any]], *subjects: str) -> list[str]:
    return [one["what"] for one in found if one["subject"] in subjects]


def test_it_speaks_of_the_host_that_is_there_and_says_when_it_called(red: World) -> None:
    has(red, FACTS["codex"])
    done(red, "init")
    found = findings(red)
    program = red.programs / "codex"
    events = "Stop, PostToolUse, UserPromptSubmit, SessionStart, SessionEnd, Interrupt"
    assert about(found, "host", "hooks") == [f"Codex CLI 9.9.9 ({program})", f".codex/hooks.json (local): {events}"]
    hooks = ("stop-loop", "post-tool-lint", "post-tool-bash", "session-loop")
    said = [re.sub(r"\d+ ms", "T", what) for what in about(found, "start")]
    assert said.pop(1) == "stop-loop (local) held a test stop in T"
    assert said == [f"{name} (local) starts in T" for name in hooks]
    assert about(found, "calls") == [f"never called yet by Codex CLI: {', '.join(hooks)}"]
    assert [one["what"] for one in found if "laude" in one["what"] + one["cure"]] == []

    payload = {"session_id": red.session, "cwd": str(red.project), "hook_event_name": "Stop", "turn_id": "1"}
    assert red.run("stop-loop", "--host", "codex", stdin=json.dumps(payload)).code == 0
    assert [what.partition(" at ")[0] for what in about(findings(red, "--no-run"), "calls")] == [
        "stop-loop was last called by Codex CLI",
        f"never called yet by Codex CLI: {', '.join(hooks[1:])}",
    ]


def test_of_several_each_is_told_by_its_name(red: World) -> None:
    has(red, FACTS[hosts.DEFAULT], FACTS["codex"])
    done(red, "init", "--host", hosts.DEFAULT)
    told = {(one["what"], one["cure"]) for one in findings(red, "--no-run")}
    what = "Codex CLI is installed, and calls no hook of untilgreen here"
    assert (what, "run: untilgreen init --host codex") in told
    done(red, "init")
    path = red.project / ".codex" / "hooks.json"
    settings = json.loads(path.read_text())
    del settings["hooks"]["Stop"]
    path.write_text(json.dumps(settings))
    found = [(one["level"], one["what"], one["cure"]) for one in findings(red, "--no-run") if one["subject"] == "hooks"]
    missing = "not registered with Codex CLI: stop-loop on Stop"
    assert [one for one in found if one[0] != "ok"] == [("broken", missing, "run: untilgreen init --host codex")]


# host -> where it keeps the plugin below its folder, and what it notes beside that
KEPT = {
    "codex": (".codex/plugins/cache/untilgreen/untilgreen/0.1.0/plugins/codex/hooks.json", ".codex/config.toml"),
    "copilot": (".copilot/installed-plugins/untilgreen/untilgreen/plugins/copilot/hooks.json", ""),
    "copilot at its place": ("checkout/plugins/copilot/hooks.json", ".copilot/settings.json"),
    "gemini": (".gemini/extensions/untilgreen/hooks/hooks.json", ""),
    "gemini linked": ("checkout/hooks/hooks.json", ".gemini/extensions/untilgreen/.gemini-extension-install.json"),
    "qwen": (".qwen/extensions/untilgreen/hooks/hooks.json", ""),
    "qwen linked": ("checkout/hooks/hooks.json", ".qwen/extensions/untilgreen/.qwen-extension-install.json"),
}
TAKES_OUT = {
    "codex": "codex plugin remove untilgreen@untilgreen",
    "copilot": "copilot plugin uninstall untilgreen",
    "gemini": "gemini extensions uninstall untilgreen",
    "qwen": "qwen extensions uninstall untilgreen",
}


def notes(world: World, host: str, text: str) -> None:
    """The user's own settings of the host."""
    path = world.home / KEPT[host][1]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.mark.parametrize("kept", KEPT)
def test_a_plugin_is_a_registration_and_nothing_comes_beside_it(red: World, kept: str) -> None:
    host = kept.split(maxsplit=1)[0]
    shipped = next((REPOSITORY / "plugins" / host).rglob("hooks.json"))
    file = red.home / KEPT[kept][0]
    file.parent.mkdir(parents=True)
    file.write_bytes(shipped.read_bytes())
    (file.parents[2] / "hooks").mkdir(exist_ok=True)
    shutil.copy(REPOSITORY / "hooks" / "launch", file.parents[2] / "hooks")
    if host == "codex":
        notes(red, kept, '[plugins."untilgreen@untilgreen"]\nenabled = true\n')
    elif "linked" in kept:
        notes(red, kept, json.dumps({"source": str(red.home / "checkout"), "type": "link"}))
    elif KEPT[kept][1]:
        market = {"source": {"source": "directory", "path": str(red.home / "checkout")}}
        on = {"enabledPlugins": {"untilgreen@here": True}, "extraKnownMarketplaces": {"here": market}}
        notes(red, kept, json.dumps(on))
    has(red, FACTS[host])

    told = json.loads(red.run("untilgreen", "doctor", "--json", "--no-run").stdout)["findings"]

    ours = [(one["level"], one["what"]) for one in told if one["subject"] in ("hooks", "start", "commands")]
    assert {level for level, _ in ours} == {"ok"}, ours
    untrusted = [one["what"] for one in told if "none of the hooks in" in one["what"]]
    assert len(untrusted) == (host == "codex")
    why = f"the plugin untilgreen is enabled in {file} and the hooks would run twice"
    assert red.run("untilgreen", "init", "--host", host).stderr == (
        f"untilgreen failed: {why}. Fix: run `{TAKES_OUT[host]}` first, or give --force\n"
    )


def test_a_plugin_that_is_switched_off_in_codex_is_none(red: World) -> None:
    file = red.home / KEPT["codex"][0]
    file.parent.mkdir(parents=True)
    file.write_bytes((REPOSITORY / "plugins/codex/hooks.json").read_bytes())
    notes(red, "codex", '[plugins."untilgreen@untilgreen"]\nenabled = false\n')
    assert "registered in" in done(red, "init", "--host", "codex")


@pytest.mark.parametrize(
    ("host", "rules", "off"),
    [
        ("gemini", ["{above}/*", "!{here}/*"], True),
        ("gemini", ["!{above}/*", "{here}/*"], False),
        ("qwen", ["!{here}/"], True),
        ("qwen", ["!{above}/"], False),
        ("qwen", "nothing", False),
    ],
)
def test_an_extension_that_is_switched_off_for_the_folder_is_none(
    red: World, host: str, rules: list[str], off: bool
) -> None:
    file = red.home / KEPT[host][0]
    file.parent.mkdir(parents=True)
    file.write_bytes((REPOSITORY / "plugins" / host / "hooks" / "hooks.json").read_bytes())
    here = {"here": red.project.resolve(), "above": red.project.resolve().parent}
    noted = {"untilgreen": {"overrides": [one.format(**here) for one in rules] if isinstance(rules, list) else rules}}
    (file.parents[2] / "extension-enablement.json").write_text(json.dumps(noted))
    assert red.run("untilgreen", "init", "--host", host).code == (0 if off else 64)
