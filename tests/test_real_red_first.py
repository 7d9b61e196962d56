"""What failed last runs first, with the real runners: a loop of failing tests mended one a round ends green."""

import json
import os
import shutil
from collections.abc import Mapping

import pytest

from node import installed
from rust import with_cargo
from world import REPOSITORY, World

NAMES = "ab"
MORE = "abcd"  # for pytest: after two rounds of what failed last comes one of everything, while red, too


def each(test: str, passing: str = "", names: str = NAMES) -> str:
    """Tests that pass once their letter stands in `mended.txt`, and two that hold."""
    return "".join(test.replace("%s", name) for name in names) + "".join(passing.replace("%s", one) for one in "yz")


def script(runner: str) -> str:
    return json.dumps({"name": "p", "private": True, "scripts": {"test": runner}})


REQUIRED = (
    'const assert = require("node:assert");\nconst mended = () => require("fs").readFileSync("mended.txt", "utf8");\n'
)
IMPORTED = 'import { readFileSync } from "node:fs";\nconst mended = () => readFileSync("mended.txt", "utf8");\n'
UNDER = 'describe("the (sum)", () => {\n'
FILES: dict[str, Mapping[str, str]] = {
    "pytest": {
        "tests/test_red.py": each(
            "class Test_%s:\n    def test_it(self):\n        assert '%s' in open('mended.txt').read()\n\n\n", names=MORE
        ),
        "tests/test_rest.py": each("", "def test_%s():\n    pass\n\n\n"),
    },
    "unittest": {
        "tests/test_red.py": "import unittest\n\n\nclass Red(unittest.TestCase):\n"
        + each("    def test_%s(self):\n        self.assertIn('%s', open('mended.txt').read())\n\n"),
        "tests/test_rest.py": "import unittest\n\n\nclass Rest(unittest.TestCase):\n"
        + each("", "    def test_%s(self):\n        pass\n\n"),
    },
    "go-test": {
        "go.mod": "module example.com/m\n\ngo 1.19\n",
        "sub/red_test.go": 'package sub\n\nimport (\n\t"os"\n\t"strings"\n\t"testing"\n)\n'
        + each(
            '\nfunc Test_%s(t *testing.T) {\n\ttext, _ := os.ReadFile("../mended.txt")\n'
            '\tif !strings.Contains(string(text), "%s") {\n\t\tt.Error("red")\n\t}\n}\n'
        ),
        "rest_test.go": 'package m\n\nimport "testing"\n' + each("", "\nfunc Test_%s(t *testing.T) {}\n"),
    },
    "cargo-test": {
        "Cargo.toml": '[package]\nname = "m"\nversion = "0.1.0"\nedition = "2021"\n',
        "src/lib.rs": "#[cfg(test)]\nmod tests {\n"
        + each(
            "    #[test]\n    fn test_%s() {\n"
            '        assert!(std::fs::read_to_string("mended.txt").unwrap().contains("%s"));\n    }\n',
            "    #[test]\n    fn test_%s() {}\n",
        )
        + "}\n",
    },
    "jest@30.5.2": {
        "package.json": script("jest"),
        "red.test.cjs": REQUIRED
        + UNDER
        + each('  test("%s [is] there", () => expect(mended()).toContain("%s"));\n')
        + "});\n",
        "rest.test.cjs": each("", 'test("%s", () => {});\n'),
    },
    "vitest@4.1.12": {
        "package.json": script("vitest"),
        "red.test.mjs": 'import { describe, expect, test } from "vitest";\n'
        + IMPORTED
        + UNDER
        + each('  test("%s [is] there", () => expect(mended()).toContain("%s"));\n')
        + "});\n",
        "rest.test.mjs": 'import { test } from "vitest";\n' + each("", 'test("%s", () => {});\n'),
    },
    "mocha@12.0.3": {
        "package.json": script("mocha *.test.cjs"),
        "red.test.cjs": REQUIRED
        + UNDER
        + each('  it("%s [is] there", () => assert.ok(mended().includes("%s")));\n')
        + "});\n",
        "rest.test.cjs": each("", 'it("%s", () => {});\n'),
    },
    "tap@16.3.10": {
        "package.json": script("tap --no-coverage"),
        "red.test.cjs": REQUIRED
        + 'const t = require("tap");\n'
        + each(
            't.test("%s [is] there", (t) => {\n  t.ok(mended().includes("%s"));\n  t.ok(mended().includes("%s"));\n'
            "  t.end();\n});\n"
        ),
        "rest.test.cjs": 'const t = require("tap");\n'
        + each("", 't.test("%s", (t) => {\n  t.pass();\n  t.end();\n});\n'),
    },
}
NEEDS = {"go-test": "go", "cargo-test": "cargo"} | {name: "npm" for name in FILES if "@" in name}
WIDE = ("tap", "jest")  # like mocha and vitest
RUNNERS = [
    pytest.param(
        name,
        id=runner,
        marks=[
            *([pytest.mark.needs(NEEDS[name])] if name in NEEDS else []),
            *([pytest.mark.wide] if runner in WIDE else []),
        ],
    )
    for name in FILES
    for runner in [name.partition("@")[0]]
]


def begin(world: World, runner: str) -> str:
    """A loop in the project of this runner; the name of its check."""
    world.env["PATH"] += os.pathsep + os.path.dirname(shutil.which(NEEDS.get(runner, "git")) or "")
    if "@" in runner:
        (world.project / "node_modules").symlink_to(installed(runner) / "node_modules")
    elif runner == "go-test":
        world.env |= {"GOCACHE": str(REPOSITORY / ".cache" / "go-build"), "GOTOOLCHAIN": "local", "GOPROXY": "off"}
    elif runner == "cargo-test":
        with_cargo(world)
    world.write({".gitignore": "node_modules\ntarget\n__pycache__\nCargo.lock\n", "mended.txt": "", **FILES[runner]})
    world.commit()
    world.start("mend it", "--tests-pass", "--max-iterations", "20")
    return "npm-test" if "@" in runner else runner


def mend(world: World, number: int) -> tuple[bool, tuple[int, int, dict[str, int]]]:
    """A stop with so many tests mended: whether it is held; (run, failed, not run) of its snapshot."""
    world.write({"mended.txt": MORE[:number]})
    held = world.stop().held
    snapshot = world.state["snapshots"][-1]
    return held, (snapshot["tests_run"], snapshot["tests_failed"], snapshot["not_run"])


@pytest.mark.parametrize("runner", RUNNERS)
def test_failing_tests_mended_one_a_round_end_green(world: World, runner: str) -> None:
    check, red = begin(world, runner), len(MORE if runner == "pytest" else NAMES)
    expected: list[tuple[int, int, dict[str, int]]] = [
        (red + 2, red - n, {}) if n % 3 == 0 else (red + 1 - n, red - n, {check: n + 1}) for n in range(red)
    ]
    assert [mend(world, number) for number in range(red)] == [(True, one) for one in expected]
    assert (mend(world, red), world.state["verified"]) == ((False, (red + 2, 0, {})), True)
