"""What an agent is told that takes up a loop with an empty context: the task, the rules, and the memory of the loop."""

from untilgreen.core.model.event import Place
from untilgreen.core.model.loop import Loop
from untilgreen.core.words.iteration import Opening
from untilgreen.loops.heard import announcing
from untilgreen.state import catalogue, memory


def by(place: Place, loop: Loop, first: str) -> Opening:
    """What is known of the loop; `first`: the first of its rules."""
    words, known = catalogue.words(loop.settings), memory.known(place, loop)
    rules = (first, *announcing.criteria(loop, words), *announcing.for_the_agent(loop))
    return Opening(loop.task_description, rules, summary=known.summary, feedback=known.feedback)
