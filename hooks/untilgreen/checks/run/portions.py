"""Which processes checks come to: one for each, or several where there are more files than one command line takes."""

import os
import posixpath
from collections.abc import Mapping, Sequence
from contextlib import suppress

from untilgreen import checkers
from untilgreen.checkers.checker import MEASURING
from untilgreen.checks.plan.planning import CheckScope, files_of, limit, program
from untilgreen.checks.run import processes, report_folder
from untilgreen.core.model.check import BY_COVERAGE, Check
from untilgreen.core.model.outcome import Broken, Clean, Outcome, Setting, TestId
from untilgreen.core.record import NamedTuple
from untilgreen.project import tools, trust
from untilgreen.project.toplevel import within
from untilgreen.project.tree.layout import below_any

_RUNNING_TASKS = ("npm-test", "npm-script", "linter", "runner")
_UNTOLD = "its runner cannot be told which tests to run, or they are gone"
# options of linters that take a path or a pattern
_VALUED = (
    "-c -x --config --configfile --config-path --append-config --rcfile --settings-path --project --tsconfig "
    "--ignore-path --ignore-pattern --ignore --exclude --extend-exclude --per-file-ignores"
)
_SECONDS = 5.0  # for the patterns of a hook
_PASSED_OVER = ("__pycache__", "node_modules", "site-packages", ".git", ".untilgreen")  # by every tool


class Look(NamedTuple):
    """What of its root a check is to look at."""

    files: tuple[str, ...] = ()  #: relative to the project
    text: str = ""  #: the path of a copy: only the one file that is named is looked at, as it is in the copy
    #: of its tests only these, or all of their files where they have no `id`; files relative to the project
    tests: tuple[TestId, ...] = ()
    or_all: bool = False  #: all of its tests, where its runner cannot be told which to run
    touching: tuple[str, ...] = ()  #: only the tests that its runner itself finds for these files


class Portion(NamedTuple):
    """What one process looks at of a check: all of it, but for a list of files that is too long for one."""

    check: Check
    setting: Setting
    look: Look


def made(scope: CheckScope, planned: Sequence[Check], folder: str, looks: Mapping[str, Look]) -> list[Portion]:
    """The processes of the planned checks. `folder`: where they leave reports; `looks`: as in `checking.run`."""
    whole = [check for check in planned if check.name not in looks and check.tool and check.checker != "custom"]
    listing = [check for check in whole if check.given is not None or checkers.get(check.checker).files.listed]
    files: tuple[str, ...] = ()
    if whole:
        from untilgreen.project.tree import worktree  # an edit names its files itself

        files = (tuple(sorted(scope.files)) or worktree.files(scope.root)) if listing else ()
    walking = any(checkers.get(check.checker).files.walks for check in whole)
    ignored = (worktree.ignored(scope.root) or ()) if walking else ()
    parts: list[Portion] = []
    for check in planned:
        look = looks.get(check.name, Look())
        for some in _bounded(_listed(scope.root, check, planned, files)) if check in listing else [()]:
            setting = _setting(scope, check, os.path.join(folder, f"{len(parts)}.xml"), look)
            if check in whole and checkers.get(check.checker).files.walks:
                setting = setting._replace(ignored=_walked(check, worktree.unnamed(ignored, check.call, check.root)))
            parts.append(Portion(check, _with_files(check, setting, some), look))
    return parts


def job(scope: CheckScope, part: Portion, name: str) -> processes.Job | Outcome:
    """The process of that name, or how the check ends without one."""
    check, setting, look = part
    text, tests = look.text, look.tests
    if check.absent:
        return check.absent
    # one that executes nothing of the project, not even by the tool itself
    harmless = check.checker != "custom" and checkers.get(check.checker).harmless
    if not (scope.trusted or (harmless and check.tool and not within(scope.root, check.tool))):
        return Broken(trust.NO_MORE)
    if not os.path.isdir(setting.root):
        return Broken(f"its folder {check.root} is gone")
    report = setting.report
    if check.checker == "custom":
        own = scope.settings.checks.get(check.name)
        if own is None or not own.command:
            return Broken("it is no longer configured")
        words = tuple(word.replace("{report}", report) for word in own.command)
        argv = (program(scope, setting.root, words[0]), *words[1:])
        report = report if words != own.command else ""
    elif check.given is not None and not (setting.files or setting.call[len(check.call) :] or text):
        return Clean()  # there is no file for the hook: it is passed over
    elif not os.access(check.tool, os.X_OK):
        return Broken(f"{check.checker} is no longer installed")
    elif check.given is None and checkers.get(check.checker).files.listed and not setting.named:
        return Broken("there is no file for it: nothing was looked at")
    else:
        argv = _measured(scope, check, setting, checkers.get(check.checker).argv(setting))
        if not argv:
            return Broken("coverage is not installed")
    more = _variables(scope, check, setting.report)
    more |= {"TSESTREE_SINGLE_RUN": "false"} if text else {}  # typescript-eslint else looks at the file on the disk
    job = processes.Job(name, argv, setting.root, limit(scope.settings, check), report, text, more)
    alone = first(scope.root, check.checker, setting, tests, job) if tests else job
    alone = _touching(check, setting, look.touching, job) if look.touching else alone
    return alone or (job if look.or_all else Broken(_UNTOLD))


def first(
    root: str, checker: str, setting: Setting, wanted: Sequence[TestId], whole: processes.Job
) -> processes.Job | None:
    """The run of these tests alone, in the place of `whole`; None where its runner cannot be told them, or a file that
    they are in is gone. `root`: the project's."""
    select = None if checker == "custom" else checkers.get(checker).runner.select
    paths = {test: os.path.join(root, test.file) for test in wanted}
    if select is None or not all(os.path.exists(path) for path in paths.values()):
        return None
    tests = tuple(
        TestId(os.path.relpath(path, setting.root) if test.file else "", test.id) for test, path in paths.items()
    )
    for some in (tests, tuple(dict.fromkeys(test._replace(id="") for test in tests))):
        argv = select(setting, some)
        if argv and sum(len(os.fsencode(word)) + 1 for word in argv) <= processes.COMMAND:
            return whole._replace(argv=argv, report=setting.report)
    return None


def _touching(check: Check, setting: Setting, paths: Sequence[str], whole: processes.Job) -> processes.Job | None:
    """The run of those tests that the runner itself finds for these files of the project; None where it cannot."""
    select = None if check.checker == "custom" else checkers.get(check.checker).runner.touching
    argv = select(setting, [os.path.relpath(path, check.root) for path in paths]) if select else ()
    return whole._replace(argv=argv) if argv else None


def _variables(scope: CheckScope, check: Check, report: str) -> dict[str, str]:
    # a variable may name what a tool executes
    more = dict(word.partition("=")[::2] for word in check.env) if scope.trusted else {}
    more |= processes.quiet(scope.settings.tools.env_remove) if check.stage == "static" else {}
    if any(word.startswith(MEASURING) for word in check.call):
        more["COVERAGE_FILE"] = f"{report}-coverage"  # what is measured is nothing of the project's
    if check.checker in _RUNNING_TASKS:
        from untilgreen.checks.run import engine_cache

        more |= {"NX_DEFAULT_OUTPUT_STYLE": "static"}  # of what passes it prints nothing else
        with suppress(OSError):
            more |= engine_cache.variables(scope, os.path.join(scope.root, check.root))
    ours = scope.trusted and check.checker != "custom" and not (check.source and not _alone(check))
    return _apart(scope, check.checker, report) | more if ours else more


def _measured(scope: CheckScope, check: Check, setting: Setting, argv: tuple[str, ...]) -> tuple[str, ...]:
    """The command line of tests, where the project does so below `coverage run` and with what it asks of them behind
    it; () where there is no coverage. What is measured lies in parts, whatever the configuration says, and is put
    together first."""
    chain = next((word.removeprefix(BY_COVERAGE) for word in check.call if word.startswith(BY_COVERAGE)), "")
    measuring = program(scope, setting.root, "coverage") if chain else ""
    if not chain or os.sep not in measuring:
        return () if chain else argv
    import shlex

    from untilgreen.checkers import in_turn

    run, report = (tuple(shlex.split(part)) for part in chain.split("; "))
    tool, *rest = [word for word in argv if not word.startswith(BY_COVERAGE)]
    name = os.path.basename(tool)
    started = () if name.startswith("python") else ("-m", name) if name == "pytest" else (tool,)
    configured = tuple(word for word in run if word.startswith("--rcfile="))
    return in_turn.argv(measuring, (*run, "-p", *started, *rest), ("combine", *configured), report)


def _apart(scope: CheckScope, checker: str, report: str) -> dict[str, str]:
    """What has a check of ours build in a folder of ours, where a variable names that: the project's own is its own.
    Each has one: what one of them makes of a crate is another candidate for the other."""
    if not (variable := checkers.get(checker).ours.builds_in):
        return {}
    try:
        return {variable: os.path.join(report_folder.kept(scope.env, scope.root), checker)}
    except OSError:  # none that stays
        return {variable: f"{os.path.splitext(report)[0]}-target"}


def _alone(check: Check) -> bool:
    return check.checker != "custom" and checkers.get(check.checker).files.alone


def _setting(scope: CheckScope, check: Check, report: str, look: Look) -> Setting:
    root = os.path.normpath(os.path.join(scope.root, check.root))
    files = tuple(path.removeprefix(f"{check.root}/") for path in look.files)
    python = check.checker != "custom" and checkers.get(check.checker).python
    return Setting(
        tool=check.tool,
        root=root,
        security=scope.criteria.zero_security,
        interpreter=check.interpreter,
        resolves=check.interpreter != "" if python else tools.node_modules(root, scope.root) != "",
        report=report,
        variant=check.variant,
        call=_scoped(check.call, root) if look.files and not _alone(check) else check.call,
        files=() if look.text else files,
        stdin=files[0] if look.text else "",
    )


# --- what a command line names: the files of a hook or of a linter that finds none, the folders to leave out


def _listed(root: str, check: Check, planned: Sequence[Check], files: Sequence[str]) -> tuple[str, ...]:
    """The files to name: those that pre-commit gives to a hook, or those that the checker is for."""
    if check.given is None:
        return files_of(check, planned, files)
    from untilgreen.checkers import time_limit
    from untilgreen.project.tree import file_tags

    with suppress(time_limit.TooLong), time_limit.within(_SECONDS, "the patterns of a hook took too long"):
        return file_tags.fitting(root, files, check.given)
    return files_of(check, planned, files)


def _walked(check: Check, ignored: Sequence[str]) -> tuple[str, ...]:
    """Those folders, relative to the check's root, into which a tool may go."""
    inside = (path.rstrip("/") for path in ignored if path.endswith("/") and below_any(path, (check.root,)))
    named = (path if check.root == "." else path.removeprefix(f"{check.root}/") for path in inside)
    return tuple(one for one in named if posixpath.basename(one) not in _PASSED_OVER and "," not in one)


def _with_files(check: Check, setting: Setting, files: tuple[str, ...]) -> Setting:
    """The setting with these files named, as the checker takes them."""
    if check.given is None or not files:
        return setting._replace(listed=files)
    files = tuple(f"./{path}" if path.startswith("-") else path for path in files)
    if checkers.get(check.checker).files.by_file:
        return setting._replace(files=files)
    return setting._replace(call=(*setting.call, *files))


def _bounded(files: Sequence[str]) -> list[tuple[str, ...]]:
    """The files in parts that each fit on a command line; one empty part where there are none."""
    parts: list[list[str]] = [[]]
    room = processes.COMMAND
    for path in files:
        room -= len(os.fsencode(path)) + 1
        if room < 0 and parts[-1]:
            parts.append([])
            room = processes.COMMAND
        parts[-1].append(path)
    return [tuple(part) for part in parts]


def _scoped(call: Sequence[str], root: str) -> tuple[str, ...]:
    """A call without the files, folders and patterns that it names: others are looked at."""

    def names(word: str) -> bool:
        return not word.startswith("-") and ("*" in word or os.path.exists(os.path.join(root, word)))

    pairs = zip(("", *call), call, strict=False)
    return tuple(word for before, word in pairs if before in _VALUED.split() or not names(word))
