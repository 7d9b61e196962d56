"""What each hook does first, and which part of the house does the rest.

A stop that finds no running loop ends here: what follows costs more to import than to run.
"""

import os
from collections.abc import Mapping

from untilgreen import hosts
from untilgreen.core.model import Loop, Place, Reply
from untilgreen.events.payload import Call, NotUnderstood, Said, known, notice, understand
from untilgreen.events.trace import Trace
from untilgreen.project import toplevel, trust
from untilgreen.state import call_marks, clock, locks, log, store
from untilgreen.state.place import STATE

# what switched these hooks off in the system that they come from (seed 004)
_SEED_SWITCHES = {
    "post-tool-lsp": "JIKIME_DISABLE_LSP_DIAGNOSTIC",
    "post-tool-ast-grep": "JIKIME_DISABLE_AST_GREP_SCAN",
}


def on_stop(call: Call) -> Reply:
    """The agent wants to stop."""
    trace = Trace(clock.began())
    try:
        said = understand(call, "stop")
    except NotUnderstood as error:
        call_marks.misunderstood(str(error), call.env, call.options.get("project", ""), call.options.get("host", ""))
        return notice(f"{error}; nothing was judged", call, "stop")
    trace.took("start")
    if said.host.name != hosts.GENERIC and not said.event.session:
        from untilgreen.events import by_hand

        idle = said.event.name != "stop" or off(said.place, call.env)
        return Reply() if idle else by_hand.judge(said, call)
    try:
        return _judged(said, call, trace)
    except store.Unreadable as error:
        trace.decided(0, "unjudged", str(error))
        log.write(said.place.base, str(error))
        return notice(f"{error}; the stop was not judged", said)
    finally:
        trace.keep(said)


def _judged(said: Said, call: Call, trace: Trace) -> Reply:
    """The stop of a session. Raises store.Unreadable."""
    step, why = 1, off(said.place, call.env)
    if not why:
        trace.passed(1)
        step, why = 2, _foreign(said, call)
    loop = trace.loop = None if why else known(said)
    if not why:
        step, why = _nothing(said, loop)
    if why or loop is None:
        return trace.allowed(step, why)
    if loop.active and loop.mode == "loop":
        from untilgreen.events import stop

        return stop.answer(said, call, trace)
    from untilgreen.events import stop_auto

    return stop_auto.answer(said, call, trace)


def _foreign(said: Said, call: Call) -> str:
    """Why the call is none of ours, whatever is known here; "" when it may be."""
    if said.host.name == hosts.GENERIC:
        return "a host without an adapter"
    if said.event.name != "stop":
        return "no stop, but another event"
    return toplevel.refused(said.place.root, call.env)


def _nothing(said: Said, loop: Loop | None) -> tuple[int, str]:
    """The step that ends the stop of a session with this loop, and why; (0, "") when it may have to be judged."""
    if loop is None and os.path.exists(said.place.file(STATE)):
        return 2, "what is kept here is another session's or another project's"
    if loop is None:
        return 7, "nobody began a loop, and no file is known that the session wrote"
    if loop.active and loop.mode == "loop":
        return 0, ""
    if loop.auto_off:
        return 7, "no loop runs, and a cancel switched the rest off for this session"
    if not loop.unjudged:
        return 7, "no loop runs, and the session wrote nothing since it was last let go"
    return 0, ""


def on_edit(name: str, call: Call) -> Reply:
    """The agent wrote a file."""
    from untilgreen.core import languages

    began = clock.began()
    try:
        said = understand(call, "edit")
    except NotUnderstood as error:
        return notice(f"{error}; no file was looked at", call, "edit")
    edits = tuple(one for one in said.event.edits if languages.fits(one.path, languages.HOOKS[name][1]))
    if not edits or call.env.get(_SEED_SWITCHES.get(name, "")) == "1":
        return Reply()
    if not os.path.isdir(said.place.base) or off(said.place, call.env) or toplevel.refused(said.place.root, call.env):
        return Reply()
    from untilgreen.events import edit

    try:
        return edit.answer(name, edits, said, call, began)
    except store.Unreadable as error:
        log.write(said.place.base, str(error))
        return notice(f"{error}; {edits[0].path} was not looked at", said)


def off(place: Place, env: Mapping[str, str]) -> str:
    """What switches us off: the environment, or an off file of the user, the project or the session; "" when nothing
    does."""
    if env.get("JIKIME_DISABLE_LOOP_CONTROLLER") == "1":
        return "JIKIME_DISABLE_LOOP_CONTROLLER=1"
    files = (os.path.join(trust.folder(env), "off"), os.path.join(place.base, "off"), place.file("off"))
    return next((f"the file {path}" for path in files if os.path.exists(path)), "")


def on_session(call: Call) -> Reply:
    """A session begins or ends, or its user speaks."""
    from untilgreen.events import session

    try:
        said = understand(call, "other")
    except NotUnderstood as error:
        return notice(f"{error}; nothing was done", call)
    if said.host.name == hosts.GENERIC or not said.event.session or said.event.agent_id:
        return Reply()
    try:
        return session.answer(said, call.env)
    except store.Unreadable as error:
        reason = str(error)
    except locks.Busy:
        reason = "another process holds the state of this session; the prompt was not noted"
    except OSError as error:
        reason = f"the state could not be saved: {error}"
    log.write(said.place.base, reason)
    return notice(reason, said)


_HOOKS = {"stop-loop": on_stop, "session-loop": on_session}


def answer(name: str, raw: bytes, env: Mapping[str, str], options: Mapping[str, str]) -> Reply:
    """What the executable `name` says to this payload."""
    call = Call(raw, env, options)
    return _HOOKS[name](call) if name in _HOOKS else on_edit(name, call)
