"""Which checks run where. Projects are written as files; tools are found, or not, by a table."""

from pathlib import Path

import pytest

import tables
from untilgreen.checks.plan import roots
from untilgreen.core.model.check import Absent, Check
from untilgreen.core.model.settings import Criteria
from untilgreen.project.tools import Tool
from untilgreen.project.tree.layout import Layout

TOOL = Tool("/usr/bin/x", "", inside=False)
TESTS = Criteria(test_pass=True)


def write(project: Path, contents: dict[str, str]) -> tuple[str, ...]:
    for name, content in contents.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(content)
    return tuple(contents)


def checks(
    project: Path, files: tuple[str, ...], criteria: Criteria | None = None, near: tuple[str, ...] = ()
) -> tuple[Check, ...]:
    """The checks of a project with these files, every tool of which is there."""
    return roots.built_in(Layout(str(project), files, near), criteria or Criteria(), lambda _tool, _root: TOOL)


def names(
    project: Path, contents: dict[str, str], criteria: Criteria | None = None, near: tuple[str, ...] = ()
) -> list[str]:
    return [check.name for check in checks(project, write(project, contents), criteria, near)]


def empty(*files: str) -> dict[str, str]:
    return dict.fromkeys(files, "")


# --- ruff -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("files", "expected"), tables.rows("roots-of-ruff", "files", "expected"))
def test_ruff_runs_where_python_is(tmp_path: Path, files: dict[str, str], expected: list[str]) -> None:
    assert names(tmp_path, files) == expected


def test_roots_above_changed_files_lie_at_any_depth(tmp_path: Path) -> None:
    files = empty("a/b/c/setup.py", "a/b/c/src/x.py")
    assert names(tmp_path, files, near=("a/b/c/src/x.py",)) == ["ruff@a/b/c"]


def test_a_marker_at_the_root_counts_when_git_ignores_it(tmp_path: Path) -> None:
    write(tmp_path, {"mypy.ini": "", "setup.py": "", "b/setup.py": "", "b/a.py": ""})
    assert [check.name for check in checks(tmp_path, ("b/setup.py", "b/a.py"))] == ["ruff", "mypy"]


# --- mypy -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("config", "expected"), tables.literal("roots", "mypy runs unasked"))
def test_mypy_runs_unasked_where_it_is_configured(tmp_path: Path, config: dict[str, str], expected: bool) -> None:
    files = {"a.py": "", **config}
    assert names(tmp_path, files) == ["ruff", *(["mypy"] if expected else [])]
    assert names(tmp_path, files, Criteria(type_check=True)) == ["ruff", "mypy"]


def test_mypy_runs_in_each_part_that_configures_it_and_else_where_ruff_does(tmp_path: Path) -> None:
    files = empty("b/setup.py", "b/a.py", "c/setup.py", "c/a.py")
    assert names(tmp_path, files, Criteria(type_check=True)) == ["ruff@b", "ruff@c", "mypy@b", "mypy@c"]
    files = empty("setup.py", "b/mypy.ini", "b/a.py", "c/d/a.py", "e/mypy.ini") | {"c/d/setup.cfg": "[mypy]"}
    expected = ["ruff", "mypy@b", "mypy@c/d"]
    assert names(tmp_path, files) == names(tmp_path, files, Criteria(type_check=True)) == expected


@pytest.mark.parametrize(("config", "expected"), tables.literal("roots", "mypys first configuration says whether"))
@pytest.mark.parametrize("root", [".", "backend"])
def test_mypys_first_configuration_says_whether_it_names_files(
    tmp_path: Path, root: str, config: dict[str, str], expected: bool
) -> None:
    files = write(
        tmp_path, {f"{root}/{name}".removeprefix("./"): text for name, text in ({"a.py": ""} | config).items()}
    )
    found = checks(tmp_path, files, Criteria(type_check=True))
    assert [check.variant == "-" for check in found if check.checker == "mypy"] == [expected]


# --- pytest -----------------------------------------------------------------------------------------


def test_tests_run_only_when_a_criterion_asks(tmp_path: Path) -> None:
    files = empty("test_a.py", "pytest.ini")
    asked = [Criteria(), TESTS, Criteria(preserve=True)]
    assert [names(tmp_path, files, criteria) for criteria in asked] == [["ruff"], *[["ruff", "pytest"]] * 2]
    (tmp_path / "none").mkdir()
    assert names(tmp_path / "none", empty("a.py"), Criteria(preserve=True)) == ["ruff"]  # what is there is preserved


@pytest.mark.parametrize(("files", "expected"), tables.rows("roots-of-tests", "files", "expected"))
def test_tests_run_where_the_project_says(tmp_path: Path, files: dict[str, str], expected: list[str]) -> None:
    found = [name for name in names(tmp_path, files, TESTS) if name.startswith("pytest")]
    assert found == expected


@pytest.mark.parametrize(("files", "expected"), tables.rows("roots", "files", "expected"))
def test_a_folder_is_a_root_where_its_marker_means_it(
    tmp_path: Path, files: dict[str, str], expected: list[str]
) -> None:
    assert names(tmp_path, files, Criteria(green=True)) == expected


@pytest.mark.parametrize(("files", "expected"), tables.literal("roots", "mypy looks at the projects own code"))
def test_mypy_looks_at_the_projects_own_code_where_nothing_says_where(
    tmp_path: Path, files: tuple[str, ...], expected: str
) -> None:
    write(tmp_path, empty(*files))
    assert [check.variant for check in checks(tmp_path, files) if check.checker == "mypy"] == [expected]


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
    assert roots.built_in(Layout(str(tmp_path), files), TESTS, find) == (
        Check("ruff@b", "ruff", "b", "static", f"{tools}/ruff", meets=("lint_clean", "zero_security")),
        Check("mypy@b", "mypy", "b", "static", f"{tools}/mypy", f"{tools}/python", meets=("type_check",)),
        Check("pytest@b", "pytest", "b", "tests", "", absent=Absent("missing", "pytest"), meets=("test_pass",)),
    )


def test_without_trust_only_ruff_runs(tmp_path: Path) -> None:
    layout = Layout(str(tmp_path), write(tmp_path, {"mypy.ini": "", "test_a.py": ""}))
    found = roots.built_in(layout, TESTS, lambda _tool, _root: TOOL, trusted=False)
    assert [(check.name, check.tool, check.absent) for check in found] == [
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
    found = roots.built_in(Layout(str(tmp_path), write(tmp_path, contents)), Criteria(), lambda _tool, _root: None)
    assert Absent("missing", lacking) in [check.absent for check in found]
