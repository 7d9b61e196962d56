"""The commands of ralph-mem's Ralph Loop by their names, and its conditions, through the executables."""

import shutil
from typing import Any

import pytest

from world import REPOSITORY, Answer, World


@pytest.fixture
def mem(red: World) -> World:
    """A red world with `/ralph`, whose configuration names the preset."""
    red.init()
    shutil.copytree(REPOSITORY / "templates/aliases/ralph", red.project / ".claude/commands")
    red.write({"untilgreen.toml": 'preset = "ralph-mem"\n'})
    return red


def typed(world: World, line: str) -> Answer:
    return world.prompt(line, prompt_id="p0")


def asked(world: World) -> list[str]:
    criteria: dict[str, Any] = world.state["completion_criteria"]
    return [name for name, on in criteria.items() if on is True]


def test_ralph_start_task(mem: World) -> None:
    assert typed(mem, "/ralph start mend the cart").context.startswith("untilgreen: loop started (")
    state = mem.state
    settings = state["settings"]
    assert [state[name] for name in ("task_description", "status", "iteration", "no_progress_count")] == [
        *("mend the cart", "running"),
        *(1, 0),
    ]
    limits = [settings.get(name) for name in ("max_iterations", "max_minutes", "stagnation_limit")]
    assert limits == [10, 30, 3]


@pytest.mark.parametrize(
    ("type_", "kept"),
    [("test_pass", "tests_pass"), ("lint_clean",) * 2, ("type_check",) * 2, ("custom",) * 2, ("build_success",) * 2],
)
@pytest.mark.tools("mypy")
def test_ralph_start_task_with_criteria_of_a_type(mem: World, type_: str, kept: str) -> None:
    mem.write({"test_app.py": "def test_it():\n    assert True\n", "Makefile": "build:\n\ttrue\n"})
    more = " --check unit=false" if type_ == "custom" else ""
    assert typed(mem, f"/ralph start mend the cart --criteria {type_}{more}").code == 0
    assert (asked(mem), mem.state["task_description"]) == ([kept], "mend the cart")


def test_a_criterion_by_name_is_all_that_holds_and_its_tests_run_as_ci_calls_them(mem: World) -> None:
    call = "pytest -m 'not slow'"
    ci = f"on: push\njobs:\n  t:\n    runs-on: x\n    steps: [{{run: ruff check}}, {{run: {call}}}]\n"
    tests = "import pytest\n\ndef test_it():\n    assert True\n\n@pytest.mark.slow\ndef test_slow():\n    assert 0\n"
    files = {"test_app.py": tests, "pytest.ini": "[pytest]\nmarkers = slow\n", ".github/workflows/ci.yml": ci}
    mem.write(files)
    typed(mem, "/ralph start mend the cart --criteria test_pass")
    mem.write({"more.py": "import os\n"})
    assert mem.stop(prompt_id="p0").notice.endswith(" · pytest ✓ 1 · left 0")
    assert mem.prompt("/ralph start mend the cart", prompt_id="p1").code == 0
    mem.write({"more.py": "import sys\n"})
    assert (asked(mem), mem.stop(prompt_id="p1").held) == (["green"], True)


def test_a_check_of_ones_own_comes_beside_what_the_project_asks_for(mem: World) -> None:
    typed(mem, "/ralph start mend the cart --check unit=true")
    assert (sorted(asked(mem)), mem.stop(prompt_id="p0").held) == (["custom", "green"], True)


def test_ralph_stop(mem: World) -> None:
    typed(mem, "/ralph start mend the cart")
    assert typed(mem, "/ralph stop").stdout.startswith("untilgreen: loop cancelled in round 1 of 10 (")
    assert (mem.state["status"], mem.stop(prompt_id="p0")) == ("stopped", Answer(0, "", ""))


def test_ralph_status(mem: World) -> None:
    typed(mem, "/ralph start mend the cart")
    mem.stop(prompt_id="p0")
    told = typed(mem, "/ralph status").stdout
    assert told.startswith("round 2 of 10 · running · 1 left: ruff 1 · ")
    assert told.endswith(" of 30 min · /untilgreen:cancel ends it\n  mend the cart\n")


def test_ralph_rollback_after_a_failure_which_says_how(mem: World) -> None:
    typed(mem, "/ralph start mend the cart --max-iterations 1")
    mem.write({"app.py": "import os, sys\n"})
    failed = mem.stop(prompt_id="p0")
    assert (mem.state["status"], "\nRollback: untilgreen rollback " in failed.notice) == ("failed", True)
    assert "\nManual: git --git-dir=.untilgreen/git " in failed.notice
    assert typed(mem, "/ralph rollback start").code == 0
    assert (mem.project / "app.py").read_text() == "import os\n\nVALUE = 1\n"


def test_success_criteria_met_is_a_success(mem: World) -> None:
    typed(mem, "/ralph start mend the cart")
    mem.write({"app.py": "VALUE = 1\n"})
    assert not mem.stop(prompt_id="p0").held
    assert [mem.state[name] for name in ("status", "ended_at")] == ["success", mem.state["updated_at"]]
