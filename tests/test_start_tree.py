"""Checks of another tree of the project: it is that tree which is tested, and the work tree stays as it is."""

import hashlib
import os
import time
from collections.abc import Mapping
from typing import Any

import trees
from untilgreen.checks import planning, start_tree
from untilgreen.checks.planning import CheckScope
from untilgreen.core.model.outcome import Broken, Clean, Found, Outcome
from untilgreen.core.model.settings import Criteria, Settings
from untilgreen.core.model.tree import Entry
from untilgreen.project import worktree
from world import World

Files = Mapping[str, str | bytes]
LINK = "-> "  # what a link says stands behind it


TESTS_PASS = Criteria(test_pass=True)


class Kept:
    """A tree of these files, and what its objects hold."""

    def __init__(self, files: Files) -> None:
        self.objects: dict[str, bytes] = {}
        self.tree = {path: self._entry(path, text) for path, text in files.items()}

    def _entry(self, path: str, text: str | bytes) -> Entry:
        data = text.encode() if isinstance(text, str) else text
        mode = "120000" if data.startswith(LINK.encode()) else "100755" if path.startswith("bin/") else "100644"
        data = data.removeprefix(LINK.encode())
        name = hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
        self.objects[name] = data
        return Entry(mode, name)

    def read(self, entry: Entry) -> bytes:
        return self.objects[entry.name]


def at(world: World, files: Files, criteria: Criteria = TESTS_PASS, **more: Any) -> dict[str, Outcome]:
    """What the checks of the project as it is say of these files."""
    scope = CheckScope(str(world.project), Settings(), criteria, world.env, trusted=True, begins=True)
    planned = planning.plan(scope, worktree.files(scope.root))
    kept = Kept(files)
    until = more.pop("until", time.monotonic() + 240)
    results = start_tree.check_at(scope, planned, kept.tree, kept.read, until, **more)
    return {check.name: outcome for check, outcome in results}


def said(outcome: Outcome) -> str:
    """An outcome as one line: how many tests ran, and which failed."""
    if isinstance(outcome, Broken):
        return f"broken: {outcome.reason}"
    assert isinstance(outcome, Clean | Found), outcome
    failing = [f"{one.file} {one.rule}" for one in outcome.diagnostics] if isinstance(outcome, Found) else []
    return ", ".join([f"{outcome.tests.run if outcome.tests else 0} ran", *failing])


SHOP = {"shop.py": "def total(prices):\n    return sum(prices)\n"}
TESTS = {"test_shop.py": "import shop\n\n\ndef test_total():\n    assert shop.total([1, 2]) == 3\n"}
WRONG = {"shop.py": "def total(prices):\n    return 0\n"}


def test_another_tree_is_tested_and_the_work_tree_is_untouched(world: World) -> None:
    world.write(SHOP | TESTS)
    world.commit()
    before = trees.tree(world.project)
    assert said(at(world, WRONG | TESTS)["pytest"]) == "1 ran, test_shop.py test_total"
    assert said(at(world, SHOP | TESTS | {"test_more.py": "def test_more():\n    pass\n"})["pytest"]) == "2 ran"
    assert (trees.tree(world.project), os.listdir(world.tmp)) == (before, [])
