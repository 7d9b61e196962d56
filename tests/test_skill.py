"""What models read: the skill and the slash commands name only what exists, and nothing in them runs by itself."""

import json
import re
from pathlib import Path

import pytest

from untilgreen.cli import root
from untilgreen.core.model.settings import Settings
from untilgreen.core.verdict import markers
from untilgreen.hosts.claude_code import commands
from untilgreen.loops.begin import options
from untilgreen.loops.heard import words
from untilgreen.project.fakes import shapes
from untilgreen.settings import values
from untilgreen.settings.keys import SETTINGS
from world import REPOSITORY

TEMPLATES = REPOSITORY / "templates"
SKILL = TEMPLATES / "skills" / "until-green" / "SKILL.md"
COMMANDS = sorted(path for folder in ("commands", "aliases") for path in (TEMPLATES / folder).rglob("*.md"))
EVERY = [SKILL, *COMMANDS]
TOOLS = {"start-loop", "cancel-loop", "stop-loop", "session-loop"}
NAMES = pytest.mark.parametrize("path", EVERY, ids=lambda path: str(path.relative_to(TEMPLATES)))


def parts(path: Path) -> tuple[dict[str, str], str]:
    """The front matter, one `key: value` a line, and the text below it."""
    opening, head, body = path.read_text(encoding="utf-8").split("---\n", 2)
    assert opening == ""
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    return {key: plain(value) for key, value in fields.items()}, body


def plain(value: str) -> str:
    """A YAML scalar of the two kinds that need no library: in double quotes as in JSON, or a text that is only text."""
    if value.startswith('"'):
        return str(json.loads(value))
    assert re.fullmatch(r"[A-Za-z][^:#{}\[\],&*!|>%@`\"]*", value), value
    return value


def code(path: Path) -> list[str]:
    return re.findall(r"`([^`\n]+)`", parts(path)[1])


def test_the_skill_says_when_it_is_of_use() -> None:
    fields, body = parts(SKILL)
    assert list(fields) == ["name", "description"]
    assert fields["name"] == SKILL.parent.name
    assert "Use it when" in fields["description"]
    assert len(fields["description"]) < 500
    assert len(body.splitlines()) < 120


@pytest.mark.parametrize("path", COMMANDS, ids=lambda path: str(path.relative_to(TEMPLATES)))
def test_only_people_begin_and_end_loops_by_slash_commands(path: Path) -> None:
    fields, _ = parts(path)
    assert set(fields) - {"argument-hint"} == {"description", "disable-model-invocation"}
    assert fields["disable-model-invocation"] == "true"


@NAMES
def test_nothing_in_a_template_is_run_or_filled_in_by_the_host(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert re.findall(r"!`|```+!|\$ARGUMENTS|\$\d|\$\{|(?m:^@)", text) == []


@NAMES
def test_no_template_ends_as_a_message_that_says_done(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert markers.find(text) is None
    assert markers.find(re.sub(r"[`*]", "", text)) is None


@NAMES
def test_every_flag_that_a_template_names_is_there(path: Path) -> None:
    flags = {option.flag for option in options.OPTIONS if option.typed}
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", path.read_text(encoding="utf-8"))) <= flags | {
        "--why",
        "--html",
        "--wait",
    }  # of a command for people


@NAMES
def test_every_command_that_a_template_names_is_there(path: Path) -> None:
    named = " ".join(code(path))
    assert set(re.findall(r"\buntilgreen ([a-z]+)", named)) <= set(root.COMMANDS)
    assert set(re.findall(r"(?<![\w/-])([a-z]+-loop)\b", named)) <= TOOLS
    typed = [word.rstrip(":") for word in re.findall(r"/[a-z]+:[a-z]+", named)]
    assert [word for word in typed if words.command_of(word, commands.NAMES) is None] == []


def test_the_skill_names_every_criterion_and_no_other() -> None:
    _, _, after = SKILL.read_text(encoding="utf-8").partition("\nCriteria: ")
    listed = re.findall(r"`([a-z_]+)`", after.partition("\n\n")[0])
    assert tuple(listed) == values.CRITERIA
    words_with_underscores = {word for word in code(SKILL) if re.fullmatch(r"[a-z]+_[a-z_]+", word)}
    assert words_with_underscores <= set(values.CRITERIA)


def test_the_limits_in_the_skill_are_those_of_the_code() -> None:
    text = SKILL.read_text(encoding="utf-8")
    settings = Settings()
    assert f"`--max-iterations N` ({settings.max_iterations})" in text
    assert f"`--max-minutes N` ({settings.max_minutes:g})" in text
    assert f"`--stagnation-limit N` ({settings.stagnation_limit} rounds" in text
    assert f"With `--marker {settings.markers.marker}`, the default," in text


@NAMES
def test_every_marker_that_a_template_names_counts_at_the_end_of_a_message(path: Path) -> None:
    named = [word for word in code(path) if word.startswith("<") and word != "<promise>"]
    assert [word for word in named if markers.find(f"Text.\n\n{word}", promise="TEXT" * ("TEXT" in word)) is None] == []
    blocked = [found for word in named if (found := markers.find(word)) and found.kind == "blocked"]
    assert len(blocked) == (path.stem in ("SKILL", "loop", "ralph"))


def test_the_words_of_the_feedback_are_those_that_the_skill_explains() -> None:
    catalogue = json.loads((TEMPLATES / "feedback" / "en.json").read_text(encoding="utf-8"))
    text = SKILL.read_text(encoding="utf-8")
    filled = {"n": 2, "limit": 3, "file": "FILE"}
    explained = ("new", "no_progress", "edit_new")
    assert [key for key in explained if f"`{catalogue[key].split('||')[-1].format_map(filled)}`" not in text] == []
    assert f"`{catalogue['weakened'].partition(' {')[0]}`" in text
    assert f"`{catalogue['hidden'].partition(':')[0]}`" in text
    assert catalogue["held"].format(n=3, round=1, max=10, parts="pytest 1 failed of 41") in text


def test_every_suppression_that_the_skill_names_is_counted() -> None:
    [line] = [line for line in SKILL.read_text(encoding="utf-8").splitlines() if line.startswith("- a suppression")]
    counted = {kind.name for section in shapes.rows() if "silences" in section for kind in shapes.kinds_in(*section)}
    named = re.findall(r"`([^`]+)`", line)
    assert named
    assert set(named) <= counted


def test_the_skill_explains_every_worth_of_a_marker_and_no_other() -> None:
    worths = re.findall(r"with\s+`(?:--marker )?([a-z]+)`", SKILL.read_text(encoding="utf-8"), re.IGNORECASE)
    assert sorted(worths) == sorted(SETTINGS.keys["marker"].choices)
