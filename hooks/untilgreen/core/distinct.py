"""One risk, one finding: several checkers know the same dangers."""

from collections.abc import Sequence

from untilgreen.core.model import Check, Diagnostic

# ruff's S rules come from bandit, which a project has because it wants it; ours for ast-grep know much of the same
_FIRST = ("bandit", "ruff", "ast-grep")


def told_once(found: Sequence[tuple[Check, Diagnostic]]) -> tuple[bool, ...]:
    """Which of the findings are told and counted: not the risks to security on a line that another check names."""
    named: dict[tuple[str, int], str] = {}
    for check, one in sorted(found, key=lambda pair: _rank(pair[0])):
        if _risk(one):
            named.setdefault((one.file, one.line), check.name)
    return tuple(not _risk(one) or named[one.file, one.line] == check.name for check, one in found)


def _rank(check: Check) -> int:
    return _FIRST.index(check.checker) if check.checker in _FIRST else len(_FIRST)


def _risk(found: Diagnostic) -> bool:
    return found.severity == "security" and found.line > 0
