"""Which checks a project has, and where: each root of each checker, with the tool that will run there."""

import os
import re
from collections.abc import Callable, Mapping, Sequence

from untilgreen import checkers
from untilgreen.checkers.checker import Checker, taken
from untilgreen.core.model.check import Absent, Check, OwnCall
from untilgreen.core.model.settings import Criteria
from untilgreen.core.record import NamedTuple
from untilgreen.project.tools import Tool
from untilgreen.project.tree.layout import Layout, any_below, below_any, python_roots

# the kinds of checks that green asks for, by the criterion that they serve
_KINDS = {
    "lint_clean": "lint",
    "type_check": "types",
    "test_pass": "tests",
    "build_success": "build",
    "zero_security": "lint",
}
_MOST_CALLS = 4  # of one tool in one root
_PYTHONS = ("pytest", "unittest", "django-test")
_PROGRAMS = {"python": ("python3", "python")}  # the files of a program that a call names
Find = Callable[[str, str], Tool | None]


class Wanted(NamedTuple):
    """A checker at a root, and the project's own call of it."""

    checker: Checker
    root: str
    call: tuple[str, ...] = ()
    source: str = ""
    chosen: bool = True
    #: as in `OwnCall`
    apart: bool = False
    env: tuple[str, ...] = ()
    hooks: tuple[tuple[str, str], ...] = ()


def wanted_again(one: Check) -> Wanted:
    """What a check was made of."""
    return Wanted(checkers.get(one.checker), one.root, one.call, one.source, one.chosen, env=one.env, hooks=one.hooks)


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
        wanted = _merged(_chosen(layout, criteria, calls), wanted)
    if criteria.build_success:
        from untilgreen.checks.plan import builds

        builder, theirs = checkers.get("builder"), builds.wanted(layout, calls)
        wanted += [Wanted(builder, one.folder, one.words, one.source, env=one.env) for one in theirs]
    order = {name: number for number, name in enumerate(checkers.NAMES)}
    placed = dict.fromkeys(one._replace(root=places.get(one.checker.name, one.root)) for one in wanted)
    numbered = _numbered(sorted(placed, key=lambda one: order[one.checker.name]))
    made = [(one, check_of(one, layout, find, trusted, number)) for one, number in numbered]
    # what nobody chose is never missing
    checks = [check for one, check in made if not check.absent or one.chosen]
    if criteria.type_check:
        return tuple(checks)  # then what is covered was asked for by itself
    covered = {(checkers.get(check.checker).covers, check.root) for check in checks if check.tool}
    return tuple(one for one in checks if (one.checker, one.root) not in covered or (one.source and one.call))


def named(criteria: Criteria) -> bool:
    """Whether a criterion that has checks of its own was asked for by name."""
    others = ("green", "custom", "no_tool_errors")
    return any(on is True for name, on in criteria._asdict().items() if name not in others)


def _applying(layout: Layout, criteria: Criteria) -> list[Wanted]:
    """What criteria that were asked for by name run: they make their tools chosen."""
    tests = criteria.test_pass or criteria.preserve
    wanted = [(one, root) for one in checkers.candidates(layout, tests=tests) for root in one.roots(layout, criteria)]
    wanted += _asked(layout, criteria, [checker for checker, _ in wanted])
    return [Wanted(checker, root) for checker, root in wanted if not criteria.green or _is_asked(checker, criteria)]


def _is_asked(checker: Checker, criteria: Criteria) -> bool:
    """Whether a criterion that was asked for by name, beside green, is about this checker."""
    if checker.stage == "tests":
        return criteria.test_pass or criteria.preserve
    everything = criteria.zero_errors or criteria.zero_warnings or criteria.preserve
    return everything or any(getattr(criteria, name) for name in checker.serves)


def _merged(chosen: Sequence[Wanted], named: Sequence[Wanted]) -> list[Wanted]:
    """Both, with the project's own call where it has one."""
    known = {(one.checker.name, one.root) for one in chosen if one.chosen}
    added = [one for one in named if (one.checker.name, one.root) not in known]
    theirs = {(one.checker.name, one.root) for one in added}
    return [*(one for one in chosen if (one.checker.name, one.root) not in theirs), *added]


def _chosen(layout: Layout, criteria: Criteria, calls: Sequence[OwnCall]) -> list[Wanted]:
    """The linters, type checkers, tests and builds that the project configures, depends on or calls."""
    tests = not criteria.only or "tests" in criteria.only
    kept = [
        checker
        for checker in checkers.candidates(layout, tests=tests, called=programs(calls))
        if not criteria.only or checker.serves_by or kind_of(checker.serves) in criteria.only
    ]
    found = [one for checker in kept for one in wanted(checker, layout, criteria, calls)]
    return _as_called(layout, [one for one in found if not criteria.only or kind_of(_serves(one)) in criteria.only])


def programs(calls: Sequence[OwnCall]) -> set[str]:
    """The names by which a checker may be among these calls."""
    names = {name for call in calls for name in ("-".join(call.words[:2]), call.words[0])}
    return names - {"builder"}  # what builds is asked for by a criterion of its own


def wanted(checker: Checker, layout: Layout, criteria: Criteria, calls: Sequence[OwnCall]) -> list[Wanted]:
    """Where the project chose this checker, as it calls it; and where nobody did, but it looks all the same: as it
    would by itself where a criterion by name is about it."""
    found: list[Wanted] = []
    called = _called(checker, calls)
    applies = list(checker.roots(layout, criteria))
    own = applies if checker.chosen_by is None else list(checker.chosen_by(layout, criteria))
    # of a test runner that is only named there may be no tests yet
    by_name = not checker.configured and checker.stage != "tests"
    depends = ["."] if by_name and _depends(layout, checker, ".") else []
    for root in dict.fromkeys((*applies, *own, *called, *depends)):
        chosen = root in own or root in called or (not checker.configured and _depends(layout, checker, root))
        if chosen and layout.matching(checker.files.patterns or ("*",)):
            found += called.get(root) or [Wanted(checker, root)]
        elif checker.unchosen:
            found.append(Wanted(checker, root, chosen=_is_asked(checker, criteria)))
    return found


def _as_called(layout: Layout, found: list[Wanted]) -> list[Wanted]:
    """Without those runners of Python's tests that the project neither calls nor configures, where it calls another."""
    guessed = [one for one in found if one.checker.name in _PYTHONS and not one.source]
    theirs = {one.root for one in found if one.source and _runs_python(one)} if guessed else set()
    near = [one for one in guessed if one.root in theirs or below_any(one.root, theirs) or any_below(theirs, one.root)]
    left_out = [one for one in near if not _is_configured(layout, one)]
    return [one for one in found if one not in left_out]


def _runs_python(one: Wanted) -> bool:
    from untilgreen.checkers import command  # where the project calls one

    return one.checker.name in _PYTHONS or (one.checker.name == command.RUNNER and command.of_python(one.call))


def _is_configured(layout: Layout, one: Wanted) -> bool:
    from untilgreen.checkers.python import pytest_  # one of them has no configuration

    return one.checker.name == "pytest" and pytest_.is_configured(layout, one.root)


def _depends(layout: Layout, checker: Checker, root: str) -> bool:
    """Whether the project chose it by depending on it; a formatter may be there to write only."""
    package = checker.package.partition(":")[2] or checker.name
    return not checker.check_form and layout.depends(package, root)


def why_in(check: Check, layout: Layout) -> str:
    """Why green has this check."""
    if check.absent:
        return check.absent.reason
    if check.source:
        return f"called: {check.shown}"
    if check.checker == "custom":
        return "a command of your configuration"
    if not check.chosen:
        return "nobody chose it: it looks for what cannot run, and for nothing else"
    checker = checkers.get(check.checker)
    configured = checker.chosen_by is None or check.root in checker.chosen_by(layout, Criteria(green=True))
    return "configured, or there is something for it" if configured else "named among what the project depends on"


def kind_of(serves: Sequence[str]) -> str:
    """What `--only` calls what answers these criteria: "lint", "types", "tests" or "build"."""
    return next(kind for name, kind in _KINDS.items() if name in serves)


def _serves(one: Wanted) -> tuple[str, ...]:
    return one.checker.serves_by(one.call) if one.checker.serves_by else one.checker.serves


def _called(checker: Checker, calls: Sequence[OwnCall]) -> dict[str, list[Wanted]]:
    """By folder the calls of this checker, a call of everything in the place of those of parts."""
    found: dict[str, list[Wanted]] = {}
    for call in calls:
        words = taken(checker, call)
        if words is None or _another(checker, call.words[0]):
            continue
        one = Wanted(checker, call.folder, words, call.source, apart=call.apart, env=call.env, hooks=call.hooks)
        theirs = found.setdefault(call.folder, [])
        if (not any(_plain(other.call) == _plain(words) for other in theirs) and call.whole) or not theirs:
            theirs.append(one)
    return {root: _widest(theirs) for root, theirs in found.items()}


def _plain(words: Sequence[str]) -> list[str]:
    """The words of a call without the version of the language: one of many alike is enough."""
    versions = r"(?m)^--(?:python-version|target-version)[=\n].*\n?"
    return re.sub(versions, "", "\n".join(words)).split()


def _another(checker: Checker, program: str) -> bool:
    """Whether the program is rather that of the checker of its name, which does the same."""
    known = checkers.get(program) if program != checker.name and program in checkers.NAMES else checker
    return known is not checker and known.subcommand == checker.subcommand


def _widest(theirs: list[Wanted]) -> list[Wanted]:
    """One call of tests that selects nothing runs all that others select."""
    whole = [one for one in theirs if one.checker.stage == "tests" and not one.call]
    return whole[:1] or (theirs if theirs[0].checker.title else theirs[:_MOST_CALLS])


def _numbered(wanted: Sequence[Wanted]) -> list[tuple[Wanted, int]]:
    seen: dict[tuple[str, str], int] = {}
    numbered = []
    for one in wanted:
        key = (_title(one), one.root)
        seen[key] = seen.get(key, 0) + 1
        numbered.append((one, seen[key]))
    return numbered


def _title(one: Wanted) -> str:
    return one.checker.title(one.call) if one.checker.title else one.checker.name


def _asked(layout: Layout, criteria: Criteria, applying: Sequence[Checker]) -> list[tuple[Checker, str]]:
    """What a criterion that is asked for by name runs where nothing in the project says what to run."""
    found = []
    if criteria.type_check and not any(one.python and "type_check" in one.serves for one in applying):
        found += [(checkers.get("mypy"), root) for root in python_roots(layout)]
    others = any(map(layout.has, ("package.json", "go.mod", "Cargo.toml"))) and not layout.ending(".py")
    if criteria.test_pass and not others and not any("test_pass" in one.serves for one in applying):
        found.append((checkers.get("pytest"), "."))
    return found


def check_of(wanted: Wanted, layout: Layout, find: Find, trusted: bool, number: int = 1) -> Check:
    """One check of one root, with the tool that is there for it. `number`: of the calls of one tool in one root."""
    checker, root, call, source, chosen, apart, env, hooks = wanted
    title = _title(wanted)
    name = title if number == 1 else f"{title}-{number}"
    check = Check(
        name=name if root == "." else f"{name}@{root}",
        checker=checker.name,
        root=root,
        stage=checker.stage,
        tool="",
        meets=_serves(wanted),
        chosen=chosen,
        call=call,
        source=source,
        env=env,
        hooks=hooks,
    )
    if not (checker.harmless or trusted):
        return check._replace(absent=Absent("untrusted", checker.name))
    folder = os.path.normpath(os.path.join(layout.project, root))
    programs = checker.programs_by(call) if checker.programs_by else checker.programs
    programs = programs or (_PROGRAMS.get(call[0], call[:1]) if checker.title else (checker.name,))
    tool = next((found for name in programs if (found := find(name, folder))), None)
    if tool is None:
        lacking = call[0] if checker.programs_by else checker.name if checker.name in programs else programs[0]
        cause = "apart" if apart else "missing"
        return check._replace(absent=Absent(cause, lacking), chosen=chosen and not apart)
    interpreter = tool.interpreter if checker.python else ""
    variant = checker.variant(layout, root) if chosen else checker.unchosen
    return check._replace(tool=tool.path, interpreter=interpreter, variant=variant)
