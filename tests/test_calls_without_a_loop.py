"""Where nobody began a loop the project's own calls hold, too: at an edit, at a stop and by hand."""

import json
import os
import time

import pytest

from world import Answer, World

SILENT = Answer(0, "", "")
UNUSED = "import os\n\nVALUE = 1\n"
MAKEFILE = "lint:\n\truff check --select F841,F821 src\n"
CI = ".github/workflows/ci.yml"


def asked(world: World) -> tuple[int, dict[str, str]]:
    """What the project is judged to be by hand: the exit code, and each check's outcome."""
    answer = world.run("stop-loop", stdin="{}")
    outcomes: dict[str, str] = json.loads(answer.stdout)["outcomes"]
    return answer.code, outcomes


def aged(world: World) -> None:
    """Files as they are when nobody has just written them."""
    before = time.time() - 60
    for path in world.project.rglob("*"):
        if ".git" not in path.parts and ".untilgreen" not in path.parts:
            os.utime(path, (before, before))


def test_a_linter_that_nobody_chose_looks_as_it_does_by_itself_and_for_risks(world: World) -> None:
    world.write({"app.py": "VALUE = 1\n"})
    world.commit()
    world.init()
    world.run("untilgreen", "trust")
    assert "F401" in world.edit("new.py", UNUSED).context
    assert world.stop().held
    assert asked(world)[0] == 2
    assert "F821" in world.edit("new.py", "print(undefined)\n").context
    assert world.stop().held
    world.edit("new.py", 'exec("VALUE = 1")\n')
    answer = world.stop()
    assert answer.held
    assert "S102" in answer.stderr
    assert asked(world)[0] == 2


def test_scope_and_flags_of_a_call_hold_at_an_edit_at_a_stop_and_by_hand(world: World) -> None:
    world.write({"src/app.py": "VALUE = 1\n", "docs/conf.py": "print(undefined)\n", "Makefile": MAKEFILE})
    world.commit()
    world.init()
    world.run("untilgreen", "trust")
    assert world.edit("src/new.py", UNUSED) == SILENT
    assert world.stop() == SILENT
    assert asked(world)[0] == 0
    unused = "def main() -> None:\n    value = 1\n"
    assert "F841" in world.edit("src/new.py", unused).context
    assert "F841" in world.stop().stderr
    assert asked(world)[0] == 2
    # the call changed: so do all of them
    world.write({"Makefile": MAKEFILE.replace("F841,", "")})
    assert asked(world)[0] == 0
    assert world.edit("src/new.py", unused) == SILENT
    assert world.stop().code == 0
    assert "F401" not in world.edit("src/new.py", UNUSED).context
    world.write({CI: "on: push\njobs:\n  check:\n    steps:\n      - run: ruff check --select F401\n"})
    assert "F401" in world.edit("src/new.py", UNUSED).context


def test_calls_are_read_once_and_again_when_a_file_of_theirs_comes_or_goes(world: World) -> None:
    def known() -> list[str]:
        resolved = json.loads((world.project / ".untilgreen/config.json").read_text())
        return [" ".join(call["words"]) for call in resolved["calls"]]

    world.write({"app.py": "VALUE = 1\n", "Makefile": MAKEFILE})
    world.commit()
    world.init()
    world.run("untilgreen", "trust")
    aged(world)
    world.edit("app.py", "VALUE = 2\n")
    assert known() == ["ruff check --select F841,F821 src"]
    stamp = (world.project / ".untilgreen/config.json").stat().st_mtime_ns
    world.edit("app.py", "VALUE = 3\n")
    assert (world.project / ".untilgreen/config.json").stat().st_mtime_ns == stamp
    (world.project / "Makefile").unlink()
    world.edit("app.py", "VALUE = 4\n")
    assert known() == []


@pytest.mark.tools("mypy")
def test_a_project_that_nobody_trusted_has_no_calls(world: World) -> None:
    world.write({"app.py": "def main() -> None:\n    value = 1\n", "Makefile": MAKEFILE})
    world.commit()
    assert asked(world)[0] == 2  # not in src alone
