"""A loop that takes the place of another one: what it keeps of it, and whether that stands against its green. Pure."""

from untilgreen.core.model.loop import Loop
from untilgreen.core.verdict import weakened


def succeeding(loop: Loop, before: Loop | None, named: str) -> Loop:
    """The loop that takes the place of `before`, which is told as `named`; None where its state is gone.

    What the agent wrote meanwhile is measured by the older start: suppressions, configuration, tests.
    """
    counts = before is not None and (before.start.replaced_counts or weaker(loop, before))
    counts = counts or loop.begun_by == "agent"
    loop = loop.put(loop.start._replace(replaced=named, replaced_counts=counts and loop.begun_by != "user"))
    if (
        before is None
        or before.start.text is None
        or loop.start.text is None
        or not weakened.comparable(before.start.text, loop.start.text)
    ):
        return loop
    same = {check.name for check in loop.checks.plan if check in before.checks.plan}
    first = {name: one for name, one in before.start.first.items() if name in same}
    return loop.put(loop.start._replace(text=before.start.text, first=first))


def weaker(loop: Loop, before: Loop) -> bool:
    """Whether it asks for less than the one before it."""
    only, targets = loop.asked.completion_criteria.only, loop.asked.target_files
    narrowed = _leaves_out(only, before.asked.completion_criteria.only) or _leaves_out(
        targets, before.asked.target_files
    )
    return narrowed or not _asked(before) <= _asked(loop)


def _leaves_out(now: tuple[str, ...], then: tuple[str, ...]) -> bool:
    """Whether these, () for all, are without some of those."""
    return bool(now) and not (then and {*then} <= {*now})


def _asked(loop: Loop) -> set[str]:
    criteria = {name for name, on in loop.asked.completion_criteria._asdict().items() if on is True}
    checks = {f"check {check.name}" for check in loop.checks.plan if not check.absent}
    judged = {f"judge {text}" for text in (*loop.asked.completion_criteria.judge, *loop.settings.judge.criteria)}
    how = {"strict": loop.settings.strict, "all findings": loop.settings.count == "all"}
    return criteria | checks | judged | {name for name, on in how.items() if on}
