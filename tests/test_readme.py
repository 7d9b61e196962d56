"""The README names what exists, and its examples do what they show."""

import json
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from demo import PROJECT
from untilgreen import checkers
from untilgreen.cli import cancel, options, root, values
from untilgreen.core.model import CheckSetting, Settings
from untilgreen.presets import PRESETS
from world import REPOSITORY, World

README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
TEXTS = (
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "CHANGELOG.md",
    *sorted(str(path.relative_to(REPOSITORY)) for path in (REPOSITORY / "templates" / "commands").glob("*.md")),
)
SCRIPTS = ("stop-loop", "session-loop", "start-loop", "cancel-loop", "untilgreen")
PEOPLES = tuple(root.COMMANDS)


def in_code(word: str) -> bool:
    """Is it in the README as code, as a word of its own?"""
    return re.search(rf"`[^`\n]*(?<![\w-]){re.escape(word)}(?![\w-])[^`\n]*`", README) is not None


def examples() -> list[tuple[str, str]]:
    """Every command of the README's console blocks with what it prints."""
    blocks = re.findall(r"^```console\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    shown = [part.partition("\n") for block in blocks for part in re.split(r"^\$ ", block, flags=re.MULTILINE) if part]
    return [(command, output) for command, _, output in shown]


def test_every_example_prints_what_the_readme_shows(world: World) -> None:
    world.write(PROJECT)
    world.commit()
    said = []
    for command, _ in examples():
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=world.project,
            env=world.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )
        said.append((command, plain(done.stdout, world.project)))
    assert said == [(command, plain(output, Path("/home/you/shop"))) for command, output in examples()]
    assert len(said) > 5


def plain(text: str, project: Path) -> str:
    """The text without what differs from run to run: the project's folder, and loops named after a second."""
    return re.sub(r"loop-\d+", "loop-N", text.replace(str(project), "PROJECT"))


@pytest.mark.parametrize("name", [*SCRIPTS, *(f"untilgreen {name}" for name in PEOPLES)])
def test_every_command_is_in_the_readme(name: str) -> None:
    assert in_code(name)


def test_every_flag_of_start_loop_is_in_the_readme_and_says_whether_it_may_be_typed() -> None:
    table = README[README.index("| flag | means") :].partition("\n\n")[0].splitlines()[2:]
    typed = {
        flag: row.rstrip().endswith("yes |") for row in table for flag in re.findall(r"--[a-z-]+", row.split("|")[1])
    }
    assert typed == {option.flag: option.typed for option in options.OPTIONS}


@pytest.mark.parametrize("name", PEOPLES)
def test_every_flag_of_the_other_commands_is_in_its_row(name: str) -> None:
    [row] = [line for line in README.splitlines() if line.startswith(f"| `untilgreen {name}`")]
    flags = {flag for parameter in root.loaded(name).params for flag in parameter.opts}
    assert set(re.findall(r"--[a-z-]+", row)) == flags


def test_every_flag_of_cancel_loop_is_in_its_row() -> None:
    [row] = [line for line in README.splitlines() if line.startswith("| `cancel-loop`")]
    flags = {flag for parameter in cancel.command.params for flag in parameter.opts} - {"--version"}
    assert set(re.findall(r"--[a-z-]+", row)) == flags


@pytest.mark.parametrize(
    "word",
    [
        *values.CRITERIA,
        *PRESETS,
        *values.MARKERS,
        *Settings._fields,
        *CheckSetting._fields,
        *checkers.NAMES,
        "UNTILGREEN_DISABLE",
        "JIKIME_DISABLE_LOOP_CONTROLLER",
        "UNTILGREEN_STATE_DIR",
    ],
)
def test_every_word_of_the_configuration_is_in_the_readme(word: str) -> None:
    assert in_code(word)


@pytest.mark.parametrize("name", TEXTS)
def test_no_text_names_a_command_that_is_not_there(name: str) -> None:
    text = (REPOSITORY / name).read_text(encoding="utf-8")
    code = " ".join(re.findall(r"`([^`\n]+)`", text))
    assert set(re.findall(r"\buntilgreen ([a-z]+)", code)) <= set(PEOPLES)
    assert set(re.findall(r"/untilgreen:([a-z]+)", text)) <= {"loop", "cancel", "status"}
    assert set(re.findall(r"\b([a-z]+-loop)\b", code)) <= set(SCRIPTS)


@pytest.mark.parametrize("name", TEXTS)
def test_every_target_of_make_that_a_text_names_is_there(name: str) -> None:
    targets = set(re.findall(r"^([a-z0-9]+):", (REPOSITORY / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    text = (REPOSITORY / name).read_text(encoding="utf-8")
    assert set(re.findall(r"(?:`|^)make ([a-z0-9]+)", text, re.MULTILINE)) <= targets


@pytest.mark.parametrize("name", TEXTS[:4])
def test_every_file_that_a_text_names_is_there(name: str) -> None:
    text = (REPOSITORY / name).read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:hooks|tests|templates)/[\w./-]*[\w-]|[A-Z]+\.md|[\w.]+\.example\.json)`", text))
    assert [path for path in sorted(named) if "TOOL" not in path and not (REPOSITORY / path).exists()] == []
    modules = {path.name for folder in ("hooks", "tests") for path in (REPOSITORY / folder).rglob("*.py")}
    assert set(re.findall(r"`(\w+\.py)`", text)) <= modules


def test_the_version_of_the_plugin_is_that_of_the_package() -> None:
    plugin = json.loads((REPOSITORY / ".claude-plugin" / "plugin.json").read_text(encoding="utf-8"))
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert plugin["version"] == project["version"] == options.version()


def test_the_changelog_has_a_place_for_what_comes_next() -> None:
    assert "\n## [Unreleased]\n" in (REPOSITORY / "CHANGELOG.md").read_text(encoding="utf-8")
