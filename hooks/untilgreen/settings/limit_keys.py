"""The keys of what ends a loop before it is green."""

from untilgreen.settings.kinds import at_least
from untilgreen.settings.table import Key

LIMITS = {
    "max_iterations": Key(
        "Rounds of a loop: it is over at this many counted stops.", at_least(1), option="N", short="-m"
    ),
    "max_minutes": Key(
        "Minutes of work in a loop, without the user's pauses; 0 means no limit.",
        at_least(0, float),
        option="N",
    ),
    "stagnation_limit": Key(
        "Rounds in a row without improvement before a loop ends; 0 means no limit.", at_least(0), option="N"
    ),
    "attempts": Key(
        "How many goes a loop has: one that is stuck is undone down to its best round, and the next one begins "
        "there with fresh limits.",
        at_least(1),
        option="N",
    ),
}
