"""`untilgreen check` as a person sees it: code frames, colours, watching."""

import json

import click
import pexpect  # type: ignore[import-untyped]
import pytest

import tables
from in_terminal import terminal
from world import Answer, World

pytestmark = pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
FRAMES = tables.text("check-command", "frames")


@pytest.fixture
def untidy(world: World) -> World:
    """A world with two findings."""
    world.write(
        {
            "ruff.toml": "",
            "a.py": "import os\n\nVALUE = 1\n\n\n",
            "b.py": 'VALUE = 1\n\n\ndef total() -> str:\n\t"漢" ""; price = 2\n\treturn ""\n',
        }
    )
    return world


@pytest.mark.parametrize(("env", "coloured"), [({}, True), ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False)])
def test_on_a_terminal_each_finding_comes_with_its_code(untidy: World, env: dict[str, str], *, coloured: bool) -> None:
    with terminal(untidy, "check", env=env) as shown:
        shown.expect(pexpect.EOF)
        text = shown.before.replace("\r\n", "\n")
        shown.wait()
    seen = "\n".join(line.rpartition("\r")[2] for line in click.unstyle(text).split("\n"))
    assert (shown.exitstatus, seen) == (1, FRAMES)
    assert "⠋ looking for the checks · Ctrl-C stops" in text
    assert ("\x1b[31m" in text) == coloured


def test_what_is_piped_has_no_colour_and_no_code_unless_somebody_forces_it(untidy: World) -> None:
    assert untidy.run("untilgreen", "check").stdout.splitlines() == [
        "ruff: 2 left",
        "a.py:1:8 ruff F401: `os` imported but unused",
        "b.py:5:10 ruff F841: Local variable `price` is assigned to but never used",
        "✗ not green · 2 left: ruff 2",
    ]
    forced = untidy.run("untilgreen", "check", env={"FORCE_COLOR": "1"}).stdout
    assert (click.unstyle(forced), "\x1b[31m" in forced) == (FRAMES, True)


SLOW = "import sys, time, os\nwhile not os.path.exists('go'):\n    time.sleep(0.01)\n"


def test_on_a_terminal_the_line_of_a_check_comes_when_it_ends_and_what_runs_is_seen(untidy: World) -> None:
    untidy.write({"untilgreen.toml": f"[checks.slow]\ncommand = ['python3', '-c', {SLOW!r}]\n"})
    untidy.trust()
    with terminal(untidy, "check") as shown:
        shown.expect("ruff: 2 left")
        shown.expect("slow [0-9.]+ s · Ctrl-C stops")
        untidy.write({"go": ""})
        shown.expect("slow: clean")
        shown.expect(pexpect.EOF)


def test_what_is_piped_gets_the_line_of_the_first_check_while_others_run(untidy: World) -> None:
    untidy.write({"untilgreen.toml": f"[checks.slow]\ncommand = ['python3', '-c', {SLOW!r}]\n"})
    untidy.trust()
    with untidy.begin("untilgreen", "check") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ruff: 2 left\n"
        untidy.write({"go": ""})
        assert process.stdout.readline() == b"slow: clean\n"


def test_many_findings_of_one_rule_are_one_line_unless_all_are_asked_for(world: World) -> None:
    world.write({"ruff.toml": "", **{f"m{n:02}.py": "import os\n" for n in range(11)}, "z.py": "import os\n\nx = y\n"})
    assert world.run("untilgreen", "check").stdout.splitlines()[1:-1] == [
        "z.py:3:5 ruff F821: Undefined name `y`",
        "ruff F401 × 12 in 12 files; first: m00.py:1:8: `os` imported but unused",
    ]
    assert len(world.run("untilgreen", "check", "-v").stdout.splitlines()) == 15


def test_code_that_is_shown_has_its_secrets_masked(world: World) -> None:
    world.write({"ruff.toml": "", "a.py": f'import os\n\nTOKEN = "ghp_{"a1B2" * 9}"\n'})
    assert click.unstyle(world.run("untilgreen", "check", env={"FORCE_COLOR": "1"}).stdout).splitlines()[6] == (
        '  3 | TOKEN = "ghp_…(masked)"'
    )


def test_what_is_watched_is_checked_again_when_a_file_changes(red: World) -> None:
    with terminal(red, "check", "--watch") as shown:
        shown.expect("not green .*watching: q ends")
        red.write({"app.py": "VALUE = 1\n"})
        shown.expect("✓ green · ruff ✓.*watching: q ends")
        red.write({"ruff.toml": "a = "})
        shown.expect("could not be judged.*watching: q ends")
        red.write({"ruff.toml": ""})
        shown.expect("✓ green.*watching: q ends")
        shown.send("q")
        shown.expect(pexpect.EOF)
        shown.wait()
    assert shown.exitstatus == 0


def test_an_interrupt_ends_watching_with_130(red: World) -> None:
    with terminal(red, "check", "--watch") as shown:
        shown.expect("watching: q ends")
        shown.sendintr()
        shown.expect(pexpect.EOF)
        shown.wait()
    assert shown.exitstatus == 130


def test_programs_do_not_watch(world: World) -> None:
    assert world.run("untilgreen", "check", "--watch", "--json") == (
        64,
        "",
        "untilgreen failed: --watch is for people, --json and --attest are for programs. Fix: leave --watch out\n",
    )


@pytest.fixture
def lacking(world: World) -> World:
    """A project that is clean, and has chosen mypy, which is not installed; uv makes its environment."""
    world.write({"pyproject.toml": "[tool.ruff]\n[tool.mypy]\n[dependency-groups]\ndev = ['mypy']\n", "uv.lock": ""})
    world.write({"app.py": "VALUE = 1\n"})
    world.commit()
    world.trust()
    return world


def test_where_a_chosen_tool_is_not_installed_nothing_is_green_and_the_cure_is_told(lacking: World) -> None:
    assert lacking.run("untilgreen", "check") == Answer(
        4,
        "ruff: clean\nmypy: mypy is not installed\n✗ could not be judged · mypy is not installed: uv sync\n",
        "",
    )
    assert json.loads(lacking.run("untilgreen", "check", "--json").stdout)["verdict"] == "not judged"
    lacking.write({"app.py": "import os\n"})
    assert lacking.run("untilgreen", "check").code == 1, "what is red is red"


def test_a_loop_names_the_missing_tool_at_its_start_with_the_cure_and_ends_green_but(lacking: World) -> None:
    started = lacking.run("start-loop", "-t", "mend it", "--session", lacking.session)
    assert "left out: mypy is not installed: uv sync" in started.stdout.splitlines()
    lacking.write({"app.py": "VALUE = 2\n"})
    assert lacking.stop().notice.startswith("✓ green, but mypy is not installed · ")


def test_what_the_configuration_does_without_is_not_missing(lacking: World) -> None:
    lacking.write({"untilgreen.toml": 'without = ["mypy"]\n'})
    assert lacking.run("untilgreen", "check") == Answer(0, "ruff: clean\n✓ green · ruff ✓\n", "")
    assert (
        "mypy: out: the configuration says so\n" in lacking.run("untilgreen", "check", "--explain-plan", "--all").stdout
    )
    assert "left out" not in lacking.run("start-loop", "-t", "mend it", "--session", lacking.session).stdout
    lacking.write({"app.py": "VALUE = 2\n"})
    assert lacking.stop().notice.startswith("✓ green after")


@pytest.mark.parametrize("words", [("check",), ("start", "mend it", "--session", "next")])
def test_a_misspelt_name_of_what_to_do_without_is_told_with_the_nearest_check(
    lacking: World, words: tuple[str, ...]
) -> None:
    lacking.write({"untilgreen.toml": 'without = ["mypi", "make-docs"]\n'})
    answer = lacking.run("untilgreen", *words)
    assert (answer.code, answer.stdout) == (64, "")
    told = (
        "untilgreen failed: without: unknown check mypi. Did you mean mypy? Fix: take one of ruff, ruff-format, black, "
    )
    assert answer.stderr.startswith(told)


def test_a_check_of_the_projects_own_is_left_out_by_its_name_and_may_be_gone(lacking: World) -> None:
    lacking.write({"untilgreen.toml": 'without = ["mypy", "types.py"]\n'})
    assert lacking.run("untilgreen", "check").stdout.endswith("✓ green · ruff ✓\n")
    lacking.write({"tools/types.py": "import sys\n\nsys.exit(1)\n", "Makefile": "lint:\n\tpython tools/types.py\n"})
    assert lacking.run("untilgreen", "check").stdout.endswith("✓ green · ruff ✓\n")
    lacking.write({"untilgreen.toml": 'without = ["mypy"]\n'})
    assert lacking.run("untilgreen", "check").stdout.endswith("✗ not green · 1 left: types.py 1\n")
