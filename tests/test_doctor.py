"""`untilgreen doctor`: every finding is produced on purpose, and gone when its own advice was followed."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tables
from doctors import INIT, LOCAL, Change, Trouble, both, gone, one, program, troubles, written
from in_process import untilgreen
from untilgreen.cli import doctor
from untilgreen.cli.doctor import case
from untilgreen.cli.installing import command_forms
from untilgreen.core.findings import Finding
from untilgreen.project.files import templates_folder
from world import World

CAP = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"


def looked(world: World) -> list[Finding]:
    """What is seen without starting anything."""
    return list(doctor.examine(case.of(str(world.project), world.env, case.Extent(run=False))))


def console_scripts(world: World) -> Path:
    """Those of another installation, both of them silent."""
    program(world, "untilgreen", "")
    return program(world, "stop-loop", "")


def a_runner(world: World) -> None:
    program(world, "uv", "exit 9")


def not_executable(world: World) -> Path:
    path = program(world, "stop-loop", "")
    path.chmod(0o644)
    return path


def settings(world: World, scope: str = "local") -> dict[str, Any]:
    text = path_of(world, scope).read_text() if path_of(world, scope).exists() else "{}"
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def path_of(world: World, scope: str) -> Path:
    return {
        "local": world.project / LOCAL,
        "shared": world.project / ".claude/settings.json",
        "user": world.home / ".claude/settings.json",
    }[scope]


def save(world: World, changed: dict[str, Any], scope: str = "local") -> None:
    path_of(world, scope).parent.mkdir(parents=True, exist_ok=True)
    path_of(world, scope).write_text(json.dumps(changed, indent=2))


def rewritten(edit: Callable[[dict[str, Any]], object], scope: str = "local") -> Change:
    """What the edit makes of a settings file."""

    def change(world: World) -> None:
        now = settings(world, scope)
        edit(now)
        save(world, now, scope)

    return change


def merge(into: dict[str, Any], fields: dict[str, Any]) -> None:
    """Put these fields in; None takes one out."""
    into |= fields
    for name in [name for name, value in into.items() if value is None]:
        del into[name]


def entry(event: str, at: int = 0, **fields: Any) -> Change:
    """Changes one entry of ours in the local settings."""
    return rewritten(lambda now: merge(now["hooks"][event][0]["hooks"][at], fields))


def group(event: str, **fields: Any) -> Change:
    return rewritten(lambda now: merge(now["hooks"][event][0], fields))


def put(scope: str = "local", **fields: Any) -> Change:
    return rewritten(lambda now: merge(now, fields), scope)


def launcher(interpreter: str, directory: str) -> Change:
    """Makes the launcher of a stop that of another installation."""

    def change(world: World) -> None:
        path = Path(settings(world)["hooks"]["Stop"][0]["hooks"][0]["command"])
        path.write_bytes(command_forms.launcher("stop-loop", interpreter, directory))

    return change


def without(*folders: str) -> Change:
    def change(world: World) -> None:
        for folder in folders:
            shutil.rmtree(world.project / folder)

    return change


def variable(name: str, value: str = "") -> Change:
    """Sets a variable, or takes it out of the environment."""

    def change(world: World) -> None:
        world.env.pop(name, None)
        if value:
            world.env[name] = value

    return change


def dropped(event: str) -> Change:
    return rewritten(lambda now: now["hooks"].pop(event))


def copied(event: str) -> Change:
    """Our entries of an event in the user's settings, too."""
    return lambda world: save(world, {"hooks": {event: settings(world)["hooks"][event]}}, "user")


def twice(event: str) -> Change:
    return rewritten(lambda now: now["hooks"].update({event: now["hooks"][event] * 2}))


def moved(event: str, to: str) -> Change:
    """Our entries of an event on another one as well."""
    return rewritten(lambda now: now["hooks"].update({to: now["hooks"][event]}))


def linked(world: World) -> None:
    """The state folder elsewhere, behind a link."""
    folder = world.project / ".untilgreen"
    shutil.move(folder, world.tmp / "elsewhere")
    folder.symlink_to(world.tmp / "elsewhere")


def remade(world: World) -> None:
    assert untilgreen(world, "init") == 0


def tracked(path: str) -> Change:
    return lambda world: subprocess.run(["git", "add", "-f", path], cwd=world.project, env=world.env, check=True)


def untrusted(world: World) -> None:
    (world.home / ".local/state/untilgreen/trusted").unlink()


def noted(*, accepted: bool) -> Change:
    """What the host keeps about the project, in its own file."""
    return lambda world: (world.home / ".claude.json").write_text(
        json.dumps({"projects": {str(world.project): {"hasTrustDialogAccepted": accepted}}})
    )


def started(*options: str, session: str = "") -> Change:
    def change(world: World) -> None:
        done = world.run("start-loop", "fix it", "--session", session or world.session, *options)
        assert done.code == 0, done

    return change


def cleared(world: World) -> None:
    assert world.event("SessionEnd", reason="clear").code == 0


def alias(world: World) -> None:
    assert untilgreen(world, "init", "--alias", "loop") == 0


def aged(pattern: str, days: float) -> Change:
    def change(world: World) -> None:
        for path in world.project.glob(pattern):
            os.utime(path, (time.time() - days * 86_400,) * 2)

    return change


def line(*words: str) -> dict[str, str]:
    """A status line of ours."""
    return {"type": "command", "command": shlex.join((words[0], "-I", *words[1:]))}


OUR_LINE = shlex.join(command_forms.status_line())
OURS = put(statusLine=line(sys.executable, command_forms.status_line()[2]))
ASYNC: dict[str, Any] = {"async": True}
CHANGES: dict[str, tuple[Any, ...]] = {
    "no settings": (gone(LOCAL),),
    "an event is missing": (dropped("UserPromptSubmit"),),
    "edits are missing": (dropped("PostToolUse"),),
    "two scopes": (copied("Stop"),),
    "twice in one": (twice("Stop"),),
    "not JSON": (written(LOCAL, '{"hooks": '), both(gone(LOCAL), remade)),
    "milliseconds": (entry("PostToolUse", timeout=30_000),),
    "a short stop": (entry("Stop", timeout=60),),
    "a long deadline": (written("untilgreen.toml", "deadline = 900\nmax_iterations = 10\n"), gone("untilgreen.toml")),
    "a short edit": (entry("PostToolUse", timeout=3),),
    "no number": (entry("Stop", timeout="600"),),
    "async": (entry("Stop", at=0, **ASYNC),),
    "async edits": (entry("PostToolUse", at=0, **ASYNC),),
    "if": (entry("Stop", at=0, **{"if": "Bash(*)"}),),
    "if on edits": (entry("PostToolUse", at=0, **{"if": "Edit(*.py)"}),),
    "no type": (entry("Stop", type=None),),
    "an old matcher": (group("PostToolUse", matcher="Edit|Write"),),
    "a wrong matcher": (group("PostToolUse", matcher="^Bash$"),),
    "no matcher": (group("PostToolUse", matcher="*"),),
    "some starts only": (group("SessionStart", matcher="startup"),),
    "a wrong event": (moved("Stop", "SubagentStop"), dropped("SubagentStop")),
    "a launcher that is gone": (entry("Stop", command="/gone/untilgreen/stop-loop"),),
    "a package that is gone": (launcher(sys.executable, "/usr/lib"),),
    "an interpreter that is gone": (launcher("/gone/python", os.path.dirname(command_forms.PACKAGE)),),
    "an interpreter with a space in its path that is gone": (
        launcher("/gone/it's mine/python", os.path.dirname(command_forms.PACKAGE)),
    ),
    "no table of hooks": (put(hooks=5), both(put(hooks=None), remade)),
    "no list of hooks": (put(hooks={"Stop": 5}), both(put(hooks={}), remade)),
    "hooks that init cannot write": (put(hooks={"Stop": 5}), both(put(hooks={}), remade)),
    "a status line without its interpreter": (
        put(statusLine=line("/gone/python", command_forms.status_line()[2])),
        OURS,
    ),
    "a status line without its package": (
        put(statusLine=line(sys.executable, "/gone/untilgreen/loops/heard/status_line.py")),
        OURS,
    ),
    "a status line of everybody": (
        put("shared", statusLine=line("/gone/python", command_forms.status_line()[2])),
        put("shared", statusLine=line(sys.executable, command_forms.status_line()[2])),
    ),
    "a shell line": (entry("Stop", args=None, command="touch /tmp/x; stop-loop --host claude-code"),),
    "a runner": (both(a_runner, entry("Stop", command="uv", args=["run", "stop-loop", "--host", "claude-code"])),),
    "another installation": (
        lambda world: entry("Stop", command=str(console_scripts(world)), args=["--host", "claude-code"])(world),
        remade,
    ),
    "not on PATH": (entry("Stop", command="stop-loop.py"),),
    "not executable": (lambda world: entry("Stop", command=str(not_executable(world)))(world),),
    "switched off by the host": (put("user", disableAllHooks=True), lambda world: path_of(world, "user").unlink()),
    "plan mode": (put(permissions={"defaultMode": "plan"}), put(permissions=None)),
    "a variable": (variable("UNTILGREEN_DISABLE", "1"), variable("UNTILGREEN_DISABLE")),
    "a seed's variable": (variable("JIKIME_DISABLE_LSP_DIAGNOSTIC", "1"), variable("JIKIME_DISABLE_LSP_DIAGNOSTIC")),
    "a variable in settings": (put(env={"JIKIME_DISABLE_LOOP_CONTROLLER": "1"}), put(env=None)),
    "an off file": (written(".untilgreen/off", ""),),
    "an off file of a session": (written(".untilgreen/sessions/abc/off", ""),),
    "an off file of the user": (lambda world: (world.home / ".local/state/untilgreen/off").touch(),),
    "the host's own trust": (noted(accepted=False), noted(accepted=True)),
    "another's hook": (
        lambda world: save(world, {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "ralph"}]}]}}, "user"),
        lambda world: path_of(world, "user").unlink(),
    ),
    "another's plugin": (
        put(enabledPlugins={"ralph-loop@official": True}),
        put(enabledPlugins={"ralph-loop@official": False}),
    ),
    "a cap below the rounds": (put(env={CAP: "4"}), put(env={CAP: "9"})),
    "a cap that is none": (put(env={CAP: "many"}), put(env={CAP: "9"})),
    "an edited command": (written(".claude/commands/untilgreen/loop.md", "old untilgreen\n"),),
    "a missing command": (gone(".claude/commands/untilgreen/cancel.md"),),
    "an old command": (written(".claude/commands/untilgreen/go.md", "untilgreen\n"),),
    "no command": (without(".claude/commands", ".claude/skills"),),
    "not trusted": (untrusted,),
    "git sees the settings": (written(".git/info/exclude", ""),),
    "git tracks the settings": (tracked(LOCAL),),
    "git tracks the state": (tracked(".untilgreen"),),
    "a wrong key": (written("untilgreen.toml", "max_iterations = 0\n"), gone("untilgreen.toml")),
    "two configurations": (
        both(written("untilgreen.toml", ""), written("pyproject.toml", "[tool.untilgreen]\n")),
        both(gone("untilgreen.toml"), gone("pyproject.toml")),
    ),
    "no limits": (
        written("untilgreen.toml", "max_minutes = 0\nstagnation_limit = 0\n"),
        written("untilgreen.toml", "max_minutes = 0\nstagnation_limit = 3\n"),
    ),
    "one round": (
        written("pyproject.toml", "[tool.untilgreen]\nstagnation_limit = 1\n"),
        written("pyproject.toml", "[tool.untilgreen]\nstagnation_limit = 3\n"),
    ),
    "a marker that always fits": (
        written("untilgreen.toml", 'success_regex = ".*"\n'),
        written("untilgreen.toml", 'success_regex = "^DONE$"\n'),
    ),
    "a check longer than a stop": (
        written("untilgreen.toml", '[checks.docs]\ncommand = "true"\ntimeout = 900\n'),
        written("untilgreen.toml", '[checks.docs]\ncommand = "true"\ntimeout = 540\n'),
    ),
    "a completion hook whose program is missing": (
        written("untilgreen.toml", '[[hooks]]\nname = "gate"\ncommand = "bin/gate"\n'),
        written("untilgreen.toml", '[[hooks]]\nname = "gate"\ncommand = "true"\n'),
    ),
    "no state": (without(".untilgreen"),),
    "a link": (linked, remade),
    "a file for a folder": (both(without(".untilgreen"), written(".untilgreen", "")), remade),
    "open to others": (lambda world: (world.project / ".untilgreen").chmod(0o755),),
    "not ignored": (gone(".untilgreen/.gitignore"),),
    "put aside": (written(".untilgreen/sessions/abc/loop_state.json.corrupt-1", "{"),),
    "killed while writing": (both(written(".untilgreen/config.json.77.tmp", "{"), aged(".untilgreen/*.tmp", 1)),),
    "a fault": (
        written(
            ".untilgreen/untilgreen.log", "2026-11-22T04:50:54Z stop-loop on Python 3.11.2\nTraceback\nKeyError: 'a'\n"
        ),
    ),
    "no state of ours": (written(".untilgreen/sessions/abc/loop_state.json", "nothing"),),
    "a newer state": (
        written(".untilgreen/sessions/abc/loop_state.json", '{"schema_version": 99}'),
        gone(".untilgreen/sessions/abc/loop_state.json"),
    ),
    "a loop for anybody": (started(session="next"),),
    "a loop that waits for ever": (both(started(session="next"), aged(".untilgreen/next/*", 9)),),
    "a loop of an idle session": (started(),),
    "an orphan": (both(started(), aged(".untilgreen/sessions/*/loop_state.json", 2)),),
    "a parked loop": (both(started(), cleared),),
    "an edited alias": (both(alias, written(".claude/commands/loop.md", "old untilgreen\n")),),
    "another project's session": (variable("CLAUDE_PROJECT_DIR", "/usr"), variable("CLAUDE_PROJECT_DIR")),
}
# what the doctor says of each, and below it the advice, where it is not to call init
SEEN = tables.text("doctor", "seen")
SEEN = SEEN.replace("{LOCAL}", LOCAL).replace("{INIT}", INIT).replace("{CAP}", CAP).replace("{OUR_LINE}", OUR_LINE)


@pytest.mark.parametrize("trouble", troubles(CHANGES, SEEN))
def test_what_is_wrong_is_said_and_gone_when_its_advice_was_followed(well: World, trouble: Trouble) -> None:
    before = looked(well)
    assert one(before, trouble.found) == []

    trouble.produce(well)

    [finding] = one(looked(well), trouble.found)
    assert re.fullmatch(trouble.cure, finding.cure)
    follow(well, finding.cure, trouble.follow)
    after = looked(well)
    assert one(after, trouble.found) == []
    assert {it for it in after if it.level in ("broken", "warning")} == set()


def follow(world: World, cure: str, edit: Change | None) -> None:
    """Do what the cure says; where it is a command and an edit, the command first."""
    if cure.startswith("run: untilgreen ") and cure.isprintable():
        assert untilgreen(world, *shlex.split(cure.removeprefix("run: untilgreen "))) == 0
    elif "run: " in cure and "run: unset" not in cure and "run: claude" not in cure:
        done = world.process("/bin/sh", "-c", cure.rpartition("run: ")[2])
        assert done.code == 0, done
    if edit:
        edit(world)


def test_a_project_in_which_all_is_well_has_nothing_to_mend(well: World) -> None:
    assert {it for it in looked(well) if it.level in ("broken", "warning")} == set()


def whats(found: list[Finding], subject: str) -> list[tuple[str, str]]:
    return [(one.level, one.what) for one in found if one.subject == subject]


def test_a_loop_whose_session_lives_is_nothing_to_mend(well: World) -> None:
    assert well.event("SessionStart", source="startup").code == 0
    started()(well)
    [(level, what)] = whats(looked(well), "loops")
    assert (level, re.sub(r"loop-\d+", "LOOP", what)) == (
        "ok",
        f"LOOP (round 1 of 10) runs in session {well.session}, and only there",
    )


def test_an_alias_is_one_of_the_commands(well: World) -> None:
    alias(well)
    names = (Path(templates_folder()) / "commands").iterdir()
    typed = ", ".join(sorted(f"/untilgreen:{file.stem}" for file in names))
    assert whats(looked(well), "commands") == [("ok", f".claude: {typed}, the skill until-green, /loop")]


def test_in_a_linked_work_tree_the_main_ones_registration_counts(well: World) -> None:
    linked = well.tmp.parent / "linked"
    subprocess.run(["git", "worktree", "add", "-q", linked], cwd=well.project, env=well.env, check=True)
    main, well.project = well.project, linked
    seen = looked(well)
    assert whats(seen, "project")[:1] == [("ok", str(linked))]
    place = f"{main}/.claude/settings.local.json (main)"
    events = "Stop, PostToolUse, PostToolUseFailure, TaskCompleted, TeammateIdle"
    events += ", UserPromptSubmit, SessionStart, SessionEnd, StopFailure"
    assert whats(seen, "hooks") == [("ok", f"{place}: {events}")]


def test_a_linked_work_tree_that_is_registered_beside_the_main_one_runs_every_hook_twice(well: World) -> None:
    linked = well.tmp.parent / "linked"
    subprocess.run(["git", "worktree", "add", "-q", linked], cwd=well.project, env=well.env, check=True)
    well.project = linked
    assert untilgreen(well, "init", "--force") == 0
    [twice] = [found for found in looked(well) if found.what.startswith("registered twice (local and main)")]
    assert twice.level == "warning"
    follow(well, twice.cure, None)
    assert {it for it in looked(well) if it.level in ("broken", "warning")} == set()
