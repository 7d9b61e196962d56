"""Is a project green now, in its own terms? The checks that a loop which begins now would ask for, run once; nothing is
stored."""

import time
from collections.abc import Mapping
from typing import Literal

from untilgreen.checks.plan import planning, scripts
from untilgreen.checks.run import checking
from untilgreen.core.model.outcome import Clean, Found, Result
from untilgreen.core.model.snapshot import Snapshot
from untilgreen.core.record import NamedTuple
from untilgreen.core.verdict import measure, pending
from untilgreen.loops.begin import options, starting
from untilgreen.project import tools, trust
from untilgreen.project.tree import worktree
from untilgreen.settings import load
from untilgreen.state import clock


class Checked(NamedTuple):
    """What the checks said: each with its outcome, and what is left, counted as a loop counts it."""

    verdict: Literal["green", "red", "not judged"]
    results: tuple[Result, ...]
    snapshot: Snapshot

    @property
    def green(self) -> bool:
        """Whether every check is clean, and one that the project chose ran."""
        return self.verdict == "green"

    @property
    def left(self) -> tuple[str, ...]:
        """What must go before it is green, a text each."""
        return tuple(item.text for item in self.snapshot.items)


def scope_of(
    root: str, request: options.Request, files: tuple[str, ...], env: Mapping[str, str]
) -> planning.CheckScope:
    """What a loop that is begun now would ask for; green and no promise, whatever the preset. Raises UserError."""
    settings, trusted = load.load(root), trust.trusted(root, env)
    asked_for = settings._replace(preset="", markers=settings.markers._replace(completion_promise=""))
    criteria = starting.resolve(asked_for, request).criteria
    asked = tools.ask_environments(root, env) if trusted else {}
    return planning.CheckScope(root, settings, criteria, env, trusted, asked, calls=scripts.read(root, files))


def check(root: str, request: options.Request, env: Mapping[str, str], seconds: float | None) -> Checked:
    """Run the checks, for so many seconds in all. Raises UserError."""
    files = worktree.files(root)
    scope = scope_of(root, request, files, env)
    watch = checking.Watch(time.monotonic() + (seconds or scope.settings.deadline))
    results = checking.run(scope, planning.plan(scope, files), watch)
    snapshot = measure.snapshot(results, measure.Standard(scope.criteria), 0, clock.iso(time.time()))
    if any(item.kind != "check" for item in snapshot.items):
        return Checked("red", results, snapshot)
    proven = any(check.chosen and isinstance(outcome, Clean | Found) for check, outcome in results)
    ended = proven and not snapshot.items and not pending.names(results)
    return Checked("green" if ended else "not judged", results, snapshot)
