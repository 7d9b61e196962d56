"""Tools that know a file by the whole second of its time: checks end when the second is over in which they began."""

import os
import time
from collections.abc import Sequence

from untilgreen.core.model.check import Check

# what runs mypy or Python's own code, or may do so
_BY_SECONDS = ("mypy", "pytest", "unittest", "django-test", "runner", "custom")


def end(root: str, planned: Sequence[Check], moment: float) -> None:
    """Wait until the second is over in which the checks began, where Python was written in it. mypy's cache and
    Python's bytecode know a file by its size and the whole second of its time: of another edit in that second they
    would tell what was there before it."""
    rest = int(moment) + 1 - time.time()
    if rest > 0 and any(check.checker in _BY_SECONDS for check in planned):
        from untilgreen.project.tree import worktree  # an edit that no such tool looks at does without

        paths = (os.path.join(root, path) for path in worktree.files(root) if path.endswith((".py", ".pyi")))
        if any(_time_of(path) >= int(moment) for path in paths):
            time.sleep(rest)


def _time_of(path: str) -> float:
    """When a file was written last; 0 where it is gone."""
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0
