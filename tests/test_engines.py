"""Turborepo and Nx run tasks in many packages: which are checks, and what is read of what they print."""

import json
from pathlib import Path

import pytest

from test_green import CI, workflow
from test_green_runners import chosen
from untilgreen.checkers import command
from untilgreen.checkers.checker import outcome
from untilgreen.checkers.other import bazel
from untilgreen.core.model import outcome as ends
from untilgreen.core.model.outcome import Found, Output, Setting

BUILT = {"turbo.json": '{"tasks": {"lint": {"dependsOn": ["^build"]}, "test": {"dependsOn": ["^build"]}}}'}
LINTS = ["npm run lint (p/a/package.json: lint)", "npm run lint (p/b/package.json: lint)"]
PRINTED = Path(__file__).parent / "values"


def scripts_of(**named: str) -> str:
    return json.dumps({"scripts": named})


@pytest.mark.parametrize(
    ("line", "more", "lints", "tests"),
    [
        ("npx turbo run build lint test", {}, LINTS, ["turbo run test"]),
        ("turbo lint test --concurrency=2 --continue", {}, LINTS, ["turbo run --concurrency=2 --continue test"]),
        ("npx nx run-many -t test,lint --parallel=3", {}, LINTS, ["nx run-many --parallel=3 --target=test"]),
        # what is affected since a commit of CI's is nothing once the agent has committed
        ("nx affected --targets=lint,test --base=origin/main", {}, LINTS, ["nx run-many --target=test"]),
        ("turbo run test --affected", {}, [], ["turbo run test"]),
        ("turbo run test --filter=...[origin/main]", {}, [], ["turbo run test"]),
        ("turbo run test --filter=./p/a", {}, [], ["turbo run --filter=./p/a test"]),
        # a lint that needs a build is the engine's, too
        ("turbo run lint test", BUILT, ["turbo run lint"], ["turbo run test"]),
        ("nx run-many -t typecheck", {"p/a/project.json": "{}"}, ["nx run-many --target=typecheck"], None),
        # as npm runs it, where the root's own tests are that task
        ("turbo run test", {"package.json": "turbo run test"}, [], ["npm-test"]),
    ],
)
def test_tests_in_many_packages_are_one_check_of_their_engine(
    tmp_path: Path, line: str, more: dict[str, str], lints: list[str], tests: list[str] | None
) -> None:
    root = {"workspaces": ["p/*"], "devDependencies": {"turbo": "2.11.11", "nx": "24.0.6"}}
    root |= {"scripts": {"test": more["package.json"]}} if "package.json" in more else {}
    packages = {f"p/{name}/package.json": scripts_of(test="mocha", lint="stylelint css") for name in "ab"}
    files = {**more, **packages, "package.json": json.dumps(root), CI: workflow(line)}
    shown = [f"{one} ({CI}: check)" if one[:3] in ("tur", "nx ") else one for one in lints]
    assert chosen(tmp_path, files, "static") == shown
    apart = [f"npm-test@p/{name}" for name in "ab"] if tests is None else tests
    assert chosen(tmp_path, files) == [f"{one} ({CI}: check)" if " " in one else one for one in apart]


def test_each_task_that_failed_is_told_by_what_it_printed() -> None:
    text = (PRINTED / "printed-turbo-2.11-tasks.txt").read_text(encoding="utf-8")
    setting = Setting("/project/node_modules/.bin/turbo", "/project", call=("turbo", "run", "test", "lint"))
    found = outcome(command.RUNNER, Output(1, text, ""), setting)
    assert isinstance(found, Found)
    assert [(one.file, one.line, one.rule, one.severity) for one in found.diagnostics] == [
        ("packages/p5/test/p5.test.js", 5, "adds 5", "test"),
        ("packages/p5/test/p5.test.js", 6, "twice 5", "test"),
        ("packages/p3/index.js", 1, "no-unused-vars", "error"),
        ("packages/p4/index.ts", 3, "TS2322", "error"),
        ("packages/p6/package.json", 0, "@w/p6#lint", "error"),
    ]
    assert (found.diagnostics[-1].message, found.tests) == (
        "some linter says\nno good: semicolon",
        ends.Tests(4, 2),
    )


def test_turbo_is_told_to_run_what_else_may_fail() -> None:
    argv = command.RUNNER.argv(Setting("/bin/turbo", "/project", call=("turbo", "run", "test")))
    assert argv == ("/bin/turbo", "run", "test", "--continue")


LOG = "Executing tests from //b:t\n{line}\nran in /out/sandbox/9/execroot/__main__/b\na.sh:4: expected 3, got 4\n"
SUITE = '<testsuites><testsuite name="{name}" tests="1">{cases}</testsuite></testsuites>'
UNNAMED = '<testcase name="b/t"><error message="exited with error code 1"/></testcase>'
CASES = (
    '<testcase name="adds" classname="cart"/><testcase name="total" classname="cart" file="c/cart.py" line="7">'
    '<failure message="3 != 4"/></testcase>'
)


def test_bazels_tests_are_read_from_the_reports_that_its_build_events_name(tmp_path: Path) -> None:
    logs = tmp_path / "execroot/__main__/bazel-out/k8-fastbuild/testlogs"
    reports = {"a": '<testcase name="a/t"/>', "b": UNNAMED, "c": CASES}
    for name, cases in reports.items():
        (logs / name / "t").mkdir(parents=True)
        (logs / name / "t/test.xml").write_text(SUITE.format(name=name, cases=cases))
        (logs / name / "t/test.log").write_text(LOG.format(line="-" * 77))
    events = (PRINTED / "bazel-2.1-events.json").read_text(encoding="utf-8").replace("/output", str(tmp_path))
    setting = Setting("/bin/bazel", "/project", report="/report", call=("bazel", "test", "//..."))
    assert command.RUNNER.argv(setting) == ("/bin/bazel", "test", "//...", "--build_event_json_file=/report")
    found = outcome(command.RUNNER, Output(3, "", "", report=bazel.reports(events)), setting)
    assert isinstance(found, Found)
    assert [(one.file, one.line, one.rule, one.message) for one in found.diagnostics] == [
        ("c/cart.py", 7, "cart::total", "3 != 4"),
        ("", 0, "//b:t", "ran in b; a.sh:4: expected 3, got 4"),
    ]
    assert found.tests == ends.Tests(4, 2, "report")
    # of what a remote cache has alone each target is a test, and half an event is none
    events = events.replace("file://", "bytestream://cache") + '{"id":{"testResult":{"label":"//d:t"'
    found = outcome(command.RUNNER, Output(3, "", "", report=bazel.reports(events)), setting)
    assert isinstance(found, Found)
    assert [(one.rule, one.message) for one in found.diagnostics] == [("//c:t", "FAILED"), ("//b:t", "FAILED")]
    assert found.tests == ends.Tests(3, 2, "report")
