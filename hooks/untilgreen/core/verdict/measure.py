"""What the checks said, as one snapshot: counts, failing items, a score per stage."""

from collections.abc import Collection, Iterable, Mapping

from untilgreen.core import secrets
from untilgreen.core.model.check import STAGES, Absent, Check, kind_of
from untilgreen.core.model.outcome import Broken, Clean, Diagnostic, Found, Outcome, Pending, Result
from untilgreen.core.model.settings import Criteria
from untilgreen.core.model.snapshot import Before, FileDetail, First, Item, Snapshot
from untilgreen.core.record import NamedTuple
from untilgreen.core.verdict import repeats
from untilgreen.core.verdict.identity import identify, normalise, of_set

_FAILING = ("error", "security", "test")
_WHOLE = ("lint_clean", "type_check", "build_success")  # criteria for which a check must have nothing to say at all
# items come in this order: tests, what cannot be read, then by the criteria that their checks answer
_ORDER = ("type_check", "lint_clean")
_UNREADABLE, _LAST = 1, 4
# what holds where nobody began a loop
UNASKED = Criteria(zero_errors=True, zero_security=True)
WAS_SO = " (was so before the loop)"
NOTHING_RAN = Check("none", "none", ".", "static", "")


class Standard(NamedTuple):
    """What counts: the loop's criteria, its targets, each check's first result, and what was there before."""

    criteria: Criteria
    targets: tuple[str, ...] = ()
    first: Mapping[str, First] = {}
    before: Mapping[str, Before] = {}
    #: the identities of findings that hide nothing new: they were there before, in files that nobody touched
    old: Collection[str] = ()
    #: static findings that were there before do not count
    new: bool = False


def in_targets(file: str, targets: tuple[str, ...]) -> bool:
    """True when no targets narrow the loop, or the file is one or lies below one."""
    return not targets or any(t in (file, ".") or file.startswith(t.rstrip("/") + "/") for t in targets)


def counts(
    check: Check, key: str, found: Diagnostic, rules: Standard, *, failing: Collection[str] = (), failed: bool = False
) -> bool:
    """Whether this finding keeps the loop from being green. `failing`: the severities that made its tool fail;
    `failed`: it is of a command that failed with nothing worse than warnings, so they are what it failed for."""
    criteria = rules.criteria
    if found.hides and key not in rules.old:
        return True  # as long as it is there, what else is there is not known
    if rules.new and found.severity != "test" and check.name in rules.before and key in rules.before[check.name].items:
        return False
    if found.hides:
        return True
    if check.checker == "custom" and found.severity in _FAILING:
        return True  # the user named the command, so what it finds matters wherever it is
    if found.severity == "test":
        return criteria.test_pass or (criteria.green and check.chosen) or _regressed(check, key, rules)
    if criteria.build_success and "build_success" in check.meets and found.severity in _FAILING:
        return True  # wherever it is: nothing is built
    if not in_targets(found.file, rules.targets):
        return False
    if criteria.green and (found.severity in failing if check.chosen else found.severity == "error"):
        return True
    whole = failed or any(getattr(criteria, name) for name in check.meets if name in _WHOLE)
    by_severity = {
        "error": criteria.zero_errors or whole,
        "warning": criteria.zero_warnings or whole,
        "security": criteria.zero_security or whole,
    }
    return by_severity.get(found.severity, False) or (found.severity in by_severity and _regressed(check, key, rules))


def _regressed(check: Check, key: str, rules: Standard) -> bool:
    if not rules.criteria.preserve:
        return False
    first = rules.first.get(check.name)
    return first is not None and first.outcome in ("clean", "found") and key not in first.items


def describe(found: Diagnostic, *, column: bool = False) -> str:
    """`file:line: rule message`, in one line but for the tail of a custom check; without a file, the check's name.
    `column`: `file:line:column: …`, where it is known."""
    where = secrets.place(found.file, found.line) or found.check
    where += f":{found.column}" if column and found.column else ""
    return f"{where}: {found.rule} {found.message}".rstrip()


def items_of(results: Iterable[Result], rules: Standard) -> tuple[Item, ...]:
    """Everything that must go before the loop is green: tests, what cannot be read, types, lint, the rest."""
    results = tuple(results)
    counting = repeats.without(
        [
            (check, key, found)
            for check, outcome in results
            if isinstance(outcome, Found)
            for key, found in _counting(check, outcome, rules)
        ]
    )
    items: list[tuple[int, Item]] = []
    for check, outcome in results:
        if isinstance(outcome, Broken):
            whose = WAS_SO if _was_broken(check, outcome, rules) else ""
            text = f"check {check.name}: {outcome.reason}{whose}" + (f"\n{outcome.tail}" if outcome.tail else "")
            items.append((_UNREADABLE, Item(f"check:{check.name}", "check", check.stage, check.name, text)))
        items += [(rank(c, found), _item(c, key, found, rules)) for c, key, found in counting if c is check]
    return tuple(item for _, item in sorted(items, key=lambda entry: entry[0]))


def _was_broken(check: Check, outcome: Broken, rules: Standard) -> bool:
    before = rules.before.get(check.name)
    return before is not None and before.outcome == "broken" and before.unread == normalise(outcome.reason)


def _counting(check: Check, outcome: Found, rules: Standard) -> list[tuple[str, Diagnostic]]:
    failed = any(_is_exit_code(check, found) for found in outcome.diagnostics)
    identified = identify(outcome.diagnostics)
    return [
        (key, found)
        for key, found in identified
        if counts(check, key, found, rules, failing=outcome.failing, failed=failed)
    ]


def _item(check: Check, key: str, found: Diagnostic, rules: Standard) -> Item:
    kind = "custom" if _is_exit_code(check, found) else found.severity
    whose = WAS_SO if key in rules.old else ""
    told = describe(found) + whose
    place = found.file, found.line
    return Item(key, kind, check.stage, check.name, told, *place, found.rule, found.column, found.cure)


def rank(check: Check, found: Diagnostic) -> int:
    """Where a finding comes in the order of items."""
    if found.severity == "test":
        return 0
    if found.hides:
        return _UNREADABLE
    return next((number for number, name in enumerate(_ORDER, _UNREADABLE + 1) if name in check.meets), _LAST)


def _is_exit_code(check: Check, found: Diagnostic) -> bool:
    return check.checker == "custom" and found.rule.startswith("exit-") and not found.file


def snapshot(
    results: tuple[Result, ...], rules: Standard, iteration: int, timestamp: str, extra: Mapping[str, int] | None = None
) -> Snapshot:
    """One snapshot of one stop."""
    everything = [(c, "", d) for c, outcome in results if isinstance(outcome, Found) for d in outcome.diagnostics]
    found = [d for _, _, d in repeats.without(everything, only_risks=True)]
    tests = [o.tests for _, o in results if isinstance(o, Clean | Found) and o.tests is not None]
    items = items_of(results, rules)
    stage_broken = any(c.stage == "tests" and isinstance(o, Broken) for c, o in results)
    return Snapshot(
        iteration=iteration,
        timestamp=timestamp,
        error_count=_number(found, "error"),
        warning_count=_number(found, "warning"),
        info_count=_number(found, "info"),
        security_issues=_number(found, "security"),
        tests_passed=bool(tests) and not stage_broken and not any(t.failed for t in tests),
        tests_run=sum(t.run for t in tests),
        tests_failed=sum(t.failed for t in tests),
        file_details=_files(found),
        scores=scores_of(results, items, extra or {}, rules.old),
        outcomes={check.name: kind_of(outcome) for check, outcome in results},
        failing_by_check={check.name: sum(1 for i in items if i.check == check.name) for check, _ in results},
        ran={check.name: o.tests.run for check, o in results if isinstance(o, Clean | Found) and o.tests is not None},
        failing=of_set(item.id for item in items),
        items=items,
        weakened=sum((extra or {}).values()),
        not_run={c.name: o.not_run for c, o in results if isinstance(o, Found) and o.not_run is not None},
    )


def weakened_by(snapshot: Snapshot, tests: int) -> Snapshot:
    """The snapshot with so many more tests that count as lost."""
    known = snapshot.scores.get("tests")
    scores = snapshot.scores if known is None else snapshot.scores | {"tests": known + tests}
    return snapshot._replace(scores=scores, weakened=snapshot.weakened + tests)


def added(snapshot: Snapshot, stage: str, check: str, items: Iterable[Item], *, broken: bool = False) -> Snapshot:
    """The snapshot with what a check of a stage of its own says, which is asked when all others were; no items: it is
    clean."""
    items = tuple(items)
    every = (*snapshot.items, *items)
    return snapshot._replace(
        scores=snapshot.scores | {stage: None if broken else len(items)},
        outcomes=snapshot.outcomes | {check: "broken" if broken else "found" if items else "clean"},
        failing_by_check=snapshot.failing_by_check | {check: len(items)},
        items=every,
        failing=of_set(one.id for one in every),
    )


def first_results(results: tuple[Result, ...], known: Mapping[str, First]) -> dict[str, First]:
    """`known` and, for checks that never came to an end before, what they say now: a broken one says nothing."""
    first = dict(known)
    for check, outcome in results:
        said = check.name in first and first[check.name].outcome != "broken"
        if said or isinstance(outcome, Absent | Pending):
            continue
        keys = tuple(key for key, _ in identify(outcome.diagnostics)) if isinstance(outcome, Found) else ()
        tests = outcome.tests if isinstance(outcome, Clean | Found) else None
        first[check.name] = First(kind_of(outcome), keys, tests.run if tests else 0)
    return first


def _number(found: list[Diagnostic], severity: str) -> int:
    return sum(1 for d in found if d.severity == severity)


def _files(found: list[Diagnostic]) -> tuple[FileDetail, ...]:
    by_file: dict[str, list[Diagnostic]] = {}
    for d in found:
        if d.file:
            by_file.setdefault(d.file, []).append(d)
    return tuple(detail(path, by_check(by_file[path])) for path in sorted(by_file))


def detail(path: str, numbers: dict[str, dict[str, int]]) -> FileDetail:
    """The counts of one file; `numbers` as from `by_check`."""

    def total(severity: str) -> int:
        return sum(by_severity.get(severity, 0) for by_severity in numbers.values())

    return FileDetail(path, total("error"), total("warning"), total("info"), total("security"), total("test"), numbers)


def by_check(found: Iterable[Diagnostic]) -> dict[str, dict[str, int]]:
    """Check to severity to the number of findings."""
    counted: dict[str, dict[str, int]] = {}
    for d in found:
        counts_of = counted.setdefault(d.check, {})
        counts_of[d.severity] = counts_of.get(d.severity, 0) + 1
    return counted


def scores_of(
    results: tuple[Result, ...], items: tuple[Item, ...], extra: Mapping[str, int], old: Collection[str] = ()
) -> dict[str, int | None]:
    """Failing items per stage that has a check; None where the stage is unknown. `old` as in `Standard`.

    `extra`: what else stands against a stage: suppressions added, tests lost. Where no check of that stage runs it
    stands against the first one that there is: nothing is forgiven because a language has no linter.
    """
    ran = {stage: [o for c, o in results if c.stage == stage and not isinstance(o, Absent)] for stage in STAGES}
    there = [stage for stage in STAGES if ran[stage]]
    weighing = dict.fromkeys(there, 0)
    for stage, number in extra.items() if there else ():
        weighing[stage if stage in weighing else there[0]] += number
    return {stage: None if _hidden(ran[stage], old) else _failing(items, stage) + weighing[stage] for stage in there}


def _hidden(outcomes: Iterable[Outcome], old: Collection[str]) -> bool:
    return any(isinstance(one, Broken | Pending) or (isinstance(one, Found) and _hides(one, old)) for one in outcomes)


def _hides(outcome: Found, old: Collection[str]) -> bool:
    if not old:
        return any(found.hides for found in outcome.diagnostics)
    return any(found.hides and key not in old for key, found in identify(outcome.diagnostics))


def _failing(items: Iterable[Item], stage: str) -> int:
    return sum(1 for item in items if item.stage == stage)
