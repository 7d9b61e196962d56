"""Slash commands as they were typed: session-loop answers them before the model sees anything."""

import os
import time
from collections.abc import Mapping

from untilgreen.core import notices
from untilgreen.core.errors import UserError
from untilgreen.core.model import Reply
from untilgreen.events.payload import Said, context, refusal
from untilgreen.loops import begin, listing, ownership, starting, words
from untilgreen.state import locks, store


def answer(said: Said, env: Mapping[str, str]) -> Reply:
    """Do what the line says; an error stops the command and shows the reason."""
    try:
        commands = said.host.commands()
        command = words.command_of(said.event.prompt.strip(), commands.NAMES if commands else {})
        if command is None:
            return Reply()
        name, rest = command
        if name == "cancel":
            return context(said, _cancel(said))
        if name == "status":
            ownership.noted(said.place, said.event)  # its turn answers the user, and changes nothing
            return context(said, _status(said))
        request = words.parse(rest, lambda path: starting.exists_below(said.place.root, path))
        if request.cancel:
            return context(said, _cancel(said))
        number = store.read_session(said.place).prompts + 1
        place, loop = starting.start(request, said.place.root, said.event.session, env, number)
        ownership.note_prompt(place, said.event, loop.tree_at_start)
    except UserError as error:
        return Reply() if _heard(said) else refusal(said, str(error))
    task = f"task:\n{loop.task_description}" if loop.task_description else "task: none given"
    return context(said, "\n".join((notices.started(loop), *starting.summary(loop), task)))


def _heard(said: Said) -> bool:
    """Whether another registration answers this very line, or has just done so; it may be about to note it."""
    for _ in range(20):
        if ownership.heard(said.place, said.event):
            return True
        if ownership.running(said.place) is None:
            return False
        time.sleep(0.025)
    return False


def _cancel(said: Said) -> str:
    try:
        loop = begin.cancel(said.place)
    except (store.Unreadable, OSError) as error:
        raise UserError(str(error)) from None
    except locks.Busy:
        raise UserError(starting.BUSY) from None
    if loop is None:
        return "untilgreen: no loop is running in this session"
    return notices.cancelled(loop)


def _status(said: Said) -> str:
    if not os.path.isdir(said.place.base):
        return "untilgreen: no loops here yet"
    kept, unreadable = listing.everything(said.place.base, said.place.root)
    newest = [starting.line(one.loop) for one in kept if one.newest]
    return "\n".join(["untilgreen: loops of this project", *newest, *map(str, unreadable)])
