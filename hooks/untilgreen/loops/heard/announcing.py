"""What is said of a loop that has just begun: what it asks for, what is red already, what its limits are."""

from untilgreen import hosts
from untilgreen.core.foreign import one_line
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.settings import Settings
from untilgreen.core.model.snapshot import Snapshot
from untilgreen.core.verdict import baseline, progress
from untilgreen.core.words import brief, notices, report, spending
from untilgreen.core.words.brief import CONTINUATION, Words, counted
from untilgreen.loops.stop import judge, times
from untilgreen.state import catalogue, log, snapshots

_NAMED = 3  # files that are left out of a snapshot
# the criteria that go by a check as a whole: those of a loop that goes on until its checks are green
_WHOLE = {"green", "custom", "test_pass", "lint_clean", "type_check", "build_success"}


def summary(loop: Loop, words: Words) -> list[str]:
    """What a person should know of a loop that has just begun, a line each."""
    first, *rest = _asked(loop, words)
    return [first, words["limits"].format(what=", ".join(_limits(loop, words))), *rest]


def in_a_shell(loop: Loop) -> list[str]:
    """What is said there of a loop that has just begun, a line each: first what the model is told, too."""
    words = catalogue.words(loop.settings)
    first = f"{notices.started(loop)}: {brief.clean(loop.task_description)}"
    return [first, notices.tell(loop, words, "begun")] if CONTINUATION in words else [first]


def for_the_agent(loop: Loop, *, ends: bool = True) -> list[str]:
    """What it alone needs to know: which marker can end the loop (`ends`), and how such work is done."""
    lines = report.marker_lines(loop, catalogue.words(loop.settings)) if ends else ()
    return [*lines, *filter(None, [catalogue.context(loop.context)])]


def announced(loop: Loop) -> tuple[str, str]:
    """A loop that has just begun: what the model is told, and a line for its user."""
    words = catalogue.words(loop.settings)
    task = words["whole_task"].format(task=loop.task_description)
    told = "\n".join((notices.started(loop), *_asked(loop, words), *for_the_agent(loop), task))
    whose = []
    if loop.begun_by in ("shell", "agent"):  # it begins with a prompt of other words
        whose = [": ".join(filter(None, (words[f"begun_by_{loop.begun_by}"], brief.clean(loop.task_description))))]
    until, checks = _until(loop, words)
    usual, (rounds, *others) = _limits(loop._replace(settings=Settings()), words), _limits(loop, words)
    limits = (words["at_most"].format(what=rounds), *(one for one in others if one not in usual))
    lines = (*checks, *_warnings(loop, words, short=True), *whose, *limits, *_beside(loop, words))
    return told, notices.tell(loop, words, "begun", *lines, words["to_end"], until=until)


def _until(loop: Loop, words: Words) -> tuple[str, list[str]]:
    """`ruff ✗1, mypy and pytest are green`; or the criteria that must hold, and a line with the checks."""
    if loop.asked.promise_only:
        return words["until_promised"], []
    asked = [name for name, on in loop.asked.completion_criteria._asdict().items() if on is True]
    red = _known(loop).failing_by_check
    names = [one.name + (f" ✗{red[one.name]}" if red.get(one.name) else "") for one in loop.checks.counting]
    if names and _WHOLE.issuperset(asked):
        what = words["both"].format(first=", ".join(names[:-1]), last=names[-1]) if names[1:] else names[0]
        return counted(words, "until_green", len(names), what=what), []
    checks = words["checks"].format(names=", ".join(names) or words["no_checks"])
    return counted(words, "until_met", len(asked), what=", ".join(asked)), [checks]


def criteria(loop: Loop, words: Words) -> list[str]:
    """What it asks for, and by which checks; the criteria first."""
    asked = loop.asked.completion_criteria
    named = [name for name, on in asked._asdict().items() if on is True]
    what = ", ".join((*named, words["its_promise"]) if loop.asked.promise_only else named)
    if asked.green and asked.only:
        what = words["only"].format(what=what, kinds=", ".join(asked.only))
    lines = [words["criteria"].format(what=what)]
    if not loop.asked.promise_only:
        names = ", ".join(check.shown for check in loop.checks.counting)
        lines.append(words["checks"].format(names=names or words["no_checks"]))
    return [*lines, *_beside(loop, words)]


def _beside(loop: Loop, words: Words) -> list[str]:
    """What else is to be known of what it asks for: who is asked, too, what is not read, what is left out."""
    plan, by = loop.checks.plan, loop.checks.judge.rpartition("/")[2]
    lines = [words["context"].format(name=brief.clean(loop.context))] if loop.context else []
    lines += [words["replaced"].format(loop=loop.start.replaced)] if loop.start.replaced else []
    told = ", ".join(check.shown for check in plan if not check.absent and check.told)
    lines += [words["only_told"].format(names=told)] if told and not loop.asked.promise_only else []
    lines += [words["judged_by"].format(by=by, what=brief.clean(one)) for one in loop.for_a_judge if by]
    # whoever is asked beside the loop itself, in their order
    others = [(one.priority, one.name) for one in loop.settings.hooks]
    others += [(30, "review")] if loop.settings.review.wanted else []
    if names := ", ".join(f"{name} ({priority})" for priority, name in sorted(others, key=lambda one: one[0])):
        lines.append(words["asked_too"].format(what=names))
    lines += map(one_line, brief.tell_against(words, loop.start.unserved))
    left_out = dict.fromkeys(check.absent.reason for check in plan if check.absent)
    if loop.for_a_judge and not by:
        left_out[judge.absent(loop).reason] = None
    said = [", ".join(left_out)]
    if missing := [check for check in plan if check.absent and check.absent.cause == "missing"]:
        from untilgreen.loops.begin import first_look  # what looks for a cure is cold

        said.append(first_look.install(loop.project, missing))
    return [*lines, words["left_out"].format(what=": ".join(filter(None, said)))] if left_out else lines


def _asked(loop: Loop, words: Words) -> list[str]:
    at_start = [] if loop.asked.promise_only else [_at_start(loop, words)]
    return [*criteria(loop, words), *at_start, *_warnings(loop, words)]


def _warnings(loop: Loop, words: Words, *, short: bool = False) -> list[str]:
    """What its host ends early, no snapshot has, is older than the loop, or is too slow for a stop."""
    facts, lines = hosts.get(loop.host).facts, []
    if facts.cap.spans_tools and loop.settings.max_iterations > facts.cap.holds + 1:
        lines.append(words["cap"].format(host=facts.title, n=facts.cap.holds))
    if not loop.start.start_ref:
        lines.append(words["no_snapshot"].format(file=log.FILE))
    elif skipped := snapshots.skipped(loop.history.snapshot_path, loop.project, loop.start.start_ref):
        lines.append(words["not_kept"].format(files=brief.listed([path for path, _ in skipped], _NAMED)))
    if loop.asked.promise_only:
        return lines
    return [*lines, *baseline.told(loop, words, short=short), *times.too_slow(loop, words)]


def _known(loop: Loop) -> Snapshot:
    """What is red already, as far as it was looked at: what answers in two seconds has done so by now."""
    initial = loop.start.initial or Snapshot(0, loop.started_at)
    before = {name: one for name, one in loop.start.before.items() if one.outcome != "broken"}
    outcomes = {name: one.outcome for name, one in before.items()} | initial.outcomes
    red = {name: one.failing for name, one in before.items() if one.failing and loop.settings.count == "all"}
    return initial._replace(outcomes=outcomes, failing_by_check=initial.failing_by_check | red)


def _at_start(loop: Loop, words: Words) -> str:
    known = _known(loop)
    unknown = [check.name for check in loop.checks.plan if not check.absent and check.name not in known.outcomes]
    told = [brief.tell_left(known, words)] if known.outcomes else []
    told += [words["not_measured_yet"].format(checks=", ".join(unknown))] if unknown else []
    return words["red_at_start"].format(what=" · ".join(told) or words["nothing_measured"])


def _limits(loop: Loop, words: Words) -> list[str]:
    settings, budget = loop.settings, loop.settings.budget
    rounds = settings.max_iterations - loop.spent.extended
    limits = (
        (True, counted(words, "limit_rounds", rounds)),
        (budget.adaptive, words["limit_adaptive"].format(most=rounds + int(progress.given_limits(loop)[0]))),
        (settings.max_minutes, words["limit_minutes"].format(minutes=f"{settings.max_minutes:g}")),
        (budget.iteration_minutes, words["limit_round_minutes"].format(minutes=f"{budget.iteration_minutes:g}")),
        (budget.max_tokens, words["tokens"].format(n=spending.tokens(budget.max_tokens))),
        (budget.max_cost, spending.dollars(budget.max_cost)),
        (settings.stagnation_limit, counted(words, "limit_stuck", settings.stagnation_limit)),
    )
    return [told for limit, told in limits if limit]
