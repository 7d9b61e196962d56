"""Checks that ask for runs on trees that are kept: each tree is made once for all checks that ask for it by then."""

from collections.abc import Generator, Mapping, Sequence

from untilgreen.checkers import naming
from untilgreen.checks.elsewhere import rerun
from untilgreen.checks.elsewhere.laid import StartTree
from untilgreen.checks.elsewhere.materialise import KeptTree
from untilgreen.checks.plan.planning import CheckScope
from untilgreen.checks.run.checking import Watch
from untilgreen.checks.run.portions import Look
from untilgreen.core.model.check import Check
from untilgreen.core.model.groups import Proof
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.outcome import Diagnostic, Found, Names, Outcome, TestId
from untilgreen.core.record import NamedTuple
from untilgreen.core.trees import Tree, without
from untilgreen.core.verdict.policy import Evidence
from untilgreen.state import clock, snapshots
from untilgreen.state.trees import TreeStore

BY_FILES = ("pytest", "npm-test")  # runners that can be told files


class OnTree(NamedTuple):
    """What a check came to on another tree; its tests by name where it tells them."""

    outcome: Outcome
    names: Names | None
    seconds: float


class Ask(NamedTuple):
    """The run that a check waits for: its tree, and of the tests these alone, if any are named."""

    tree: Tree
    tests: tuple[TestId, ...] = ()


Asking = Generator[Ask, OnTree, Proof]


class Runner(NamedTuple):
    """What it takes to run tests on trees that are kept."""

    scope: CheckScope
    loop: Loop
    start: Tree
    objects: TreeStore
    watch: Watch

    def run(self, tree: Tree, asks: Mapping[Check, Ask]) -> dict[Check, OnTree]:
        """The checks on this tree, in one copy of it. A runner that cannot be told which tests to run runs all."""
        looks = {check.name: Look(tests=ask.tests, or_all=True) for check, ask in asks.items() if ask.tests}
        kept = on_start(self.loop, self.start, self.objects, tree)
        took = dict[str, float]()
        watch = self.watch._replace(on_outcome=lambda check, _outcome, seconds: took.update({check.name: seconds}))
        results, names = rerun.run(self.scope, tuple(asks), watch, looks, kept)
        return {one: OnTree(said, names.get(one.name), took.get(one.name, 0.0)) for one, said in results}

    def together(self, asking: Mapping[Check, Asking], trees: Sequence[Tree]) -> list[Proof]:
        """What is shown of each check, in their order. The trees are made in turn, each for all checks that ask for it
        by then, and then those that one check alone asks for."""
        asks, shown = dict[Check, Ask](), dict[Check, Proof]()

        def go_on(check: Check, ran: OnTree | None) -> None:
            try:
                asks[check] = asking[check].send(ran) if ran else next(asking[check])
            except StopIteration as end:
                shown[check] = end.value

        for check in asking:
            go_on(check, None)
        while asks:
            wanted = [ask.tree for ask in asks.values()]
            tree = next((tree for tree in trees if any(tree is one for one in wanted)), wanted[0])
            these = {check: asks.pop(check) for check, ask in [*asks.items()] if ask.tree is tree}
            for check, ran in self.run(tree, these).items():
                go_on(check, ran)
        return [shown[check] for check in asking]


def on_start(loop: Loop, start: Tree, objects: TreeStore, tree: Tree | None = None) -> KeptTree:
    """The tree of the loop's start, or another one in its place, in the one copy that stays."""
    last = loop.clock.last_iteration_at
    held = clock.milliseconds(last) / 1000 if last else 0.0
    return KeptTree(start if tree is None else tree, objects.content, StartTree(start, loop.start.start_ref, held))


def start_and_now(objects: TreeStore, loop: Loop, found: Evidence) -> tuple[Tree, Tree]:
    """The tree of the start, and that of now as it lies there, without what others wrote. Raises OSError."""
    if found.trees:
        return found.trees
    start = objects.tree(loop.start.start_ref)
    now = snapshots.as_it_lies(objects, loop.project, objects.tree(found.snapshot.ref), loop.started_at)
    return start, without(now, start, found.theirs)


def failed(check: Check, ran: OnTree) -> tuple[TestId, ...]:
    """The tests that failed; of a file that could not be loaded, that file."""
    found = ran.outcome.diagnostics if isinstance(ran.outcome, Found) else ()
    named = ran.names.failed if ran.names else ()
    return tuple(dict.fromkeys((*(_test(check, one, ran.names) for one in found), *named)))


def _test(check: Check, found: Diagnostic, names: Names | None) -> TestId:
    known = naming.name_of(found, names) if names else None
    if known is not None:
        return known
    if found.rule == "collection" and found.file:
        return TestId(found.file, "")
    by_exit_code = not found.rule or (not found.file and found.rule.startswith("exit-"))
    return TestId("", check.name) if by_exit_code else TestId(found.file, found.rule)
