"""Beginning and cancelling loops: called by the commands and by session-loop."""

import os
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple

from untilgreen import checkers
from untilgreen.checks import checking, planning
from untilgreen.core import measure, policy
from untilgreen.core.errors import UserError
from untilgreen.core.model.check import Check
from untilgreen.core.model.event import Place
from untilgreen.core.model.loop import SCHEMA_VERSION, Edits, Loop
from untilgreen.core.model.outcome import Broken
from untilgreen.core.model.settings import Criteria, Settings
from untilgreen.core.model.snapshot import Snapshot
from untilgreen.project import text, tools, toplevel, trust, worktree
from untilgreen.state import clock, locks, memory, store
from untilgreen.state.place import STATE

_BASELINE = 2.0  # seconds for everything that a start measures
_LINTERS = 1.2  # of these for the linters
_WAIT = 10.0  # seconds for a lock


class Order(NamedTuple):
    """What a loop is to be: the task, the effective settings, and which criteria were asked for by name."""

    task: str
    settings: Settings
    criteria: Criteria
    promise_only: bool = False
    description: str = ""
    targets: tuple[str, ...] = ()
    named: frozenset[str] = frozenset()
    allow_absent: bool = False
    replace: bool = False


def start(order: Order, place: Place, session_id: str, env: Mapping[str, str], own_prompt: int = -1) -> Loop:
    """Begin a loop for a session; for "next" it waits in the state folder for the next session that prompts.

    Raises UserError for what a person can mend, OSError where the state cannot be written.
    """
    refuse(place.root, env)
    store.make_base(place.base)
    loop = _new(order, place, session_id, env, own_prompt)
    trust.grant(place.root, env)
    if session_id == "next":
        folder = os.path.join(place.base, "next")
        os.makedirs(folder, mode=0o700, exist_ok=True)
        store.save_loop(os.path.join(folder, f"{loop.loop_id}.json"), loop)
        return loop
    os.makedirs(place.folder, mode=0o700, exist_ok=True)
    with locks.locked(place.file("state.lock"), _WAIT):
        make_room(place, order.replace)
        store.save(place, loop)
    memory.record(place, loop, "start", loop=loop)
    return loop


def refuse(root: str, env: Mapping[str, str]) -> None:
    """Raise UserError where no loop may begin in this folder."""
    reason = toplevel.refused(root, env)
    if reason:
        raise UserError(reason, "start in a project, or name one with --project")


def _new(order: Order, place: Place, session_id: str, env: Mapping[str, str], own_prompt: int) -> Loop:
    """The loop with all that is measured at its start."""
    began, now = time.monotonic(), time.time()
    loop = _ordered(order, place, clock.iso(now))
    prompts = store.read_session(place).prompts
    tree = worktree.fingerprint(place.root, (place.base,))
    loop = loop._replace(
        loop_id=store.fresh_id(place.base, now),
        session_id="" if session_id == "next" else session_id,
        status="waiting" if session_id == "next" else "running",
        round_started=now,
        prompts_at_start=prompts,
        prompts_seen=prompts,
        own_prompt=own_prompt,
        tree_at_start=tree,
        tree=tree,
    )
    if order.promise_only:
        return loop
    files = worktree.files(place.root)
    asked = tools.ask_environments(place.root, env)
    scope = planning.CheckScope(place.root, order.settings, order.criteria, env, True, asked, order.targets)
    plan = planning.plan(scope, files)
    _refuse_absent(order, plan)
    initial = _initial(order, scope, plan, began + _LINTERS, now)
    seen = text.read(place.root, files, began + _BASELINE)
    return loop._replace(asked=asked, plan=plan, initial=initial, current=initial, text=seen)


def _ordered(order: Order, place: Place, now: str) -> Loop:
    """The loop as it was asked for."""
    return Loop(
        schema_version=SCHEMA_VERSION,
        loop_id="",
        active=True,
        session_id="",
        started_at=now,
        updated_at=now,
        iteration=1,
        task_description=order.task,
        target_files=order.targets,
        completion_criteria=order.criteria,
        description=order.description,
        project=place.root,
        promise_only=order.promise_only,
        settings=order.settings,
    )


def _initial(
    order: Order, scope: planning.CheckScope, plan: tuple[Check, ...], until: float, now: float
) -> Snapshot | None:
    """Snapshot 0: what file linters say at once; None where they do not answer in time."""
    there = (check for check in plan if check.checker != "custom" and not check.absent)
    linters = tuple(check for check in there if checkers.get(check.checker).edit == "lint")
    results = checking.run(scope, linters, until)
    if not results or any(isinstance(outcome, Broken) for _, outcome in results):
        return None
    return measure.snapshot(results, measure.Standard(order.criteria, order.targets), 0, clock.iso(now))


def _refuse_absent(order: Order, plan: tuple[Check, ...]) -> None:
    for name in () if order.allow_absent else sorted(order.named):
        missing = planning.missing(name, plan)
        if missing:
            raise UserError(f"{name}: {missing}", "install it, leave the criterion out, or give --allow-absent")


def make_room(place: Place, replace: bool) -> None:
    """Put the session's last loop into its archive; a running one only when told to. A stop that is held without a loop
    is held no more: from now on the loop's stops count."""
    last = store.read_loop(place.file(STATE))
    for name in os.listdir(place.folder):
        if name.endswith(".tmp"):  # what a killed process left half written
            with suppress(FileNotFoundError):  # or one that lives finished just now
                os.unlink(place.file(name))
    if last is not None and last.active and not replace:
        raise UserError(
            f"a loop is running in this session (round {last.iteration}/{last.settings.max_iterations})",
            "end it with cancel-loop, or start with --replace",
        )
    store.carry_over(place)
    edits = store.read_edits(place)
    if edits is not None and edits.held:
        store.save_edits(place, edits._replace(turn=None))
    if last is None or not last.begun:
        return
    if last.active:
        last = cancelled(last)
        memory.record(place, last, "cancel", loop_id=last.loop_id)
    _archive(place, last)


def _archive(place: Place, loop: Loop) -> None:
    """Keep a loop that is over. Raises OSError."""
    folder = place.file("loops")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    store.save_loop(os.path.join(folder, f"{loop.loop_id}.json"), loop)


def cancelled(loop: Loop) -> Loop:
    """The tombstone of a loop."""
    return policy.over(loop, "cancelled", "Cancelled by user", clock.iso(time.time()))


def cancel(place: Place) -> Loop | None:
    """Cancel the session's running loop, or what holds it without one; None when nothing does. Stops without a loop are
    switched off for the session. Wins over a stop that still checks. Raises OSError."""
    if not os.path.isdir(place.folder):
        return None
    with locks.locked(place.file("state.lock"), _WAIT):
        known = store.known(place)
        held = known.running or (known.edits.held if known.edits else None)
        if held is None:
            return None
        over = cancelled(held)
        edits = known.edits or Edits(SCHEMA_VERSION, held.session_id, held.project)
        turn = over if known.running is None else edits.turn
        store.save_edits(place, edits._replace(off=True, unjudged=(), turn=turn))
        if known.running:
            store.save(place, over)
    memory.record(place, over, "cancel", loop_id=over.loop_id)
    return over
