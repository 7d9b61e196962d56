"""What is measured: snapshots, the project's text, first results."""

from typing import NamedTuple


class FileDetail(NamedTuple):
    """Counts of one file, relative posix path. `by_check`: check to the number of its findings of each severity."""

    path: str
    error_count: int = 0
    warning_count: int = 0
    info_count: int = 0
    security_issues: int = 0
    tests_failed: int = 0
    by_check: dict[str, dict[str, int]] = {}


class Item(NamedTuple):
    """One thing that must go before the loop is green: its identity, and how it reads.

    `kind`: "error", "warning", "info", "security", "test", "check" (a broken or failing check).
    """

    id: str
    kind: str
    stage: str
    check: str
    text: str


class Snapshot(NamedTuple):
    """The state of the checks at one counted stop.

    `scores`: stage to the number of failing items, None where the stage is unknown.
    `outcomes`: check to "clean", "found", "broken" or "absent". `failing_by_check`: check to the number
    of its failing items; `failing`: fingerprint of the set of them. `items` is kept for the newest snapshots
    only; counts stay. `weakened`: suppressions added and tests lost since the start, all of them part of the scores.
    """

    iteration: int
    timestamp: str
    error_count: int = 0
    warning_count: int = 0
    info_count: int = 0
    security_issues: int = 0
    tests_passed: bool = False
    tests_run: int = 0
    tests_failed: int = 0
    file_details: tuple[FileDetail, ...] = ()
    scores: dict[str, int | None] = {}
    outcomes: dict[str, str] = {}
    failing_by_check: dict[str, int] = {}
    failing: str = ""
    items: tuple[Item, ...] = ()
    weakened: int = 0


class Text(NamedTuple):
    """What is counted by reading the project: suppressions by kind, test definitions, and the
    fingerprints of the checkers' configuration by name ("mypy.ini", "pyproject.toml [tool.ruff]").
    `complete` is False when time ran out: then nothing may be concluded from it. `version`: by which rules it was
    counted; texts of two versions cannot be compared, and one that does not say was counted by the first."""

    suppressions: dict[str, int] = {}
    tests: int = 0
    config: dict[str, str] = {}
    complete: bool = False
    version: int = 1


class First(NamedTuple):
    """A check's first result in this loop."""

    outcome: str
    items: tuple[str, ...] = ()
    tests_run: int = 0
