"""shellcheck, hadolint, actionlint and yamllint themselves, through the installed executables."""

import json
import re
import sys
from typing import NamedTuple

import pytest

import tables
from world import World

pytestmark = pytest.mark.tools("shellcheck", "hadolint", "actionlint", "yamllint")


class Case(NamedTuple):
    """A project's file with a finding, the text without it, and what is told of the first."""

    configured: dict[str, str]
    path: str
    red: str
    green: str
    told: str


CASES = {title: Case(**values) for title, values in tables.cases("linters-real")}


def words(line: str) -> str:
    """A line of a feedback, with the name of its check where it has none."""
    return " ".join(line.split())


@pytest.mark.parametrize("name", CASES)
def test_a_finding_holds_with_its_line_until_it_is_mended(world: World, name: str) -> None:
    case = CASES[name]
    world.write({**case.configured, case.path: case.red})
    world.commit()
    world.start("mend it")
    held = world.stop()
    told = re.sub(r":\d+: ", ": ", case.told, count=1)  # the lines of preset jikime have no column
    assert (held.code, [line for line in map(words, held.stderr.split("\n")) if line.startswith(told)] != []) == (
        2,
        True,
    ), held
    world.write({case.path: case.green})
    released = world.stop()
    assert (released.code, world.state["final_status"], world.state["verified"]) == (0, "COMPLETE", True), released


@pytest.mark.parametrize("name", CASES)
def test_an_edit_is_told_what_is_wrong_with_its_file(world: World, name: str) -> None:
    case = CASES[name]
    world.write(case.configured)
    (world.project / ".untilgreen").mkdir(mode=0o700)
    assert world.run("untilgreen", "trust").code == 0
    answer = world.edit(case.path, case.red)
    assert any(words(line).startswith(case.told) for line in answer.context.split("\n")), answer
    assert world.edit(case.path, case.green).context == ""


@pytest.mark.parametrize("name", CASES)
def test_where_nobody_configured_it_it_does_not_run(world: World, name: str) -> None:
    case = CASES[name]
    world.write({"app.py": "X = 1\n", case.path: case.red})
    world.commit()
    world.start("mend it")
    assert [check["name"] for check in world.state["plan"]] == ["ruff"]
    assert world.edit(case.path, case.red).context == ""


def test_a_project_whose_files_for_it_are_gone_is_broken_not_green(world: World) -> None:
    case = CASES["hadolint"]
    world.write({**case.configured, case.path: case.green})
    world.commit()
    world.start("mend it")
    (world.project / case.path).unlink()
    held = world.stop()
    assert held.held
    assert "check hadolint: there is no file for it: nothing was looked at" in held.stderr


# --- many files -----------------------------------------------------------------

COUNTING = f"""#!{sys.executable}
import json, os, sys
files = sys.argv[sys.argv.index("--") + 1 :]
with open(os.environ["CALLS"], "a") as calls:
    calls.write(json.dumps([sum(map(len, files)), files]) + "\\n")
said = {{"line": 1, "level": "warning", "code": 2086, "message": "Quote it."}}
print(json.dumps({{"comments": [said | {{"file": file}} for file in files if "red" in file]}}))
"""


def calls_of_a_stop(world: World) -> list[tuple[int, list[str]]]:
    """How often a stand-in for shellcheck is called at a stop that it holds: the characters of its files, and these."""
    tool, calls = world.programs / "shellcheck", world.tmp / "calls"
    tool.unlink()
    tool.write_text(COUNTING)
    tool.chmod(0o755)
    world.env["CALLS"] = str(calls)
    world.start("mend it", "--criteria", "lint_clean")
    calls.write_text("")  # on a busy machine the start's two seconds were over before it called anything
    assert world.stop().held
    return [tuple(json.loads(line)) for line in calls.read_text().splitlines()]


def test_files_that_are_too_many_for_a_command_line_are_looked_at_in_parts(world: World) -> None:
    names = [f"scripts/{'long-' * 20}{number:04}.sh" for number in range(1_500)] + ["red.sh", "scripts/red.sh"]
    world.write({".shellcheckrc": "", **dict.fromkeys(names, "")})
    world.commit()
    calls = calls_of_a_stop(world)
    assert sorted(file for _, files in calls for file in files) == sorted(names)
    assert (len(calls), max(length for length, _ in calls) < 100_000) == (2, True)
    assert sorted(one["path"] for one in world.state["snapshots"][-1]["file_details"]) == ["red.sh", "scripts/red.sh"]


def test_a_folder_with_a_configuration_of_its_own_is_looked_at_by_itself(world: World) -> None:
    world.write({".shellcheckrc": "", "a.sh": "", "red.sh": "", "lib/.shellcheckrc": "", "lib/b.sh": ""})
    world.commit()
    assert sorted(files for _, files in calls_of_a_stop(world)) == [["a.sh", "red.sh"], ["b.sh"]]
