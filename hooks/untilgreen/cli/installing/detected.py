"""What a loop will run in a project, and what that says today: shown by `init`."""

import time
from collections.abc import Iterator, Mapping, Sequence

from untilgreen.checks.plan import planning, scripts, unserved
from untilgreen.checks.run import checking
from untilgreen.cli.installing import plan
from untilgreen.core.model.check import Check
from untilgreen.core.model.outcome import Broken
from untilgreen.core.model.settings import Settings
from untilgreen.core.words import brief
from untilgreen.loops.begin import first_look, options
from untilgreen.project import tools, trust
from untilgreen.project.tree import worktree
from untilgreen.state import catalogue

_QUICK, _SHOWN = 10.0, 5  # seconds that checks may take at once, and how much is shown of what they find


def scope_of(root: str, env: Mapping[str, str], settings: Settings) -> tuple[planning.CheckScope, tuple[str, ...]]:
    """What a loop will ask for in this project when it is trusted, and the project's files. Raises UserError where the
    configuration contradicts itself."""
    files, criteria = worktree.files(root), options.resolve(settings, options.Request()).criteria
    # the tools that are asked may run the project's own code
    answers = tools.ask_environments(root, env) if trust.trusted(root, env) else {}
    changed = tuple(worktree.changed(root))
    scope = planning.CheckScope(root, settings, criteria, env, True, answers, changed)
    return scope._replace(calls=scripts.read(root, files)), files


def told(scope: planning.CheckScope, files: tuple[str, ...], planned: Sequence[Check]) -> Iterator[str]:
    """What a loop will run, for people: a line each, with its tool."""
    root = scope.root
    there = [check for check in planned if not check.absent]
    width = max((len(check.shown) for check in there), default=0)
    yield "a loop will run:" if there else "a loop will run no check yet"
    yield from (f"  {check.shown:<{width}}  {plan.shown(check.tool, root)}" for check in there)
    lacking = [check for check in planned if check.absent]
    absent = {check.absent.reason: check.absent for check in lacking if check.absent}
    missing = [one.name for one in absent.values() if one.cause != "untrusted"]
    if len(missing) > 1:
        yield f"left out, for they are not installed: {', '.join(missing)}"
    yield from (f"left out: {why}" for why, one in absent.items() if one.cause == "untrusted" or len(missing) == 1)
    yield from brief.tell_against(catalogue.english(), unserved.found(scope, files, planned))
    if cure := first_look.install(root, [check for check in lacking if check.chosen]):
        yield f"to have what is missing: {cure}"


def today(scope: planning.CheckScope, planned: Sequence[Check]) -> Iterator[str]:
    """What the checks say now, where they are quick."""
    began, there = time.monotonic(), [check for check in planned if not check.absent]
    leaves_nothing = scope._replace(env={**scope.env, "PYTHONDONTWRITEBYTECODE": "1"})
    results = checking.run(leaves_nothing, there, checking.Watch(began + _QUICK)) if there else ()
    broken = [(check.shown, outcome) for check, outcome in results if isinstance(outcome, Broken)]
    snapshot = first_look.measured_now(scope, [one for one in results if not isinstance(one[1], Broken)])
    if snapshot.items:
        yield f"red today: {brief.describe_left(snapshot)}"
        yield from (f"  {item.text.splitlines()[0]}" for item in snapshot.items[:_SHOWN])
    if late := [name for name, outcome in broken if outcome.late]:
        yield f"not known today: {', '.join(late)} took longer than {_QUICK:.0f} s. untilgreen check waits longer"
    yield from (f"not known today: {name}: {outcome.reason}" for name, outcome in broken if not outcome.late)
    if there and not (snapshot.items or broken):
        green = "green" if not any(check.absent and check.chosen for check in planned) else "nothing red"
        yield f"{green} today, in {time.monotonic() - began:.1f} s"
