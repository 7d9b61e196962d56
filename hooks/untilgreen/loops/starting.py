"""From a request, typed in a shell or as a slash command, to a running loop and what is said about it."""

import os
import posixpath
from collections.abc import Mapping
from typing import Any, NamedTuple

from untilgreen.core import document, report
from untilgreen.core.errors import UserError, unwritten
from untilgreen.core.model.event import Place
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.settings import CheckSetting, Criteria, Settings
from untilgreen.loops import begin
from untilgreen.loops.options import Request
from untilgreen.project.toplevel import within
from untilgreen.settings import effective, load
from untilgreen.settings.presets import PRESETS
from untilgreen.settings.values import CRITERIA
from untilgreen.state import catalogue, locks, log, store
from untilgreen.state import place as places
from untilgreen.state.place import STATE


class Resolved(NamedTuple):
    """What a loop starts with. `named`: the canonical names of the criteria that were asked for by name (by a flag,
    the configuration or a preset); `promise_only`: the marker is the only criterion, no check is needed."""

    settings: Settings
    criteria: Criteria
    promise_only: bool
    named: frozenset[str]


def root_of(project: str, env: Mapping[str, str]) -> str:
    """The project that a command is about, by `--project` or by where it runs. Raises UserError where that is gone."""
    if project and not os.path.isdir(project):
        raise UserError(f"--project {project}: no such folder", "name one that is there")
    try:
        return places.root_of(env, given=project)
    except FileNotFoundError:
        raise UserError("the current folder is gone", "go into a project, or name one with --project") from None


def unreadable(error: Exception) -> UserError:
    """The error of a session's state that cannot be read."""
    return UserError(str(error), "run untilgreen doctor")


def busy(done: str) -> UserError:
    """The error of a session's state that another process writes now; `done`: what has been done so far."""
    return UserError(f"another process holds the state of this session; {done}", "try again")


def logged(trace: str) -> None:
    """A bug's traceback goes into the project's log."""
    try:
        root = places.root_of(os.environ)
    except FileNotFoundError:
        return  # the current folder is gone, and with it the log's
    log.write(places.base_of(root, os.environ), trace)


def place_of(root: str, session: str, env: Mapping[str, str]) -> Place:
    """Where a session of this project keeps its state, by the configuration as it is now."""
    state_dir = env.get("UNTILGREEN_STATE_DIR", "") or load.load(root).state_dir
    return places.of(root, places.below(root, state_dir), session)


def exists_below(root: str, path: str) -> bool:
    """Whether this path, relative to the root, is there and does not lead out of it."""
    full = os.path.join(root, path)
    return not os.path.isabs(path) and os.path.exists(full) and within(root, full)


def start(
    request: Request, root: str, session: str, env: Mapping[str, str], own_prompt: int = -1
) -> tuple[Place, Loop]:
    """Begin the loop that was asked for. Raises UserError whatever fails: the user can mend all of it."""
    place = place_of(root, session, env)
    targets = tuple(_target(root, path) for path in request.targets)
    try:
        begin.refuse(root, env)
        store.make_base(place.base)
        store.make_base(places.config_folder(root, env))
        settings = effective.refresh(root, places.config_folder(root, env))
        resolved = resolve(settings, request)
        order = begin.Order(
            request.task,
            resolved.settings,
            resolved.criteria,
            resolved.promise_only,
            request.description,
            targets,
            resolved.named,
            request.allow_absent,
            request.replace,
        )
        return place, begin.start(order, place, session, env, own_prompt)
    except store.Unreadable as error:
        raise unreadable(error) from None
    except locks.Busy:
        raise busy("nothing was started") from None
    except OSError as error:
        raise unwritten(error) from None


def resolve(settings: Settings, request: Request) -> Resolved:
    """The project's settings and what a start asks for, as one; raises UserError where they contradict.

    Later wins: what the project says, the asked preset, the asked flags. Criteria add up.
    """
    preset = dict(PRESETS.get(request.settings.get("preset", ""), {}))
    named = request.criteria.union(settings.criteria, preset.pop("criteria", ()), ["custom"] if request.checks else [])
    if not request.zero_errors:
        named -= {"zero_errors"}
    checks = dict(settings.checks)
    for name, command in request.checks:
        checks[name] = checks.get(name, CheckSetting())._replace(command=command, enabled=True)
    joined = settings._replace(**{**preset, **request.settings}, criteria=load.ordered(named), checks=checks)
    promise_only = bool(joined.completion_promise) and not named
    if promise_only and joined.marker == "verify":
        raise UserError(
            "marker verify lets only checks decide, and with a completion promise there are none",
            "name a criterion (--criteria test_pass) or use --marker require",
        )
    on = frozenset() if promise_only else named | _by_default(joined, request)
    return Resolved(joined, _criteria(on, joined.stagnation_limit), promise_only, named)


def _by_default(settings: Settings, request: Request) -> set[str]:
    """Criteria that count although nobody named them: errors, and the commands that the configuration lists."""
    commands = any(check.command and check.enabled for check in settings.checks.values())
    return ({"custom"} if commands else set()) | ({"zero_errors"} if request.zero_errors else set())


def _criteria(names: frozenset[str], stagnation_limit: int) -> Criteria:
    return Criteria(**{name: name in names for name in CRITERIA}, stagnation_limit=stagnation_limit)


def _target(root: str, path: str) -> str:
    relative = os.path.relpath(path, root) if os.path.isabs(path) else path
    if not path or not exists_below(root, relative):
        raise UserError(f"--target {path}: no such file or folder in {root}", "name one that is there")
    return posixpath.normpath(relative.replace(os.sep, "/"))


def summary(loop: Loop) -> list[str]:
    """What a person or the model should know of a loop that has just begun, a line each."""
    words = catalogue.words(loop.settings.lang)
    checks = [check.name for check in loop.plan if not check.absent]
    left_out = [check.absent.reason for check in loop.plan if check.absent]
    criteria = [name for name, on in loop.completion_criteria._asdict().items() if on is True]
    lines = [f"criteria: {', '.join(criteria) or 'its completion promise'}"]
    if not loop.promise_only:
        lines.append(f"checks: {', '.join(checks) or 'none applies here yet'}")
    if left_out:
        lines.append(f"left out: {', '.join(left_out)}")
    if loop.initial:
        counts = words["errors_warnings"].format(errors=loop.initial.error_count, warnings=loop.initial.warning_count)
        lines.append(f"Initial: {counts}")
    elif not loop.promise_only:
        lines.append(f"Initial: {words['not_measured']}")
    return lines


def as_json(loop: Loop, place: Place) -> dict[str, Any]:
    """The facts of a loop for `--json`."""
    return {
        "loop_id": loop.loop_id,
        "session_id": loop.session_id or None,
        "status": loop.status,
        "active": loop.active,
        "iteration": loop.iteration,
        "max_iterations": loop.settings.max_iterations,
        "task_description": loop.task_description,
        "target_files": list(loop.target_files),
        "completion_criteria": document.dump(loop.completion_criteria),
        "stop_reason": loop.stop_reason,
        "final_status": loop.final_status,
        "completion_reason": loop.completion_reason,
        "verified": loop.verified,
        "error_count": loop.current.error_count if loop.current else None,
        "warning_count": loop.current.warning_count if loop.current else None,
        "checks": [check.name for check in loop.plan if not check.absent],
        "left_out": [check.absent.reason for check in loop.plan if check.absent],
        "started_at": loop.started_at,
        "updated_at": loop.updated_at,
        "elapsed_seconds": loop.elapsed_seconds,
        "project": loop.project,
        "state": _file(loop, place),
    }


def _file(loop: Loop, place: Place) -> str:
    if loop.session_id:
        return place.file(STATE)
    return os.path.join(place.base, "next", f"{loop.loop_id}.json")  # nobody's yet


def line(loop: Loop) -> str:
    """One loop in one line, for `status`."""
    task = report.cleaned(" ".join(loop.task_description.split()))[:80]
    state = f"round {loop.iteration}/{loop.settings.max_iterations}, {loop.status}" if loop.active else _ended(loop)
    left = ""
    if loop.active and loop.current:
        left = f", {loop.current.error_count} errors, {loop.current.warning_count} warnings"
    session = loop.session_id or "next session"
    return f"{loop.loop_id}  {session}  {state}{left}" + (f"  {task}" if task else "")


def _ended(loop: Loop) -> str:
    return f"{loop.final_status}: {report.cleaned(' '.join((loop.completion_reason or '').split()))}"
