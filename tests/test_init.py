"""`untilgreen init`: where it registers, in which form, and what it refuses."""

import json
import os
import re
import subprocess
import sys
import venv
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

import tables
from untilgreen.cli.installing import command_forms
from world import BIN, Answer, World

HOOKS = ("stop-loop", "post-tool-lint", "post-tool-lsp", "post-tool-ast-grep", "post-tool-bash", "session-loop")
CALLED = {*HOOKS} - {"post-tool-lsp", "post-tool-ast-grep"}  # whose work the call of post-tool-lint does
EVENTS = {
    *("Stop", "PostToolUse", "PostToolUseFailure", "TaskCompleted", "TeammateIdle"),
    *("SessionStart", "SessionEnd", "StopFailure", "UserPromptSubmit"),
}
CURE = "install untilgreen in the project's .venv or on the PATH of everybody, or use --local"
PLUGIN = "untilgreen@green"


def init(world: World, *words: str, **env: str) -> Answer:
    return world.run("untilgreen", "init", *words, env=env)


def hooks(path: Path) -> list[dict[str, Any]]:
    """Every hook entry of a settings file."""
    table = json.loads(path.read_text(encoding="utf-8"))["hooks"]
    return [hook for groups in table.values() for group in groups for hook in group["hooks"]]


def registered(world: World) -> set[str]:
    """The events on which something is registered in the project, for this user alone."""
    return set(json.loads((world.project / ".claude/settings.local.json").read_text(encoding="utf-8"))["hooks"])


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def names(world: World) -> list[str]:
    """Every file of the project and the home."""
    found = (path for top in (world.home, world.project) for path in top.rglob("*") if path.is_file())
    return sorted(str(path.relative_to(world.project.parent)) for path in found if ".git" not in path.parts)


def interpreters(path: Path) -> set[str]:
    """The programs that start what these settings name."""
    read = (command_forms.read(hook["command"]) for hook in hooks(path))
    return {one.interpreter for one in read if one}


def test_the_users_registration_lies_in_the_hosts_own_folder(red: World) -> None:
    assert init(red, "--user", "--alias", "ralph").code == 0
    folder = red.home / ".claude"
    assert interpreters(folder / "settings.json") == {str(BIN / Path(sys.executable).name)}
    assert (folder / "commands/ralph.md").is_file()
    assert (folder / "skills/until-green/SKILL.md").is_file()
    assert not (red.project / ".claude").exists()
    assert (red.project / ".untilgreen").is_dir()


def test_the_users_registration_follows_the_hosts_folder(red: World) -> None:
    assert init(red, "--user", CLAUDE_CONFIG_DIR=str(red.home / "host")).code == 0
    assert hooks(red.home / "host/settings.json")
    assert not (red.home / ".claude").exists()


def test_a_team_shares_bare_names_where_everybody_has_them(red: World) -> None:
    assert init(red, "--shared").code == 0
    found = hooks(red.project / ".claude/settings.json")
    more = {"post-tool-lint": ("--with", "lsp,ast-grep")}
    wanted = {(name, "--host", "claude-code", *more.get(name, ())) for name in CALLED}
    assert {(hook["command"], *hook["args"]) for hook in found} == wanted


@pytest.mark.parametrize("name", [".venv", "venv", "env"])
def test_a_team_shares_the_environment_of_the_project(red: World, name: str) -> None:
    for hook in HOOKS:
        put(red.project / name / "bin" / hook, "#!/x\nfrom untilgreen.x import main\n").chmod(0o755)
    path = f"{red.project / name / 'bin'}{os.pathsep}{red.env['PATH']}"
    assert init(red, "--shared", PATH=path).code == 0
    found = {hook["command"] for hook in hooks(red.project / ".claude/settings.json")}
    assert found == {f"${{CLAUDE_PROJECT_DIR}}/{name}/bin/{hook}" for hook in CALLED}


def test_a_team_gets_no_path_of_one_machine(red: World) -> None:
    before = names(red)
    answer = init(red, "--shared", PATH="/usr/bin:/bin")
    why = "--shared: stop-loop is not on the PATH, and an absolute path is yours alone"
    assert answer == (64, "", f"untilgreen failed: {why}. Fix: {CURE}\n")
    assert names(red) == before


def test_a_team_gets_no_command_of_a_folder_of_the_project_that_only_one_path_names(red: World) -> None:
    for hook in HOOKS:
        put(red.project / "tools" / hook, "#!/x\nfrom untilgreen.x import main\n").chmod(0o755)
    answer = init(red, "--shared", PATH=f"{red.project / 'tools'}{os.pathsep}{red.env['PATH']}")
    found = red.project / "tools/stop-loop"
    assert answer == (
        64,
        "",
        f"untilgreen failed: --shared: {found} is on your PATH, not on everybody's. Fix: {CURE}\n",
    )


@pytest.mark.parametrize(("first", "second"), [*permutations(("local", "user", "shared"), 2)])
def test_a_second_scope_is_refused(red: World, first: str, second: str) -> None:
    assert init(red, f"--{first}").code == 0
    file = {
        "local": red.project / ".claude/settings.local.json",
        "shared": red.project / ".claude/settings.json",
        "user": red.home / ".claude/settings.json",
    }[first]
    before = names(red)
    answer = init(red, f"--{second}")
    why = f"the hooks are registered in {file} and would run twice"
    cure = f"run `untilgreen uninstall --{first}` first, or give --force"
    assert answer == (64, "", f"untilgreen failed: {why}. Fix: {cure}\n")
    assert names(red) == before
    assert init(red, f"--{second}", "--force").code == 0


@pytest.mark.parametrize(
    ("name", "scope"),
    [
        ("project/.claude/settings.local.json", "local"),
        ("project/.claude/settings.json", "project"),
        ("home/.claude/settings.json", "user"),
    ],
)
def test_beside_the_plugin_it_is_refused(red: World, name: str, scope: str) -> None:
    file = put(red.project.parent / name, json.dumps({"enabledPlugins": {PLUGIN: True}}))
    why = f"the plugin {PLUGIN} is enabled in {file} and the hooks would run twice"
    cure = f"run `claude plugin disable {PLUGIN} --scope {scope}` first, or give --force"
    assert init(red) == (64, "", f"untilgreen failed: {why}. Fix: {cure}\n")
    assert init(red, "--force").code == 0


def test_a_plugin_that_is_disabled_here_is_none(red: World) -> None:
    put(red.home / ".claude/settings.json", json.dumps({"enabledPlugins": {PLUGIN: True}}))
    put(red.project / ".claude/settings.local.json", json.dumps({"enabledPlugins": {PLUGIN: False}}))
    assert init(red).code == 0
    settings = json.loads((red.project / ".claude/settings.local.json").read_text(encoding="utf-8"))
    assert (settings["enabledPlugins"], registered(red)) == ({PLUGIN: False}, EVENTS)


def test_settings_of_another_scope_that_the_host_does_not_read_are_in_nobodys_way(red: World) -> None:
    mine = put(red.home / ".claude/settings.json", "// mine\n{}")
    assert init(red).code == 0
    assert (mine.read_text(encoding="utf-8"), registered(red)) == ("// mine\n{}", EVENTS)


def test_somebody_elses_command_is_not_overwritten(red: World) -> None:
    mine = put(red.project / ".claude/commands/untilgreen/loop.md", "mine\n")
    why = f"{mine}: not as untilgreen left it. Fix: move it away, or give --force, which keeps it for uninstall"
    assert init(red) == (64, "", f"untilgreen failed: {why}\n")
    assert names(red) == ["project/.claude/commands/untilgreen/loop.md", "project/app.py", "project/ruff.toml"]
    said = init(red, "--force").stdout.splitlines()
    assert f"kept what was in {mine}: `untilgreen uninstall` brings it back" in said
    assert mine.read_text() != "mine\n"
    assert red.run("untilgreen", "uninstall").code == 0
    assert names(red) == ["project/.claude/commands/untilgreen/loop.md", "project/app.py", "project/ruff.toml"]
    assert mine.read_text() == "mine\n"


def test_an_alias_keeps_the_users_own_command_aside_and_gives_it_back(red: World) -> None:
    mine = put(red.project / ".claude/commands/ralph.md", "mine\n")
    answer = init(red, "--alias", "ralph")
    assert (answer.code, mine.read_text() != "mine\n") == (0, True)
    assert f"kept what was in {mine}: `untilgreen uninstall` brings it back" in answer.stdout.splitlines()
    assert red.run("untilgreen", "uninstall").code == 0
    assert (mine.read_text(), (mine.parent / "cancel-ralph.md").exists()) == ("mine\n", False)


def test_commands_of_an_older_version_are_replaced(red: World) -> None:
    assert init(red).code == 0
    receipts = red.home / ".local/state/untilgreen/installed"
    command = red.project / ".claude/commands/untilgreen/loop.md"
    text = command.read_text()
    digest = subprocess.run(["sha256sum", command], capture_output=True, text=True, check=True).stdout.split()[0]
    command.write_text("older\n")
    older = subprocess.run(["sha256sum", command], capture_output=True, text=True, check=True).stdout.split()[0]
    for receipt in receipts.iterdir():
        receipt.write_text(receipt.read_text().replace(digest, older))
    assert init(red).code == 0
    assert command.read_text() == text


def test_the_limit_of_a_stop_comes_with_its_deadline(red: World) -> None:
    assert init(red, "--stop-timeout", "1200").code == 0
    found = hooks(red.project / ".claude/settings.local.json")
    assert (found[0]["timeout"], found[0]["args"][-2:]) == (1200, ["--deadline", "1080"])
    assert "--deadline" not in found[1]["args"]
    assert init(red, "--stop-timeout", "29").code == 64
    before = (red.project / ".claude/settings.local.json").read_text()
    assert init(red).code == 0
    assert (red.project / ".claude/settings.local.json").read_text() == before
    assert init(red, "--stop-timeout", "600").code == 0
    assert hooks(red.project / ".claude/settings.local.json")[0]["timeout"] == 600


def test_a_preset_goes_into_a_file_of_its_own_where_nothing_is_configured(red: World) -> None:
    answer = init(red, "--preset", "jikime", "--quiet")
    assert f"configured in {red.project}/untilgreen.toml: preset = jikime, hold_style = context\n" in answer.stdout
    assert (red.project / "untilgreen.toml").read_text() == 'preset = "jikime"\nhold_style = "context"\n'


@pytest.mark.parametrize(("name", "before", "after"), tables.literal("init", "a preset goes into the configuration"))
def test_a_preset_goes_into_the_configuration_that_there_is(red: World, name: str, before: str, after: str) -> None:
    path = red.project / name
    path.write_bytes(before.encode())
    assert init(red, "--preset", "jikime").code == 0
    assert path.read_bytes().decode() == after


@pytest.mark.parametrize(
    "text",
    [
        "[tool]\nuntilgreen = {}\n",
        '[tool.untilgreen.checks.unit]\ncommand = "true"\n',
        "[x]\npreset = 'a'\n[tool.untilgreen]\npreset = 'strict'\n",
    ],
)
def test_a_configuration_of_another_form_is_for_people_to_edit(red: World, text: str) -> None:
    red.write({"pyproject.toml": text})
    path = red.project / "pyproject.toml"
    why = f"{path} cannot be edited in the form that it has. Fix: set preset there by hand"
    assert init(red, "--preset", "jikime") == (64, "", f"untilgreen failed: {why}\n")
    assert path.read_text() == text


@pytest.mark.parametrize("text", ["max_iterations = 0\n", 'marker = "x"\n', "preset = "])
def test_a_wrong_configuration_is_told_before_anything_is_changed(red: World, text: str) -> None:
    red.write({"untilgreen.toml": text})
    before = names(red)
    answer = init(red, "--preset", "supercode")
    assert (answer.code, answer.stdout, answer.stderr.count("\n")) == (64, "", 1)
    assert names(red) == before


def test_it_tells_what_a_loop_will_run(red: World) -> None:
    red.write({"backend/mypy.ini": "[mypy]\n", "backend/b.py": "B = 1\n", "backend/tests/test_b.py": ""})
    for tool in ("ruff", "mypy"):
        put(red.project / ".venv/bin" / tool, "#!/bin/sh\n").chmod(0o755)
    answer = init(red, PATH=str(red.tmp))
    said = answer.stdout.partition("a loop will run:\n")[2].partition("without a loop, ")[0]
    assert said == (
        "  ruff          .venv/bin/ruff\n  mypy@backend  .venv/bin/mypy\nleft out: pytest is not installed\n"
        "to have what is missing: python -m pip install pytest\n"
        "not known today: ruff: the answer is not JSON: Expecting value: line 1 column 1 (char 0)\n"
        "not known today: mypy@backend: exit code 0\n"
    )


@pytest.mark.parametrize(
    ("text", "today"),
    [
        ("import os\n", "red today: 1 left: ruff 1\n  app.py:1: F401 `os` imported but unused\n"),
        ("", "green today, in 0.0 s\n"),
    ],
)
def test_it_tells_what_is_red_today(red: World, text: str, today: str) -> None:
    red.write({"ruff.toml": "", "app.py": text})
    said = re.sub(r"\d+\.\d s\n", "0.0 s\n", init(red).stdout)
    assert said.partition("a loop will run:\n")[2].partition("\n")[2].partition("without a loop, ")[0] == today


@pytest.mark.parametrize("link", ["a console script's link", "the script itself"])
def test_the_interpreter_of_an_environment_elsewhere_is_registered_as_its_own(
    red: World, tmp_path: Path, link: str
) -> None:
    """As pipx and uv install: an environment somewhere, its scripts linked into ~/.local/bin."""
    home = tmp_path / "pipx venvs" / "untilgreen"
    venv.create(home, symlinks=True)
    site = next((home / "lib").glob("python*/site-packages"))
    (site / "here.pth").write_text(
        "\n".join(path for path in sys.path if path.endswith("-packages") or "hooks" in path)
    )
    script = put(home / "bin/untilgreen", f"#!/bin/sh\n'''exec' '{home}/bin/python' \"$0\" \"$@\"\n' '''\n")
    script.write_text(
        script.read_text() + "import sys\nfrom untilgreen.entry import untilgreen\nsys.exit(untilgreen())\n"
    )
    script.chmod(0o755)
    command = red.home / "bin/untilgreen"
    command.parent.mkdir()
    command.symlink_to(script)
    called = command if link == "a console script's link" else script
    subprocess.run([called, "init"], cwd=red.project, env=red.env, check=True, capture_output=True)
    assert interpreters(red.project / ".claude/settings.local.json") == {str(home / "bin/python")}


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--local", "--user"), "--local and --user exclude each other. Fix: give one of them"),
        (("--shared", "--statusline"), "--statusline names a file of your own. Fix: use it with --local or --user"),
    ],
)
def test_what_does_not_go_together_is_said(red: World, words: tuple[str, ...], why: str) -> None:
    assert init(red, *words) == (64, "", f"untilgreen failed: {why}\n")
    assert names(red) == ["project/app.py", "project/ruff.toml"]


def test_what_is_one_persons_alone_is_not_shown_by_git(red: World) -> None:
    red.commit()
    exclude = put(red.project / ".git/info/exclude", "*.log")
    answer = init(red, "--alias", "ralph")
    assert f"not shown by git (these files are yours alone): {exclude}\n" in answer.stdout
    ours = (".claude/settings.local.json", ".claude/commands/untilgreen/", ".claude/skills/until-green/")
    aliases = (".claude/commands/cancel-ralph.md", ".claude/commands/ralph.md")
    assert exclude.read_text() == "*.log\n" + "".join(f"/{path}\n" for path in (*ours, *aliases))
    assert red.process("/usr/bin/env", "git", "status", "--short").stdout == ""
    assert "info/exclude" not in init(red).stdout
    assert red.run("untilgreen", "uninstall").code == 0
    assert exclude.read_text() == "*.log"


def test_an_exclude_that_leads_elsewhere_is_left_alone(red: World) -> None:
    red.commit()
    victim = put(red.home / "victim", "mine\n")
    exclude = put(red.project / ".git/info/exclude", "")
    exclude.unlink()
    exclude.symlink_to(victim)
    assert init(red).code == 0
    assert victim.read_text() == "mine\n"


def test_what_a_team_shares_is_shown_by_git(green: World) -> None:
    green.commit()
    assert "not shown by git" not in init(green, "--shared").stdout


def test_what_is_not_installed_is_told_in_one_line(red: World) -> None:
    red.write({"mypy.ini": "[mypy]\n", "tests/test_a.py": ""})
    said = init(red, PATH=str(red.tmp)).stdout.partition("a loop will run no check yet\n")[2].partition("\n")[0]
    assert said == "left out, for they are not installed: ruff, mypy, pytest"
    red.write({"pyproject.toml": '[dependency-groups]\ndev = ["mypy"]\n', "uv.lock": "", ".venv/pyvenv.cfg": ""})
    assert "to have what is missing: uv add --dev ruff pytest && uv sync\n" in init(red, PATH=str(red.tmp)).stdout


def test_a_folder_that_is_no_project_is_refused_with_how_many_lie_below(world: World) -> None:
    world.write({"shop/pyproject.toml": "", "old/site/package.json": "{}", "old/java/pom.xml": "", "notes/todo.md": ""})
    why = "untilgreen failed: this looks like no project (3 projects below). Fix: go into one, or --force\n"
    assert init(world) == (64, "", why)
    assert not (world.project / ".claude").exists()
    assert world.run("untilgreen", "init", cwd=world.project / "shop").code == 0
    assert init(world, "--force").code == 0
    assert init(world).code == 0, "what was said once need not be said again"


def test_an_empty_folder_is_no_project_and_a_repository_is_one(world: World) -> None:
    assert init(world) == (64, "", "untilgreen failed: this looks like no project. Fix: go into one, or --force\n")
    world.commit()
    assert init(world).code == 0
