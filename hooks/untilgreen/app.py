"""What each hook does first, and which part of the house does the rest.

A stop that finds no running loop ends here: what follows costs more to import than to run.
"""

import os
from collections.abc import Mapping

from untilgreen import clock, hosts, locks, log, project, store, trust
from untilgreen.core.model import Reply
from untilgreen.payload import Call, NotUnderstood, known, notice, understand
from untilgreen.store import Place

# what switched these hooks off in the system that they come from (seed 004)
_SEED_SWITCHES = {
    "post-tool-lsp": "JIKIME_DISABLE_LSP_DIAGNOSTIC",
    "post-tool-ast-grep": "JIKIME_DISABLE_AST_GREP_SCAN",
}


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
        loop = known(said)
        if loop is None or not (loop.active or loop.unjudged) or project.refused(said.place.root, call.env):
            return Reply()
        if loop.active and loop.mode == "loop":
            from untilgreen import stopping

            return stopping.answer(said, call, began)
        if not loop.unjudged or loop.auto_off:
            return Reply()
        from untilgreen import automatic

        return automatic.answer(said, call, began)
    except store.Unreadable as error:
        log.write(said.place.base, str(error))
        return notice(f"{error}; the stop was not judged")


def edit(name: str, call: Call) -> Reply:
    """The agent wrote a file."""
    from untilgreen import languages

    began = clock.began()
    try:
        said = understand(call, "edit")
    except NotUnderstood as error:
        return notice(f"{error}; no file was looked at")
    path = said.event.edit.path if said.event.edit else ""
    if languages.suffix(path) not in languages.HOOKS[name][1] or call.env.get(_SEED_SWITCHES.get(name, "")) == "1":
        return Reply()
    if not os.path.isdir(said.place.base) or off(said.place, call.env) or project.refused(said.place.root, call.env):
        return Reply()
    from untilgreen import edits

    try:
        return edits.answer(name, said, call, began)
    except store.Unreadable as error:
        log.write(said.place.base, str(error))
        return notice(f"{error}; {path} was not looked at")


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
    call = Call(raw, env, options)
    return _HOOKS[name](call) if name in _HOOKS else edit(name, call)
