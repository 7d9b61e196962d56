"""`npm test` with the real runners, through the installed executables: held, told, mended, released."""

import json
import os
import shutil
from collections.abc import Mapping

import pytest

from cases import but
from node import installed
from test_green import left
from world import World, listed

pytestmark = pytest.mark.needs("npm")

JEST, VITEST, MOCHA, TAPE = "jest@30.5.2", "vitest@4.1.12", "mocha@12.0.3", "tape@5.10.2"
_JEST = 'test("adds", () => {\n  expect(1 + 1).toBe(3);\n});\ntest("is there", () => {});\n'
_NODE = 'test("adds", () => {\n  assert.equal(1 + 1, 3);\n});\ntest("is there", () => {});\n'
RED = {
    "jest": _JEST,
    "vitest": f'import {{ expect, test }} from "vitest";\n{_JEST}',
    "node": f'import assert from "node:assert";\nimport {{ test }} from "node:test";\n{_NODE}',
    "mocha": f'const assert = require("node:assert");\n{_NODE}',
}
# each runner's script, and what is installed for it
RUNNERS = {
    "jest": ("jest", JEST),
    "vitest": ("vitest", VITEST),
    "node": ("node --test",),
    "mocha": ("mocha *.test.cjs", MOCHA),
}


def begin(world: World, script: str, files: Mapping[str, str], *packages: str) -> None:
    """A loop that asks for passing tests, in a project with this test script and these packages installed."""
    bring(world, {"type": "module", "scripts": {"test": script}}, files, *packages)
    world.start("mend it", "--tests-pass", "--tests-may-change", "*")  # what is tested lies in the tests


def bring(world: World, package: Mapping[str, object], files: Mapping[str, str], *packages: str) -> None:
    """npm, and a project with this package.json and these packages installed."""
    world.env["PATH"] += os.pathsep + os.path.dirname(shutil.which("npm") or "")
    if packages:
        (world.project / "node_modules").symlink_to(installed(*packages) / "node_modules")
    text = json.dumps({"name": "p", "private": True, **package})
    world.write({"package.json": text, ".gitignore": "node_modules\n", **files})
    world.commit()


def newest(world: World) -> tuple[int, int, bool]:
    """(run, failed, passed) of the newest snapshot."""
    snapshot = world.state["snapshots"][-1]
    return snapshot["tests_run"], snapshot["tests_failed"], snapshot["tests_passed"]


def test_a_red_test_holds_by_its_name_and_a_green_one_lets_go(world: World) -> None:
    begin(world, "node --test", {"sum.test.mjs": RED["node"]})  # the others: test_real_red_first
    held = world.stop()
    assert "sum.test.mjs:3: adds AssertionError: 2 == 3" in listed(held)
    assert "Next: Fix 1 failing test(s)" in held.stderr
    assert newest(world) == (2, 1, False)
    world.write({"sum.test.mjs": RED["node"].replace("3)", "2)")})
    released = world.stop()
    assert (released.code, released.stderr) == (0, "")
    assert (newest(world), world.state["stop_reason"], world.state["verified"]) == ((2, 0, True), "complete", True)


def test_a_runner_that_is_not_installed_is_broken_not_green(world: World) -> None:
    begin(world, "jest", {"sum.test.js": RED["jest"]})
    held = world.stop()
    assert "check npm-test: exit code 127: " in held.stderr
    assert "jest: not found" in held.stderr
    assert newest(world) == (0, 0, False)


@pytest.mark.parametrize(
    "runner",
    but(RUNNERS, {"jest", "vitest", "mocha"}),  # what these three say is recorded, too
)
def test_a_syntax_error_in_a_test_file_is_told_as_one_of_that_file(world: World, runner: str) -> None:
    file = {"vitest": "sum.test.js", "node": "sum.test.mjs"}.get(runner, "sum.test.cjs")
    script, *packages = RUNNERS[runner]
    begin(world, script, {file: RED[runner] + "test(\n"}, *packages)
    held = world.stop()
    assert [line for line in listed(held) if line.startswith(file) and " collection " in line.replace(": ", " ")]
    assert newest(world) == (1, 1, False)


@pytest.mark.parametrize("runner", but(("jest", "vitest", "node"), {"jest", "vitest"}))
def test_a_project_without_a_single_test_is_not_green(world: World, runner: str) -> None:
    script, *packages = RUNNERS[runner]
    begin(world, script, {"index.js": "export const one = 1;\n"}, *packages)
    held = world.stop()
    assert (held.code, newest(world)) == (2, (0, 0, False))
    assert "check npm-test: " in held.stderr
    assert "no test" in held.stderr.lower()


def test_a_script_of_somebody_else_goes_by_its_exit_code(world: World) -> None:
    begin(world, "node check.cjs", {"check.cjs": 'throw new Error("it is red");\n'})
    held = world.stop()
    assert "npm-test: exit-1 " in held.stderr
    assert "Error: it is red" in held.stderr
    world.write({"check.cjs": ""})
    assert (world.stop().code, newest(world)) == (0, (1, 0, True))


def test_a_test_file_that_leaves_early_is_not_green(world: World) -> None:
    begin(world, "node --test", {"sum.test.mjs": "process.exit(0);\n" + RED["node"]})
    held = world.stop()
    assert "check npm-test: no test ran: 1 file(s) ended without one" in held.stderr
    assert (held.code, newest(world)) == (2, (0, 0, False))


MANY = 'import { test } from "node:test";\n' + "".join(f'test("t{n}", () => {{}});\n' for n in range(30))


WHOLE = ("npm test --workspaces --if-present", "npm run test -ws", "npm test -ws")


@pytest.mark.parametrize("script", but(WHOLE, WHOLE[1:]))
def test_each_of_npms_workspaces_is_run_and_told_by_itself(world: World, script: str) -> None:
    root = {"name": "r", "private": True, "workspaces": ["packages/*"], "scripts": {"test": script}}
    member = json.dumps({"name": "%s", "version": "1.0.0", "scripts": {"test": "node --test"}})
    files = {
        "package.json": json.dumps(root),
        "packages/a/package.json": member % "a",
        "packages/a/a.test.mjs": RED["node"],
        "packages/b/package.json": member % "b",
        "packages/b/b.test.mjs": MANY,
        "packages/c/package.json": '{ "name": "c", "version": "1.0.0" }\n',
        "examples/d/package.json": member % "d",
        "examples/d/d.test.mjs": RED["node"],
    }
    begin(world, "", files)
    assert listed(world.stop())[0] == "packages/a/a.test.mjs:3: adds AssertionError: 2 == 3"
    snapshot = world.state["snapshots"][-1]
    assert snapshot["outcomes"] == {"npm-test@packages/a": "found", "npm-test@packages/b": "clean"}
    assert newest(world) == (32, 1, False)
    world.write({"packages/a/a.test.mjs": RED["node"].replace("3)", "2)")})
    assert (world.stop().code, world.state["verified"], newest(world)) == (0, True, (32, 0, True))


def test_what_failed_is_told_where_much_was_said_after_it(world: World) -> None:
    script = "cd a && node --test --test-reporter=spec; A=$?; cd ../b && node --test; exit $A"
    begin(world, f"({script})", {"a/a.test.mjs": RED["node"], "b/b.test.mjs": MANY})
    assert listed(world.stop())[0].startswith("a/a.test.mjs:3: adds AssertionError")
    assert newest(world) == (32, 1, False)


def test_what_a_script_of_its_own_prints_as_tap_is_read(world: World) -> None:
    run = "import test from 'tape';\ntest('adds', (t) => {\n  t.equal(1 + 1, 3);\n  t.end();\n});\n"
    begin(world, "node run.mjs", {"run.mjs": run}, TAPE)
    assert listed(world.stop())[0] == "run.mjs:3: adds should be strictly equal: expected 3, got 2"
    world.write({"run.mjs": run.replace("3)", "2)")})
    assert (world.stop().code, newest(world), world.state["verified"]) == (0, (1, 0, True), True)


STYLE = "node style.cjs"
STYLED = {
    "style.cjs": (
        'const text = require("fs").readFileSync("app.cjs", "utf8");\n'
        'if (text.includes("var")) throw new Error("no var");\n'
    )
}


def green(world: World, scripts: Mapping[str, str], files: Mapping[str, str], *packages: str) -> list[str]:
    """A loop that asks for what the project calls green; the checks that its start names."""
    bring(world, {"scripts": scripts}, files, *packages)
    answer = world.run("start-loop", "mend it", "--session", world.session)
    [line] = [line for line in answer.stdout.splitlines() if line.startswith("checks: ")]
    world.write({"work.txt": "done"})
    return line.removeprefix("checks: ").split(", ")


ESLINT = "eslint@9.39.1"
CONFIG = 'module.exports = [{ files: ["**/*.cjs"], rules: { "no-var": "error" } }];\n'
GOOD = 'it("adds", () => {});\n'


@pytest.mark.wide
@pytest.mark.parametrize(
    "scripts",
    [
        {"pretest": "eslint .", "test": "npx mocha *.test.cjs"},
        {"lint": "eslint .", "unit": "mocha *.test.cjs", "test": "npm run lint && npm run unit"},
    ],
)
def test_a_lint_error_in_a_chain_is_told_as_one_and_not_as_a_failing_test(
    world: World, scripts: Mapping[str, str]
) -> None:
    files = {"eslint.config.cjs": CONFIG, "sum.test.cjs": "var one = 1;\n" + GOOD}
    green(world, scripts, files, MOCHA, ESLINT)
    assert world.stop().code == 2
    assert left(world) == ["sum.test.cjs:1: no-var Unexpected var, use let or const instead."]
    assert newest(world) == (1, 0, True)
    world.write({"sum.test.cjs": 'const assert = require("assert");\nit("adds", () => assert.equal(1, 2));\n'})
    assert world.stop().code == 2
    assert left(world) == ["sum.test.cjs:2: adds AssertionError [ERR_ASSERTION]: 1 == 2"]
    world.write({"sum.test.cjs": GOOD})
    assert (world.stop().code, world.state["verified"]) == (0, True)


def test_a_script_that_no_checker_reads_is_a_check_by_its_exit_code(world: World) -> None:
    scripts = {"lint": STYLE, "test": "npm run lint && mocha *.test.cjs"}
    told = green(world, scripts, STYLED | {"app.cjs": "var one = 1;\n", "sum.test.cjs": GOOD}, MOCHA)
    assert told == ["npm run lint (package.json: lint)", "npm-test"]
    assert world.stop().code == 2
    assert world.state["snapshots"][-1]["outcomes"] == {"npm-lint": "found", "npm-test": "clean"}
    [told_as] = left(world)
    assert told_as.startswith("npm-lint: exit-1 ")
    assert "Error: no var" in told_as
    world.write({"app.cjs": "const one = 1;\n"})
    assert (world.stop().code, world.state["verified"]) == (0, True)


def test_a_command_of_the_users_own_takes_the_place_of_a_script(world: World) -> None:
    (world.project / "untilgreen.toml").write_text('[checks.npm-lint]\ncommand = ["true"]\n')
    told = green(world, {"lint": STYLE, "test": "mocha *.test.cjs"}, STYLED | {"sum.test.cjs": GOOD}, MOCHA)
    assert told == ["npm-test", "npm-lint"]


def test_a_package_is_told_apart_from_what_it_looks_at_before_its_tests(world: World) -> None:
    inner = json.dumps(
        {"name": "a", "version": "1.0.0", "scripts": {"lint": STYLE, "test": "npm run lint && mocha *.test.cjs"}}
    )
    files = {f"a/{name}": text for name, text in STYLED.items()}
    files |= {"a/package.json": inner, "a/app.cjs": "var one = 1;\n", "a/sum.test.cjs": GOOD}
    root = {"name": "r", "private": True, "workspaces": ["a"], "scripts": {"test": "npm test -ws"}}
    green(world, {}, files | {"package.json": json.dumps(root)}, MOCHA)
    assert world.stop().code == 2
    assert world.state["snapshots"][-1]["outcomes"] == {"npm-lint@a": "found", "npm-test@a": "clean"}


BUILDS = """#!/usr/bin/env node
const fs = require("fs");
if (process.argv.includes("--noEmit")) {
  console.log("Total time: 0.01s");
} else {
  fs.writeFileSync("half-built", "");
  setTimeout(() => fs.unlinkSync("half-built"), 1500);
}
"""
LOOKS = """import fs from "fs";
const until = Date.now() + 1500;
const look = () => fs.existsSync("half-built") ? process.exit(1) : Date.now() < until && setTimeout(look, 20);
look();
"""


def test_what_looks_at_what_the_tests_build_waits_for_them(world: World) -> None:
    scripts = {"test": "tsc && npm run types && node --test", "types": "node types.js"}
    files = {"types.js": LOOKS, "a.test.mjs": 'import { test } from "node:test";\ntest("a", () => {});\n'}
    bring(world, {"type": "module", "scripts": scripts}, files)
    builder = world.project / "node_modules" / ".bin" / "tsc"
    builder.parent.mkdir(parents=True)
    builder.write_text(BUILDS)
    builder.chmod(0o755)
    world.trust()
    checked = world.run("untilgreen", "check", "--json")
    found = {one["name"]: one["outcome"] for one in json.loads(checked.stdout)["checks"]}
    assert found == dict.fromkeys(("tsc", "npm-types", "npm-test"), "clean")


PNPM = """#!/bin/sh
echo "$@" >> asked
[ "$1" = --silent ] && shift
case "$1" in
  exec) shift; exec "$@" ;;
  test) exec node --test ;;
  run) exec node types.js ;;
esac
"""


@pytest.mark.parametrize(
    ("script", "asked"),
    [
        ("node --test", ["--silent test", "run types"]),
        ("npm run types && node --test && echo fine", ["exec sh -c node --test && echo fine", "run types"]),
    ],
)
def test_a_package_that_insists_on_another_manager_is_tested_by_that(
    world: World, script: str, asked: list[str]
) -> None:
    insists = {"packageManager": {"name": "pnpm", "version": ">=10"}}
    scripts = {"test": script, "types": "node types.js"}
    files = {"types.js": "", "a.test.mjs": 'import { test } from "node:test";\ntest("a", () => {});\n'}
    bring(world, {"type": "module", "scripts": scripts, "devEngines": insists}, files)
    (world.programs / "pnpm").write_text(PNPM)
    (world.programs / "pnpm").chmod(0o755)
    world.trust()
    checked = json.loads(world.run("untilgreen", "check", "--json").stdout)
    assert {one["name"]: one["outcome"] for one in checked["checks"]} == {"npm-types": "clean", "npm-test": "clean"}
    assert sorted((world.project / "asked").read_text().splitlines()) == asked


# a product that is wrong, and its test; and what it does to its runner
_SUM = "const sum = (a, b) => a + b + 1;\n"
_CJS = ("exports.sum = sum;\n", "const { sum } = require('../sum.js');\n")
_ESM = ("export { sum };\n", "import { expect, test } from 'vitest';\nimport { sum } from '../sum.js';\n")
RIGGED = {
    "jest": (
        *_CJS,
        "test('adds', () => {\n  expect(sum(1, 1)).toBe(2);\n});\n",
        "globalThis.expect = () => ({ toBe() {} });\n",
    ),
    "vitest": (
        *_ESM,
        "test('adds', () => {\n  expect(sum(1, 1)).toBe(2);\n});\n",
        "import { chai } from 'vitest';\nchai.Assertion.overwriteMethod('toBe', () => () => {});\n",
    ),
    "mocha": (
        *_CJS,
        "const assert = require('node:assert');\nit('adds', () => {\n  assert.equal(sum(1, 1), 2);\n});\n",
        "require('node:assert').equal = () => {};\n",
    ),
}


@pytest.mark.parametrize("runner", but(RIGGED, {"jest"}))  # its call: test_checkers_npm_test
def test_a_product_that_changes_its_runner_is_no_plain_green(world: World, runner: str) -> None:
    says, takes, test, rigs = RIGGED[runner]
    script = {"vitest": "vitest run"}.get(runner, runner)
    kind = {"type": "module"} if runner == "vitest" else {}
    files = {"sum.js": _SUM + says, "test/sum.test.js": takes + test}
    bring(world, {**kind, "scripts": {"test": script}}, files, RUNNERS[runner][1])
    world.start("mend it", "--tests-pass")
    world.write({"sum.js": rigs + _SUM + says})
    told = ["blind"] if runner == "mocha" else ["blind", "outside"]  # a plain process has an `expect` of its own
    assert (world.stop().code, [one["kind"] for one in world.state["but"]]) == (0, told)
