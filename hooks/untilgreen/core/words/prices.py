"""What models cost: the provider's public list prices of November 2026, and the user's own. Pure.

USD for a million tokens: input, output, written to the cache for five minutes and for an hour, read from the cache. A
model that is not in the table has no price, never 0: a name that only begins alike is another model.
"""

import re
from collections.abc import Mapping

from untilgreen.core.model.settings import Price
from untilgreen.core.model.snapshot import Used

_MILLION = 1_000_000
_FABLE = Price(10, 50, 12.5, 20, 1)
_OPUS = Price(5, 25, 6.25, 10, 0.5)
_SONNET = Price(3, 15, 3.75, 6, 0.3)
LISTED = {
    "claude-fable-5-2": Price(8, 40, 10, 16, 0.2),
    "claude-fable-5-1": _FABLE._replace(cache_read=0.25),
    "claude-mythos-5-1": _FABLE._replace(cache_read=0.25),
    "claude-fable-5": _FABLE,
    "claude-mythos-5": _FABLE,
    "claude-opus-5-5": Price(4, 20, 5, 8, 0.2),
    "claude-opus-5-5 fast": Price(8, 40, 10, 16, 0.4),
    "claude-opus-5": _OPUS,
    "claude-opus-5 fast": Price(10, 50, 12.5, 20, 1),
    "claude-opus-4-8": _OPUS,
    "claude-opus-4-8 fast": Price(10, 50, 12.5, 20, 1),
    "claude-opus-4-7": _OPUS,
    "claude-opus-4-6": _OPUS,
    "claude-opus-4-5": _OPUS,
    "claude-sonnet-5-5": Price(2, 10, 2.5, 4, 0.1),
    "claude-sonnet-5": Price(2, 10, 2.5, 4, 0.2),
    "claude-sonnet-4-6": _SONNET,
    "claude-sonnet-4-5": _SONNET,
    "claude-haiku-5-5": Price(0.1, 0.5, 0.125, 0.2, 0.01),
    "claude-haiku-5-5 long": Price(0.5, 2.5, 0.625, 1, 0.05),
    "claude-haiku-4-5": Price(1, 5, 1.25, 2, 0.1),
}
# models that cost more where a prompt has more tokens than that
_LONG = {"claude-haiku-5-5": 100_000}


def kind(model: str, used: Used, *, fast: bool) -> str:
    """A model's name without its date, and with what else decides on its price: `claude-opus-5-5 fast`."""
    name = re.sub(r"(-\d{8})?(\[1m\])?$", "", model)
    prompt = sum(used) - used.output
    return name + (" fast" if fast else " long" if prompt > _LONG.get(name, prompt) else "")


def of(model: str, own: Mapping[str, Price]) -> Price | None:
    """The price of a model (as `kind` names it); None where nobody knows it. The longest name of one's own wins."""
    begins = max((name for name in own if model.startswith(name)), key=len, default="")
    return own[begins] if begins else LISTED.get(model)


def cost(used: Mapping[str, Used], own: Mapping[str, Price]) -> tuple[float, tuple[str, ...]]:
    """What this costs in USD as far as that is known, and the models of which it is not."""
    total, unpriced = 0.0, []
    for model, tokens in used.items():
        price = of(model, own)
        if price is None:
            unpriced += [model] if any(tokens) else []
        else:
            total += sum(number * one for number, one in zip(tokens, _whole(price), strict=True)) / _MILLION
    return total, tuple(unpriced)


def _whole(price: Price) -> tuple[float, ...]:
    usual = (price.input, price.output, 1.25 * price.input, 2 * price.input, 0.1 * price.input)
    return tuple(most if one is None else one for one, most in zip(price, usual, strict=True))
