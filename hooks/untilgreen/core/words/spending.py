"""What models used: added up, priced, held against a budget, and told. Pure; loaded only where somebody asks."""

from collections.abc import Iterable, Mapping

from untilgreen.core.model.loop import Limit, Loop
from untilgreen.core.model.settings import Settings
from untilgreen.core.model.snapshot import ReadSoFar, Spending, Use, Used
from untilgreen.core.words import prices
from untilgreen.core.words.brief import clean

_UNREAD = 2  # counted stops in a row without anything new: the host may be late with one
_NAMED = 3  # models


def after(before: Spending, records: Mapping[str, ReadSoFar], billed: Mapping[str, float], asked: Settings) -> Spending:
    """What was used by now, as the records and the host's own bill say it: the larger of the two."""
    used = _added(records.values())
    cost, unpriced = prices.cost(used, asked.budget.prices)
    bill = round(sum(billed.values()), 6)
    now = before._replace(
        records=dict(records),
        billed=dict(billed),
        tokens=sum(map(sum, used.values())),
        cost=round(max(cost, bill), 6),
        unpriced=() if bill else unpriced,
    )
    more, more_billed = now.tokens > before.tokens, bill > sum(before.billed.values())
    is_read = (more or not asked.budget.max_tokens) and (
        (more and not unpriced) or more_billed or not asked.budget.max_cost
    )
    return now._replace(unread=0 if is_read else before.unread + 1)


def _added(records: Iterable[ReadSoFar]) -> dict[str, Used]:
    used: dict[str, Used] = {}
    for record in records:
        for model, one in (*record.used.items(), *record.newest.values()):
            used[model] = plus(used.get(model, Used()), one)
    return used


def plus(one: Used, other: Used) -> Used:
    """Both together."""
    return Used(*map(int.__add__, one, other))


def of_round(before: Spending, now: Spending) -> Use:
    """What was used in between."""
    cost = None if now.unpriced else round(max(0.0, now.cost - before.cost), 6)
    return Use(max(0, now.tokens - before.tokens), cost)


def reached(spent: Spending, asked: Settings) -> Limit | None:
    """The budget that is used up, or cannot be measured."""
    used, cost = spent.tokens - spent.before.tokens, spent.cost - (spent.before.cost or 0.0)
    if asked.budget.max_tokens and used >= asked.budget.max_tokens:
        values = {"used": tokens(used), "most": tokens(asked.budget.max_tokens)}
        return Limit("budget", "Token budget reached ({used} of {most})".format(**values), 10, "tokens_used", values)
    if asked.budget.max_cost and cost >= asked.budget.max_cost:
        values = {"used": dollars(cost), "most": dollars(asked.budget.max_cost)}
        return Limit("budget", "Cost budget reached ({used} of {most})".format(**values), 10, "cost_used", values)
    if spent.unread < _UNREAD:
        return None
    if asked.budget.max_cost and spent.unpriced:
        values = {"models": _named(spent)}
        return Limit("budget", "Cost is not known: no price for {models}".format(**values), 10, "cost_unpriced", values)
    return Limit("budget", "Use could not be read", 10, "use_unread")


def unknown(spent: Spending, asked: Settings, words: Mapping[str, str]) -> tuple[str, ...]:
    """What is told at a stop at which a budget could not be measured."""
    if not spent.unread or not (asked.budget.max_tokens or asked.budget.max_cost):
        return ()
    if asked.budget.max_cost and spent.unpriced:
        return (words["cost_unknown"].format(models=_named(spent)),)
    return (words["use_unknown"],)


def _named(spent: Spending) -> str:
    more = f" and {len(spent.unpriced) - _NAMED} more" if len(spent.unpriced) > _NAMED else ""
    return ", ".join(map(clean, spent.unpriced[:_NAMED])) + more


def told(loop: Loop, words: Mapping[str, str]) -> str:
    """`182k tokens, $0.41`; "" where nothing was measured."""
    if loop.spent.spending is None or not loop.spent.spending.tokens + loop.spent.spending.cost:
        return ""
    use, parts = loop.spent.spending.use, []
    if use.tokens:
        parts.append(words["tokens"].format(n=tokens(use.tokens)))
    if use.cost is not None:
        parts.append(dollars(use.cost))
    return ", ".join(parts)


def tokens(number: int) -> str:
    """`950`, `182k`, `1.2M`."""
    if number < 1_000:
        return str(number)
    if number < 999_500:
        return f"{number / 1_000:.3g}k"
    return f"{round(number / 1_000_000, 1):g}M"


def dollars(cost: float) -> str:
    """`$0.41`, and `$0.0042` for little."""
    return f"${cost:.2f}" if cost >= 0.1 or not cost else f"${cost:.2g}"
