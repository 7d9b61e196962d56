"""Checks from plan to outcome: run in parallel, read, and told by one set of paths."""

import itertools
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from untilgreen.checks.plan.planning import CheckScope
from untilgreen.checks.run import portions, processes, report_folder, settling
from untilgreen.checks.run.portions import Look, Portion
from untilgreen.core.model.check import BAZELS, ENGINES, FIRST, WHOLE, Check
from untilgreen.core.model.outcome import Clean, FirstGo, Found, Names, Outcome, Output, Pending, Result, TestId
from untilgreen.core.record import Any, NamedTuple
from untilgreen.project import trust

# what runs mypy or Python's own code, or may do so
_BY_SECONDS = ("mypy", "pytest", "unittest", "django-test", "runner", "custom")

_WORTH = 5.0  # seconds that are saved where a check that runs is not waited for
_REPORTING = ("runner", "custom")  # what may leave reports in the project


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
    #: whether an outcome is red for sure: then checks that run for long are not waited for
    stands: Callable[[Outcome], bool] = lambda _: False
    took: Mapping[str, float] = {}  #: check to the seconds of its last whole run
    started: Callable[[int], object] = processes.ignore  #: hears the process group of each
    hints: str = ""  #: the state folder, where whole runs of the work tree's tests leave hints; "" for none


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
        parts = portions.made(scope, planned, folder, looks)
        going = _Going(scope, parts, watch)
        began = [portions.job(scope, part, str(at)) for at, part in enumerate(parts)]
        env = processes.environment(scope.env, scope.settings.tools.env_remove)
        hints = _hints(scope, planned, watch)
        began = hints.noting(watch.hints, scope.root, parts, began, env) if hints else began
        jobs = _placed(going.begin(began, first))
        outputs = processes.run(jobs, env, watch.until, lambda: watch.idle() or going.suffices(), on_end=going.end)
        going.leave()
        if hints:
            hints.keep(watch.hints, parts, going.outcomes)
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


def _hints(scope: CheckScope, planned: Sequence[Check], watch: Watch) -> Any:
    """The module that keeps hints; None where there are none to keep, as of a copy."""
    if not watch.hints or scope.begins or all(check.stage != "tests" for check in planned):
        return None
    from untilgreen.checks.run import impact_map

    return impact_map


def _placed(jobs: Sequence[tuple[Check, processes.Job]]) -> tuple[processes.Job, ...]:
    """The jobs, those that look at what is built behind those that build it: what CI builds before its tests, and a
    tsc that writes. Where tests begin with a build of their own the rest of their folder is behind them."""
    looking = [(check, job) for check, job in jobs if check.checker in ("tsc", "npm-script", "npm-test")]
    # two runs of turbo or nx would both build what their tasks need, in the same place
    engines = [job.name for check, job in jobs if check.call[:1] and check.call[0] in ENGINES]
    if not looking and len(engines) < 2:
        return tuple(job for _, job in jobs)
    from untilgreen.checkers.js import npm_script, tsc

    tests = [(check, job) for check, job in looking if check.checker == "npm-test"]
    own = {check.root: (job.name,) for check, job in tests if npm_script.builds(job.cwd)}
    built = tuple(job.name for check, job in jobs if check.caller == "tests")
    written = tuple(job.name for check, job in looking if check.checker == "tsc" and tsc.is_build(check.call))
    behind = {job.name: own.get(check.root, built) for check, job in looking}
    behind |= {job.name: built if check.root in own else (*built, *written) for check, job in tests}
    behind |= {second: (first, *behind.get(second, ())) for first, second in itertools.pairwise(engines)}
    return tuple(job._replace(behind=behind.get(job.name, ())) for _, job in jobs)


def _standing(go: FirstGo, result: Outcome) -> Found | Pending | None:
    """The outcome as one of a part of the tests; None where it does not show that one of them still fails, and
    nothing that may hide others: then the whole suite has to say, unless it is not asked yet."""
    if go.alone and isinstance(result, Clean) and result.tests:
        return Pending(unread=True, some=result.tests)
    if not isinstance(result, Found) or result.tests is None or any(one.hides for one in result.diagnostics):
        return None
    failing = {TestId(one.file, one.rule) for one in result.diagnostics}
    return result._replace(not_run=max(0, go.of - result.tests.run)) if failing & {*go.tests} else None


class _Going:
    """The parts that run, and the outcomes of those that came to their end, by number."""

    def __init__(self, scope: CheckScope, parts: Sequence[Portion], watch: Watch) -> None:
        self.scope, self.parts, self.watch, self.began = scope, parts, watch, time.time()
        self.outcomes: dict[str, Outcome] = {}
        self.turns: dict[str, tuple[str, float]] = {}  # check to FIRST or WHOLE, and when that began
        self.red = self.left = False  # something is red for sure; the rest is not waited for

    def begin(
        self, jobs: Sequence[processes.Job | Outcome], first: Mapping[str, FirstGo]
    ) -> list[tuple[Check, processes.Job]]:
        """The jobs of the parts that have one; the others have ended."""
        begun = []
        for number, (part, job) in enumerate(zip(self.parts, jobs, strict=True)):
            if isinstance(job, processes.Job):
                own = job._replace(begun=self.watch.started)
                begun.append((part.check, self._with_first(part, own, first.get(part.check.name))))
            else:
                self.outcomes[str(number)] = job
                self._tell(part.check)
        return begun

    def _with_first(self, part: Portion, whole: processes.Job, go: FirstGo | None) -> processes.Job:
        """The first go with `whole` behind it, where there is one."""
        own = part._replace(setting=part.setting._replace(report=f"{part.setting.report}-first"))
        before = portions.first(self.scope.root, own.check.checker, own.setting, go.tests, whole) if go else None
        self._turn(part.check, FIRST if before else WHOLE)
        if go is None or before is None:
            return whole

        def rest(output: Output) -> processes.Job | None:
            said = settling.outcome_of(self.scope, output, own.check, own.setting, own.look.text)
            found = _standing(go, said)
            if found is None:
                self._turn(part.check, WHOLE)
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
            elif part.check.call[:1] and part.check.call[0] in BAZELS:
                from untilgreen.checkers.other import bazel

                output = output._replace(report=bazel.reports(output.report))
            self.outcomes[job.name] = settling.outcome_of(
                self.scope, output, part.check, part.setting, part.look.text, job.argv
            )
        return self.outcomes[job.name]

    def end(self, job: processes.Job, output: Output) -> None:
        """Read what a job said as soon as that is its last word; tell of a check whose parts have all ended."""
        self.red = self.watch.stands(self.outcome(job, output)) or self.red
        self._tell(self.parts[int(job.name)].check)

    def suffices(self) -> bool:
        """Whether what is red is known, and each check that still runs would take longer than an answer is worth."""
        if not self.red:  # it is asked all the time
            return False
        running = [part.check for number, part in enumerate(self.parts) if str(number) not in self.outcomes]
        now = time.monotonic()

        def rest(check: Check) -> float:
            what, since = self.turns[check.name]
            known = what == WHOLE and not self.outcomes_of(check)
            return self.watch.took.get(check.name, 0.0) - (now - since) if known else 0.0

        self.left = bool(running) and min(map(rest, running)) > _WORTH
        return self.left

    def leave(self) -> None:
        """What was not waited for has no outcome."""
        for number, part in enumerate(self.parts if self.left else ()):
            if str(number) not in self.outcomes:
                self.outcomes[str(number)] = Pending(unread=True)
                self._tell(part.check)

    def outcomes_of(self, check: Check) -> list[Outcome]:
        """Those of its parts that have ended."""
        theirs = (str(number) for number, one in enumerate(self.parts) if one.check is check)
        return [self.outcomes[name] for name in theirs if name in self.outcomes]

    def _tell(self, check: Check) -> None:
        ended = self.outcomes_of(check)
        if len(ended) == sum(one.check is check for one in self.parts):
            self.watch.on_turn(check, settling.join(check, ended))

    def _turn(self, check: Check, what: str) -> None:
        self.turns[check.name] = what, time.monotonic()
        self.watch.on_turn(check, what)


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
