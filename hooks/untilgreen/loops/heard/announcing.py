"""What is said of a loop that has just begun: what it asks for, what is red already, what its limits are."""

from untilgreen import hosts
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.snapshot import Snapshot
from untilgreen.core.verdict import before, limits
from untilgreen.core.words import brief, left, notices, report, spending
from untilgreen.core.words.lines import CONTINUATION, Words, counted
from untilgreen.loops.stop import judge, times
from untilgreen.state import catalogue, log, snapshots

_NAMED = 3  # files that are left out of a snapshot


def summary(loop: Loop, words: Words) -> list[str]:
    """What a person should know of a loop that has just begun, a line each."""
    first, *rest = _asked(loop, words)
    return [first, _limits(loop, words), *_cap(loop, words), *rest]


def _cap(loop: Loop, words: Words) -> list[str]:
    """What the host does before the last round, where its holds are counted by turn."""
    facts = hosts.get(loop.host).facts
    if not facts.cap.spans_tools or loop.settings.max_iterations <= facts.cap.holds + 1:
        return []
    return [words["cap"].format(host=facts.title, n=facts.cap.holds)]


def in_a_shell(loop: Loop) -> list[str]:
    """What is said there of a loop that has just begun, a line each: first what the model is told, too."""
    words = catalogue.words(loop.settings)
    greeting = [notices.greeting(loop, words)] if CONTINUATION in words else []
    return [notices.started(loop), *greeting]


def for_the_agent(loop: Loop) -> list[str]:
    """What it alone needs to know: which marker can end the loop, and how such work is done."""
    how = catalogue.context(loop.context)
    return [*report.marker_lines(loop, catalogue.words(loop.settings)), *([how] if how else [])]


def announced(loop: Loop) -> tuple[str, str]:
    """A loop that has just begun: what the model is told, and a line for its user."""
    words = catalogue.words(loop.settings)
    task = words["whole_task" if loop.task_description else "no_task"].format(task=loop.task_description)
    told = "\n".join((notices.started(loop), *_asked(loop, words), *for_the_agent(loop), task))
    return told, notices.begun(loop, [*_begun_by(loop, words), *summary(loop, words)], words)


def _begun_by(loop: Loop, words: Words) -> list[str]:
    """Whose loop it is that a prompt of other words begins."""
    whose = words[f"begun_by_{loop.begun_by}"] if loop.begun_by in ("shell", "agent") else ""
    return [": ".join(filter(None, (whose, brief.clean(loop.task_description))))] if whose else []


def criteria(loop: Loop, words: Words) -> list[str]:
    """What it asks for, and by which checks; the criteria first."""
    checks = [check.shown for check in loop.checks.plan if not check.absent]
    left_out = dict.fromkeys(check.absent.reason for check in loop.checks.plan if check.absent)
    names = [name for name, on in loop.asked.completion_criteria._asdict().items() if on is True]
    narrowed = loop.asked.completion_criteria.green and loop.asked.completion_criteria.only
    asked = ", ".join(names) or words["its_promise"]
    asked = (
        words["only"].format(what=asked, kinds=", ".join(loop.asked.completion_criteria.only)) if narrowed else asked
    )
    lines = [words["criteria"].format(what=asked)]
    if loop.context:
        lines.append(words["context"].format(name=brief.clean(loop.context)))
    if loop.start.replaced:
        lines.append(words["replaced"].format(loop=loop.start.replaced))
    if not loop.asked.promise_only:
        lines.append(words["checks"].format(names=", ".join(checks) or words["no_checks"]))
    by = loop.checks.judge.rpartition("/")[2]
    lines += [words["judged_by"].format(by=by, what=brief.clean(one)) for one in loop.for_a_judge if by]
    if also := _asked_too(loop):
        lines.append(words["asked_too"].format(what=", ".join(also)))
    if loop.for_a_judge and not by:
        left_out[judge.absent(loop).reason] = None
    return [*lines, words["left_out"].format(what=", ".join(left_out))] if left_out else lines


def _asked_too(loop: Loop) -> list[str]:
    """Whoever is asked at a stop beside the loop itself, in their order."""
    asked = [(one.priority, one.name) for one in loop.settings.hooks]
    asked += [(30, "review")] if loop.settings.review.wanted else []
    return [f"{name} ({priority})" for priority, name in sorted(asked, key=lambda one: one[0])]


def _asked(loop: Loop, words: Words) -> list[str]:
    """What it asks for, and what is red already."""
    lines = [*criteria(loop, words), *_snapshot(loop, words)]
    if loop.asked.promise_only:
        return lines
    return [*lines, _at_start(loop, words), *before.told(loop, words), *times.too_slow(loop, words)]


def _snapshot(loop: Loop, words: Words) -> list[str]:
    """What there is no way back to."""
    if not loop.start.start_ref:
        return [words["no_snapshot"].format(file=log.FILE)]
    names = [path for path, _ in snapshots.skipped(loop.history.snapshot_path, loop.project, loop.start.start_ref)]
    if not names:
        return []
    return [words["not_kept"].format(files=brief.listed(names, _NAMED))]


def _at_start(loop: Loop, words: Words) -> str:
    """What is red already, as far as it was looked at: what answers in two seconds has done so by now."""
    initial = loop.start.initial or Snapshot(0, loop.started_at)
    counted = {name: one.failing for name, one in loop.start.before.items() if one.outcome != "broken"}
    known = {*counted, *initial.outcomes}
    failing = initial.failing_by_check
    if loop.settings.count == "all":
        failing = failing | {name: number for name, number in counted.items() if number}
    asked = [check.name for check in loop.checks.plan if not check.absent]
    unknown = [name for name in asked if name not in known]
    told = [left.told(initial._replace(failing_by_check=failing), words)] if known else []
    told += [words["not_measured_yet"].format(checks=", ".join(unknown))] if unknown else []
    return words["red_at_start"].format(what=" · ".join(told) or words["nothing_measured"])


def _limits(loop: Loop, words: Words) -> str:
    """What ends the loop though it is not green."""
    settings = loop.settings
    rounds, without = settings.max_iterations - loop.spent.extended, settings.stagnation_limit
    most = rounds + int(limits.given(loop)[0])
    told = [counted(words, "limit_rounds", rounds)]
    told += [words["limit_adaptive"].format(most=most)] if settings.budget.adaptive else []
    told += [words["limit_minutes"].format(minutes=f"{settings.max_minutes:g}")] if settings.max_minutes else []
    of_round = settings.budget.iteration_minutes
    told += [words["limit_round_minutes"].format(minutes=f"{of_round:g}")] if of_round else []
    told += (
        [words["tokens"].format(n=spending.tokens(settings.budget.max_tokens))] if settings.budget.max_tokens else []
    )
    told += [spending.dollars(settings.budget.max_cost)] if settings.budget.max_cost else []
    told += [counted(words, "limit_stuck", without)] if without else []
    return words["limits"].format(what=", ".join(told))
