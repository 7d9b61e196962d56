"""What was red before a loop began: told at its start, counted or not as the user wishes, and never in the way."""

import os

import pytest

from test_green import left
from world import World

MYPY = {"mypy.ini": "[mypy]\n", "app.py": 'VALUE: int = "one"\nOTHER: int = "two"\n'}
RUFF = {"ruff.toml": "", "old.py": "import os\nimport sys\n"}
UNREADABLE = "def broken(:\n"


def started(world: World, *options: str) -> list[str]:
    """What a start says of what was there before; the agent has written something since."""
    answer = world.run("start-loop", "mend it", "--session", world.session, *options)
    assert answer.code == 0, answer
    world.write({"work.txt": "done"})
    lines = answer.stdout.splitlines()
    known = next(number for number, line in enumerate(lines) if line.startswith("at the start: "))
    return lines[known + 1 :]


def scores(world: World) -> dict[str, int | None]:
    """What the newest stop's stages are worth."""
    found: dict[str, int | None] = world.state["snapshots"][-1]["scores"]
    return found


def test_what_was_red_before_is_told_and_counts(world: World) -> None:
    world.write(RUFF)
    assert started(world) == ["2 of these are older than the loop and count too (--new leaves them out)"]
    assert world.stop().held
    assert left(world) == ["old.py:1: F401 `os` imported but unused", "old.py:2: F401 `sys` imported but unused"]


@pytest.mark.tools("mypy")
def test_where_only_new_findings_count_those_of_the_start_do_not(world: World) -> None:
    world.write(MYPY | RUFF)
    told = "4 more are older than the loop and do not count (--all counts them)"
    assert started(world, "--new") == [told]
    world.write({"app.py": '# moved\n\nVALUE: int = "one"\nOTHER: int = "two"\nMORE: int = "three"\n'})
    assert world.stop().held
    [item] = [text for text in left(world) if text.startswith("app.py")]
    assert item.startswith("app.py:5: assignment")
    world.write({"app.py": 'OTHER: int = "two"\n', "old.py": "import os\nimport sys\nimport sys\n"})
    assert world.stop().held  # one more of what was there twice is new
    assert left(world)
    world.write({"old.py": "import os\nimport sys\n"})
    assert (world.stop().code, world.state["completion_reason"]) == (0, "All conditions satisfied")


def test_every_check_that_answered_at_the_start_is_in_the_number_that_is_left(world: World) -> None:
    calls = "jobs:\n  lint:\n    steps:\n      - run: ruff check .\n      - run: ruff format --check .\n"
    world.write({**RUFF, "app.py": "a=1\n", ".github/workflows/ci.yml": f"on: push\n{calls}"})
    lines = world.run("start-loop", "mend it", "--session", world.session).stdout.splitlines()
    assert lines[-2:] == [
        "at the start: 3 left: ruff 2, ruff-format 1",
        "3 of these are older than the loop and count too (--new leaves them out)",
    ]


def test_equal_findings_count_by_their_number(world: World) -> None:
    line = "print(undefined)\n"
    world.write({"app.py": line * 1_001})
    told = ["1,001 more are older than the loop and do not count (--all counts them)"]
    assert started(world, "--new") == told
    world.write({"app.py": line * 1_000})
    world.stop()
    assert left(world) == []
    world.write({"app.py": line * 1_003})
    assert started(world, "--new", "--replace")[0].startswith("1,003 more ")
    world.write({"app.py": line * 1_004})
    assert world.stop().held
    assert left(world) == ["app.py:1004: F821 Undefined name `undefined`"]


def test_commands_of_ones_own_count_whenever_they_began_to_fail_and_tests_do_not(world: World) -> None:
    world.write({"untilgreen.toml": 'count = "new"\n', "test_app.py": "def test_one() -> None:\n    assert False\n"})
    assert started(world, "--check", "own=false") == []
    assert world.stop().held
    assert [text.split("\n")[0] for text in left(world)] == ["own: exit-1 it printed nothing"]
    assert started(world, "--all", "--replace") == []
    assert world.state["settings"]["count"] == "all"


def test_one_finding_is_told_as_one(world: World) -> None:
    world.write({"app.py": "print(undefined)\n"})
    assert started(world) == ["1 of these is older than the loop and counts too (--new leaves it out)"]
    told = "1 more is older than the loop and does not count (--all counts it)"
    assert started(world, "--new", "--replace") == [told]


def test_the_two_switches_contradict_each_other(world: World) -> None:
    answer = world.run("start-loop", "x", "--session", world.session, "--new", "--all")
    assert (answer.code, answer.stderr) == (
        64,
        "start-loop failed: --new and --all contradict each other. Fix: give one of them\n",
    )


@pytest.mark.tools("mypy")
@pytest.mark.parametrize("new", [False, True], ids=["all", "new"])
def test_a_broken_fixture_hides_nothing_new(world: World, new: bool) -> None:
    world.write({"ruff.toml": "", "mypy.ini": "[mypy]\n", "pkg/broken.py": UNREADABLE, "app.py": "VALUE = 1\n"})
    said = started(world, *(["--new"] if new else []))
    assert ("mypy may not see what is behind pkg/broken.py:1: what it finds there later counts" in said) == new
    world.write({"app.py": "import os\n"})
    assert world.stop().held
    told = left(world)
    assert "app.py:1: F401 `os` imported but unused" in told
    broken = [text for text in told if text.startswith("pkg/broken.py")]
    assert bool(broken) == (not new)
    assert all(text.endswith(" (was so before the loop)") for text in broken)
    assert scores(world)["static"] == len(told)
    world.write({"app.py": "VALUE = 1\n"})
    answer = world.stop()
    if not new:
        assert answer.held
        assert scores(world)["static"] == len(broken) == len(left(world))
        return
    who = [f"pkg/broken.py cannot be read by {name} (was so before the loop)" for name in ("ruff", "mypy")]
    assert (answer.code, world.state["completion_reason"]) == (0, f"Green, but {', '.join(who)}")


@pytest.mark.parametrize("new", ["--new", "--all"])
def test_a_broken_file_that_was_written_since_hides_as_ever(world: World, new: str) -> None:
    world.write({"ruff.toml": "", "broken.py": UNREADABLE, "app.py": "VALUE = 1\n"})
    started(world, new)
    os.utime(world.project / "broken.py")
    assert world.stop().held
    assert scores(world)["static"] is None
    world.write({"broken.py": "VALUE = 1\n", "app.py": UNREADABLE})
    os.utime(world.project / "app.py", (0, 0))
    assert world.stop().held
    assert scores(world)["static"] is None


@pytest.mark.tools("mypy")
def test_a_module_that_was_there_twice_does_not_make_its_stage_unknown(world: World) -> None:
    world.write({"mypy.ini": "[mypy]\n", "ruff.toml": "", "a/twice.py": "", "b/twice.py": "", "app.py": "import os\n"})
    started(world)
    assert world.stop().held
    assert scores(world)["static"] == 2
    [item] = [text for text in left(world) if "Duplicate module" in text]
    assert item.endswith(" (was so before the loop)")


@pytest.mark.tools("mypy")
def test_a_module_that_is_there_twice_by_the_agents_doing_does(world: World) -> None:
    world.write({"mypy.ini": "[mypy]\n", "a/twice.py": "", "app.py": "VALUE = 1\n"})
    started(world)
    world.write({"b/twice.py": ""})
    assert world.stop().held
    assert scores(world)["static"] is None


def test_a_check_that_was_broken_at_the_start_is_said_and_all_that_it_finds_counts(world: World) -> None:
    world.write({"ruff.toml": "nonsense = 1\n", "app.py": "import os\n"})
    [said] = started(world, "--new")
    assert said.startswith("ruff did not do its work (")
    assert said.endswith("): all that it finds counts")
    assert world.stop().held
    [item] = left(world)
    assert item.split("\n")[0].endswith(" (was so before the loop)")
    world.write({"ruff.toml": ""})
    assert world.stop().held
    assert left(world) == ["app.py:1: F401 `os` imported but unused"]


PROJECT = '[project]\nname = "app"\nversion = "1"\n\n'
COVERED = '[tool.pytest.ini_options]\naddopts = "-n 2 --cov=app"\n'


@pytest.mark.parametrize(
    ("files", "cure"),
    [
        ({"uv.lock": "", "pyproject.toml": COVERED}, "uv sync"),
        (
            {"pyproject.toml": PROJECT + 'optional-dependencies = {test = ["pytest-cov"]}\n' + COVERED},
            "python -m pip install -e '.[test]' && python -m pip install pytest-xdist",
        ),
        (
            {"pyproject.toml": '[dependency-groups]\ndev = ["pytest-cov"]\n' + COVERED},
            "python -m pip install pytest-cov pytest-xdist",
        ),
        ({"pyproject.toml": COVERED, "requirements/test.txt": ""}, "python -m pip install -r requirements/test.txt"),
        ({"pytest.ini": "[pytest]\nrequired_plugins = pytest-cov\n"}, "python -m pip install pytest-cov"),
    ],
    ids=["uv", "extra", "group", "list", "nothing"],
)
def test_a_plugin_of_pytest_that_is_not_there_is_said_with_its_cure(
    world: World, files: dict[str, str], cure: str
) -> None:
    world.write(files | {"test_app.py": "def test_one() -> None: ...\n"})
    world.run("untilgreen", "trust")
    answer = world.run("untilgreen", "check", "--only", "tests")
    [said] = [line for line in answer.stdout.splitlines() if line.startswith("pytest: could not be judged, ")]
    assert (answer.code, said.partition(" is not installed. ")[2]) == (4, f"Fix: {cure}")
    assert "pytest-cov" in said


def test_a_marker_that_the_configuration_names_is_as_much_of_an_error_as_one_of_a_flag(world: World) -> None:
    world.write({"untilgreen.toml": 'marker = "verify"\ncompletion_promise = "SHIPPED"\n'})
    answer = world.run("start-loop", "x", "--session", world.session)
    reason = "marker verify lets only checks decide, and with a completion promise there are none"
    assert (answer.code, answer.stderr.partition(". Fix: ")[0]) == (64, f"start-loop failed: {reason}")
    assert (
        world.run("start-loop", "x", "--session", world.session, "--criteria", "test_pass", "--allow-absent").code == 0
    )


@pytest.mark.parametrize(
    "files", [{"lib/app.ex": "1\n"}, {"README.md": "# words\n"}, {}], ids=["elixir", "words", "none"]
)
def test_nothing_to_check_is_one_line_and_costs_no_round(world: World, files: dict[str, str]) -> None:
    world.write(files)
    assert world.run("stop-loop", stdin="{}").stderr.splitlines() == [
        "untilgreen: nothing was judged: no check applies here"
    ]
    checked = world.run("untilgreen", "check")
    assert (checked.code, checked.stdout.splitlines()) == (
        4,
        ["✗ could not be judged · there is nothing here to check"],
    )
    started(world)
    answer = world.stop()
    assert (answer.code, world.state["stop_reason"], world.state["iteration"]) == (0, "complete", 1)
    assert world.state["completion_reason"] == "Green, but there is nothing here to check; name a check with --check"
