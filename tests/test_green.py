"""Green is what the project itself calls green: the checks that it chose, as it calls them, by their exit codes."""

import json
import os
import time
from pathlib import Path

import pytest

from untilgreen.checks.plan.planning import CheckScope
from untilgreen.checks.run import checking
from untilgreen.core.model.check import Check, kind_of
from untilgreen.core.model.settings import CheckSetting, Criteria, Settings
from untilgreen.project import trust
from world import World

CI = ".github/workflows/ci.yml"


def workflow(*lines: str) -> str:
    """A workflow of a push that runs these lines."""
    steps = "".join(f"      - run: {line}\n" for line in lines)
    return f"on: push\njobs:\n  check:\n    steps:\n{steps}"


def begun(world: World, *options: str, **files: str) -> list[str]:
    """The checks of a loop that asks for nothing by name, as its start tells them; the agent has written something."""
    world.write({name.replace("__", "."): text for name, text in files.items()})
    answer = world.run("start-loop", "mend it", "--session", world.session, *options)
    assert answer.code == 0, answer
    world.write({"work.txt": "done"})
    [line] = [line for line in answer.stdout.splitlines() if line.startswith("checks: ")]
    return line.removeprefix("checks: ").split(", ")


def outcomes(world: World) -> dict[str, str]:
    """What the newest stop's checks ended as."""
    found: dict[str, str] = world.state["snapshots"][-1]["outcomes"]
    return found


def left(world: World) -> list[str]:
    """What the newest stop says is left, in the loop's own words."""
    return [item["text"] for item in world.state["snapshots"][-1]["items"]]


def test_a_loop_asks_for_what_the_project_calls_green_unless_a_preset_says_otherwise(world: World) -> None:
    begun(world, app__py="VALUE = 1\n")
    on = {name: value for name, value in world.state["completion_criteria"].items() if value is True}
    assert (on, world.state["marker"]) == ({"green": True}, "verify")
    world.start("mend it", "--replace", "--preset", "jikime")
    on = {name: value for name, value in world.state["completion_criteria"].items() if value is True}
    assert (on, world.state["marker"]) == ({"zero_errors": True}, "trust")


def test_a_linter_that_nobody_chose_holds_for_what_cannot_run_and_proves_nothing(world: World) -> None:
    assert begun(world, app__py="import os\n") == ["ruff"]
    answer = world.stop()
    assert (answer.code, world.state["completion_reason"], world.state["verified"]) == (
        0,
        "Green, but no test ran, and the project chose no check",
        False,
    )
    begun(world, app__py="print(undefined)\n")
    assert world.stop().held
    assert left(world) == ["app.py:1: F821 Undefined name `undefined`"]


def test_nothing_to_check_is_said_and_costs_no_round(world: World) -> None:
    assert begun(world) == ["none applies here yet"]
    assert world.stop().code == 0
    assert world.state["completion_reason"] == ("Green, but there is nothing here to check; name a check with --check")


def test_what_a_chosen_linter_exits_non_zero_for_counts_whatever_it_is(world: World) -> None:
    begun(world, ruff__toml='[lint]\nselect = ["W"]\n', app__py="VALUE = 1 \n")
    assert world.stop().held
    assert left(world) == ["app.py:1: W291 Trailing whitespace"]
    world.write({"app.py": "VALUE = 1\n"})
    assert world.stop().code == 0
    assert (world.state["completion_reason"], world.state["verified"]) == ("All conditions satisfied", True)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ((), ["ruff", "mypy", "pytest"]),
        (("--no-tests",), ["ruff", "mypy"]),
        (("--only", "types"), ["mypy"]),
        (("--only", "tests", "--only", "lint"), ["ruff", "pytest"]),
        (("--no-zero-errors",), ["pytest"]),
        (("--only", "types", "--zero-warnings"), ["ruff", "mypy"]),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("tools", [("mypy",)])
def test_flags_narrow_what_is_asked_for_and_criteria_add_to_it(
    world: World, options: tuple[str, ...], expected: list[str]
) -> None:
    files = {"ruff__toml": "", "mypy__ini": "[mypy]\n", "test_app__py": "def test_one() -> None: ...\n"}
    assert begun(world, *options, **files) == expected


def test_nothing_to_ask_for_is_refused(world: World) -> None:
    answer = world.run("start-loop", "x", "--session", world.session, "--only", "tests", "--no-tests")
    why = "nothing is left to ask for. Fix: leave out --only, --no-tests or --no-zero-errors"
    assert (answer.code, answer.stderr) == (64, f"start-loop failed: {why}\n")
    answer = world.run("untilgreen", "check", "--only", "tests", "--no-tests")
    assert (answer.code, answer.stderr) == (64, f"untilgreen failed: {why}\n")


@pytest.mark.parametrize("tools", [("mypy",)])
def test_a_type_checker_looks_where_the_project_lets_it_look(world: World) -> None:
    wrong = "VALUE: int = ''\n"
    world.write({"pkg/__init__.py": "", "other/app.py": wrong, CI: workflow("pip install -e .", "mypy -p pkg")})
    assert begun(world) == ["ruff", f"mypy -p pkg ({CI}: check)"]
    assert world.stop().code == 0
    world.write({"pkg/__init__.py": wrong})
    begun(world)
    assert world.stop().held
    assert [item.partition(": ")[0] for item in left(world)] == ["pkg/__init__.py:1"]


def test_tests_are_selected_as_the_project_selects_them(world: World) -> None:
    slow = "import pytest\n\n\n@pytest.mark.slow\ndef test_slow() -> None:\n    assert False\n\n\n"
    fast = "def test_fast() -> None:\n    assert False\n"
    files = {CI: workflow("pytest -m 'not slow' --cov=app -n 4 -q"), "pytest.ini": "[pytest]\nmarkers = slow\n"}
    world.write(files | {"test_app.py": slow + fast})
    assert begun(world) == ["ruff", f"pytest -m not slow ({CI}: check)"]
    assert world.stop().held
    assert (world.state["snapshots"][-1]["tests_run"], len(left(world))) == (1, 1)


def test_a_threshold_of_coverage_is_kept(world: World) -> None:
    del world.env["PYTEST_DISABLE_PLUGIN_AUTOLOAD"]
    app = "def half(yes):\n    if yes:\n        return 1\n    return 2\n"
    test = "from app import half\n\n\ndef test_half():\n    assert half(True) == 1\n"
    world.write({CI: workflow("pytest --cov=app --cov-report=xml"), ".gitignore": "__pycache__\n", "app.py": app})
    world.write({"test_app.py": test, "pyproject.toml": "[tool.coverage.report]\nfail_under = 90\n"})
    asked = ["ruff", f"pytest --cov=app --cov-fail-under=90 ({CI}: check)"]
    assert begun(world) == asked
    assert world.stop().stderr.splitlines()[:2] == [
        "Not green yet: 1 left after round 1 of 10 · pytest 1 failed of 1",
        "pytest coverage: total of 75 is less than fail-under=90: app.py 75%",
    ]
    world.write({"test_app.py": f"{test}    assert half(False) == 2\n"})
    assert world.stop().code == 0
    assert (world.state["verified"], [one.name for one in world.project.glob(".cov*")]) == (True, [])
    world.write({CI: workflow("pytest --cov app --cov-fail-under=90 -q"), "pyproject.toml": ""})
    assert begun(world) == asked


def test_a_linters_own_words_serve_an_edit_too(world: World) -> None:
    world.write({CI: workflow("ruff check --select W src --fix"), "src/app.py": "VALUE = 1\n"})
    assert begun(world) == [f"ruff --select W src ({CI}: check)"]
    world.write({"src/app.py": "import os \n"})
    edited = world.edited("src/app.py", "import os \n", "VALUE = 1\n")
    answer = world.run("post-tool-lint", stdin=json.dumps(edited))
    assert "W291" in answer.stdout
    assert "F401" not in answer.stdout


HOOKS = "repos:\n- repo: https://example.invalid/mypy\n  hooks: [{id: mypy, args: [--strict]}]\n"
WRONG = {"app.py": "VALUE: int = ''\n"}


@pytest.mark.parametrize("tools", [("mypy",)])
@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"test_app.py": "def test_one() -> None:\n    assert False\n"}, {"ruff": "clean", "pytest": "found"}),
        ({CI: workflow("ruff check ${{ matrix.where }}"), "app.py": "import os\n"}, {f"ruff ({CI}: check)": "found"}),
        (WRONG | {"requirements-dev.txt": "pytest\nmypy>=1.0\n"}, {"ruff": "clean", "mypy": "found"}),
        (
            WRONG | {"pyproject.toml": '[dependency-groups]\ndev = ["pytest", "mypy"]\n'},
            {"ruff": "clean", "mypy": "found"},
        ),
        (
            WRONG | {"pyproject.toml": "[tool.poetry.group.dev.dependencies]\nmypy = '^1'\n"},
            {"ruff": "clean", "mypy": "found"},
        ),
        (
            {".pre-commit-config.yaml": HOOKS, "app.py": "def untyped(): ...\n"},
            {"ruff": "clean", "mypy --strict (.pre-commit-config.yaml: mypy)": "found"},
        ),
    ],
    ids=["tests", "a call that cannot be read", "requirements", "a dependency group", "poetry", "a hook's flags"],
)
def test_what_a_project_has_calls_or_depends_on_is_chosen_and_holds(
    world: World, files: dict[str, str], expected: dict[str, str]
) -> None:
    world.write(files)
    assert begun(world) == [*expected]
    assert world.stop().held
    assert outcomes(world) == {name.partition(" ")[0]: outcome for name, outcome in expected.items()}


def test_what_nobody_chose_is_never_missing(quick: World) -> None:
    (quick.tmp / "programs" / "ruff").unlink()
    (quick.project / "ruff.toml").unlink()
    assert begun(quick, app__py="VALUE = 1\n") == ["none applies here yet"]
    assert quick.stop().code == 0
    assert "ruff" not in quick.state["completion_reason"]


@pytest.mark.parametrize("tools", [("mypy",)])
def test_check_says_what_is_green_in_the_projects_own_terms(world: World) -> None:
    world.write({"pkg/__init__.py": "VALUE: int = ''\n", "ruff.toml": "", CI: workflow("mypy -p pkg")})
    world.write({"test_pkg.py": "def test_one() -> None: ...\n"})
    untrusted = world.run("untilgreen", "check")
    assert (untrusted.code, untrusted.stdout.splitlines()) == (
        0,
        [
            "ruff: clean",
            f"mypy -p pkg ({CI}: check): not trusted, mypy did not run (`untilgreen trust`)",
            "pytest: not trusted, pytest did not run (`untilgreen trust`)",
            "✓ green, but not trusted, mypy, pytest did not run (`untilgreen trust`) · ruff ✓",
        ],
    )
    assert world.run("untilgreen", "trust").code == 0
    red = world.run("untilgreen", "check")
    told = 'mypy assignment: Incompatible types in assignment (expression has type "str", variable has type "int")'
    assert (red.code, red.stdout.splitlines()) == (
        1,
        [
            "ruff: clean",
            f"mypy -p pkg ({CI}: check): 1 left",
            "pytest: clean, 1 test ran",
            f"pkg/__init__.py:1:14 {told}",
            "✗ not green · 1 left: mypy 1",
        ],
    )
    assert world.run("untilgreen", "check", "--only", "lint", "--only", "tests").code == 0
    assert not (world.project / ".untilgreen").exists()


def test_check_tells_what_it_cannot_judge(world: World) -> None:
    empty = world.run("untilgreen", "check")
    assert (empty.code, empty.stdout) == (4, "✗ could not be judged · there is nothing here to check\n")
    world.write({"ruff.toml": "never = [", "app.py": "VALUE = 1\n"})
    broken = world.run("untilgreen", "check", "--json")
    [check] = json.loads(broken.stdout)["checks"]
    assert (broken.code, check["name"], check["outcome"]) == (4, "ruff", "broken")


def test_the_plan_says_why_each_tool_is_in_or_out(world: World) -> None:
    makefile = "lint:\n\tmypy app.py\n"
    world.write({"app.py": "VALUE = 1\n", "Makefile": makefile, "test_app.py": "def test_a(): ...\n"})
    world.run("untilgreen", "trust")
    assert world.plan == {
        "ruff": "nobody chose it: it looks for what cannot run, and for nothing else",
        "mypy": "mypy is not installed",
        "pytest": "configured, or there is something for it",
    }
    out = world.run("untilgreen", "check", "--explain-plan", "--all").stdout.splitlines()
    assert "eslint: out: not configured, not called, not depended on" in out


@pytest.mark.parametrize(
    ("needs", "configured", "chosen"),
    [
        (["typescript", "eslint"], ["tsconfig.json", "eslint.config.js"], {"tsc", "eslint"}),
        (["typescript", "eslint"], [], set()),
        (["tape"], ["tsconfig.json"], set()),  # it is for an editor, or for what bundles
        ([], ["tsconfig.json"], {"tsc"}),
    ],
)
def test_a_tool_of_javascript_needs_a_configuration_and_tsc_to_be_depended_on(
    world: World, needs: list[str], configured: list[str], chosen: set[str]
) -> None:
    manifest = {"devDependencies": dict.fromkeys(needs, "1")} if needs else {}
    world.write({"package.json": json.dumps(manifest), "a.js": "", "b.ts": "", **dict.fromkeys(configured, "{}\n")})
    assert world.plan.keys() == chosen


def test_the_loop_of_jikimes_users_is_theirs(world: World) -> None:
    world.write({"requirements.txt": ""})
    assert world.run("untilgreen", "init", "--alias", "jikime").code == 0
    world.prompt("/jikime:loop --max-iterations 4 mend it", prompt_id="p1")
    on = [name for name, value in world.state["completion_criteria"].items() if value is True]
    settings = world.state["settings"]
    assert (on, settings["marker"], settings["auto"], settings["max_iterations"]) == (
        ["zero_errors"],
        "trust",
        "all",
        4,
    )


@pytest.mark.parametrize("tools", [("mypy",)])
def test_a_hook_looks_at_the_files_that_pre_commit_names_and_one_version_of_many_is_enough(world: World) -> None:
    files = {"src/app.py": "", "src/new_gen.py": "", "web/app.py": "", "tests/test_app.py": "", "docs/conf.py": ""}
    hook = "{id: mypy, files: '^(src|tests)/', exclude: _gen}"
    config = f"repos:\n  - repo: https://example.invalid/mirrors-mypy\n    hooks: [{hook}]\n"
    world.write(files | {".pre-commit-config.yaml": config})
    assert begun(world, "--only", "types") == [
        "mypy --ignore-missing-imports --scripts-are-modules (.pre-commit-config.yaml: mypy)"
    ]
    versions = "lint:\n\tmypy --python-version=3.12 src\n\tmypy --python-version=3.11 src\n\tmypy tests\n"
    world.write({"Makefile": versions})
    shown = ["mypy --python-version=3.12 src (Makefile: lint)", "mypy tests (Makefile: lint)"]
    assert begun(world, "--replace", "--only", "types") == shown


VITEST = '{"scripts": {"test": "vitest run"}, "devDependencies": {"vitest": "^3.0.0"}}'


def test_a_tool_that_pre_commit_alone_brings_is_not_missing(world: World) -> None:
    world.write({".pre-commit-config.yaml": HOOKS, "app.py": "VALUE = 1\n", "ruff.toml": ""})
    assert begun(world) == ["ruff"]
    assert world.stop().code == 0
    assert world.state["completion_reason"] == "All conditions satisfied"


@pytest.mark.parametrize(
    ("files", "cure"),
    [
        ({"mypy.ini": "[mypy]\n", "uv.lock": ""}, "uv sync"),
        ({"mypy.ini": "[mypy]\n"}, "python -m pip install mypy"),
        (
            {"mypy.ini": "[mypy]\n", "pyproject.toml": '[dependency-groups]\ndev = ["pytest"]\n'},
            "python -m pip install mypy",
        ),
        ({"eslint.config.js": "", "package.json": "{}", "package-lock.json": "{}"}, "npm ci"),
        ({"package.json": VITEST, "package-lock.json": "{}"}, "npm ci"),
    ],
    ids=["uv", "no lock", "a group without it", "npm", "a script"],
)
def test_a_project_whose_environment_was_not_made_is_told_how_to_make_it(
    world: World, files: dict[str, str], cure: str
) -> None:
    world.write(files | {"app.py": "VALUE = 1\n", "app.js": "1;\n"})
    (world.programs / "npm").symlink_to("/bin/true")  # of the real one only that it is there
    answer = world.run("start-loop", "mend it", "--session", world.session)
    names = "mypy" if "mypy.ini" in files else "eslint" if "eslint.config.js" in files else "vitest"
    reason = f"none of the project's tools is installed: {names}. Fix: {cure}"
    assert (answer.code, answer.stderr) == (64, f"start-loop failed: {reason}\n")
    assert world.run("start-loop", "mend it", "--session", world.session, "--allow-absent").code == 0


def test_a_program_of_many_tools_is_no_call_of_each_of_them(world: World) -> None:
    lines = ("python -c 'import app'", "npm ci", "go install example.invalid/x", "cargo install x")
    world.write({CI: workflow(*lines), "app.py": "VALUE = 1\n"})
    assert begun(world) == ["ruff"]


def test_a_criterion_by_name_makes_its_own_tools_chosen_and_no_others(world: World) -> None:
    test = "def test_one() -> None: ...\n"
    assert begun(world, "--tests-pass", app__py="import os\n", test_app__py=test) == ["ruff", "pytest"]
    assert world.stop().code == 0
    assert world.state["completion_reason"] == "All conditions satisfied"
    begun(world, "--criteria", "lint_clean")
    assert world.stop().held
    assert left(world) == ["app.py:1: F401 `os` imported but unused"]


def test_a_call_is_run_with_the_variables_that_the_project_sets_for_it(world: World) -> None:
    test = "import os\nfrom app import VALUE\n\ndef test_it():\n    assert (VALUE, os.environ['MODE']) == (1, 'fast')\n"
    variables = "setenv =\n    PYTHONPATH = {toxinidir}/src\n    MODE = fast\n"
    tox = f"[tox]\nenvlist = py\n[testenv]\n{variables}commands = pytest\n"
    world.write({"src/app.py": "VALUE = 1\n", "tests/test_app.py": test, "tox.ini": tox})
    assert begun(world) == ["ruff", "PYTHONPATH=./src MODE=fast pytest (tox.ini: testenv)"]
    assert world.stop().code == 0
    begun(world)
    world.write({"src/app.py": "VALUE = 2\n"})
    assert world.stop().held
    assert left(world) == ["tests/test_app.py:4: test_it AssertionError: assert (2, 'fast') == (1, 'fast')"]


def test_a_check_with_a_variable_of_its_project_runs_where_the_project_is_trusted(tmp_path: Path) -> None:
    settings = Settings(checks={"a": CheckSetting(command=("sh", "-c", 'test -z "$GIVEN"'))})
    check = Check("a", "custom", ".", "static", "sh", env=("GIVEN=x",))
    env = {"PATH": os.defpath, "XDG_STATE_HOME": str(tmp_path / "state")}
    trust.grant(str(tmp_path), env)
    found = {}
    for trusted in (True, False):
        scope = CheckScope(str(tmp_path), settings, Criteria(), env, trusted)
        [(_, outcome)] = checking.run(scope, (check,), checking.Watch(time.monotonic() + 60))
        found[trusted] = kind_of(outcome)
    assert found == {True: "found", False: "broken"}
