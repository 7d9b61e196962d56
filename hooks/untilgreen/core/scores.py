"""How far from green each stage is."""

from collections.abc import Iterable, Mapping

from untilgreen.core.model import Absent, Broken, Check, Found, Item, Outcome

STAGES = ("static", "build", "tests")

Result = tuple[Check, Outcome]


def scores_of(results: tuple[Result, ...], items: tuple[Item, ...], extra: Mapping[str, int]) -> dict[str, int | None]:
    """Failing items per stage that has a check; None where the stage is unknown.

    `extra`: what else stands against a stage: suppressions added, tests lost. Where no check of that stage runs it
    stands against the first one that there is: nothing is forgiven because a language has no linter.
    """
    ran = {stage: [o for c, o in results if c.stage == stage and not isinstance(o, Absent)] for stage in STAGES}
    there = [stage for stage in STAGES if ran[stage]]
    weighing = dict.fromkeys(there, 0)
    for stage, number in extra.items() if there else ():
        weighing[stage if stage in weighing else there[0]] += number
    return {stage: None if _hidden(ran[stage]) else _items(items, stage) + weighing[stage] for stage in there}


def _hidden(outcomes: Iterable[Outcome]) -> bool:
    return any(
        isinstance(o, Broken) or (isinstance(o, Found) and any(d.hides for d in o.diagnostics)) for o in outcomes
    )


def _items(items: Iterable[Item], stage: str) -> int:
    return sum(1 for item in items if item.stage == stage)
