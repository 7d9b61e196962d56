"""A script of package.json that CI does not call, where CI names the checks, runs and is told, and holds nobody."""

import json

import pytest

from test_green import CI, begun, left, outcomes, workflow
from world import World

RED = "echo no; exit 1"
LINT = "npm run lint (package.json: lint)"
TOLD = f"{LINT} is not green, but CI does not call it"
NODE = {"a.test.js": "require('node:test')('a', () => {})\n"}
SUITE = "node --test a.test.js"
pytestmark = pytest.mark.needs("npm")


def manifest(**named: str) -> dict[str, str]:
    """A package with these scripts; its test passes."""
    scripts = {name.replace("_", ":"): text for name, text in named.items()}
    return {"package.json": json.dumps({"name": "x", "scripts": {"test": SUITE} | scripts}), **NODE}


def verdict(world: World) -> tuple[str, list[tuple[str, str, str]]]:
    """What `check` says, with each check's outcome and its reason."""
    world.trust()
    said = json.loads(world.run("untilgreen", "check", "--json").stdout)
    return said["verdict"], [(one["name"], one["outcome"], one["reason"]) for one in said["checks"]]


def test_a_script_that_ci_does_not_call_runs_and_is_told_and_holds_nobody(world: World) -> None:
    world.write({**manifest(lint=RED), CI: workflow("npm ci", "npm test")})
    why = f"{TOLD}: 1 left, npm-lint: exit-1 no"
    assert verdict(world) == ("green", [("npm-lint", "absent", why), ("npm-test", "clean", "")])
    assert begun(world) == ["npm-test"]
    answer = world.stop()
    assert (answer.code, world.state["completion_reason"]) == (0, "All conditions satisfied")
    assert TOLD in f"{answer.stderr}{answer.notice}"
    assert world.plan["npm-lint"] == f"told, and holds nobody: {LINT}"


def test_what_is_told_is_heard_by_an_agent_that_is_held_for_another_check(world: World) -> None:
    world.write({**manifest(lint=RED, typecheck="echo bad; exit 2"), CI: workflow("npm test", "npm run typecheck")})
    begun(world)
    answer = world.stop()
    assert answer.held
    assert left(world) == ["npm-typecheck: exit-2 bad"]
    assert TOLD in answer.stderr.splitlines()
    assert outcomes(world) == {"npm-typecheck": "found", "npm-lint": "absent", "npm-test": "clean"}


BY_ITSELF = manifest(lint=RED, prepare="npm run lint")
HELD = [
    pytest.param({CI: workflow("npm test", "npm run lint")}, id="called"),
    pytest.param({CI: workflow("npm test", "npm run lint -- --strict")}, id="called with words of its own"),
    pytest.param({CI: workflow("npm test", "make lint"), "Makefile": "lint:\n\tnpm run lint\n"}, id="called by make"),
    pytest.param({CI: workflow("npm test", "npm run $TASK")}, id="a script that only CI knows"),
    pytest.param({CI: workflow("npm test", "if test -d a; then npm run lint; fi")}, id="on a condition"),
    pytest.param({CI: workflow("npm test", "npx turbo run all")}, id="a runner of scripts that is not read"),
    pytest.param({CI: workflow("npm test", "node ci.js"), "ci.js": ""}, id="a program that may call it"),
    pytest.param({CI: f"{workflow('npm test')}      - uses: a/lint-action@v1\n"}, id="an action that is not read"),
    pytest.param(
        {CI: f"{workflow('npm test')}  more:\n    uses: a/b/.github/workflows/ci.yml@v1\n"}, id="another's workflow"
    ),
    pytest.param(
        {CI: f"{workflow('npm test')}      - uses: a/retry@v1\n        with: {{command: npm run lint}}\n"},
        id="an action that is given the command",
    ),
    pytest.param({CI: workflow("npm test"), ".travis.yml": "script: npm run lint\n"}, id="another CI"),
    pytest.param({CI: workflow("npm test", "npm run build:all")}, id="a runner of scripts in a build"),
    pytest.param({CI: workflow("npm ci", "npm test"), **BY_ITSELF}, id="called by npm itself"),
    pytest.param({CI: workflow("npm run build")}, id="CI names no check"),
    pytest.param({}, id="no CI"),
    pytest.param({"Makefile": "test:\n\tnpm test\n"}, id="a task and no CI"),
    pytest.param(
        {CI: workflow("npm test"), "untilgreen.toml": "[checks.npm-script]\nenabled = true\n"}, id="the user's choice"
    ),
]


@pytest.mark.parametrize("files", HELD)
def test_a_script_holds_as_before_where_ci_calls_it_or_might(world: World, files: dict[str, str]) -> None:
    world.write({**manifest(lint=RED, build="vite build", build_all="turbo run all"), **files})
    world.trust()
    said = {name: why for name, why in world.plan.items() if name in ("npm-lint", "npm-test")}
    assert (*said,) == ("npm-lint", "npm-test")
    assert not any(why.startswith("told") for why in said.values()), said


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("npm test", "red"),
        ("npm run test:all", "red"),
        ("npm run lint", "red"),  # CI runs no tests: they hold as before
        ("npx vitest run", "red"),  # no check answers for what CI tests
        ("make check", "green"),
    ],
)
def test_a_test_script_holds_nobody_where_ci_runs_other_tests_that_hold(world: World, line: str, said: str) -> None:
    scripts = manifest(test="node gone.js", lint="true", test_all="npm run lint && npm test")
    make = {"Makefile": "check:\n\tpython3 run_tests.py\n\tnpm run lint\n", "run_tests.py": ""}
    world.write({**scripts, **make, CI: workflow(line)})
    assert verdict(world)[0] == said


def test_what_a_user_asks_for_by_name_holds_though_ci_does_not_call_it(world: World) -> None:
    world.write({**manifest(lint=RED), CI: workflow("npm test")})
    begun(world, "--zero-errors")
    assert world.stop().held
    assert left(world) == ["npm-lint: exit-1 no"]


def test_what_is_told_is_what_makes_it_fail(world: World) -> None:
    said = [
        {"ruleId": rule, "severity": level, "message": f"{rule} it", "line": 1}
        for rule, level in (("warn", 1), ("fail", 2))
    ]
    answer = json.dumps([{"filePath": "a.js", "messages": said}])
    world.write({**manifest(lint="eslint ."), "eslint.config.js": "", "a.js": "", CI: workflow("npm ci", "npm test")})
    world.write({"node_modules/.bin/eslint": f"#!/bin/sh\necho '{answer}'\nexit 1\n"})
    (world.project / "node_modules/.bin/eslint").chmod(0o755)
    why = "eslint . (package.json: lint) is not green, but CI does not call it: 1 left, a.js:1: fail fail it"
    assert verdict(world) == ("green", [("eslint", "absent", why), ("npm-test", "clean", "")])
