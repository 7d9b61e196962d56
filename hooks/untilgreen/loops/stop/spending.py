"""What a loop's models used until now: read where it has a budget, or wants to know."""

import time
from collections.abc import Mapping, Sequence

from untilgreen import hosts
from untilgreen.core.errors import UserError
from untilgreen.core.model.event import Event, Place
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.settings import Settings
from untilgreen.core.model.snapshot import ReadSoFar, Spending, Used
from untilgreen.core.words import spending
from untilgreen.loops.stop.steps import Stop, StopStep
from untilgreen.state import bill, catalogue, log

_LATE = 0.3  # seconds; measured: 0.11
_RUN = "untilgreen run"  # whose agents say at their end what they used


def measure(stop: Stop, _step: StopStep, _until: float) -> Stop:
    """What the loop used until now, and its round; what cannot be read is told."""
    loop, evidence, event, place = stop.loop, stop.evidence, stop.call.event, stop.call.place
    if evidence.spending is not None:
        return stop  # it was judged before
    before = loop.spent.spending or Spending(loop.started_at)
    billed = before.billed | bill.read(place, loop)
    if event.billed_cost is not None:
        billed[_RUN] = billed.get(_RUN, 0.0) + event.billed_cost
    now = spending.after(before, _records(loop, before, event, place), billed, loop.settings)
    if now.unread and event.transcript:  # the host writes late: by then the newest answer is there
        time.sleep(_LATE)
        now = spending.after(before, _records(loop, before, event, place), billed, loop.settings)
    told = spending.unknown(now, loop.settings, catalogue.words(loop.settings))
    snapshot = evidence.snapshot._replace(usage=spending.of_round(before, now))
    evidence = evidence._replace(snapshot=snapshot, spending=now, told=(*evidence.told, *told))
    return stop._replace(evidence=evidence)


def _records(loop: Loop, before: Spending, event: Event, place: Place) -> Mapping[str, ReadSoFar]:
    found = None
    if event.billed_tokens:
        used = spending.plus(before.records.get(_RUN, ReadSoFar()).used.get(_RUN, Used()), Used(event.billed_tokens))
        return {**before.records, _RUN: ReadSoFar(used={_RUN: used})}
    try:
        if event.transcript:
            found = hosts.get(event.host).usage(event.transcript, loop.spent.sessions, before.records, before.since)
    except (OSError, ValueError) as error:  # ValueError: a null byte in its name
        log.write(place.base, f"use not read: {error}")
    return before.records if found is None else found


def around(env: Mapping[str, str]) -> tuple[str, ...]:
    """The hosts in whose shell this runs; none in one of nobody's: there the host is known at the first stop."""
    return tuple(name for name in hosts.ADAPTERS if any(env.get(one) for one in hosts.get(name).facts.known_by))


def refuse(settings: Settings, names: Sequence[str]) -> None:
    """Raise UserError where a budget is asked for, and none of these hosts lets us measure it."""
    asked = "max_tokens" if settings.budget.max_tokens else "max_cost" if settings.budget.max_cost else ""
    if asked and names and not any(hosts.get(name).facts.tells_usage for name in names):
        title = hosts.get(names[0]).facts.title
        flag = f"--{asked.replace('_', '-')}"
        why = f"{flag}: {title} does not tell what its models use"
        raise UserError(why, "limit the loop by --max-iterations or --max-minutes")
