"""`untilgreen doctor`: what stands between the agent and a verdict, and how to fix it. Changes nothing."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence

import click

from untilgreen.cli import errors, options
from untilgreen.cli.doctor import case, checks, hooks, project, starts, state
from untilgreen.core.errors import one_line
from untilgreen.core.findings import BROKEN, NOTE, OK, WARNING, Finding, visible
from untilgreen.core.words import brief

_SHOWN = {OK: "ok", NOTE: "note", WARNING: "warn", BROKEN: "broken"}
# each makes findings of its own, in the order in which they are told
_SUBJECTS = (
    project.itself,
    project.host,
    project.place,
    project.blocked,
    project.configuration,
    hooks.examine,
    hooks.entries,
    state.switches,
    starts.examine,
    starts.commands,
    starts.status_line,
    checks.examine,
    checks.hooks,
    state.examine,
    state.loops,
    starts.calls,
)


def examine(this: case.DoctorCase) -> Iterator[Finding]:
    """Everything that a stop depends on. Nothing is changed."""
    for subject in _SUBJECTS:
        yield from subject(this)


@click.command("doctor", epilog="Example: untilgreen doctor --tests")
@options.project
@options.as_json
@click.option("--all", "everything", is_flag=True, help="Say what is right, too.")
@click.option("--tests", is_flag=True, help="Run the tests, too.")
@click.option("--no-run", is_flag=True, help="Only look: run no check, start no hook, ask no tool.")
@click.option(
    "--deadline",
    default=60.0,
    show_default=True,
    type=click.FloatRange(min=1),
    metavar="SECONDS",
    help="Seconds for all checks.",
)
def command(root: str, as_json: bool, everything: bool, tests: bool, no_run: bool, deadline: float) -> int:
    """Say what is broken, and how to fix it.

    It looks at everything that a stop depends on: the host, hooks, slash commands, trust, configuration, checks and
    state. It starts the hooks as `init` would register them, without a verdict, and runs each check once, but no tests.
    It changes nothing, and runs no code of an untrusted project.

    Each finding has its cure below it: what is broken comes first, then warnings, then notes. The exit code is 1 if
    something is broken.
    """
    this = case.of(root, os.environ, case.Extent(deadline, tests, run=not no_run))
    found = tuple(examine(this))
    if as_json:
        told = {"findings": [one._asdict() for one in found], "broken": is_broken(found)}
        click.echo(json.dumps({"version": options.version(), "project": this.root, **told}, indent=2))
    else:
        click.echo("\n".join(lines(found, everything=everything)))
    return errors.NO if is_broken(found) else errors.OK


def is_broken(found: Iterable[Finding]) -> bool:
    """Whether something must be put right before the hooks do their work."""
    return any(one.level == BROKEN for one in found)


def lines(found: Sequence[Finding], *, everything: bool) -> list[str]:
    """The findings by subject, then the sum: what needs doing, the worst first; or `everything`, as it was seen."""
    to_do = [one for level in (BROKEN, WARNING, NOTE) for one in found if one.level == level]
    to_do = [one for one in to_do if one.cure or one.level != NOTE]
    subjects: dict[str, list[Finding]] = {}
    for one in found if everything else to_do:
        subjects.setdefault(one.subject, []).append(one)
    shown = []
    for subject, theirs in subjects.items():
        shown.append(subject)
        for one in theirs:
            shown.append(f"  {_SHOWN[one.level]:<6}  {one_line(one.what)}")
            if one.cure:  # unchanged: people copy it, and its words are quoted for a shell
                shown.append(f"          {visible(one.cure)}")
    levels = [one.level for one in found]
    counted = [(level, number) for level in (BROKEN, WARNING, NOTE) if (number := levels.count(level))]
    told = [f"{number} {level}" if level == BROKEN else brief.plural(number, level) for level, number in counted]
    more = "" if everything else f" · {brief.plural(levels.count(OK), 'thing')} right (untilgreen doctor --all)"
    return [*shown, f"{', '.join(told) or 'all is well'}{more}"]


def hindrances(root: str, env: Mapping[str, str]) -> Iterator[str]:
    """A line with its cure for each switch that is off, and for a project that is less than one. Starts nothing."""
    this = case.of(root, env, case.Extent(run=False))
    for one in (*project.place(this), *state.switches(this)):
        if one.cure and (one.level == BROKEN or one.subject == project.PROJECT):
            yield f"{one.what}. Fix: {one.cure.removeprefix('run: ')}"
