"""Which tests touch what changed, by a map that a run of them made (`templates/impact`). Pure, and a hint: what no map
can see stands in docs/how-a-stop-is-judged.md, and all tests run before green.

A part of a map is what one process of a run wrote: `files` with the hashes of their lines then and the places of their
functions, `rows` of functions that tests start, and the `tests`. Where something else lies there, this raises
AttributeError, LookupError, TypeError or ValueError.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from untilgreen.core.model.outcome import TestId
from untilgreen.core.record import Any

MOST = 20  # tests that run after an edit
_TEST = r"(?:^|/)(?:test_[^/]*|[^/]*_test)\.py$"
_FIXTURES = "conftest.py"  # nobody imports it
_Files = Sequence[Mapping[str, Any] | None]


def chosen(parts: Iterable[Mapping[str, Any]], now: Mapping[str, Sequence[int]]) -> list[tuple[TestId, float]]:
    """The tests that touch these files, with the seconds that each took: first those that start a function that
    changed, then those that come by its file, the nearest first; of these in turn one of each file, and one of the
    cases of a test, those first that start the fewest functions. `now`: changed files and the hashes of their lines."""
    found, anew, known = list[tuple[tuple[int, int, float], TestId]](), set(now), Counter[str]()
    for part in parts:
        files, rows = part["files"], part["rows"]
        functions, modules = _changed(files, now)
        anew -= {one["file"] for number, one in enumerate(files) if one and number not in modules}
        near = {files[number]["file"]: steps for number, steps in _near(files, modules).items()}
        tops = tuple(path.removesuffix(_FIXTURES) for path in near if f"/{path}".endswith(f"/{_FIXTURES}"))
        starts = [not functions.isdisjoint(row) for row in rows]
        for file, name, row, took in part["tests"]:
            known[file] += 1
            away = near.get(file, 0 if file.startswith(tops) else None)
            if starts[row] or away is not None:
                rank = 0 if starts[row] else 1 + (away or 0)
                found.append(((rank, len(rows[row]), took / 1000), TestId(file, name)))
    # files of tests, with some that no map knows
    whole = [path for path in now if path in anew and re.search(_TEST, path) and known[path] <= MOST]
    seen, ordered = Counter[tuple[str, ...]](), [((0, 0, 0), TestId(path, ""), 0.0) for path in whole]
    for (rank, _, took), test in sorted(found):
        case = (test.file, test.id.partition("[")[0])
        ordered.append(((rank, seen[case], seen[case[:1]]), test, took))
        seen.update((case, case[:1]))
    return [(test, took) for _, test, took in sorted(ordered) if test.file not in whole or not test.id]


def changes(old: Sequence[int], new: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The first and the last line, from 1, of each place of `old` that differs; of lines that were put in the one in
    front of them, twice. Blank lines, which are 0, are none."""
    import difflib  # most files are as they were

    for kind, first, end, there, last in difflib.SequenceMatcher(None, old, new).get_opcodes() if old != new else ():
        if kind != "equal" and (any(old[first:end]) or any(new[there:last])):
            yield min(first + 1, end), end


def _changed(files: _Files, now: Mapping[str, Sequence[int]]) -> tuple[set[int], set[int]]:
    """The numbers of the functions that changed; and of the files in which something else did, or which name a file of
    data that is among them."""
    functions, modules = set[int](), set[int]()
    names = {path.rpartition("/")[2] for path in now}
    for number, one in enumerate(files):
        if one and names.intersection(one["names"]):
            modules.add(number)
        if one is None or one["file"] not in now:
            continue
        old = [int(one["lines"][at : at + 4], 16) for at in range(0, len(one["lines"]), 4)]
        for first, last in changes(old, now[one["file"]]):
            around = [span for span in one["functions"] if span[0] <= first and last <= span[1]]
            inner = [min(around, key=lambda span: span[1] - span[0])] if around else []
            functions |= {span[2] for span in inner or one["functions"] if span[0] <= last and first <= span[1]}
            modules |= set() if inner else {number}
    return functions - {-1}, modules


def _near(files: _Files, modules: Collection[int]) -> dict[int, int]:
    """The numbers of the files that import these, and by how many steps."""
    near, ways = dict.fromkeys(modules, 0), list(modules)
    for number in ways:
        for other, one in enumerate(files):
            if one and other not in near and number in one["imports"]:
                near[other] = near[number] + 1
                ways.append(other)
    return near
