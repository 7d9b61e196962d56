"""The stop rules and the completion promise of preset `talkcody`: TalkCody's, word for word. Pure; loaded only where
they are spoken.

No line of them is a marker that counts, not even where the agent repeats them: words stand before each tag.
"""

from untilgreen.core.foreign import one_line
from untilgreen.core.model.loop import Loop
from untilgreen.core.words.lines import PROMISE, Words

_RULES = ("test_pass", "lint_clean", "type_check", "no_tool_errors")


def lines(loop: Loop, words: Words, usual: tuple[str, ...]) -> tuple[str, ...]:
    """A rule for each thing that is asked for, and the promise, or the `usual` lines where another marker, or none,
    ends the loop."""
    asked = loop.asked.completion_criteria._asdict()
    chosen = [check for check in loop.checks.plan if check.chosen and not check.absent] if asked["green"] else []
    served = {name for check in chosen for name in check.meets}
    rules = [words[f"rule_{name}"] for name in _RULES if asked.get(name) or name in served]
    another = (
        loop.settings.markers.completion_promise
        or loop.settings.markers.success_regex
        or loop.settings.markers.marker == "verify"
    )
    return (*rules, *(map(one_line, usual) if another else words[PROMISE].split("\n")))
