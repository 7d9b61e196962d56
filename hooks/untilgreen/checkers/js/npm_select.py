"""How jest, vitest, mocha, ava and tap are told which tests to run. Node's own runner takes no names by NODE_OPTIONS
(20.20), and tape has none.

Learned from jest 30.5, vitest 4.1, mocha 12.0: a name is matched with those of all that is around it, blanks between.
"""

import re
from collections.abc import Sequence

from untilgreen.core.model.outcome import TestId

_ARROW = " \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK} "


def words(name: str, tests: Sequence[TestId]) -> tuple[str, ...]:
    """The options and files for a runner; () where it cannot run just these tests."""
    ids, files = tuple(dict.fromkeys(test.id for test in tests)), tuple(dict.fromkeys(test.file for test in tests))
    if name in ("jest", "vitest") and all(files):
        # a suite is what failed behind its tests: all of its file
        by_name = ("-t", _pattern(ids)) if all(ids) and "suite" not in ids else ()
        return (*((f"(?:^|/){re.escape(file)}$" for file in files) if name == "jest" else files), *by_name)
    if name == "mocha" and all(ids):
        return ("--grep", _pattern(ids))
    if name == "tap" and all(ids):
        return (f"--grep=/{_pattern(tuple(one.partition(' > ')[0] for one in ids))}/",)
    if name == "ava" and all(ids) and not any(one.startswith("!") for one in ids):
        # where there are several files, the name of one and an arrow are before the title
        titles = dict.fromkeys(title for one in ids for title in (one, one.partition(_ARROW)[2]) if title)
        return tuple(f"--match={title}" for title in titles)
    return ()


def _pattern(ids: Sequence[str]) -> str:
    """A regular expression of JavaScript for these titles, ` > ` between those of a suite and its test."""
    between = r"\s+(?:>\s+)?"
    return rf"^\s*(?:{'|'.join(between.join(_escaped(part) for part in one.split(' > ')) for one in ids)})\s*$"


def _escaped(title: str) -> str:
    return r"\s+".join(re.sub(r"[\\^$.*+?()[\]{}|/-]", r"\\\g<0>", word) for word in title.split())
