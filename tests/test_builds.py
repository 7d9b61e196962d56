"""Builds and commands of one's own, red and then green in projects of their kinds, with the real tools."""

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import installs
import tables
from node import installed
from rust import with_cargo
from world import REPOSITORY, World

TSC = "typescript@7.0.2"
PROGRAMS = ("just", "tox", "nox", "hatch", "task", "pnpm", "npm", "go", "cargo", "poetry", "uv", "make")


@pytest.fixture
def there(world: World) -> World:
    """A world in which every program that builds something is there, and does nothing."""
    for name in (*PROGRAMS, "gradle", "mvn", "dotnet"):
        if not (world.programs / name).exists():
            (world.programs / name).symlink_to("/bin/true")
    return world


def _with(name: str) -> Callable[[World], None]:
    def there(world: World) -> None:
        world.env["PATH"] += os.pathsep + os.path.dirname(shutil.which(name) or "")

    return there


def _go(world: World) -> None:
    _with("go")(world)
    world.env |= {"GOCACHE": str(REPOSITORY / ".cache" / "go-build"), "GOTOOLCHAIN": "local", "GOPROXY": "off"}


def _tsc(world: World) -> None:
    _with("node")(world)
    (world.project / "node_modules").symlink_to(installed(TSC) / "node_modules")


def _uv(world: World) -> None:
    (world.programs / "uv").symlink_to(installs.uv())
    world.env |= {"UV_OFFLINE": "1", "UV_PYTHON_DOWNLOADS": "never"}


TOOLS: dict[str, Callable[[World], object]] = {
    "npm": _with("npm"),
    "make": _with("make"),
    "go": _go,
    "cargo": with_cargo,
    "tsc": _tsc,
    # by a backend of the project's own: nothing is fetched, and its code is the project's
    "uv": _uv,
}
NEEDS = {"npm": "npm", "make": "make", "go": "go", "cargo": "cargo", "tsc": "npm"}


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=[pytest.mark.needs(NEEDS[kind])] if kind in NEEDS else []) for kind in TOOLS]
)
def test_a_build_is_red_where_it_stops_and_then_green(world: World, kind: str) -> None:
    build = dict(tables.cases("builds"))[kind]
    TOOLS[kind](world)
    world.write({".gitignore": "node_modules\nout\ntarget\n*.o\n*.tsbuildinfo\n__pycache__\n", **build["files"]})
    world.commit()
    started = world.run("start-loop", "mend it", "--session", world.session, "--only", "build", "--no-tests")
    assert started.code == 0, started
    held = world.stop()
    assert (held.code, build["told"] in held.stderr) == (2, True), held
    assert world.state["snapshots"][-1]["outcomes"] == {build["name"]: "found"}
    world.write({build["wrong"]: build["right"]})
    released = world.stop()
    assert (released.code, world.state["verified"], world.state["snapshots"][-1]["scores"]) == (0, True, {"build": 0})
    dirty = world.process("/usr/bin/git", "status", "--porcelain", "--untracked-files=all").stdout.split()
    assert [one for one in dirty if one not in ("M", "Cargo.lock", "??")] == [build["wrong"]]


def test_where_there_is_no_build_the_criterion_is_an_error_and_a_command_named_so_answers_it(world: World) -> None:
    world.write({"app.py": "VALUE = 1\n", "Makefile": "check:\n\ttrue\n"})
    world.commit()
    for words in (("--criteria", "build_success"), ("--only", "build")):
        answer = world.run("start-loop", "mend it", "--session", world.session, *words)
        why = "build_success: there is no build here (--check 'build=COMMAND')"
        assert (answer.code, why in answer.stderr) == (64, True), answer
    world.write({"pyproject.toml": "[build-system]\n"})
    answer = world.run("start-loop", "mend it", "--session", world.session, "--only", "build")
    assert (answer.code, "build_success: pyproject-build is not installed" in answer.stderr) == (64, True), answer
    world.start("mend it", "--criteria", "build_success", "--check", "build=ls built", "--only", "build")
    assert (world.stop().code, world.state["snapshots"][-1]["scores"]) == (2, {"static": 0, "build": 1})
    world.write({"built": ""})
    assert (world.stop().code, world.state["stop_reason"]) == (0, "complete")


def test_green_has_no_build_unless_it_is_asked_for(world: World) -> None:
    world.write({"Makefile": "build:\n\tfalse\ntest:\n\tpytest\n", "test_shop.py": "def test_a():\n    pass\n"})
    world.commit()
    world.trust()
    plan = world.run("untilgreen", "check", "--explain-plan", "--all").stdout.splitlines()
    assert "builder: out: a build is asked for by build_success" in plan
    plan = world.run("untilgreen", "check", "--only", "build", "--explain-plan").stdout.splitlines()
    assert any(re.fullmatch(r"make-build  \S+  called: make build \(Makefile: build\)", line) for line in plan)


@pytest.mark.parametrize(("files", "expected"), tables.rows("builds-called", "files", "expected"))
def test_how_the_project_builds_is_read_from_its_own_files(
    there: World, files: dict[str, str], expected: list[str]
) -> None:
    world = there
    world.write(files)
    if "gradlew" in files:
        (world.project / "gradlew").chmod(0o755)
    world.commit()
    world.trust()
    checked = world.run("untilgreen", "check", "--only", "build")
    told = [line.partition(": clean")[0] for line in checked.stdout.splitlines()[:-1]]
    assert [line.removesuffix(" (pyproject.toml: hatch build)") for line in told] == expected, checked


READS_BUILT = """import test from "node:test";
import assert from "node:assert";
import { createRequire } from "node:module";
const require = createRequire(import.meta.url);
test("doubles", () => assert.equal(require("%s").double(2), 4));
"""
CI = "on: [push]\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n"


def _workspace(world: World, steps: tuple[str, ...], build: str = "mkdir -p dist && cp index.js dist/index.js") -> None:
    """A package whose tests read what another one builds, and a CI of these steps."""
    _with("npm")(world)
    scripts = {"build": "npm run build --workspace lib", "test": "node --test app.test.mjs"}
    world.write(
        {
            ".gitignore": "node_modules\ndist\n",
            ".github/workflows/ci.yml": CI + "".join(f"      - run: npm run {name}\n" for name in steps),
            "package.json": json.dumps({"workspaces": ["packages/*"], "scripts": scripts}),
            "packages/lib/package.json": json.dumps(
                {"name": "lib", "main": "dist/index.js", "scripts": {"build": build}}
            ),
            "packages/lib/index.js": "exports.double = (n) => n * 2;\n",
            "packages/lib/dist/index.js": "exports.double = (n) => n * 2;\n",
            "app.test.mjs": READS_BUILT % "lib",
        }
    )
    (world.project / "node_modules").mkdir()
    (world.project / "node_modules" / "lib").symlink_to("../packages/lib")
    world.commit()


@pytest.mark.needs("npm")
@pytest.mark.parametrize(
    ("steps", "ends"),
    [(("build", "test"), "✗ not green · 1 left: npm-test 1"), (("test", "build"), "✓ green · npm-test ✓ 1")],
)
def test_what_ci_builds_before_its_tests_is_built_before_them(world: World, steps: tuple[str, ...], ends: str) -> None:
    _workspace(world, steps)
    world.trust()
    world.write({"packages/lib/index.js": "exports.double = (n) => n * 3;\n"})
    assert world.run("untilgreen", "check").stdout.splitlines()[-1] == ends


@pytest.mark.needs("npm")
def test_tests_that_a_build_left_no_time_to_begin_hold_and_are_not_left_out(world: World) -> None:
    _workspace(world, ("build", "test"), "sleep 60")
    world.write({"untilgreen.toml": "deadline = 2\n"})
    world.trust()
    world.run("start-loop", "mend it", "--session", world.session)
    world.write({"packages/lib/index.js": "exports.double = (n) => n * 3;\n"})
    told = world.stop().stderr
    assert "check:npm-test could not be judged: did not start: the time for this stop was used up" in told
    assert [check["absent"] for check in world.state["plan"] if check["name"] == "npm-test"] == [None]


@pytest.mark.needs("npm")
def test_tests_wait_for_a_build_of_tsc_that_they_read(world: World) -> None:
    _with("npm")(world)
    (world.project / "node_modules").symlink_to(installed("typescript@5.9.3") / "node_modules")
    world.write(
        {
            ".gitignore": "node_modules\ndist\n*.tsbuildinfo\n",
            ".github/workflows/ci.yml": f"{CI}      - run: npm run compile\n      - run: npm test\n",
            "package.json": json.dumps({"scripts": {"compile": "tsc -b", "test": "node --test app.test.mjs"}}),
            "tsconfig.json": '{"compilerOptions": {"outDir": "dist", "module": "commonjs", "lib": ["es5"]}}',
            "lib.ts": "export const double = (n: number): number => n * 2;\n",
            "app.test.mjs": READS_BUILT % "./dist/lib.js",
        }
    )
    world.commit()
    world.trust()
    checked = world.run("untilgreen", "check")
    assert (checked.code, checked.stdout.splitlines()[-1]) == (0, "✓ green · tsc ✓ npm-test ✓ 1"), checked


# a command of one's own, what is wrong and then right; what is told of it and how many tests ran at the end
OWN = tables.literal("builds", "own")


@pytest.mark.parametrize("kind", OWN)
def test_of_a_command_of_ones_own_known_output_is_told_by_name_and_place(world: World, kind: str) -> None:
    command, file, wrong, told, tests = OWN[kind]
    world.write({file: wrong, ".gitignore": "__pycache__\n", "untilgreen.toml": "[checks.ruff]\nenabled = false\n"})
    world.commit()
    world.start("fix it", "--check", f"unit={command}")
    held = world.stop()
    assert (held.code, f"  {told}\n" in held.stderr) == (2, True), held
    world.write({file: wrong.replace("1 == 2 2", "1").replace("1 == 2", "1 == 1").replace("(1, 2)", "(1, 1)")})
    assert (world.stop().code, world.state["stop_reason"]) == (0, "complete")
    assert world.state["snapshots"][-1]["ran"] == ({"unit": tests} if tests else {})


def test_tests_that_are_meant_to_fail_are_no_tests_of_a_command_that_ends_well(world: World) -> None:
    world.write(
        {"test_shop.py": "def test_a():\n    assert 0\n", "untilgreen.toml": "[checks.ruff]\nenabled = false\n"}
    )
    world.commit()
    world.start("fix it", "--check", "unit=sh -c 'python -m pytest -q -p no:cacheprovider || true'")
    world.write({"note.txt": ""})
    assert (world.stop().code, world.state["stop_reason"]) == (0, "complete")
    assert (world.state["snapshots"][-1]["ran"], world.state["snapshots"][-1]["tests_failed"]) == ({}, 0)


@pytest.mark.needs("go")
def test_of_go_and_cargo_the_failing_tests_are_told_too(world: World, tmp_path: Path) -> None:
    _go(world)
    with_cargo(world)
    world.write(
        {
            "go.mod": "module example.com/shop\n\ngo 1.19\n",
            "cart/cart_test.go": 'package cart\n\nimport "testing"\n\nfunc TestA(t *testing.T) {\n\tt.Error("no")\n}\n',
            "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n',
            "src/lib.rs": "#[test]\nfn adds() {\n    assert_eq!(1, 2);\n}\n",
            ".gitignore": "target\nCargo.lock\n",
        }
    )
    world.commit()
    world.start("fix it", "--check", "go=go test ./...", "--check", "cargo=cargo test -q")
    held = world.stop().stderr
    assert ("  cart/cart_test.go:6: TestA no\n" in held, "  src/lib.rs:3: adds assertion" in held) == (True, True), held
