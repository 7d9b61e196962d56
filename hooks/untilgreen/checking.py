"""Checks from plan to outcome: run in parallel, read, and told by one set of paths; and the evidence of a stop."""

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

from untilgreen import checkers, environment, runner, text, tools, trust, worktree
from untilgreen.checkers import custom
from untilgreen.checkers.checker import outcome
from untilgreen.core import measure, weakened
from untilgreen.core.measure import NOTHING_RAN, Result
from untilgreen.core.model import (
    Absent,
    Broken,
    Check,
    CheckSetting,
    Clean,
    Diagnostic,
    Found,
    Loop,
    Outcome,
    Output,
    Setting,
)
from untilgreen.core.policy import Evidence
from untilgreen.planning import Scope, merged, plan, program

_SECONDS = {"static": 120.0, "build": 480.0, "tests": 480.0}
_SOURCES = 5_000  # findings whose source line is looked up
_READING = 5.0  # seconds to read the project's text at a stop


def run(
    scope: Scope, planned: Sequence[Check], until: float, idle: Callable[[], bool] = lambda: False
) -> tuple[Result, ...]:
    """Run the checks at once; each with its outcome, in the order of the plan. `idle` as in `runner.run`."""
    with _report_folder(scope.env) as folder:
        settings = {c.name: _setting(scope, c, os.path.join(folder, f"{i}.xml")) for i, c in enumerate(planned)}
        jobs, outcomes = [], {}
        for check in planned:
            job = _job(scope, check, settings[check.name])
            if isinstance(job, runner.Job):
                jobs.append(job)
            else:
                outcomes[check.name] = job
        env = environment.of_checks(scope.env, scope.settings.env_remove)
        outputs = runner.run(tuple(jobs), env, until, idle)
    for check in planned:
        if check.name in outputs:
            outcomes[check.name] = _outcome(scope, check, outputs[check.name], settings[check.name])
    return tuple((check, _settled(scope, check, outcomes[check.name])) for check in planned)


@contextmanager
def _report_folder(env: Mapping[str, str]) -> Iterator[str]:
    """A folder of our own for the reports, gone at the end. Raises OSError. (`tempfile` loads twenty modules.)"""
    places = (env.get("TMPDIR", ""), "/tmp", "/var/tmp")  # noqa: S108 the folder's name cannot be guessed
    above = next((place for place in places if os.path.isabs(place) and os.access(place, os.W_OK)), os.getcwd())
    folder = os.path.join(above, f"untilgreen-{os.urandom(8).hex()}")
    os.mkdir(folder, 0o700)
    try:
        yield folder
    finally:
        with suppress(OSError):  # a tool that outlived its check may still write here
            for name in os.listdir(folder):
                os.unlink(os.path.join(folder, name))
            os.rmdir(folder)


def _job(scope: Scope, check: Check, setting: Setting) -> runner.Job | Outcome:
    if check.absent:
        return Absent(check.absent)
    if not os.path.isdir(setting.root):
        return Broken(f"its folder {check.root} is gone")
    own = scope.settings.checks.get(check.name) or scope.settings.checks.get(check.checker) or CheckSetting()
    if check.checker == "custom":
        argv = (program(scope, setting.root, own.command[0]), *own.command[1:])
        return runner.Job(check.name, argv, setting.root, own.timeout or _SECONDS[check.stage])
    if not os.access(check.tool, os.X_OK):
        return Broken(f"{check.checker} is no longer installed: {check.tool} is gone")
    checker = checkers.get(check.checker)
    return runner.Job(check.name, checker.argv(setting), setting.root, own.timeout or checker.seconds, setting.report)


def _setting(scope: Scope, check: Check, report: str) -> Setting:
    root = os.path.normpath(os.path.join(scope.root, check.root))
    python = check.checker != "custom" and checkers.get(check.checker).python
    return Setting(
        tool=check.tool,
        root=root,
        security=scope.criteria.zero_security,
        interpreter=check.interpreter,
        resolves=check.interpreter != "" if python else tools.node_modules(root, scope.root) != "",
        report=report,
        variant=check.variant,
    )


def _outcome(scope: Scope, check: Check, output: Output, setting: Setting) -> Outcome:
    if check.checker == "custom":
        return custom.outcome_of(check.name, output, scope.settings.checks[check.name].ok)
    return outcome(checkers.get(check.checker), output, setting)


def _settled(scope: Scope, check: Check, result: Outcome) -> Outcome:
    """Findings with paths relative to the project root, their source lines, and the user's severities."""
    if not isinstance(result, Found):
        return result
    severities = scope.settings.severity.get(check.checker, {})
    lines: dict[str, list[str]] = {}
    settled = []
    for number, found in enumerate(result.diagnostics):
        file = _rebased(scope.root, check.root, found.file) if check.checker != "custom" else ""
        source = _line(scope.root, file, found.line, lines) if file and number < _SOURCES else ""
        settled.append(
            found._replace(check=check.name, file=file, source=source, severity=_severity(found, severities))
        )
    return result._replace(diagnostics=tuple(settled))


def _rebased(root: str, check_root: str, file: str) -> str:
    if not file:
        return ""
    path = os.path.normpath(os.path.join(root, check_root, file))
    inside = path.startswith(root.rstrip(os.sep) + os.sep)
    return (os.path.relpath(path, root) if inside else path).replace(os.sep, "/")


def _line(root: str, file: str, number: int, cache: dict[str, list[str]]) -> str:
    if file not in cache:
        try:
            with open(os.path.join(root, file), encoding="utf-8", errors="replace") as stream:
                cache[file] = stream.read(5_000_000).split("\n")
        except OSError:
            cache[file] = []  # a file that the check itself removed: the finding stands without its line
    return cache[file][number - 1].strip()[:300] if 0 < number <= len(cache[file]) else ""


def _severity(found: Diagnostic, severities: Mapping[str, str]) -> str:
    """The user's severity for the rule or for the longest prefix of it; tests are tests."""
    if found.severity == "test":
        return "test"
    fitting = [rule for rule in severities if found.rule == rule or found.rule.startswith(rule)]
    return severities[max(fitting, key=len)] if fitting else found.severity


def evidence(
    loop: Loop, env: Mapping[str, str], until: float, now: str, tree: str, *, idle: Callable[[], bool]
) -> tuple[Loop, Evidence]:
    """Run what the loop's criteria need: the loop with its plan and first results, and what came of it."""
    files = worktree.files(loop.project)
    scope = Scope(
        loop.project,
        loop.settings,
        loop.completion_criteria,
        env,
        trust.trusted(loop.project, env),
        loop.asked,
        loop.target_files,
    )
    planned = merged(loop.plan, plan(scope, files))
    results = run(scope, planned, until, idle)
    first = measure.first_results(results, loop.first)
    ran = any(isinstance(result, Clean | Found) for _, result in results)
    if not ran and not any(isinstance(result, Broken) for _, result in results):
        results = (*results, (NOTHING_RAN, Broken(_nothing(results))))
    seen = text.read(loop.project, files, min(until, time.monotonic() + _READING))
    then = loop.text or seen
    texts, added, lost = weakened.compare(then, seen, *_tests(loop, results))
    rules = measure.Rules(loop.completion_criteria, loop.target_files, first)
    snapshot = measure.snapshot(results, rules, loop.iteration, now, {"static": added, "tests": lost})
    left_out = tuple(result.reason for _, result in results if isinstance(result, Absent))
    if not (then.complete and seen.complete):
        left_out += ("suppressions and configuration were not compared",)
    return loop._replace(plan=planned, first=first), Evidence(snapshot, ran, texts, left_out, tree)


def _nothing(results: Sequence[Result]) -> str:
    absent = [result.reason for _, result in results if isinstance(result, Absent)]
    return "no check could run: " + ", ".join(absent) if absent else "no check applies here; name one with --check"


def _tests(loop: Loop, results: Sequence[Result]) -> tuple[int, int]:
    """How many tests ran at first and now; what a check runs for the first time counts on both sides.

    A run that was cut short (a file that could not be collected) says nothing about lost tests.
    """
    now = {check.name: r.tests.run for check, r in results if isinstance(r, Clean | Found) and r.tests and _whole(r)}
    first = {name: loop.first[name].tests_run if name in loop.first else run for name, run in now.items()}
    return sum(first.values()), sum(now.values())


def _whole(result: Clean | Found) -> bool:
    return isinstance(result, Clean) or not any(found.hides for found in result.diagnostics)
