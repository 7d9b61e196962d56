"""What a stop would run in a project as it is now: the checks that its configuration and its files ask for."""

from collections.abc import Iterable, Mapping

from untilgreen.checks import planning
from untilgreen.cli.installing.asked import shown
from untilgreen.core.model.check import Check
from untilgreen.core.model.settings import Settings
from untilgreen.loops import starting
from untilgreen.loops.options import Request
from untilgreen.project import tools, worktree


def scope(root: str, env: Mapping[str, str], settings: Settings, *, trusted: bool) -> planning.CheckScope:
    """What the plan of `start-loop --tests-pass` goes by. A check without its tool says why in `absent`; one out of the
    project has its path in `tool` only where that is trusted. Raises UserError."""
    criteria = starting.resolve(settings, Request()).criteria._replace(test_pass=True)
    asked = tools.ask_environments(root, env) if trusted else {}
    return planning.CheckScope(root, settings, criteria, env, trusted, asked, tuple(worktree.changed(root)))


def said(root: str, env: Mapping[str, str], settings: Settings) -> list[str]:
    """What a stop will run in this project when it is trusted, for people: a line each, with its root and its tool."""
    full, files = scope(root, env, settings, trusted=True), worktree.files(root)
    everything = planning.plan(full, files)
    plain = planning.plan(full._replace(criteria=starting.resolve(settings, Request()).criteria), files)
    more = [check for check in everything if check not in plain]
    lines = ["a stop will run:", *_listed(root, plain)] if _listed(root, plain) else ["a stop will run no check yet"]
    lines += ["with --tests-pass also:", *_listed(root, more)] if _listed(root, more) else []
    left_out = dict.fromkeys(check.absent.reason for check in everything if check.absent)
    return lines + [f"left out: {reason}" for reason in left_out]


def _listed(root: str, found: Iterable[Check]) -> list[str]:
    there = [check for check in found if not check.absent]
    width = max((len(check.name) for check in there), default=0)
    return [f"  {check.name:<{width}}  {shown(check.tool, root)}" for check in there]
