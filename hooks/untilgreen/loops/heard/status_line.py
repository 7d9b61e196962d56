"""The status line: one line about this session's loop, which the host asks for every few seconds. It only looks: it
takes no lock, and leaves unreadable state to others. A fault is silence."""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from untilgreen.core.model.loop import Edits, Loop

_SHORTLY = 600.0  # seconds for which a loop's end is told


def main() -> None:
    """Print the line for the payload on stdin. Ends the process."""
    raw = sys.stdin.buffer.read() if sys.stdin else b""
    line = "" if os.environ.get("UNTILGREEN_DISABLE") == "1" else shown(raw, os.environ)
    try:
        if line and sys.stdout:
            sys.stdout.buffer.write(line.encode("utf-8", "replace") + b"\n")
            sys.stdout.buffer.flush()
    except OSError:
        pass  # the host has gone
    os._exit(0)


def shown(raw: bytes, env: "Mapping[str, str]") -> str:
    """The line for this payload, "" where there is nothing to say."""
    try:
        from untilgreen import hosts
        from untilgreen.state import place

        if hosts.project(env) and not os.path.isdir(place.base_of(place.root_of(env), env)):
            return ""  # most sessions of a user's own status line: a project that has no state at all
        import json
        import time

        payload = json.loads(raw.decode("utf-8", "replace"))
        return _line(payload, env, time.time())
    except Exception:  # noqa: BLE001 a line that is redrawn every few seconds is no place for a fault
        return ""


def _line(payload: "Mapping[str, Any]", env: "Mapping[str, str]", now: float) -> str:
    from untilgreen.core.words import brief
    from untilgreen.state import clock, store, under_way
    from untilgreen.state.place import NEXT, STATE, base_of, of, root_of

    session = payload.get("session_id")
    if not isinstance(session, str) or not session:
        return ""
    workspace = payload.get("workspace")
    folder = workspace.get("project_dir") if isinstance(workspace, dict) else None
    root = root_of(env, cwd=str(folder or payload.get("cwd") or ""))
    place = of(root, base_of(root, env), session)

    def ours(one: "Loop | Edits | None") -> bool:
        return one is not None and store.is_ours(one, place, session)

    loop, edits = store.look_at(place.file(STATE)), store.look_at_edits(place)
    if loop and ours(loop) and loop.active:
        cost, parked = payload.get("cost"), ""
        if loop.settings.budget.max_cost and isinstance(cost, dict):
            from untilgreen.state import bill

            bill.note(place, loop, cost.get("total_cost_usd"))
        if loop.rest.parked:
            from untilgreen.loops.rest import parking

            parked = parking.shown(loop)
        seconds = elapsed(loop, store.read_session(place).turn_started, now)
        return brief.running(loop, seconds, checking=under_way.told(place, now), parked=parked)
    if edits and ours(edits) and edits.held:
        return brief.running(edits.held, 0.0, checking=under_way.told(place, now), auto=True)
    next_one = os.path.join(place.base, NEXT)
    for name in os.listdir(next_one) if os.path.isdir(next_one) else ():
        waits = store.look_at(os.path.join(next_one, name)) if name.endswith(".json") else None
        if waits and waits.active and store.is_ours(waits, place):
            return "untilgreen · waiting · starts with the next prompt"
    return brief.ended(loop) if loop and ours(loop) and clock.iso(now - _SHORTLY) < (loop.end.ended_at or "") else ""


def elapsed(loop: "Loop", turn_started: float, now: float) -> float:
    """Seconds of work, the running round with them, as a stop adds them up. After a stop that was allowed the agent
    rests: the round then began when nothing was started, counted or bound."""
    from untilgreen.core.words.brief import LONGEST
    from untilgreen.state import clock

    began, turn_started, before = (
        value if 0 <= value < LONGEST else 0.0
        for value in (loop.clock.round_started, turn_started, loop.clock.elapsed_seconds)
    )
    known = (loop.started_at, loop.clock.last_iteration_at, loop.updated_at)
    rests = (turn_started <= began and clock.iso(began) not in known) or loop.status == "paused"
    since = 0.0 if rests else max(began, turn_started)
    return before + (max(0.0, now - since) if since else 0.0)


if __name__ == "__main__":
    # run as a file, with -I: the package's parent comes before site-packages, after the standard library
    here = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))
    sys.path.insert(next((i for i, p in enumerate(sys.path) if p.endswith("-packages")), len(sys.path)), here)
    main()
