"""The tests of `npm test` by name: as jest, vitest, mocha and Node's own runner report them, and ava, tap and tape.

Of the last three only tap says of every test in which file it is: ava puts a part of a file's name before a title, and
that only where there are several files.
"""

import re
from collections.abc import Sequence
from itertools import groupby

from untilgreen.checkers import naming
from untilgreen.checkers.answer import Malformed
from untilgreen.checkers.formats import tap
from untilgreen.checkers.js import npm_tap
from untilgreen.core.model.outcome import Names, Setting, TestId

_ENDS = {True: "passed", False: "failed", None: "skipped"}
_Test = tuple[str, str, str]  # its file as printed, its title, and its end: "passed", "failed" or another word

HOOK = r'"(?:before|after) (?:all|each)" hook'  # of mocha; the tests behind it did not run


def told(runner: str, text: str, setting: Setting) -> Names | None:
    """The tests of a report. Raises Malformed, also where a test cannot be told from what is none."""
    ends: dict[str, list[TestId]] = {"passed": [], "failed": [], "skipped": []}
    for file, title, end in _tests(runner, text):
        ends.get(end, ends["skipped"]).append(naming.of(file, title, setting))
    return naming.told(*ends.values())


def _tests(runner: str, text: str) -> Sequence[_Test]:
    if runner in npm_tap.RUNNERS:
        return _of_points(runner, text)
    if runner == "node":
        from untilgreen.checkers.js import node_events

        return node_events.tests(text)
    from untilgreen.checkers.formats import jest

    return [test for test in jest.tests(text) if runner != "mocha" or not re.search(HOOK, test[1])]


def _of_points(runner: str, text: str) -> list[_Test]:
    points = tap.points(text, unplanned=runner == "ava")
    if runner == "ava":
        named = [one for one in points if npm_tap.is_test(one)]
        return [("", one.name.partition(naming.ARROW)[2] or one.name, _ENDS[one.passed]) for one in named]
    titled = zip([_titled(runner, one) for one in points], points, strict=True)
    tests = []
    for title, group in groupby(titled, lambda pair: pair[0]):
        ends = {point.passed for _, point in group}
        tests.append((*title, _ENDS[None if ends == {None} else False not in ends]))
    return tests


def _titled(runner: str, point: tap.Point) -> tuple[str, str]:
    """File and title of the test that an assertion is of."""
    if runner == "tape":
        title = re.sub(r"^(?:TODO|SKIP) ", "", point.title)
        if not title:
            raise Malformed("an assertion stands outside of tests")
        return "", title
    file, *titles = point.name.split(" > ")
    if len(titles) > 1:
        return file, " > ".join(titles[:-1])
    if not titles or point.passed is not None:  # a test without assertions, or an assertion outside of tests
        raise Malformed("a test cannot be told from an assertion")
    return file, titles[0]
