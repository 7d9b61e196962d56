"""Checks from plan to outcome: run in parallel, read, and told by one set of paths."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import NamedTuple

from untilgreen import checkers
from untilgreen.checkers import custom
from untilgreen.checkers.checker import outcome
from untilgreen.checks import environment, processes
from untilgreen.checks.planning import Scope, program
from untilgreen.core.model import (
    Absent,
    Broken,
    Check,
    CheckSetting,
    Diagnostic,
    Found,
    Outcome,
    Output,
    Result,
    Setting,
)
from untilgreen.project import tools

_SECONDS = {"static": 120.0, "build": 480.0, "tests": 480.0}
_SOURCES = 5_000  # findings whose source line is looked up


class Look(NamedTuple):
    """What of its root a check is to look at: `files`, relative to the project; with `text`, the path of a copy, only
    the one file that is named, as it is in the copy."""

    files: tuple[str, ...] = ()
    text: str = ""


_ALL = Look()
Told = Callable[[Check, Outcome, float], object]  # is told of a check that came to its end, and how many seconds it ran


def nobody(check: Check, outcome: Outcome, seconds: float) -> None:
    """Nobody asked how the checks went."""


def run(
    scope: Scope,
    planned: Sequence[Check],
    until: float,
    idle: Callable[[], bool] = lambda: False,
    looks: Mapping[str, Look] = {},
    told: Told = nobody,
) -> tuple[Result, ...]:
    """Run the checks at once; each with its outcome, in the order of the plan.

    `until` and `idle` as in `processes.run`. `looks`: check to what it looks at, where that is not the whole root.
    """
    with _report_folder(scope.env) as folder:
        settings = {
            check.name: _setting(scope, check, os.path.join(folder, f"{number}.xml"), looks.get(check.name, _ALL))
            for number, check in enumerate(planned)
        }
        jobs, outcomes = [], {}
        for check in planned:
            job = _job(scope, check, settings[check.name], looks.get(check.name, _ALL).text)
            if isinstance(job, processes.Job):
                jobs.append(job)
            else:
                outcomes[check.name] = job
        env = environment.of_checks(scope.env, scope.settings.env_remove)
        outputs = processes.run(tuple(jobs), env, until, idle)
    for check in planned:
        if check.name in outputs:
            outcomes[check.name] = _outcome(scope, check, outputs[check.name], settings[check.name])
    results = tuple(
        (check, _settled(scope, check, outcomes[check.name], looks.get(check.name, _ALL).text)) for check in planned
    )
    for check, result in results:
        told(check, result, outputs[check.name].seconds if check.name in outputs else 0.0)
    return results


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


def _job(scope: Scope, check: Check, setting: Setting, text: str) -> processes.Job | Outcome:
    if check.absent:
        return Absent(check.absent)
    if not os.path.isdir(setting.root):
        return Broken(f"its folder {check.root} is gone")
    own = scope.settings.checks.get(check.name) or scope.settings.checks.get(check.checker) or CheckSetting()
    if check.checker == "custom":
        words = tuple(word.replace("{report}", setting.report) for word in own.command)
        argv = (program(scope, setting.root, words[0]), *words[1:])
        report = setting.report if words != own.command else ""
        return processes.Job(check.name, argv, setting.root, own.timeout or _SECONDS[check.stage], report)
    if not os.access(check.tool, os.X_OK):
        return Broken(f"{check.checker} is no longer installed: {check.tool} is gone")
    checker = checkers.get(check.checker)
    seconds = own.timeout or checker.limit
    return processes.Job(check.name, checker.argv(setting), setting.root, seconds, setting.report, text)


def _setting(scope: Scope, check: Check, report: str, look: Look) -> Setting:
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
        files=() if look.text else _inside(look.files, check.root),
        stdin=_inside(look.files, check.root)[0] if look.text else "",
    )


def _inside(files: Sequence[str], root: str) -> tuple[str, ...]:
    """Paths relative to the project as those relative to a check root that holds them."""
    return tuple(files if root == "." else (path.removeprefix(f"{root}/") for path in files))


def _outcome(scope: Scope, check: Check, output: Output, setting: Setting) -> Outcome:
    if check.checker == "custom":
        return custom.outcome_of(check.name, output, scope.settings.checks[check.name])
    return outcome(checkers.get(check.checker), output, setting)


def _settled(scope: Scope, check: Check, result: Outcome, text: str) -> Outcome:
    """Findings with paths relative to the project root, their source lines, and the user's severities.

    `text`: the path of the copy that was looked at in place of the file.
    """
    if not isinstance(result, Found):
        return result
    severities = scope.settings.severity.get(check.name if check.checker == "custom" else check.checker, {})
    lines: dict[str, list[str]] = {}
    settled = []
    for number, found in enumerate(result.diagnostics):
        file = _rebased(scope.root, check.root, found.file)
        looked_at = text or os.path.join(scope.root, file)
        source = _line(looked_at, found.line, lines) if file and number < _SOURCES else ""
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


def _line(file: str, number: int, cache: dict[str, list[str]]) -> str:
    if file not in cache:
        try:
            with open(file, encoding="utf-8", errors="replace") as stream:
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
