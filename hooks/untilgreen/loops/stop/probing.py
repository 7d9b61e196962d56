"""A product that knows it is tested: at a green that would be called so, tests of the start run with other
expectations, beside one that must fail, and from a plain process that looks like none of tests."""

import os
import posixpath
import re
import time
from collections import Counter
from collections.abc import Collection, Generator, Mapping, Sequence
from contextlib import suppress
from functools import partial

from untilgreen.checks.elsewhere import rerun
from untilgreen.core.model.check import Check
from untilgreen.core.model.groups import Proof
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.outcome import Names, TestId
from untilgreen.core.record import NamedTuple
from untilgreen.core.trees import Entry, Tree, differing
from untilgreen.core.verdict import proof
from untilgreen.core.verdict.policy import Evidence
from untilgreen.loops.stop.on_trees import BY_FILES, Ask, Asking, OnTree, failed
from untilgreen.project.fakes import by_heart, fed, probes, shapes
from untilgreen.project.fakes.probes import CANARY, OTHER, OUTSIDE, SAME, SHIFTED
from untilgreen.project.tree.layout import below_any

_MOST = 24  # tests that are probed, of one check
_READ = 100  # files that are read to choose them
_TIMES = 6  # what the probes of a test take at most, of the time that it takes
_SECONDS, _SHARE = 2.0, 0.2  # that all of them may take, in any case and of the time of a slow suite
_FEW = 3  # tests that are probed in any case, where the suite is quick
_BEGIN = {"npm-test": 2.0, "cargo-test": 2.0}  # seconds in which a runner begins, or compiles
_CONFIGURED = re.compile(r"(?:.*/)?(?:package\.json|\.?(?:jest|vite|vitest|mocha|ava|tap)(?:rc|\.)[^/]*)")
_SOURCE = re.compile(r".*\.(?:pyi?|[cm]?[jt]sx?|vue|svelte|go|rs|json|toml|ya?ml)")


class Probing(NamedTuple):
    loop: Loop
    trees: proof.Trees
    product: tuple[str, ...]  #: its files that were changed
    kept: fed.BothTrees
    until: float  #: as in `Watch`


class ProbedTree(NamedTuple):
    tree: Tree
    asked: tuple[TestId, ...]
    about: Mapping[TestId, tuple[str, TestId]]  #: what runs to its kind, and the test that it is about


class Said(NamedTuple):
    rigged: bool  #: a test that must fail passes
    blind: tuple[TestId, ...] = ()  #: tests that pass with another expectation
    doubtful: tuple[TestId, ...] = ()  #: those of which that is not sure, as a copy of them does not pass
    outside: tuple[TestId, ...] = ()  #: those that pass under their runner alone
    shifted: tuple[TestId, ...] = ()  #: those with an answer that is right for their very numbers alone


def product(start: Tree, now: Tree, found: Evidence) -> tuple[str, ...]:
    """The files of the product that were changed; none where something stands against the green as it is."""
    if found.weakened or found.left_out:
        return ()
    return tuple(sorted(filter(_SOURCE.fullmatch, differing(start, now) - proof.of_tests({*start, *now}))))


def probed(asked: Probing, check: Check, asking: Asking, found: Evidence) -> Asking:
    """What is shown of a check, and what the probes of its tests say where nothing stands against it."""
    shown, now = (yield from asking), found.names.get(check.name)
    if not asked.product or proof.but(shown) or not now or not now.passed:
        return shown
    shown = yield from _asked_again(asked, check, now, found.took.get(check.name, 0.0), shown)
    return shown if proof.but(shown) else (yield from _by_heart(asked, check, now, shown))


def _asked_again(asked: Probing, check: Check, now: Names, took: float, shown: Proof) -> Asking:
    """What is shown, with what the probes say."""
    if time.monotonic() + took < asked.until and (gone := (yield from _unrun(asked, check, now, took))):
        return shown._replace(gone=gone)
    tree = asked.trees.as_were
    tests = candidates(asked, now, _room(check, len(now.passed), took))
    probe = made(check, tree, tests, asked.kept)
    if probe is None or time.monotonic() + took > asked.until:
        return shown
    ran = yield Ask(probe.tree, probe.asked)
    said = read(probe, ran.names)
    if said.rigged:
        return shown._replace(unproven=f"a test that must fail passes: {check.checker} could not be judged")
    blind = said.blind
    if said.doubtful and (probe := made(check, tree, said.doubtful, asked.kept, alone=True)):
        ran = yield Ask(probe.tree, probe.asked)
        blind += read(probe, ran.names).blind
    red = yield from _red_before(asked, check, blind, said.outside, said.shifted)
    return shown._replace(blind=red[0], outside=red[1], shifted=red[2])


def _red_before(asked: Probing, check: Check, *some: Sequence[TestId]) -> Generator[Ask, OnTree, list[tuple[str, ...]]]:
    """Of each kind the tests that failed at the start, by name: what was so there is nobody's doing."""
    tests = tuple(dict.fromkeys(test for kind in some for test in kind))
    then = (yield Ask(asked.trees.before, tests)) if tests else None
    red = {one._replace(id=_function(one.id)) for one in failed(check, then)} if then else set()
    red |= {one for one in tests if TestId(one.file, "") in red}
    return [tuple(one.id for one in kind if one in red) for kind in some]


def _by_heart(asked: Probing, check: Check, now: Names, shown: Proof) -> Asking:
    """What is shown, with what the product's new text knows of tests that failed at the start."""
    learned = by_heart.read(asked.kept)
    passed = {one._replace(id=_function(one.id)) for one in now.passed}
    known = {(title, place) for path, title in learned.tests for place in (path, posixpath.dirname(path))}
    tests = [one for one in sorted(passed) if known & {(one.id, one.file), (_title(one), one.file)}]
    [red] = yield from _red_before(asked, check, [one for one in tests if one.id not in shown.shifted][:_MOST])
    red += tuple(one.id for one in tests if one.id in shown.shifted)
    return shown._replace(by_heart=red, naming=learned.naming)


def _unrun(asked: Probing, check: Check, now: Names, took: float) -> Generator[Ask, OnTree, tuple[str, ...]]:
    """The tests that are defined as at the start, ran there, and do not run now."""
    start, ran = asked.kept.start, {_title(test) for test in (*now.passed, *now.failed)}
    same = [path for path in start if proof.is_suite(path) and start[path] == asked.kept.now.get(path)]
    defined = fed.defined(asked.kept, (path for path in same if below_any(path, (check.root,))))
    missing = {title: path for title, path in defined.items() if title not in ran}
    # their files alone, where those are told to the runner anyway; of a slow suite no others
    slow, there = took > rerun.QUICK, {test.file for test in (*now.passed, *now.skipped)}
    files = {path for path in missing.values() if path in there} if check.checker in BY_FILES else set()
    if not missing or (slow and not files):
        return ()
    if not slow and not files.issuperset(missing.values()):
        files = set()
    then = (yield Ask(start, tuple(TestId(path, "") for path in sorted(files)))).names or Names()
    gone = (one for one in (*then.passed, *then.failed) if _title(one) in missing)
    return tuple(dict.fromkeys(_function(one.id) for one in gone))


def _title(test: TestId) -> str:
    """The last part of a test's name."""
    return probes.title_of(_function(test.id))


def _room(check: Check, ran: int, took: float) -> float:
    """How many of the tests that ran there is time to probe."""
    took = _calm(took) if took < rerun.QUICK else took
    alone = max(0.001, took - _BEGIN.get(check.checker, 0.5))
    room = max(_SECONDS, _SHARE * took) * ran / (_TIMES * alone)
    return max(room, _FEW if alone < rerun.QUICK else 0)


def _calm(took: float) -> float:
    """The seconds of a run if nothing else ran on the machine, as far as its load tells."""
    with suppress(OSError):  # not every system tells
        return took / max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
    return took


def candidates(asked: Probing, now: Names, room: float) -> list[TestId]:
    """The tests to probe: first those that failed before in this loop, then those in files that name what of the
    product was changed. `room`: so many cases of tests."""
    tree = asked.trees.as_were
    red = {
        TestId(item.file, item.rule)
        for one in asked.loop.history.snapshots
        for item in one.items
        if item.kind == "test"
    }
    stems = {path.rpartition("/")[2].partition(".")[0] for path in asked.product}
    places: dict[str, int] = {}
    for test in now.passed:
        if test.file not in places:
            text = asked.kept.read(tree[test.file]) if test.file in tree and len(places) < _READ else b""
            words = {*re.findall(r"\w+", text.decode("utf-8", "replace"))}
            places[test.file] = 0 if stems & words or any(stem in test.file for stem in stems) else 1
    cases = Counter(test._replace(id=_function(test.id)) for test in now.passed)
    taken: list[TestId] = []
    for test in sorted(cases, key=lambda test: (test not in red, places.get(test.file, 1))):
        if cases[test] <= room and len(taken) < _MOST:
            room -= cases[test]
            taken.append(test)
    return taken


def _function(name: str) -> str:
    return name.partition("[")[0]


def made(
    check: Check, tree: Tree, tests: Sequence[TestId], kept: fed.BothTrees, *, alone: bool = False
) -> ProbedTree | None:
    """The tree with probes of these tests; None where there is nothing to ask. `alone`: no test beside them."""
    laid, about, start = dict(tree), dict[TestId, tuple[str, TestId]](), _start_of(kept)
    plain = _plain(tree, kept)
    for path in _files(check, tree, tests):
        of = {test.id: test for test in tests if test.file in (path, posixpath.dirname(path))}
        make = partial(probes.probed, plain=plain if probes.language(path) == "js" else "", start=start)
        if probes.language(path) == "py":
            from untilgreen.project.fakes import probes_python

            make = partial(probes_python.probed, start=start)
        try:
            said = make(path, kept.read(tree[path]).decode(), [*of], alone=alone)
        except (SyntaxError, ValueError, RecursionError):
            continue  # nothing is said of it
        about |= {of[name]._replace(id=new): (kind, of[name]) for new, (kind, name) in said.about.items()}
        laid[path] = tree[path]._replace(name=kept.write(said.text))
        for name, text in said.beside.items():
            place = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
            laid[place] = Entry("100644", kept.write(text.encode()))
    whole = check.checker == "npm-test"  # not all of its runners can be told a name that is new
    asked = dict.fromkeys(test._replace(id="") if whole else test for test in about)
    return ProbedTree(laid, tuple(asked), about) if about else None


def _plain(tree: Tree, kept: fed.BothTrees) -> str | None:
    """Which variables a plain process of JavaScript has not: the mode, where new code asks for it. None where its tests
    may need what is set up for them."""
    for path in filter(_CONFIGURED.fullmatch, tree):
        kinds = ("set up", "loaded", *(["given"] if kept.start.get(path) == tree[path] else []))
        if any(re.search(shapes.pattern(kind), kept.text(tree[path])) for kind in kinds):
            return None
    new = (kept.text(kept.now[path]) for path in _start_of(kept) if path in kept.now)
    return "|NODE_ENV" if any("NODE_ENV" in text for text in new) else ""


def _start_of(kept: fed.BothTrees) -> dict[str, str | None]:
    """The source of the product that was changed, as it was at the start; None where it was not there."""
    differ = differing(kept.start, kept.now) - proof.of_tests({*kept.start, *kept.now})
    paths = sorted(path for path in differ if probes.language(path))
    return {path: kept.text(kept.start[path]) if path in kept.start else None for path in paths}


def _files(check: Check, tree: Tree, tests: Sequence[TestId]) -> list[str]:
    places = {test.file for test in tests}
    folders = check.checker == "go-test"
    here = (path for path in tree if path in places or (folders and posixpath.dirname(path) in places))
    return [path for path in here if probes.language(path) and (not folders or path.endswith("_test.go"))]


def read(probe: ProbedTree, names: Names | None) -> Said:
    def of(kind: str, ends: Collection[TestId]) -> set[TestId]:
        there = {one._replace(id=_function(one.id)) for one in ends}
        return {test for one, (what, test) in probe.about.items() if what == kind and one in there}

    passed, failing = (names.passed, names.failed) if names else ((), ())
    copied = {test for kind, test in probe.about.values() if kind == SAME}
    unlike = copied - (of(SAME, passed) - of(SAME, failing))
    blind, apart = of(OTHER, passed), [(*sorted(of(kind, failing) - unlike),) for kind in (OUTSIDE, SHIFTED)]
    return Said(bool(of(CANARY, passed)), (*sorted(blind - unlike),), (*sorted(blind & unlike),), *apart)
