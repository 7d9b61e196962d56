"""Which checks a project has, and where: each root of each checker, with the tool that will run there."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from untilgreen import checkers
from untilgreen.checkers.checker import OFF, Checker, taken
from untilgreen.checks.plan.called import check_without_tool, of_checker
from untilgreen.core.model.check import ENGINES, HOOK_FILES, Absent, Check, OwnCall
from untilgreen.core.model.settings import Criteria
from untilgreen.project.tools import Tool, in_folder
from untilgreen.project.tree.layout import Layout, any_below, below_any, python_roots

# the kinds of checks that green asks for, by the criterion that they serve
KINDS = {
    "lint_clean": "lint",
    "type_check": "types",
    "test_pass": "tests",
    "build_success": "build",
    "zero_security": "lint",
}
_PYTHONS = ("pytest", "unittest", "django-test")
_CARGO = ("cargo-build", "cargo-test", "cargo-clippy")  # each compiles what it is called for
_PROGRAMS = {"python": ("python3", "python")}  # the files of a program that a call names
Find = Callable[[str, str], Tool | None]


def built_in(
    layout: Layout,
    criteria: Criteria,
    find: Find,
    *,
    trusted: bool = True,
    places: Mapping[str, str] = {},
    calls: Sequence[OwnCall] = (),
) -> tuple[Check, ...]:
    """The checks that apply, in the order of the checkers, the project root before others.

    `find(tool, root)` gets the root as an absolute path. A check whose tool is not there has `absent`. `interpreter` is
    set whenever imports can be resolved, also for a tool that lives in the project's environment. Not trusted, only
    harmless checkers run: the others execute what they find. `places`: the one root that the user gave to a checker.
    `calls`: how the project calls its tools.
    """
    wanted = [] if criteria.green and not named(criteria) else _applying(layout, criteria)
    if criteria.green:
        chosen = _chosen(layout, criteria, calls)
        known = {(one.checker, one.root) for one in chosen if one.chosen}
        wanted = [one for one in wanted if (one.checker, one.root) not in known]
        theirs = {(one.checker, one.root) for one in wanted}
        wanted = [*(one for one in chosen if (one.checker, one.root) not in theirs), *wanted]
    if criteria.build_success:
        from untilgreen.checks.plan import builds

        builder = checkers.get("builder")
        known = {(one.name, one.root) for one in wanted}  # by a call of the project's that is a check anyway
        built = (check_without_tool(builder, one.folder, one) for one in builds.wanted(layout, calls))
        wanted += [one for one in built if (one.name, one.root) not in known]
    placed = dict.fromkeys(one._replace(root=places.get(one.checker, one.root)) for one in wanted)
    made = [(one, with_tool(one, layout, find, trusted)) for one in _named_apart(placed)]
    # what nobody chose is never missing
    checks = [check for one, check in made if one.chosen or not check.absent]
    if criteria.type_check:
        return tuple(checks)  # then what is covered was asked for by itself
    covered = {(checkers.get(check.checker).covers, check.root) for check in checks if check.tool}
    return tuple(one for one in checks if (one.checker, one.root) not in covered or (one.source and one.call))


def _named_apart(wanted: Iterable[Check]) -> Iterator[Check]:
    """The checks in the order of the checkers, each with a name of its own."""
    numbers: dict[tuple[str, str], int] = {}
    for one in sorted(wanted, key=lambda one: checkers.NAMES.index(one.checker)):
        number = numbers[one.name, one.root] = numbers.get((one.name, one.root), 0) + 1
        name = one.name if number == 1 else f"{one.name}-{number}"
        yield one._replace(name=name if one.root == "." else f"{name}@{one.root}")


def named(criteria: Criteria) -> bool:
    """Whether a criterion that has checks of its own was asked for by name."""
    others = ("green", "custom", "no_tool_errors")
    return any(on is True for name, on in criteria._asdict().items() if name not in others)


def _applying(layout: Layout, criteria: Criteria) -> list[Check]:
    """What criteria asked for by name run, also where nothing in the project says what: their tools become chosen."""
    tests = criteria.test_pass or criteria.preserve
    wanted = [(one, root) for one in checkers.candidates(layout, tests=tests) for root in one.roots(layout, criteria)]
    types = any(one.python and "type_check" in one.serves for one, _ in wanted)
    tested = any("test_pass" in one.serves for one, _ in wanted)
    if criteria.type_check and not types:
        wanted += [(checkers.get("mypy"), root) for root in python_roots(layout)]
    others = any(map(layout.has, ("package.json", "go.mod", "Cargo.toml"))) and not layout.ending(".py")
    if criteria.test_pass and not others and not tested:
        wanted.append((checkers.get("pytest"), "."))
    asked = ((one, root) for one, root in wanted if not criteria.green or _is_asked(one, criteria))
    return [check_without_tool(checker, root) for checker, root in asked]


def _is_asked(checker: Checker, criteria: Criteria) -> bool:
    """Whether a criterion that was asked for by name, beside green, is about this checker."""
    if checker.stage == "tests":
        return criteria.test_pass or criteria.preserve
    everything = criteria.zero_errors or criteria.zero_warnings or criteria.preserve
    return everything or any(getattr(criteria, name) for name in checker.serves)


def _chosen(layout: Layout, criteria: Criteria, calls: Sequence[OwnCall]) -> list[Check]:
    """The linters, type checkers, tests and builds that the project configures, depends on or calls."""
    tests = not criteria.only or "tests" in criteria.only
    known = checkers.candidates(layout, tests=tests, called=programs(calls))
    kept = [one for one in known if not criteria.only or one.serves_by or kind_of(one.serves) in criteria.only]
    found = [one for checker in kept for one in wanted(checker, layout, criteria, calls)]
    theirs = [one for one in calls if not one.source.startswith(HOOK_FILES)]
    if any(taken(checker, call) is not None for call in theirs for checker in known):
        found = [_only_configured(layout, one) for one in found]
    found = [one for one in found if not criteria.only or kind_of(one.meets) in criteria.only]
    before = (one._replace(words=one.words[1:]) for one in calls if one.words[0] == "builder" and one.caller == "tests")
    built = (check_without_tool(checkers.get("builder"), one.folder, one) for one in before if tests)
    return [*_as_called(layout, calls, found), *built]


def _only_configured(layout: Layout, one: Check) -> Check:
    """The check; where CI and tasks name the checks a tool that is only configured is not missing where it is not
    there."""
    called = one.source or one.stage != "static" or _depends(layout, checkers.get(one.checker), one.root)
    return one if called or not one.chosen else one._replace(absent=Absent("apart", ""))


def programs(calls: Sequence[OwnCall]) -> set[str]:
    """The names by which a checker may be among these calls."""
    names = {name for call in calls for name in ("-".join(call.words[:2]), call.words[0])}
    return names - {"builder"}  # what builds is asked for by a criterion of its own


def wanted(checker: Checker, layout: Layout, criteria: Criteria, calls: Sequence[OwnCall]) -> list[Check]:
    """Where the project chose this checker, as it calls it; and where nobody did, but it looks all the same: as it
    would by itself where a criterion by name is about it."""
    found: list[Check] = []
    called = of_checker(checker, calls)
    below, top = (called and _is_called_elsewhere(checker, calls, root) for root in ("", "."))
    applies = list(checker.roots(layout, criteria))
    own = applies if checker.chosen_by is None else list(checker.chosen_by(layout, criteria))
    # of a test runner that is only named there may be no tests yet
    by_name = not checker.configured and checker.stage != "tests"
    depends = ["."] if by_name and _depends(layout, checker, ".") else []
    for root in dict.fromkeys((*applies, *own, *called, *depends)):
        named_there = not checker.configured and _depends(layout, checker, root)
        chosen = root in own or root in called or (named_there and checker.variant(layout, root) != OFF)
        if chosen and root not in called and (top if root == "." else below):
            continue
        if chosen and layout.has_any(checker.files.patterns or ("*",)):
            found += called.get(root) or [check_without_tool(checker, root)]
        elif checker.ours.unchosen:
            found.append(check_without_tool(checker, root, chosen=_is_asked(checker, criteria)))
    return found


def _is_called_elsewhere(checker: Checker, calls: Sequence[OwnCall], root: str) -> bool:
    """Whether the project's calls, all known to their ends, say where this checker runs. What a package runs before its
    own tests does not; for the top as `root` CI's calls in packages do, where CI does not build the top."""
    theirs = [one for one in calls if taken(checker, one) is not None and not one.source.startswith(HOOK_FILES)]
    builds = any(one.caller == "ci" and one.folder == root and one.script.startswith("build") for one in calls)
    below = ("ci",) if root == "." and checker.stage == "static" and not builds else ()
    own = (one.caller in below or one.source[:4] == ".git" or "/" not in one.source.partition(":")[0] for one in theirs)
    return any(own) and all(one.whole for one in theirs)


def left_out(layout: Layout, criteria: Criteria, calls: Sequence[OwnCall]) -> list[tuple[str, str]]:
    """The checks that the project configures where none of its calls of that tool comes to, and why they are out."""
    found = []
    for checker in checkers.candidates(layout, tests=True, called=programs(calls)):
        called = of_checker(checker, calls)
        own = (checker.chosen_by or checker.roots)(layout, criteria) if called else ()
        apart = [one for one in own if one not in called and _is_called_elsewhere(checker, calls, one)]
        names = [checker.name if root == "." else f"{checker.name}@{root}" for root in apart]
        found += [(name, f"out: CI or a task calls {checker.name} elsewhere") for name in names]
    return found


def _as_called(layout: Layout, calls: Sequence[OwnCall], found: list[Check]) -> list[Check]:
    """Without what is our own idea where the project says how it does the same: those runners of Python's tests that it
    neither calls nor configures, where it calls another; and a check of whether Rust compiles. Where Go's tests are
    called and go vet is not, it runs there alone, and for what does not compile."""
    if vets := [one for one in found if one.checker == "go-vet" and not one.source]:
        tested, elsewhere = of_checker(tests := checkers.get("go-test"), calls), _is_called_elsewhere(tests, calls, "")
        found = [one for one in found if one not in vets or one.root in tested or not elsewhere]
        found = [one._replace(chosen=False) if one in vets and one.root in tested else one for one in found]
    if ours := [one for one in found if one.checker == "cargo-check" and not one.source]:  # cargo's are loaded then
        compiled = {one.root for one in found if one.source and one.checker.startswith("cargo-")}
        cargo = (one for one in map(checkers.get, _CARGO) if of_checker(one, calls))
        elsewhere = any(_is_called_elsewhere(one, calls, "") for one in cargo)
        found = [one for one in found if one not in ours or not (elsewhere or one.root in compiled)]
    for engine in (one.folder for one in calls if one.words[0] == "runner" and one.words[1] in ENGINES):
        from untilgreen.project.calls import documents, workspaces  # few projects have one

        packages = dict(workspaces.packages(documents.Texts(layout.project), engine))
        found = [one for one in found if one.checker != "npm-test" or one.root not in packages]
    guessed = [one for one in found if one.checker in _PYTHONS and not one.source]
    called = [one for one in found if one.source]
    if not (guessed and called):
        return found
    from untilgreen.checkers import command
    from untilgreen.checkers.python import pytest_  # one of them has no configuration

    runs = (one for one in called if one.checker != "runner" or command.of_python(one.call))
    theirs = {one.root for one in runs if one.checker in (*_PYTHONS, "runner")}
    near = [one for one in guessed if one.root in theirs or below_any(one.root, theirs) or any_below(theirs, one.root)]
    left_out = [one for one in near if one.checker != "pytest" or not pytest_.is_configured(layout, one.root)]
    return [one for one in found if one not in left_out]


def _depends(layout: Layout, checker: Checker, root: str) -> bool:
    """Whether the project chose it by depending on it; a formatter may be there to write only."""
    return not checker.check_form and layout.depends(checker.package.partition(":")[2] or checker.name, root)


def kind_of(serves: Sequence[str]) -> str:
    """What `--only` calls what answers these criteria: "lint", "types", "tests" or "build"."""
    return next(kind for name, kind in KINDS.items() if name in serves)


def with_tool(check: Check, layout: Layout, find: Find, trusted: bool) -> Check:
    """The check with the tool that is there for it, whatever it names by now, or with what is missing."""
    checker, check = checkers.get(check.checker), check._replace(tool="", interpreter="")
    if not (checker.harmless or trusted):
        return check._replace(absent=Absent("untrusted", checker.name))
    folder = os.path.normpath(os.path.join(layout.project, check.root))
    programs = checker.programs_by(check.call) if checker.programs_by else checker.programs
    programs = programs or (_PROGRAMS.get(check.call[0], check.call[:1]) if checker.title else (checker.name,))
    if programs == ("npm",):
        from untilgreen.checkers.js.javascript import manager  # a project without Node has none

        programs = (manager(layout, check.root),)
    homes = {name: folder if os.sep in name else check.home for name in programs if trusted}
    places = (in_folder(home, name) for name, home in homes.items() if home)
    tool = next(filter(None, (*places, *(find(name, folder) for name in programs))), None)
    if tool is None:
        by_name = checker.name if checker.name in programs else programs[0]
        cause = check.absent.cause if check.absent else "missing"
        absent = Absent(cause, check.call[0] if checker.programs_by else by_name)
        return check._replace(absent=absent, chosen=check.chosen and cause != "apart")
    variant = checker.variant(layout, check.root) if check.chosen else checker.ours.unchosen
    interpreter = tool.interpreter if checker.python else ""
    return check._replace(tool=tool.path, interpreter=interpreter, variant=variant, absent=None)
