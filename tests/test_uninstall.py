"""`untilgreen uninstall`: what `init` did is taken back, to the last byte where nobody touched it since."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from trees import of_world as tree
from world import BIN, REPOSITORY, Answer, World

FOREIGN = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}, "model": "opus"}'
SETTINGS = {
    "none": None,
    "empty": "",
    "an empty table": "{}",
    "foreign hooks": json.dumps(json.loads(FOREIGN), indent=2) + "\n",
    "CRLF": json.dumps(json.loads(FOREIGN), indent=4).replace("\n", "\r\n") + "\r\n",
    "a byte order mark": "\ufeff" + FOREIGN + "\n",
    "odd": '\n { "hooks" :{"Stop":[ ] ,\n"PreToolUse"  :  [\n{"hooks":[]}]}\n\n  , "modèle":  "\\u00e9" }\n\n\n',
    "an empty list of ours": '{\n  "hooks": {\n    "Stop": [\n    ]\n  },\n  "hooks2": {}\n}\n',
    "a status line": '{"statusLine" : {"command": "date",  "type":"command"}}',
}
FILES = {"local": ".claude/settings.local.json", "shared": ".claude/settings.json"}


def done(world: World, command: str, *words: str) -> Answer:
    answer = world.run("untilgreen", command, *words)
    assert (answer.code, answer.stderr) == (0, ""), answer
    return answer


def settings_of(world: World, scope: str) -> Path:
    return world.home / ".claude/settings.json" if scope == "user" else world.project / FILES[scope]


def given(world: World, text: str | None, scope: str = "local") -> Path:
    path = settings_of(world, scope)
    if text is not None:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize("text", SETTINGS.values(), ids=SETTINGS)
def test_the_tree_is_as_it_was_before(red: World, text: str | None) -> None:
    path = given(red, text)
    before = tree(red)
    done(red, "init", "--statusline")
    assert "stop-loop" in path.read_text(encoding="utf-8")
    done(red, "uninstall")
    assert tree(red) == before


def test_where_an_edit_started_three_hooks_init_leaves_one_and_uninstall_none(red: World) -> None:
    example = (REPOSITORY / "settings.example.json").read_text(encoding="utf-8")
    path = given(red, example)
    done(red, "init")
    [edits, _bash] = json.loads(path.read_text(encoding="utf-8"))["hooks"]["PostToolUse"]
    assert [(Path(one["command"]).name, one["args"][2:]) for one in edits["hooks"]] == [
        ("post-tool-lint", ["--with", "lsp,ast-grep"])
    ]
    done(red, "uninstall")
    given(red, example)
    done(red, "uninstall")
    assert not path.exists()


def test_nothing_is_left_in_a_folder_of_the_host_that_lies_elsewhere(red: World) -> None:
    red.env["CLAUDE_CONFIG_DIR"] = str(red.tmp / "elsewhere")
    (red.tmp / "elsewhere").mkdir()
    done(red, "init", "--user")
    done(red, "uninstall", "--user")
    assert list((red.tmp / "elsewhere").iterdir()) == []


def test_all_that_init_can_do_is_taken_back_once(red: World) -> None:
    given(red, FOREIGN)
    before = tree(red)
    done(red, "init", *(word for name in ("loop", "ralph", "jikime") for word in ("--alias", name)), "--quiet")
    done(red, "init", "--stop-timeout", "90", "--preset", "supercode", "--statusline")  # once more, otherwise
    red.start()
    done(red, "uninstall")
    assert tree(red) == before
    assert done(red, "uninstall").stdout == "untilgreen: nothing is registered here\n"
    assert tree(red) == before


@pytest.mark.parametrize("scope", ["user", "shared"])
@pytest.mark.parametrize("text", [None, FOREIGN], ids=["none", "foreign hooks"])
def test_each_scope_is_taken_back(red: World, scope: str, text: str | None) -> None:
    given(red, text, scope)
    before = tree(red)
    done(red, "init", f"--{scope}", "--alias", "ralph", "--preset", "strict")
    assert "stop" in settings_of(red, scope).read_text(encoding="utf-8")
    done(red, "uninstall", f"--{scope}")
    assert tree(red) == before


@pytest.mark.parametrize("inside", [True, False], ids=["in the repository", "out of it"])
@pytest.mark.parametrize("dangling", [True, False], ids=["to nothing", "to a file"])
def test_a_link_to_settings_is_a_link_again(red: World, inside: bool, dangling: bool) -> None:
    target = (red.project if inside else red.home) / "dotfiles.json"
    if not dangling:
        target.write_text(FOREIGN)
        target.chmod(0o640)
    path = settings_of(red, "local")
    path.parent.mkdir()
    path.symlink_to(target)
    before = tree(red)
    done(red, "init")
    assert path.is_symlink()
    assert "stop-loop" in target.read_text(encoding="utf-8")
    done(red, "uninstall")
    assert tree(red) == before


def test_a_folder_may_have_any_name(make_world: Callable[[str], World]) -> None:
    world = make_world("""it's a "folder" $HOME""")
    world.write({"app.py": "import os\n"})
    world.commit()
    before = tree(world)
    done(world, "init")
    done(world, "uninstall")
    assert tree(world) == before


def test_a_linked_worktree_is_a_project_of_its_own(red: World) -> None:
    linked = red.home / "linked"
    subprocess.run(["git", "worktree", "add", "-q", str(linked)], cwd=red.project, env=red.env, check=True)
    before = tree(red)
    assert red.run("untilgreen", "init", cwd=linked).code == 0
    assert (linked / FILES["local"]).is_file()
    assert red.run("untilgreen", "uninstall", cwd=linked).code == 0
    assert tree(red) == before


def a_link_to_an_empty_folder(world: World) -> None:
    target = world.home / "dotfiles/claude"
    target.mkdir(parents=True)
    (world.project / ".claude").symlink_to(target)


def files_of_ones_own(world: World) -> None:
    world.write({".claude/commands/mine.md": "mine\n", ".claude/skills/mine/SKILL.md": "mine\n"})
    assert world.run("untilgreen", "trust").code == 0


@pytest.mark.parametrize("put", [a_link_to_an_empty_folder, files_of_ones_own])
def test_what_was_there_before_stays(red: World, put: Callable[[World], None]) -> None:
    put(red)
    before = tree(red)
    done(red, "init")
    assert settings_of(red, "local").is_file()
    done(red, "uninstall")
    assert tree(red) == before


def test_settings_that_changed_since_lose_only_what_is_ours(red: World) -> None:
    path = given(red, '{"hooks": {"Stop": []}, "model": "opus"}\n')
    done(red, "init", "--statusline")
    path.write_text(path.read_text().replace('"opus"', '"sonnet"  '))
    done(red, "uninstall")
    assert path.read_text() == '{\n  "hooks": {\n    "Stop": []\n  },\n  "model": "sonnet"\n}\n'


@pytest.mark.parametrize("text", [FOREIGN, None], ids=["foreign hooks", "nothing else"])
def test_settings_that_the_host_laid_out_anew_come_back_to_the_last_byte(red: World, text: str | None) -> None:
    path = given(red, text)
    before = tree(red)
    done(red, "init", *(["--statusline"] if text else []))
    path.write_text(json.dumps(json.loads(path.read_text()), separators=(",", ":")))
    done(red, "uninstall")
    assert tree(red) == before


def test_without_a_receipt_what_is_ours_is_found(red: World) -> None:
    path = given(red, FOREIGN)
    before = tree(red)
    done(red, "init", "--alias", "ralph")
    for receipt in (red.home / ".local/state/untilgreen/installed").iterdir():
        receipt.unlink()
    done(red, "uninstall")
    after = tree(red)
    assert json.loads(path.read_text()) == json.loads(FOREIGN)
    left = {str(Path(name).relative_to(red.project.parent)) for name in after.keys() - before.keys()}
    assert left == {  # nobody knows any more that these were made by init, and whose trust it is
        *("project/.untilgreen", "project/.untilgreen/.gitignore", "project/.untilgreen/config.json"),
        *("home/.local", "home/.local/state", "home/.local/state/untilgreen", "home/.local/state/untilgreen/trusted"),
    }


def test_a_command_that_somebody_edited_stays_and_is_named(red: World) -> None:
    done(red, "init")
    edited = red.project / ".claude/commands/untilgreen/loop.md"
    edited.write_text("mine now\n")
    answer = done(red, "uninstall")
    assert f"kept {edited}: it was changed since\n" in answer.stdout
    assert [path.name for path in red.project.glob(".claude/**/*") if path.is_file()] == ["loop.md"]
    assert done(red, "uninstall").stdout == "untilgreen: nothing is registered here\n"


def test_a_configuration_that_changed_since_stays_and_is_named(red: World) -> None:
    red.write({"pyproject.toml": '[tool.untilgreen]\nauto = "off" # mine\npreset = "jikime"\n'})
    done(red, "init", "--preset", "strict", "--quiet")
    path = red.project / "pyproject.toml"
    text = '[tool.untilgreen]\nhold_style = "context"\nauto = "off" # mine\npreset = "strict"\n'
    assert path.read_text() == text
    path.write_text(text + "max_iterations = 3\n")
    assert f"kept {path}: it was changed since\n" in done(red, "uninstall").stdout
    assert path.read_text() == text + "max_iterations = 3\n"


def test_running_loops_are_cancelled_and_named(red: World) -> None:
    done(red, "init")
    red.start("mend it")
    answer = done(red, "uninstall")
    assert answer.stdout.startswith("untilgreen: loop cancelled")
    assert "removed: .untilgreen\n" in answer.stdout
    assert not (red.project / ".untilgreen").exists()


def test_the_state_can_be_kept(red: World) -> None:
    done(red, "init")
    red.start("mend it")
    done(red, "uninstall", "--keep-state")
    assert red.state["active"]


def test_the_state_and_the_commands_stay_while_another_registration_serves_the_project(red: World) -> None:
    before = tree(red)
    done(red, "init")
    done(red, "init", "--shared", "--force")
    answer = done(red, "uninstall", "--local")
    shared = settings_of(red, "shared")
    assert answer.stdout == (
        f"removed: .claude/settings.local.json\nkept the project's state and trust: {shared} serves it too\n"
    )
    assert (red.project / ".untilgreen").is_dir()
    assert (red.project / ".claude/commands/untilgreen/loop.md").is_file()
    done(red, "uninstall")
    assert tree(red) == before


def test_the_users_registration_is_asked_for_by_name(red: World) -> None:
    before = tree(red)
    done(red, "init", "--user")
    user = settings_of(red, "user")
    assert red.run("untilgreen", "uninstall") == (
        64,
        "",
        f"untilgreen failed: only {user} has the hooks. Fix: run `untilgreen uninstall --user`\n",
    )
    assert red.run("untilgreen", "uninstall", "--user").code == 0
    assert tree(red) == before


def test_the_users_registration_needs_no_project(red: World) -> None:
    before = tree(red)
    assert red.run("untilgreen", "init", "--user", cwd=Path("/")).code == 0
    assert red.run("untilgreen", "uninstall", "--user", cwd=red.home).code == 0
    assert tree(red) == before


def test_a_dry_run_changes_nothing(red: World) -> None:
    given(red, FOREIGN)
    before = tree(red)
    answer = done(red, "init", "--dry-run", "--alias", "ralph", "--preset", "strict")
    assert tree(red) == before
    assert "would write .claude/commands/untilgreen/loop.md\n" in answer.stdout
    assert '+preset = "strict"\n' in answer.stdout
    done(red, "init")
    red.start("mend it")
    before = tree(red)
    answer = done(red, "uninstall", "--dry-run")
    assert answer.stdout.startswith(f"would cancel {red.state['loop_id']}: mend it\n")
    assert tree(red) == before
    assert "--- .claude/settings.local.json\n+++ .claude/settings.local.json\n" in answer.stdout
    assert f"would remove .untilgreen\nwould trust no more: {red.project}\n" in answer.stdout


def unwritable(world: World, what: str) -> Path:
    """Something that init has to write, made read-only; where."""
    path = {
        "the settings": settings_of(world, "local"),
        "a command": world.project / ".claude/commands/untilgreen/loop.md",
        "the trust list": world.home / ".local/state/untilgreen/trusted",
        "the host's folder": world.project / ".claude",
        "the home": world.home,
    }[what]
    if what in ("the settings", "a command", "the trust list"):
        path.parent.mkdir(parents=True)
        path.write_text("{}")
        path.chmod(0o444)
    else:
        path.mkdir(exist_ok=True)
        path.chmod(0o555)
    return path


@pytest.mark.parametrize("what", ["the settings", "a command", "the trust list", "the host's folder", "the home"])
def test_what_is_read_only_stays_and_nothing_else_is_left_behind(red: World, what: str) -> None:
    path = unwritable(red, what)
    before = tree(red)
    fix = "make it writable" if what in ("the trust list", "the home") else "make it writable, or use --user"
    assert red.run("untilgreen", "init", *(["--force"] if what == "a command" else [])) == (
        64,
        "",
        f"untilgreen failed: cannot write {path}: it is read-only; nothing was changed. Fix: {fix}\n",
    )
    assert tree(red) == before


@pytest.mark.parametrize(
    "name", [".claude/settings.local.json", ".claude/skills/until-green/SKILL.md", ".untilgreen", ".claude"]
)
def test_nothing_is_taken_back_by_half(red: World, name: str) -> None:
    done(red, "init")
    red.start()
    path = red.project / name
    path.chmod(path.stat().st_mode & 0o555)
    before = tree(red)
    assert red.run("untilgreen", "uninstall") == (
        64,
        "",
        f"untilgreen failed: cannot write {path}: it is read-only; nothing was changed. Fix: make it writable\n",
    )
    assert tree(red) == before


@pytest.mark.needs("mounts")
def test_a_read_only_file_system_is_one_line(red: World) -> None:
    given(red, FOREIGN)
    before = tree(red)
    mounts = f'mount --bind "{red.project}" "{red.project}" && mount -o remount,bind,ro "{red.project}"'
    answer = subprocess.run(
        ["unshare", "--mount", "sh", "-c", f'{mounts} && cd "{red.project}" && exec untilgreen init'],
        env=red.env | {"PATH": f"{red.env['PATH']}:/usr/sbin:/sbin"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (answer.returncode, answer.stdout) == (64, "")
    assert answer.stderr == (
        f"untilgreen failed: cannot write {settings_of(red, 'local')}: it is read-only; nothing was changed. Fix: "
        "make it writable, or use --user\n"
    )
    assert tree(red) == before


def test_a_failure_in_the_middle_leaves_the_tree_as_it_was(red: World) -> None:
    given(red, FOREIGN)
    state = red.project / ".untilgreen"
    state.symlink_to("elsewhere")  # found last, by the one who makes the folder
    before = tree(red)
    answer = red.run("untilgreen", "init", "--preset", "strict")
    assert (answer.code, answer.stdout) == (64, "")
    why = "is a symbolic link; use state_dir to keep the state elsewhere; nothing was changed"
    assert f"cannot write {state}: {why}" in answer.stderr
    assert tree(red) == before


def test_a_folder_whose_name_is_no_text_is_taken_back_too(red: World) -> None:
    project = Path(os.fsdecode(os.fsencode(red.project.parent) + b"/caf\xe9"))
    red.project = red.project.rename(project)
    before = tree(red)
    for command in ("init", "uninstall"):
        subprocess.run([BIN / "untilgreen", command], cwd=project, env=red.env, check=True, capture_output=True)
    assert tree(red) == before


def test_a_registration_that_the_team_shares_is_taken_out_with_its_commands(red: World) -> None:
    before = tree(red)
    done(red, "init", "--shared")
    subprocess.run(["git", "add", "-A"], cwd=red.project, env=red.env, check=True)
    for receipt in (red.home / ".local/state/untilgreen/installed").iterdir():
        receipt.unlink()  # a colleague's machine
    done(red, "init", "--shared")
    done(red, "uninstall")
    assert list(red.project.rglob("*.md")) == []
    assert not (red.project / ".claude/settings.json").exists()
    assert tree(red).keys() - before.keys() != set()


@pytest.mark.parametrize("command", ["init", "uninstall"])
def test_a_disk_that_takes_no_more_leaves_the_tree_as_it_was(red: World, command: str) -> None:
    given(red, json.dumps(json.loads(FOREIGN) | {"env": {"LONG": "x" * 20_000}}, indent=2))
    if command == "uninstall":
        done(red, "init")
        path = settings_of(red, "local")
        path.write_text(path.read_text() + "\n")  # so that it is not removed, but written
    before = tree(red)
    whole = {"PYTHONDONTWRITEBYTECODE": "1"}  # of compiled modules, too, it would keep the beginning
    limited = red.process("sh", "-c", f"ulimit -f 8; exec untilgreen {command}", env=whole)
    assert (limited.code, limited.stdout) == (64, "")
    assert limited.stderr.startswith("untilgreen failed: cannot write ")
    assert "File too large; nothing was changed" in limited.stderr
    assert tree(red) == before


def test_state_that_was_there_before_init_stays_and_its_loops_end(red: World) -> None:
    red.start("mend it")
    red.run("start-loop", "later", "--session", "next")
    done(red, "init")
    done(red, "init", "--alias", "loop")
    said = done(red, "uninstall").stdout.splitlines()
    assert [line.startswith("untilgreen: loop cancelled") for line in said[:3]] == [True, True, False]
    assert f"kept {red.project}/.untilgreen: no receipt says that init made it" in said
    assert (red.state["active"], red.state["final_status"]) == (False, "CANCELLED")
    assert list((red.project / ".untilgreen/next").iterdir()) == []


def test_inits_and_uninstalls_at_once_take_turns(red: World) -> None:
    before = tree(red)
    for command in ("init", "uninstall"):
        processes = [red.begin("untilgreen", command) for _ in range(5)]
        assert [(answer.code, answer.stderr) for answer in map(red.end, processes)] == [(0, "")] * 5
    assert tree(red) == before
