"""From a request, typed in a shell or as a slash command, to a running loop and what is said about it."""

import os
import posixpath
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

from untilgreen import hosts
from untilgreen.checks.run import report_folder
from untilgreen.core import document
from untilgreen.core.errors import UserError, unwritten
from untilgreen.core.model.event import Place
from untilgreen.core.model.groups import AskedFor, Clock, History, Rounds, Turns
from untilgreen.core.model.loop import SCHEMA_VERSION, Loop
from untilgreen.core.model.settings import CheckSetting, Criteria, Settings
from untilgreen.core.record import NamedTuple
from untilgreen.core.verdict import limits
from untilgreen.loops.begin.options import Request
from untilgreen.loops.begin.steps import STEPS, Beginning
from untilgreen.loops.stop import spending
from untilgreen.project import toplevel, trust
from untilgreen.project.tree import worktree
from untilgreen.settings import load
from untilgreen.settings.presets import ALONE, PRESETS
from untilgreen.settings.values import CRITERIA
from untilgreen.state import catalogue, clock, locks, log, store
from untilgreen.state import place as places
from untilgreen.state.place import NEXT

_WAIT = 10.0  # seconds for a lock


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


def refuse(root: str, env: Mapping[str, str]) -> None:
    """Raise UserError where no loop may begin in this folder."""
    reason = toplevel.refused(root, env)
    if reason:
        raise UserError(reason, "start in a project, or name one with --project")


def base_of(root: str, env: Mapping[str, str]) -> str:
    """The state folder that a command is about. Raises UserError where the one that is there is not ours."""
    base = places.base_of(root, env)
    if base != places.NOWHERE:
        return base
    reason, fix = not_ours(root, env)
    raise UserError(reason, fix)


def not_ours(root: str, env: Mapping[str, str]) -> tuple[str, str]:
    """Why the state folder that is there is not ours, and what to do."""
    link = places.link_in(places.usual(root, env))
    if link and trust.trusted(root, env):
        return f"{link} is a symbolic link", "take it away"
    if trust.trusted(root, env):
        return "the state was moved to where it may not lie", "run start-loop, or untilgreen doctor"
    return f"{places.FOLDER}/ came with this repository, which is not trusted", "run untilgreen trust"


@contextmanager
def state_is_used(undone: str) -> Iterator[None]:
    """Make a UserError of what goes wrong with a session's state; `undone`: what has not been done then."""
    try:
        yield
    except store.Unreadable as error:
        raise UserError(str(error), "run untilgreen doctor") from None
    except locks.Busy:
        raise UserError(f"another process holds the state of this session; {undone}", "try again") from None
    except trust.Unread:
        raise
    except OSError as error:
        raise unwritten(error) from None


def logged(trace: str) -> str:
    """A bug's traceback goes into the project's log, or the user's where there is no state of ours; the log's path."""
    base = places.base_here(os.environ)  # "": the current folder may be gone
    if not os.path.isdir(base):
        base = trust.folder(os.environ)
        with suppress(OSError):
            trust.make_private(base)
    return log.write(base, "a command failed", trace)


def place_of(root: str, session: str, env: Mapping[str, str]) -> Place:
    """Where a session of this project keeps its state, by the configuration as it is now."""
    state_dir = env.get("UNTILGREEN_STATE_DIR", "") or load.load(root).state_dir
    return places.of(root, places.below(root, state_dir), session)


def exists_below(root: str, path: str) -> bool:
    """Whether this path, relative to the root, is there and does not lead out of it."""
    full = os.path.join(root, path)
    return not os.path.isabs(path) and os.path.exists(full) and toplevel.within(root, full)


def start(
    request: Request, root: str, session: str, env: Mapping[str, str], own_prompt: int = -1, host: str = ""
) -> tuple[Place, Loop]:
    """Begin the loop that was asked for; for "next" it waits in the state folder for the next session that prompts.
    `host`: the adapter's name, where one tells.

    Raises UserError whatever fails: the user can mend all of it.
    """
    place = place_of(root, session, env)
    request = request._replace(targets=tuple(_target(root, path) for path in request.targets))
    refuse(root, env)
    report_folder.sweep(env)
    with state_is_used("nothing was started"):
        wanted = resolve(load.load(root), request, load.said(root))
        wanted = wanted._replace(settings=catalogue.settled(wanted.settings, env))
        if limits.is_measured(wanted.settings):
            spending.refuse(wanted.settings, spending.around(env))
        reading = worktree.read(place.root, place.base)
        loop = _loop(request, wanted, place, session, own_prompt, reading.fingerprint)
        loop = loop._replace(begun_by=whose(env, own_prompt), host=host)
        begins = Beginning(request, wanted.named, place, env, reading, loop)
        for step in STEPS:
            begins = begins._replace(loop=step(begins))
        return place, begins.loop


def whose(env: Mapping[str, str], own_prompt: int = -1) -> str:
    """Who begins a loop: somebody at the host's prompt, the agent in its own shell, or somebody in another."""
    if own_prompt >= 0:
        return "user"
    known = (name for host in hosts.ADAPTERS for name in hosts.get(host).facts.known_by)
    return "agent" if any(env.get(name) for name in known) else "shell"


def resolve(settings: Settings, request: Request, said: frozenset[str] = frozenset()) -> Resolved:
    """The project's settings and what a start asks for, as one; raises UserError where they contradict. `said`: the
    keys that the project's configuration has, be it with their defaults.

    Later wins: what the project says, the asked preset, the asked flags. Criteria add up.
    """
    preset = dict(PRESETS.get(request.settings.get("preset", ""), {}))
    named = request.criteria.union(settings.criteria, preset.pop("criteria", ()), ["custom"] if request.checks else [])
    if not request.zero_errors:
        named -= {"zero_errors"}
    checks = dict(settings.checks)
    for name, command in request.checks:
        checks[name] = checks.get(name, CheckSetting())._replace(command=command, enabled=True)
    joined = document.changed(settings, {**preset, **request.settings})
    joined = joined._replace(criteria=load.ordered(named), checks=checks)
    promise_only = bool(joined.markers.completion_promise) and not named and not request.judge
    if promise_only and joined.markers.marker == "verify":
        if "marker" in {*request.settings, *preset, *said}:
            raise UserError(
                "marker verify lets only checks decide, and with a completion promise there are none",
                "name a criterion (--criteria test_pass) or use --marker require",
            )
        joined = joined._replace(markers=joined.markers._replace(marker="require"))  # of such a loop the promise is all
    on = set(named)
    if not promise_only:  # the project's own word, and the commands that its configuration lists
        on |= {"green"} if joined.preset not in ALONE else set()
        on |= {"custom"} if any(check.command and check.enabled for check in checks.values()) else set()
    asked = {name: name in on for name in CRITERIA}
    criteria = Criteria(**asked, only=request.only, judge=request.judge, stagnation_limit=joined.stagnation_limit)
    return Resolved(joined, criteria, promise_only, named)


def _target(root: str, path: str) -> str:
    relative = os.path.relpath(path, root) if os.path.isabs(path) else path
    if not path or not exists_below(root, relative):
        raise UserError(f"--target {path}: no such file or folder in {root}", "name one that is there")
    return posixpath.normpath(relative.replace(os.sep, "/"))


def _loop(request: Request, wanted: Resolved, place: Place, session: str, own_prompt: int, tree: str) -> Loop:
    """The loop as it was asked for."""
    now = time.time()
    prompts = store.read_session(place).prompts
    return Loop(
        schema_version=SCHEMA_VERSION,
        loop_id="",
        active=True,
        session_id="" if session == NEXT else session,
        started_at=clock.iso(now),
        updated_at=clock.iso(now),
        task_description=request.task,
        asked=AskedFor(request.targets, wanted.criteria, wanted.promise_only),
        rounds=Rounds(1),
        status="waiting" if session == NEXT else "running",
        description=request.description,
        project=place.root,
        context=request.context,
        settings=wanted.settings,
        clock=Clock(round_started=now),
        turns=Turns(prompts, own_prompt, prompts),
        history=History(tree=tree, tree_at_start=tree),
    )
