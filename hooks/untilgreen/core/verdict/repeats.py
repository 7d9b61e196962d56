"""One mistake that several checks tell is one item. Pure.

Of the findings of different checks that are the same mistake those of one check stay; what one check says twice stays
twice.
"""

from collections.abc import Sequence

from untilgreen.core.model.check import Check
from untilgreen.core.model.outcome import Diagnostic

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


def without(found: Sequence[Finding], *, only_risks: bool = False) -> list[Finding]:
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
