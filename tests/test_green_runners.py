"""Runners of tests that a project calls: Django's by the tests that fail, others by their exit codes."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from test_green import CI, begun, left, workflow
from untilgreen.checks.plan import roots, scripts
from untilgreen.core.model.settings import Criteria
from untilgreen.project.tools import Tool
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
        str(project),
        tuple(sorted(files)),
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
SETTING = {"tests/settings.py": SETTINGS, "tests/test_a.py": TESTS}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (DJANGO, ["django-test"]),
        ({f"backend/{name}": text for name, text in DJANGO.items()}, ["django-test@backend"]),
        (DJANGO | {"pytest.ini": "[pytest]\nDJANGO_SETTINGS_MODULE = site_settings\n"}, ["pytest"]),
        (DJANGO | {"shop/tests.py": ""}, []),
        (DJANGO | {"shop/tests.py": "", "shop/test_views.py": PLAIN}, ["django-test"]),
        ({"manage.py": "import flask\n", "test_a.py": PLAIN}, ["unittest"]),
        (
            DJANGO | {CI: workflow("python manage.py test shop --parallel 4 --settings=ci -v 2")},
            [f"django-test shop --settings=ci ({CI}: check)"],
        ),
        (
            DJANGO | {"tox.ini": TOX.format("coverage run ./manage.py test {posargs:shop}")},
            ["django-test shop (tox.ini: testenv)"],
        ),
        (
            DJANGO | {"requirements-dev.txt": "pytest\n", "Makefile": "test:\n\tuv run manage.py test --parallel\n"},
            ["django-test (Makefile: test)"],
        ),
        (
            {**SETTING, CI: workflow("django-admin test --settings=tests.settings", "python -m django check")},
            [f"django-test --settings=tests.settings ({CI}: check)"],
        ),
        (
            {**SETTING, CI: workflow("python -m django test --settings tests.settings tests")},
            [f"django-test --settings tests.settings tests ({CI}: check)"],
        ),
        (
            {**SETTING, "demo/manage.py": MANAGE, CI: workflow("python demo/manage.py test tests")},
            [f"django-test demo/manage.py tests ({CI}: check)"],
        ),
        (DJANGO | {CI: workflow("python manage.py test ${{ matrix.apps }}")}, [f"django-test ({CI}: check)"]),
        (
            {"tests/test_a.py": TESTS, "runtests.py": "", CI: workflow("python -W error runtests.py --fast")},
            [f"python runtests.py --fast ({CI}: check)"],
        ),
        (
            {"tests/test_a.py": TESTS, "tests/runtests.py": "", "Makefile": "test:\n\tcd tests && ./runtests.py\n"},
            ["python runtests.py (Makefile: test)"],
        ),
        ({"a/tests/test_a.py": PLAIN, CI: workflow("python -m a.tests")}, [f"python -m a.tests ({CI}: check)"]),
        (
            {"a.py": "", "test_a.py": "def test_a(): ...\n", CI: workflow("python setup.py test", "python build.py")},
            [f"python setup.py test ({CI}: check)"],
        ),
        (
            {"test_a.py": "def test_a(): ...\n", "pytest.ini": "[pytest]\n", CI: workflow("python runtests.py")},
            ["pytest", f"python runtests.py ({CI}: check)"],
        ),
    ],
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


ENVIRONMENT = "[tox]\nenvlist = py312-a, lint\n[testenv]\ncommands = {env:RUN}\n"


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"Makefile": "check: all\n\t./selftest\n"}, ["make check (Makefile: check)"]),
        ({"Makefile": "test:\n\tpytest\n\t./more\n", "test_a.py": ""}, ["pytest (Makefile: test)"]),
        ({"Makefile": "check:\n\tdocker run x pytest\n"}, []),
        ({"Makefile": "test:\n\techo none\n"}, []),
        ({"Makefile": "check:\n\truff check\n", "a.py": ""}, []),
        (
            {"Makefile": "check:\n\tctest --output-on-failure\n"},
            ["ctest --output-on-failure (Makefile: check)"],
        ),
        (
            {"tox.ini": TOX.format("zope-testrunner --test-path=src")},
            ["zope-testrunner --test-path=src (tox.ini: testenv)"],
        ),
        ({"a.py": "", CI: workflow("python -m zope.testrunner -vv")}, [f"zope-testrunner -vv ({CI}: check)"]),
        ({"a.py": "", "tox.ini": ENVIRONMENT}, ["tox -e py312-a (tox.ini)"]),
        ({"test_a.py": "def test_a(): ...\n", "tox.ini": ENVIRONMENT}, ["pytest"]),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_run_as_it_stands(tmp_path: Path, files: dict[str, str], expected: list[str]) -> None:
    assert chosen(tmp_path, files) == expected
