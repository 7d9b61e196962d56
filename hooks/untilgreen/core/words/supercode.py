"""The continuation text of preset `supercode`: SuperCode's, word for word. Pure; loaded only where it is spoken.

The promise in it is written so that it never counts, not even where the agent repeats the whole text.
"""

import re

from untilgreen.core.foreign import strip
from untilgreen.core.model.loop import Loop
from untilgreen.core.words import report
from untilgreen.core.words.lines import CONTINUATION, LIMIT, Words

_TASK = 4_000  # characters; what was found needs room, too


def held(loop: Loop, words: Words, weakened: tuple[str, ...] = (), told: tuple[str, ...] = ()) -> str:
    """The whole feedback of a Continue, at most LIMIT characters: the text, and below it what checks found. `loop` is
    already in the round that begins."""
    text = continuation(loop, words)
    if loop.asked.promise_only and not loop.history.snapshots[-1].items:
        return "\n".join((text, *told, *report.stuck(loop, words)))
    return f"{text}\n\n{report.found(loop, words, weakened, told, (), LIMIT - len(text) - 2)}"


def continuation(loop: Loop, words: Words) -> str:
    """The text with its places filled, in one pass: what stands in the task is no place, and no pattern."""
    filled = {
        "ITERATION": str(loop.rounds.iteration),
        "MAX": str(loop.settings.max_iterations),
        "PROMISE": loop.settings.markers.completion_promise or "DONE",
        "PROMPT": _task(loop.task_description, words),
    }
    text = re.sub(r"\{\{(\w+)\}\}", lambda place: filled.get(place[1], place[0]), words[CONTINUATION])
    return strip(text).rstrip()


def _task(task: str, words: Words) -> str:
    """The task as it was given; a very long one is cut, with an exact count."""
    more = len(task) - _TASK
    return f"{task[:_TASK]}\n{words['more_characters'].format(n=more)}" if more > 0 else task
