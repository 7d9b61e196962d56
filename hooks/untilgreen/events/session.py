"""What session-loop does: slash commands as they were typed, the user's other prompts, `/clear`.

Most calls find no loop and end soon: what moves loops and looks at files is imported where it is needed.
"""

import os
import time
from collections.abc import Mapping

from untilgreen.core.model import Reply
from untilgreen.events.payload import Said, context, refusal
from untilgreen.loops import ownership
from untilgreen.project import toplevel
from untilgreen.state import clock, store


def answer(said: Said, env: Mapping[str, str]) -> Reply:
    """One event of a session."""
    if said.event.name == "prompt":
        return _prompt(said, env)
    if toplevel.refused(said.place.root, env) or not os.path.isdir(said.place.base):
        return Reply()
    if said.event.name == "session-start":
        return _session_start(said)
    if said.event.name == "session-end":
        return _session_end(said)
    return Reply()


def _prompt(said: Said, env: Mapping[str, str]) -> Reply:
    commands = said.host.commands()
    if commands is not None and commands.is_ours(said.event.prompt, said.place.root, env):
        return _typed(said, env)
    if toplevel.refused(said.place.root, env) or not os.path.isdir(said.place.base):
        return Reply()
    if said.event.notification:
        if ownership.running(said.place) is not None:
            store.change_session(said.place, lambda before: before._replace(notified=said.event.prompt_id))
        return Reply()
    return Reply() if ownership.noted(said.place, said.event) else _take_waiting(said)


def _typed(said: Said, env: Mapping[str, str]) -> Reply:
    """A slash command of ours; a plugin's Python may lack the packages that it needs."""
    from untilgreen.settings import packages

    missing = packages.missing()
    if missing:
        return refusal(said, missing)
    from untilgreen.events import typed

    return typed.answer(said, env)


def _take_waiting(said: Said) -> Reply:
    if not os.path.isdir(os.path.join(said.place.base, "next")):
        return Reply()
    from untilgreen.project import worktree

    if not ownership.waiting(said.place.base, said.place.root):
        return Reply()
    tree = worktree.fingerprint(said.place.root, (said.place.base,))
    session = ownership.note_prompt(said.place, said.event, tree)
    loop = ownership.take_waiting(said.place, said.event.session, session.prompts)
    if loop is None:
        return Reply()
    from untilgreen.core import notices

    return context(said, notices.started(loop))


def _client(said: Said) -> str:
    """The host's process id; older clients do not send it, but they start us themselves."""
    client = said.event.client
    return client if client.isascii() and client.isdecimal() else str(os.getppid())


def _session_start(said: Said) -> Reply:
    event, client, now, root = said.event, _client(said), clock.iso(time.time()), said.place.root
    store.change_session(
        said.place,
        lambda before: before._replace(client=client, started_at=before.started_at or now, ended_at="", project=root),
    )
    if event.source != "clear":
        return Reply()
    loop = ownership.take_over(said.place, event.session, client)
    if loop is None:
        return Reply()
    task = " ".join(loop.task_description.split())
    text = f"untilgreen: loop still running, round {loop.iteration}/{loop.max_iterations}: {task}"
    return context(said, text)


def _session_end(said: Said) -> Reply:
    if not os.path.isdir(said.place.folder):
        return Reply()
    if said.event.source == "clear":
        ownership.park(said.place, _client(said))
    ended = clock.iso(time.time())
    store.change_session(said.place, lambda before: before._replace(ended_at=ended))
    return Reply()
