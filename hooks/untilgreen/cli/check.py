"""`untilgreen check`: is the project green now, in its own terms?"""

import os
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import click

from untilgreen.checks.plan import explained, planning, unserved
from untilgreen.checks.run import checking
from untilgreen.cli import errors, frames, options, terminal
from untilgreen.cli.options import Choice
from untilgreen.core import foreign
from untilgreen.core.errors import UserError
from untilgreen.core.model.check import Check, Turn, kind_of, turned
from untilgreen.core.model.outcome import Broken, Clean, Found, Outcome, Pending, Result
from untilgreen.core.model.snapshot import Snapshot
from untilgreen.core.verdict import baseline, rounds
from untilgreen.core.words import brief, notices, report
from untilgreen.loops.begin import first_look, starting
from untilgreen.loops.begin.options import KINDS, Request, checks_only
from untilgreen.project.tree import worktree
from untilgreen.project.tree.layout import Layout
from untilgreen.state import catalogue, place, under_way

_CODES = {"green": 0, "red": errors.NO, "not judged": errors.UNJUDGED}
_CURES = {"no tests were collected": "write a test, or leave them out: --no-tests"}

_EVERY = 1.0  # seconds between two looks at the files, with --watch


@click.command("check", epilog="Example: untilgreen check --no-tests --watch")
@click.option("--only", multiple=True, type=Choice(KINDS), help="Run these checks only. Repeatable.")
@click.option("--tests/--no-tests", default=True, help="Run the tests, too (the default), or leave them out.")
@click.option("--explain-plan", is_flag=True, help="Say what asks for each check, and run nothing.")
@click.option("--all", "everything", is_flag=True, help="With --explain-plan: the tools that are out, too.")
@options.as_json
@click.option("-v", "--verbose", is_flag=True, help="List every finding, not one line for many of one rule.")
@click.option("--sarif", default="", metavar="FILE", help="Write what is left to FILE as SARIF 2.1.0, too.")
@click.option("--junit", default="", metavar="FILE", help="Write it to FILE as JUnit's XML, too.")
@click.option("--report", default="", metavar="FILE", help="Write it to FILE as Markdown, for untilgreen comment.")
@click.option("--receipt", is_flag=True, help="Say whether the receipt of this commit and the checks agree.")
@options.allowed_signers
@click.option("--attest", default="", metavar="FILE", help="In CI: sign a green of this commit, by sigstore, to FILE.")
@options.trust_config
@click.option("--watch", is_flag=True, help="Check again when a file changes, until q or Ctrl-C.")
@click.option("--deadline", type=click.FloatRange(min=1), metavar="SECONDS", help="Seconds for all checks.")
@options.project
def command(only: tuple[str, ...], tests: bool, deadline: float | None, root: str, **how: Any) -> int:
    """Run the project's own checks once, as a stop does.

    These are the linters, type checkers and tests that the project itself uses. Nothing is stored. On a terminal each
    finding comes with its code, in colour; NO_COLOR switches that off, FORCE_COLOR on.

    Exit code 0: green; 1: not green, or with --receipt an edited one; 4: nothing could be judged.
    """
    starting.refuse(root, os.environ)
    asked = checks_only(only, tests)
    if how["explain_plan"]:
        errors.tell(*_explained(root, asked, everything=how["everything"]))
        return errors.OK
    if how["watch"] and (how["as_json"] or how["attest"]):
        raise UserError("--watch is for people, --json and --attest are for programs", "leave --watch out")
    once = partial(_checked, root, asked, deadline, **how)
    return _until_told(root, once) if how["watch"] else once()


def _checked(root: str, asked: Request, deadline: float | None, **how: Any) -> int:
    from untilgreen.cli.ci import attested, reports  # and all that a receipt needs

    attest = attested.begun(root, asked, how["attest"], how["trust_config"]) if how["attest"] else None
    verified = reports.verified(root, how["allowed"]) if how["receipt"] else None  # before a check leaves a file behind
    found = _run(root, asked, deadline, as_json=how["as_json"], verbose=how["verbose"])
    told = [*map(foreign.one_line, reports.compared(verified, found))] if verified else []
    errors.tell(*told, err=how["as_json"])
    reports.write(found, told, {name: how[name] for name in ("sarif", "junit", "report")})
    if attest:
        errors.tell(attest(found), err=how["as_json"])
    return _CODES[found.verdict] or (errors.NO if verified and verified.verdict == "edited" else errors.OK)


def _explained(root: str, asked: Request, *, everything: bool) -> Iterator[str]:
    files = worktree.files(root)
    scope = first_look.scope_of(root, asked, files, os.environ)
    plan, layout = planning.plan(scope, files), Layout(scope.root, files)
    lines, out = explained.lines(plan, layout), explained.left_out(scope, plan, layout)
    names, tools = (max((len(line[column]) for line in lines), default=0) for column in (0, 1))
    yield from (f"{name:{names}}  {tool:{tools}}  {why}" for name, tool, why in lines)
    yield from explained.not_run(scope)
    named = unserved.found(scope, files, plan)
    yield from brief.tell_against(catalogue.english(), [one for one in named if one.kind != "not_read"])
    yield from out if everything else [f"{brief.plural(len(out), 'other tool')} out: --explain-plan --all"]


def _run(root: str, asked: Request, deadline: float | None, *, as_json: bool, verbose: bool) -> first_look.Checked:
    """Run the checks, and print what they said. Raises UserError."""
    files = worktree.files(root)
    scope = first_look.scope_of(root, asked, files, os.environ)
    watch = checking.Watch(time.monotonic() + (deadline or scope.settings.deadline))
    if as_json:
        found = first_look.check(scope, files, watch)
        options.print_json(_document(found))
        return found
    progress = _Progress(scope)
    try:
        found = first_look.check(scope, files, watch._replace(idle=progress.drawn, on_turn=progress.turned))
    finally:
        progress.screen.ends()
    colour = terminal.colours()
    framed = root if colour or sys.stdout.isatty() else ""
    click.echo("\n".join(_lines(found, _CODES[found.verdict], framed, verbose=verbose)), color=colour)
    return found


class _Progress:
    """It has state: where each check stands. A terminal gets the line of a check when it ends, and sees what runs;
    others get the lines in the order of the plan."""

    def __init__(self, scope: planning.CheckScope) -> None:
        self.screen = terminal.Screen(err=False)
        self._scope, self._last = scope, under_way.last_times(starting.base_of(scope.root, os.environ))
        self._turns: dict[str, Turn] = {}
        self._ended: dict[str, Result] = {}
        self._told: list[Result] = []
        self.screen.shows(lambda: brief.still_run(self._turns, time.time()) or "looking for the checks")

    def drawn(self) -> bool:
        """Draws what runs; says that somebody still waits."""
        self.screen.tick()
        return False

    def turned(self, check: Check, turn: str | Outcome) -> None:
        self._turns[check.name] = turned(turn, time.time(), self._last.get(check.name, 0.0))
        if not isinstance(turn, str):
            self._ended[check.name] = (check, turn)
        for name in self._turns:
            if name in self._ended:
                self._tell(self._ended.pop(name))
            elif self._turns[name].runs and not self.screen.live:
                return

    def _tell(self, result: Result) -> None:
        self._told.append(result)
        check, outcome = result
        told = _told(check, outcome, first_look.measured_now(self._scope, self._told))
        self.screen.say(f"{check.shown}: {told}")


def _lines(found: first_look.Checked, code: int, framed: str, *, verbose: bool) -> list[str]:
    """What the checks found, what no check runs, the verdict. `framed`: the root of the project whose code is shown,
    "" for none. `verbose`: many findings of one rule are not one line."""
    words, results, told = catalogue.english(), found.results, list[str]()
    items = found.snapshot.items if verbose else frames.grouped(found.snapshot.items)
    snapshot = found.snapshot._replace(items=items)
    if framed and items:
        told += ["", *frames.framed(framed, items)]
    room = sys.maxsize if verbose else brief.LIMIT
    body = report.body(None, snapshot._replace(items=()) if framed else snapshot, words, room=room)
    if code == 0:
        verdict = notices.by_hand(snapshot, baseline.left_out(results), words)
    else:
        failing = brief.count_left(snapshot)
        waits = ", ".join(rounds.pending_names(results))
        missing = f"waiting for {waits}" if waits else brief.but(words, baseline.left_out(results))
        missing += f": {found.cure}" if missing and found.cure else ""
        missing = missing or "there is nothing here to check"
        why = brief.describe_left(snapshot) if failing else missing
        verdict = foreign.one_line(f"{words['not_green'] if code == 1 else '✗ could not be judged'} · {why}")
    named = (one for one in found.unserved if code == _CODES["not judged"] or one.kind != "unread_ci")
    told += filter(None, [body, *map(foreign.one_line, brief.tell_against(words, named))])
    return [*told, click.style(verdict, fg="red" if code else "green", bold=True)]


def _told(check: Check, outcome: Outcome, snapshot: Snapshot) -> str:
    if isinstance(outcome, Clean | Found):
        failing = snapshot.failing_by_check.get(check.name, 0)
        tests = f", {brief.plural(outcome.tests.run, 'test')} ran" if outcome.tests else ""
        return f"{failing:,} left{tests}" if failing else f"clean{tests}"
    if isinstance(outcome, Pending):
        return f"pending, {outcome.reason}".removesuffix(", ")
    if not isinstance(outcome, Broken):
        return outcome.reason
    cure = _CURES.get(outcome.reason, "")
    return f"could not be judged, {outcome.reason}" + (f". Fix: {cure}" if cure else "")


def _document(found: first_look.Checked) -> dict[str, object]:
    checks = [
        {
            "name": check.name,
            "checker": check.checker,
            "root": check.root,
            "call": list(check.call),
            "source": check.source,
            "chosen": check.chosen,
            "outcome": kind_of(outcome),
            "failing": found.snapshot.failing_by_check.get(check.name, 0),
            "tests": outcome.tests._asdict() if isinstance(outcome, Clean | Found) and outcome.tests else None,
            "reason": "" if isinstance(outcome, Clean | Found) else outcome.reason,
        }
        for check, outcome in found.results
    ]
    unserved = brief.tell_against(catalogue.english(), found.unserved)
    left, not_read = ([*map(foreign.strip, lines)] for lines in (found.left, unserved))
    return {"verdict": found.verdict, "checks": checks, "left": left, "not_read": not_read}


def _until_told(root: str, do: Callable[[], int]) -> int:
    """Do it, and again after each change, until somebody types q; the exit code of the last time. Ctrl-C interrupts."""
    skip = place.usual(root, os.environ)
    while True:
        before = worktree.fingerprint(root, skip)
        code = _done(do)
        seen = worktree.fingerprint(root, skip)
        if seen != before:  # an edit meanwhile; or a check left files behind: once more, and no third time for that
            code = _done(do)
            seen = worktree.fingerprint(root, skip)
        with terminal.keys() as typed:
            click.echo("watching: q ends", err=True)  # an interrupt in the middle of an import would be lost
            while worktree.fingerprint(root, skip) == seen:
                if typed(_EVERY) in ("q", "Q", None):
                    return code


def _done(do: Callable[[], int]) -> int:
    if sys.stdout.isatty():
        click.clear()
    try:
        return do()
    except UserError as error:  # a configuration that is wrong now is being edited
        return errors.fail("untilgreen", error, errors.USER_ERROR)
