"""`untilgreen init`: hooks merged into the settings, slash commands written, the project trusted."""

import hashlib
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import render
import tables
from world import REPOSITORY, Answer, World

EDITS = "Edit|Write|MultiEdit|NotebookEdit"
# event to its groups: matcher, executables, seconds
GROUPS: dict[str, list[tuple[str, tuple[str, ...], int]]] = {
    "Stop": [("", ("stop-loop",), 600)],
    "PostToolUse": [
        (EDITS, ("post-tool-lint",), 30),
        ("Bash", ("post-tool-bash",), 10),
    ],
    "PostToolUseFailure": [("", ("post-tool-bash",), 10)],
    "TaskCompleted": [("", ("stop-loop",), 600)],
    "TeammateIdle": [("", ("stop-loop",), 600)],
    "UserPromptSubmit": [("", ("session-loop",), 150)],
    "SessionStart": [("", ("session-loop",), 10)],
    "SessionEnd": [("", ("session-loop",), 10)],
    "StopFailure": [("", ("session-loop",), 10)],
}
STATUS = tables.literal("registration", "status")
THEIRS = {"hooks": [{"type": "command", "command": "say done"}]}


COMMANDS = sorted(path.stem for path in (REPOSITORY / "templates" / "commands").iterdir())


@pytest.fixture
def world(world: World) -> World:
    """A project that a manifest makes one."""
    world.write({"requirements.txt": ""})
    return world


def settings_of(world: World) -> Path:
    return world.project / ".claude" / "settings.local.json"


def launchers(world: World) -> Path:
    """Where the files lie that the host runs."""
    key = hashlib.sha256(bytes(settings_of(world))).hexdigest()[:8]
    return world.home / ".local/state/untilgreen/hooks" / key


def ours(world: World, event: str) -> list[dict[str, Any]]:
    """The groups that `init` registers for an event: exec form, a launcher of our own, seconds."""

    def hook(name: str, seconds: int) -> dict[str, Any]:
        more = ["--with", "lsp,ast-grep"] if name == "post-tool-lint" else []
        called = {"command": str(launchers(world) / name), "args": ["--host", "claude-code", *more]}
        return {"type": "command", **called, "timeout": seconds, "statusMessage": STATUS[name]}

    return [
        ({"matcher": matcher} if matcher else {}) | {"hooks": [hook(name, seconds) for name in names]}
        for matcher, names, seconds in GROUPS[event]
    ]


def init(world: World, *words: str) -> Answer:
    return world.run("untilgreen", "init", *words)


def written(world: World, text: str) -> str:
    """The settings after `init` has found this text there; it must succeed."""
    path = settings_of(world)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    answer = init(world)
    assert answer.code == 0, answer
    return path.read_text(encoding="utf-8")


def test_the_registrations_in_the_repository_are_those_of_the_code() -> None:
    wanted = dict(render.rendered())
    assert {name: (REPOSITORY / name).read_bytes() for name in wanted} == wanted
    lying = {str(path.relative_to(REPOSITORY)) for path in (REPOSITORY / "plugins").rglob("*") if path.is_file()}
    assert lying - {*wanted} == set()
    assert [name for name in wanted if name.endswith("/launch") and not os.access(REPOSITORY / name, os.X_OK)] == []


def test_a_project_without_settings_gets_them(world: World) -> None:
    answer = init(world)
    said = (
        f"registered in {settings_of(world)}: {', '.join(GROUPS)}\n"
        f"slash commands: {', '.join(f'/untilgreen:{name}' for name in COMMANDS)}\n"
        "skill: until-green\n"
        f"trusted: {world.project}\n"
        "Claude Code: held a test stop in T\n"
        "a loop will run no check yet\n"
        "no git repository: what changed is told by the times and sizes of files. Fix: git init\n"
        "without a loop, too, the agent is held for new errors and fast tests that it turned red "
        '(auto = "off" ends that)\n'
        "next: restart claude here, then type /untilgreen:loop make the tests pass\n"
        "for the loop in the status line: untilgreen init --statusline\n"
    )
    assert (answer.code, re.sub(r"\d\.\d s", "T", answer.stdout), answer.stderr) == (0, said, "")
    text = settings_of(world).read_text(encoding="utf-8")
    assert text == json.dumps({"hooks": {event: ours(world, event) for event in GROUPS}}, indent=2) + "\n"
    commands = world.project / ".claude" / "commands" / "untilgreen"
    assert sorted(path.name for path in commands.iterdir()) == [f"{name}.md" for name in COMMANDS]
    assert (world.home / ".local/state/untilgreen/trusted").read_text(encoding="utf-8") == f"{world.project}\n"
    assert (world.project / ".untilgreen").stat().st_mode & 0o777 == 0o700


def test_the_registered_commands_run_as_they_are_written(red: World) -> None:
    init(red)
    red.start()
    hooks = json.loads(settings_of(red).read_text(encoding="utf-8"))["hooks"]
    [hook] = hooks["Stop"][0]["hooks"]
    done = red.process(hook["command"], *hook["args"], stdin=json.dumps(red.payload()), cwd=Path("/"))
    assert done.code == 2
    assert done.stderr.startswith("Ralph Loop: CONTINUE | Iteration: 2/10")


@pytest.mark.parametrize(
    ("opening", "indent", "newline"),
    [("", "\t", "\n"), ("", 4, "\r\n"), ("\ufeff", None, "")],
    ids=["tabs", "CRLF", "a byte order mark"],
)
def test_what_others_registered_stays_in_its_order_in_the_form_of_the_host(
    world: World, opening: str, indent: Any, newline: str
) -> None:
    before = {
        "permissions": {"allow": ["Bash(ls:*)"]},
        "hooks": {"PreToolUse": [{"matcher": "Bash", **THEIRS}], "Stop": [THEIRS]},
        "model": "modèle",
        "numbers": [12345678901234567890, 0.1, -0.0],
    }
    text = opening + json.dumps(before, indent=indent, ensure_ascii=False).replace("\n", newline) + newline
    after = before | {
        "hooks": {
            "PreToolUse": [{"matcher": "Bash", **THEIRS}],
            "Stop": [THEIRS, *ours(world, "Stop")],
            **{event: ours(world, event) for event in GROUPS if event != "Stop"},
        }
    }
    assert written(world, text) == json.dumps(after, indent=2, ensure_ascii=False) + "\n"


def test_a_second_run_writes_nothing(world: World) -> None:
    def everything() -> dict[Path, tuple[bytes, int]]:
        found = (path for top in (world.home, world.project) for path in top.rglob("*") if path.is_file())
        return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in found}

    written(world, json.dumps({"hooks": {"Stop": [THEIRS]}}))
    before = everything()
    assert init(world).code == 0
    assert everything() == before


def test_settings_that_hold_our_hooks_already_keep_their_form(world: World) -> None:
    text = json.dumps(
        {"hooks": {event: ours(world, event) for event in GROUPS}}
    )  # all on one line, as nobody's tool would
    assert written(world, text) == text


@pytest.mark.parametrize(
    "old",
    tables.literal("registration", "an old entry of ours is replaced"),
    ids=["a console script", "a shell line", "another interpreter", "a file by exec", "the package of another"],
)
def test_an_old_entry_of_ours_is_replaced(world: World, old: dict[str, Any]) -> None:
    before = [{"hooks": [*THEIRS["hooks"], old]}, {"hooks": [old]}, THEIRS]
    after = json.loads(written(world, json.dumps({"hooks": {"Stop": before}})))
    assert after["hooks"]["Stop"] == [THEIRS, THEIRS, *ours(world, "Stop")]


@pytest.mark.parametrize(
    "foreign",
    tables.literal("registration", "what only resembles ours stays"),
    ids=["another stop-loop", "the name alone", "a prompt", "a text", "null"],
)
def test_what_only_resembles_ours_stays(world: World, foreign: Any) -> None:
    before = [{"hooks": [foreign]}, foreign]
    after = json.loads(written(world, json.dumps({"hooks": {"Stop": before}})))
    assert after["hooks"]["Stop"] == [*before, *ours(world, "Stop")]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "is not JSON (Expecting property name enclosed in double quotes: line 1 column 2 (char 1)). Fix: "),
        ("// mine\n{}", "is not JSON (Expecting value: line 1 column 1 (char 0)); the host passes over settings with"),
        ('{"a": 1, /* mine */ "b": 2}', "; the host passes over settings with a comment. Fix: "),
        ('{"a": [1,]}', "is not JSON ("),
        ("null", " holds no table of settings. Fix: "),
        ("[]", " holds no table of settings. Fix: "),
        ('{"hooks": []}', ": hooks must be a table. Fix: "),
        ('{"hooks": {"Stop": {}}}', ": hooks.Stop must be a list. Fix: "),
        ("[" * 100_000, "is not JSON ("),
        ('{"a": NaN}', "is not JSON (Out of range float values are not JSON compliant"),
        ('{"a": 1e999}', "is not JSON (Out of range float values are not JSON compliant"),
        ('{"a": {"b": 1, "c": 2, "b": 3}}', ' has the key "b" twice in one table. Fix: '),
    ],
    ids=[
        *("cut off", "a comment", "a comment inside", "a trailing comma", "null", "a list"),
        *("hooks as a list", "an event as a table", "too deep", "no number", "too large", "a key twice"),
    ],
)
def test_settings_that_are_not_understood_stay_untouched(world: World, text: str, why: str) -> None:
    path = settings_of(world)
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    answer = init(world)
    assert (answer.code, answer.stdout) == (64, "")
    assert answer.stderr.startswith("untilgreen failed: ")
    assert why in answer.stderr
    assert answer.stderr.endswith("correct the file, then try again\n")
    assert answer.stderr.count("\n") == 1
    assert path.read_text(encoding="utf-8") == text
    assert sorted(one.name for one in path.parent.iterdir()) == [path.name]


def test_settings_that_are_not_text_stay_untouched(world: World) -> None:
    path = settings_of(world)
    path.parent.mkdir()
    path.write_bytes(b'{"a": "\xff"}')
    assert init(world) == (
        64,
        "",
        f"untilgreen failed: {path} is not UTF-8 text. Fix: correct the file, then try again\n",
    )
    assert path.read_bytes() == b'{"a": "\xff"}'


@pytest.mark.parametrize("text", ["", "\n", "{}"])
def test_empty_settings_are_none(world: World, text: str) -> None:
    assert json.loads(written(world, text)) == {"hooks": {event: ours(world, event) for event in GROUPS}}


def test_a_folder_may_have_any_name(make_world: Callable[[str], World]) -> None:
    world = make_world("""it's a "folder" $HOME""")
    world.write({"app.py": "import os\n"})
    world.commit()
    assert init(world).code == 0
    world.start()
    assert world.stop().held
    assert (world.home / ".local/state/untilgreen/trusted").read_text(encoding="utf-8") == f"{world.project}\n"


def test_init_registers_for_the_whole_repository_from_below_it(green: World) -> None:
    below = green.project / "src" / "deep"
    below.mkdir(parents=True)
    assert green.run("untilgreen", "init", cwd=below).code == 0
    assert settings_of(green).is_file()


def test_init_can_be_told_which_project(world: World) -> None:
    assert world.run("untilgreen", "init", "--local", "--project", str(world.project), cwd=Path("/")).code == 0
    assert settings_of(world).is_file()


def test_settings_that_cannot_be_written_are_one_line(world: World) -> None:
    file = world.project / ".claude"
    file.write_text("a file\n", encoding="utf-8")
    why = "it is not a folder; nothing was changed. Fix: make it writable, or use --user"
    assert init(world) == (64, "", f"untilgreen failed: cannot write {file}: {why}\n")
    assert list(world.home.iterdir()) == []  # nothing was registered, nothing is trusted
    assert sorted(world.project.iterdir()) == [file, world.project / "requirements.txt"]


@pytest.mark.parametrize("command", ["init", "trust"])
def test_neither_the_home_folder_nor_the_top_is_a_project(world: World, command: str) -> None:
    for folder, what in ((world.home, "a home folder"), (Path("/"), "the top of the file system")):
        assert world.run("untilgreen", command, cwd=folder) == (
            64,
            "",
            (
                f"untilgreen failed: {folder} is {what}, not a project. "
                "Fix: start in a project, or name one with --project\n"
            ),
        )
    assert list(world.home.iterdir()) == []


def test_trust_says_whether_it_was_new(world: World) -> None:
    listed = world.home / ".local/state/untilgreen/trusted"
    project = world.project
    assert world.run("untilgreen", "trust").stdout == f"untilgreen: {project} is trusted now ({listed})\n"
    assert world.run("untilgreen", "trust").stdout == f"untilgreen: {project} was trusted already ({listed})\n"
