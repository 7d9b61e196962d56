"""The checks: which apply, with which tool and version, and what they say now; and the completion hooks."""

import time
from collections import Counter
from collections.abc import Iterator

from untilgreen import checkers
from untilgreen.checks import asking
from untilgreen.checks.plan import planning
from untilgreen.checks.run import checking
from untilgreen.cli.doctor.case import DoctorCase, asking_version, version
from untilgreen.cli.installing import detected
from untilgreen.core.errors import UserError
from untilgreen.core.findings import BROKEN, NOTE, OK, WARNING, Finding, readable
from untilgreen.core.model.check import Absent, Check, kind_of
from untilgreen.core.model.outcome import Clean, Found, Outcome, Pending
from untilgreen.loops.stop import judge
from untilgreen.project import cures

SUBJECT, HOOKS = "checks", "completion hooks"


def examine(case: DoctorCase) -> Iterator[Finding]:
    """A finding for each check. None where the place or the configuration forbids checks: another subject says so."""
    if case.refused or case.fault:
        return
    try:
        scope, files = detected.scope_of(case.root, case.env, case.settings)
        scope = scope._replace(trusted=case.trusted)
        planned = planning.plan(scope, files)
    except UserError as error:
        yield Finding(SUBJECT, BROKEN, error.reason, f"edit the configuration: {error.fix}")
        return
    if not planned:
        what = "no check applies here: a loop has nothing to go by but its marker"
        yield Finding(SUBJECT, WARNING, what, case.key('command = "make test"', "checks.test"))
        return
    waiting = [one.name for one in planned if one.absent and one.absent.cause == "untrusted"]
    # all tools are asked at once; tests run only where they are asked for
    tools = {one.name: one.tool for one in planned if one.tool and not one.absent and one.checker != "custom"}
    answers = case.ask({tool: asking_version(tool) for tool in tools.values()}) if case.extent.run else {}
    wanted = tuple(one for one in planned if case.extent.run and (case.extent.tests or one.stage != "tests"))
    watch = checking.Watch(time.monotonic() + case.extent.seconds)
    outcomes = {check.name: outcome for check, outcome in (checking.run(scope, wanted, watch) if wanted else ())}
    for one in planned:
        if one.name not in waiting:
            number = version(answers[tools[one.name]]) if tools.get(one.name) in answers else ""
            yield _of(case, one, number, outcomes.get(one.name))
    if waiting:
        what = f"left out until the project is trusted: {', '.join(waiting)}"
        yield Finding(SUBJECT, NOTE, what, case.command("untilgreen", "trust"))


def _of(case: DoctorCase, check: Check, version: str, outcome: Outcome | None) -> Finding:
    name, outcome = f"{check.name} {version}".strip(), check.absent or outcome
    if isinstance(outcome, Absent):
        return Finding(SUBJECT, WARNING, f"{name}: {outcome.reason}", _install(case, check))
    name = f"{name} ({case.shown(check.tool)})"
    if outcome is None:
        later = ", not run here without --tests" if check.stage == "tests" else ", not run"
        return Finding(SUBJECT, OK, f"{name}: applies{later}")
    if isinstance(outcome, Clean | Found | Pending):
        kinds = sorted(Counter(one.severity for one in getattr(outcome, "diagnostics", ())).items())
        listed = ", ".join(f"{number} {kind}" for kind, number in kinds)
        return Finding(SUBJECT, OK, f"{name}: {f'found {listed}' if kinds else kind_of(outcome)}")
    if outcome.late:
        cure = "a stop gives it more time than this; " + case.command("untilgreen", "doctor", "--deadline", "600")
        return Finding(SUBJECT, WARNING, f"{name}: {outcome.reason}", cure)
    last = ([line.strip() for line in outcome.tail.splitlines() if line.strip()] or [""])[-1]
    why = outcome.reason if last in outcome.reason else f"{outcome.reason}: {last}"
    off = case.key("enabled = false", f"checks.{check.name if check.checker == 'custom' else check.checker}")
    where = "" if check.root == "." else f" in {readable(check.root)}"
    return Finding(SUBJECT, BROKEN, f"{name}: {why}", f"put right what it says{where}; or switch it off, {off}")


def _install(case: DoctorCase, check: Check) -> str:
    """How to have the tool that is missing, where the project keeps such tools."""
    checker = checkers.get(check.checker)
    if cure := cures.installing(case.root, [(check.root, checker.package)]):
        return f"run: {cure}"
    tool = (checker.programs or (checker.name,))[0]
    return f"install {tool}, so that it is on PATH; or {case.key('enabled = false', f'checks.{check.checker}')}"


def hooks(case: DoctorCase) -> Iterator[Finding]:
    if case.refused or case.fault:
        return
    review = case.settings.review
    called = {f"hook {one.name}": one.command[0] for one in case.settings.hooks}
    called |= {"review": review.command[0]} if review.command else {}
    found = {name: (one, asking.find(one, case.root, {}, case.env)) for name, one in called.items()}
    if review.agent and not review.command:
        found["review"] = (judge.host(), judge.hosts_own(case.root, case.env))
    for name, (program, path) in found.items():
        if path:
            yield Finding(HOOKS, OK, f"{name} ({case.shown(path)}) is there")
        else:
            what = f"{name}: {program} is not there, so it is skipped, and no green is a verified one"
            yield Finding(HOOKS, WARNING, what, f"install {program}, or fix its command in the configuration")
