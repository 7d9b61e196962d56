"""Checks from plan to outcome: run in parallel, read, and told by one set of paths."""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from untilgreen import checkers
from untilgreen.checkers.checker import MEASURING
from untilgreen.checks.plan.planning import CheckScope, limit, program
from untilgreen.checks.run import in_order, naming, processes, report_folder, settling
from untilgreen.core.model.check import BY_COVERAGE, FIRST, WHOLE, Check
from untilgreen.core.model.outcome import Broken, Clean, FirstGo, Found, Names, Outcome, Output, Result, Setting, TestId
from untilgreen.core.record import NamedTuple
from untilgreen.project import tools, trust
from untilgreen.project.toplevel import within

# what runs mypy or Python's own code, or may do so
_BY_SECONDS = ("mypy", "pytest", "unittest", "django-test", "runner", "custom")

_REPORTING = ("runner", "custom")  # what may leave reports in the project


class Look(NamedTuple):
    """What of its root a check is to look at."""

    files: tuple[str, ...] = ()  #: relative to the project
    text: str = ""  #: the path of a copy: only the one file that is named is looked at, as it is in the copy
    #: of its tests only these, or all of their files where they have no `id`; files relative to the project
    tests: tuple[TestId, ...] = ()
    or_all: bool = False  #: all of its tests, where its runner cannot be told which to run


class _Portion(NamedTuple):
    """What one process looks at of a check: all of it, but for a list of files that is too long for one."""

    check: Check
    setting: Setting
    look: Look


_UNTOLD = "its runner cannot be told which tests to run, or they are gone"
OnOutcome = Callable[[Check, Outcome, float], object]  # a check came to its end, after so many seconds
OnOutput = Callable[[Check, Output], object]  # what a process of a check printed
OnNames = Callable[[Check, Names], object]  # the tests of a check that came to its end, where it names them
OnTurn = Callable[[Check, str | Outcome], object]  # a check begins, with FIRST or WHOLE, or has ended


class Watch(NamedTuple):
    """How long checks may run, whether they are still wanted, and who hears of them: `on_turn` while they run, the
    others at the end. `until` and `idle` as in `processes.run`."""

    until: float
    idle: Callable[[], bool] = lambda: False
    on_outcome: OnOutcome = processes.ignore
    on_turn: OnTurn = processes.ignore
    on_names: OnNames | None = None
    on_output: OnOutput = processes.ignore


def run(
    scope: CheckScope,
    planned: Sequence[Check],
    watch: Watch,
    looks: Mapping[str, Look] = {},
    first: Mapping[str, FirstGo] = {},
) -> tuple[Result, ...]:
    """Run the checks at once; each with its outcome, in the order of the plan. `looks`: check to what it looks at.
    `first`: check to what it runs first; where any of it is red, that is its outcome. Raises trust.Unread."""
    began_at = time.time()
    # somebody may have taken the trust back since the plan was made
    scope = scope._replace(trusted=scope.trusted and (scope.begins or trust.trusted(scope.root, scope.env)))
    with report_folder.made(scope.env) as folder:
        parts = _parts(scope, planned, folder, looks)
        going = _Going(scope, parts, watch.on_turn)
        began = [_job(scope, part, str(number)) for number, part in enumerate(parts)]
        jobs = in_order.placed(going.begin(began, first))
        env = processes.environment(scope.env, scope.settings.tools.env_remove)
        outputs = processes.run(jobs, env, watch.until, watch.idle, on_end=going.end)
    _end_second(scope.root, planned, began_at)
    seconds = dict.fromkeys((check.name for check in planned), 0.0)
    for part, job in zip(parts, began, strict=True):
        if isinstance(job, processes.Job):
            name, output = part.check.name, outputs[job.name]
            seconds[name] = max(seconds[name], output.seconds)
            watch.on_output(part.check, output)
            result = going.outcome(job, output)
            if watch.on_names and isinstance(result, Clean | Found) and not part.check.told:
                names = settling.names_of(scope, output, part.check, part.setting)
                if names is not None:
                    watch.on_names(part.check, names)
    results = tuple((check, settling.join(check, going.outcomes_of(check))) for check in planned)
    for check, result in results:
        watch.on_outcome(check, result, seconds[check.name])
    return results


class _Going:
    """The parts that run, and the outcomes of those that came to their end, by number."""

    def __init__(self, scope: CheckScope, parts: Sequence[_Portion], on_turn: OnTurn) -> None:
        self.scope, self.parts, self.on_turn, self.began = scope, parts, on_turn, time.time()
        self.outcomes: dict[str, Outcome] = {}

    def begin(
        self, jobs: Sequence[processes.Job | Outcome], first: Mapping[str, FirstGo]
    ) -> list[tuple[Check, processes.Job]]:
        """The jobs of the parts that have one; the others have ended."""
        begun = []
        for number, (part, job) in enumerate(zip(self.parts, jobs, strict=True)):
            if isinstance(job, processes.Job):
                begun.append((part.check, self._with_first(part, job, first.get(part.check.name))))
            else:
                self.outcomes[str(number)] = job
                self._tell(part.check)
        return begun

    def _with_first(self, part: _Portion, whole: processes.Job, go: FirstGo | None) -> processes.Job:
        """The first go with `whole` behind it, where there is one."""
        own = part._replace(setting=part.setting._replace(report=f"{part.setting.report}-first"))
        before = in_order.first(self.scope.root, own.check.checker, own.setting, go.tests, whole) if go else None
        self.on_turn(part.check, FIRST if before else WHOLE)
        if go is None or before is None:
            return whole

        def rest(output: Output) -> processes.Job | None:
            said = settling.outcome_of(self.scope, output, own.check, own.setting, own.look.text)
            found = settling.standing(go, said)
            if found is None:
                self.on_turn(part.check, WHOLE)
                return whole
            self.outcomes[whole.name] = found
            return None

        return before._replace(then=rest)

    def outcome(self, job: processes.Job, output: Output) -> Outcome:
        """What a job's last word comes to."""
        if job.name not in self.outcomes:
            part = self.parts[int(job.name)]
            if part.check.checker in _REPORTING and not output.report:
                from untilgreen.checkers import programs

                output = output._replace(report=programs.reported(part.setting.root, job.argv, self.began))
            self.outcomes[job.name] = settling.outcome_of(
                self.scope, output, part.check, part.setting, part.look.text, job.argv
            )
        return self.outcomes[job.name]

    def end(self, job: processes.Job, output: Output) -> None:
        """Read what a job said as soon as that is its last word; tell of a check whose parts have all ended."""
        self.outcome(job, output)
        self._tell(self.parts[int(job.name)].check)

    def outcomes_of(self, check: Check) -> list[Outcome]:
        """Those of its parts that have ended."""
        theirs = (str(number) for number, one in enumerate(self.parts) if one.check is check)
        return [self.outcomes[name] for name in theirs if name in self.outcomes]

    def _tell(self, check: Check) -> None:
        ended = self.outcomes_of(check)
        if len(ended) == sum(one.check is check for one in self.parts):
            self.on_turn(check, settling.join(check, ended))


def _parts(scope: CheckScope, planned: Sequence[Check], folder: str, looks: Mapping[str, Look]) -> list[_Portion]:
    whole = [check for check in planned if check.name not in looks and check.tool and check.checker != "custom"]
    listing = [check for check in whole if check.given is not None or checkers.get(check.checker).files.listed]
    files: tuple[str, ...] = ()
    if whole:
        from untilgreen.project.tree import worktree  # an edit names its files itself

        files = worktree.files(scope.root) if listing else ()
    walking = any(checkers.get(check.checker).files.walks for check in whole)
    ignored = (worktree.ignored(scope.root) or ()) if walking else ()
    parts: list[_Portion] = []
    for check in planned:
        look = looks.get(check.name, Look())
        for some in naming.bounded(naming.listed(scope.root, check, planned, files)) if check in listing else [()]:
            setting = _setting(scope, check, os.path.join(folder, f"{len(parts)}.xml"), look)
            if check in whole and checkers.get(check.checker).files.walks:
                setting = setting._replace(
                    ignored=naming.walked(check, worktree.unnamed(ignored, check.call, check.root))
                )
            parts.append(_Portion(check, naming.with_files(check, setting, some), look))
    return parts


def _job(scope: CheckScope, part: _Portion, name: str) -> processes.Job | Outcome:
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
    job = processes.Job(name, argv, setting.root, limit(scope.settings, check), report, text, more)
    alone = in_order.first(scope.root, check.checker, setting, tests, job) if tests else job
    return alone or (job if look.or_all else Broken(_UNTOLD))


def _variables(scope: CheckScope, check: Check, report: str) -> dict[str, str]:
    # a variable may name what a tool executes
    more = dict(word.partition("=")[::2] for word in check.env) if scope.trusted else {}
    more |= processes.quiet(scope.settings.tools.env_remove) if check.stage == "static" else {}
    if any(word.startswith(MEASURING) for word in check.call):
        more["COVERAGE_FILE"] = f"{report}-coverage"  # what is measured is nothing of the project's
    ours = scope.trusted and not check.source and check.checker != "custom"
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
        call=naming.scoped(check.call, root) if look.files else check.call,
        files=() if look.text else files,
        stdin=files[0] if look.text else "",
    )


def _end_second(root: str, planned: Sequence[Check], moment: float) -> None:
    """Wait until the second is over in which the checks began, where Python was written in it. mypy's cache and
    Python's bytecode know a file by its size and the whole second of its time: of another edit in that second they
    would tell what was there before it."""
    rest = int(moment) + 1 - time.time()
    if rest > 0 and any(check.checker in _BY_SECONDS for check in planned):
        from untilgreen.project.tree import worktree  # an edit that no such tool looks at does without

        paths = (os.path.join(root, path) for path in worktree.files(root) if path.endswith((".py", ".pyi")))
        for path in paths:
            with suppress(OSError):  # it may be gone by now
                if os.stat(path).st_mtime >= int(moment):
                    time.sleep(rest)
                    return
