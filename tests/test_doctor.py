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
    "a short edit": (entry("PostToolUse", 1, timeout=3),),
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
SEEN = r"""
no settings = hooks broken: no hook of untilgreen is registered here
an event is missing = hooks broken: not registered: session-loop on UserPromptSubmit
edits are missing = hooks warning: not registered: post-tool-lint on PostToolUse, .*, post-tool-bash on PostToolUse
two scopes = hooks warning: registered twice \(local and user\): stop-loop on Stop
    run: untilgreen uninstall --user --project \S+
twice in one = hooks warning: registered twice \(local and local\): stop-loop on Stop
not JSON = hooks broken: .*{LOCAL} is not JSON .*; the host passes over the whole file
    edit {LOCAL}: mend it there, or take the file away
milliseconds = hooks warning: post-tool-lint on PostToolUse \(local\): its timeout is 30000 seconds; were milliseconds.*
a short stop = hooks broken: stop-loop on Stop \(local\): its timeout of 60 s is not above the deadline, 540 s: .*
a long deadline = hooks broken: stop-loop on Stop \(local\): its timeout of 600 s is not above the deadline, 900 s: .*
    edit untilgreen.toml: deadline = 540
a short edit = hooks warning: post-tool-lsp on PostToolUse \(local\): its timeout of 3 s is not above the 10 s .*
no number = hooks warning: stop-loop on Stop \(local\): its timeout '600' is no number of seconds
async = hooks broken: stop-loop on Stop \(local\): "async" is true: the host does not wait .*
async edits = hooks warning: post-tool-lint on PostToolUse \(local\): "async" is true: .*
if = hooks broken: stop-loop on Stop \(local\): "if" belongs to events of tools: the host never runs it
if on edits = hooks warning: post-tool-lint on PostToolUse \(local\): it runs only where its "if" fits
no type = hooks broken: stop-loop on Stop \(local\): its "type" is not "command"
an old matcher =
    hooks warning: .*, post-tool-lsp on PostToolUse, .* \(local\): its matcher "Edit\|Write" leaves out Multi.*
a wrong matcher = hooks broken: post-tool-lint on PostToolUse, .* \(local\): its matcher "\^Bash\$" fits none of Edit.*
no matcher = hooks note: post-tool-lint on PostToolUse, .* \(local\): it has no matcher: .*
some starts only = hooks warning: session-loop on SessionStart \(local\): its matcher "startup" leaves out sessions .*
a wrong event = hooks warning: stop-loop on SubagentStop \(local\): it does nothing there
    edit {LOCAL}: take the entry of stop-loop out of hooks.SubagentStop
a launcher that is gone = start broken: stop-loop \(local\) cannot run: /gone/untilgreen/stop-loop is gone
a package that is gone = start broken: stop-loop \(local\) cannot run: /usr/lib/untilgreen is gone
an interpreter that is gone = start broken: stop-loop \(local\) cannot run: /gone/python is gone
an interpreter with a space in its path that is gone =
    start broken: stop-loop \(local\) cannot run: /gone/it's mine/python is gone
no table of hooks = hooks broken: {LOCAL}: hooks must be a table
    edit {LOCAL}: make it so, or take it out
no list of hooks = hooks broken: {LOCAL}: hooks.Stop must be a list
    edit {LOCAL}: make it so, or take it out
hooks that init cannot write = hooks broken: no hook of untilgreen is registered here
    edit {LOCAL}: make it so, or take it out
a status line without its interpreter = status line warning: it cannot run: /gone/python is gone \({LOCAL}\)
    edit {LOCAL}: in statusLine, "command": "{OUR_LINE}"
a status line without its package =
    status line warning: it cannot run: /gone/untilgreen/loops/heard/status_line.py is gone \({LOCAL}\)
    edit {LOCAL}: in statusLine, "command": "{OUR_LINE}"
a status line of everybody = status line warning: it cannot run: /gone/python is gone \(.claude/settings.json\)
    edit .claude/settings.json: in statusLine, "command": "{OUR_LINE}"
a shell line =
    start warning: stop-loop \(local\) is not as init writes it, and was not started: touch /tmp/x; stop-loop .*
    look at it in {LOCAL}; to have the hook as init writes it, {INIT}
a runner = start warning: stop-loop \(local\) is not as init writes it, and was not started: uv run .*
    look at it in {LOCAL}; to have the hook as init writes it, {INIT}
another installation =
    start warning: stop-loop \(local\) is not as init writes it, and was not started: /.*/stop-loop .*
    look at it in {LOCAL}; to have the hook as init writes it, {INIT}
not on PATH = start broken: stop-loop \(local\) cannot run: stop-loop.py is not on PATH
not executable = start broken: stop-loop \(local\) cannot run: /.*/stop-loop is not executable
switched off by the host = switches broken: "disableAllHooks" is true in ~/.claude/settings.json: the host runs no hook
    edit ~/.claude/settings.json: take "disableAllHooks" out
plan mode = switches note: sessions begin in plan mode \(permissions.defaultMode\), .*
    in a session: leave plan mode with Shift.Tab when the work begins
a variable = switches broken: UNTILGREEN_DISABLE=1 in this environment switches every hook off .*
    run: unset UNTILGREEN_DISABLE
a seed's variable = switches warning: JIKIME_DISABLE_LSP_DIAGNOSTIC=1 in this environment switches post-tool-lsp off .*
    run: unset JIKIME_DISABLE_LSP_DIAGNOSTIC
a variable in settings = switches broken: JIKIME_DISABLE_LOOP_CONTROLLER is 1 in env of {LOCAL}: every hook off
    edit {LOCAL}: take env.JIKIME_DISABLE_LOOP_CONTROLLER out
an off file = switches broken: an off file switches the hooks off for this project: .untilgreen/off
    run: untilgreen on --project \S+
an off file of a session = switches note: an off file switches the hooks off for a session: .untilgreen/sessions/abc/off
    run: rm .*/.untilgreen/sessions/abc/off
an off file of the user =
    switches broken: an off file switches the hooks off for this user: ~/.local/state/untilgreen/off
    run: untilgreen on --user
the host's own trust = switches warning: the host's own question, whether this folder is trusted, .*
    in a terminal: start claude in .* and accept
another's hook = switches note: another hook on Stop may hold the agent, too \(~/.claude/settings.json\): ralph
    edit ~/.claude/settings.json: take it out of hooks.Stop, .*
another's plugin = switches warning: the plugin ralph-loop@official holds the agent at a stop, too
    run: claude plugin disable ralph-loop@official
a cap below the rounds = switches note: after 4 holds in a row without a tool call .*; a loop has 10 rounds
    edit {LOCAL}, if that is too few: "env": {"{CAP}": "9"}
a cap that is none = switches warning: {CAP} is 'many', which is no number
    edit {LOCAL}, if that is too few: "env": {"{CAP}": "9"}
an edited command = commands warning: .claude: from another version, or edited: /untilgreen:loop
    run: untilgreen init --force --project \S+
a missing command = commands warning: .claude: missing: /untilgreen:cancel
an old command = commands note: .claude: /untilgreen:go is of another version
    run: rm .*/.claude/commands/untilgreen/go.md
no command = commands warning: no slash command of untilgreen is installed here: .*
not trusted = project warning: not trusted: .* are left out
    run: untilgreen trust --project \S+
git sees the settings = project note: git does not ignore {LOCAL}, which is about this machine alone
    run: echo {LOCAL} >> "\$\(git rev-parse --git-path info/exclude\)"
git tracks the settings = project warning: git tracks {LOCAL}, which is about this machine alone
    run: git rm -r -q --cached {LOCAL} && echo .*
git tracks the state = project warning: git tracks .untilgreen/.gitignore, .*, which is about this machine alone
    run: git rm -r -q --cached .untilgreen && echo .*
a wrong key = configuration broken: untilgreen.toml:1: max_iterations.*
    edit the file and the key that it names: .*
two configurations = configuration broken: pyproject.toml has \[tool.untilgreen\] and there is an untilgreen.toml
    edit the file and the key that it names: .*
no limits = configuration note: neither time nor stagnation ends a loop, only its 10 rounds
    edit untilgreen.toml: stagnation_limit = 3
one round = configuration note: stagnation_limit 1 ends a loop at the first round without improvement
    edit pyproject.toml, \[tool.untilgreen\]: stagnation_limit = 3
a marker that always fits = configuration warning: success_regex fits whatever the agent says: every stop counts as done
    edit untilgreen.toml: success_regex = "\^DONE\$"
a check longer than a stop = configuration note: checks.docs.timeout of 900 s is above the deadline of a stop, 540 s
    edit untilgreen.toml, \[checks.docs\]: timeout = 540
a completion hook whose program is missing =
    completion hooks warning: hook gate: bin/gate is not there, so it is skipped, and no green .*
    install bin/gate, or mend its command in the configuration
no state = state note: there is no .untilgreen: .*
a link = state broken: .untilgreen is a symbolic link: .*
    .*; run: rm .*
a file for a folder = state broken: .untilgreen is no folder
    run: rm .*
open to others = state warning: .untilgreen can be entered by others \(mode 755\)
    run: chmod 700 .*
not ignored = state warning: .untilgreen/.gitignore is gone, which keeps the state out of git
    run: echo '\*' > .*
put aside = state warning: 1 document\(s\) could not be read and were put aside: .*corrupt-1
    run: rm .*corrupt-1
killed while writing = state note: 1 temporary file\(s\) of processes that were killed
    run: rm .*.tmp
a fault = state warning: newest fault in the log: 2026-11-22T04:50:54Z stop-loop on Python 3.11.2 KeyError: 'a'
    read .untilgreen/untilgreen.log; when it is dealt with, run: rm .*
no state of ours = loops warning: .*abc/loop_state.json is not readable .*; the next stop puts it aside
    run: rm .*
a newer state = loops warning: .*loop_state.json was written by a newer untilgreen \(schema 99\); it is left alone
    install the newer untilgreen here, too; .*
a loop for anybody = loops note: loop-\d+ waits for whoever prompts here next
    run: cancel-loop --session next --project \S+
a loop that waits for ever = loops warning: loop-\d+ waits for whoever prompts here next, for 9 days now
    run: cancel-loop --session next --project \S+
a loop of an idle session =
    loops note: loop-\d+ \(round 1 of 10\) belongs to session \S+, whose host does not run now; .*
    run: cancel-loop --session \S+ --project \S+
an orphan = loops warning: loop-\d+ \(round 1 of 10\) was left behind: its session \S+ is silent for 48 hours
    run: cancel-loop --session \S+ --project \S+
a parked loop = loops note: loop-\d+ \(round 1 of 10\) is parked: /clear ended the session; to go on: .*
    run: cancel-loop --session \S+ --project \S+
an edited alias = commands warning: .claude: from another version, or edited: /loop
    run: untilgreen init --force --alias loop --project \S+
another project's session =
    project note: \$CLAUDE_PROJECT_DIR is /usr: hooks of that session mean that project, not this one
    start the host in .* to work here
"""
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
