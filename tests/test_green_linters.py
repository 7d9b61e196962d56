"""The linters and formatters of today, themselves: red by their own exit codes, in the words of the project's calls."""

import json
import os
import shutil
from collections.abc import Mapping
from typing import NamedTuple

import pytest

import tables
from cases import but
from node import installed
from test_green import CI, begun, left, outcomes, workflow
from world import World


class Case(NamedTuple):
    """What a project calls, a file that its tool ends red for, the same file mended, and what is told of both."""

    files: Mapping[str, str]
    check: str
    path: str
    red: str
    green: str
    told: list[str]
    package: str = ""


def package(lint: str) -> dict[str, str]:
    document = {"name": "a", "type": "module", "scripts": {"lint": lint}}
    return {"package.json": json.dumps(document, indent=2) + "\n"}


MARK = "print( 1)\n"
PYTHON = {title: Case(**values) for title, values in tables.cases("linters-python")}
PYTHON["ty"] = Case(
    {"tox.ini": "[tox]\nenvlist = ty\n[testenv:ty]\ncommands = ty check -q src\n", "other.py": "a: int = ''\n"},
    "ty src (tox.ini: ty)",
    "src/a.py",
    "VALUE: int = ''\n",
    "VALUE: int = 1\n",
    ['src/a.py:1: invalid-assignment Object of type `Literal[""]` is not assignable to `int`'],
)
JAVASCRIPT = {title: Case(**values) for title, values in tables.cases("linters-javascript")}


def judged(world: World, case: Case) -> None:
    """Red, told; mended, let go."""
    world.write({**case.files, case.path: case.red})
    assert case.check in begun(world), world.state["plan"]
    assert world.stop().held
    assert left(world) == case.told
    world.write({case.path: case.green})
    assert world.stop().code == 0
    assert set(outcomes(world).values()) <= {"clean", "found"}


def bring(world: World, package: str) -> None:
    """Node, and a package of it in the project."""
    world.env["PATH"] += os.pathsep + os.path.dirname(shutil.which("node") or "")
    world.write({".gitignore": "node_modules\n"})
    (world.project / "node_modules").symlink_to(installed(package) / "node_modules")


@pytest.mark.parametrize("name", but(PYTHON, ("isort", "flake8")))
@pytest.mark.parametrize("tools", [("black", "isort", "flake8", "pylint", "ty")])
def test_a_python_projects_own_call_is_red_until_it_is_mended(world: World, name: str) -> None:
    judged(world, PYTHON[name])


# biome's other calls say the same in other words, which are recorded
MORE = ("biome ci", "biome format", "prettier")


@pytest.mark.needs("npm")
@pytest.mark.parametrize("name", but(JAVASCRIPT, MORE))
def test_a_javascript_projects_own_call_is_red_until_it_is_mended(world: World, name: str) -> None:
    bring(world, JAVASCRIPT[name].package)
    judged(world, JAVASCRIPT[name])


@pytest.mark.needs("npm")
def test_warnings_of_a_type_checker_count_where_its_call_says_so(world: World) -> None:
    bring(world, "pyright@1.1.414")
    config = '{"reportUnusedVariable": "warning", "include": ["src"]}\n'
    world.write({"pyrightconfig.json": config, "src/a.py": "def one() -> None:\n    two = 1\n"})
    world.trust()
    assert world.run("untilgreen", "check").code == 0
    world.write({CI: workflow("pyright --warnings src")})
    told = world.run("untilgreen", "check")
    assert (told.code, "src/a.py:2" in told.stdout) == (1, True), told


@pytest.mark.parametrize("tools", [("black", "isort", "flake8")])
@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"pyproject.toml": '[tool.black]\n[tool.isort]\n[dependency-groups]\ndev = ["black", "isort"]\n'}, ["ruff"]),
        ({"Makefile": "lint:\n\tblack src\n\truff format\n\tisort .\n"}, ["ruff"]),
        ({CI: workflow("black src")}, ["ruff"]),
        ({CI: workflow("black --check src")}, ["ruff", f"black --check src ({CI}: check)"]),
        ({CI: workflow("black --check ${{ matrix.folder }}")}, ["ruff", f"black --check . ({CI}: check)"]),
        ({CI: workflow("black --version", "flake8 --version")}, ["ruff"]),
        ({".flake8": "[flake8]\n"}, ["ruff", "flake8"]),
        ({"requirements-dev.txt": "flake8==7.1\nblack\n"}, ["ruff", "flake8"]),
    ],
    ids=["configured", "it writes", "it writes in CI", "in CI", "a matrix", "its version", "a linter", "depended on"],
)
def test_a_formatter_counts_where_the_project_calls_it_to_look(
    world: World, files: dict[str, str], expected: list[str]
) -> None:
    world.write({"src/a.py": "print(1)\n"})
    assert begun(world, **{name.replace(".", "__"): text for name, text in files.items()}) == expected


@pytest.mark.parametrize("tools", [("flake8",)])
def test_what_a_call_lets_pass_is_told_and_does_not_count(world: World) -> None:
    lines = ("flake8 . --count --select=E9,F63,F7,F82 --statistics", "flake8 . --count --exit-zero")
    world.write({CI: workflow(*lines), "app.py": "import os\n"})
    first, second = f"flake8 . --select=E9,F63,F7,F82 ({CI}: check)", f"flake8 . --exit-zero ({CI}: check)"
    assert ", ".join(begun(world)) == f"ruff, {first}, {second}"
    assert world.stop().code == 0
    assert outcomes(world) == {"ruff": "clean", "flake8": "clean", "flake8-2": "found"}
    world.write({"app.py": "print(undefined)\n"})
    begun(world)
    assert world.stop().held


@pytest.mark.parametrize("tools", [("flake8",)])
@pytest.mark.parametrize(
    "line", ["flake8 --config lint.cfg src", "flake8 src/*.py --config=lint.cfg", "ruff check --config lint.toml src"]
)
def test_an_edit_takes_the_flags_of_a_call_and_not_its_scope(world: World, line: str) -> None:
    files = {"lint.cfg": "[flake8]\nselect = W\n", "lint.toml": 'lint.select = ["W"]\n', "src/a.py": "A = 1 \n"}
    world.write({**files, CI: workflow(line)})
    begun(world)
    told = world.edit("src/b.py", "import os \nB = os.name\n").context
    assert ("W291" in told, "src/a.py" in told, "B =" in told) == (True, False, False), told


@pytest.mark.parametrize("tools", [("black",)])
def test_no_check_of_a_formatter_writes_and_the_command_that_would_is_told(world: World) -> None:
    world.write({CI: workflow("black -l 99 --diff --check src", "ruff format --diff src"), "src/a.py": MARK})
    begun(world)
    assert sorted(world.stop().stderr.splitlines()[1:3]) == [
        "src/a.py black format: it would be reformatted (black -l 99 src)",
        "src/a.py ruff-format format: it would be reformatted (ruff format src)",
    ]
    assert (world.project / "src" / "a.py").read_text() == MARK
    plan = world.run("untilgreen", "check", "--explain-plan", "--all").stdout.splitlines()
    assert "isort: out: not called with --check-only or --check or -c" in plan


VUE = """<script setup lang="ts">
const total: number = {};
</script>

<template><p>{{{{ total }}}}</p></template>
"""
CONFIG = (
    '{"compilerOptions": {"strict": true, "module": "esnext", "moduleResolution": "bundler", "target": "esnext"}}\n'
)
COMPONENTS = ("vue-tsc@3.3.14", "vue@3.5.45", "typescript@5.9.3")


@pytest.mark.wide
@pytest.mark.needs("npm")
def test_the_types_of_components_are_looked_at_by_the_checker_that_the_project_names(world: World) -> None:
    world.env["PATH"] += os.pathsep + os.path.dirname(shutil.which("node") or "")
    (world.project / "node_modules").symlink_to(installed(*COMPONENTS) / "node_modules")
    document = {"name": "a", "type": "module", "scripts": {"type-check": "vue-tsc --noEmit -p vue"}}
    world.write({".gitignore": "node_modules\n", "package.json": json.dumps(document)})
    world.write({"vue/tsconfig.json": CONFIG, "lib.ts": ""})
    world.write({"vue/App.vue": VUE.format("''"), "vue/a.ts": "export {};\n"})
    assert begun(world) == ["tsc --noEmit (package.json: type-check)"]
    assert world.stop().held
    assert left(world) == ["vue/App.vue:2: TS2322 Type 'string' is not assignable to type 'number'."]
    world.write({"vue/App.vue": VUE.format(1)})
    assert world.stop().code == 0
