"""The keys of what ends a loop before it is green."""

from typing import Annotated, Any

from pydantic import AfterValidator, Field

from untilgreen.core.model.settings import Price
from untilgreen.settings.kinds import at_least
from untilgreen.settings.table import Key, Table

_USD = at_least(0, float)
PRICE = Table(
    Price,
    {
        "input": Key("Of a million tokens that it reads, in USD.", _USD),
        "output": Key("Of a million that it writes.", _USD),
        "cache_write": Key("Of a million that go into its cache for five minutes; 1.25 of `input` if not given.", _USD),
        "cache_write_1h": Key("Of a million that go there for an hour; twice `input` if not given.", _USD),
        "cache_read": Key("Of a million that it reads from there; a tenth of `input` if not given.", _USD),
    },
)


def _whole(price: Price) -> Price:
    """A price of nothing at all is a mistake in its table."""
    if not price.input or not price.output:
        raise ValueError("a price with input and output, in USD for a million tokens")
    return price


_PRICES: Any = dict[Annotated[str, Field(min_length=1)], Annotated[PRICE.kind, AfterValidator(_whole)]]  # type: ignore[name-defined]

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
    "adaptive": Key(
        "One more round where the last one was the best so far, and so on while each is, up to twice `max_iterations`.",
        option="",
    ),
    "iteration_minutes": Key(
        "Minutes of work in one round: at the stop of a round that took longer the loop is over. 0 means no limit.",
        at_least(0, float),
        option="N",
    ),
    "max_tokens": Key(
        "Tokens of a loop, read, cached and written, with those of sub-agents: it is over at the stop at which its "
        "host's record says so many. 0 means no limit.",
        at_least(0),
        option="N",
    ),
    "max_cost": Key(
        "The same for what they cost at list prices, in USD. 0 means no limit.", at_least(0, float), option="USD"
    ),
    "prices": Key("By a model's name, or its beginning: what it costs, where that is not known or not yours.", _PRICES),
    "usage": Key("Read at each stop what the round used, and tell it at the end. A budget does so, too.", option=""),
}
