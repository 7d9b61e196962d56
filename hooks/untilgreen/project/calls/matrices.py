"""The combinations of a job's matrix in GitHub's workflows, and the systems on which they run."""

import itertools
from collections.abc import Mapping

from untilgreen.core.record import Any
from untilgreen.project.calls.conditions import SYSTEM, UNKNOWN, Context, value
from untilgreen.project.calls.documents import table

_MOST = 256  # combinations


def combinations(job: Mapping[str, Any], context: Context) -> list[dict[str, Any] | None]:
    """The values of a job's matrix, each combination; [None] where only a run could tell them."""
    said = value(table(job, "strategy").get("matrix"), context)
    if said is None:
        return [{}]
    if not isinstance(said, dict):
        return [None]
    axes = {name: value(one, context) for name, one in said.items()}
    axes = {name: one if isinstance(one, list) else [UNKNOWN] for name, one in axes.items()}
    more, without = axes.pop("include", []), axes.pop("exclude", [])
    product = itertools.islice(itertools.product(*axes.values()), _MOST)
    first = [dict(zip(axes, values, strict=True)) for values in product] if axes else []
    without = [one for one in without if isinstance(one, dict)]
    first = [one for one in first if not any(other.items() <= one.items() for other in without)]
    found = list(first)
    for one in more[:_MOST]:
        if not isinstance(one, dict):
            return [None]
        same = [known for known in first if all(known.get(key, one[key]) == one[key] for key in one if key in axes)]
        for known in same:
            known.update(one)
        found += [] if same else [dict(one)]
    return [one for one in found if _on(job, context._replace(matrix=one)) in ("", SYSTEM)] or list(found)


def _on(job: Mapping[str, Any], context: Context) -> str:
    """The system on which a job runs, "" where nobody can tell."""
    said = job.get("runs-on")
    text = value(said, context) if isinstance(said, str) and "${{" in said else said
    name = text.lower() if isinstance(text, str) else ""
    known = {"windows": "Windows", "macos": "macOS", "ubuntu": "Linux", "linux": "Linux"}
    return next((system for part, system in known.items() if part in name), "")


def is_for_windows(job: Mapping[str, Any], context: Context) -> bool:
    """Whether a job runs on Windows alone, and we do not."""
    return SYSTEM != "Windows" and _on(job, context._replace(matrix=context.matrix or {})) == "Windows"
