"""What is said of a loop that has just begun: what it asks for, what is red already, what its limits are."""

from untilgreen.core import before, brief, left, notices, report
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.settings import Settings
from untilgreen.core.model.snapshot import Snapshot
from untilgreen.loops import judge, times
from untilgreen.state import catalogue, log, snapshots

_NAMED = 3  # files that are left out of a snapshot


def summary(loop: Loop) -> list[str]:
    """What a person should know of a loop that has just begun, a line each."""
    criteria, *rest = _asked(loop)
    return [criteria, _limits(loop.settings), *rest]


def in_a_shell(loop: Loop) -> list[str]:
    """What is said there of a loop that has just begun, a line each: first what the model is told, too."""
    words = catalogue.words(loop.settings)
    greeting = [notices.greeting(loop, words)] if report.CONTINUATION in words else []
    return [notices.started(loop), *greeting]


def for_the_agent(loop: Loop) -> list[str]:
    """What it alone needs to know: which marker can end the loop, and how such work is done."""
    how = catalogue.context(loop.context)
    return [*report.marker_lines(loop, catalogue.words(loop.settings)), *([how] if how else [])]


def announced(loop: Loop) -> tuple[str, str]:
    """A loop that has just begun: what the model is told, and a line for its user."""
    words = catalogue.words(loop.settings)
    task = f"task:\n{loop.task_description}" if loop.task_description else "task: none given"
    told = "\n".join((notices.started(loop), *_asked(loop), *for_the_agent(loop), task))
    return told, notices.begun(loop, [*_begun_by(loop), *summary(loop)], words)


def _begun_by(loop: Loop) -> list[str]:
    """Whose loop it is that a prompt of other words begins."""
    whose = {"shell": "begun in a shell", "agent": "begun by the agent"}.get(loop.begun_by, "")
    return [": ".join(filter(None, (whose, brief.clean(loop.task_description))))] if whose else []


def _asked(loop: Loop) -> list[str]:
    """What it asks for, by which checks, and what is red already; the criteria first."""
    checks = [check.shown for check in loop.plan if not check.absent]
    left_out = dict.fromkeys(check.absent.reason for check in loop.plan if check.absent)
    criteria = [name for name, on in loop.completion_criteria._asdict().items() if on is True]
    narrowed = loop.completion_criteria.green and loop.completion_criteria.only
    only = f" (only {', '.join(loop.completion_criteria.only)})" if narrowed else ""
    lines = [f"criteria: {', '.join(criteria) or 'its completion promise'}{only}"]
    if loop.context:
        lines.append(f"context: {brief.clean(loop.context)}")
    if loop.replaced:
        lines.append(f"replaced {loop.replaced}")
    if not loop.promise_only:
        lines.append(f"checks: {', '.join(checks) or 'none applies here yet'}")
    by = loop.judge.rpartition("/")[2]
    lines += [f"judged by {by}: {brief.clean(one)}" for one in loop.for_a_judge if by]
    if loop.for_a_judge and not by:
        left_out[judge.absent(loop).reason] = None
    if left_out:
        lines.append(f"left out: {', '.join(left_out)}")
    lines += _snapshot(loop)
    return lines if loop.promise_only else [*lines, _at_start(loop), *before.told(loop), *times.too_slow(loop)]


def _snapshot(loop: Loop) -> list[str]:
    """What there is no way back to."""
    if not loop.start_ref:
        return [f"no snapshot of the start was kept ({log.FILE} says why)"]
    names = [path for path, _ in snapshots.skipped(loop.snapshot_path, loop.project, loop.start_ref)]
    if not names:
        return []
    return [f"not in the snapshot: {brief.listed(names, _NAMED)}"]


def _at_start(loop: Loop) -> str:
    """What is red already, as far as it was looked at: what answers in two seconds has done so by now."""
    initial = loop.initial or Snapshot(0, loop.started_at)
    counted = {name: one.failing for name, one in loop.before.items() if one.outcome != "broken"}
    known = {*counted, *initial.outcomes}
    failing = initial.failing_by_check
    if loop.settings.count == "all":
        failing = failing | {name: number for name, number in counted.items() if number}
    asked = [check.name for check in loop.plan if not check.absent]
    unknown = [name for name in asked if name not in known]
    told = [left.of(initial._replace(failing_by_check=failing))] if known else []
    told += [f"not measured yet: {', '.join(unknown)}"] if unknown else []
    return f"at the start: {' · '.join(told) or 'nothing to measure'}"


def _limits(settings: Settings) -> str:
    """What ends the loop though it is not green."""
    rounds, without = settings.max_iterations, settings.stagnation_limit
    told = [f"{rounds} round{'s'[: rounds != 1]}"]
    told += [f"{settings.max_minutes:g} min of work"] if settings.max_minutes else []
    told += [f"{without} round{'s'[: without != 1]} without improvement"] if without else []
    return f"limits: {', '.join(told)}"
