"""`untilgreen doctor`: what cannot be produced on every machine, as facts; when the host called; how it is told."""

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from in_process import untilgreen
from untilgreen.cli.doctor import (
    calls,
    case,
    command_lines,
    commands,
    examination,
    registrations,
    settings,
    startup,
    state,
    switches,
)
from untilgreen.cli.doctor.case import Case
from untilgreen.cli.doctor.finding import Finding, as_json, is_broken, lines
from untilgreen.cli.doctor.settings import Source
from untilgreen.cli.installing import forms, registration
from untilgreen.cli.installing.scopes import Registered, Scope
from world import World

HOOKS = {"hooks": {event: [group] for event, group in registration.entries(registration.scripts("")).items()}}
NOW = time.time()
HOUR = 3600.0


@pytest.fixture
def well(green: World) -> World:
    """A world in which nothing is broken: registered, trusted, with a host where it usually is."""
    host = green.home / ".local" / "bin" / "claude"
    host.parent.mkdir(parents=True)
    host.write_text("#!/bin/sh\necho '2.1.330 (Claude Code)'\n")
    host.chmod(0o755)
    assert untilgreen(green, "init") == 0
    return green


def case_of(world: World) -> Case:
    return case.of(str(world.project), world.env)


def source(name: str, **fields: Any) -> Source:
    return Source(Scope(name, f"/etc/{name}.json"), fields)


def levels(found: Sequence[Finding]) -> list[tuple[str, str]]:
    return [(one.level, one.what) for one in found if one.level in ("broken", "warning")]


# ---- managed settings and the plugin


def test_managed_settings_that_allow_only_their_own_hooks_silence_ours(world: World) -> None:
    found = [source("managed", allowManagedHooksOnly=True), source("local", **HOOKS)]
    assert levels(switches.findings(case_of(world), found, switches.Switches((), None, ""))) == [
        ("broken", '"allowManagedHooksOnly" in /etc/managed.json: the host runs no other hooks')
    ]


def test_managed_hooks_run_although_all_others_are_switched_off(world: World) -> None:
    found = [source("managed", allowManagedHooksOnly=True, **HOOKS), source("user", disableAllHooks=True)]
    assert levels(switches.findings(case_of(world), found, switches.Switches((), None, ""))) == []


def test_the_strongest_file_decides_whether_hooks_are_switched_off(world: World) -> None:
    found = [source("local", disableAllHooks=False, **HOOKS), source("user", disableAllHooks=True)]
    assert levels(switches.findings(case_of(world), found, switches.Switches((), None, ""))) == []


@pytest.mark.parametrize(("repository", "accepted"), [(True, False), (False, True)])
def test_a_trusted_folder_above_vouches_for_what_is_no_repository(
    world: World, repository: bool, accepted: bool
) -> None:
    if repository:
        world.commit()
    noted = {"projects": {str(world.project.parent): {"hasTrustDialogAccepted": True}}}
    (world.home / ".claude.json").write_text(json.dumps(noted))
    assert switches.look(case_of(world)).trusted is accepted


def plugged(world: World, *, on: bool = True) -> None:
    """The plugin, as the host notes it once it was installed."""
    folder = world.home / ".claude" / "plugins"
    installed = folder / "cache" / "untilgreen"
    (installed / "hooks").mkdir(parents=True)
    groups = registration.entries(registration.scripts("${CLAUDE_PLUGIN_ROOT}/hooks/"))
    text = json.dumps({"hooks": {event: [group] for event, group in groups.items()}})
    (installed / "hooks" / "hooks.json").write_text(text)
    noted = {"version": 2, "plugins": {"untilgreen@here": [{"scope": "user", "installPath": str(installed)}]}}
    (folder / "installed_plugins.json").write_text(json.dumps(noted))
    (world.home / ".claude" / "settings.json").write_text(json.dumps({"enabledPlugins": {"untilgreen@here": on}}))


def test_the_hooks_of_the_plugin_are_registered_hooks(world: World) -> None:
    plugged(world)
    this = case_of(world)
    found = settings.sources(this)
    ours = settings.registered(found)
    assert {(one.event, one.hook) for one in ours} == set(registrations.wanted())
    assert {startup.look(this, one).gone for one in command_lines.commands(this, ours)} == {
        str(world.home / f".claude/plugins/cache/untilgreen/hooks/{name}") for name in registration.NAMES
    }
    assert levels(registrations.findings(this, found, ours)) == []
    assert levels(commands.findings(this, commands.look(this), ["plugin"])) == []


def test_a_plugin_that_is_switched_off_registers_nothing(world: World) -> None:
    plugged(world, on=False)
    assert settings.registered(settings.sources(case_of(world))) == ()


def test_beside_the_plugin_the_registration_in_the_settings_is_the_one_to_go(world: World) -> None:
    plugged(world)
    world.write({".claude/settings.local.json": json.dumps(HOOKS)})
    this = case_of(world)
    found = settings.sources(this)
    [twice] = [one for one in registrations.findings(this, found, settings.registered(found)) if "twice" in one.what]
    assert (twice.level, twice.what.partition(":")[0]) == ("warning", "registered twice (local and plugin)")
    assert twice.cure == f"run: untilgreen uninstall --local --project {world.project}"


# ---- a disk that is full, or read-only


@pytest.mark.parametrize(
    ("seen", "what"),
    [
        (state.Seen(there=True, full=True), "the disk of .untilgreen is full: a loop that cannot count lets go"),
        (
            state.Seen(there=True, read_only=True),
            ".untilgreen is on a read-only file system: a loop that cannot count lets go",
        ),
        (state.Seen(there=True, writable=False), ".untilgreen is not yours to write"),
    ],
)
def test_where_state_cannot_be_written_no_loop_can_count(world: World, seen: state.Seen, what: str) -> None:
    [said, *_] = state.findings(case_of(world), seen)
    assert (said.level, said.what, bool(said.cure)) == ("broken", what, True)


# ---- calls by the host


def transcript(world: World, began: float, *entries: dict[str, Any], name: str = "one") -> None:
    """What the host keeps of a session in this project."""
    folder = world.home / ".claude" / "projects" / re.sub("[^a-zA-Z0-9]", "-", str(world.project))
    folder.mkdir(parents=True, exist_ok=True)
    stamp = datetime.fromtimestamp(began, UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    first = {"type": "user", "timestamp": stamp, "cwd": str(world.project)}
    (folder / f"{name}.jsonl").write_text(
        "\n".join(json.dumps(one, separators=(",", ":")) for one in (first, *entries))
    )


def answered(*tools: str) -> dict[str, Any]:
    content = [{"type": "tool_use", "name": tool, "input": {}} for tool in tools]
    return {"type": "assistant", "message": {"stop_reason": "end_turn", "content": content}}


def marked(world: World, **seconds: float) -> None:
    folder = world.project / ".untilgreen" / "called"
    folder.mkdir(parents=True, exist_ok=True)
    for name, at in seconds.items():
        path = folder / name.replace("_", "-")
        path.touch()
        os.utime(path, (at, at))


def called(world: World, since: float = NOW - 9 * HOUR, env: dict[str, str] | None = None) -> list[tuple[str, str]]:
    world.env |= env or {}
    this = case_of(world)
    hooks = {"stop-loop": since, "post-tool-lint": since}
    return [(one.level, one.what) for one in calls.findings(this, calls.look(this, since), hooks, NOW)]


NEVER = ("note", "never called yet: stop-loop, post-tool-lint")
SILENT = "the host did not call, although a session ran here since they were registered: "


def test_hooks_that_were_called_say_when(watched: World) -> None:
    marked(watched, stop_loop=NOW - 2 * HOUR, post_tool_lint=NOW - 90)
    transcript(watched, NOW - 3 * HOUR, answered("Edit"))
    assert called(watched) == [
        ("ok", "stop-loop was last called 2 hours ago"),
        ("ok", "post-tool-lint was last called 1 minute ago"),
    ]


def test_without_a_session_since_the_registration_nothing_was_to_be_expected(watched: World) -> None:
    assert called(watched) == [NEVER]
    transcript(watched, NOW - 10 * HOUR, answered("Edit"))
    assert called(watched) == [NEVER]


def test_a_session_that_ended_a_turn_must_have_called_the_hook_of_stops(watched: World) -> None:
    transcript(watched, NOW - 2 * HOUR, answered())
    assert called(watched) == [("broken", SILENT + "stop-loop"), ("note", "never called yet: post-tool-lint")]


def test_a_session_that_edited_must_have_called_the_hooks_of_edits(watched: World) -> None:
    marked(watched, stop_loop=NOW - 5 * HOUR)
    transcript(watched, NOW - 2 * HOUR, answered("Read", "Write"))
    assert called(watched) == [("broken", SILENT + "stop-loop (last 5 hours ago), post-tool-lint")]


@pytest.mark.parametrize(
    "entry",
    [
        {"type": "assistant", "isApiErrorMessage": True, "message": {"stop_reason": "end_turn"}},
        {"type": "assistant", "message": {"stop_reason": "tool_use"}},
    ],
    ids=["an error of the service", "a turn that goes on"],
)
def test_a_turn_that_did_not_end_calls_nothing(watched: World, entry: dict[str, Any]) -> None:
    transcript(watched, NOW - 2 * HOUR, entry)
    assert called(watched) == [NEVER]


def test_the_session_in_which_the_doctor_runs_is_not_at_its_end(watched: World) -> None:
    transcript(watched, NOW - 2 * HOUR, answered(), name="mine")
    assert called(watched, env={"CLAUDE_CODE_SESSION_ID": "mine"}) == [NEVER]


def test_a_session_of_a_project_with_a_longer_name_is_none_of_this_one(watched: World) -> None:
    folder = watched.home / ".claude" / "projects" / (re.sub("[^a-zA-Z0-9]", "-", str(watched.project)) + "-2")
    folder.mkdir(parents=True)
    text = json.dumps({"type": "user", "timestamp": "2999-01-01T00:00:00Z", "cwd": f"{watched.project}-2"})
    (folder / "one.jsonl").write_text(text + "\n" + json.dumps(answered()) + "\nnot JSON")
    assert called(watched) == [NEVER]


def test_the_doctor_itself_leaves_no_mark_and_changes_nothing(green: World) -> None:
    assert untilgreen(green, "init") == 0
    before = {path: path.stat().st_mtime_ns for path in tree(green)}
    session = {"CLAUDE_CODE_SESSION_ID": green.session, "CLAUDE_PROJECT_DIR": str(green.project)}
    assert green.run("untilgreen", "doctor", env=session).code == 0
    assert {path: path.stat().st_mtime_ns for path in tree(green)} == before


def tree(world: World) -> list[Path]:
    """Everything but what ruff keeps for itself."""
    found = [*world.project.rglob("*"), *world.home.rglob("*")]
    return sorted(path for path in found if ".ruff_cache" not in path.parts and path.is_file())


# ---- how it is told


def test_what_is_wrong_with_every_hook_is_one_finding(well: World) -> None:
    path = well.project / ".claude/settings.local.json"
    path.write_text(path.read_text().replace(str(forms.PACKAGE), "/gone/untilgreen"))
    said = examination.examine(case_of(well), examination.Wish(run=False))
    names = ", ".join(registration.NAMES)
    assert levels(said) == [("broken", f"{names} (local) cannot run: /gone is gone")]


def test_hooks_of_another_installation_are_said(well: World) -> None:
    (well.tmp / "other").symlink_to(Path(forms.PACKAGE).parent)
    shutil.copytree(forms.PACKAGE, well.tmp / "copy" / "untilgreen")
    path = well.project / ".claude/settings.local.json"
    text = path.read_text()
    path.write_text(text.replace(str(forms.PACKAGE), str(well.tmp / "other/untilgreen")))
    assert "another installation" not in well.run("untilgreen", "doctor").stdout
    path.write_text(text.replace(str(forms.PACKAGE), str(well.tmp / "copy/untilgreen")))
    said = well.run("untilgreen", "doctor").stdout
    assert re.search(
        r"  note    stop-loop, .* \(local\) is another installation of untilgreen \S+: .*/copy/untilgreen\n", said
    )
    assert untilgreen(well, "init") == 0
    assert "another installation" not in well.run("untilgreen", "doctor").stdout


def test_findings_are_told_by_subject_with_their_cures_below_them() -> None:
    found = [
        Finding("host", "ok", "there"),
        Finding("hooks", "broken", "not\x1b[31m there", "run: untilgreen init"),
        Finding("host", "warning", "old", "run: claude update"),
    ]
    assert lines(found) == [
        "host",
        "  ok      there",
        "  warn    old",
        "          run: claude update",
        "hooks",
        "  broken  not?[31m there",
        "          run: untilgreen init",
        "1 broken, 1 warning",
    ]
    assert (is_broken(found), lines(found[:1])[-1]) == (True, "all is well")
    assert as_json(found[:1], "1.0", "/p") == {
        "version": "1.0",
        "project": "/p",
        "findings": [{"subject": "host", "level": "ok", "what": "there", "cure": ""}],
        "broken": False,
    }


def test_another_project_is_named_in_its_cures_and_a_missing_one_is_an_error(green: World) -> None:
    answer = green.run("untilgreen", "doctor", "--no-run", cwd=green.home, env={"PATH": "/usr/bin:/bin"})
    assert (answer.code, "is a home folder, not a project: hooks are silent here" in answer.stdout) == (1, True)
    answer = green.run("untilgreen", "doctor", "--no-run", "--project", str(green.project), cwd=green.home)
    assert f"          run: untilgreen init --project {green.project}\n" in answer.stdout
    answer = green.run("untilgreen", "doctor", "--no-run")
    assert (answer.code, "          run: untilgreen init\n" in answer.stdout) == (1, True)
    answer = green.run("untilgreen", "doctor", "--project", "nowhere")
    assert answer == (1, "", "untilgreen: error: --project nowhere: no such folder\n")


def test_the_same_command_is_tried_once(world: World) -> None:
    entry = {"command": "stop-loop", "args": ["--host", "claude-code"]}
    scope = Scope("local", "/x")
    both = [Registered(scope, event, "", "session-loop", entry) for event in ("SessionStart", "SessionEnd")]
    assert len(command_lines.commands(case_of(world), both)) == 1


DISK = """
mount -t tmpfs -o size=64k,mode=700 none .untilgreen && echo '*' > .untilgreen/.gitignore || exit 9
{spoil}
untilgreen doctor --no-run
{mend}
untilgreen doctor --no-run
"""


@pytest.mark.needs("mounts")
@pytest.mark.parametrize(
    ("spoil", "mend", "what"),
    [
        ("cat /dev/zero > .untilgreen/big 2>/dev/null", "rm .untilgreen/big", "the disk of .untilgreen is full"),
        (
            "mount -o remount,ro .untilgreen",
            'export UNTILGREEN_STATE_DIR="$HOME/.untilgreen-state"; mkdir -m 700 "$UNTILGREEN_STATE_DIR"',
            ".untilgreen is on a read-only file system",
        ),
    ],
    ids=["full", "read-only"],
)
def test_a_disk_that_takes_nothing_is_broken_until_it_does(watched: World, spoil: str, mend: str, what: str) -> None:
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", DISK.format(spoil=spoil, mend=mend)],
        cwd=watched.project,
        env=watched.env,
        capture_output=True,
        text=True,
        check=False,
    )
    before, _, after = done.stdout.partition("\nuntilgreen\n")
    assert f"  broken  {what}: a loop that cannot count lets go\n" in before
    assert "state\n  ok      " in after


# ---- the cure fits the registration


def test_what_init_would_refuse_is_no_cure(world: World) -> None:
    this, nothing = case_of(world), state.Seen(there=False)
    cures = {scope: state.findings(this, nothing, scope)[0].cure for scope in ("local", "user", "shared", "plugin")}
    folder, project = world.project / ".untilgreen", world.project
    assert cures == {
        "local": f"run: untilgreen init --project {project}",
        "user": f"run: untilgreen init --user --project {project}",
        "shared": f"run: untilgreen init --shared --project {project}",
        "plugin": f"run: mkdir -m 700 {folder} && echo '*' > {folder}/.gitignore",
    }


def test_commands_that_were_left_beside_a_registration_elsewhere_go(world: World) -> None:
    assert untilgreen(world, "init", "--user") == 0
    world.write({".claude/commands/untilgreen/loop.md": "old untilgreen\n"})
    this = case_of(world)
    [edited] = [one for one in commands.findings(this, commands.look(this), ["user"]) if one.level == "warning"]
    assert edited.cure == f"run: rm {world.project}/.claude/commands/untilgreen/loop.md"
    assert edited.what == ".claude: from another version, or edited: /untilgreen:loop"
