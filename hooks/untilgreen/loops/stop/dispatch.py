"""What each hook does first, and which part of the house does the rest.

A stop that finds no running loop ends here: what follows costs more to import than to run.
"""

import os
from collections.abc import Mapping

from untilgreen import hosts
from untilgreen.core.model.event import Event, Message, Reply
from untilgreen.loops.stop.payload import Call, NotUnderstood, context, notice, speak, understand
from untilgreen.project import trust
from untilgreen.state import call_marks, clock, log
from untilgreen.state.place import HINTS, NEXT, has_loop, has_neighbours, is_folder, is_sealed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from untilgreen.core.model.event import ToolUse
    from untilgreen.loops.stop.trace import Trace

_UNPROMPTED = ("vibe",)  # no hook hears of their prompts: a loop that waits for a session begins at its stop
_NOTES_EDITS = "post-tool-lint"  # of the hooks that each edit starts, which look at some files only
# what switched these hooks off in the system that they come from (seed 004)
_SEED_SWITCHES = {
    "post-tool-lsp": "JIKIME_DISABLE_LSP_DIAGNOSTIC",
    "post-tool-ast-grep": "JIKIME_DISABLE_AST_GREP_SCAN",
}


def answer(name: str, raw: bytes, env: Mapping[str, str], options: Mapping[str, str]) -> Reply:
    """What the executable `name` says to this payload."""
    hook, event, undone = _HOOKS.get(name, (on_edit, "edit", "no file was looked at"))
    named = Event(event, options.get("host", "") or hosts.DEFAULT)
    try:
        return hook(name, understand(raw, env, options, event))
    except NotUnderstood as error:
        if name == "stop-loop":
            call_marks.misunderstood(str(error), env, options.get("project", ""), options.get("host", ""))
        return notice(f"{error}; {undone}", named)
    except trust.Unread as error:  # whose state this is, and what may run, nobody knows
        return notice(f"{error}; nothing was judged", named)


def on_stop(_name: str, call: Call) -> Reply:
    """The agent wants to stop; or a teammate calls its task done, or wants to rest, while its lead's loop runs."""
    event, base = call.event, call.place.base
    if event.name in ("task", "idle"):
        if not (event.session and _is_heard(call) and has_loop(base, event.session)):
            return Reply()
        from untilgreen.loops.unasked import team

        return team.answer(call)
    if call.host.name != hosts.GENERIC and not event.session:
        from untilgreen.loops.unasked import by_hand

        return Reply() if event.name != "stop" or call.off else by_hand.judge(call)
    return of_session(call, clock.began())


def of_session(call: Call, began: float) -> Reply:
    """The stop of a session. `began`: when it came, in seconds since the epoch."""
    from untilgreen.loops.stop.trace import Trace
    from untilgreen.state import store

    trace = Trace(began)
    trace.took("start")
    if call.event.name == "stop" and call.host.name != hosts.GENERIC:
        call = _with_unsaid(call)
    try:
        return _spoken(call, _judged(call, trace))
    except store.Unreadable as error:
        trace.decided(0, "unjudged", str(error))
        log.write(call.place.base, str(error))
        return notice(f"{error}; the stop was not judged", call)
    finally:
        trace.keep(call)


def _with_unsaid(call: Call) -> Call:
    """The call of a stop or prompt with what its user was not told yet of the session's loop."""
    if call.event.agent_id or not is_sealed(call.env, call.event.session):
        return call
    from untilgreen.loops.heard import unsaid

    return call._replace(unsaid=unsaid.line(call))


def _spoken(call: Call, reply: Reply) -> Reply:
    """The reply; where that is silence, what the user is to be told all the same."""
    return speak(call, "allow", Message()) if call.unsaid and reply == Reply() else reply


def _judged(call: Call, trace: "Trace") -> Reply:
    """The stop of a session. Raises store.Unreadable."""
    if call.off:
        return trace.allowed(1, call.off)
    trace.passed(1)
    if why := _foreign(call):
        return trace.allowed(2, why)
    from untilgreen.state import store

    found = store.known_here(call.place, call.event.session)
    awaits = call.event.host in _UNPROMPTED and not (found.running or call.event.agent_id)
    if awaits and is_folder(os.path.join(call.place.base, NEXT)):
        from untilgreen.loops.heard import session

        session.take_waiting(call)
        found = store.known_here(call.place, call.event.session)
    trace.of(found)
    if not found.running:
        if store.is_foreign(call.place, found):
            return trace.allowed(2, "what is kept here is another session's or another project's")
        if found.edits is None and found.loop is None:
            return trace.allowed(7, "nobody began a loop, and no file is known that the session wrote")
        if found.edits is not None and found.edits.off:
            return trace.allowed(7, "no loop runs, and a cancel or a handover switched the rest off for this session")
        if found.edits is None or not found.edits.unjudged:
            return trace.allowed(7, "no loop runs, and the session wrote nothing since it was last let go")
    from untilgreen.loops.stop import road

    return road.answer(call, found, trace)


def _foreign(call: Call) -> str:
    """Why the call is not ours to judge, whatever is known here; "" where it may be."""
    event = call.event
    if call.host.name == hosts.GENERIC:
        return "a host without an adapter"
    if event.name != "stop":
        return "no stop, but another event"
    if event.message is None and event.transcript and call.host.facts.stops_when_interrupted:
        try:  # nobody wants to stop where the turn was broken off, which such a host calls a stop, too
            if call.host.last_message(event.transcript) is None:
                return "its user interrupted the turn, and nobody answered"
        except OSError:
            pass  # it is judged without a message, and said
    return call.refused


def on_edit(name: str, call: Call) -> Reply:
    """The agent wrote a file. One call may be several hooks (`--with`)."""
    from untilgreen.core import languages

    names = (name, *(f"post-tool-{one}" for one in call.options.get("with", "").split(",") if one))
    names = tuple(one for one in dict.fromkeys(names) if call.env.get(_SEED_SWITCHES.get(one, "")) != "1")
    patterns = {pattern for one in names for pattern in languages.HOOKS[one][1]}
    edits = tuple(one for one in call.event.edits if languages.fits(one.path, (*patterns,)))
    noted = call.event.used if _NOTES_EDITS in names and call.event.edits else None
    if not (edits or noted) or not _is_heard(call):
        return Reply()
    told = []
    if noted:
        _note(call, noted)
        if is_folder(os.path.join(call.place.base, HINTS)):
            from untilgreen.loops.observed import affected  # where tests ran

            told.append(affected.after_edit(call))
    if edits:
        from untilgreen.loops.unasked import edit
        from untilgreen.state import store

        try:
            told.append(edit.answer(names, edits, call, clock.began()))
        except store.Unreadable as error:
            log.write(call.place.base, str(error))
            return notice(f"{error}; {edits[0].path} was not looked at", call)
    text = "\n".join(filter(None, told))
    return context(call, text) if text else Reply()


def on_tool(_name: str, call: Call) -> Reply:
    """A command of the agent's shell is over, or another tool failed: it is noted. An edit that did its work is noted
    by the hook that is started for it anyway."""
    if call.event.name == "tool" and call.event.used and _is_heard(call):
        _note(call, call.event.used)
    return Reply()


def _is_heard(call: Call) -> bool:
    return is_folder(call.place.base) and not (call.off or call.refused)


def _note(call: Call, used: "ToolUse") -> None:
    base, session = call.place.base, call.event.session
    if not (used.command or used.path or not used.ok):
        return
    if has_loop(base, session) or (session and has_neighbours(call.env, base, session)):
        from untilgreen.loops.observed import observing

        observing.note(call, used)


def on_session(_name: str, call: Call) -> Reply:
    """A session begins or ends, or its user speaks."""
    if call.host.name == hosts.GENERIC or not call.event.session or call.event.agent_id:
        return Reply()
    from untilgreen.loops.heard import session
    from untilgreen.state import locks, store

    if call.event.name == "prompt":
        call = _with_unsaid(call)
    try:
        return _spoken(call, session.answer(call))
    except store.Unreadable as error:
        reason = str(error)
    except locks.Busy:
        reason = "another process holds the state of this session; the prompt was not noted"
    except OSError as error:
        reason = f"the state could not be saved: {error}"
    log.write(call.place.base, reason)
    return notice(reason, call)


# executable: who answers it, the event that its payload must be, and what did not happen where it is none
_HOOKS = {
    "stop-loop": (on_stop, "stop", "nothing was judged"),
    "session-loop": (on_session, "other", "nothing was done"),
    "post-tool-bash": (on_tool, "tool", "nothing was noted"),
}
