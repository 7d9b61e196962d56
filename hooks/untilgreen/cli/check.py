"""`untilgreen check`: is the project green now, in its own terms?"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial

import click

from untilgreen.checks.plan import planning, unserved
from untilgreen.cli import errors, options, terminal
from untilgreen.cli.options import Choice
from untilgreen.cli.status import width_of
from untilgreen.core import foreign, secrets
from untilgreen.core.errors import UserError
from untilgreen.core.model.check import Check, kind_of
from untilgreen.core.model.outcome import Broken, Clean, Found, Outcome, Pending
from untilgreen.core.model.snapshot import Item, Snapshot
from untilgreen.core.verdict import baseline, rounds
from untilgreen.core.words import brief, notices, report
from untilgreen.loops.begin import first_look, starting
from untilgreen.loops.begin.options import KINDS, Request, checks_only
from untilgreen.project import files
from untilgreen.project.toplevel import within
from untilgreen.project.tree import worktree
from untilgreen.state import catalogue, place

_CODES = {"green": 0, "red": errors.NO, "not judged": errors.UNJUDGED}
_CURES = {"no tests were collected": "write a test, or leave them out: --no-tests"}

_AROUND = 2  # lines of code before and after that of the finding
_LONGEST = 160  # characters of one
_LARGEST = 4_000_000  # bytes of a file
_EVERY = 1.0  # seconds between two looks at the files, with --watch


@click.command("check", epilog="Example: untilgreen check --no-tests --watch")
@click.option("--only", multiple=True, type=Choice(KINDS), help="Run these checks only. Repeatable.")
@click.option("--tests/--no-tests", default=True, help="Run the tests, too (the default), or leave them out.")
@click.option("--explain-plan", is_flag=True, help="Say for each tool why it is in or out, and run nothing.")
@options.as_json
@click.option("--watch", is_flag=True, help="Check again when a file changes, until q or Ctrl-C.")
@click.option("--deadline", type=click.FloatRange(min=1), metavar="SECONDS", help="Seconds for all checks.")
@options.project
def command(only: tuple[str, ...], tests: bool, deadline: float | None, root: str, **how: bool) -> int:
    """Run the project's own checks once, as a stop does.

    These are the linters, type checkers and tests that the project itself uses. Nothing is stored. On a terminal each
    finding comes with its code, in colour; NO_COLOR switches that off, FORCE_COLOR on.

    Exit code 0: green; 1: not green; 4: nothing could be judged.
    """
    starting.refuse(root, os.environ)
    asked = checks_only(only, tests)
    if how["explain_plan"]:
        files = worktree.files(root)
        scope = first_look.scope_of(root, asked, files, os.environ)
        named = unserved.found(scope, files, planning.plan(scope, files))
        told = brief.tell_against(catalogue.english(), [one for one in named if one.kind != "not_read"])
        errors.tell(*(f"{name}: {why}" for name, why in planning.reasons(scope, files)), *told)
        return errors.OK
    if how["watch"] and how["as_json"]:
        raise UserError("--watch is for people, --json for programs", "give one of them")
    once = partial(_checked, root, asked, deadline, as_json=how["as_json"])
    return _until_told(root, once) if how["watch"] else once()


def _checked(root: str, asked: Request, deadline: float | None, *, as_json: bool) -> int:
    found = first_look.check(root, asked, os.environ, deadline)
    code = _CODES[found.verdict]
    if as_json:
        options.print_json(_document(found))
    else:
        colour = terminal.colours()
        framed = root if colour or sys.stdout.isatty() else ""
        click.echo("\n".join(_lines(found, code, framed)), color=colour)
    return code


def _lines(found: first_look.Checked, code: int, framed: str) -> list[str]:
    """The checks, what they found, what no check runs, the verdict. `framed`: the root of the project whose code is
    shown, "" for none."""
    words, results, snapshot = catalogue.english(), found.results, found.snapshot
    told = [foreign.one_line(f"{check.shown}: {_told(check, outcome, snapshot)}") for check, outcome in results]
    if framed and snapshot.items:
        told += ["", *_framed(framed, snapshot.items)]
    body = report.body(None, snapshot._replace(items=()) if framed else snapshot, words)
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
        return f"{failing} left{tests}" if failing else f"clean{tests}"
    if isinstance(outcome, Pending):
        return f"pending, {outcome.reason}".removesuffix(", ")
    if not isinstance(outcome, Broken):
        return outcome.reason
    cure = _CURES.get(outcome.reason, "")
    return f"broken, {outcome.reason}" + (f". Fix: {cure}" if cure else "")


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


def _framed(root: str, items: tuple[Item, ...]) -> Iterator[str]:
    """Each of these with its place, its message and its code, a line each."""
    for item in items:
        first, *rest = report.lines_of(report.describe(item))
        at = f"{item.place}:{item.column}" if item.column else item.place
        at = at if first.startswith(at) else ""
        what, colon, message = first[len(at) :].partition(": ")
        yield click.style(at, bold=True) + click.style(what, fg="red") + colon + message
        yield from (f"    {line}" for line in rest)
        yield from _frame(root, item)
        yield ""


def _frame(root: str, item: Item) -> Iterator[str]:
    """The line of the finding with those around it, and a caret under its column; nothing where it cannot be read."""
    path, code = os.path.join(root, item.file), list[str]()
    if item.file and within(root, path):
        with suppress(OSError, ValueError):  # gone by now, or no text: the finding is told without
            text = files.read(path, _LARGEST, follow=True).decode("utf-8", "replace")
            code = text.removesuffix("\n").split("\n")
    if not 0 < item.line <= len(code):
        return
    first, last = max(1, item.line - _AROUND), min(len(code), item.line + _AROUND)
    margin = len(str(last))
    for number, shown in enumerate(secrets.masked([_shown(line) for line in code[first - 1 : last]]), first):
        yield _bar(f"{number:>{margin}}") + f" {shown}".rstrip()
        if number == item.line and 0 < item.column <= min(len(code[number - 1]) + 1, _LONGEST):
            before = width_of(_shown(code[number - 1][: item.column - 1]))
            yield _bar(" " * margin) + " " * (before + 1) + click.style("^", fg="red")


def _bar(number: str) -> str:
    return click.style(f"  {number} |", dim=True)


def _shown(line: str) -> str:
    return foreign.one_line(line.rstrip("\r")).expandtabs(4)[:_LONGEST]
