"""Is it green because the work is done, or because the tests are others now? Two trees are run to tell. Pure.

The tests of the start run *as they were* on today's code, and those that are new or edited on the *code of the start*.
A tree is a mapping, so what is laid over what is arithmetic of mappings.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from untilgreen.core.foreign import one_line
from untilgreen.core.model.groups import Proof
from untilgreen.core.model.outcome import Names, TestId
from untilgreen.core.record import NamedTuple
from untilgreen.core.trees import Entry, Tree
from untilgreen.core.verdict import test_files
from untilgreen.core.words.lines import Words, counted

_UNFIT = ("{} fails in any copy of the project", "{} fail in any copy of the project")
_TOLD = 3  # names in one text; the others are counted
_KEPT = 1_000  # names of each kind
_NAME = 120  # characters of one


class Trees(NamedTuple):
    """What is to be run, and which of its files tell something new."""

    #: today's code with the tests of the start
    as_were: Tree
    #: the code of the start with today's tests
    before: Tree
    #: files of the tests of the start that were edited, moved or are gone, and what tests are fed with
    changed: frozenset[str]
    #: files of tests that are new or edited
    fresh: frozenset[str]
    #: today's code with today's tests
    now: Tree


Mixed = Callable[[Entry, Entry], Entry | None]  # the code of the first with the module of tests of the second


def trees(start: Tree, now: Tree, may_change: Callable[[str], bool], mixed: Mixed) -> Trees:
    """What to run of the two. `may_change`: the files of tests that are meant to be changed; `mixed` makes one file of
    Rust of two, None where that cannot be had."""
    tests = test_files.of_tests({*start, *now})
    kept = frozenset(path for path in tests if not may_change(path))
    differ = frozenset(path for path in {*start, *now} if start.get(path) != now.get(path))
    as_were = _laid(now, start, kept)
    before = _laid(start, now, tests)
    changed = {path for path in differ & kept if path in start or not test_files.is_suite(path)}
    fresh = {path for path in differ & tests if path in now and test_files.is_suite(path)}
    for path in sorted(differ - tests):
        if path.endswith(".rs") and path in start and path in now:
            old, new = mixed(now[path], start[path]), mixed(start[path], now[path])
            if old is not None and new is not None and old != now[path]:
                as_were[path], before[path] = (now[path] if may_change(path) else old), new
                changed |= set() if may_change(path) else {path}
                fresh.add(path)
    return Trees(as_were, before, frozenset(changed), frozenset(fresh), now)


def _laid(below: Tree, above: Tree, paths: Collection[str]) -> dict[str, Entry]:
    """A tree with these paths as they are in another one, gone where they are not there."""
    laid = {path: entry for path, entry in below.items() if path not in paths}
    return laid | {path: entry for path, entry in above.items() if path in paths}


def suites(changed: Collection[str]) -> tuple[str, ...]:
    """The files of tests that these changes are about; none where that may be all of them."""
    return tuple(sorted(changed)) if all(map(test_files.is_suite, changed)) else ()


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


class Runs(NamedTuple):
    """What three runs of a check said, test by test; None where one was not made, or does not name its tests."""

    #: of today's tests on today's code
    now: Names | None
    #: of the start's tests on today's code, and those that failed there in two runs
    as_were: Names | None
    failing: tuple[TestId, ...]
    #: of today's tests on the code of the start, and the files that could not be loaded there
    before: Names | None
    unloaded: frozenset[str] = frozenset()
    #: of today's tests those that fail in a copy of today's tree, too: they miss something there
    unfit: frozenset[TestId] = frozenset()


def told_by(runs: Runs, changed: Collection[str], fresh: Collection[str]) -> Proof:
    """What the runs of one check show. `changed`: the files of which the tests of the start run as they were; `fresh`:
    those with tests that are new or edited."""
    now = runs.now or Names()
    here, skipped = {*now.passed, *now.failed}, {*now.skipped}
    ids = {test.id for test in (*now.passed, *now.failed, *now.skipped)}
    were = runs.as_were or Names()
    theirs = [test for test in were.passed if _is_of(test, changed)]
    left = _whole([test for test in theirs if test not in here and test.id not in ids], ids)
    known = {test.id for test in (*were.passed, *were.failed, *were.skipped)}
    # where the tests of the start did not run, a new test is told from others by its file alone
    new = [test for test in now.passed if test.id not in known and (runs.as_were or test.file in fresh)]
    old = {*(runs.before.passed if runs.before else ())}
    red = {*(runs.before.failed if runs.before else ())} - runs.unfit
    unloaded = runs.unloaded - {test.file for test in runs.unfit}
    fixed = [test for test in now.passed if test in red or test.file in unloaded]
    failing = [test for test in runs.failing if test not in runs.unfit]
    unfit = _names(test for test in runs.failing if test in runs.unfit)
    return Proof(
        fixed=len(fixed),
        kept=len(were.passed),
        failing=_names(test for test in failing if _is_edited(test, changed)),
        propped=_names(test for test in failing if not _is_edited(test, changed)),
        skipped=_names(test for test in theirs if test in skipped),
        gone=_names(left) if len(left) > len(new) else (),
        idle=_names(test for test in new if test in old),
        unproven=_about(unfit, *_UNFIT) if unfit else "",
    )


def _is_of(test: TestId, changed: Collection[str]) -> bool:
    """Whether it stands in one of these files; a runner may name no more than its folder."""
    return (
        test.file in changed
        or any(_folder(path) == test.file for path in changed)
        or bool([path for path in changed if not test_files.is_suite(path)])
    )


def _whole(tests: Iterable[TestId], there: Iterable[str]) -> list[TestId]:
    """The tests; the cases of one of which no case is there as one test."""
    known = {_function(name) for name in there}
    folded = (test if _function(test.id) in known else test._replace(id=_function(test.id)) for test in tests)
    return list(dict.fromkeys(folded))


def _function(name: str) -> str:
    return name.partition("[")[0] if name.endswith("]") else name


def _is_edited(test: TestId, changed: Collection[str]) -> bool:
    suites = [path for path in changed if test_files.is_suite(path) or path.endswith(".rs")]
    return bool(suites) and (not test.file or test.file in suites or test.file in map(_folder, suites))


def _names(tests: Iterable[TestId]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one_line(test.id or test.file)[:_NAME] for test in tests))[:_KEPT]


def joined(proofs: Sequence[Proof]) -> Proof:
    """What the checks of a project show together."""

    def every(part: Callable[[Proof], tuple[str, ...]]) -> tuple[str, ...]:
        return tuple(name for one in proofs for name in part(one))[:_KEPT]

    return Proof(
        sum(one.fixed for one in proofs),
        sum(one.kept for one in proofs),
        every(lambda one: one.failing),
        every(lambda one: one.propped),
        every(lambda one: one.skipped),
        every(lambda one: one.gone),
        every(lambda one: one.idle),
        next((one.unproven for one in proofs if one.unproven), ""),
    )


def but(proof: Proof) -> tuple[str, ...]:
    """What stands against a green, a text each."""
    return tuple(_against(proof))


def _against(proof: Proof) -> Iterator[str]:
    if proof.failing:
        yield _about(
            proof.failing, "{} was edited and fails in its old form", "{} were edited and fail in their old form"
        )
    if proof.propped:
        yield _about(proof.propped, "{} fails with the fixtures of the start", "{} fail with the fixtures of the start")
    if proof.skipped:
        yield _about(proof.skipped, "{} is skipped now", "{} are skipped now")
    if proof.gone:
        many = len(proof.gone)
        yield _about(proof.gone, "1 test fewer: {}", f"{many} tests fewer: {{}}")
    if proof.unproven:
        yield f"tests not proven: {proof.unproven}"


def lost(proof: Proof) -> int:
    """How many tests stand against a green, each once."""
    return len({*proof.failing, *proof.propped, *proof.skipped, *proof.gone})


def told(proof: Proof, words: Words) -> str:
    """What was shown beside that, in one line: `3 tests red before, green now · …`; "" for nothing."""
    return " · ".join((*_shown(proof, words), *_idle(proof, words)))


def _shown(proof: Proof, words: Words) -> Iterator[str]:
    if proof.fixed:
        yield counted(words, "proof_fixed", proof.fixed)
    if proof.kept and not but(proof):
        yield counted(words, "proof_kept", proof.kept)


def _idle(proof: Proof, words: Words) -> Iterator[str]:
    if proof.idle:
        yield counted(words, "proof_idle", len(proof.idle), names=_listed(proof.idle))


def _about(names: Sequence[str], one: str, several: str) -> str:
    """What is said of them."""
    return (one if len(names) == 1 else several).format(_listed(names))


def _listed(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and 3 more`."""
    shown = [*names[:_TOLD], *([f"{len(names) - _TOLD} more"] if len(names) > _TOLD else [])]
    return " and ".join((", ".join(shown[:-1]), shown[-1])) if len(shown) > 1 else shown[0]
