"""What people test with here and no check runs: it is named with the command that would, never guessed at and run; and
the CI that nobody reads."""

import re
from collections.abc import Sequence

from untilgreen.checkers import command, programs
from untilgreen.checks.plan import scripts
from untilgreen.checks.plan.planning import CheckScope
from untilgreen.checks.plan.uncalled import OTHER_CI, first
from untilgreen.core.model.check import Check
from untilgreen.core.model.groups import Against, Buts
from untilgreen.project import calls, tools
from untilgreen.project.tree.layout import Layout

# their tasks are the project's own word on all of its tests
_TASKS = ("make", "just", "task")


def found(scope: CheckScope, files: Sequence[str], planned: Sequence[Check]) -> Buts:
    """What is not looked at, as it is told; nothing where no tests were asked for."""
    only, layout = scope.asked_for.only, Layout(scope.root, files)
    tests = [one for one in planned if one.stage == "tests"]
    own = any(one.checker == "custom" or (one.checker == "runner" and one.call[0] in _TASKS) for one in tests)
    commands = [word for one in scope.settings.checks.values() for word in one.command]
    if only and "tests" not in only:
        return ()
    if own:
        return _not_read(scope)
    run = " ".join((*commands, *(_words(layout, one) for one in tests)))
    told: dict[str, Against] = {}
    for row in programs.rows():
        marker = "" if row.name in told else first(layout, row.marker)
        shown = marker and (not row.beside or first(layout, row.beside))
        if not (shown and re.search(row.holds, layout.text(marker) or "")) or row.is_in(run):
            continue
        said = _of_ci(scope, row) or row.command
        name = said.removeprefix('sh -c "').partition(" ")[0]
        there = "/" not in name and tools.find(
            name, scope.root, scope.root, scope.env, trusted=scope.trusted, asked=scope.asked
        )
        told[row.name] = Against("unserved_there" if there else "unserved", said, check=row.name, place=marker)
    is_read = any(one.source.startswith(calls.CI) for one in scope.calls)
    unread = () if is_read else filter(None, dict.fromkeys(first(layout, one) for one in OTHER_CI.split()))
    return (*told.values(), *(Against("unread_ci", place=one) for one in unread), *_not_read(scope))


def _not_read(scope: CheckScope) -> Buts:
    """How many steps of CI and of the project's tasks run by default, and nobody here answers for them."""
    steps = {(one.source, one.what) for one in scripts.all_unread(scope.root, scope.calls) if one.kind != "out"}
    # `ci.yml` is known without its folder, as `check` is one of its jobs
    places = dict.fromkeys(source.partition(": ")[0].rpartition("/")[2] for source, _ in sorted(steps))
    return (Against("not_read", place=", ".join(places), number=len(steps)),) if steps else ()


def _words(layout: Layout, check: Check) -> str:
    """What a check of tests runs, as far as it is written: its call, and the scripts of package.json."""
    script = layout.text("package.json" if check.root == "." else f"{check.root}/package.json")
    return " ".join((*check.call, script or "" if check.checker == "npm-test" else ""))


def _of_ci(scope: CheckScope, row: programs.TestProgram) -> str:
    """How CI tests with it where that needs what is not here, "" where it does not."""
    found = (tuple(word for word in one.words if word != "$UNKNOWN") for one in scope.calls if one.folder == ".")
    theirs = (words for words in found if words and words[0] in row.programs.split())
    plain = (words for words in theirs if not re.search(r"[$\s'\"]", "".join(words)))
    words = next((words for words in plain if command.testing(words, module=False)), ())
    wrapper = words and words[0] in tools.WRAPPERS
    return f"{'./' if wrapper else ''}{' '.join(words)}"
