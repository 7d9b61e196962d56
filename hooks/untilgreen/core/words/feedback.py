"""The whole text of a stop that is held, in the form that its catalogue speaks. Pure."""

from collections.abc import Iterable

from untilgreen.core.model.loop import Loop
from untilgreen.core.model.snapshot import Snapshot
from untilgreen.core.words import left, report
from untilgreen.core.words.lines import CONTINUATION, LIMIT, PROMISE, RALPH, Words


def held(loop: Loop, words: Words, weakened: tuple[str, ...] = (), told: tuple[str, ...] = ()) -> str:
    """The whole feedback of a Continue, at most LIMIT characters. `told`: lines of this stop alone."""
    if RALPH in words:
        from untilgreen.core.words import ralph

        return ralph.held(loop, words, weakened, told)
    if CONTINUATION in words:
        from untilgreen.core.words import supercode

        return supercode.held(loop, words, weakened, told)
    ends, task = report.marker_lines(loop, words), report.task_lines(loop, words)
    if PROMISE not in words:
        return report.found(loop, words, weakened, told, (*ends, *task))
    room = LIMIT - sum(len(line) + 1 for line in ends)
    # the lines of markers stay word for word: nothing in them counts
    return "\n".join((report.found(loop, words, weakened, told, task, room), *ends))


def unasked(now: Snapshot, before: Snapshot | None, words: Words, extra: Iterable[str] = (), most: int = 0) -> str:
    """What a stop says that is held without a loop, or judged by hand. `most`: rounds of a prompt; 0: by hand."""
    if RALPH in words:
        from untilgreen.core.words import ralph

        return ralph.unasked(now, before, words, extra)
    line = words["held" if most else "held_by_hand"].format(
        n=left.number(now), parts=report.parts(now, words), round=now.iteration, max=most
    )
    return report.below(line, before, now, words, (report.compared(before, now, words), *extra))
