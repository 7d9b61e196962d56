"""What each hook does first, and which part of the house does the rest.

A stop that finds no running loop ends here: what follows costs more to import than to run.
"""

import os
from collections.abc import Mapping

from untilgreen import clock, hosts, locks, log, project, store, trust
from untilgreen.core.model import Reply
from untilgreen.payload import Call, NotUnderstood, notice, running, understand
from untilgreen.store import Place


def stop(call: Call) -> Reply:
    """The agent wants to stop."""
    began = clock.began()
    try:
        said = understand(call, "stop")
    except NotUnderstood as error:
        return notice(f"{error}; nothing was judged")
    if said.host is hosts.generic or said.event.name != "stop" or off(said.place, call.env):
        return Reply()
    if not said.event.session:
        from untilgreen import by_hand

        return by_hand.judge(said, call)
    try:
        if running(said) is None or project.refused(said.place.root, call.env):
            return Reply()
        from untilgreen import stopping

        return stopping.answer(said, call, began)
    except store.Unreadable as error:
        log.write(said.place.base, str(error))
        return notice(f"{error}; the stop was not judged")


def off(place: Place, env: Mapping[str, str]) -> bool:
    """Switched off by the environment, or by an off file of the user, the project or the session."""
    if env.get("JIKIME_DISABLE_LOOP_CONTROLLER") == "1":
        return True
    files = (os.path.join(trust.folder(env), "off"), os.path.join(place.base, "off"), place.file("off"))
    return any(os.path.exists(path) for path in files)


def session(call: Call) -> Reply:
    """A session begins or ends, or its user speaks."""
    from untilgreen import sessions

    try:
        said = understand(call, "other")
    except NotUnderstood as error:
        return notice(f"{error}; nothing was done")
    if said.host is hosts.generic or not said.event.session or said.event.agent_id:
        return Reply()
    try:
        return sessions.answer(said, call.env)
    except store.Unreadable as error:
        reason = str(error)
    except locks.Busy:
        reason = "another process holds the state of this session; the prompt was not noted"
    except OSError as error:
        reason = f"the state could not be saved: {error}"
    log.write(said.place.base, reason)
    return notice(reason)


_HOOKS = {"stop-loop": stop, "session-loop": session}


def answer(name: str, raw: bytes, env: Mapping[str, str], options: Mapping[str, str]) -> Reply:
    """What the executable `name` says to this payload."""
    return _HOOKS[name](Call(raw, env, options))
