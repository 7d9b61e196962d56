"""Where nobody began a loop: a test that the session turned red holds it, one that was red before never does."""

import json

import pytest

from world import Answer, World

SILENT = Answer(0, "", "")
CONFIG = 'auto = {mode = "new", tests = "affected"}\n'
TESTS = (
    "import app\n\n\ndef test_old() -> None:\n    assert app.OLD == 1\n\n\n"
    "def test_value() -> None:\n    assert app.VALUE == 1\n"
)
OTHER = "def test_other() -> None:\n    assert open('data.txt').read() == 'x'\n"


@pytest.fixture
def tested(world: World) -> World:
    """A project with a failing test and a passing one, in a session whose tests may hold it."""
    world.write({"ruff.toml": "", "untilgreen.toml": CONFIG, "app.py": "OLD = 2\nVALUE = 1\n", "test_app.py": TESTS})
    world.write({"test_other.py": OTHER, "data.txt": "x"})
    world.commit()
    world.init()
    world.run("untilgreen", "trust")
    return world


def test_a_test_that_the_session_turned_red_holds_and_one_that_was_red_never_does(tested: World) -> None:
    tested.edit("app.py", "OLD = 2\nVALUE = 1\nMORE = 1\n")
    assert tested.stop(prompt_id="a") == SILENT
    tested.edit("app.py", "OLD = 3\nVALUE = 2\n")
    answer = tested.stop(prompt_id="b")
    assert answer.held
    assert "test_value" in answer.stderr
    assert "test_old" not in answer.stderr
    tested.edit("app.py", "OLD = 3\nVALUE = 1\n")
    assert not tested.stop(prompt_id="b").held
    tested.edit("app.py", "OLD = 3\nVALUE = 2\n")
    assert [tested.stop(prompt_id="c").held for _ in range(6)] == [True, True, True, False, False, False]
    tested.edit("app.py", "OLD = 3\nVALUE = 3\n")
    assert not tested.stop(prompt_id="d").held  # it was let go with it


def test_at_the_first_look_only_a_file_that_the_session_made_holds(tested: World) -> None:
    tested.edit("app.py", "OLD = 2\nVALUE = 2\n")
    assert tested.stop(prompt_id="a") == SILENT  # it may have been so before
    tested.edit("test_new.py", "def test_new() -> None:\n    assert False\n")
    answer = tested.stop(prompt_id="b")
    assert answer.held
    assert "test_new" in answer.stderr
    assert "test_value" not in answer.stderr


def test_a_red_test_that_gets_another_name_does_not_hold(tested: World) -> None:
    tested.edit("app.py", "OLD = 2\nVALUE = 1\nMORE = 1\n")
    assert tested.stop(prompt_id="a") == SILENT
    tested.edit("test_app.py", TESTS.replace("test_old", "test_renamed"))
    assert not tested.stop(prompt_id="b").held


def test_tests_of_files_that_name_nothing_written_hold_where_all_do(tested: World) -> None:
    tested.edit("app.py", "OLD = 2\nVALUE = 1\nMORE = 1\n")
    assert tested.stop(prompt_id="a") == SILENT
    tested.write({"data.txt": "y"})
    tested.edit("app.py", "OLD = 2\nVALUE = 1\n")
    assert not tested.stop(prompt_id="b").held
    tested.write({"data.txt": "x", "untilgreen.toml": CONFIG.replace("affected", "all")})
    tested.edit("app.py", "OLD = 2\nVALUE = 1\nMORE = 2\n")
    tested.stop(prompt_id="c")
    tested.write({"test_more.py": OTHER.replace("'x'", "'z'")})
    tested.edit("app.py", "OLD = 2\nVALUE = 1\n")
    assert tested.stop(prompt_id="d").held


SLOW = "import time\n\n\ndef test_slow() -> None:\n    time.sleep(SECONDS)\n"


def test_fast_tests_hold_where_nobody_asked_for_them(tested: World) -> None:
    (tested.project / "untilgreen.toml").unlink()
    tested.edit("app.py", "OLD = 2\nVALUE = 1\nMORE = 1\n")
    assert tested.stop(prompt_id="a") == SILENT
    assert json.loads((tested.folder / "checking.json").read_text())["took"].keys() >= {"ruff", "pytest"}
    tested.write({"data.txt": "y"})
    tested.edit("app.py", "OLD = 2\nVALUE = 2\n")
    answer = tested.stop(prompt_id="b")
    assert answer.held
    assert ("test_value" in answer.stderr, "test_other" in answer.stderr, "test_old" in answer.stderr) == (
        True,
        True,
        False,
    )
    tested.edit("app.py", "OLD = 2\nVALUE = 1\n")
    tested.write({"data.txt": "x"})
    assert tested.stop(prompt_id="b").notice.startswith("✓ what was red is gone")


@pytest.mark.parametrize(
    ("tests", "took", "runs"), [("fast", 10.0, 1), ("fast", 10.1, 0), ("all", 10.1, 1), ("off", 1.0, 0)]
)
def test_tests_whose_last_run_took_longer_do_not_run_unless_they_are_asked_for(
    tested: World, tests: str, took: float, runs: int
) -> None:
    tested.write(
        {"untilgreen.toml": f'auto = {{tests = "{tests}"}}\n', "test_more.py": "open('ran', 'a').write('x')\n"}
    )
    other = tested.folder.parent / "other"
    other.mkdir(parents=True)
    (other / "checking.json").write_text(json.dumps({"pid": 1, "took": {"pytest": took}}))
    tested.edit("app.py", "OLD = 2\nVALUE = 1\nMORE = 1\n")
    assert tested.stop(prompt_id="a") == SILENT
    ran = tested.project / "ran"
    assert (len(ran.read_text()) if ran.exists() else 0) == runs


def test_tests_that_are_not_fast_are_ended_hold_nobody_and_do_not_run_again(tested: World) -> None:
    (tested.project / "untilgreen.toml").unlink()
    tested.write({"test_slow.py": SLOW.replace("SECONDS", "60")})
    tested.edit("app.py", "OLD = 2\nVALUE = 2\n")
    assert tested.stop(prompt_id="a") == SILENT
    assert 15 <= json.loads((tested.folder / "checking.json").read_text())["took"]["pytest"] < 60
    tested.edit("app.py", "OLD = 2\nVALUE = 3\n")
    assert tested.stop(prompt_id="b") == SILENT
    assert "pytest" not in json.loads((tested.folder / "checking.json").read_text())["checks"]


def test_a_table_and_a_word_of_the_configuration_are_the_same(tested: World) -> None:
    tested.write({"untilgreen.toml": 'auto = {mode = "sometimes"}\n'})
    answer = tested.run("start-loop", "x", "--session", tested.session)
    assert (answer.code, 'auto is "sometimes"' in answer.stderr) == (64, True)
    tested.write({"untilgreen.toml": 'auto = {colour = "red"}\n'})
    assert "unknown key auto_colour" in tested.run("start-loop", "x", "--session", tested.session).stderr
