"""The beginning of a loop as a list, once it is known what is asked for: each step gives the loop as it is then."""

import os
from collections.abc import Callable, Mapping

from untilgreen.core.errors import UserError
from untilgreen.core.model.event import Place
from untilgreen.core.model.loop import Loop
from untilgreen.core.record import NamedTuple
from untilgreen.core.words import brief
from untilgreen.loops import pruning
from untilgreen.loops.begin import first_look, ownership
from untilgreen.loops.begin.options import Request
from untilgreen.loops.rest import ending
from untilgreen.loops.stop import judge, times
from untilgreen.project import trust
from untilgreen.project.tree import worktree
from untilgreen.settings import effective
from untilgreen.state import locks, memory, seal, sessions, snapshots, store
from untilgreen.state import place as places
from untilgreen.state.place import NEXT

_WAIT = 10.0  # seconds for a lock


class Beginning(NamedTuple):
    """A loop that is about to begin, as far as it is known by now."""

    request: Request
    #: the criteria that were asked for by name
    named: frozenset[str]
    place: Place
    env: Mapping[str, str]
    reading: worktree.WorkTree
    loop: Loop


def _measured(begins: Beginning) -> Loop:
    allow = begins.request.allow_absent
    return first_look.measured(begins.loop, begins.env, begins.named, allow_absent=allow)


def _with_judge(begins: Beginning) -> Loop:
    return judge.found(begins.loop, begins.env, allow_absent=begins.request.allow_absent)


def _with_a_folder(begins: Beginning) -> Loop:
    """Trust the project, and make its state folder with the resolved configuration: only now that a loop begins."""
    place, env = begins.place, begins.env
    if begins.loop.turns.own_prompt < 0:
        _refuse_anew(place, env)
    config = places.usual(place.root, env)
    trust.grant(place.root, env)
    store.make_base(place.base)
    store.make_base(config)
    effective.refresh(place.root, config)
    return begins.loop


def _with_a_name(begins: Beginning) -> Loop:
    return begins.loop._replace(loop_id=store.fresh_id(begins.place.base, begins.loop.clock.round_started))


def _with_times(begins: Beginning) -> Loop:
    return begins.loop.put(begins.loop.history._replace(suites=times.remembered(begins.place)))


def _with_its_tree(begins: Beginning) -> Loop:
    """The work tree that it starts from, as far as that can be kept."""
    place, loop = begins.place, begins.loop
    pruning.at_start(place)
    kept = snapshots.keep(place, begins.reading, loop.loop_id, snapshots.START, snapshots.AT_START)
    path = snapshots.path_of(place, kept.ref)
    return loop.put(loop.start._replace(start_ref=kept.ref), loop.history._replace(snapshot_path=path))


def _begun(begins: Beginning) -> Loop:
    """Saved and sealed in its session, or where it waits for one."""
    place, loop, env = begins.place, begins.loop, begins.env
    if loop.status == "waiting":
        wait(place, loop, env, replace=begins.request.replace)
        return loop
    os.makedirs(place.folder, mode=0o700, exist_ok=True)
    with sessions.locked(place):
        loop = ending.replacing(place, loop, env, replace=begins.request.replace)
        store.save(place, loop)
        seal.begin(env, place, loop, "" if loop.turns.own_prompt >= 0 else _behind(loop))
    memory.record(place, loop, "start", loop=loop)
    return loop


# what may refuse comes first: nothing is written before `_with_a_folder`
STEPS: tuple[Callable[[Beginning], Loop], ...] = (
    _measured,
    _with_judge,
    _with_a_folder,
    _with_a_name,
    _with_times,
    _with_its_tree,
    _begun,
)


def wait(
    place: Place, loop: Loop, env: Mapping[str, str], *, replace: bool = False, sealed: seal.Seal | None = None
) -> None:
    """Let the loop wait for the next session, under the seal that it has, or a new one. Raises UserError, OSError,
    locks.Busy."""
    folder = os.path.join(place.base, NEXT)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    held = locks.hold(os.open(folder, os.O_RDONLY), folder, _WAIT)
    try:
        _alone(place, env, replace=replace)
        path = os.path.join(folder, f"{loop.loop_id}.json")
        store.save_loop(path, loop)
        if sealed is None:
            seal.begin(env, seal.of_waiting(place, path), loop)
        else:
            seal.put(env, seal.of_waiting(place, path), sealed)
    finally:
        os.close(held)


def _alone(place: Place, env: Mapping[str, str], *, replace: bool) -> None:
    """One loop waits at most. Raises UserError where another does, and may not be replaced."""
    for path, waits in ownership.waiting(place.base, place.root):
        if not replace:
            raise UserError(
                f"{waits.loop_id} waits for the next session already",
                "end it with cancel-loop --session next, or start with --replace",
            )
        os.unlink(path)
        seal.put(env, seal.of_waiting(place, path), None)


def _refuse_anew(place: Place, env: Mapping[str, str]) -> None:
    """Raise UserError where a loop ran that the project was trusted for, and it is so no more."""
    if seal.read(env, place) is not None and not trust.trusted(place.root, env):
        why = "the project is not trusted any more, and its user was not told yet how its loop ended"
        raise UserError(why, "run untilgreen trust")


def _behind(loop: Loop) -> str:
    """What the user is to hear of a loop that took another one's place from a shell."""
    return (
        brief.gone(f"was replaced from a shell by {loop.loop_id}", loop.start.replaced) if loop.start.replaced else ""
    )
