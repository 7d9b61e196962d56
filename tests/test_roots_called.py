"""Where the project says by its calls where a tool runs, it runs there and nowhere else."""

from pathlib import Path

import pytest

from test_green import begun
from untilgreen import checkers
from untilgreen.checks.plan import called, roots, scripts
from untilgreen.core.model.settings import Criteria
from untilgreen.project.tools import Tool
from untilgreen.project.tree.layout import Layout
from world import World

GREEN = Criteria(green=True)
GO = {"go.mod": "module a\n", "a_test.go": "", "x/go.mod": "module x\n", "x/x_test.go": ""}
BIOME = {"biome.json": "{}", "package.json": "{}", "a/package.json": "{}", "a/src/a.ts": ""}
RUFF = {"a/pyproject.toml": "[tool.ruff]\n", "b/pyproject.toml": "[tool.ruff]\n", "a/a.py": "", "b/b.py": ""}
RUST = {"Cargo.toml": "[package]\nname = 'a'\n", "src/lib.rs": "", "fuzz/Cargo.toml": "[package]\n[workspace]\n"}
RUST |= {"fuzz/src/lib.rs": ""}
TYPES = {"package.json": '{"workspaces": ["p/*"], "scripts": {"build": "rollup -c"}}', "tsconfig.json": "{}"}
TYPES |= {"p/a/package.json": '{"scripts": {"build": "tsc"}}', "p/a/tsconfig.json": "{}", "p/a/a.ts": "", "b.ts": ""}
TYPES |= {"p/b/package.json": '{"scripts": {"build": "rollup -c"}}', "p/b/tsconfig.json": "{}", "p/b/b.ts": ""}
MATRIX = "    strategy: {matrix: {part: [a, b]}}\n"


def job(run: str, folder: str = ".", more: str = "") -> str:
    step = f"      - {{run: '{run}', working-directory: '{folder}'}}\n"
    return f"on: push\njobs:\n  j:\n    runs-on: ubuntu-latest\n{more}    steps:\n{step}"


def planned(project: Path, files: dict[str, str], workflow: str, tool: str) -> tuple[list[str], list[str]]:
    """The checks of one tool, and those of it that are left out."""
    contents = {**files, ".github/workflows/ci.yml": workflow}
    for name, content in contents.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(content)
    calls = scripts.read(str(project), tuple(contents))
    layout = Layout(str(project), tuple(contents))
    found = roots.built_in(layout, GREEN, lambda _tool, _root: Tool("/usr/bin/x", "", inside=False), calls=calls)
    out = [name for name, _ in roots.left_out(layout, GREEN, calls) if name.partition("@")[0] == tool]
    return [one.name for one in found if one.checker == tool], out


@pytest.mark.parametrize(
    ("files", "workflow", "tool", "expected"),
    [
        (GO, job("go test ./..."), "go-test", (["go-test"], ["go-test@x"])),
        (GO, job("go test ./..."), "go-vet", (["go-vet"], [])),
        (GO, job("go build ./..."), "go-vet", (["go-vet", "go-vet@x"], [])),
        (BIOME, job("biome ci ./src", "a"), "biome", (["biome@a"], ["biome"])),
        (RUST, job("cargo clippy"), "cargo-check", ([], [])),
        # a package that a bundler builds keeps its types, and so does a top that is built
        (TYPES, job("npm run build --workspaces"), "tsc", (["tsc@p/a", "tsc@p/b"], ["tsc"])),
        (TYPES, job("npm run build --workspaces && npm run build"), "tsc", (["tsc", "tsc@p/a", "tsc@p/b"], [])),
        (RUFF, job("ruff check .", "${{ matrix.part }}", MATRIX), "ruff", (["ruff@a", "ruff@b"], [])),
    ],
)
def test_a_tool_that_ci_calls_runs_where_ci_calls_it(
    tmp_path: Path, files: dict[str, str], workflow: str, tool: str, expected: tuple[list[str], list[str]]
) -> None:
    assert planned(tmp_path, files, workflow, tool) == expected


def test_a_folder_that_only_a_run_could_tell_keeps_every_root(tmp_path: Path) -> None:
    matrix = "    strategy: {matrix: {part: '${{ fromJSON(needs.x.outputs.y) }}'}}\n"
    more = "      - {run: 'ruff check .', working-directory: a}\n"
    workflow = job("ruff check .", "${{ matrix.part }}", matrix) + more
    assert planned(tmp_path, RUFF, workflow, "ruff") == (["ruff@a", "ruff@b"], [])


def test_a_job_of_the_projects_own_place_keeps_every_root_of_the_tools_that_it_calls(tmp_path: Path) -> None:
    theirs = job("ruff check .", "b", "    if: github.repository_owner == 'shop'\n").partition("  j:\n")[2]
    workflow = f"{job('ruff check .', 'a')}  theirs:\n{theirs}"
    assert planned(tmp_path, RUFF, workflow, "ruff") == (["ruff@a", "ruff@b"], [])


def test_what_nothing_calls_runs_wherever_it_is_configured(tmp_path: Path) -> None:
    assert planned(tmp_path, GO, job("echo"), "go-test") == (["go-test", "go-test@x"], [])


def test_what_a_package_runs_by_its_own_script_is_no_less_a_check_for_a_call_at_the_root(tmp_path: Path) -> None:
    package = '{"scripts": {"test": "biome ci src && node t.js"}}'
    workflow = job("biome ci ./src", "a") + "      - {run: biome ci x, working-directory: c}\n"
    files = BIOME | {"c/package.json": package, "c/biome.json": "{}", "c/src/c.ts": ""}
    assert planned(tmp_path, files, workflow, "biome")[0][-2:] == ["biome@a", "biome@c"]


PYTEST = {"pyproject.toml": "[tool.pytest.ini_options]\n", "tests/test_a.py": "", "more/test_b.py": ""}
BROWSERS = "    strategy: {matrix: {browser: [a, b, c, d, e]}}\n"
LATER = job("pytest -m serial\\npytest -m smoke").replace("run: '", 'run: "').replace("smoke'", 'smoke"')
ENVIRONMENTS = """
[tox]
envlist = small, py
[testenv]
commands = pytest {posargs:tests}
[testenv:small]
setenv = SMALL=1
"""


@pytest.mark.parametrize(
    ("workflow", "more", "expected"),
    [
        # what a matrix varies does not crowd out what is called once
        (job("pytest --browser ${{ matrix.browser }}", more=BROWSERS), LATER, ["a", "serial", "smoke", "b"]),
        # what another call runs as well is not run twice
        (job("pytest tests"), job("pytest tests/"), ["tests"]),
        (job('pytest tests -m "not slow" --ignore=tests/a'), job("pytest tests"), ["tests"]),
        (job("pytest tests -m slow"), job("pytest tests"), ["slow", "tests"]),
        (job("pytest tests --deselect=more"), job("pytest more"), ["--deselect=more", "more"]),
    ],
)
def test_of_many_calls_those_are_kept_that_run_most(
    tmp_path: Path, workflow: str, more: str, expected: list[str]
) -> None:
    files = PYTEST | {".github/workflows/z.yml": more}
    planned(tmp_path, files, workflow, "pytest")
    calls = scripts.read(str(tmp_path), (*files, ".github/workflows/ci.yml"))
    assert [one.call[-1] for one in called.of_checker(checkers.get("pytest"), calls)["."]] == expected


def test_of_environments_that_run_the_same_the_one_without_settings_of_its_own_is_kept(tmp_path: Path) -> None:
    (tmp_path / "tox.ini").write_text(ENVIRONMENTS)
    planned(tmp_path, PYTEST, job("tox"), "pytest")
    calls = scripts.read(str(tmp_path), (*PYTEST, "tox.ini", ".github/workflows/ci.yml"))
    assert [(one.words, one.source, one.env) for one in calls] == [(("pytest", "tests"), "tox.ini: testenv", ())]


@pytest.mark.parametrize(
    ("tool", "calls_", "expected"),
    [
        ("pytest", ("pytest", "pytest tests", "pytest -m slow", "pytest -k a"), [(), ("-m", "slow")]),
        ("cargo-test", ("cargo test", "cargo test --all-features", "cargo test -p a"), [(), ("--all-features",)]),
        ("cargo-test", ("cargo hack test --each-feature", "cargo test --doc"), [()]),
        (
            "go-test",
            ("go test ./...", "go test -tags a ./...", "go test -run A ./..."),
            [("./...",), ("-tags", "a", "./...")],
        ),
    ],
)
def test_beside_a_call_of_all_tests_stays_what_builds_others_or_chooses_them_by_a_mark(
    tmp_path: Path, tool: str, calls_: tuple[str, ...], expected: list[tuple[str, ...]]
) -> None:
    more = "".join(f"      - {{run: '{one}'}}\n" for one in calls_[1:])
    planned(tmp_path, PYTEST | RUST | GO, job(calls_[0]) + more, "")
    found = scripts.read(str(tmp_path), (*PYTEST, *RUST, *GO, ".github/workflows/ci.yml"))
    assert [one.call for one in called.of_checker(checkers.get(tool), found)["."]] == expected


def test_of_calls_of_all_go_tests_the_one_with_most_is_kept_before_one_for_another_machine(tmp_path: Path) -> None:
    planned(tmp_path, GO | {".github/workflows/z.yml": job("go test -race ./...")}, job("GOARCH=386 go test ./..."), "")
    calls = scripts.read(str(tmp_path), (*GO, ".github/workflows/ci.yml", ".github/workflows/z.yml"))
    kept = called.of_checker(checkers.get("go-test"), calls)["."]
    assert [(one.call, one.env) for one in kept] == [(("-race", "./..."), ())]


def test_no_stop_brings_a_tool_to_the_top_that_ci_calls_in_the_packages(world: World) -> None:
    world.write({**TYPES, ".github/workflows/ci.yml": job("npm run build --workspaces")})
    world.write({"node_modules/.bin/tsc": "#!/bin/sh\necho Total time: 1.0s\n"})
    (world.project / "node_modules/.bin/tsc").chmod(0o755)
    assert begun(world) == ["tsc (p/a/package.json: build)", "tsc@p/b"]
    world.stop()
    assert [one["name"] for one in world.state["plan"]] == ["tsc@p/a", "tsc@p/b"]
