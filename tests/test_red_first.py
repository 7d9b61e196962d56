"""What failed last runs first: a red stop is quick, and nothing is called green, better or lost by what did not run."""

from collections.abc import Mapping

from loops import new_loop
from untilgreen.core.model.check import Check
from untilgreen.core.model.settings import Criteria
from untilgreen.core.model.snapshot import Suite
from untilgreen.loops.stop import times
from untilgreen.state import catalogue
from world import Answer, World

OTHER = "0" * 36

HOLDS = "import pytest\n\n\n@pytest.mark.parametrize('n', range(30))\ndef test_holds(n):\n    pass\n"


def waiting(*names: str) -> str:
    """A file with tests that pass once their names stand in `mended.txt`."""
    return "\n\n".join(f"def test_{one}():\n    assert '{one}' in open('mended.txt').read().split()\n" for one in names)


def begin(world: World, files: Mapping[str, str], *options: str, config: str = "") -> None:
    world.write({"mended.txt": "", "tests/test_holds.py": HOLDS, "untilgreen.toml": config, **files})
    world.commit()
    world.start("mend it", "--tests-pass", *options)


def mend(world: World, *names: str) -> Answer:
    """A stop with these tests mended."""
    world.write({"mended.txt": " ".join(names)})
    return world.stop()


def newest(world: World) -> tuple[int, int, dict[str, int]]:
    """(run, failed, not run) of the newest snapshot."""
    snapshot = world.state["snapshots"][-1]
    return snapshot["tests_run"], snapshot["tests_failed"], snapshot["not_run"]


def left(world: World) -> list[str]:
    return [item["rule"] for item in world.state["snapshots"][-1]["items"]]


def rest(held: Answer) -> list[str]:
    """What a held stop says of the tests that did not run."""
    assert held.held, held
    return [line for line in held.stderr.split("\n") if "not run yet" in line]


def test_while_what_failed_last_is_red_it_alone_runs_and_the_answer_says_so(world: World) -> None:
    begin(world, {"tests/test_a.py": waiting("a", "b", "c")})
    assert (rest(mend(world)), newest(world)) == ([], (33, 3, {}))
    assert rest(mend(world, "c")) == ["30 of 33 tests not run yet"]
    assert (newest(world), left(world)) == ((3, 2, {"pytest": 30}), ["test_a", "test_b"])
    explained = world.run("untilgreen", "show", "--why", "--session", world.session).stdout
    assert "3 tests ran, what failed last ran first, 30 others did not run" in explained
    assert rest(mend(world, "c")) == ["31 of 33 tests not run yet"]
    assert newest(world) == (2, 2, {"pytest": 31})
    assert (rest(mend(world, "c")), newest(world)) == ([], (33, 2, {})), "every third round is whole"
    assert (rest(mend(world, "c", "b")), left(world)) == (["31 of 33 tests not run yet"], ["test_a"])
    assert not mend(world, "a", "b", "c").held
    assert (newest(world), world.state["verified"]) == ((33, 0, {}), True)


def test_what_broke_beside_it_is_found_at_the_third_round_and_before_green(world: World) -> None:
    begin(world, {"tests/test_a.py": waiting("a", "b"), "tests/test_z.py": waiting("z")})
    assert (mend(world, "z").held, left(world)) == (True, ["test_a", "test_b"])
    told = [(mend(world, "a").held, left(world)) for _ in range(3)]
    assert told == [(True, ["test_b"]), (True, ["test_b"]), (True, ["test_b", "test_z"])]
    assert (mend(world, "z").held, newest(world)) == (True, (2, 1, {"pytest": 31}))
    assert left(world) == ["test_b"]
    assert (mend(world, "b").held, left(world)) == (True, ["test_a", "test_z"]), "not green by omission"
    assert newest(world) == (33, 2, {})


def test_a_failing_test_that_is_renamed_moved_or_deleted_has_the_whole_suite_run(world: World) -> None:
    begin(world, {"tests/test_a.py": waiting("a", "b")}, "--stagnation-limit", "9")
    assert mend(world).held
    told = []
    before = "a"
    for name, text in (("a", waiting("a", "c")), ("d", waiting("a")), ("e", waiting("e", "f"))):
        (world.project / f"tests/test_{before}.py").unlink()
        world.write({f"tests/test_{name}.py": text})
        assert mend(world).held
        before = name
        told.append((left(world), newest(world)))
    assert told == [(["test_a", "test_c"], (32, 2, {})), (["test_a"], (31, 1, {})), (["test_e", "test_f"], (32, 2, {}))]


def test_a_loop_that_ends_red_says_what_did_not_run(world: World) -> None:
    begin(world, {"tests/test_a.py": waiting("a", "b")}, "--max-iterations", "2")
    assert mend(world).held
    ended = mend(world, "b")
    assert world.state["stop_reason"] == "max-iterations"
    assert "30 of 32 tests not run yet" in ended.notice.split("\n")


def test_a_loop_that_is_declared_done_says_what_did_not_run_when_it_was_last_checked(world: World) -> None:
    begin(world, {"tests/test_a.py": waiting("a", "b")})
    assert [mend(world, name).held for name in ("", "b")] == [True, True]
    declared = world.stop("<jikime>DONE</jikime>")
    assert (declared.held, declared.notice.split("\n")[-1]) == (False, "30 of 32 tests not run yet")


def test_the_whole_suite_runs_at_every_stop_where_the_configuration_says_so(world: World) -> None:
    begin(world, {"tests/test_a.py": waiting("a", "b")}, config='tests = "whole"\n')
    assert [(mend(world, name).held, newest(world)) for name in ("", "a")] == [(True, (32, 2, {})), (True, (32, 1, {}))]


def test_a_start_says_that_the_tests_took_longer_than_a_stop_has_for_them(world: World) -> None:
    slow = "import time\n\n\ndef test_slow():\n    time.sleep(30)\n"
    begin(world, {"tests/test_a.py": slow}, config="[checks.pytest]\ntimeout = 1\n")
    told = (
        "pytest hit its 1 s limit. Fix: set checks.pytest.timeout = 3, or run the slow tests elsewhere (docs/recipes)"
    )
    world.write({"tests/test_a.py": f"{slow}\n# more\n"})
    assert told in world.stop().notice
    started = world.run("start-loop", "go on", "--session", OTHER, "--tests-pass")
    assert told in started.stdout.split("\n")
    world.write({"untilgreen.toml": "[checks.pytest]\ntimeout = 9\n"})
    assert " limit. Fix: " not in world.run("start-loop", "go on", "--session", world.session, "--tests-pass").stdout


def test_a_start_names_every_limit_that_is_too_low() -> None:
    loop = new_loop(Criteria(test_pass=True))
    loop = loop.put(loop.checks._replace(plan=(Check("pytest@web", "pytest", "web", "tests", "/bin/pytest"),)))
    expected = {
        Suite(9, 470): [],
        Suite(9, 500): ["pytest@web took 500 s when it last ran, and its limit is 480 s. Fix: set checks.pytest.timeout = 626, deadline = 626, untilgreen init --stop-timeout 696, or run the slow tests elsewhere (docs/recipes)"],  # noqa: E501
        Suite(9, 100, late=True): [],
    }  # fmt: skip
    words = catalogue.english()
    told = {
        suite: list(times.too_slow(loop.put(loop.history._replace(suites={"pytest@web": suite})), words))
        for suite in expected
    }
    assert told == expected
