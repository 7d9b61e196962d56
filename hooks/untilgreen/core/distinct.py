"""One risk, one finding: several checkers know the same dangers."""

from collections.abc import Iterable

from untilgreen.core.measure import Result
from untilgreen.core.model import Clean, Diagnostic, Found


def told_once(results: Iterable[Result]) -> tuple[Result, ...]:
    """The results without security findings on lines that an earlier check calls a risk to security.

    ruff's S rules come from bandit, and the rules for ast-grep know much of the same.
    """
    told: set[tuple[str, int]] = set()
    kept: list[Result] = []
    for check, outcome in results:
        if isinstance(outcome, Found):
            left = tuple(d for d in outcome.diagnostics if not (_risk(d) and (d.file, d.line) in told))
            told |= {(d.file, d.line) for d in left if _risk(d)}
            kept.append((check, outcome._replace(diagnostics=left) if left else Clean(outcome.tests)))
        else:
            kept.append((check, outcome))
    return tuple(kept)


def _risk(found: Diagnostic) -> bool:
    return found.severity == "security" and found.line > 0
