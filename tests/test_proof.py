"""A green is proved where tests were changed: the tests of the start run as they were, new ones on the old code."""

import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

import tables
from cases import but
from untilgreen.core.model.event import Place
from untilgreen.core.model.groups import Against, Proof
from untilgreen.core.verdict import proof
from untilgreen.core.verdict.policy import Evidence
from untilgreen.loops.stop import proof as proving
from untilgreen.state import store
from world import World

CODE = "def total(prices):\n    return prices[0]\n"
MENDED = "def total(prices):\n    return sum(prices)\n"
TESTS = (
    "from shop import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n\n\n"
    "def test_one():\n    assert total([1]) == 1\n"
)
CHEATED = TESTS.replace("== 3", "== 1")
PROJECT = {
    ".gitignore": "__pycache__/\n.pytest_cache/\n.ruff_cache/\n",
    "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\n',
    "shop.py": CODE,
    "tests/test_shop.py": TESTS,
}
NEW = (
    "from shop import total\n\n\ndef test_three():\n    assert total([1, 1, 1]) == 3\n\n\n"
    "def test_same():\n    assert total([4]) == 4\n"
)
EDITED = "test_total was edited and fails in its old form"


class Scene(NamedTuple):
    """What the agent does to the project, a text or nothing at each path; what stands against the green then, and what
    is shown below it."""

    edits: Mapping[str, str | None]
    but: str = ""
    shown: str = ""
    options: tuple[str, ...] = ()


SCENES = {title: Scene(**values) for title, values in tables.cases("proof-scenes")}
MORE = (
    "the_file_of_tests_was_taken_out_and_another_one_written",
    "a_passing_test_was_taken_out",
    "it_was_meant_to_have_another_name",
    "tests_were_moved_and_reformatted",
    "tests_were_added",
)


def begun(world: World, *options: str) -> World:
    world.write(PROJECT)
    world.commit()
    answer = world.run("start-loop", "mend it", "--session", world.session, *options)
    assert answer.code == 0, answer
    return world


def edit(world: World, edits: Mapping[str, str | None]) -> None:
    for path, text in edits.items():
        if text is None:
            (world.project / path).unlink()
        else:
            world.write({path: text})


@pytest.mark.parametrize("name", but(SCENES, MORE))
def test_a_green_says_what_was_proved(world: World, name: str) -> None:
    scene = SCENES[name]
    begun(world, *scene.options)
    edit(world, scene.edits)
    answer = world.stop()
    state = world.state
    reason = f"Green, but {scene.but}" if scene.but else "All conditions satisfied"
    assert (answer.code, state["completion_reason"], state["verified"]) == (0, reason, not scene.but)
    first, *below = answer.notice.split("\n")
    assert first.startswith(f"✓ green, but {scene.but} ·" if scene.but else "✓ green after 1 round")
    assert below == ([scene.shown] if scene.shown else [])


def test_where_fixtures_were_changed_the_whole_suite_runs_as_it_was() -> None:
    assert proof.suites(("tests/test_b.py", "tests/test_a.py")) == ("tests/test_a.py", "tests/test_b.py")
    assert proof.suites(("tests/conftest.py", "tests/test_a.py")) == ()


def test_the_changed_files_alone_run_as_they_were_and_a_test_that_went_is_named_all_the_same(world: World) -> None:
    world.write({"tests/test_more.py": NEW.replace("shop", "math").replace("total", "fsum")})
    begun(world)
    edit(world, {"shop.py": MENDED, "tests/test_shop.py": TESTS.replace("def test_one", "def check_one")})
    answer = world.stop()
    state = world.state
    assert (answer.code, state["completion_reason"]) == (0, "Green, but 1 test fewer: test_one")
    assert state["proof"]["kept"] == 4


def test_under_strict_a_test_that_fails_in_its_old_form_holds_until_it_is_put_back(world: World) -> None:
    begun(world, "--strict")
    edit(world, {"tests/test_shop.py": CHEATED})
    held = world.stop()
    assert (held.code, held.stderr.split("\n")[:2]) == (
        2,
        ["Green after round 1 of 10, but not a clean pass", f"Not a clean pass: {EDITED}."],
    )
    edit(world, {"tests/test_shop.py": TESTS, "shop.py": MENDED})
    released = world.stop()
    assert (released.code, world.state["verified"], world.state["snapshots"][0]["scores"]) == (
        0,
        True,
        {"static": 0, "tests": 1},
    )


def test_what_passed_at_the_start_is_held_from_the_first_round_on(world: World) -> None:
    begun(world, "--criteria", "preserve")
    edit(world, {"shop.py": "def total(prices):\n    return 3\n"})
    held = world.stop()
    assert (held.code, "test_one: assert 3 == 1" in held.stderr) == (2, True)
    edit(world, {"tests/test_shop.py": TESTS.replace("== 1\n", "== 3\n")})
    held = world.stop()
    assert (held.code, held.stderr.split("\n")[:2]) == (
        2,
        [
            "Green after round 2 of 10, but not a clean pass",
            "1 fixed, but test_one was edited and fails in its old form: this does not count as progress.",
        ],
    )
    edit(world, {"tests/test_shop.py": TESTS, "shop.py": MENDED})
    assert (world.stop().code, world.state["verified"]) == (0, True)


PLAIN = (
    "import pathlib\n\nfrom shop import total\n\nHERE = pathlib.Path.cwd()\n\n\ndef test_total():\n"
    "    with (pathlib.Path.home() / 'ran').open('a') as ran:\n        print(HERE, file=ran)\n"
    "    hidden = [part for part in HERE.parts if part.startswith('.')]\n"
    "    assert (total([1, 2]), HERE.name, hidden) == (3, 'project', [])\n"
)


@pytest.mark.parametrize(
    "variables",
    [
        {"TMPDIR": "home/.tmp"},
        # the places themselves: test_start_tree
        *(pytest.param(one, marks=pytest.mark.wide) for one in ({}, {"TMPDIR": "project/tmp"}, {"HOME": "tmp/.home"})),
    ],
)
def test_what_looks_into_no_dot_folder_is_proved_below_none(world: World, variables: dict[str, str]) -> None:
    for name, path in variables.items():
        folder = world.project.parent / path
        folder.mkdir()
        world.env[name] = str(folder)
    world.write(PROJECT | {"tests/test_shop.py": PLAIN, ".gitignore": f"{PROJECT['.gitignore']}tmp/\n"})
    world.commit()
    assert world.run("start-loop", "mend it", "--session", world.session, "--strict").code == 0
    edit(world, {"shop.py": MENDED, "tests/test_shop.py": f"# edited\n{PLAIN}"})
    answer = world.stop()
    assert (answer.code, world.state["verified"], answer.stderr) == (0, True, "")
    ran = (Path(world.env["HOME"]) / "ran").read_text().split("\n")
    copies = [Path(line) for line in ran if line not in ("", str(world.project))]
    assert copies
    assert not any(path.is_relative_to(world.project) or path.parent.exists() for path in copies)


HANGS = (
    "import pathlib\nimport time\n\nfrom shop import total\n\n\ndef test_total():\n"
    "    if not (pathlib.Path.cwd() / '.untilgreen').exists():\n        time.sleep(600)\n"
    "    assert total([1, 2]) == 3\n"
)


@pytest.mark.parametrize(
    ("options", "but"),
    [
        ((), r"tests not proven: no time: pytest took \d+(\.\d)? s, and much longer in a copy"),
        (("--criteria", "preserve"), "what pytest said of the start is not known"),
    ],
)
def test_what_hangs_in_a_copy_costs_no_more_than_some_runs(world: World, options: tuple[str, ...], but: str) -> None:
    world.write(PROJECT | {"tests/test_shop.py": HANGS})
    world.commit()
    assert world.run("start-loop", "mend it", "--session", world.session, *options).code == 0
    edit(world, {"shop.py": MENDED, "tests/test_shop.py": f"# edited\n{HANGS}"})
    began = time.monotonic()
    answer = world.stop()
    took, ran = time.monotonic() - began, world.state["suites"]["pytest"]["seconds"]
    assert (answer.code, world.state["verified"], re.search(but, answer.notice) is not None) == (0, False, True), answer
    assert took < 60 + 8 * ran


SLOW = (
    "import pathlib\nimport time\n\n\ndef test_slow():\n"
    "    with (pathlib.Path.home() / 'ran').open('a') as ran:\n        print(file=ran)\n    time.sleep(5.5)\n"
)


def test_a_suite_that_takes_its_time_runs_once(world: World) -> None:
    world.write(PROJECT | {"tests/test_slow.py": SLOW})
    begun(world)
    edit(world, {"shop.py": MENDED, "tests/test_shop.py": f"# edited\n{TESTS}"})
    answer = world.stop()
    assert (answer.code, world.state["verified"], (world.home / "ran").read_text()) == (0, True, "\n")
    # on a busy machine there is no time to ask which were red before
    proved = "the 3 tests of the start pass as they were"
    assert answer.notice.split("\n")[1:] in ([proved], [f"1 test red before, green now · {proved}"])


TIMED = (
    "import pathlib\nimport time\n\nfrom app import same\n\n\ndef test_{n}():\n"
    "    with (pathlib.Path.home() / 'ran').open('a') as ran:\n        print({n}, file=ran)\n"
    "    time.sleep(1)\n    assert same({n}) == {n}\n"
)


def test_a_stop_costs_little_more_than_one_run_of_a_suite_that_takes_its_time(world: World) -> None:
    ran = world.home / "ran"
    world.write({"app.py": "def same(n):\n    return n + 1\n", "pyproject.toml": PROJECT["pyproject.toml"]})
    world.write({f"tests/test_{n}.py": TIMED.format(n=n) for n in range(6)})
    world.commit()
    world.run("start-loop", "mend it", "--session", world.session)
    world.write({"app.py": "def same(n):\n    return n - 1\n"})
    assert (world.stop().held, sorted(ran.read_text().split())) == (True, [*"012345"])
    ran.unlink()
    world.write({"app.py": "def same(n):\n    return n\n", "tests/test_2.py": f"# edited\n{TIMED.format(n=2)}"})
    answer = world.stop()
    assert (answer.code, world.state["verified"], sorted(ran.read_text().split())) == (0, True, [*"0122345"])


def test_what_there_was_no_time_to_prove_is_not_proved(world: World) -> None:
    begun(world)
    edit(world, {"tests/test_shop.py": f"# edited\n{TESTS}"})
    assert world.stop().held
    loop = store.look_at(str(world.folder / "loop_state.json"))
    assert loop is not None
    place = Place(str(world.project), str(world.project / ".untilgreen"), world.session)
    found = Evidence(loop.history.snapshots[-1], ran=True)
    shown = proving.prove(place, loop, world.env, found, time.monotonic() - 1, lambda: False)
    assert (shown, proof.but(shown or Proof())) == (Proof(unproven="no time"), (Against("unproven", "no time"),))
