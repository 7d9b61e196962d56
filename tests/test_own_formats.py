"""Commands of the user's own that answer in a known format: through the executables, with real tools."""

import json
import time

import pytest

import archives
from world import MARKER, Answer, World

QUIET = "[checks.ruff]\nenabled = false\n"
PYTEST = f"""{QUIET}
[checks.unit]
command = "pytest -q -p no:cacheprovider --junit-xml={{report}}"
format = "junit"
"""
TWO_TESTS = "def test_a():\n    assert VALUE == 1\n\n\ndef test_b():\n    assert VALUE > 0\n"


def begun(world: World, config: str, files: dict[str, str], *options: str) -> World:
    world.write(files | {"untilgreen.toml": config})
    world.commit()
    world.start("fix it", *options)
    return world


def stopped(world: World) -> Answer:
    """The next stop of an agent that changed something."""
    world.write({"round.txt": str(time.monotonic_ns())})
    return world.stop()


def failing(world: World) -> list[str]:
    """What holds the agent at its next stop, a line each; [] when it is let go."""
    answer = stopped(world)
    lines = answer.stderr.splitlines()
    assert answer.held == bool(lines), answer
    told = lines[2 : lines.index("Task: fix it")] if lines else []
    return [line.strip() for line in told if line != MARKER]


@pytest.mark.parametrize("form", ["sarif", "rdjson"])
def test_findings_of_a_report_are_told_one_by_one_with_their_place(world: World, form: str) -> None:
    config = f'{QUIET}[checks.lint]\ncommand = "ruff check --select F --output-format={form} ."\nformat = "{form}"\n'
    begun(world, config, {"lib/app.py": "import os\nimport sys\n"}, "--zero-warnings")
    lines = failing(world)
    assert [line for line in lines if line.startswith("lib/")] == [
        "lib/app.py:1: F401 `os` imported but unused",
        "lib/app.py:2: F401 `sys` imported but unused",
    ]
    world.write({"lib/app.py": "VALUE = 1\n"})
    assert failing(world) == []
    assert (world.state["stop_reason"], world.state["verified"]) == ("complete", True)


@pytest.mark.tools("mypy")
def test_a_check_root_is_where_the_paths_of_a_report_begin(world: World) -> None:
    config = f'{QUIET}[checks.types]\ncommand = "mypy app.py"\nformat = "gcc"\nroot = "lib"\n'
    begun(world, config, {"lib/app.py": '\nVALUE: int = "x"\n'})
    wrong = 'assignment Incompatible types in assignment (expression has type "str", variable has type "int")'
    assert failing(world) == [f"lib/app.py:2: {wrong}"]


def test_lines_that_a_pattern_finds_are_findings(world: World) -> None:
    config = (
        f'{QUIET}[checks.lint]\ncommand = "ruff check --output-format=concise ."\nformat = "regex"\n'
        r"pattern = '^(?P<file>[^:]+):(?P<line>\d+):\d+: (?P<rule>\w+) (?P<message>.*)'"
    )
    begun(world, config, {"app.py": "import os\n"})
    assert failing(world) == ["app.py:1: F401 [*] `os` imported but unused"]
    world.write({"app.py": "VALUE = 1\n"})
    assert failing(world) == []


def test_tests_in_a_report_are_counted_and_told_one_by_one(world: World) -> None:
    begun(world, PYTEST, {"sub dir/test_app.py": "VALUE = 2\n\n\n" + TWO_TESTS})
    assert failing(world) == ["sub dir/test_app.py:5: test_a assert 2 == 1"]
    snapshot = world.state["snapshots"][-1]
    counts = [snapshot[key] for key in ("error_count", "tests_run", "tests_failed", "tests_passed")]
    assert (counts, snapshot["scores"]) == ([0, 2, 1, False], {"tests": 1})
    world.write({"sub dir/test_app.py": "VALUE = 1\n\n\n" + TWO_TESTS})
    assert failing(world) == []
    assert (world.state["completion_reason"], world.state["snapshots"][-1]["tests_run"]) == (
        "Green, but test_a was edited and fails in its old form",  # its value lies beside it
        2,
    )


def test_fewer_tests_in_a_report_than_at_first_are_green_but(world: World) -> None:
    begun(world, PYTEST, {"test_app.py": "VALUE = 2\n\n\n" + TWO_TESTS})
    assert len(failing(world)) == 1
    world.write({"test_app.py": "VALUE = 2\n\n\ndef test_b():\n    assert VALUE > 0\n"})
    answer = stopped(world)
    told = "Green, but test_a was edited and fails in its old form" in answer.notice
    assert (answer.held, world.state["verified"], told) == (False, False, True)


def test_a_report_that_is_not_written_is_a_broken_check(world: World) -> None:
    begun(world, PYTEST.replace("--junit-xml={report}", "--version --version={report}"), {"app.py": "VALUE = 1\n"})
    assert failing(world)[0] == "check unit: junit: its file was not written, or is empty"
    assert world.state["snapshots"][-1]["outcomes"] == {"unit": "broken"}


def test_a_command_that_runs_no_test_is_a_broken_check(world: World) -> None:
    config = f'{QUIET}[checks.unit]\ncommand = "echo \'1..0 # SKIP no time\'"\nformat = "tap"\n'
    begun(world, config, {"app.py": "VALUE = 1\n"})
    assert failing(world)[0] == "check unit: tap: no test ran"


def test_what_a_report_calls_security_counts_as_such(world: World) -> None:
    report = archives.text("formats/sarif/bandit-1.9.4-found", "stdout")
    config = '[checks.scan]\ncommand = "cat report.sarif"\nformat = "sarif"\n'
    begun(world, config, {"app.py": "VALUE = 1\n", "report.sarif": report}, "--zero-security")
    assert [line.split()[:2] for line in failing(world)] == [
        ["app.py:2:", "B404"],
        ["app.py:6:", "B602"],
        ["app.py:8:", "B307"],
        ["app.py:9:", "B110"],
    ]
    assert world.state["snapshots"][-1]["security_issues"] == 4


MILD = json.dumps({"source": {"name": "x"}, "diagnostics": [{"message": "odd", "severity": "WARNING"}]})


def answering(world: World, code: int, *options: str, name: str = "scan", more: str = "") -> World:
    """A loop with a check of one's own that reports a warning and ends with this exit code."""
    config = f'{QUIET}[checks.{name}]\ncommand = "sh scan.sh"\nformat = "rdjson"\n{more}'
    script = f"cat <<'END'\n{MILD}\nEND\necho too many warnings >&2\nexit {code}\n"
    return begun(world, config, {"scan.sh": script}, *options)


def test_a_failing_command_with_nothing_but_warnings_holds_and_so_do_they(world: World) -> None:
    assert failing(answering(world, 3)) == ["scan: warning odd", "scan: exit-3 too many warnings"]


def test_warnings_of_a_command_that_ends_well_hold_nobody(world: World) -> None:
    assert failing(answering(world, 0)) == []
    assert (world.state["verified"], world.state["snapshots"][-1]["warning_count"]) == (True, 1)


def test_warnings_of_a_command_hold_where_none_are_wanted(world: World) -> None:
    assert failing(answering(world, 0, "--zero-warnings")) == ["scan: warning odd"]


def test_warnings_of_a_command_that_is_the_linter_hold_where_lint_must_be_clean(world: World) -> None:
    assert failing(answering(world, 0, "--criteria", "lint_clean", name="lint")) == ["lint: warning odd"]


def test_the_severity_of_a_rule_of_ones_own_check_is_the_users(world: World) -> None:
    more = '[severity.scan]\nwarning = "error"\n'
    assert failing(answering(world, 0, more=more)) == ["scan: warning odd"]
    assert world.state["snapshots"][-1]["error_count"] == 1


def test_a_pattern_without_end_is_a_broken_check(world: World) -> None:
    config = f"{QUIET}[checks.scan]\ncommand = 'cat long.txt'\nformat = 'regex'\npattern = '^(?P<message>(a+)+)$'\n"
    begun(world, config, {"long.txt": "a" * 60 + "!\n"})
    assert failing(world)[0] == "check scan: regex: the pattern takes too long"


def test_a_format_that_nobody_knows_is_said_at_the_start(world: World) -> None:
    world.write({"untilgreen.toml": '[checks.unit]\ncommand = "make"\nformat = "html"\n', "app.py": "VALUE = 1\n"})
    world.commit()
    answer = world.run("start-loop", "fix it", "--session", world.session)
    assert (answer.code, answer.stdout) == (64, "")
    assert answer.stderr.startswith(
        'start-loop failed: untilgreen.toml:3: checks.unit.format is "html". Fix: give one of exit-code, '
    )
