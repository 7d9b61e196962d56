"""Which checks a project has, and where: each root of each checker, with the tool that will run there."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence

from untilgreen import checkers
from untilgreen.checkers.checker import Checker
from untilgreen.core import languages
from untilgreen.core.model.check import Absent, Check
from untilgreen.core.model.settings import Criteria
from untilgreen.project.layout import Layout, below_any, python_roots
from untilgreen.project.tools import Tool

Find = Callable[[str, str], Tool | None]


def built_in(
    project: str,
    files: Sequence[str],
    criteria: Criteria,
    find: Find,
    *,
    near: Iterable[str] = (),
    trusted: bool = True,
    places: Mapping[str, str] = {},
) -> tuple[Check, ...]:
    """The checks that apply, in the order of the checkers, the project root before others.

    `files` and `near` (changed and target files, above which roots may lie deeper than two levels) are posix
    paths relative to the project. `find(tool, root)` gets the root as an absolute path. A check whose tool is
    not there has `absent`. `interpreter` is set whenever imports can be resolved, also for a tool that lives
    in the project's environment. Not trusted, only harmless checkers run: the others execute what they find. `places`:
    the one root that the user gave to a checker.
    """
    layout = Layout(project, files, near)
    tests = criteria.test_pass or criteria.preserve
    wanted = [(one, root) for one in checkers.candidates(layout, tests=tests) for root in one.roots(layout, criteria)]
    wanted += _asked(layout, criteria, [checker for checker, _ in wanted])
    placed = dict.fromkeys((checker.name, places.get(checker.name, root)) for checker, root in wanted)
    order = {name: number for number, name in enumerate(checkers.NAMES)}
    checks = [
        check_of(checkers.get(name), root, layout, find, trusted)
        for name, root in sorted(placed, key=lambda one: order[one[0]])
    ]
    if criteria.type_check or criteria.build_success:
        return tuple(checks)  # then what is covered was asked for by itself
    covered = {(checkers.get(check.checker).covers, check.root) for check in checks if check.tool}
    return tuple(check for check in checks if (check.checker, check.root) not in covered)


def _asked(layout: Layout, criteria: Criteria, applying: Sequence[Checker]) -> list[tuple[Checker, str]]:
    """What a criterion that is asked for by name runs where nothing in the project says what to run."""
    found = []
    if criteria.type_check and not any(one.python and "type_check" in one.serves for one in applying):
        found += [(checkers.get("mypy"), root) for root in python_roots(layout)]
    others = any(map(layout.has, ("package.json", "go.mod", "Cargo.toml"))) and not layout.ending(".py")
    if criteria.test_pass and not others and not any("test_pass" in one.serves for one in applying):
        found.append((checkers.get("pytest"), "."))
    return found


def check_of(checker: Checker, root: str, layout: Layout, find: Find, trusted: bool) -> Check:
    """One check of one root, with the tool that is there for it."""
    check = Check(
        name=checker.name if root == "." else f"{checker.name}@{root}",
        checker=checker.name,
        root=root,
        stage=checker.stage,
        tool="",
        meets=checker.serves,
    )
    if not (checker.harmless or trusted):
        return check._replace(absent=Absent("untrusted", checker.name))
    folder = os.path.normpath(os.path.join(layout.project, root))
    programs = checker.programs or (checker.name,)
    tool = next((found for name in programs if (found := find(name, folder))), None)
    if tool is None:
        lacking = checker.name if checker.name in programs else programs[0]
        return check._replace(absent=Absent("missing", lacking))
    interpreter = tool.interpreter if checker.python else ""
    return check._replace(tool=tool.path, interpreter=interpreter, variant=checker.variant(layout, root))


def files_of(check: Check, planned: Sequence[Check], files: Sequence[str]) -> tuple[str, ...]:
    """The files that a check is for, relative to its root: a file below another root of the same
    checker belongs to that root."""
    patterns = checkers.get(check.checker).patterns
    nested = [one.root for one in planned if one.checker == check.checker and one.root != check.root]
    apart = [root for root in nested if below_any(root, (check.root,))]
    inside = (path for path in files if below_any(path, (check.root,)) and not below_any(path, apart))
    theirs = inside if check.root == "." else (path.removeprefix(f"{check.root}/") for path in inside)
    return tuple(path for path in theirs if languages.fits(path, patterns))
