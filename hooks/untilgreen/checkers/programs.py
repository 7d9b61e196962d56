"""What people test with that no checker reads by itself: the rows of `templates/programs.txt`, and the reports that
these programs leave in the project. Surefire 3.2.5, ctest 3.25 and bats 1.8 were seen, the others are by documents."""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache

from untilgreen.checkers.custom import BETWEEN
from untilgreen.core.record import NamedTuple
from untilgreen.project import files, tables

_DEEPEST = 3  # folders above that of a module
_LARGEST, _MOST = 16 * 1024 * 1024, 2_000  # bytes of a report; of them
_BEFORE = 0.02  # seconds by which the clock of files lags
_SAYING = (".rspec", "phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml")  # configurations that name a report
_NAMED = re.compile(r"[\w./-]+\.(?:xml|trx)\b")


class TestProgram(NamedTuple):
    """A row of the table; patterns are those of `fnmatch`."""

    name: str  #: for people
    marker: str  #: the file by which a project shows it
    beside: str  #: another one that must be there, "" for none
    holds: str  #: an expression that fits the marker's text
    command: str  #: that runs the tests
    programs: str  #: by their file names
    reports: str  #: where they leave reports, below each module

    def is_in(self, line: str) -> bool:
        """Whether one of its programs is named in this command line."""
        return not {*self.programs.split()}.isdisjoint(re.findall(r"[\w.-]+", line))


@cache
def rows() -> tuple[TestProgram, ...]:
    parts = (["" if part == "-" else part for part in line] for line in tables.read("programs")[""])
    return tuple(TestProgram(*line) for line in parts)


def reported(root: str, words: Sequence[str], since: float) -> str:
    """The reports that a command in `root` wrote after `since` (seconds since 1970), joined by BETWEEN; "" for none."""
    found = []
    for path in sorted({*_reports(root, words)})[:_MOST]:
        with suppress(OSError, ValueError):  # none that can be read: the exit code decides
            if os.stat(path).st_mtime >= since - _BEFORE:
                found.append(files.read(path, _LARGEST).decode("utf-8", "replace"))
    return BETWEEN.join(found)


def _reports(root: str, words: Sequence[str]) -> Iterator[str]:
    line = " ".join(words)
    for row in rows():
        if row.reports and row.is_in(line):
            from glob import glob  # costs more than most checks that are named do

            patterns = ("*/" * depth + row.reports for depth in range(_DEEPEST + 1))
            yield from (os.path.join(root, path) for pattern in patterns for path in glob(pattern, root_dir=root))
    for name in _SAYING:
        with suppress(OSError, ValueError):
            line += " " + files.read(os.path.join(root, name), _LARGEST).decode("utf-8", "replace")
    homes = [root, *(home for word in words if os.path.isdir(home := os.path.join(root, word)))]
    yield from (os.path.join(home, name) for name in _NAMED.findall(line) for home in homes)
