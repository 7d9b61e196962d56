"""Making the summary of a loop shorter, by a command of the user's own. A stop waits for it, but not for long."""

import time
from collections.abc import Mapping

from untilgreen.checks.run import processes
from untilgreen.core.model.event import Place
from untilgreen.core.model.loop import Loop
from untilgreen.core.secrets import safe
from untilgreen.project import files, trust
from untilgreen.state import log, memory, store

_SECONDS = 2.0
_NAME = "memory.compress"


def compress(place: Place, loop: Loop, env: Mapping[str, str]) -> None:
    """Put what the command prints in the summary's place, if it did its work, and it is shorter and not empty. Whatever
    fails is in the log: the summary stays."""
    path = place.file(memory.names_of(loop).summary_file)
    try:
        if not trust.trusted(place.root, env):
            return
        before = files.read(path, 1024 * 1024).decode("utf-8", "replace")
        why, printed = _made(place, loop, env, path)
        text = _told(printed) if len(printed) < len(before) else printed
        if not why and not 0 < len(text) < len(before):
            why = "what it printed is not shorter" if text else "it printed nothing"
        if why:
            log.write(place.base, f"{_NAME} was not used: {why}")
        else:
            store.write_text(path, text, durable=False)
    except (OSError, ValueError) as error:
        log.write(place.base, f"{_NAME} was not used: {error}")


def _made(place: Place, loop: Loop, env: Mapping[str, str], path: str) -> tuple[str, str]:
    """Why there is nothing to use, and what the command printed."""
    settings = loop.settings
    job = processes.Job(_NAME, settings.memory.compress, place.root, _SECONDS, stdin=path)
    clean = processes.environment(env, settings.env_remove)
    done = processes.run((job,), clean, time.monotonic() + _SECONDS)[_NAME]
    return done.why or (f"exit code {done.code}" if done.code else ""), done.stdout


def _told(printed: str) -> str:
    text = safe(printed).strip()
    return f"{text}\n" if text else ""
