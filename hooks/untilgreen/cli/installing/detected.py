"""What a stop would run in a project as it is now: the checks that its configuration and its files ask for."""

import os
from collections.abc import Iterable, Mapping

from untilgreen.checks import planning
from untilgreen.core.model.check import Check
from untilgreen.core.model.settings import Settings
from untilgreen.loops import starting
from untilgreen.loops.options import Request
from untilgreen.project import tools, trust, worktree


def scope(root: str, env: Mapping[str, str], settings: Settings, *, tests: bool = False) -> planning.CheckScope:
    """What that plan, and a run of it, go by. Raises UserError."""
    trusted = trust.trusted(root, env)
    criteria = starting.resolve(settings, Request()).criteria
    return planning.CheckScope(
        root,
        settings,
        criteria._replace(test_pass=criteria.test_pass or tests),
        env,
        trusted,
        tools.ask_environments(root, env) if trusted else {},
        tuple(worktree.changed(root)),
    )


def said(root: str, env: Mapping[str, str], settings: Settings) -> list[str]:
    """What a stop will run in this project when it is trusted, for people: a line each, with its root and its tool."""
    full = scope(root, env, settings, tests=True)
    if not full.trusted:
        full = full._replace(trusted=True, asked=tools.ask_environments(root, env))
    files = worktree.files(root)
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
    return [f"  {check.name:<{width}}  {_place(root, check.tool)}" for check in there]


def _place(root: str, tool: str) -> str:
    """Where a tool comes from: below the project by its path from there."""
    return tool.removeprefix(root.rstrip(os.sep) + os.sep)
