"""Is it green because the work is done, or because the tests are others now? Two trees are run to tell. And which files
of a project are its tests, and what these are fed with. Pure.

The tests of the start run *as they were* on today's code, and those that are new or edited on the *code of the start*.
A tree is a mapping, so what is laid over what is arithmetic of mappings.
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence

from untilgreen.core.foreign import one_line
from untilgreen.core.model.groups import Against, Buts, Proof
from untilgreen.core.model.outcome import Names, TestId
from untilgreen.core.record import NamedTuple
from untilgreen.core.trees import Entry, Tree, above, differing
from untilgreen.core.words.brief import Words, counted

_UNFIT = ("{} fails in any copy of the project", "{} fail in any copy of the project")
_TOLD = 3  # names in one text; the others are counted
_KEPT = 1_000  # names of each kind
_NAME = 120  # characters of one
# a file of tests by its name, language by language
_SUITE = (
    r"(?:^|/)(?:"
    r"(?:test_[^/]*|[^/]*_test|tests)\.py"
    r"|[^/]*[._-](?:test|spec|cy|e2e)\.[cm]?[jt]sx?|(?:test|__tests__)/(?:.*/)?[^/]*\.[cm]?[jt]sx?|test\.[cm]?[jt]s"
    r"|[^/]*_test\.go"
    r"|tests?\.rs|tests/(?:.*/)?[^/]*\.rs"
    r"|[^/]*(?:Tests?|Spec|IT)\.(?:java|kt|groovy|scala|cs|swift|php)"
    r"|[^/]*_(?:test|spec)\.(?:rb|exs?|c|cc|cpp)"
    r"|tests?/(?:.*/)?[^/]*\.(?:sh|bash|bats)|[^/]*\.bats"
    r")$"
)
AGAIN = "of_the_start"  # in the name of an example that stands there once more
_CONFTEST = r"(?:^|/)conftest\.py$"
# what tests are fed with, wherever it lies; and folders of tests, where a file of tests lies below
_FED = frozenset({"testdata", "__mocks__", "__snapshots__", "__fixtures__", "__tests__"})
_FOLDERS = frozenset({"test", "tests", "spec", "specs", "e2e"})
# of Rust: a module of tests in a file of the product; strings and comments may hold braces
_INLINE = rb"#\[\s*cfg\s*\(\s*test\s*\)\s*\]\s*(?:#\[[^\]\n]*\]\s*)*(?:pub(?:\([^()]*\))?\s+)?mod\s+\w+\s*[{;]"
_APART = rb"(?s)//[^\n]*|/\*.*?\*/|b?r(#{0,9})\".*?\"\1|\"[^\"\\]*(?:\\.[^\"\\]*)*\"|'(?:\\[^\n']{1,9}|\\'|[^'\\\n])'"


class Trees(NamedTuple):
    """What is to be run, and which of its files tell something new."""

    as_were: Tree  #: today's code with the tests of the start
    before: Tree  #: the code of the start with today's tests
    #: files of the tests of the start that were edited, moved or are gone, and what tests are fed with
    changed: frozenset[str]
    fresh: frozenset[str]  #: files of tests that are new or edited
    now: Tree  #: today's code with today's tests
    configured: Tree = {}  #: as they were, and as their runner was configured
    start: Tree = {}  #: the code of the start with its tests


# the code of the first with the tests in the text of the second
Mixed = Callable[[str, Entry, Entry], Entry | None]


class TestsSide(NamedTuple):
    """What of a project is of its tests beside `of_tests`."""

    more: frozenset[str] = frozenset()  #: data and modules that lie elsewhere
    reaching: frozenset[str] = frozenset()  #: new files of tests by which others may pass


NO_SIDE = TestsSide()


def trees(start: Tree, now: Tree, may_change: Callable[[str], bool], mixed: Mixed, side: TestsSide = NO_SIDE) -> Trees:
    """What to run of the two. `may_change`: the files of tests that are meant to be changed; `mixed` makes one file of
    two, None where that cannot be had, or is the first."""
    tests = of_tests({*start, *now}) | side.more
    kept = frozenset(path for path in tests if not may_change(path))
    differ = differing(start, now)
    as_were = laid(now, start, kept)
    before = laid(start, now, tests)
    changed = {path for path in differ & kept if path in start or not is_suite(path)}
    changed |= {f"{path}/" for path in side.reaching & kept}  # no file of tests: it is about all of them
    fresh = {path for path in differ & tests if path in now and is_suite(path)}
    for path in sorted(differ - tests):
        if path in start and path in now:
            old, new = mixed(path, now[path], start[path]), mixed(path, start[path], now[path])
            if old is not None and new is not None and old != now[path]:
                as_were[path], before[path] = (now[path] if may_change(path) else old), new
                changed |= set() if may_change(path) else {path}
                fresh |= {path} if path.endswith(".rs") else set()
    return Trees(as_were, before, frozenset(changed), frozenset(fresh), now)


def laid(below: Tree, above: Tree, paths: Collection[str]) -> dict[str, Entry]:
    """A tree with these paths as they are in another one, gone where they are not there."""
    laid = {path: entry for path, entry in below.items() if path not in paths}
    return laid | {path: entry for path, entry in above.items() if path in paths}


def suites(changed: Collection[str]) -> tuple[str, ...]:
    """The files of tests that these changes are about; none where that may be all of them."""
    return tuple(sorted(changed)) if all(map(is_suite, changed)) else ()


class Runs(NamedTuple):
    """What three runs of a check said, test by test; None where one was not made, or does not name its tests."""

    now: Names | None  #: of today's tests on today's code
    as_were: Names | None  #: of the start's tests on today's code, and those that failed there in two runs
    failing: tuple[TestId, ...]
    before: Names | None  #: of today's tests on the code of the start, and the files that could not be loaded there
    unloaded: frozenset[str] = frozenset()
    #: of today's tests those that fail in a copy of today's tree, too: they miss something there
    unfit: frozenset[TestId] = frozenset()
    whole: bool = True  #: the tests of the start ran in all files, not in the changed ones alone


def told_by(runs: Runs, changed: Collection[str], fresh: Collection[str]) -> Proof:
    """What the runs of one check show. `changed`: the files of which the tests of the start run as they were; `fresh`:
    those with tests that are new or edited."""
    now = runs.now or Names()
    here, skipped = {*now.passed, *now.failed}, {*now.skipped}
    ids = {test.id for test in (*now.passed, *now.failed, *now.skipped)}
    were = runs.as_were or Names()
    everything = not all(map(is_suite, changed))
    places = {*changed, *(path.rpartition("/")[0] for path in changed)}  # a runner may name no more than a folder
    theirs = [test for test in were.passed if (everything or test.file in places) and AGAIN not in test.id]
    # tests whose files nobody changed pass as they were, too
    ran = {*were.passed, *were.failed, *were.skipped}  # all of them, where their runner takes no files
    same = () if runs.whole else [one for one in now.passed if one.file not in {*changed, *fresh} and one not in ran]
    left = _whole([test for test in theirs if test not in here and test.id not in ids], ids)
    known = {test.id for test in ran}
    # where the tests of the start did not run, or not all, a new test is told from others by its file alone
    all_ran = runs.as_were is not None and runs.whole
    new = [test for test in now.passed if test.id not in known and (all_ran or test.file in fresh)]
    old = {*(runs.before.passed if runs.before else ())}
    red = {*(runs.before.failed if runs.before else ())} - runs.unfit
    unloaded = runs.unloaded - {test.file for test in runs.unfit}
    # of a file that could not be loaded the tests of the start may have passed there before
    fixed = [test for test in now.passed if test in red or (test.file in unloaded and test.id not in known)]
    failing = [test for test in runs.failing if test not in runs.unfit]
    unfit = _names(test for test in runs.failing if test in runs.unfit)
    return Proof(
        fixed=len(fixed),
        kept=len(were.passed) + len(same) if runs.as_were else 0,
        failing=_names(test for test in failing if _is_edited(test, changed)),
        propped=_names(test for test in failing if not _is_edited(test, changed)),
        skipped=_names(test for test in theirs if test in skipped),
        gone=_names(left) if len(left) > len(new) else (),
        idle=_names(test for test in new if test in old),
        unproven=_about(unfit, *_UNFIT) if unfit else "",
    )


def _whole(tests: Iterable[TestId], there: Iterable[str]) -> list[TestId]:
    """The tests; the cases of one of which no case is there as one test."""
    known = {_function(name) for name in there}
    folded = (test if _function(test.id) in known else test._replace(id=_function(test.id)) for test in tests)
    return list(dict.fromkeys(folded))


def _function(name: str) -> str:
    return name.partition("[")[0] if name.endswith("]") else name


def _is_edited(test: TestId, changed: Collection[str]) -> bool:
    if AGAIN in test.id:
        return True
    suites = [path for path in changed if is_suite(path) or path.endswith(".rs")]
    places = {"", *suites, *(path.rpartition("/")[0] for path in suites)}
    return bool(suites) and test.file in places


def _names(tests: Iterable[TestId]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one_line(test.id or test.file)[:_NAME] for test in tests))[:_KEPT]


def joined(proofs: Sequence[Proof]) -> Proof:
    """What the checks of a project show together."""
    columns = [*zip(*proofs, strict=True)]
    # two calls of a runner run the same tests
    together = (tuple(dict.fromkeys(name for names in column for name in names))[:_KEPT] for column in columns[2:-1])
    return Proof._make((sum(columns[0]), sum(columns[1]), *together, next(filter(None, columns[-1]), "")))


def but(proof: Proof) -> Buts:
    names = {"failing": proof.failing, "propped": proof.propped, "skipped": proof.skipped, "gone": proof.gone}
    names |= {"blind": proof.blind, "outside": proof.outside}
    tests = tuple(Against(kind, _listed(some), len(some)) for kind, some in names.items() if some)
    return (*tests, Against("unproven", proof.unproven)) if proof.unproven else tests


def lost(proof: Proof) -> int:
    """How many tests stand against a green, each once."""
    return len({*proof.failing, *proof.propped, *proof.skipped, *proof.gone})


def told(proof: Proof, words: Words) -> str:
    """What was shown beside that, in one line: `3 tests red before, green now · …`; "" for nothing."""
    lines = [counted(words, "proof_fixed", proof.fixed)] if proof.fixed else []
    lines += [counted(words, "proof_kept", proof.kept)] if proof.kept and not but(proof) else []
    for kind in ("idle", "shifted", "by_heart", "naming"):
        if names := getattr(proof, kind):
            lines.append(counted(words, f"proof_{kind}", len(names), names=_listed(names)))
    return " · ".join(lines)


def _about(names: Sequence[str], one: str, several: str) -> str:
    return (one if len(names) == 1 else several).format(_listed(names))


def _listed(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and 3 more`."""
    shown = [*names[:_TOLD], *([f"{len(names) - _TOLD} more"] if len(names) > _TOLD else [])]
    return " and ".join((", ".join(shown[:-1]), shown[-1])) if len(shown) > 1 else shown[0]


def is_suite(path: str) -> bool:
    """Whether it is a file of tests, by its name."""
    return re.search(_SUITE, path) is not None


def of_tests(paths: Iterable[str]) -> frozenset[str]:
    """Of these files of a project the tests, and what lies beside them: fixtures, helpers, data."""
    over = {path: above(path) for path in paths}
    suites = {path for path in over if is_suite(path)}
    folders = {folder for path in suites for folder in over[path] if folder.rpartition("/")[2] in _FOLDERS}

    def is_beside(path: str) -> bool:
        fed = any(folder in folders or folder.rpartition("/")[2] in _FED for folder in over[path])
        return fed or re.search(_CONFTEST, path) is not None

    return frozenset(path for path in over if path in suites or is_beside(path))


def may_change(globs: Sequence[str]) -> Callable[[str], bool]:
    """Says of a path whether one of the patterns is for it: `*` stands for anything, and a folder for all in it."""
    patterns = [re.escape(glob.rstrip("/")).replace(r"\*", ".*").replace(r"\?", ".") for glob in globs]
    return lambda path: any(re.fullmatch(rf"{pattern}(?:/.*)?", path, re.DOTALL) for pattern in patterns)


def inline(content: bytes) -> tuple[bytes, bytes, bytes] | None:
    """A file of Rust in three: what is before its module of tests, the module, what is behind it. The module is empty
    where there is none; None where there are several, or where it has no end."""
    plain = re.sub(_APART, lambda found: b" " * len(found[0]), content)
    begins = list(re.finditer(_INLINE, plain))
    if not begins:
        return content, b"", b""
    depth = 0
    for brace in re.finditer(rb"[{};]", plain[begins[0].end() - 1 :]):
        depth += {b"{": 1, b"}": -1}.get(brace[0], 0)  # one without a body is in a file of its own
        if depth == 0:
            end = begins[0].end() - 1 + brace.end()
            inside = all(begin.start() < end for begin in begins)
            return (content[: begins[0].start()], content[begins[0].start() : end], content[end:]) if inside else None
    return None


def mixed(code: bytes, tests: bytes) -> bytes | None:
    """A file of Rust with one version's code and another's module of tests; None where they cannot be told apart."""
    product, wanted = inline(code), inline(tests)
    if product is None or wanted is None:
        return None
    before, _, behind = product
    between = b"" if not wanted[1] or before.endswith(b"\n") or not before else b"\n"
    return before + between + wanted[1] + behind
