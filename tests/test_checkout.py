"""The executables of a bare checkout, as the plugin runs them: by whatever `python3` there is, packages or none."""

import ast
import json
import os
import re
import venv
from pathlib import Path
from typing import NamedTuple

import pytest

from world import REPOSITORY, Answer, World

HOOKS = REPOSITORY / "hooks"
EXECUTABLES = (
    *("stop-loop", "session-loop", "start-loop", "cancel-loop"),
    *("post-tool-lint", "post-tool-lsp", "post-tool-ast-grep", "post-tool-bash"),
)
# what an interpreter reads before it can say that it is too old
FIRST = (
    *EXECUTABLES,
    "untilgreen/__init__.py",
    "untilgreen/entry.py",
    "untilgreen/settings/__init__.py",
    "untilgreen/settings/packages.py",
)
TYPED = json.dumps({"session_id": "aaaaaaaa", "hook_event_name": "UserPromptSubmit", "prompt": "/untilgreen:loop mend"})


class Python(NamedTuple):
    """An interpreter, and the environment of the world that it runs in."""

    path: Path
    world: World

    def run(self, *words: str, stdin: str = "", **env: str) -> Answer:
        return self.world.process(str(self.path), *words, stdin=stdin, env=env)


@pytest.fixture
def bare(world: World, tmp_path: Path) -> Python:
    """A Python of its own in which nothing is installed."""
    venv.create(tmp_path / "bare", symlinks=True)
    return Python(tmp_path / "bare" / "bin" / "python", world)


@pytest.mark.parametrize("name", EXECUTABLES)
def test_an_executable_is_eight_lines_and_may_be_executed(name: str) -> None:
    path = HOOKS / name
    lines = path.read_text(encoding="utf-8").splitlines()
    assert (len(lines), lines[0]) == (8, "#!/usr/bin/env python3")
    assert os.access(path, os.X_OK)


@pytest.mark.parametrize("name", FIRST)
def test_an_old_python_can_read_what_says_that_it_is_too_old(name: str) -> None:
    source = (HOOKS / name).read_text(encoding="utf-8")
    tree = ast.parse(source, name, feature_version=(3, 7))
    # annotations of today are kept in quotes: an old interpreter evaluates them
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    said = [one for node in functions for one in (node.returns, *(argument.annotation for argument in node.args.args))]
    unquoted = [ast.unparse(one) for one in said if isinstance(one, ast.BinOp | ast.Subscript)]
    assert unquoted == []


@pytest.mark.parametrize("name", EXECUTABLES)
def test_the_checkout_runs_through_a_link_from_anywhere(world: World, name: str) -> None:
    link = world.tmp / "linked"
    link.symlink_to(HOOKS / name)
    assert world.process(str(link), "--help", cwd=Path("/"), env={"PYTHONSAFEPATH": "1"}) == (
        world.run(name, "--help", cwd=Path("/"))
    )


def test_the_checkout_holds_and_lets_go(red: World) -> None:
    started = red.process(str(HOOKS / "start-loop"), "mend it", "--session", red.session)
    assert started.stdout.startswith("untilgreen: loop started")
    stop = [str(HOOKS / "stop-loop"), "--host", "claude-code"]
    held = red.process(*stop, stdin=json.dumps(red.payload()))
    assert held.code == 2
    assert held.stderr.startswith("Not green yet: 1 left after round 1 of 10")
    assert red.process(str(HOOKS / "cancel-loop")).stdout.startswith("untilgreen: loop cancelled in round 2 of 10")
    assert red.process(*stop, stdin=json.dumps(red.payload())).notice.startswith("untilgreen: the loop of this session")
    assert red.process(*stop, stdin=json.dumps(red.payload())) == (0, "", "")


@pytest.mark.parametrize("switch", ["-I", "-E"])
def test_a_python_without_packages_runs_the_hooks_in_silence(bare: Python, switch: str) -> None:
    payload = json.dumps(bare.world.payload())
    assert bare.run(switch, str(HOOKS / "stop-loop"), "--host", "claude-code", stdin=payload) == (0, "", "")
    prompt = json.dumps({"session_id": "aaaaaaaa", "hook_event_name": "UserPromptSubmit", "prompt": "hello"})
    assert bare.run(switch, str(HOOKS / "session-loop"), stdin=prompt) == (0, "", "")


def test_a_python_without_packages_judges_a_loop_that_runs(bare: Python) -> None:
    bare.world.write({"app.py": "import os\n"})
    bare.world.commit()
    bare.world.start()
    held = bare.run("-I", str(HOOKS / "stop-loop"), stdin=json.dumps(bare.world.payload()))
    assert held.code == 2
    assert "  app.py:1: F401 `os` imported but unused\n" in held.stderr


@pytest.mark.parametrize("words", [["start-loop", "mend it"], ["cancel-loop"], ["stop-loop", "--help"]], ids=" ".join)
def test_a_python_without_packages_says_what_to_install(bare: Python, words: list[str]) -> None:
    name, *rest = words
    install = f"{bare.path} -m pip install click orjson 'pydantic>=2' pyyaml"
    line = f"{name} failed: python has no click, orjson, pydantic>=2, pyyaml. Fix: run {install}\n"
    assert bare.run("-I", str(HOOKS / name), *rest) == (1, "", line)


def test_a_slash_command_says_what_to_install_and_goes_no_further(bare: Python) -> None:
    install = f"{bare.path} -m pip install click orjson 'pydantic>=2' pyyaml"
    line = f"untilgreen failed: python has no click, orjson, pydantic>=2, pyyaml. Fix: run {install}\n"
    assert bare.run("-I", str(HOOKS / "session-loop"), stdin=TYPED) == (2, "", line)


def test_by_hand_a_python_without_packages_judges_nothing_and_says_so(bare: Python) -> None:
    answer = bare.run("-I", str(HOOKS / "stop-loop"), stdin="{}")
    assert (answer.code, answer.stderr) == (0, "")
    assert answer.notice.startswith(
        "untilgreen: nothing was judged: python has no click, orjson, pydantic>=2, pyyaml. Fix: run "
    )
    assert answer.notice.endswith("-m pip install click orjson 'pydantic>=2' pyyaml")


@pytest.mark.parametrize(("name", "calls"), [("hooks/hooks.json", 10), ("settings.example.json", 12)])
def test_a_registration_names_only_files_that_are_there(name: str, calls: int) -> None:
    text = (REPOSITORY / name).read_text(encoding="utf-8")
    named = re.findall(r'hooks/launch",\s+"args": \[\s+"([^"]+)"|/\.venv/bin/([^"]+)"', text)
    files = [HOOKS / (plugin or script) for plugin, script in named]
    assert len(files) == calls
    assert [file for file in (HOOKS / "launch", *files) if not os.access(file, os.X_OK)] == []


def test_the_plugin_has_the_slash_commands() -> None:
    plugin = json.loads((REPOSITORY / ".claude-plugin" / "plugin.json").read_text(encoding="utf-8"))
    commands = REPOSITORY / plugin["commands"]
    assert sorted(path.name for path in commands.iterdir()) == [
        "cancel.md",
        "loop.md",
        "resume.md",
        "rollback.md",
        "status.md",
    ]
