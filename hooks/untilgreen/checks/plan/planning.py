"""Which checks a loop needs here: the checkers' roots, the project's own commands, what is missing for a criterion."""

import os
from collections.abc import Mapping, Sequence

from untilgreen import checkers
from untilgreen.checkers.checker import SECONDS
from untilgreen.checks.plan import roots
from untilgreen.core import languages
from untilgreen.core.model.check import COMMAND_LINES, ENGINES, Absent, Check, OwnCall
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.settings import CheckSetting, Criteria, Settings
from untilgreen.core.record import Any, NamedTuple
from untilgreen.project import tools, trust
from untilgreen.project.tree.layout import Layout, aside, below_any, folder_of

_TOLD = 30.0  # seconds for what holds nobody
STATIC = ("lint", "types", "build")
# a custom check of one of these names is what that criterion asks for
ALIASES = {
    "test": "test_pass",
    "tests": "test_pass",
    "lint": "lint_clean",
    "types": "type_check",
    "typecheck": "type_check",
    "build": "build_success",
}
# what a check of these runs is said by a command line, which may name files of the project
RUNS_ALL = ("custom", "npm-test", *COMMAND_LINES)
_STAGE = {"test_pass": "tests", "build_success": "build"}
_LACKING = {
    "test_pass": "there are no tests here that a checker knows",
    "build_success": "there is no build here (--check 'build=COMMAND')",
    "lint_clean": "no linter applies here",
    "type_check": "no type checker applies here",
    "zero_security": "no check for security applies here",
}


class CheckScope(NamedTuple):
    """What a run of checks needs to know."""

    root: str  #: the project's, absolute
    settings: Settings
    criteria: Criteria
    env: Mapping[str, str]
    trusted: bool  #: the project's own code may run
    asked: Mapping[str, str] = {}  #: what `tools.ask_environments` was told
    near: tuple[str, ...] = ()  #: changed and target files, above which roots may lie deeper than elsewhere
    calls: tuple[OwnCall, ...] = ()  #: how the project itself calls its tools
    unasked: tuple[str, ...] = ()  #: where nobody began a loop: the kinds of checks that run
    #: a person begins a loop just now: the project is trusted by that, and on the list once the loop is there
    begins: bool = False
    since: str = ""  #: when the loop began, as `clock.iso` writes it
    files: frozenset[str] = frozenset()  #: the project's, as far as they are known: git ignores none of them
    warm: str = ""  #: at an edit, the folder in which what stays for edits may be asked

    @property
    def asked_for(self) -> Criteria:
        """The criteria by which checks are looked for: those named alone, as the project calls them."""
        # a command of the user's own is what its criterion asks for: not also a tool that nothing else calls for
        own = (name for name, one in self.settings.checks.items() if one.command and one.enabled)
        met: dict[str, Any] = {ALIASES[name]: False for name in own if name in ALIASES}
        asked = self.criteria._replace(**met)
        if self.unasked:
            return asked._replace(green=True, only=self.unasked)
        if asked.green or self.settings.preset == "jikime":  # its seed runs all that applies
            return asked
        named = [name for name in roots.KINDS if asked.preserve or (getattr(asked, name) and name != "zero_security")]
        return asked._replace(green=True, only=tuple(roots.KINDS[name] for name in named) or ("none",))


def scope_of(loop: Loop, env: Mapping[str, str]) -> CheckScope:
    """What a run of a loop's checks needs to know. Raises trust.Unread."""
    trusted = trust.trusted(loop.project, env)
    scope = CheckScope(loop.project, loop.settings, loop.asked.completion_criteria, env, trusted, loop.checks.asked)
    return scope._replace(since=loop.started_at)


def limit(settings: Settings, check: Check) -> float:
    own = settings.checks.get(check.name) or settings.checks.get(check.checker)
    usual = SECONDS[check.stage] if check.checker == "custom" else checkers.get(check.checker).limit
    usual = SECONDS["build"] if check.call[:1] and check.call[0] in ENGINES else usual  # a lint may build before
    return (own.timeout if own else 0) or (min(usual, _TOLD) if check.told else usual)


def plan(scope: CheckScope, files: Sequence[str]) -> tuple[Check, ...]:
    """Every check that the criteria need here, the project's own commands last."""
    own = {name: one for name, one in scope.settings.checks.items() if one.command and one.enabled}
    criteria = scope.asked_for
    places = {name: one.root for name, one in scope.settings.checks.items() if one.root != "." and not one.command}
    near = (*scope.near, *(f"{root}/." for root in places.values()))
    layout = Layout(scope.root, files, near)
    built_in = roots.built_in(layout, criteria, _finder(scope), trusted=scope.trusted, places=places, calls=scope.calls)
    if any(check.checker == "pre-commit" for check in built_in):
        from untilgreen.checks.plan import commit_hooks

        only = criteria.only
        built_in = commit_hooks.settled(
            built_in, scope.calls, lambda name: not only or roots.kind_of(checkers.get(name).serves) in only
        )
    off = switched_off(scope.settings)
    here = (one for one in built_in if not {one.checker, one.name, one.name.partition("@")[0]} & off)
    kept = tuple(_not_missing(scope, check) for check in here)
    if roots.named(criteria) and not scope.unasked:  # what was asked for by name holds, as what the settings name
        kept = tuple(one._replace(caller="") if one.told else one for one in kept)
    chosen = scope.settings.checks.keys()
    kept = tuple(one._replace(caller="") if one.told and {one.checker, one.name} & chosen else one for one in kept)
    return kept + tuple(_own_check(name, one, scope.trusted) for name, one in own.items())


def _not_missing(scope: CheckScope, check: Check) -> Check:
    """The check; that of a tool which only a project has that nobody trusted is no missing one."""
    if scope.trusted or check.absent is None or check.absent.cause == "untrusted":
        return check
    folder = os.path.normpath(os.path.join(scope.root, check.root))
    there = tools.find(check.absent.name, folder, scope.root, scope.env, trusted=True, asked=scope.asked)
    return check._replace(absent=Absent("untrusted", check.checker)) if there else check


def for_file(scope: CheckScope, path: str, kinds: Sequence[str], known: Sequence[Check] = ()) -> tuple[Check, ...]:
    """The checks of these kinds ("lint", "types", "security") that have something to say about one file, and a tool.

    Only the folders above the file are looked at: an edit must not cost a walk through the project. `known`: the
    plan of a running loop, whose roots go first.
    """
    layout = Layout(scope.root, _above(scope.root, path), near=(path,))
    off, found = switched_off(scope.settings), list[Check]()
    risks = scope._replace(criteria=scope.criteria._replace(zero_security=True)).asked_for
    called = {one.checker for one in known} | roots.programs(scope.calls)
    for checker in checkers.candidates(layout, tests=False, called=called):
        if checker.files.edit not in kinds or not languages.fits(path, checker.files.patterns) or checker.name in off:
            continue
        theirs = [one for one in known if one.checker == checker.name]
        criteria = risks if checker.files.edit == "security" else scope.asked_for
        own = theirs or roots.wanted(checker, layout, criteria, scope.calls)
        homes = [one for one in own if below_any(path, (one.root,)) and _gets(scope.root, one, path)]
        if homes:
            nearest = max(homes, key=lambda one: len(one.root))  # of several calls there the first
            check = roots.with_tool(nearest, layout, _finder(scope), scope.trusted)
            found.append(check._replace(variant=nearest.variant) if theirs else check)
    return tuple(check for check in found if check.tool)


def _gets(root: str, check: Check, path: str) -> bool:
    """Whether pre-commit names this file to the hook, if the check is one."""
    if check.given is None:
        return True
    from untilgreen.project.tree import file_tags

    return bool(file_tags.fitting(root, (path,), check.given))


def _above(root: str, path: str) -> tuple[str, ...]:
    """The files beside this one and in the folders above it, up to the root."""
    folder = os.path.dirname(path)
    with os.scandir(os.path.join(root, folder)) as entries:
        found = [f"{folder}/{entry.name}".lstrip("/") for entry in entries if entry.is_file()]
    return tuple(sorted((*found, *(_above(root, folder) if folder else ()))))


def _finder(scope: CheckScope) -> roots.Find:
    return lambda tool, root: tools.find(tool, root, scope.root, scope.env, trusted=scope.trusted, asked=scope.asked)


def unasked(one: CheckSetting) -> CheckSetting:
    """The setting where nobody began a loop: commands of the user's own may be anything, tests too, and do not run;
    nor does the checker that such a command stands for."""
    return one._replace(command=(), enabled=False) if one.command else one


def files_of(check: Check, planned: Sequence[Check], files: Sequence[str]) -> tuple[str, ...]:
    """The files that a check is for, relative to its root, without those below another root of the same checker."""
    patterns = checkers.get(check.checker).files.patterns
    nested = [one.root for one in planned if one.checker == check.checker and one.root != check.root]
    apart = [root for root in nested if below_any(root, (check.root,))]
    inside = (path for path in files if below_any(path, (check.root,)) and not below_any(path, apart))
    theirs = inside if check.root == "." else (path.removeprefix(f"{check.root}/") for path in inside)
    # what is there to be wrong, and what others wrote, is named by nobody
    return tuple(path for path in theirs if languages.fits(path, patterns) and not aside(folder_of(path)))


def switched_off(settings: Settings) -> set[str]:
    """The checkers that the user switched off, or put a command of his own in the place of."""
    off = {name for name, one in settings.checks.items() if not one.enabled or one.command}
    return off | {*settings.tools.without}


def _own_check(name: str, one: CheckSetting, trusted: bool) -> Check:
    from untilgreen.checkers import formats

    if name in checkers.NAMES:  # in the place of a checker, and for what that is asked
        stage, meets = checkers.get(name).stage, checkers.get(name).serves
    else:
        tests = formats.is_test_format(one.format)
        stage = _STAGE.get(ALIASES.get(name, ""), "tests" if tests else "static")
        # a report may name risks to security; an exit code cannot
        reports = one.format not in formats.EXIT_CODE and not tests
        meets = (ALIASES.get(name, "custom"), *(("zero_security",) if reports else ()))
    absent = None if trusted else Absent("untrusted", name)
    return Check(name, "custom", one.root, stage, one.command[0] if trusted else "", absent=absent, meets=meets)


def program(scope: CheckScope, folder: str, name: str) -> str:
    """A command's first word: from the project's own environment where it is there, as for the tools."""
    if os.sep in name:
        return name
    found = tools.find(name, folder, scope.root, scope.env, trusted=scope.trusted, asked=scope.asked)
    return found.path if found else name


def calls_of(planned: Sequence[Check]) -> tuple[OwnCall, ...]:
    """The project's own calls, as a plan keeps them."""
    return tuple(_call_of(one) for one in planned if one.source and one.checker != "custom")


def _call_of(one: Check) -> OwnCall:
    words = (one.checker, *(word for word in checkers.get(one.checker).subcommand if "|" not in word), *one.call)
    own = OwnCall(words, one.root, one.source, env=one.env, hooks=one.hooks, given=one.given, home=one.home)
    return own._replace(caller=one.caller, whole=not one.told or words != ("npm-test",))


def commands_of(settings: Settings, planned: Sequence[Check]) -> tuple[tuple[str, ...], ...]:
    """The command lines of checks that are one as a whole, and of completion hooks: the folder of each, its words."""
    own = {name: one.command for name, one in settings.checks.items()}
    said = (
        (one.root, *(own.get(one.name) or one.call or ("npm", "test"))) for one in planned if one.checker in RUNS_ALL
    )
    asked = (*(one.command for one in settings.hooks), settings.review.command)
    return (*said, *((".", *words) for words in asked if words))


def tools_of(scope: CheckScope, planned: Sequence[Check]) -> dict[str, str]:
    """Check to the program that it runs, of those that have one."""
    found = {}
    for one in planned:
        folder = os.path.normpath(os.path.join(scope.root, one.root))
        found[one.name] = program(scope, folder, one.tool) if one.checker == "custom" and one.tool else one.tool
    return {name: path for name, path in found.items() if path}


def missing(criterion: str, planned: Sequence[Check]) -> str:
    """What a criterion that was asked for by name lacks here, "" when it has its check."""
    theirs = [c for c in planned if c.checker == "custom"]
    if criterion == "custom":
        return "" if theirs else "there is no check of your own (--check 'NAME=COMMAND')"
    found = [c for c in planned if criterion in c.meets]
    if any(c.tool for c in found):
        return ""
    if found and found[0].absent:
        return found[0].absent.reason
    return _LACKING.get(criterion, "")


def merged(scope: CheckScope, files: Sequence[str], known: Sequence[Check]) -> tuple[Check, ...]:
    """The loop's plan at a stop: a root may be added, none is taken away.

    What was left out at the start stays left out. With which tool a check runs, and whether it may, is asked anew: the
    known plan lies in the project. One without a tool that was there at the start is Broken.
    """
    fresh = plan(scope, files)
    now, old = {check.name: check for check in fresh}, {check.name for check in known}
    kept = tuple(one if one.absent else _anew(scope, files, one, now.get(one.name)) for one in known)
    return kept + tuple(check for check in fresh if check.name not in old)


def _anew(scope: CheckScope, files: Sequence[str], known: Check, now: Check | None) -> Check:
    """A check of a known plan with the tool that it has now; without one where it may not, or cannot, run any more."""
    if now is None and known.checker != "custom":  # nothing in the project calls for it any more
        found = roots.with_tool(known, Layout(scope.root, files), _finder(scope), scope.trusted)
        return known._replace(tool=found.tool, interpreter=found.interpreter)
    return now if now and now.tool else known._replace(tool="", interpreter="")
