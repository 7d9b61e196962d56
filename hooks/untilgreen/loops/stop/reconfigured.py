"""Configuration that nobody can read as values, put back: does today's code pass the checks as they were configured at
the start? Then nothing that is green rests on it."""

import re
from functools import partial

from untilgreen.checks.elsewhere import rerun
from untilgreen.checks.plan.planning import scope_of
from untilgreen.checks.run.checking import Watch
from untilgreen.core.model.outcome import Clean
from untilgreen.core.trees import Tree
from untilgreen.core.verdict import proof
from untilgreen.core.verdict.policy import Evidence
from untilgreen.loops.stop.on_trees import on_start
from untilgreen.loops.stop.steps import Stop
from untilgreen.project.fakes import asked, run_files, shapes
from untilgreen.state.trees import TreeStore

_CONFIGURED = ("new", "changed", "removed")


def settled(stop: Stop, found: Evidence, trees: tuple[Tree, Tree], objects: TreeStore, until: float) -> Evidence:
    """The evidence without the configuration that makes no difference; as it is where anything else stands against the
    green, or that is known to ask for less. `trees`: of the start, and of now."""
    start, now = trees
    read = [asked.Side(tree, partial(_read, objects, tree)) for tree in trees]
    paths = {one.detail.partition(" [")[0] for one in found.weakened if one.kind in _CONFIGURED}
    text, counting = stop.loop.start.text, stop.loop.checks.counting
    users = stop.loop.settings.hooks or any(one.checker == "custom" for one in counting)
    own = text.commands if text and users else ()
    asked_for = {name for side in read for name in run_files.texts(own, side.content)}  # by a user: it counts
    others = [
        one
        for one in found.weakened
        if one.kind not in _CONFIGURED or one.detail in asked_for or asked.loosens(one.detail, *read)
    ]
    if not paths or others or found.left_out or not paths <= {*start, *now}:
        return found
    only_static = all(re.search(shapes.pattern("of linters"), one.detail) for one in found.weakened)
    checks = [one for one in counting if not one.absent and (one.stage == "static" or not only_static)]
    may_change = proof.may_change(stop.loop.settings.tests_may_change)
    tests = {path for path in proof.of_tests({*start, *now}) if not only_static and not may_change(path)}
    tree = proof.laid(now, start, paths | tests)
    watch = rerun.bounded(Watch(until, stop.unwanted), [found.took.get(one.name, 0.0) for one in checks])
    ran = rerun.run(scope_of(stop.loop, stop.call.env), checks, watch, at=on_start(stop.loop, start, objects, tree))
    clean = bool(checks) and all(isinstance(outcome, Clean) for _, outcome in ran.results)
    return found._replace(weakened=()) if clean else found


def _read(objects: TreeStore, tree: Tree, path: str) -> bytes | None:
    return objects.read(tree[path].name) if path in tree else None
