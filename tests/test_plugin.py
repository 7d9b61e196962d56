"""The plugin: its manifests, and what its hooks say where the `python3` that they find cannot do all of the work."""

import json
import os
import re
import shlex
import subprocess
import tomllib
import venv
from pathlib import Path
from typing import NamedTuple

import pytest

from untilgreen.hosts.claude_code.install import SETTINGS
from untilgreen.hosts.host import Scope
from world import REPOSITORY, Answer, World

MANIFESTS = REPOSITORY / ".claude-plugin"
EDITS = ("post-tool-lint", "post-tool-lsp", "post-tool-ast-grep")
SILENT = Answer(0, "", "")


class Python(NamedTuple):
    """An interpreter that runs the plugin's hooks in a world, as Claude Code does."""

    path: str
    world: World

    def hook(self, name: str, event: str, env: dict[str, str] | None = None, **fields: object) -> Answer:
        world = self.world
        payload = {"session_id": world.session, "cwd": str(world.project), "hook_event_name": event} | fields
        known = {"CLAUDE_PROJECT_DIR": str(world.project), "CLAUDE_CODE_SESSION_ID": world.session}
        words = (self.path, "-E", str(REPOSITORY / "hooks" / name), "--host", "claude-code")
        return world.process(*words, stdin=json.dumps(payload, separators=(",", ":")), env=known | (env or {}))

    def begin(self, source: str = "startup", **env: str) -> Answer:
        return self.hook("session-loop", "SessionStart", env, source=source)

    def prompt(self, text: str) -> Answer:
        return self.hook("session-loop", "UserPromptSubmit", prompt=text)

    def edit(self, name: str) -> Answer:
        self.world.write({"app.py": "import os\n"})
        return self.hook(name, "PostToolUse", **self.world.edited("app.py", "import os\n", None))

    def stop(self) -> Answer:
        return self.hook("stop-loop", "Stop", **self.world.payload())


@pytest.fixture
def bare(world: World, tmp_path: Path) -> Python:
    """A Python of its own in which nothing is installed."""
    venv.create(tmp_path / "bare", symlinks=True)
    return Python(str(tmp_path / "bare" / "bin" / "python3"), world)


def notice(python: Python) -> str:
    install = f"{python.path} -m pip install click orjson 'pydantic>=2' pyyaml"
    what = f"python3 has no click, orjson, pydantic>=2, pyyaml. Fix: run {install}"
    return f"untilgreen: no loop can begin here and nothing is judged: {what}"


def old_pythons() -> list[str]:
    """The interpreters below 3.11 that this machine has: on the PATH, or among pyenv's."""
    places = [Path(place) for place in os.environ["PATH"].split(os.pathsep)]
    pyenv = [
        version / "bin" for place in places if place.name == "shims" for version in place.parent.glob("versions/*")
    ]
    found = [place / f"python3.{minor}" for minor in (7, 8, 9, 10) for place in (*places, *pyenv)]
    return [str(path) for path in found if path.is_file() and path.parent.name != "shims"]


def test_the_marketplace_offers_this_plugin_and_nothing_else() -> None:
    plugin = json.loads((MANIFESTS / "plugin.json").read_text(encoding="utf-8"))
    market = json.loads((MANIFESTS / "marketplace.json").read_text(encoding="utf-8"))
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    [offered] = market["plugins"]
    assert (offered["name"], offered["source"]) == (plugin["name"], "./")
    same = ("description", "license", "keywords")
    assert [offered[key] for key in same] == [plugin[key] for key in same]
    assert (plugin["name"], plugin["version"]) == (project["name"], project["version"])
    assert market["owner"] == plugin["author"]
    assert "version" not in offered  # one place for it


def test_the_plugin_has_the_skill_and_its_folders_are_there() -> None:
    plugin = json.loads((MANIFESTS / "plugin.json").read_text(encoding="utf-8"))
    found = {key: sorted(path.name for path in (REPOSITORY / plugin[key]).iterdir()) for key in ("commands", "skills")}
    assert found["skills"] == ["until-green"]
    assert "loop.md" in found["commands"]


def test_the_plugins_hooks_are_known_as_ours() -> None:
    hooks = json.loads((REPOSITORY / "hooks" / "hooks.json").read_text(encoding="utf-8"))
    found = SETTINGS.registered(Scope("local", ""), hooks)
    assert {one.hook for one in found} == {"stop-loop", "session-loop", "post-tool-bash", *EDITS}
    assert {one.entry["command"] for one in found} == {"${CLAUDE_PLUGIN_ROOT}/hooks/launch"}
    edits = ["post-tool-lint", "--host", "claude-code", "--with", "lsp,ast-grep"]
    wanted = [edits if one.hook in EDITS else [one.hook, "--host", "claude-code"] for one in found]
    assert [one.entry["args"] for one in found] == wanted


@pytest.mark.parametrize("source", ["startup", "resume", "fork"])
def test_a_python_without_packages_says_so_when_a_session_begins(bare: Python, source: str) -> None:
    answer = bare.begin(source)
    assert (answer.code, answer.stderr) == (0, "")
    assert json.loads(answer.stdout) == {"systemMessage": notice(bare)}


def test_what_it_asks_for_is_all_that_the_package_depends_on(bare: Python) -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = [re.split("[<>=]", one)[0] for one in project["dependencies"]]
    asked = shlex.split(bare.begin().notice.partition(" -m pip install ")[2])
    assert [re.split("[<>=]", one)[0] for one in asked] == names


@pytest.mark.parametrize("source", ["compact", "clear"])
def test_it_is_not_said_again_within_a_session(bare: Python, source: str) -> None:
    assert bare.begin(source) == SILENT


def test_in_the_rest_of_the_session_nothing_is_said_and_nobody_is_held(bare: Python) -> None:
    bare.world.write({"pyproject.toml": "[tool.ruff]\n", "app.py": "VALUE = 1\n"})
    bare.world.commit()
    bare.world.init()
    assert bare.begin().notice == notice(bare)
    said = [bare.prompt("hello"), *map(bare.edit, EDITS), bare.stop(), bare.prompt("/loop x"), bare.stop()]
    said += [bare.begin("compact"), bare.edit(EDITS[0]), bare.stop(), bare.hook("session-loop", "SessionEnd")]
    assert said == [SILENT] * len(said)
    assert not (bare.world.project / ".untilgreen" / "untilgreen.log").exists()
    assert bare.world.edits["unjudged"] == ["app.py"]  # for a Python that can


def test_a_session_that_begins_is_noted_all_the_same(bare: Python) -> None:
    bare.world.init()
    bare.begin()
    assert json.loads((bare.world.folder / "session.json").read_text(encoding="utf-8"))["started_at"]


def test_what_a_person_asks_a_hook_is_refused_in_one_line(bare: Python) -> None:
    hook = str(REPOSITORY / "hooks" / "stop-loop")
    done = subprocess.run([bare.path, hook, "--help"], capture_output=True, encoding="utf-8", check=False)
    what = notice(bare).removeprefix("untilgreen: no loop can begin here and nothing is judged: ")
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"stop-loop failed: {what}\n")


def test_who_switched_the_hooks_off_is_told_nothing(bare: Python) -> None:
    assert bare.begin(UNTILGREEN_DISABLE="1") == SILENT
    off = bare.world.home / ".local/state/untilgreen/off"
    off.parent.mkdir(parents=True)
    off.touch()
    assert bare.begin() == SILENT


def test_a_pydantic_that_is_too_old_is_none(bare: Python) -> None:
    [packages] = (Path(bare.path).parent.parent / "lib").glob("python3.*/site-packages")
    for name in ("click", "orjson", "pydantic", "yaml"):
        (packages / name).mkdir()
        (packages / name / "__init__.py").touch()
    answer = bare.begin()
    why = "no loop can begin here and nothing is judged: python3 has no pydantic>=2"
    assert answer.notice.startswith(f"untilgreen: {why}. Fix: run {bare.path} -m pip install ")
    (packages / "pydantic_core").mkdir()
    assert bare.begin() == SILENT


def test_a_python_that_is_too_old_says_so_once_a_session(green: World) -> None:
    # nothing to see where every Python is new enough
    for path in old_pythons():
        python = Python(path, green)
        version = re.findall(r"3\.\d+", path)[-1]
        why = f"Python 3.11 or newer is needed, session-loop ran on {version}"
        fix = "install uv (https://docs.astral.sh/uv), or put a newer python3 first on PATH"
        said = f"untilgreen: nothing was judged: {why}. Fix: {fix}"
        assert python.begin().notice == said
        assert python.prompt("/untilgreen:loop mend it").notice == said
        rest = [python.prompt("hello"), *map(python.edit, EDITS), python.stop(), python.begin("compact"), python.stop()]
        assert rest == [SILENT] * len(rest)
        hook = [path, str(REPOSITORY / "hooks" / "stop-loop")]
        by_hand = subprocess.run(hook, input="{}", capture_output=True, text=True, check=False)
        assert (by_hand.returncode, by_hand.stderr) == (0, "")
        assert "Python 3.11 or newer is needed, stop-loop ran on" in by_hand.stdout
