"""What the checks said, as one snapshot: counts, failing items, a score per stage. One mistake that several checks tell
is one item: what one check says twice stays twice. Pure."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from untilgreen.core import secrets
from untilgreen.core.model.check import STAGES, Absent, Check, kind_of
from untilgreen.core.model.outcome import Broken, Clean, Diagnostic, Found, Outcome, Pending, Result
from untilgreen.core.model.settings import Criteria
from untilgreen.core.model.snapshot import Before, FileDetail, First, Item, Snapshot
from untilgreen.core.record import NamedTuple
from untilgreen.core.verdict.identity import identify, normalise, of_set

_FAILING = ("error", "security", "test")
_WHOLE = ("lint_clean", "type_check", "build_success")  # criteria for which a check must have nothing to say at all
# the order of items
_UNREADABLE, _TYPES, _TESTS, _LINT, _LAST = range(5)
# what holds where nobody began a loop
UNASKED = Criteria(zero_errors=True, zero_security=True)
WAS_SO = " (was so before the loop)"
NOTHING_RAN = Check("none", "none", ".", "static", "")
Finding = tuple[Check, str, Diagnostic]
# rules that mean the same, whichever tool they are of
_SAME = (
    (
        "F821 undefined-variable name-defined reportUndefinedVariable unresolved-reference "
        "no-undef eslint(no-undef) lint/correctness/noUndeclaredVariables TS2304 TS2552"
    ),
    "F401 unused-import lint/correctness/noUnusedImports",
    (
        "F841 unused-variable no-unused-vars @typescript-eslint/no-unused-vars eslint(no-unused-vars) "
        "lint/correctness/noUnusedVariables TS6133"
    ),
    "F811 no-redef reportRedeclaration function-redefined no-redeclare TS2451",
    "import-not-found import-untyped reportMissingImports unresolved-import import-error",
    "attr-defined union-attr reportAttributeAccessIssue unresolved-attribute no-member",
    "return-value reportReturnType invalid-return-type",
    "assignment reportAssignmentType invalid-assignment",
    "arg-type reportArgumentType invalid-argument-type",
    "call-arg reportCallIssue missing-argument unknown-argument too-many-positional-arguments",
)
_KINDS = {rule: rules for rules in _SAME for rule in rules.split()}
# a file that cannot be parsed, as each tool says it
_SYNTAX = frozenset(["invalid-syntax", "E999", "syntax", "syntax-error", "parse"])
_SYNTAX_IN_TESTS = ("SyntaxError", "IndentationError", "TabError")
# the checkers that know the same risks, the one that tells them first: ruff's S rules come from bandit, and our rules
# for ast-grep know much of the same
_FIRST = ("bandit", "ruff", "ast-grep")


class Standard(NamedTuple):
    """What counts: the loop's criteria, its targets, each check's first result, and what was there before."""

    criteria: Criteria
    targets: tuple[str, ...] = ()
    first: Mapping[str, First] = {}
    before: Mapping[str, Before] = {}
    #: the identities of findings that hide nothing new: they were there before, in files that nobody touched
    old: Collection[str] = ()
    new: bool = False  #: static findings that were there before do not count


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
    inside = (one in (found.file, ".") or found.file.startswith(one.rstrip("/") + "/") for one in rules.targets)
    if rules.targets and not any(inside):
        return False
    if criteria.green and (found.severity in failing if check.chosen else found.severity == "error"):
        return True
    whole = failed or any(getattr(criteria, name) for name in check.meets if name in _WHOLE)
    asked = {"error": criteria.zero_errors, "warning": criteria.zero_warnings, "security": criteria.zero_security}
    return found.severity in asked and (whole or asked[found.severity] or _regressed(check, key, rules))


def _regressed(check: Check, key: str, rules: Standard) -> bool:
    first = rules.first.get(check.name) if rules.criteria.preserve else None
    return first is not None and first.outcome in ("clean", "found") and key not in first.items


def describe(found: Diagnostic, *, column: bool = False) -> str:
    """`file:line: rule message`, in one line but for the tail of a custom check; without a file, the check's name.
    `column`: `file:line:column: …`, where it is known."""
    where = secrets.place(found.file, found.line) or found.check
    where += f":{found.column}" if column and found.column else ""
    return f"{where}: {found.rule} {found.message}".rstrip()


def items_of(results: Iterable[Result], rules: Standard) -> tuple[Item, ...]:
    """Everything that must go before the loop is green: what cannot be read, types, tests, lint, the rest."""
    results = tuple(results)
    counting: list[Finding] = []
    for check, outcome in results:
        if isinstance(outcome, Found):
            failing, failed = outcome.failing, any(_is_exit_code(check, one) for one in outcome.diagnostics)
            for key, found in identify(outcome.diagnostics):
                if counts(check, key, found, rules, failing=failing, failed=failed):
                    counting.append((check, key, found))
    counting = without_repeats(counting)
    items: list[tuple[int, Item]] = []
    for check, outcome in results:
        if isinstance(outcome, Broken):
            before = rules.before.get(check.name)
            was_so = before and before.outcome == "broken" and before.unread == normalise(outcome.reason)
            whose = WAS_SO if was_so else ""
            text = f"check {check.name}: {outcome.reason}{whose}" + (f"\n{outcome.tail}" if outcome.tail else "")
            items.append((_UNREADABLE, Item(f"check:{check.name}", "check", check.stage, check.name, text)))
        items += [(rank(c, found), _item(c, key, found, rules)) for c, key, found in counting if c is check]
    return tuple(item for _, item in sorted(items, key=lambda entry: entry[0]))


def _item(check: Check, key: str, found: Diagnostic, rules: Standard) -> Item:
    kind = "custom" if _is_exit_code(check, found) else found.severity
    told = describe(found) + (WAS_SO if key in rules.old else "")
    where = found.file, found.line, found.rule, found.column
    return Item(key, kind, check.stage, check.name, told, *where, found.cure, found.cause)


def rank(check: Check, found: Diagnostic) -> int:
    """Where a finding comes in the order of items."""
    if found.hides:
        return _UNREADABLE
    if found.severity == "test":
        return _TESTS
    return _TYPES if "type_check" in check.meets else _LINT if "lint_clean" in check.meets else _LAST


def _is_exit_code(check: Check, found: Diagnostic) -> bool:
    return check.checker == "custom" and found.rule.startswith("exit-") and not found.file


def snapshot(
    results: tuple[Result, ...], rules: Standard, iteration: int, timestamp: str, extra: Mapping[str, int] | None = None
) -> Snapshot:
    everything = [(c, "", d) for c, outcome in results if isinstance(outcome, Found) for d in outcome.diagnostics]
    found = [d for _, _, d in without_repeats(everything, only_risks=True)]
    tests = [o.tests for _, o in results if isinstance(o, Clean | Found) and o.tests is not None]
    items = items_of(results, rules)
    stage_broken = any(c.stage == "tests" and isinstance(o, Broken) for c, o in results)
    numbers = Counter(d.severity for d in found)
    by_file: dict[str, list[Diagnostic]] = {}
    for d in found:
        by_file.setdefault(d.file, []).append(d)
    return Snapshot(
        iteration=iteration,
        timestamp=timestamp,
        error_count=numbers["error"],
        warning_count=numbers["warning"],
        info_count=numbers["info"],
        security_issues=numbers["security"],
        tests_passed=bool(tests) and not stage_broken and not any(t.failed for t in tests),
        tests_run=sum(t.run for t in tests),
        tests_failed=sum(t.failed for t in tests),
        file_details=tuple(detail(path, by_check(by_file[path])) for path in sorted(by_file) if path),
        scores=scores_of(results, items, extra or {}, rules.old),
        outcomes={check.name: kind_of(outcome) for check, outcome in results},
        failing_by_check={check.name: sum(1 for i in items if i.check == check.name) for check, _ in results},
        ran={check.name: o.tests.run for check, o in results if isinstance(o, Clean | Found) and o.tests is not None},
        failing=of_set(item.id for item in items),
        items=items,
        weakened=sum((extra or {}).values()),
        not_run={c.name: o.not_run for c, o in results if isinstance(o, Found) and o.not_run is not None},
    )


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


def first_results(results: tuple[Result, ...], known: Mapping[str, First], *, whole: bool) -> dict[str, First]:
    """`known` and, for checks that never came to an end before, what they say now: a broken one says nothing. `whole`:
    which findings there were will be asked for."""
    first = dict(known)
    for check, outcome in results:
        said = check.name in first and first[check.name].outcome != "broken"
        if said or isinstance(outcome, Absent | Pending):
            continue
        found = outcome.diagnostics if whole and isinstance(outcome, Found) else ()
        keys = tuple(key for key, _ in identify(found))
        tests = outcome.tests if isinstance(outcome, Clean | Found) else None
        counted = (tests.run, tests.by) if tests else (0, "")
        first[check.name] = First(kind_of(outcome), keys, *counted)
    return first


def detail(path: str, numbers: dict[str, dict[str, int]]) -> FileDetail:
    """The counts of one file; `numbers` as from `by_check`."""
    kinds = ("error", "warning", "info", "security", "test")
    totals = (sum(one.get(kind, 0) for one in numbers.values()) for kind in kinds)
    return FileDetail._make((path, *totals, numbers))


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
    """Failing items per stage that has a check; None where the stage is unknown. `old` as in `Standard`. `extra`: what
    else stands against a stage: suppressions added, tests lost. Where no check of that stage runs it stands against the
    first one that there is: nothing is forgiven because a language has no linter."""
    ran = {stage: [o for c, o in results if c.stage == stage and not isinstance(o, Absent)] for stage in STAGES}
    there = [stage for stage in STAGES if ran[stage]]
    weighing = dict.fromkeys(there, 0)
    for stage, number in extra.items() if there else ():
        weighing[stage if stage in weighing else there[0]] += number

    def hides(outcome: Outcome) -> bool:
        if not isinstance(outcome, Found) or not any(found.hides for found in outcome.diagnostics):
            return isinstance(outcome, Broken | Pending)
        return any(found.hides and key not in old for key, found in identify(outcome.diagnostics))

    failing = {stage: sum(item.stage == stage for item in items) + weighing[stage] for stage in there}
    return {stage: None if any(map(hides, ran[stage])) else number for stage, number in failing.items()}


def without_repeats(found: Sequence[Finding], *, only_risks: bool = False) -> list[Finding]:
    """The findings, each with its identity, without those of a mistake (or only: of a risk to security) that another
    check names."""
    said: dict[tuple[str, int, str], dict[str, list[Check]]] = {}
    keys = [_mistake(one) if one.severity == "security" or not only_risks else None for _, _, one in found]
    for key, (check, _, _) in zip(keys, found, strict=True):
        if key:
            said.setdefault(key, {}).setdefault(check.name, []).append(check)
    named = {key: _best(key[2], list(checks.values())) for key, checks in said.items()}
    return [one for key, one in zip(keys, found, strict=True) if not key or named[key] == one[0].name]


def _best(kind: str, checks: list[list[Check]]) -> str:
    """The check whose findings stay, of a list of checks, each as often as it tells the mistake."""
    if kind == "risk":
        best = min(checks, key=lambda told: (*_FIRST, told[0].checker).index(told[0].checker))
    elif kind == "syntax":  # the others tell of the same place in other words, and tests only that it is there
        best = min(checks, key=lambda told: told[0].stage == "tests")
    else:
        best = max(checks, key=len)
    return best[0].name


def _mistake(found: Diagnostic) -> tuple[str, int, str] | None:
    """File, line and kind of the mistake; None where no other check can be known to mean the same."""
    if not found.file:
        return None
    if found.severity == "test":
        syntax = found.rule == "collection" and found.message.startswith(_SYNTAX_IN_TESTS)
        return (found.file, 0, "syntax") if syntax else None
    if found.hides and found.rule in _SYNTAX:
        return found.file, 0, "syntax"
    if not found.line:
        return None
    return found.file, found.line, "risk" if found.severity == "security" else _KINDS.get(found.rule, found.rule)
