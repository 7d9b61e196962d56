"""Green is verified only if nothing was told to look away: otherwise it is "green, but", with the list."""

import json
import re
import time
from collections.abc import Mapping
from typing import NamedTuple

import pytest

import tables
from cases import but
from loops import in_english
from untilgreen.core.model.event import Place
from untilgreen.core.model.loop import load_loop
from untilgreen.core.model.snapshot import Text
from untilgreen.core.verdict import baseline
from untilgreen.project.fakes import text
from untilgreen.project.tree import worktree
from untilgreen.state import seal
from world import BIN, MARKER, World

IGNORED = {".gitignore": ".mypy_cache/\n__pycache__/\n.pytest_cache/\n"}
UNUSED = "import os\n\nVALUE = 1\n"
FIXED = "VALUE = 1\n"


def beside(files: Mapping[str, str]) -> Mapping[str, str]:
    """A project that ruff alone looks at, with files of other languages in it."""
    alone = "".join(f"[tool.untilgreen.checks.{name}]\nenabled = false\n" for name in ("tsc", "eslint", "biome"))
    return {"pyproject.toml": alone, "app.py": UNUSED, **files}


class Case(NamedTuple):
    """A project that is red with `before` and green with `after`; `but` is what stands against the green."""

    before: Mapping[str, str]
    after: Mapping[str, str]
    but: str
    options: tuple[str, ...] = ()


CASES = {title: Case(**values) for title, values in tables.cases("verified")}


def normal(said: str) -> str:
    return re.sub(r"loop-\d+", "loop-N", said)


def improved(world: World) -> str:
    """How much of what was red is gone: each suppression and each lost test stands for something that is not."""
    first = sum(world.state["snapshots"][0]["failing_by_check"].values())
    weakened = world.state["snapshots"][-1]["weakened"]
    return f"{max(0, (first - weakened) * 100 // first)}%"


def begun(world: World, files: Mapping[str, str], *options: str) -> World:
    """The world with these files, and a running loop that was held once."""
    world.write({**IGNORED, **files})
    world.commit()
    world.start("fix it", *options)
    held = world.stop()
    assert held.code == 2, held
    return world


# what is against a green is found the same way under --strict
OF_EACH_SORT = ("nothing", "several_of_several_kinds", "a_changed_section", "fewer_tests", "emptied_tests")


# by git, and by what pytest says; the rest is told by reading alone
TOLD = (*OF_EACH_SORT, "a_noqa", "a_file_hidden_by_gitignore")
# these are edited tests as in test_proof, with other words of pytest's
MORE = ("a_skip", "fewer_runs_of_a_test", "many_tests_that_became_one", "a_mended_test")


@pytest.mark.parametrize("name", sorted(CASES.keys() - {*TOLD, *MORE}))
def test_reading_tells_what_stands_against_it(world: World, name: str) -> None:
    case = CASES[name]
    world.write({**IGNORED, **case.before})
    world.commit()
    then = read(world)
    world.write(case.after)
    assert in_english(baseline.compare(then, read(world), 0, 0))[0] == tuple(filter(None, case.but.split(", ")))


def read(world: World) -> Text:
    root = str(world.project)
    return text.read(root, worktree.files(root), time.monotonic() + 60)


@pytest.mark.tools("mypy")
@pytest.mark.parametrize("name", but((*TOLD, *MORE), MORE))
def test_green_is_verified_or_says_what_stands_against_it(world: World, name: str) -> None:
    case = CASES[name]
    begun(world, case.before, *case.options)
    world.write(case.after)
    released = world.stop()
    assert (released.code, released.stderr) == (0, "")
    state = world.state
    reason = f"Green, but {case.but}" if case.but else "All conditions satisfied"
    assert (state["stop_reason"], state["final_status"], state["status"]) == ("complete", "COMPLETE", "success")
    assert (state["completion_reason"], state["verified"]) == (reason, not case.but)
    first = state["snapshots"][0]
    assert normal(released.notice) == (
        f"Ralph Loop: COMPLETE - {reason} | Session: loop-N | Iterations: 2 | "
        f"Total improvement: {improved(world)} | "
        f"Initial: {first['error_count']} errors, {first['warning_count']} warnings | Final: 0 errors, 0 warnings"
    )


@pytest.mark.tools("mypy")
@pytest.mark.parametrize("name", but(OF_EACH_SORT, ("fewer_tests", "a_changed_section")))
def test_under_strict_green_but_is_held_and_told(world: World, name: str) -> None:
    case = CASES[name]
    begun(world, case.before, "--strict", *case.options)
    world.write(case.after)
    answer = world.stop()
    if not case.but:
        assert (answer.code, world.state["verified"]) == (0, True)
        return
    fixed = world.state["snapshots"][0]["failing_by_check"]
    assert (answer.code, world.state["active"]) == (2, True)
    current = "Current: 0 error(s), 0 warning(s), 0 security issue(s)"
    assert answer.stderr.split("\n") == [
        (
            f"Ralph Loop: CONTINUE | Iteration: 3/10 | {current} | Progress: {improved(world)} improvement | "
            f"Next: Settle what counts against it: {case.but}"
        ),
        f"Fixed since the last round: {sum(fixed.values())}",
        f"Counts against a verified green: {case.but}",
        *(["Rounds without improvement: 1 of 3"] if world.state["no_progress_count"] else []),
        MARKER,
        "Task: fix it",
        "",
    ]
    assert answer.notice == f"✗ round 2 of 10 · green, but {case.but} · N s"


def test_under_strict_what_was_undone_and_mended_is_verified(world: World) -> None:
    begun(world, {"app.py": UNUSED}, "--strict")
    world.write({"app.py": UNUSED.replace("os", "os  # noqa")})
    assert world.stop().held
    world.write({"app.py": FIXED})
    assert world.stop().code == 0
    assert (world.state["completion_reason"], world.state["verified"]) == ("All conditions satisfied", True)


def test_under_strict_what_is_never_undone_is_let_go_as_stagnant(world: World) -> None:
    begun(world, {"app.py": UNUSED}, "--strict")
    world.write({"app.py": UNUSED.replace("os", "os  # noqa")})
    assert [world.stop().code for _ in range(3)] == [2, 2, 0]
    assert (world.state["stop_reason"], world.state["verified"]) == ("stagnant", None)
    assert world.state["completion_reason"] == "Green, but 1 new noqa"


def test_what_an_older_release_counted_at_the_start_is_read_again_there(world: World) -> None:
    begun(world, {"app.py": UNUSED, "src/a.js": "eval(x); // eslint-disable-line\n", "ruff.toml": ""})
    counted = world.state["text"]
    del counted["version"]
    older: dict[str, object] = {"suppressions": {}, "config": {}}
    world.change(text=counted | older)
    place = Place(str(world.project), str(world.project / ".untilgreen"), world.session)
    seal.begin(world.env, place, load_loop(world.state))
    world.write({"app.py": f"{FIXED}\nimport sys  # noqa: F401, E402\n"})
    assert world.stop().code == 0
    assert (world.state["completion_reason"], world.state["verified"]) == ("Green, but 1 new noqa", False)


# --- tools that are not there -----------------------------------------------------------------------------------


@pytest.fixture
def no_mypy(world: World) -> World:
    """A world in which ruff is the only tool, and whose red project is configured for mypy too."""
    folder = world.home / "bin"
    folder.mkdir()
    (folder / "ruff").symlink_to(BIN / "ruff")
    world.env["PATH"] = f"{folder}:/usr/bin:/bin"
    world.write({"app.py": UNUSED, "mypy.ini": "[mypy]\n"})
    world.commit()
    return world


def test_a_configured_tool_that_is_not_installed_is_told_at_start_and_at_the_end(no_mypy: World) -> None:
    started = no_mypy.start()
    assert started.stdout.split("\n")[2:] == [
        "criteria: zero_errors",
        "limits: 10 rounds, 60 min of work, 3 rounds without improvement",
        "checks: ruff",
        "left out: mypy is not installed: python -m pip install mypy",
        "at the start: 1 left: ruff 1",
        "1 of these is older than the loop and counts too (--new leaves it out)",
        "",
    ]
    assert no_mypy.stop().held
    no_mypy.write({"app.py": FIXED})
    released = no_mypy.stop()
    assert (released.code, released.stderr) == (0, "")
    assert normal(released.notice) == (
        "Ralph Loop: COMPLETE - Green, but mypy is not installed | Session: loop-N | Iterations: 2 | "
        "Total improvement: 100% | Initial: 1 errors, 0 warnings | Final: 0 errors, 0 warnings"
    )
    assert no_mypy.state["verified"] is False


def test_under_strict_a_tool_that_was_left_out_is_held_and_let_go_with_that_reason(no_mypy: World) -> None:
    no_mypy.start("fix it", "--strict")
    assert no_mypy.stop().held
    no_mypy.write({"app.py": FIXED})
    held = no_mypy.stop()
    assert (held.code, held.notice.split(" · ")[1]) == (2, "green, but mypy is not installed")
    assert [no_mypy.stop().code for _ in range(3)] == [2, 2, 0]
    state = no_mypy.state
    assert (state["stop_reason"], state["completion_reason"]) == ("stagnant", "Green, but mypy is not installed")


def test_what_weakens_and_what_is_missing_are_told_together(no_mypy: World) -> None:
    no_mypy.start()
    assert no_mypy.stop().held
    no_mypy.write({"app.py": UNUSED.replace("os", "os  # noqa")})
    assert no_mypy.stop().code == 0
    assert no_mypy.state["completion_reason"] == "Green, but 1 new noqa, mypy is not installed"


def test_a_criterion_asked_for_by_name_must_have_its_tool(no_mypy: World) -> None:
    words = ("start-loop", "fix it", "--session", no_mypy.session, "--criteria", "type_check")
    refused = no_mypy.run(*words)
    assert (refused.code, refused.stdout) == (64, "")
    assert refused.stderr == (
        "start-loop failed: type_check: mypy is not installed. Fix: "
        "python -m pip install mypy, leave the criterion out, or give --allow-absent\n"
    )
    assert not (no_mypy.folder / "loop_state.json").exists()
    assert no_mypy.stop() == (0, "", "")


def test_a_criterion_without_its_tool_may_be_allowed(no_mypy: World) -> None:
    started = no_mypy.start("fix it", "--criteria", "type_check", "--allow-absent", "--json")
    facts = json.loads(started.stdout)
    assert (facts["checks"], facts["left_out"]) == (["ruff"], ["mypy is not installed"])
    assert no_mypy.stop().held
    no_mypy.write({"app.py": FIXED})
    assert no_mypy.stop().code == 0
    assert (no_mypy.state["completion_reason"], no_mypy.state["verified"]) == (
        "Green, but mypy is not installed",
        False,
    )


def test_a_tool_that_was_left_out_stays_out_for_the_whole_loop(no_mypy: World) -> None:
    no_mypy.start()
    assert no_mypy.stop().held
    (no_mypy.home / "bin" / "mypy").symlink_to(BIN / "mypy")
    no_mypy.write({"app.py": FIXED})
    assert no_mypy.stop().code == 0
    assert no_mypy.state["completion_reason"] == "Green, but mypy is not installed"


def test_without_any_tool_nothing_is_green(no_mypy: World) -> None:
    (no_mypy.home / "bin" / "ruff").unlink()
    no_mypy.start("fix it", "--allow-absent")
    no_mypy.write({"app.py": FIXED})
    held = no_mypy.stop()
    assert (held.code, no_mypy.state["snapshots"][0]["outcomes"]) == (
        2,
        {"ruff": "absent", "mypy": "absent", "none": "broken"},
    )
    assert "  check none: no check could run: ruff is not installed, mypy is not installed\n" in held.stderr
