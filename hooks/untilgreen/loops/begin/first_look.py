"""What a start learns of the project before the agent works, and what `untilgreen check` says; nothing is stored."""

import json
import os
import re
import time
from collections.abc import Mapping, Sequence

from untilgreen import checkers
from untilgreen.checks.plan import planning, scripts, unserved
from untilgreen.checks.run import checking
from untilgreen.core.errors import UserError, meant
from untilgreen.core.model.check import Check
from untilgreen.core.model.groups import Buts
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.outcome import Broken, Clean, Found, Result
from untilgreen.core.model.settings import ToolSetting
from untilgreen.core.model.snapshot import Snapshot
from untilgreen.core.record import Literal, NamedTuple
from untilgreen.core.verdict import baseline, measure, rounds
from untilgreen.loops.begin import options
from untilgreen.project import cures, files, tools, trust
from untilgreen.project.fakes import text
from untilgreen.project.tree import worktree
from untilgreen.settings import load
from untilgreen.state import clock

_NPM = ("npm-test", "npm-script")
_MANIFEST = 1024 * 1024  # bytes of a package.json that are read
_DEPENDENCIES = ("dependencies", "devDependencies")
_BASELINE = 2.0  # seconds for everything that a start measures
_CHECKS = 1.5  # of these until the checks are over
_ALL_KNOWN = 120.0  # seconds for them where the loop is to know what is old; a host gives such a start 150


def measured(loop: Loop, env: Mapping[str, str], named: frozenset[str], *, allow_absent: bool) -> Loop:
    """The loop with the plan of its checks and what can be learned of the project at once. `named`: the criteria that
    were asked for by name, whose tools must be there unless they may be absent. Raises UserError."""
    if loop.asked.promise_only:
        return loop
    began, root, criteria = time.monotonic(), loop.project, loop.asked.completion_criteria
    files = worktree.files(root)
    asked = tools.ask_environments(root, env)
    targets = loop.asked.target_files
    scope = planning.CheckScope(root, loop.settings, criteria, env, True, asked, targets, begins=True)
    if scope.asked_for.green or criteria.build_success:
        scope = scope._replace(calls=scripts.read(root, files))
    plan = _plan(scope, files)
    for name in () if allow_absent else sorted(named):
        if missing := planning.missing(name, plan):
            lacking = [check for check in plan if name in check.meets and check.absent]
            cure = install(root, lacking) or "install it"
            raise UserError(f"{name}: {missing}", f"{cure}, leave the criterion out, or give --allow-absent")
    if not allow_absent:
        _refuse_empty(root, plan, env)
    seen = text.read(root, files, began + _BASELINE, planning.commands_of(loop.settings, plan))
    new = loop.settings.count == "new"
    rules = measure.Standard(scope.criteria, loop.asked.target_files, new=new)
    watch = checking.Watch(time.monotonic() + _ALL_KNOWN if new else began + _CHECKS)
    results = checking.run(scope, _quick(plan, new), watch)
    known = baseline.of_results(results, rules)
    initial = _initial(results, rules._replace(before=known), loop.started_at)
    ran_by = planning.tools_of(scope, plan)
    return loop.put(
        loop.checks._replace(asked=asked, plan=plan),
        loop.start._replace(
            tools=ran_by, before=known, text=seen, initial=initial, unserved=unserved.found(scope, files, plan)
        ),
        loop.history._replace(current=initial),
    )


def _plan(scope: planning.CheckScope, files: tuple[str, ...]) -> tuple[Check, ...]:
    """The checks. Raises UserError where `without` misspells one: only a plan with them all knows their names."""
    if unknown := [name for name in scope.settings.tools.without if name.partition("@")[0] not in checkers.NAMES]:
        everything = scope._replace(settings=scope.settings._replace(tools=ToolSetting()))
        names = dict.fromkeys((*checkers.NAMES, *(check.name for check in planning.plan(everything, files))))
        for name in unknown:
            if name not in names and (like := meant(name, names)):
                raise UserError(f"without: unknown check {name}{like}", f"take one of {', '.join(names)}")
    return planning.plan(scope, files)


def _refuse_empty(root: str, plan: tuple[Check, ...], env: Mapping[str, str]) -> None:
    """Raise UserError where the project chose tools and not one of them is there: its environment was not made yet."""
    chosen = [check for check in plan if check.chosen]
    missing = [_missing(root, check, env) for check in chosen]
    if chosen and all(missing):
        names = list(dict.fromkeys(missing))
        cure = install(root, chosen) or f"install {' and '.join(names)}, or give --allow-absent"
        raise UserError(f"none of the project's tools is installed: {', '.join(names)}", cure)


def install(root: str, lacking: Sequence[Check]) -> str:
    """The command by which the project gets the tools of these checks, "" where it has no way of its own."""
    named = []
    for check in lacking:
        if check.checker != "custom":
            called = _called(root, check)
            named.append((check.root, f"npm:{called[0]}" if called else checkers.get(check.checker).package))
    return cures.installing(root, named, first=True)


def _missing(root: str, check: Check, env: Mapping[str, str]) -> str:
    """What a check lacks, "" where it can run: npm is there, but the package that its script calls may not be."""
    if check.absent:
        return check.absent.name
    return next((name for name in _called(root, check) if not tools.on_path(name, root, env, trusted=True)), "")


def _called(root: str, check: Check) -> list[str]:
    """The packages on the lists of its folder's package.json that a check by npm calls (of `npm run NAME` those that
    the script names), where none of the project's was installed. None where that file cannot be read."""
    folder, line = os.path.join(root, check.root), check.call or ("npm", "run", "test")
    if check.absent or check.checker not in _NPM or tools.node_modules(folder, root):
        return []
    try:
        manifest = json.loads(files.read(os.path.join(folder, "package.json"), _MANIFEST, follow=True))
        text = manifest["scripts"][line[2]] if line[:2] == ("npm", "run") else " ".join(line)
        words = set(re.findall(r"[@\w./-]+", text))
        return [name for kind in _DEPENDENCIES for name in manifest.get(kind, {}) if name in words]
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return []


def _quick(plan: tuple[Check, ...], new: bool) -> tuple[Check, ...]:
    """The checks that are asked: neither tests nor what goes by its exit code, which tells old from new by nothing."""
    stages = ("static", "build") if new else ("static",)
    there = (check for check in plan if not check.absent and check.stage in stages)
    return tuple(check for check in there if check.checker != "custom" and not checkers.get(check.checker).one_finding)


def _initial(results: tuple[Result, ...], rules: measure.Standard, now: str) -> Snapshot | None:
    """Snapshot 0: what file linters say at once; None where they do not answer in time."""
    linters = tuple((check, one) for check, one in results if checkers.get(check.checker).files.edit == "lint")
    if not linters or any(isinstance(outcome, Broken) for _, outcome in linters):
        return None
    old = frozenset(key for one in rules.before.values() for key in one.items)
    return measure.snapshot(linters, rules._replace(old=old), 0, now)


class Checked(NamedTuple):
    """What the checks said: each with its outcome, and what is left, counted as a loop counts it."""

    verdict: Literal["green", "red", "not judged"]
    results: tuple[Result, ...]
    snapshot: Snapshot
    unserved: Buts  #: what people test with here and no check runs
    cure: str = ""  #: how the project gets the tools that it chose and that are not installed

    @property
    def green(self) -> bool:
        """Whether every check is clean, and one that the project chose ran."""
        return self.verdict == "green"

    @property
    def left(self) -> tuple[str, ...]:
        """What must go before it is green, a text each."""
        return tuple(item.text for item in self.snapshot.items)


def scope_of(
    root: str, request: options.Request, files: tuple[str, ...], env: Mapping[str, str]
) -> planning.CheckScope:
    """What a loop that is begun now would ask for; green and no promise, whatever the preset. Raises UserError."""
    settings, trusted = load.load(root), trust.trusted(root, env)
    asked_for = settings._replace(preset="", markers=settings.markers._replace(completion_promise=""))
    criteria = options.resolve(asked_for, request).criteria
    asked = tools.ask_environments(root, env) if trusted else {}
    return planning.CheckScope(root, settings, criteria, env, trusted, asked, calls=scripts.read(root, files))


def check(scope: planning.CheckScope, files: Sequence[str], watch: checking.Watch) -> Checked:
    """Run the checks that are planned for these files. Raises UserError."""
    plan = _plan(scope, tuple(files))
    results, named = checking.run(scope, plan, watch), unserved.found(scope, files, plan)
    snapshot = measured_now(scope, results)
    if any(item.kind != "check" for item in snapshot.items):
        return Checked("red", results, snapshot, named)
    proven = any(check.chosen and isinstance(outcome, Clean | Found) for check, outcome in results)
    absent = [one for one, _ in results if one.chosen and not one.told and one.absent and one.absent.cause == "missing"]
    ended = proven and not absent and not snapshot.items and not rounds.pending_names(results)
    return Checked("green" if ended else "not judged", results, snapshot, named, install(scope.root, absent))


def measured_now(scope: planning.CheckScope, results: Sequence[Result]) -> Snapshot:
    return measure.snapshot(tuple(results), measure.Standard(scope.criteria), 0, clock.iso(time.time()))
