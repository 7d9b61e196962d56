"""The README is one page, names every command, and its examples do what they show."""

import json
import re
import tomllib

import pytest

import examples
from untilgreen.cli import options, root
from world import REPOSITORY, World

README = (REPOSITORY / "README.md").read_text(encoding="utf-8")


@pytest.mark.tools("all")
def test_every_example_prints_what_the_readme_shows(world: World) -> None:
    [scene] = examples.scenes(README)
    shown, printed = examples.play(scene, world)
    assert printed == shown
    assert shown.count("$ ") >= 3


def test_the_readme_is_one_page() -> None:
    assert len(README.splitlines()) <= 170


def test_it_counts_the_real_projects_of_the_page() -> None:
    table = (REPOSITORY / "docs" / "real-projects.md").read_text("utf-8").partition("\n## ")[0].partition("| --- |")[2]
    assert f"[{table.count(chr(10) + '| ')} real projects]" in README


def test_the_table_of_commands_has_every_command_and_no_other() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    shown = [name for heading, names in root.GROUPS.items() if heading != "Plumbing" for name in names]
    table = README[README.index("| command | does |") :].partition("\n\n")[0].splitlines()[2:]
    named = {name for row in table for name in re.findall(r"`([^`]+)`", row.split("|")[1])}
    assert named == {*project["scripts"], *(f"untilgreen {name}" for name in shown)} - {"untilgreen"}


def test_every_page_of_the_docs_is_linked_from_the_readme() -> None:
    linked = set(re.findall(r"\]\(docs/([\w-]+\.md)\)", README))
    pages = {path.name for path in (REPOSITORY / "docs").glob("*.md")}
    # these are files of the repository and linked as such, and what the site shows of the README itself
    assert pages - linked <= {"security.md", "changelog.md", "questions.md", "index.md"}
    assert {"SECURITY.md", "CHANGELOG.md", "CONTRIBUTING.md"} <= set(re.findall(r"\]\(([A-Z]+\.md)\)", README))


def test_the_version_of_the_plugin_is_that_of_the_package() -> None:
    plugin = json.loads((REPOSITORY / ".claude-plugin" / "plugin.json").read_text(encoding="utf-8"))
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert plugin["version"] == project["version"] == options.version()


def test_the_changelog_has_a_place_for_what_comes_next() -> None:
    assert "\n## [Unreleased]\n" in (REPOSITORY / "CHANGELOG.md").read_text(encoding="utf-8")
