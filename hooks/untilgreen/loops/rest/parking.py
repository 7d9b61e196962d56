"""Loops that rest: paused by their user, who says when they go on, or parked (the session ended, the model could not be
asked) until its next prompt or stop. They hold nobody, and their clock stands still. What a prompt asks of a loop is
decided here, too. A turn that no stop ended before the next prompt's was interrupted: hosts tell nobody.
"""

import time
from collections.abc import Callable, Mapping

from untilgreen.core.model.event import Event, Place, Session, TurnFailure
from untilgreen.core.model.groups import Rest
from untilgreen.core.model.loop import Loop
from untilgreen.core.record import Literal, NamedTuple
from untilgreen.core.verdict import wishes
from untilgreen.core.words import brief
from untilgreen.state import clock, sessions, store
from untilgreen.state.place import STATE

ENDED = "the session ended"
CLEARED = "/clear ended the session"
GONE = "its host is gone"
# of a run
INTERRUPTED = "interrupted"
KILLED = "the runner was killed"
IDLE = "nothing has changed, or nothing is judged"
_WAIT = 10.0  # seconds for the session's lock
_AT_AN_END = 1.0  # then: a host gives all hooks one and a half
_ROOM = 160  # characters of what the host said
_WORDS = {
    "authentication_failed": "not logged in",
    "oauth_org_not_allowed": "the organisation does not allow it",
    "billing_error": "billing",
    **dict.fromkeys(("invalid_request", "unknown", ""), "API error"),
}


class Heard(NamedTuple):
    """What a prompt did to the loop: how it is told, and the loop since then."""

    told: Literal["paused", "goes_on", "dropped", "cancelled"]
    loop: Loop
    parked: str = ""  #: why it was parked until now


# The changes of a running loop's status. `policy.over` ends one, `attempts.reopened` begins one that is over again.


def resting(loop: Loop, *, paused: str = "", parked: str = "", until: str = "") -> Loop:
    return _turned(loop, "paused", loop.rest._replace(paused=paused, parked=parked, parked_until=until))


def going(loop: Loop, started: float = 0.0) -> Loop:
    """The loop as it goes on. `started`: when its round does, in seconds since the epoch; 0: nobody works on it yet."""
    return _turned(loop, "running", loop.rest._replace(paused="", parked="", parked_until=""), started)


def waiting(loop: Loop) -> Loop:
    """The loop, which rests, as it waits for the next session that prompts."""
    loop = in_session(loop, "")
    return loop.put(loop.rest._replace(waited={}))._replace(status="waiting")


def in_session(loop: Loop, session_id: str, prompts: int = 0) -> Loop:
    """The loop in another session, which had so many `prompts`: the next one is the loop's own again."""
    left = [loop.session_id] if loop.session_id else []
    return loop.put(
        loop.spent._replace(sessions=tuple(dict.fromkeys((*loop.spent.sessions, *left)))),
        loop.turns._replace(
            own_prompt=-1, prompts_at_start=prompts, prompts_seen=prompts, turn_id="", answered=0, turn_holds=0
        ),
        loop.rest._replace(told=""),
    )._replace(session_id=session_id)


def _turned(loop: Loop, status: str, rest: Rest, started: float = 0.0) -> Loop:
    turned = loop.put(rest, loop.clock._replace(round_started=started))
    return turned._replace(status=status, updated_at=clock.iso(time.time()))


def change(
    place: Place, env: Mapping[str, str], wanted: Callable[[Loop], Loop | None], seconds: float = _WAIT
) -> sessions.Changed | None:
    """As `sessions.change`, of a loop that rests from now on, or did: that is recorded."""
    changed = sessions.change(place, env, wanted, seconds=seconds)
    if changed and (changed.before.rests or changed.after.rests):
        record(place, changed.after)
    return changed


def record(place: Place, after: Loop) -> None:
    """Record that a loop rests or goes on: every way into a rest and out of it, without the session's lock."""
    from untilgreen.state import memory

    rest = after.rest
    what = "pause" if rest.paused else "park" if rest.parked else "resume"
    facts = {"until": rest.parked_until} if rest.parked_until else {}
    memory.record(place, after, what, loop_id=after.loop_id, reason=rest.paused or rest.parked, **facts)


def park(place: Place, env: Mapping[str, str], why: str) -> Loop | None:
    """Park the running loop of a session that ended; one that rests keeps its reason. Raises as `sessions.change`."""
    changed = change(place, env, lambda loop: None if loop.rests else resting(loop, parked=why), _AT_AN_END)
    return changed.after if changed else None


def fail(place: Place, env: Mapping[str, str], failure: TurnFailure, seconds: float = 0.0) -> Loop | None:
    """Park the running loop, whose turn failed, until the moment that the failure names, or for so many `seconds`. It
    replaces an earlier failure; the round's time counts. Raises as `park`."""
    from untilgreen.loops.rest import resets

    now = time.time()
    until = resets.moment(failure.text, now) or (now + seconds if seconds else 0.0)

    def parked(loop: Loop) -> Loop | None:
        after = resting(loop, parked=reason(failure), until=clock.iso(until) if until else "")
        return None if loop.rest.paused else after.worked(since(loop, store.read_session(place)))

    changed = change(place, env, parked, _AT_AN_END)
    return changed.after if changed else None


def go_on(place: Place, env: Mapping[str, str]) -> Loop | None:
    """The loop of a run goes on, and its clock does. None where it is over. Raises as `park`."""
    loop = store.look_at(place.file(STATE))
    if loop is None or not loop.active:
        return None
    if loop.clock.round_started and not loop.rests:
        return loop
    changed = change(place, env, lambda now: going(now, time.time()) if now.loop_id == loop.loop_id else None)
    return changed.after if changed else None


def reason(failure: TurnFailure) -> str:
    """Why a turn failed, in a line: `rate limit: You've hit your limit · resets 3pm`."""
    kind = _WORDS.get(failure.kind, brief.clean(failure.kind.replace("_", " "), 40))
    text = brief.clean(failure.text, _ROOM)
    return text if text.lower().startswith(kind.lower()) else ": ".join(filter(None, (kind, text)))


def since(loop: Loop, session: Session) -> float:
    """Seconds of work since the loop's round or its turn began."""
    since = 0.0 if loop.rests else max(loop.clock.round_started, session.turn_started)
    return max(0.0, time.time() - since) if since else 0.0


def shown(loop: Loop) -> str:
    """`parked until 15:00`, by the clock on the wall; "" where the loop is not parked."""
    if not loop.rest.parked:
        return ""
    return f"parked until {clock.local(loop.rest.parked_until)}" if loop.rest.parked_until else "parked"


def why(loop: Loop) -> str:
    """`parked until 15:00: rate limit: …`: the whole of it, in a line."""
    return f"{shown(loop)}: {brief.clean(loop.rest.parked, 240)}" if loop.rest.parked else ""


def heard(place: Place, event: Event, env: Mapping[str, str]) -> Heard | None:
    """Do what the prompt asks of the loop, before it is counted; None for nothing. Raises as `park`."""
    loop = store.known(place).running
    if loop is None or not store.is_ours(loop, place):
        return None
    wish, session = wishes.of(event.prompt), store.read_session(place)
    if wish == "go on":
        return _changed(place, env, "") if loop.rests else None
    if wish == "stop":
        return None if loop.rest.paused else _changed(place, env, "by you")
    if loop.rest.parked:
        return _changed(place, env, "")
    if not _interrupted(loop, session, event):
        return None
    if is_corrected(place, event, loop, session):
        return _ended(place, env, "dropped")
    on_interrupt = loop.settings.on_interrupt
    if on_interrupt == "keep" or event.prompt.rstrip().endswith(("?", "\uff1f", "\u061f")):  # a question, and no task
        return None
    if on_interrupt == "cancel":
        return _ended(place, env, "cancelled")
    return _changed(place, env, "by another task")


def is_corrected(place: Place, event: Event, loop: Loop, session: Session) -> bool:
    """Whether the turn of the loop's own command was interrupted before a stop or a change: a command that begins
    another loop is the same one, corrected."""
    own = loop.begun_by == "user" and session.turn == loop.turns.own_prompt > session.stopped
    if not own or loop.history.snapshots or not _interrupted(loop, session, event):
        return False
    from untilgreen.state import noted

    return noted.fingerprint(place.root, place.base) == loop.history.tree_at_start


def _interrupted(loop: Loop, session: Session, event: Event) -> bool:
    another = event.prompt_id != "" and session.turn_id not in ("", event.prompt_id)
    return another and not loop.rests and session.turn > session.rested


def _ended(place: Place, env: Mapping[str, str], told: Literal["dropped", "cancelled"]) -> Heard | None:
    from untilgreen.loops.rest import ending  # with all that a verdict needs

    loop = ending.cancel(place, env, told=True)
    return Heard(told, loop) if loop else None


def _changed(place: Place, env: Mapping[str, str], pause: str) -> Heard | None:
    """The loop paused; with "" for `pause` going on."""

    def wanted(loop: Loop) -> Loop | None:
        if pause:
            return None if loop.rest.paused else resting(loop, paused=pause)
        return going(loop, time.time()) if loop.rests else None

    changed = change(place, env, wanted)
    return Heard("paused" if pause else "goes_on", changed.after, why(changed.before)) if changed else None
