"""What each hook does first, and which part of the house does the rest.

A stop that finds no running loop ends here: what follows costs more to import than to run.
"""

from collections.abc import Mapping

from untilgreen import hosts
from untilgreen.core.model.event import Message, Reply
from untilgreen.loops.stop.payload import Call, Input, NotUnderstood, notice, speak, understand
from untilgreen.project import trust
from untilgreen.state import call_marks, clock, log
from untilgreen.state.place import has_loop, is_folder, is_sealed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from untilgreen.core.model.event import ToolUse
    from untilgreen.core.model.loop import Known
    from untilgreen.loops.stop.trace import Trace

_NOTES_EDITS = "post-tool-lint"  # of the hooks that each edit starts, which look at some files only
# what switched these hooks off in the system that they come from (seed 004)
_SEED_SWITCHES = {
    "post-tool-lsp": "JIKIME_DISABLE_LSP_DIAGNOSTIC",
    "post-tool-ast-grep": "JIKIME_DISABLE_AST_GREP_SCAN",
}


def on_stop(given: Input) -> Reply:
    """The agent wants to stop."""
    began = clock.began()
    try:
        call = understand(given, "stop")
    except NotUnderstood as error:
        call_marks.misunderstood(str(error), given.env, given.options.get("project", ""), given.options.get("host", ""))
        return notice(f"{error}; nothing was judged", given, "stop")
    if call.event.name in ("task", "idle"):
        return _of_teammate(call)
    if call.host.name != hosts.GENERIC and not call.event.session:
        from untilgreen.loops.stop import by_hand

        idle = call.event.name != "stop" or call.off
        return Reply() if idle else by_hand.judge(call)
    if call.event.name == "stop" and call.host.name != hosts.GENERIC:
        call = with_unsaid(call)
    return of_session(call, began)


def of_session(call: Call, began: float) -> Reply:
    """The stop of a session. `began`: when it came, in seconds since the epoch."""
    from untilgreen.loops.stop.trace import Trace
    from untilgreen.state import store

    trace = Trace(began)
    trace.took("start")
    try:
        return _spoken(call, _judged(call, trace))
    except store.Unreadable as error:
        trace.decided(0, "unjudged", str(error))
        log.write(call.place.base, str(error))
        return notice(f"{error}; the stop was not judged", call)
    finally:
        trace.keep(call)


def _of_teammate(call: Call) -> Reply:
    """A teammate calls its task done, or wants to rest. Where no loop of its lead runs, nobody minds."""
    if not (call.event.session and _is_heard(call) and has_loop(call.place.base, call.event.session)):
        return Reply()
    from untilgreen.loops.unasked import team

    return team.answer(call)


def with_unsaid(call: Call) -> Call:
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
    trace.of(found)
    if not found.running and store.is_foreign(call.place, found):
        return trace.allowed(2, "what is kept here is another session's or another project's")
    if why := _nothing(found):
        return trace.allowed(7, why)
    from untilgreen.loops.stop import road

    return road.answer(call, found, trace)


def _foreign(call: Call) -> str:
    """Why the call is not ours to judge, whatever is known here; "" where it may be."""
    if call.host.name == hosts.GENERIC:
        return "a host without an adapter"
    if call.event.name != "stop":
        return "no stop, but another event"
    if _interrupted(call):
        return "its user interrupted the turn, and nobody answered"
    return call.refused


def _interrupted(call: Call) -> bool:
    """Whether nobody wants to stop: the turn was broken off, on a host that calls that a stop, too."""
    event = call.event
    if event.message is not None or not event.transcript or not call.host.facts.stops_when_interrupted:
        return False
    try:
        return call.host.last_message(event.transcript) is None
    except OSError:
        return False  # it is judged without a message, and said


def _nothing(found: "Known") -> str:
    """Why there is nothing to judge, as far as that is seen here; "" where there may be."""
    if found.running:
        return ""
    if found.edits is None and found.loop is None:
        return "nobody began a loop, and no file is known that the session wrote"
    if found.edits is not None and found.edits.off:
        return "no loop runs, and a cancel or a handover switched the rest off for this session"
    if found.edits is None or not found.edits.unjudged:
        return "no loop runs, and the session wrote nothing since it was last let go"
    return ""


def on_edit(name: str, given: Input) -> Reply:
    """The agent wrote a file."""
    from untilgreen.core import languages

    began = clock.began()
    try:
        call = understand(given, "edit")
    except NotUnderstood as error:
        return notice(f"{error}; no file was looked at", given, "edit")
    edits = tuple(one for one in call.event.edits if languages.fits(one.path, languages.HOOKS[name][1]))
    noted = call.event.used if name == _NOTES_EDITS and call.event.edits else None
    if not (edits or noted) or call.env.get(_SEED_SWITCHES.get(name, "")) == "1":
        return Reply()
    if not _is_heard(call):
        return Reply()
    if noted:
        _note(call, noted)
    if not edits:
        return Reply()
    from untilgreen.loops.unasked import edit
    from untilgreen.state import store

    try:
        return edit.answer(name, edits, call, began)
    except store.Unreadable as error:
        log.write(call.place.base, str(error))
        return notice(f"{error}; {edits[0].path} was not looked at", call)


def on_tool(given: Input) -> Reply:
    """A command of the agent's shell is over, or another tool failed: it is noted. An edit that did its work is noted
    by the hook that is started for it anyway."""
    try:
        call = understand(given, "tool")
    except NotUnderstood as error:
        return notice(f"{error}; nothing was noted", given, "tool")
    if call.event.name == "tool" and call.event.used and _is_heard(call):
        _note(call, call.event.used)
    return Reply()


def _is_heard(call: Call) -> bool:
    return is_folder(call.place.base) and not (call.off or call.refused)


def _note(call: Call, used: "ToolUse") -> None:
    if (used.command or used.path or not used.ok) and has_loop(call.place.base, call.event.session):
        from untilgreen.loops.observed import observing

        observing.note(call, used)


def on_session(given: Input) -> Reply:
    """A session begins or ends, or its user speaks."""
    from untilgreen.loops.heard import session
    from untilgreen.state import locks, store

    try:
        call = understand(given, "other")
    except NotUnderstood as error:
        return notice(f"{error}; nothing was done", given)
    if call.host.name == hosts.GENERIC or not call.event.session or call.event.agent_id:
        return Reply()
    if call.event.name == "prompt":
        call = with_unsaid(call)
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


_HOOKS = {"stop-loop": on_stop, "session-loop": on_session, "post-tool-bash": on_tool}
_EVENTS = {"stop-loop": "stop", "session-loop": "other", "post-tool-bash": "tool"}


def answer(name: str, raw: bytes, env: Mapping[str, str], options: Mapping[str, str]) -> Reply:
    """What the executable `name` says to this payload."""
    given = Input(raw, env, options)
    try:
        return _HOOKS[name](given) if name in _HOOKS else on_edit(name, given)
    except trust.Unread as error:  # whose state this is, and what may run, nobody knows
        return notice(f"{error}; nothing was judged", given, _EVENTS.get(name, "edit"))
