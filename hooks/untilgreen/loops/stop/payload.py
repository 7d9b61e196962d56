"""From a payload's bytes to an event: parsed, attributed to a host and to a session's place; and what it says."""

import json
from collections.abc import Mapping

from untilgreen import hosts
from untilgreen.core.model.event import Event, Kind, Message, Place, Reply
from untilgreen.core.record import Any, NamedTuple
from untilgreen.project import files, toplevel
from untilgreen.state import log
from untilgreen.state.place import deciding_switch, find, is_off, of, run_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from untilgreen.core.model.loop import Loop
    from untilgreen.core.model.settings import Settings
    from untilgreen.core.verdict.markers import Marker
    from untilgreen.hosts.adapter import Adapter
else:
    Adapter = object  # a name in quotes would cost the first call of `compile`, 0.8 ms: it builds the types of `ast`

_SECONDS = 2.0  # for patterns of the user's own
_MESSAGE = 262_144  # characters; more are no message to anybody
_LARGEST = 64 * 1024 * 1024  # bytes; the largest recorded payloads, and settings, are under one megabyte
_DIGITS = 100  # of a number; more are no number of ours, and Python refuses thousands of them
_ID = 200  # characters of an id; those of hosts are shorter
_NEWEST = 200  # items of each list that are looked at: the last tasks, messages and blocks of text


class Call(NamedTuple):
    """A payload that was understood: who speaks, what, and where its state lies. `options`: the hook's own switches."""

    host: Adapter
    event: Event
    place: Place
    env: Mapping[str, str]
    options: Mapping[str, str]
    off: str  #: what switches us off there, "" where nothing does
    refused: str  #: why the folder can be no project, "" where it can
    unsaid: str = ""  #: what the user is to be told beside the answer

    @property
    def by(self) -> str:
        """The registration that calls, as its launcher's path; "" for one without."""
        return self.env.get("UNTILGREEN_CALLED", "")


class NotUnderstood(Exception):
    """The payload is not one; the text is for people."""


def understand(raw: bytes, env: Mapping[str, str], options: Mapping[str, str], default_event: str) -> Call:
    """Parse the payload and find out whose it is. Raises NotUnderstood."""
    if len(raw) > _LARGEST:
        raise NotUnderstood(f"the payload is larger than {_LARGEST // 2**20} MB")
    try:
        text = raw.decode(json.detect_encoding(raw), "surrogatepass")
        payload = _bounded(json.loads(text, parse_int=lambda digits: (int if len(digits) < _DIGITS else float)(digits)))
    except RecursionError:
        raise NotUnderstood("the payload is nested too deeply") from None
    except ValueError as error:
        what = "is empty" if not raw.strip() else f"is not JSON ({error})"
        raise NotUnderstood(f"the payload {what}") from None
    if not isinstance(payload, dict):
        raise NotUnderstood(f"the payload is not a JSON object but {type(payload).__name__}")
    host = hosts.detect(payload, env, options.get("host", ""))
    event = host.read(payload, env, default_event)
    tasks = tuple(task._replace(id=task.id[:_ID]) for task in event.tasks)
    event = event._replace(prompt_id=event.prompt_id[:_ID], agent_id=event.agent_id[:_ID], tasks=tasks)
    if not event.session and "session_id" in payload and host.name != hosts.GENERIC:
        raise NotUnderstood("the payload has no usable session_id")
    if "\0" in event.cwd:
        raise NotUnderstood("the payload's folder (cwd) has a null byte in its name")
    place = find(event, env, options.get("project", ""))
    if _is_answered_twice(host, place.root, env, options.get("host", "")):
        host, event = hosts.get(hosts.GENERIC), Event("other", hosts.GENERIC)
    if run := run_of(env, place.base):  # what its agent does is the run's
        event, place = event._replace(session=run), of(place.root, place.base, run)
    return called(host, event, place, env, options)


def called(host: Adapter, event: Event, place: Place, env: Mapping[str, str], options: Mapping[str, str]) -> Call:
    """The call, with what keeps us from answering it, asked once: a switch in the environment, an off file of the
    session, the project or the user, if no narrower on file is there; a folder that can be no project."""
    off = "JIKIME_DISABLE_LOOP_CONTROLLER=1" if env.get("JIKIME_DISABLE_LOOP_CONTROLLER") == "1" else ""
    if not off and is_off(path := deciding_switch(place, env)[1]):
        off = f"the file {path}"
    return Call(host, event, place, env, options, off, toplevel.refused(place.root, env))


def _is_answered_twice(host: Adapter, root: str, env: Mapping[str, str], given: str) -> bool:
    """Whether the host calls by another one's registration, and by its own, too, which answers."""
    if host.name in (hosts.GENERIC, given or hosts.DEFAULT):
        return False
    own = host.settings()
    if own is None:
        return False
    for scope in own.scopes(root, env):
        try:
            settings = json.loads(own.unwrapped(files.read(scope.path, _LARGEST, follow=True)) or b"{}")
        except (OSError, ValueError, RecursionError):
            continue  # what cannot be read does not call us
        if isinstance(settings, dict) and any(one.hook == "stop-loop" for one in own.registered(scope, settings)):
            return True
    return False


def _bounded(value: Any) -> Any:
    """The JSON value with the end of each list."""
    if isinstance(value, dict):
        return {name: _bounded(item) for name, item in value.items()}
    return [_bounded(item) for item in value[-_NEWEST:]] if isinstance(value, list) else value


def notice(text: str, to: Call | Event) -> Reply:
    """A line to who reads the host's messages. To an event: where no payload was understood."""
    from untilgreen.core.foreign import strip  # most calls have nothing to say

    one_line = Message(notice=f"untilgreen: {' '.join(strip(text).split())}")
    return speak(to, "allow", one_line) if isinstance(to, Call) else hosts.get(to.host).write(to, "allow", one_line)


def context(call: Call, text: str, notice: str = "") -> Reply:
    """Lines for the model beside the prompt, or at the beginning of the session; and one for the user."""
    return speak(call, "context", Message(text, notice))


def refusal(call: Call, text: str) -> Reply:
    """The prompt is not sent; its user sees why."""
    return speak(call, "refuse", Message(f"untilgreen failed: {text}"))


def notify(call: Call, loop: "Loop") -> None:
    """Tell of a loop that has just been saved as over, or paused, whoever asked for it."""
    if loop.settings.notify.command:
        from untilgreen.loops.heard import own_commands

        own_commands.notify(call.place, loop, call.env)


def speak(call: Call, verdict: Kind, message: Message) -> Reply:
    if call.unsaid:
        told = f"untilgreen: {call.unsaid}"
        if verdict in ("release", "answer"):  # whose text is the user's
            message = message._replace(text=f"{told}\n{message.text}")
        else:
            message = message._replace(notice="\n".join(filter(None, (told, message.notice))))
    # what its user reads has our commands as they are typed at this host's prompt
    notice, text = message.notice, message.text if verdict in ("release", "answer", "refuse") else ""
    if hosts.TYPED in text + notice:
        facts = call.host.facts
        if facts.begin and not facts.escape_sends:
            from untilgreen.state import catalogue

            notice = catalogue.replaced(notice, "to_end", "to_end_by_escape")
        notice, text = (one.replace(hosts.TYPED, facts.typed or hosts.TYPED) for one in (notice, text))
        message = message._replace(text=text or message.text, notice=notice)
    return call.host.write(call.event, verdict, message)


def marker_of(call: Call, settings: "Settings") -> "Marker | None":
    """The marker that closes the agent's last message; none by a pattern that takes too long, or is none."""
    message = message_of(call.event, call.place)
    if len(message) > _MESSAGE:
        log.write(call.place.base, f"a message of {len(message):,} characters was not searched for a marker")
        return None
    from untilgreen.core.verdict import markers

    own = settings.markers
    if own.success_regex or own.blocked_regex:
        import re

        from untilgreen.checkers import time_limit

        try:
            with time_limit.within(_SECONDS, "success_regex and blocked_regex took too long on the agent's message"):
                return markers.find(message, own.completion_promise, own.success_regex, own.blocked_regex)
        except (time_limit.TooLong, re.error, RecursionError, OverflowError) as error:
            log.write(call.place.base, f"success_regex and blocked_regex are not used: {error}")
    return markers.find(message, own.completion_promise)


def message_of(event: Event, place: Place) -> str:
    """The agent's last message. Only where the host sends no such key is it looked for elsewhere."""
    if event.message is not None:
        return event.message
    if event.messages is not None:
        return event.messages[-1] if event.messages else ""
    if not event.transcript:
        return ""
    try:
        return hosts.get(event.host).last_message(event.transcript) or ""
    except (OSError, ValueError) as error:  # ValueError: a null byte in its name
        log.write(place.base, f"transcript not read: {error}")
        return ""
