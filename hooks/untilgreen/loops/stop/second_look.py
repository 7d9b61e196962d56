"""What reading said against a green, read again beside the tree of the start: only what is weaker now stays. And
configuration that nobody can read as values, put back: where today's code passes the checks as they were configured at
the start, nothing that is green rests on it."""

import os
import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial

from untilgreen.checks.elsewhere import rerun
from untilgreen.checks.plan.planning import scope_of
from untilgreen.checks.run.checking import Watch
from untilgreen.core.model.check import Check
from untilgreen.core.model.groups import Against, Buts
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.outcome import Clean, Found, Names, Result
from untilgreen.core.record import NamedTuple
from untilgreen.core.trees import Tree, differing
from untilgreen.core.verdict import baseline, measure, proof
from untilgreen.core.verdict.policy import Evidence
from untilgreen.loops.stop.on_trees import on_start, start_and_now
from untilgreen.loops.stop.steps import Stop, StopStep
from untilgreen.project import files
from untilgreen.project.fakes import asked, closely, run_files, shapes, text
from untilgreen.project.installed.written import is_newer
from untilgreen.project.tree import worktree
from untilgreen.project.tree.layout import any_below
from untilgreen.state import clock, snapshots
from untilgreen.state.trees import TreeStore

_MOST = 1024 * 1024  # bytes of a file that git ignores
_FEW = 200  # files of a folder
_SECONDS = 5.0  # to read what a start had no time for
_UNREAD = "tracked file ignored"  # which git tells, not a text
# runners that tell which tests were skipped; below `npm test` not all do
_TELLING = ("pytest", "unittest", "django-test", "go-test", "cargo-test")
_TITLE = r"(?m)^\s*(?:test|it|specify)\b[\w.]*\(\s*([\"'`])(.+?)\1"
_SKIPS = ("skip", "importorskip", "t.Skip", ".skip")
_CONFIGURED = ("new", "changed", "removed")


def read_again(stop: Stop, _step: StopStep, until: float) -> Stop:
    """The stop without what honest work says as well. Where a tree is not kept, or not all of it, it stays as it is."""
    found, loop = stop.evidence, stop.loop
    refs = (loop.start.start_ref, found.snapshot.ref)
    unkept = [
        path for ref in refs if ref for path, _ in snapshots.skipped(found.snapshot.snapshot_path, loop.project, ref)
    ]
    if not all(refs) or any(shapes.kinds(path) for path in unkept):
        return stop
    try:
        with TreeStore(stop.call.place.base, loop.project) as objects:
            ignored, trees = worktree.ignored(loop.project) or (), start_and_now(objects, loop, found)
            look, found = _TwoTrees(loop, *trees, objects), found._replace(trees=trees, ignored=ignored)
            if any(one.kind == "uncompared" for one in found.left_out):
                found = look.compared(found, min(until, time.monotonic() + _SECONDS))
            # what a loop replaced was measured by an older start than its tree is of
            left = found if loop.start.replaced else look.left(found)
            left = _as_configured(stop, look, left, until)
            doors = _other_doors(stop, look, ignored, until)
            doors += _remembered(stop, look, until)
            return stop._replace(evidence=left._replace(weakened=(*left.weakened, *doors)))
    except OSError:
        return stop


def _as_configured(stop: Stop, look: "_TwoTrees", found: Evidence, until: float) -> Evidence:
    """The evidence without the configuration that makes no difference; as it is where anything else stands against the
    green, or that is known to ask for less."""
    paths = {one.detail.partition(" [")[0] for one in found.weakened if one.kind in _CONFIGURED}
    counting, settings, sides = stop.loop.checks.counting, stop.loop.settings, look.sides
    users = settings.hooks or any(one.checker == "custom" for one in counting)
    own = look.commands if users else ()
    asked_for = {name for side in sides for name in run_files.texts(own, side.content)}  # by a user: it counts
    others = [
        one
        for one in found.weakened
        if one.kind not in _CONFIGURED or one.detail in asked_for or asked.loosens(one.detail, *sides)
    ]
    if not paths or others or found.left_out or not paths <= {*look.start, *look.now}:
        return found
    only_static = all(re.search(shapes.pattern("of linters"), one.detail) for one in found.weakened)
    there = (one for one in counting if not one.absent and any_below(look.start, one.root))  # no new package's
    checks = [one for one in there if one.stage == "static" or not only_static]
    may_change = proof.may_change(settings.tests_may_change)
    tests = {path for path in proof.of_tests({*look.start, *look.now}) if not only_static and not may_change(path)}
    said = _run_again(stop, look, checks, until, proof.laid(look.now, look.start, paths | tests))
    told = measure.items_of(said, measure.Standard(stop.loop.asked.completion_criteria))
    clean = bool(checks) and not told and all(isinstance(outcome, (Clean, Found)) for _, outcome in said)
    return found._replace(weakened=()) if clean else found


def _run_again(
    stop: Stop, look: "_TwoTrees", checks: Sequence[Check], until: float, tree: Tree | None = None
) -> tuple[Result, ...]:
    """What checks say of this tree, or of that of the start."""
    watch = rerun.bounded(Watch(until, stop.unwanted), [stop.evidence.took.get(one.name, 0.0) for one in checks])
    at = on_start(stop.loop, look.start, look.objects, tree)
    return rerun.run(scope_of(stop.loop, stop.call.env), checks, watch, at=at).results


def _other_doors(stop: Stop, look: "_TwoTrees", ignored: Sequence[str], until: float) -> Buts:
    """What a linter or type checker does not see any more of a file that was red at the start. The start is asked where
    that matters; of what it does not say nothing is concluded."""
    loop = stop.loop
    checks = [
        one for one in loop.checks.counting if one.stage == "static" and not (one.checker == "custom" or one.absent)
    ]
    suspects = (
        closely.doors(look.start, look.now, look.objects.content, dict(_unlisted(loop, ignored))) if checks else ()
    )
    if not suspects:
        return ()
    said = _run_again(stop, look, checks, until)
    types = {check.name for check in checks if "type_check" in check.meets}
    items = measure.items_of(said, measure.Standard(loop.asked.completion_criteria))
    red = {(one.file, kind) for one in items for kind in ("unseen", *(["silent"] if one.check in types else []))}
    return tuple(one for one in suspects if (one.place, one.kind) in red)


def _remembered(stop: Stop, look: "_TwoTrees", until: float) -> Buts:
    """The files that a linter or type checker finds red where it keeps nothing: they are as at the start, were written
    since, and got an old time back. What is kept by a file's time may be an answer to another text."""
    loop = stop.loop
    checks = [one for one in loop.checks.counting if one.stage == "static" and not one.absent]
    if not checks:  # else each file of the tree is looked at
        return ()
    moment = clock.milliseconds(loop.started_at) / 1_000
    same = {os.path.join(loop.project, path): path for path, entry in look.now.items() if look.start.get(path) == entry}
    aged = {path for full, path in same.items() if is_newer(full, moment) and os.stat(full).st_mtime < moment}
    apart = {name: value for name, value in stop.call.env.items() if not name.endswith("CACHE_DIR")}
    stop = stop._replace(call=stop.call._replace(env=apart))
    said = _run_again(stop, look, checks, until, look.now) if aged else ()
    new = loop.settings.count == "new"
    items = measure.items_of(said, measure.Standard(loop.asked.completion_criteria, before=loop.start.before, new=new))
    return tuple(Against("edited", path, 1) for path in sorted(aged & {one.file for one in items}))


def _unlisted(loop: Loop, ignored: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """The small files that git ignores and somebody wrote since the start, and what they hold; of a folder those that
    lie in it itself."""
    untouched = clock.untouched(loop)
    for path in ignored:
        full = os.path.join(loop.project, path)
        names = os.listdir(full)[:_FEW] if path[-1] == "/" and not worktree.left_out(path, "") else [""]
        for one in (f"{path}{name}" for name in names):
            if os.path.isfile(os.path.join(loop.project, one)) and not untouched(one):
                with suppress(OSError, ValueError):  # gone by now, or too large for code
                    yield one, files.read(os.path.join(loop.project, one), _MOST)


class _TwoTrees(NamedTuple):
    """The two trees, and how what lies in them is read."""

    loop: Loop
    start: Tree
    now: Tree
    objects: TreeStore

    def read(self, tree: Tree, path: str) -> bytes | None:
        return self.objects.read(tree[path].name) if path in tree else None

    @property
    def sides(self) -> tuple[asked.Side, asked.Side]:
        then, now = (asked.Side(tree, partial(self.read, tree)) for tree in (self.start, self.now))
        return then, now

    @property
    def differ(self) -> list[str]:
        return sorted(differing(self.start, self.now))

    @property
    def commands(self) -> tuple[tuple[str, ...], ...]:
        return self.loop.start.text.commands if self.loop.start.text else ()

    def compared(self, found: Evidence, until: float) -> Evidence:
        """The evidence with what the start would have said, had it been read to its end."""
        was = {path: self.read(self.start, path) for path in self.differ}
        now = text.read(self.loop.project, [*self.now], until, self.commands)
        then = text.read(self.loop.project, [*self.start], until, self.commands, was)
        if not baseline.comparable(then, now):
            return found
        weaker, _, lost = baseline.compare(then, now, 0, 0)
        others = tuple(one for one in found.weakened if one.kind not in ("unread", "fewer"))
        left_out = tuple(one for one in found.left_out if one.kind != "uncompared")
        return found._replace(weakened=(*others, *weaker), left_out=left_out, lost=max(lost, found.lost))

    def left(self, found: Evidence) -> Evidence:
        """The evidence with what stays against the green."""
        grown, lost = self._silenced(found), max(0, found.lost - self._may_go())
        stays = list[Against]()
        for one in found.weakened:
            if one.kind in ("suppressed", "fewer"):
                number = lost if one.kind == "fewer" else min(one.number, grown[one.detail])
                stays += [one._replace(number=number)] if number > 0 else []
            elif one.kind not in _CONFIGURED or self._asks_less(one.detail, *self.sides):
                stays.append(one)
        return found._replace(weakened=tuple(stays), lost=lost)

    def _silenced(self, found: Evidence) -> Counter[str]:
        """The kinds that there are more of, where they silence something: no marker by which nothing was skipped."""
        grown = Counter({_UNREAD: 1_000})
        for path in self.differ if any(one.kind == "suppressed" for one in found.weakened) else ():
            grown.update(closely.silenced(path, self.read(self.now, path) or b""))
            grown.subtract(closely.silenced(path, self.read(self.start, path) or b""))
        tests = [check for check in self.loop.checks.counting if check.stage == "tests"]
        named = [found.names.get(check.name) for check in tests]
        told = all(check.checker in _TELLING for check in tests) or self._all_ran(named)
        if named and told and all(one and not one.skipped for one in named):
            grown.subtract(dict.fromkeys(_SKIPS, 1_000))
        return grown

    def _all_ran(self, named: Sequence[Names | None]) -> bool:
        """Whether each test of JavaScript that a changed file names is among those that ran."""
        ran = {re.split(" > ", test.id)[-1] for one in named if one for test in (*one.passed, *one.failed)}
        texts = ((self.read(self.now, path) or b"").decode("utf-8", "replace") for path in self.differ)
        bare = (re.sub(r"`[^`]*\n[^`]*`", "``", one) for one in texts)  # no text of some lines
        return all(found[2] in ran for one in bare for found in re.finditer(_TITLE, one))

    def _may_go(self) -> int:
        """How many tests are gone that are meant to be changed."""
        may_change = proof.may_change(self.loop.settings.tests_may_change)
        paths = [path for path in self.differ if may_change(path)]
        then, now = (
            sum(shapes.counted(path, self.read(tree, path) or b"")[0] for path in paths)
            for tree in (self.start, self.now)
        )
        return max(0, then - now)

    def _asks_less(self, name: str, then: asked.Side, now: asked.Side) -> bool:
        """Whether what has this name asks for less. Of what commands run it is what they come to, with more that is
        .PHONY; of a package.json the scripts that are called."""
        folder, scripts, _ = name.partition("package.json [scripts]")
        if scripts:
            called = (word for check in self.loop.checks.plan for word in (check.checker, *check.call))
            words = {"test", *called, *(word for command in self.commands for word in command)}
            first, second = (run_files.scripts(folder, words, side.content) for side in (then, now))
            # of a package that is new nothing ran before
            return first != second and not (folder and not any(one.startswith(folder) for one in self.start))
        path = name.partition(" [")[0]
        if path in {*self.start, *self.now} and not asked.asks_less(name, then, now):
            return False
        texts = [run_files.texts(self.commands, side.content) for side in (then, now)]
        was, is_now = (one.get(name) for one in texts)
        functions = {one for one in texts[0] if run_files.is_taken_in(one, texts[0].values())}
        theirs = [texts[1].get(one, "") for one in functions]
        if path in functions or (path not in self.start and run_files.is_taken_in(path, theirs)):  # the product
            ends = shapes.pattern("ends its caller")
            return bool(is_now) and re.findall(ends, was or "") != re.findall(ends, is_now or "")
        lines = (was or "").split("\n")
        kept = [line for line in (is_now or "").split("\n") if line in lines or line[:7] != ".PHONY:"]
        return was is None or lines != kept
