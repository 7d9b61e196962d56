"""`untilgreen doctor`: what cannot be produced on every machine, when the host called; how it is told."""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

import tables
from in_process import untilgreen
from untilgreen import hosts
from untilgreen.cli import doctor
from untilgreen.cli.doctor import case, hooks, is_broken, lines, starts, state
from untilgreen.cli.doctor.case import DoctorCase, Extent
from untilgreen.cli.installing import command_forms
from untilgreen.core.findings import Finding
from untilgreen.hosts.claude_code.install import SETTINGS
from untilgreen.hosts.host import EXECUTABLES, Scope, Source
from world import REPOSITORY, World

SCRIPTS = SETTINGS.entries(command_forms.scripts("", hosts.DEFAULT))
HOOKS = {"hooks": SCRIPTS}
HOST = ["--host", "claude-code"]
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


def case_of(world: World, *sources: Source) -> DoctorCase:
    """The world's project, nothing started; with these settings files instead of those that are there."""
    this = case.of(str(world.project), world.env, Extent(run=False))
    return this._replace(sources=sources) if sources else this


def source(name: str, **fields: Any) -> Source:
    return Source("claude-code", Scope(name, f"/etc/{name}.json"), fields)


def levels(found: Iterable[Finding]) -> list[tuple[str, str]]:
    return [(one.level, one.what) for one in found if one.level in ("broken", "warning")]


# ---- managed settings and the plugin


def test_managed_settings_that_allow_only_their_own_hooks_silence_ours(world: World) -> None:
    found = [source("managed", allowManagedHooksOnly=True), source("local", **HOOKS)]
    assert levels(state.switches(case_of(world, *found))) == [
        ("broken", '"allowManagedHooksOnly" in /etc/managed.json: the host runs no other hooks')
    ]


def test_managed_hooks_run_although_all_others_are_switched_off(world: World) -> None:
    found = [source("managed", allowManagedHooksOnly=True, **HOOKS), source("user", disableAllHooks=True)]
    assert levels(state.switches(case_of(world, *found))) == []


def test_the_strongest_file_decides_whether_hooks_are_switched_off(world: World) -> None:
    found = [source("local", disableAllHooks=False, **HOOKS), source("user", disableAllHooks=True)]
    assert levels(state.switches(case_of(world, *found))) == []


@pytest.mark.parametrize(("repository", "accepted"), [(True, False), (False, True)])
def test_a_trusted_folder_above_vouches_for_what_is_no_repository(
    world: World, repository: bool, accepted: bool
) -> None:
    if repository:
        world.commit()
    noted = {"projects": {str(world.project.parent): {"hasTrustDialogAccepted": True}}}
    (world.home / ".claude.json").write_text(json.dumps(noted))
    untrusted = [one for one in state.switches(case_of(world)) if "the host's own question" in one.what]
    assert (untrusted == []) is accepted


def plugged(world: World, *, on: bool = True) -> None:
    """The plugin, as the host notes it once it was installed."""
    folder = world.home / ".claude" / "plugins"
    installed = folder / "cache" / "untilgreen"
    (installed / "hooks").mkdir(parents=True)
    groups = SETTINGS.entries(command_forms.scripts("${CLAUDE_PLUGIN_ROOT}/hooks/", hosts.DEFAULT))
    text = json.dumps({"hooks": groups})
    (installed / "hooks" / "hooks.json").write_text(text)
    noted = {"version": 2, "plugins": {"untilgreen@here": [{"scope": "user", "installPath": str(installed)}]}}
    (folder / "installed_plugins.json").write_text(json.dumps(noted))
    (world.home / ".claude" / "settings.json").write_text(json.dumps({"enabledPlugins": {"untilgreen@here": on}}))


def test_the_hooks_of_the_plugin_are_registered_hooks(world: World) -> None:
    plugged(world)
    this = case_of(world)
    assert {(one.event, one.hook) for _, one in this.registered} == set(hooks.wanted(hosts.get("claude-code")))
    gone = f"{world.home}/.claude/plugins/cache/untilgreen/hooks/{EXECUTABLES[0]} is gone"
    assert gone in next(starts.examine(this)).what
    assert levels((*hooks.examine(this), *starts.commands(this))) == []


def test_a_plugin_that_is_switched_off_registers_nothing(world: World) -> None:
    plugged(world, on=False)
    assert case_of(world).registered == ()


def test_beside_the_plugin_the_registration_in_the_settings_is_the_one_to_go(world: World) -> None:
    plugged(world)
    world.write({".claude/settings.local.json": json.dumps(HOOKS)})
    [twice] = [one for one in hooks.examine(case_of(world)) if "twice" in one.what]
    assert (twice.level, twice.what.partition(":")[0]) == ("warning", "registered twice (local and plugin)")
    assert twice.cure == f"run: untilgreen uninstall --local --project {world.project}"


# ---- calls by the host


def marked(world: World, **seconds: float) -> None:
    folder = world.project / ".untilgreen" / "called"
    folder.mkdir(parents=True, exist_ok=True)
    for name, at in seconds.items():
        path = folder / name.replace("_", "-")
        path.touch()
        os.utime(path, (at, at))


def called(world: World) -> list[tuple[str, str]]:
    hooks = {"Stop": [{"hooks": [{"command": "stop-loop", "args": HOST}]}]}
    hooks["PostToolUse"] = [{"hooks": [{"command": "post-tool-lint", "args": HOST}]}]
    return [(one.level, one.what) for one in starts.calls(case_of(world, source("local", hooks=hooks)))]


def test_hooks_that_were_called_say_when(watched: World) -> None:
    marked(watched, stop_loop=1_800_000_000, post_tool_lint=1_800_000_000 - 2 * HOUR)
    assert called(watched) == [
        ("ok", "stop-loop was last called at 2027-01-15T08:00:00Z"),
        ("ok", "post-tool-lint was last called at 2027-01-15T06:00:00Z"),
    ]


def test_hooks_that_were_never_called_are_named(watched: World) -> None:
    marked(watched, stop_loop=1_800_000_000)
    assert called(watched)[1:] == [("note", "never called yet: post-tool-lint")]


def test_the_doctor_itself_leaves_no_mark_and_changes_nothing(green: World) -> None:
    assert untilgreen(green, "init") == 0
    before = {path: path.stat().st_mtime_ns for path in tree(green)}
    assert green.run("untilgreen", "doctor", env=green.hosted).code == 0
    assert {path: path.stat().st_mtime_ns for path in tree(green)} == before


def tree(world: World) -> list[Path]:
    """Everything but what ruff keeps for itself."""
    found = [*world.project.rglob("*"), *world.home.rglob("*")]
    return sorted(path for path in found if ".ruff_cache" not in path.parts and path.is_file())


# ---- how it is told


def test_the_hooks_of_an_edit_may_stand_one_by_one_as_in_the_example(world: World) -> None:
    example = (REPOSITORY / "settings.example.json").read_text(encoding="utf-8")
    world.write({".claude/settings.json": example})
    said = [*hooks.examine(case_of(world)), *hooks.entries(case_of(world))]
    assert [one.what for one in said if one.level != "ok"] == []
    alone = json.loads(example)
    del alone["hooks"]["PostToolUse"][0]["hooks"][1:]
    world.write({".claude/settings.json": json.dumps(alone)})
    [missing] = [one.what for one in hooks.examine(case_of(world)) if one.level != "ok"]
    assert missing == "not registered: post-tool-lsp on PostToolUse, post-tool-ast-grep on PostToolUse"


def test_what_is_wrong_with_every_hook_is_one_finding(well: World) -> None:
    for path in (well.home / ".local/state/untilgreen/hooks").glob("*/*"):
        path.write_text(path.read_text().replace(os.path.dirname(command_forms.PACKAGE), "/gone"))
    said = doctor.examine(case_of(well))
    names = "stop-loop, post-tool-lint, post-tool-bash, session-loop"
    assert levels(said) == [("broken", f"{names} (local) cannot run: /gone/untilgreen is gone")]


def test_findings_are_told_by_subject_with_their_cures_below_them() -> None:
    found = [
        Finding("host", "ok", "there"),
        Finding("hooks", "broken", "not\x1b[31m there", "run: untilgreen init"),
        Finding("host", "warning", "old", "run: claude update"),
    ]
    broken = ["hooks", "  broken  not?[31m there", "          run: untilgreen init"]
    old = ["  warn    old", "          run: claude update"]
    assert lines(found, everything=True) == ["host", "  ok      there", *old, *broken, "1 broken, 1 warning"]
    right = "1 thing right (untilgreen doctor --all)"
    assert lines(found, everything=False) == [*broken, "host", *old, f"1 broken, 1 warning · {right}"]
    assert is_broken(found)
    assert lines(found[:1], everything=False) == [f"all is well · {right}"]


def test_another_project_is_named_in_its_cures_and_a_missing_one_is_an_error(green: World) -> None:
    answer = green.run("untilgreen", "doctor", "--no-run", cwd=green.home, env={"PATH": "/usr/bin:/bin"})
    assert (answer.code, "is a home folder, not a project: hooks are silent here" in answer.stdout) == (1, True)
    answer = green.run("untilgreen", "doctor", "--no-run", "--project", str(green.project), cwd=green.home)
    assert f"          run: untilgreen init --project {green.project}\n" in answer.stdout
    answer = green.run("untilgreen", "doctor", "--no-run")
    assert (answer.code, "          run: untilgreen init\n" in answer.stdout) == (1, True)
    answer = green.run("untilgreen", "doctor", "--project", "nowhere")
    assert answer == (64, "", "untilgreen failed: --project nowhere: no such folder. Fix: name one that is there\n")


def test_a_command_that_is_registered_for_two_events_is_tried_once(world: World) -> None:
    entry = {"command": "/gone/session-loop", "args": HOST}
    both = {event: [{"hooks": [entry]}] for event in ("SessionStart", "SessionEnd")}
    assert len(list(starts.examine(case_of(world, source("local", hooks=both))))) == 1


# who is root may write everywhere
DISK = tables.text("doctor-facts", "disk")


LETS_GO = ": a loop that cannot count lets go"
FILL = "cat /dev/zero > .untilgreen/big 2>/dev/null"
MOVE = 'export UNTILGREEN_STATE_DIR="$HOME/.untilgreen-state"; mkdir -m 700 "$UNTILGREEN_STATE_DIR"'
FOREIGN = "chmod 755 .untilgreen; chown 1234 .untilgreen"


@pytest.mark.needs("mounts")
@pytest.mark.parametrize(
    ("spoil", "mend", "what"),
    [
        (FILL, "rm .untilgreen/big", f"the disk of .untilgreen is full{LETS_GO}"),
        ("mount -o remount,ro .untilgreen", MOVE, f".untilgreen is on a read-only file system{LETS_GO}"),
        (FOREIGN, "chown -R 0 .untilgreen", ".untilgreen is not yours to write"),
    ],
    ids=["full", "read-only", "somebody else's"],
)
def test_a_disk_that_takes_nothing_is_broken_until_it_does(watched: World, spoil: str, mend: str, what: str) -> None:
    done = watched.process("unshare", "--mount", "sh", "-c", DISK.format(spoil=spoil, mend=mend))
    before, _, after = done.stdout.partition("\nuntilgreen\n")
    assert f"  broken  {what}\n" in before
    assert "state\n  ok      " in after


# ---- the cure fits the registration


def test_what_init_would_refuse_is_no_cure(world: World) -> None:
    cures = {
        scope: next(state.examine(case_of(world, source(scope, **HOOKS)))).cure
        for scope in ("local", "user", "shared", "plugin")
    }
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
    [edited] = [one for one in starts.commands(case_of(world)) if one.level == "warning"]
    assert edited.cure == f"run: rm {world.project}/.claude/commands/untilgreen/loop.md"
    assert edited.what == ".claude: from another version, or edited: /untilgreen:loop"
