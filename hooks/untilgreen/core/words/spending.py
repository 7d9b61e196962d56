"""What models used: added up, priced, held against a budget, and told. Pure; loaded only where somebody asks."""

import re
from collections.abc import Mapping

from untilgreen.core.model.loop import Limit, Loop
from untilgreen.core.model.settings import Price, Settings
from untilgreen.core.model.snapshot import ReadSoFar, Spending, Use, Used
from untilgreen.core.words import brief
from untilgreen.core.words.brief import Words

_UNREAD = 2  # counted stops in a row without anything new: the host may be late with one
_NAMED = 3  # models
_MILLION = 1_000_000

# The provider's public list prices of November 2026, in USD for a million tokens: input, output, written to the cache
# for five minutes and for an hour, read from the cache. A model that is not in the table has no price, never 0: a name
# that only begins alike is another model.
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


def priced_as(model: str, used: Used, *, fast: bool) -> str:
    """A model's name without its date, and with what else decides on its price: `claude-opus-5-5 fast`."""
    name = re.sub(r"(-\d{8})?(\[1m\])?$", "", model)
    prompt = sum(used) - used.output
    return name + (" fast" if fast else " long" if prompt > _LONG.get(name, prompt) else "")


def cost(used: Mapping[str, Used], own: Mapping[str, Price]) -> tuple[float, tuple[str, ...]]:
    """What this costs in USD as far as that is known, and the models (as `priced_as` names them) of which it is not.
    The longest name of one's `own` that a model begins with wins."""
    total, unpriced = 0.0, []
    for model, tokens in used.items():
        begins = max((name for name in own if model.startswith(name)), key=len, default="")
        price = own[begins] if begins else LISTED.get(model)
        if price is not None:
            usual = (price.input, price.output, 1.25 * price.input, 2 * price.input, 0.1 * price.input)
            each = (most if one is None else one for one, most in zip(price, usual, strict=True))
            total += sum(number * one for number, one in zip(tokens, each, strict=True)) / _MILLION
        elif any(tokens):
            unpriced.append(model)
    return total, tuple(unpriced)


def after(before: Spending, records: Mapping[str, ReadSoFar], billed: Mapping[str, float], asked: Settings) -> Spending:
    """What was used by now, as the records and the host's own bill say it: the larger of the two."""
    used: dict[str, Used] = {}
    for record in records.values():
        for model, one in (*record.used.items(), *record.newest.values()):
            used[model] = plus(used.get(model, Used()), one)
    priced, unpriced = cost(used, asked.budget.prices)
    bill = round(sum(billed.values()), 6)
    now = before._replace(
        records=dict(records),
        billed=dict(billed),
        tokens=sum(map(sum, used.values())),
        cost=round(max(priced, bill), 6),
        unpriced=() if bill else unpriced,
    )
    more, more_billed = now.tokens > before.tokens, bill > sum(before.billed.values())
    is_read = (more or not asked.budget.max_tokens) and (
        (more and not unpriced) or more_billed or not asked.budget.max_cost
    )
    return now._replace(unread=0 if is_read else before.unread + 1)


def plus(one: Used, other: Used) -> Used:
    return Used(*map(int.__add__, one, other))


def of_round(before: Spending, now: Spending) -> Use:
    used = None if now.unpriced else round(max(0.0, now.cost - before.cost), 6)
    return Use(max(0, now.tokens - before.tokens), used)


def reached(spent: Spending, asked: Settings) -> Limit | None:
    """The budget that is used up, or cannot be measured."""
    budget = asked.budget
    used, bill = spent.tokens - spent.before.tokens, spent.cost - (spent.before.cost or 0.0)
    values: dict[str, str] = {}
    if budget.max_tokens and used >= budget.max_tokens:
        key, reason = "tokens_used", "Token budget reached ({used} of {most})"
        values = {"used": tokens(used), "most": tokens(budget.max_tokens)}
    elif budget.max_cost and bill >= budget.max_cost:
        key, reason = "cost_used", "Cost budget reached ({used} of {most})"
        values = {"used": dollars(bill), "most": dollars(budget.max_cost)}
    elif spent.unread < _UNREAD:
        return None
    elif budget.max_cost and spent.unpriced:
        key, reason = "cost_unpriced", "Cost is not known: no price for {models}"
        values = {"models": brief.listed(spent.unpriced, _NAMED)}
    else:
        key, reason = "use_unread", "Use could not be read"
    return Limit("budget", reason.format(**values), 10, key, values)


def unknown(spent: Spending, asked: Settings, words: Words) -> tuple[str, ...]:
    """What is told at a stop at which a budget could not be measured."""
    if not spent.unread or not (asked.budget.max_tokens or asked.budget.max_cost):
        return ()
    if asked.budget.max_cost and spent.unpriced:
        return (words["cost_unknown"].format(models=brief.listed(spent.unpriced, _NAMED)),)
    return (words["use_unknown"],)


def told(loop: Loop, words: Words) -> str:
    """`182k tokens, $0.41`; "" where nothing was measured."""
    spent = loop.spent.spending
    if spent is None or not spent.tokens + spent.cost:
        return ""
    parts = [words["tokens"].format(n=tokens(spent.use.tokens))] if spent.use.tokens else []
    return ", ".join(parts if spent.use.cost is None else [*parts, dollars(spent.use.cost)])


def tokens(number: int) -> str:
    """`950`, `182k`, `1.2M`."""
    if number < 1_000:
        return str(number)
    return f"{number / 1_000:.3g}k" if number < 999_500 else f"{round(number / 1_000_000, 1):g}M"


def dollars(cost: float) -> str:
    """`$0.41`, and `$0.0042` for little."""
    return f"${cost:.2f}" if cost >= 0.1 or not cost else f"${cost:.2g}"
