"""From a request, typed in a shell or as a slash command, to a running loop."""

import os
import posixpath
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

from untilgreen import hosts
from untilgreen.checks.run import report_folder
from untilgreen.core.errors import UserError, unwritten
from untilgreen.core.model.event import Place
from untilgreen.core.model.groups import AskedFor, Clock, History, Rounds, Turns
from untilgreen.core.model.loop import SCHEMA_VERSION, Loop
from untilgreen.core.verdict import progress
from untilgreen.core.words import brief
from untilgreen.loops import pruning
from untilgreen.loops.begin import first_look, ownership
from untilgreen.loops.begin.options import Request, Resolved, resolve
from untilgreen.loops.rest import ending
from untilgreen.loops.stop import judge, spending, times
from untilgreen.project import toplevel, trust
from untilgreen.settings import effective, load
from untilgreen.state import catalogue, clock, locks, log, memory, noted, seal, sessions, snapshots, store
from untilgreen.state import place as places
from untilgreen.state.place import NEXT

BY_MODEL = "UNTILGREEN_MCP"  # names a model as the one who calls a command, to that command
_WAIT = 10.0  # seconds for a lock


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
    if base == places.NOWHERE:
        raise UserError(*not_ours(root, env))
    return base


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
    """Begin the loop that was asked for; for session "next" it waits. Raises UserError, whatever fails."""
    place = place_of(root, session, env)
    request = request._replace(targets=tuple(_target(root, path) for path in request.targets))
    refuse(root, env)
    if env.get(BY_MODEL) and not trust.trusted(root, env):
        raise UserError(f"{root} is not trusted", "let the user run untilgreen init there, or untilgreen trust")
    if not request.task.strip():
        raise UserError("no task is given", "say what to do, for example: Make the tests pass")
    report_folder.sweep(root, env)
    with state_is_used("nothing was started"):
        wanted = resolve(load.load(root), request, load.said(root))
        wanted = wanted._replace(settings=wanted.settings._replace(lang=catalogue.language(wanted.settings.lang, env)))
        if progress.is_measured(wanted.settings):
            spending.refuse(wanted.settings, spending.around(env))
        reading = noted.read(place.root, place.base)
        loop = _loop(request, wanted, place, session, own_prompt, reading.fingerprint)
        loop = loop._replace(begun_by=whose(env, own_prompt), host=host)
        loop = first_look.measured(loop, env, wanted.named, allow_absent=request.allow_absent)
        loop = judge.found(loop, env, allow_absent=request.allow_absent)
        _make_folder(place, env, shell=own_prompt < 0)  # whatever may refuse came first: until now nothing is written
        loop = loop._replace(loop_id=store.fresh_id(place.base, loop.clock.round_started))
        pruning.at_start(place)
        kept = snapshots.keep(place, reading, loop.loop_id, snapshots.START, snapshots.AT_START)
        path, suites = snapshots.path_of(place, kept.ref), times.remembered(place)
        loop = loop.put(
            loop.start._replace(start_ref=kept.ref), loop.history._replace(snapshot_path=path, suites=suites)
        )
        return place, _saved(place, loop, env, replace=request.replace)


def whose(env: Mapping[str, str], own_prompt: int = -1) -> str:
    """Who begins a loop: somebody at the host's prompt, the agent in its own shell, or somebody in another."""
    if own_prompt >= 0:
        return "user"
    known = (name for host in hosts.ADAPTERS for name in hosts.get(host).facts.known_by)
    return "agent" if any(env.get(name) for name in (BY_MODEL, *known)) else "shell"


def _target(root: str, path: str) -> str:
    relative = os.path.relpath(path, root) if os.path.isabs(path) else path
    if not path or not exists_below(root, relative):
        raise UserError(f"--target {path}: no such file or folder in {root}", "name one that is there")
    return posixpath.normpath(relative.replace(os.sep, "/"))


def _loop(request: Request, wanted: Resolved, place: Place, session: str, own_prompt: int, tree: str) -> Loop:
    now, waits, prompts = time.time(), session == NEXT, store.read_session(place).prompts
    return Loop(
        schema_version=SCHEMA_VERSION,
        loop_id="",
        active=True,
        session_id="" if waits else session,
        started_at=clock.iso(now),
        updated_at=clock.iso(now),
        task_description=request.task,
        asked=AskedFor(request.targets, wanted.criteria, wanted.promise_only),
        rounds=Rounds(1),
        status="waiting" if waits else "running",
        description=request.description,
        project=place.root,
        context=request.context,
        settings=wanted.settings,
        clock=Clock(round_started=now),
        turns=Turns(prompts, own_prompt, prompts),
        history=History(tree=tree, tree_at_start=tree),
    )


def _make_folder(place: Place, env: Mapping[str, str], *, shell: bool) -> None:
    """Trust the project, and make its state folder with the resolved configuration: only now that a loop begins."""
    config = places.usual(place.root, env)
    if shell and seal.read(env, place) is not None and not trust.trusted(place.root, env):
        why = "the project is not trusted any more, and its user was not told yet how its loop ended"
        raise UserError(why, "run untilgreen trust")
    trust.grant(place.root, env)
    store.make_base(place.base)
    store.make_base(config)
    effective.refresh(place.root, config)


def _saved(place: Place, loop: Loop, env: Mapping[str, str], *, replace: bool) -> Loop:
    """Save and seal the loop; the user of one whose place it takes from a shell is to hear of that."""
    if loop.status == "waiting":
        wait(place, loop, env, replace=replace)
        return loop
    os.makedirs(place.folder, mode=0o700, exist_ok=True)
    with sessions.locked(place):
        loop = ending.replacing(place, loop, env, replace=replace)
        store.save(place, loop)
        unheard = loop.start.replaced if loop.turns.own_prompt < 0 else ""
        word = brief.gone(f"was replaced from a shell by {loop.loop_id}", unheard) if unheard else ""
        seal.begin(env, place, loop, word)
    memory.record(place, loop, "start", loop=loop)
    return loop


def wait(
    place: Place, loop: Loop, env: Mapping[str, str], *, replace: bool = False, sealed: seal.Seal | None = None
) -> None:
    """Let the loop wait, under its seal or a new one; one waits at most. Raises UserError, OSError, locks.Busy."""
    folder = os.path.join(place.base, NEXT)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    held = locks.hold(os.open(folder, os.O_RDONLY), folder, _WAIT)
    try:
        for path, waits in ownership.waiting(place.base, place.root):
            if not replace:
                why = f"{waits.loop_id} waits for the next session already"
                raise UserError(why, "end it with cancel-loop --session next, or start with --replace")
            os.unlink(path)
            seal.put(env, seal.of_waiting(place, path), None)
        path = os.path.join(folder, f"{loop.loop_id}.json")
        store.save_loop(path, loop)
        if sealed is None:
            seal.begin(env, seal.of_waiting(place, path), loop)
        else:
            seal.put(env, seal.of_waiting(place, path), sealed)
    finally:
        os.close(held)
