"""Which checks run where. Projects are written as files; tools are found, or not, by a table."""

from pathlib import Path

import pytest

from untilgreen.checks.plan import roots
from untilgreen.core.model.check import Absent, Check
from untilgreen.core.model.settings import Criteria
from untilgreen.project.tools import Tool

TOOL = Tool("/usr/bin/x", "", inside=False)
TESTS = Criteria(test_pass=True)


def write(project: Path, contents: dict[str, str]) -> tuple[str, ...]:
    for name, content in contents.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(content)
    return tuple(contents)


def names(
    project: Path, contents: dict[str, str], criteria: Criteria | None = None, near: tuple[str, ...] = ()
) -> list[str]:
    files = write(project, contents)
    checks = roots.built_in(str(project), files, criteria or Criteria(), lambda _tool, _root: TOOL, near=near)
    return [check.name for check in checks]


def empty(*files: str) -> dict[str, str]:
    return dict.fromkeys(files, "")


# --- ruff -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        pytest.param(empty("README.md", "pyproject.toml"), [], id="no Python file"),
        pytest.param(empty("a.py"), ["ruff"], id="a script"),
        pytest.param(empty("src/x/y/a.pyi"), ["ruff"], id="deep down, no marker"),
        pytest.param(empty("pyproject.toml", "backend/pyproject.toml", "backend/a.py"), ["ruff"], id="marker at root"),
        pytest.param(empty("backend/pyproject.toml", "backend/a.py"), ["ruff@backend"], id="one part"),
        pytest.param(
            empty("b/setup.py", "services/api/requirements.txt", "services/api/src/a.py", "web/package.json"),
            ["ruff@b", "ruff@services/api"],
            id="parts of two depths",
        ),
        pytest.param(empty("b/setup.py", "tools/a.py"), ["ruff"], id="Python outside of the parts"),
        pytest.param(empty("pyproject.toml", "a/b/c/setup.py", "a/b/c/x.py"), ["ruff"], id="a marker deep down"),
        pytest.param(empty("README.md", "a/b/c/d/setup.py", "a/b/c/d/x.py"), ["ruff@a/b/c/d"], id="a bare root"),
        pytest.param(empty("a/b/c/d/e/setup.py", "a/b/c/d/e/x.py"), ["ruff"], id="a marker too deep"),
        pytest.param(empty("package.json", "docs/conf.py", "a.ts"), ["ruff"], id="documentation is code, too"),
        pytest.param(empty("package.json", "tests/data/a.py", "vendor/x/a.py"), [], id="nothing of the project's own"),
        pytest.param(
            empty("api/setup.py", "api/x.py", "api/tests/fixtures/p/setup.py", "api/tests/fixtures/p/x.py"),
            ["ruff@api"],
            id="a project that tests are fed with",
        ),
        pytest.param(empty("b/tox.ini", "b/x.py", "b/c/setup.py", "b/c/x.py"), ["ruff@b"], id="a part in a part"),
        pytest.param(empty("b/x.py", "b/ruff.toml", "docs/requirements.txt"), ["ruff@b"], id="a part without Python"),
        pytest.param(empty("bb/x.py", "b/ruff.toml", "b/x.py"), ["ruff"], id="names that begin alike"),
    ],
)
def test_ruff_runs_where_python_is(tmp_path: Path, files: dict[str, str], expected: list[str]) -> None:
    assert names(tmp_path, files) == expected


def test_roots_above_changed_files_lie_at_any_depth(tmp_path: Path) -> None:
    files = empty("a/b/c/setup.py", "a/b/c/src/x.py")
    assert names(tmp_path, files, near=("a/b/c/src/x.py",)) == ["ruff@a/b/c"]


def test_a_marker_at_the_root_counts_when_git_ignores_it(tmp_path: Path) -> None:
    write(tmp_path, {"mypy.ini": "", "setup.py": "", "b/setup.py": "", "b/a.py": ""})
    checks = roots.built_in(str(tmp_path), ("b/setup.py", "b/a.py"), Criteria(), lambda _tool, _root: TOOL)
    assert [check.name for check in checks] == ["ruff", "mypy"]


# --- mypy -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "config",
    [
        {"mypy.ini": ""},
        {".mypy.ini": "[mypy]\n"},
        {"setup.cfg": "[metadata]\n[mypy]\n"},
        {"pyproject.toml": "[tool.mypy]\n"},
        {"pyproject.toml": "[[tool.mypy.overrides]]\n"},
        {"pyproject.toml": "[tool]\nmypy = {strict = true}\n"},
    ],
)
def test_mypy_runs_where_it_is_configured(tmp_path: Path, config: dict[str, str]) -> None:
    assert names(tmp_path, {"a.py": "", **config}) == ["ruff", "mypy"]


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"setup.cfg": "[mypy-foo.*]\n"},
        {"pyproject.toml": "[tool.mypyc]\n# [tool.mypy]\n"},
        {"pyproject.toml": 'a = """\n[tool.mypy]\n"""\n'},
        {"tox.ini": "[mypy]\n"},
    ],
)
def test_mypy_does_not_run_unasked_where_nothing_configures_it(tmp_path: Path, config: dict[str, str]) -> None:
    files = {"a.py": "", **config}
    assert names(tmp_path, files) == ["ruff"]
    assert names(tmp_path, files, Criteria(type_check=True)) == ["ruff", "mypy"]


def test_mypy_runs_in_each_part_that_configures_it(tmp_path: Path) -> None:
    files = {
        "setup.py": "",
        "b/mypy.ini": "",
        "b/a.py": "",
        "c/d/setup.cfg": "[mypy]",
        "c/d/a.py": "",
        "e/mypy.ini": "",
    }
    expected = ["ruff", "mypy@b", "mypy@c/d"]
    assert names(tmp_path, files) == names(tmp_path, files, Criteria(type_check=True)) == expected


def test_mypy_that_is_asked_for_runs_where_ruff_does(tmp_path: Path) -> None:
    files = empty("b/setup.py", "b/a.py", "c/setup.py", "c/a.py")
    assert names(tmp_path, files, Criteria(type_check=True)) == ["ruff@b", "ruff@c", "mypy@b", "mypy@c"]


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({}, False),
        ({"mypy.ini": "[mypy]\nstrict = true\n"}, False),
        ({"mypy.ini": "[mypy]\nfiles = a.py\n"}, True),
        ({"mypy.ini": "[mypy]\nPackages: a\n"}, True),
        ({"mypy.ini": "[mypy]\nplugins =\n  files = a.py\n[mypy-b]\nfiles = x\n"}, False),
        ({"pyproject.toml": "[tool.mypy]\nmodules = ['a']\n"}, True),
        ({"pyproject.toml": "[tool]\nmypy = {files = ['a']}\n"}, True),
        ({"pyproject.toml": "[tool.mypy]\n[tool.other]\nfiles = ['a']\n"}, False),
        ({"setup.cfg": "[mypy]\nfiles = a\n"}, True),
        ({"setup.cfg": "[mypy]\nfiles = a\n", "pyproject.toml": "[tool.mypy]\n"}, False),
        ({"setup.cfg": "[mypy]\nfiles = a\n", "pyproject.toml": "[project]\n"}, True),
    ],
)
@pytest.mark.parametrize("root", [".", "backend"])
def test_mypys_first_configuration_says_whether_it_names_files(
    tmp_path: Path, root: str, config: dict[str, str], expected: bool
) -> None:
    files = write(
        tmp_path, {f"{root}/{name}".removeprefix("./"): text for name, text in ({"a.py": ""} | config).items()}
    )
    checks = roots.built_in(str(tmp_path), files, Criteria(type_check=True), lambda _tool, _root: TOOL)
    assert [check.variant == "-" for check in checks if check.checker == "mypy"] == [expected]


# --- pytest -----------------------------------------------------------------------------------------


def test_tests_run_only_when_a_criterion_asks(tmp_path: Path) -> None:
    files = empty("test_a.py", "pytest.ini")
    asked = [Criteria(), TESTS, Criteria(preserve=True)]
    assert [names(tmp_path, files, criteria) for criteria in asked] == [["ruff"], *[["ruff", "pytest"]] * 2]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        pytest.param(empty("a.py"), ["pytest"], id="nothing says pytest"),
        pytest.param(empty("README.md"), ["pytest"], id="no Python at all"),
        pytest.param(empty("setup.py", "b/setup.py", "b/test_a.py"), ["pytest"], id="parts of a Python project"),
        pytest.param(empty("b/pytest.ini", "b/test_a.py"), ["pytest@b"], id="a configured part"),
        pytest.param(empty("b/pytest.ini", "b/test_a.py", "tests/a_test.py"), ["pytest", "pytest@b"], id="both"),
        pytest.param(
            {"setup.cfg": "[tool:pytest]", "b/tox.ini": "[pytest]", "b/c/pyproject.toml": "[tool.pytest.ini_options]"},
            ["pytest", "pytest@b", "pytest@b/c"],
            id="configured everywhere",
        ),
        pytest.param(
            {"tox.ini": "[tox]", "b/pyproject.toml": "[tool.pytest]", "b/test_a.py": "", "c/setup.cfg": "[pytest]"},
            ["pytest@b"],
            id="sections of others do not count",
        ),
        pytest.param(
            empty("b/setup.py", "b/test_a.py", "c/setup.py", "c/a.py", "web/package.json"),
            ["pytest@b"],
            id="parts without a configuration, nothing at the root",
        ),
        pytest.param(
            empty("b/setup.py", "b/test_a.py", "c/.pytest.ini", "c/test_a.py", "c/d/setup.py", "c/d/test_a.py"),
            ["pytest@b", "pytest@c"],
            id="a part in a configured part",
        ),
        pytest.param(empty("b/setup.py", "b/test_a.py", "test_b.py"), ["pytest", "pytest@b"], id="a test at the root"),
    ],
)
def test_tests_run_where_the_project_says(tmp_path: Path, files: dict[str, str], expected: list[str]) -> None:
    found = [name for name in names(tmp_path, files, TESTS) if name.startswith("pytest")]
    assert found == expected


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        pytest.param({"recipes/pytest.toml": '[package]\nname = "pytest"\n', "README.md": ""}, [], id="a recipe"),
        pytest.param({"a/pytest.toml": "[pytest]\n", "README.md": ""}, ["pytest@a"], id="pytest's own table"),
        pytest.param({"a/pytest.ini": "", "README.md": ""}, ["pytest@a"], id="a file that is nothing else's"),
        pytest.param(empty("tests/data/p/pytest.ini", "tests/data/p/test_a.py", "x.py"), ["ruff"], id="test data"),
        pytest.param(empty("third_party/p/pytest.ini", "third_party/p/test_a.py"), [], id="vendored"),
        pytest.param(empty("tests/pytest.ini", "tests/test_a.py", "x.py"), ["ruff", "pytest@tests"], id="the tests"),
        pytest.param(
            {"go.mod": "module a\n", "a.go": "", "a_test.go": "", "tests/py/pytest.ini": "", "tests/py/test_a.py": ""},
            ["go-vet", "go-test"],
            id="another language below the tests",
        ),
        pytest.param(
            {"setup.py": "", "test_a.py": "", "tests/js/package.json": '{"scripts": {"test": "mocha"}}'},
            ["ruff", "pytest"],
            id="a package of scripts below the tests",
        ),
        pytest.param(
            {"go.work": "go 1.22\nuse ./a/b/c\n", "a/b/c/go.mod": "module c\n", "a/b/c/c.go": ""},
            ["go-vet@a/b/c"],
            id="a workspace of Go",
        ),
        pytest.param(
            {
                "package.json": '{"workspaces": ["packages/@x/*"]}',
                "packages/@x/a/package.json": '{"scripts": {"test": "mocha"}}',
            },
            ["npm-test@packages/@x/a"],
            id="a workspace of npm",
        ),
        pytest.param(
            {
                "package.json": '{"scripts": {"test": "mocha"}}',
                "packages/@x/a/package.json": '{"scripts": {"test": "x"}}',
            },
            ["npm-test"],
            id="a package that nobody lists",
        ),
        pytest.param(
            {"pytest.ini": "", "test_a.py": "", "benchmarks/pytest.ini": "", "benchmarks/bench_a.py": ""},
            ["ruff", "pytest"],
            id="measurements",
        ),
        pytest.param(
            {"package.json": '{"scripts": {"test": "mocha"}}', "a.js": "", "examples/a/go.mod": "module a\n"}
            | {"examples/a/a.go": "", "docs/ruff.toml": "", "docs/conf.py": ""},
            ["ruff", "npm-test"],
            id="examples and documentation",
        ),
    ],
)
def test_a_folder_is_a_root_where_its_marker_means_it(
    tmp_path: Path, files: dict[str, str], expected: list[str]
) -> None:
    assert names(tmp_path, files, Criteria(green=True)) == expected


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (("mypy.ini", "pkg/a.py", "tests/test_a.py"), ""),
        (("mypy.ini", "pkg/a.py", "docs/conf.py", "setup.py", "tests/test_a.py"), "pkg\ntests"),
        (("mypy.ini", "h/a.py", "fuzz/f.py", "tools/__init__.py", "tools/a.py"), "h\ntools"),
        (("mypy.ini", "src/p/a.py", "tests/data/bad.py", "tests/test_a.py"), "src\ntests/test_a.py"),
        (("mypy.ini", "src/p/_vendor/x.py", "src/p/a.py", "src/p/q/b.py"), "src/p/a.py\nsrc/p/q"),
    ],
)
def test_mypy_looks_at_the_projects_own_code_where_nothing_says_where(
    tmp_path: Path, files: tuple[str, ...], expected: str
) -> None:
    write(tmp_path, empty(*files))
    checks = roots.built_in(str(tmp_path), files, Criteria(), lambda _tool, _root: TOOL)
    assert [check.variant for check in checks if check.checker == "mypy"] == [expected]


def test_what_must_be_preserved_are_tests_that_are_there(tmp_path: Path) -> None:
    assert names(tmp_path, empty("a.py"), Criteria(preserve=True)) == ["ruff"]


# --- checkers that cover others ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("criteria", "expected"),
    [
        (Criteria(), ["cargo-clippy"]),
        (Criteria(lint_clean=True), ["cargo-clippy"]),
        (Criteria(type_check=True), ["cargo-check", "cargo-clippy"]),
    ],
)
def test_what_clippy_says_cargo_check_does_not_say_again(
    tmp_path: Path, criteria: Criteria, expected: list[str]
) -> None:
    files = {"Cargo.toml": '[package]\nname = "a"\n', "src/lib.rs": "", "clippy.toml": ""}
    assert names(tmp_path, files, criteria) == expected


# --- what a check holds -------------------------------------------------------------------------------


def test_each_check_has_its_own_roots_tool(tmp_path: Path) -> None:
    def find(tool: str, root: str) -> Tool | None:
        return None if tool == "pytest" else Tool(f"{root}/.venv/bin/{tool}", f"{root}/.venv/bin/python", inside=True)

    files = write(tmp_path, {"b/mypy.ini": "", "b/pyproject.toml": "", "b/test_a.py": ""})
    tools = f"{tmp_path}/b/.venv/bin"
    assert roots.built_in(str(tmp_path), files, TESTS, find) == (
        Check("ruff@b", "ruff", "b", "static", f"{tools}/ruff", meets=("lint_clean", "zero_security")),
        Check("mypy@b", "mypy", "b", "static", f"{tools}/mypy", f"{tools}/python", meets=("type_check",)),
        Check("pytest@b", "pytest", "b", "tests", "", absent=Absent("missing", "pytest"), meets=("test_pass",)),
    )


def test_without_trust_only_ruff_runs(tmp_path: Path) -> None:
    files = write(tmp_path, {"mypy.ini": "", "test_a.py": ""})
    checks = roots.built_in(str(tmp_path), files, TESTS, lambda _tool, _root: TOOL, trusted=False)
    assert [(check.name, check.tool, check.absent) for check in checks] == [
        ("ruff", "/usr/bin/x", None),
        ("mypy", "", Absent("untrusted", "mypy")),
        ("pytest", "", Absent("untrusted", "pytest")),
    ]


@pytest.mark.parametrize(
    ("contents", "lacking"),
    [
        ({"tsconfig.json": "{}", "a.ts": ""}, "tsc"),
        ({"go.mod": "module a\n", "a.go": ""}, "go"),
        ({"pyrightconfig.json": "{}", "a.py": ""}, "pyright"),
    ],
)
def test_a_tool_that_is_not_there_is_called_as_people_know_it(
    tmp_path: Path, contents: dict[str, str], lacking: str
) -> None:
    checks = roots.built_in(str(tmp_path), write(tmp_path, contents), Criteria(), lambda _tool, _root: None)
    assert Absent("missing", lacking) in [check.absent for check in checks]
