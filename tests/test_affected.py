"""After an edit the tests that touch it run, and what turned red is in the next answer. Nothing rests on it."""

import importlib.util
import json
import os
import time
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import pythons
from eventually import eventually, lives
from untilgreen.checks.run import impact_map
from untilgreen.core.model.check import Check
from untilgreen.core.verdict.affected import chosen
from world import World

SHOP = "RATE = 2\n\n\ndef total(price):\n    return price * RATE\n\n\ndef name():\n    return 'shop'\n"
TESTS = """import pathlib

import pytest
import shop


@pytest.fixture(scope="session")
def wide():
    return shop.name()


def test_total():
    assert shop.total(2) == 4


def test_wide(wide):
    assert wide == 'shop'


def test_name():
    assert shop.name() == 'shop'


def test_data():
    assert pathlib.Path('rates.csv').read_text() == '1'
"""
PROJECT = {
    "pytest.ini": "[pytest]\n",
    "shop.py": SHOP,
    "rates.csv": "1",
    "test_shop.py": TESTS,
    "test_old.py": "def test_old():\n    assert 0\n",
    "test_none.py": "\n".join(f"def test_{number}():\n    pass\n" for number in range(20)),
}
PURE = ("pytest", "_pytest", "py", "pluggy", "iniconfig", "packaging", "pygments")
newer = pytest.mark.needs("python3.13")


def numbers(text: str) -> list[int]:
    return [zlib.crc32(line.rstrip()) & 0xFFFF for line in text.encode().split(b"\n")]


def provided(world: World, files: Mapping[str, str] = PROJECT, checks: Sequence[str] = ()) -> World:
    """A project with a pytest of Python 3.13, in a loop whose tests ran once: `test_old` was red then."""
    packages = world.home / "packages"
    packages.mkdir()
    for name in PURE:
        spec = importlib.util.find_spec(name)
        assert spec is not None, name
        assert spec.origin is not None, name
        place = Path(spec.origin).parent if spec.submodule_search_locations else Path(spec.origin)
        for one in (place, *place.parent.glob(f"{name}-*.dist-info")):
            (packages / one.name).symlink_to(one)
    tool = world.project / ".venv" / "bin" / "pytest"
    tool.parent.mkdir(parents=True)
    start = f"#!{pythons.found('3.13')} -B\nimport sys\nsys.path.append({str(packages)!r})\n"
    tool.write_text(f"{start}sys.path.insert(0, '.')\nimport pytest\nsys.exit(pytest.main())\n")
    tool.chmod(0o755)
    world.write({**files, ".gitignore": ".venv\n"})
    world.commit()
    started = world.run("start-loop", "mend it", "--session", world.session, "--only", "tests", *checks)
    assert started.code == 0, started
    held = world.stop()
    assert held.code == 2, held
    return world


def told(world: World, path: str, text: str) -> str:
    """What the next hook says of what this edit turned red; "" where the run for it found nothing."""
    lock, now = world.project / ".untilgreen" / "impact" / "run.lock", time.time()
    world.edit(path, text)
    eventually(lambda: lock.exists() and json.loads(lock.read_text() or "[0, 0]")[1] > now)
    eventually(lambda: held_by(lock) is False)
    answer = world.edit("notes.md", "x")
    return answer.context if answer.stdout else ""


def held_by(lock: Path) -> bool:
    from untilgreen.state import locks

    try:
        os.close(locks.acquire(str(lock), 0))
    except locks.Busy:
        return True
    return False


HEAD = "untilgreen: {} turned red after the edit of {} ({} of 25 ran)\n"


@newer
def test_the_tests_that_start_what_changed_run_and_what_turned_red_is_told_once(world: World) -> None:
    world.env["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = ""
    provided(world)
    broken = SHOP.replace("price * RATE", "price")
    line = "test_shop.py:12: test_total assert 2 == 4"
    assert told(world, "shop.py", broken).startswith(HEAD.format("1 test", "shop.py", 1) + line)
    assert world.edit("notes.md", "y").stdout == ""
    assert told(world, "shop.py", broken + "\n") == ""  # it was told
    held = world.stop()
    assert "2 left after round 2" in held.stderr, held
    assert "23 of 25 tests not run yet" in held.stderr, held  # a held stop begins with it


CHANGED = [
    ("shop.py", SHOP.replace("RATE = 2", "RATE = 3"), ["test_total"], 4),  # no function: whoever imports it
    ("shop.py", SHOP.replace("'shop'", "'shoe'"), ["test_name", "test_wide"], 2),  # a fixture's users
    ("rates.csv", "2", ["test_data"], 4),  # data, by its name
    ("test_new.py", "def test_new():\n    assert 0\n", ["test_new"], 1),  # no map knows it
    ("test_none.py", PROJECT["test_none.py"].replace("_7():\n    pass", "_7():\n    assert 0"), ["test_7"], 1),
]


@newer
def test_what_changed_is_a_function_a_module_a_fixture_data_or_a_test(world: World) -> None:
    provided(world)
    for path, text, red, ran in CHANGED:
        answer = told(world, path, text)
        assert answer.startswith(HEAD.format(f"{len(red)} test{'s' * (len(red) > 1)}", path, ran)), answer
        assert all(f" {name} " in answer for name in red), answer
        world.write({path: PROJECT.get(path, "")})


def held_for(world: World, *left: str) -> str:
    held = world.stop()
    assert held.code == 2, held
    assert all(one in held.stderr for one in left), held
    return held.stderr


@newer
def test_a_held_stop_runs_the_tests_that_the_changes_touch_and_a_green_one_all(world: World) -> None:
    files = {name: text for name, text in PROJECT.items() if name != "test_old.py"}
    files["untilgreen.toml"] = 'tests = "affected"\n'
    provided(world, files, ("--check", "built=ls built", "--stagnation-limit", "9"))

    def slow() -> None:
        world.change(suites={"pytest": {"tests": 24, "seconds": 60.0, "late": False, "counted_by": ""}})

    for number, text, line in ((2, "price * 1 *", "1 left"), (3, "price -", "2 left")):
        slow()
        world.write({"shop.py": SHOP.replace("price *", text)})
        assert "1 of 24 tests, the rest before green" in held_for(world, f"{line} after round {number}")
    slow()
    assert "rest before green" not in held_for(world, "2 left after round 4", "pytest 1 failed of 24")
    slow()
    world.write({"shop.py": SHOP, "built": ""})
    released = world.stop()
    assert (released.code, "pytest ✓ 24" in released.notice) == (0, True), released


def test_a_python_without_such_events_makes_no_map_and_nothing_is_told(world: World) -> None:
    world.write(PROJECT)
    world.commit()
    world.run("start-loop", "mend it", "--session", world.session, "--only", "tests")
    assert world.stop().code == 2
    assert told(world, "shop.py", SHOP.replace("RATE = 2", "RATE = 3")) == ""


SLEEPS = (
    "import os, pathlib, time\nimport shop\n\n\ndef test_sleep():\n"
    "    pathlib.Path({!r}).write_text(str(os.getpid()))\n    time.sleep(shop.total(0))\n"
)


@newer
@pytest.mark.parametrize("ending", ["session", "stop", "edit"])
def test_a_run_is_over_with_its_processes(world: World, ending: str) -> None:
    seen = world.home / "pid"
    provided(world, {**PROJECT, "test_sleep.py": SLEEPS.format(str(seen))})
    seen.unlink()
    world.edit("shop.py", SHOP.replace("price * RATE", "60"))
    test = int(eventually(lambda: seen.exists() and seen.read_text()))
    if ending == "session":
        world.event("SessionEnd")
    elif ending == "stop":
        world.write({"shop.py": SHOP})
        assert world.stop().code == 2
    else:
        world.edit("shop.py", SHOP.replace("price * RATE", "0"))
    # ten seconds after its begin a run ends by itself: on a machine that is not busy not by then
    eventually(lambda: not lives(test), "its tests run on", 6)
    assert world.edit("notes.md", "y").stdout == ""


@newer
def test_nothing_runs_where_tests_are_off_or_nobody_trusts_the_project(world: World) -> None:
    seen = world.home / "ran"
    provided(world, {**PROJECT, "conftest.py": f"open({str(seen)!r}, 'w')\n"})
    seen.unlink()
    world.change(settings={**world.state["settings"], "tests": "whole"})
    assert told(world, "shop.py", SHOP.replace("RATE = 2", "RATE = 3")) == ""
    world.change(settings={**world.state["settings"], "tests": "first-failed"})
    world.run("untilgreen", "trust", "--no")
    world.edit("shop.py", SHOP.replace("RATE = 2", "RATE = 4"))
    time.sleep(1)
    assert not seen.exists()


LINES = "".join(f"{one:04x}" for one in numbers(SHOP))
PART: dict[str, Any] = {
    "files": [
        {"file": "a.py", "lines": LINES, "functions": [[4, 5, 0], [8, 9, 1]], "imports": [], "names": []},
        {"file": "conftest.py", "lines": "", "functions": [], "imports": [0], "names": ["x.csv"]},
        None,
    ],
    "rows": [[0], [0, 1], []],
    "tests": [["t.py", "one", 1, 5.0], ["t.py", "two[1]", 0, 1.0], ["t.py", "two[2]", 0, 1.0], ["u.py", "three", 2, 1]],
}


def names(text: str, path: str = "a.py") -> list[str]:
    return [test.id for test, _ in chosen([PART], {path: numbers(text)})]


def test_tests_are_chosen_by_what_they_start_the_nearest_first() -> None:
    assert names(SHOP) == []
    assert names(SHOP.replace("price *", "2 *")) == ["two[1]", "one", "two[2]"]
    assert names(SHOP.replace("'shop'", "1")) == ["one"]
    assert names(SHOP.replace("    return 'shop'", "    a = 1\n    return 'shop'")) == ["one"]
    assert names(SHOP + "\n\nVALUE = 2\n") == ["two[1]", "three", "one", "two[2]"]  # by what conftest.py imports
    assert names("", "x.csv") == ["two[1]", "three", "one", "two[2]"]
    assert names(SHOP.replace("\n\n\n", "\n\n\n\n")) == []


CHECK = Check("pytest", "pytest", ".", "tests", "/bin/true")


NONE = [b"{}", b"[1]", b'[{"files": 1}]', b"[" * 9_000]
WRONG: list[Any] = [None, [None], [[]], [{}]]
NONE += [json.dumps([{**PART, key: value}]).encode() for key in PART for value in WRONG]


def test_a_map_that_is_none_names_no_tests(tmp_path: Path) -> None:
    (tmp_path / "impact").mkdir()
    (tmp_path / "a.py").write_text(SHOP.replace("RATE", "rate"))
    kept = Path(f"{impact_map.path_of(str(tmp_path), CHECK)}.map")
    assert impact_map.touched(str(tmp_path), str(tmp_path), CHECK, ["a.py"]) == []
    for data in (b"", b"x", *map(zlib.compress, NONE)):
        kept.write_bytes(data)
        assert impact_map.touched(str(tmp_path), str(tmp_path), CHECK, ["a.py", "x.csv"]) == [], data
    kept.write_bytes(zlib.compress(json.dumps([PART]).encode()))
    (tmp_path / "t.py").write_text("def one(): pass\n")
    (tmp_path / "u.py").write_text("")
    found = [test for test, _ in impact_map.touched(str(tmp_path), str(tmp_path), CHECK, ["a.py", "t.py"])]
    assert [test.id for test in found] == ["one", "three"], found  # the others are gone
