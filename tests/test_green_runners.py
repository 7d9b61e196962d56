"""Runners of tests that a project calls: Django's by the tests that fail, others by their exit codes."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

import tables
from test_green import CI, begun, left, workflow
from untilgreen.checks.plan import roots, scripts
from untilgreen.core.model.settings import Criteria
from untilgreen.project.tools import Tool
from untilgreen.project.tree.layout import Layout
from world import World

MANAGE = """import os
import sys

from django.core.management import execute_from_command_line

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "site_settings")
execute_from_command_line(sys.argv)
"""
SETTINGS = """SECRET_KEY = "never used"
INSTALLED_APPS = ["shop"]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
"""
TESTS = """from django.test import TestCase


class Totals(TestCase):
    def test_total(self):
        self.assertEqual(1 + 1, {})

    def test_other(self):
        pass
"""
DJANGO = {"manage.py": MANAGE, "site_settings.py": SETTINGS, "shop/__init__.py": "", "shop/tests.py": TESTS.format(3)}
PLAIN = "import unittest\n\n\nclass Case(unittest.TestCase):\n    def test_it(self):\n        self.assertEqual(1, {})\n"


def chosen(project: Path, files: Mapping[str, str], stage: str = "tests") -> list[str]:
    """The checks of a stage, as they are shown, that green has in a project with these files."""
    for name, text in files.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text)
    found = roots.built_in(
        Layout(str(project), tuple(sorted(files))),
        Criteria(green=True),
        lambda tool, _root: Tool(f"/bin/{tool}", "", inside=False),
        calls=scripts.read(str(project), tuple(sorted(files))),
    )
    return [check.shown for check in found if check.stage == stage]


def test_a_django_project_is_held_by_its_failing_tests_by_name(world: World) -> None:
    world.write(DJANGO)
    assert begun(world) == ["ruff", "django-test"]
    assert world.stop().held
    assert left(world) == ["shop/tests.py:6: Totals::test_total AssertionError: 2 != 3"]
    world.write({"shop/tests.py": TESTS.format(2), "site_settings.py": SETTINGS.replace('"shop"', '"shop", "absent"')})
    assert world.stop().held
    assert left(world)[0].startswith("check django-test: exit code 1: ModuleNotFoundError: No module named 'absent'\n")
    world.write({"site_settings.py": SETTINGS})
    assert world.stop().code == 0
    assert world.state["snapshots"][-1]["tests_run"] == 2


TOX = "[tox]\nenvlist = py\n[testenv]\ncommands = {}\n"


@pytest.mark.parametrize(
    ("files", "expected"),
    tables.rows("runners", "files", "expected"),
    ids=[
        *("django", "further down", "pytest's", "no tests", "unittest's classes", "another manage.py", "labels of CI"),
        *("tox", "depended on only", "django-admin", "a module", "elsewhere", "a matrix", "runtests", "in tests"),
        *("a package of tests", "setup.py", "configured too"),
    ],
)  # fmt: skip
def test_the_projects_own_runner_runs_its_tests(tmp_path: Path, files: dict[str, str], expected: list[str]) -> None:
    assert chosen(tmp_path, files) == expected


def test_a_script_that_prints_what_unittest_does_is_read_and_any_other_is_its_last_lines(world: World) -> None:
    script = "import sys\nimport unittest\n\nsys.path.insert(0, '.')\nunittest.main('cases', argv=sys.argv)\n"
    world.write({"runtests.py": script, "cases.py": PLAIN.format(2), CI: workflow("python runtests.py -q")})
    assert begun(world) == ["ruff", f"python runtests.py -q ({CI}: check)"]
    assert world.stop().held
    assert left(world) == ["cases.py:6: Case::test_it AssertionError: 1 != 2"]
    world.write({"runtests.py": "print('test_a ... ok')\nprint('test_b: wrong')\nraise SystemExit(3)\n"})
    assert world.stop().held
    assert left(world) == ["runtests.py: exit-3 test_b: wrong"]
    world.write({"runtests.py": "print('fine')\n"})
    assert world.stop().code == 0


@pytest.mark.parametrize(
    ("files", "expected"),
    tables.rows("runners-unread", "files", "expected"),
)  # fmt: skip
def test_what_cannot_be_read_is_run_as_it_stands(tmp_path: Path, files: dict[str, str], expected: list[str]) -> None:
    assert chosen(tmp_path, files) == expected


def test_a_pattern_in_a_call_stands_for_the_files_that_fit_it(world: World) -> None:
    (world.programs / "bats").write_text('#!/bin/sh\necho "ran $*"\nexit 3\n')
    (world.programs / "bats").chmod(0o755)
    world.write({"test/a.bats": "", "test/b.bats": "", CI: workflow("bats test/*.bats 'x*'")})
    assert begun(world) == [f"bats test/*.bats x* ({CI}: check)"]
    assert world.stop().held
    assert left(world) == ["bats: exit-3 ran test/a.bats test/b.bats x*"]


EVERY = {
    "Makefile": "test:\n\tpython3 tools/every.py\n",
    "tools/every.py": 'import sys\n\nsaid = open("said.txt").read()\nprint(said)\nsys.exit("FAIL" in said)\n',
}
FAILED = "".join(f"--- FAIL: TestPart{number} (0.00s)\n    a_test.go:{number}: no\n" for number in range(1, 5))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"{FAILED}FAIL\nFAIL\texample.invalid/a\t0.01s\n", "ok  \texample.invalid/a\t0.01s\n"),
        (f"{FAILED}FAIL\nFAIL\texample.invalid/a\t0.01s\n", ""),
        (f"{FAILED}FAIL\nFAIL\texample.invalid/a\t0.01s\n", "1 passed in 0.01s\n"),
        ("FAILED a.py::test_one - x\n=== 1 failed, 8 passed in 0.01s ===\n", "all is well\n"),
    ],
)
def test_numbers_of_tests_that_were_not_counted_the_same_way_are_not_compared(
    world: World, before: str, after: str
) -> None:
    world.write({**EVERY, "said.txt": before})
    assert begun(world) == ["ruff", "make test (Makefile: test)"]
    assert world.stop().held
    world.write({"said.txt": after})
    answer = world.stop()
    assert (answer.code, world.state["verified"], "fewer" in answer.notice) == (0, True, False)


def test_fewer_tests_that_were_counted_the_same_way_are_told(world: World) -> None:
    world.write({**EVERY, "said.txt": "=== 9 passed in 0.01s ===\n", "ruff.toml": "", "app.py": "import os\n"})
    begun(world)
    assert world.stop().held
    world.write({"said.txt": "=== 7 passed in 0.01s ===\n"})
    assert "Not a clean pass: 2 tests fewer." in world.stop().stderr


TWICE = "test: unit\n\tpython3 tools/every.py\n\nunit:\n\tpytest -q\n"
OTHERS = {"tools/every.py": "", "tools/other.py": "", "test_a.py": "def test_a(): pass\n"}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"Makefile": TWICE}, ["pytest (Makefile: unit)", "python tools/every.py (Makefile: test)"]),
        (
            {"justfile": "test: unit\n    python3 tools/every.py\n\nunit:\n    pytest -q\n"},
            ["pytest (justfile: unit)", "python tools/every.py (justfile: test)"],
        ),
        (
            {"Makefile": "check: test\n\tpython3 tools/other.py\n\ntest:\n\tpython3 tools/every.py\n"},
            ["make test (Makefile: test)", "python tools/other.py (Makefile: check)"],
        ),
        # what only the target itself prepares
        (
            {"Makefile": f"{TWICE.replace(': unit', ': build unit')}\nbuild:\n\tpython3 setup.py build_ext -i\n"},
            ["pytest (Makefile: unit)", "make test (Makefile: test)"],
        ),
        # what judges nothing
        (
            {"Makefile": "test:\n\tpip install -e . && $(MAKE) unit\n\nunit:\n\tpytest -q\n"},
            ["pytest (Makefile: unit)"],
        ),
        (
            {CI: workflow("make lint", "make ci"), "Makefile": "ci: lint test\nlint:\n\truff .\ntest:\n\tpytest -q\n"},
            ["pytest (Makefile: test)"],
        ),
    ],
)
def test_of_a_task_whose_parts_are_checks_already_only_the_rest_is_run(
    tmp_path: Path, files: dict[str, str], expected: list[str]
) -> None:
    assert chosen(tmp_path, OTHERS | files) == expected


# what pnpm does below npm's `--silent`
PNPM = '#!/bin/sh\n[ "$npm_config_loglevel" = silent ] || echo "a test: TypeError: no"\nexit 1\n'


@pytest.mark.needs("npm")
@pytest.mark.parametrize("package", ['{"test": "pnpm -r test"}', '{"test": "eslint . && pnpm -r test"}'])
def test_a_pnpm_below_npm_is_heard(world: World, package: str) -> None:
    world.write({"package.json": f'{{"name": "x", "scripts": {package}}}', "node_modules/.bin/pnpm": PNPM})
    (world.project / "node_modules/.bin/pnpm").chmod(0o755)
    begun(world)
    assert world.stop().held
    assert [item.partition("exit-1 ")[2] for item in left(world)][-1:] == ["a test: TypeError: no"]


def scripts_of(**named: str) -> str:
    return json.dumps({"scripts": named})


LERNA = json.dumps({"workspaces": ["p/*"], "scripts": {"lint": "lerna run --parallel lint"}})
EACH = ["npm run lint (p/a/package.json: lint)", "npm run lint (p/b/package.json: lint)"]


@pytest.mark.parametrize(
    ("line", "more", "expected"),
    [
        ("npx turbo run test lint", {}, EACH),
        ("turbo lint --continue", {"turbo.json": '{"tasks": {"lint": {"dependsOn": ["^lint"]}}}'}, EACH),
        ("npx nx run-many -t test,lint --parallel", {}, EACH),
        ("nx affected --target=lint", {}, EACH),
        ("npx lerna run lint --stream", {}, EACH),
        ("lerna run --parallel lint", {}, EACH),
        ("npm run lint", {"package.json": LERNA}, EACH),
        # what has to be built before, other words, and what is no script
        ("turbo lint", {"turbo.json": '{"tasks": {"lint": {"dependsOn": ["^build"]}}}'}, []),
        ("turbo lint", {"turbo.json": "// commented\n{}"}, []),
        ("lerna run lint --scope a", {}, []),
        ("nx run-many -t lint", {"p/a/project.json": "{}"}, []),
        ("turbo run docs", {}, []),
    ],
)
def test_what_turbo_nx_and_lerna_run_is_the_scripts_of_the_packages(
    tmp_path: Path, line: str, more: dict[str, str], expected: list[str]
) -> None:
    packages = {f"p/{name}/package.json": scripts_of(test="mocha", lint="stylelint css") for name in "ab"}
    root = {"package.json": '{"workspaces": ["p/*"]}', CI: workflow(line)}
    assert chosen(tmp_path, root | packages | more, "static") == expected


def test_a_script_that_runs_as_it_stands_has_what_ci_sets_for_it(tmp_path: Path) -> None:
    lines = "on: push\njobs:\n  x:\n    steps:\n    - run: npm run lint:size\n      env: {SKIP: '1'}\n"
    for name, text in {"package.json": scripts_of(**{"lint:size": "lerna exec size"}), CI: lines}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    whole = [one for one in scripts.read(str(tmp_path), ("package.json", CI)) if one.words[0] == "npm-script"]
    assert [(one.words[1:], one.env) for one in whole] == [(("npm", "run", "lint:size"), ("SKIP=1",))]


FILTERED = {
    "package.json": "{}",
    "pnpm-workspace.yaml": "packages: ['p/*', docs]\n",
    "docs/package.json": scripts_of(build="vite"),
    **{f"p/{name}/package.json": scripts_of(test="mocha", lint="stylelint css") for name in "ab"},
}


@pytest.mark.parametrize(
    ("line", "folders"),
    [
        ("pnpm --filter './p/*' --no-bail run lint", ["p/a", "p/b"]),
        ("pnpm --filter './p/**' lint", ["p/a", "p/b"]),
        ("pnpm -F '{p/a}' lint", ["p/a"]),
        ("pnpm -r --filter '!./p/a' lint", ["p/b"]),
        ("pnpm -r --filter ./p/b lint", ["p/b"]),
        ("pnpm --parallel --no-bail run lint", ["p/a", "p/b"]),
        ("pnpm run --parallel lint", ["p/a", "p/b"]),
        # packages without the script are passed over
        ("pnpm -r --workspace-concurrency 1 lint", ["p/a", "p/b"]),
        ("pnpm --filter './q/*' lint", []),
    ],
)
def test_pnpm_runs_the_scripts_of_the_packages_that_its_filters_mean(
    tmp_path: Path, line: str, folders: list[str]
) -> None:
    expected = [f"npm run lint ({folder}/package.json: lint)" for folder in folders]
    assert chosen(tmp_path, FILTERED | {CI: workflow(line)}, "static") == expected


def test_no_package_without_a_script_called_test_is_asked_for_one(tmp_path: Path) -> None:
    files = FILTERED | {CI: workflow("pnpm -r test")}
    chosen(tmp_path, files)
    found = scripts.read(str(tmp_path), tuple(sorted(files)))
    assert [(one.words, one.folder) for one in found] == [(("mocha",), "p/a"), (("mocha",), "p/b")]


def test_what_ni_runs_is_the_scripts_of_the_package(tmp_path: Path) -> None:
    files = {"package.json": scripts_of(lint="stylelint css"), CI: workflow("nci\nnr lint")}
    assert chosen(tmp_path, files, "static") == ["npm run lint (package.json: lint)"]


SHELL = "#!/bin/sh\nset -e\nfor one in 1 2; do test -f done.txt || { echo no done.txt; exit 1; }; done\n"
PROGRAM = "#!/usr/bin/env python3\nimport os, sys\nsys.exit(0 if os.path.isfile('done.txt') else 'no done.txt')\n"


@pytest.mark.parametrize(
    "line", ["test/run", "MODE=ci ./test/run -v", "python3 test/run", "sh tools/gate.sh", "uv run ./tools/gate.sh"]
)
def test_a_script_of_the_projects_own_that_ci_runs_holds_by_its_exit_code(world: World, line: str) -> None:
    world.write({"test/run": PROGRAM, "tools/gate.sh": SHELL, "a.txt": ""})
    for name in ("test/run", "tools/gate.sh"):
        (world.project / name).chmod(0o755)
    found = begun(world, **{CI.replace(".", "__"): workflow(line)})
    assert [one for one in found if "(" in one] == [
        f"{line.removeprefix('uv run ').replace('./', '').replace('python3', 'python')} ({CI}: check)"
    ]
    world.write({"a.txt": "work\n"})
    stopped = world.stop()
    assert stopped.held
    assert "no done.txt" in stopped.stderr
    world.write({"done.txt": ""})
    assert "green" in world.stop().notice


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("cog --check README.md", [f"cog --check README.md ({CI}: check)"]),
        ("black src", []),  # it writes
        ("elsewhere --check", []),
        ("./tools/install.sh", []),
        ("tools/deploy", []),
        ("python tools/generate_docs.py", []),
        ("tools/verify $UNKNOWN", []),
        ("tools/verify built.json", []),
        ("tools/verify prepare --all", []),
        ("docker run -v .:/a b tools/verify", []),
        ("python benchmarks/run.py", []),
        ("python manage.py collectstatic --noinput", []),
        ("python manage.py makemigrations --check", [f"python manage.py makemigrations --check ({CI}: check)"]),
        ("node tools/verify.js &", []),
        ("tools/verify", [f"tools/verify ({CI}: check)"]),
        (".venv/bin/cog -c a", [f"cog -c a ({CI}: check)"]),
        ("node tools/verify.js --all", [f"node tools/verify.js --all ({CI}: check)"]),
    ],
)
def test_what_prepares_writes_or_is_not_the_projects_is_not_run(tmp_path: Path, line: str, expected: list[str]) -> None:
    names = ("install.sh", "deploy", "generate_docs.py", "verify", "verify.js")
    files = {
        "README.md": "",
        "benchmarks/run.py": "",
        "manage.py": "",
        **{f"tools/{name}": "#!/usr/bin/env node\n" for name in names},
    }
    programs = {f".venv/bin/{name}": "#!/bin/sh\n" for name in ("cog", "black", "python")}
    for name, text in {**programs, ".venv/pyvenv.cfg": ""}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    shown = chosen(tmp_path, {**files, CI: workflow(line)}, "static")
    assert [one for one in shown if one != "ruff"] == expected


def test_what_ci_runs_and_nobody_reads_is_in_the_plan(world: World) -> None:
    world.write({"tools/verify": "", "README.md": ""})
    world.write(
        {CI: workflow("./tools/verify $MODE", "elsewhere --check", "pip install .", "./tools/verify", "make all")}
    )
    told = world.run("untilgreen", "check", "--explain-plan").stdout.splitlines()
    assert [line.partition(": not read: ")[2] for line in told if ": not read: " in line] == [
        "tools/verify $MODE",
        "elsewhere --check",
    ]


CONDITIONS = """on: push
jobs:
  check:
    steps:
      - run: ruff check
      - run: |
          if [ "$RUNNER_OS" = Linux ]; then
            sudo apt-get install -y graphviz
            ruff check
            MODE=slow pytest --cov
          elif ! cargo test; then
            echo "cargo is red"; exit 1
          fi
          until curl -s localhost; do sleep 1; done
          while read -r file; do tools/verify "$file"; done < list.txt
          for part in core cli; do ruff check --diff $part; done
          VERSION=$(python setup.py --version)
          elsewhere --check || elsewhere --twice
          mypy . || true
"""


def test_what_ci_runs_on_a_condition_is_counted_and_named(world: World) -> None:
    world.write({"tools/verify": "#!/bin/sh\n", "app.py": "", CI: CONDITIONS})
    told = world.run("untilgreen", "check", "--explain-plan").stdout.splitlines()
    assert [line.removeprefix(f"{CI}: check: ") for line in told if line.startswith(CI)] == [
        "not read: MODE=slow pytest --cov: it runs on a condition",
        "not read: cargo test: it runs on a condition",
        "not read: tools/verify $file: it runs on a condition",
        "not read: elsewhere --twice: it runs on a condition",
        "out: mypy .: its failure does not count",
    ]
    assert "not read: 4 steps of ci.yml" in world.run("untilgreen", "check").stdout.splitlines()


def test_a_loop_over_fixed_words_is_checked_round_by_round(tmp_path: Path) -> None:
    loop = ["|", "for part in core cli; do", "  pytest $part", "  (cd $part && tools/verify)", "done"]
    files = {f"{part}/{name}": "" for part in ("core", "cli") for name in ("test_a.py", "tools/verify")}
    files |= {CI: workflow("\n          ".join(loop))}
    assert chosen(tmp_path, files) == [f"pytest core ({CI}: check)", f"pytest cli ({CI}: check)"]
    assert [one for one in chosen(tmp_path, files, "static") if one != "ruff"] == [
        f"tools/verify ({CI}: check)",
        f"tools/verify ({CI}: check)",
    ]


def test_a_script_that_is_given_a_secret_is_not_run(tmp_path: Path) -> None:
    step = workflow("tools/verify") + "        env:\n          KEY: ${{ secrets.KEY }}\n"
    shown = chosen(tmp_path, {"tools/verify": "", CI: step}, "static")
    assert [one for one in shown if one != "ruff"] == []


def test_of_a_target_with_prerequisites_alone_their_recipes_are_run(tmp_path: Path) -> None:
    rules = "check: lint unit\nlint:\n\t./ci/style\nunit:\n\tpython3 ci/all.py\n"
    shown = chosen(tmp_path, {"Makefile": rules, "ci/style": "", "ci/all.py": ""}, "static")
    assert [one for one in shown if one != "ruff"] == ["ci/style (Makefile: lint)", "python ci/all.py (Makefile: unit)"]
