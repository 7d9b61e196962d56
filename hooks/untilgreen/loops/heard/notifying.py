"""Telling of a loop's end, or that it is paused, by the command that the configuration names.

A stop waits for none of it: one process of its own does the work, without a pipe of the host's, and says in the log
what went wrong.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping

from untilgreen import hosts
from untilgreen.core.model.event import Place
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.settings import Notify, Settings
from untilgreen.core.words import notification
from untilgreen.core.words.notification import Notification
from untilgreen.project import trust
from untilgreen.state import catalogue, log

_SECONDS = 10.0  # that the command has
_HERE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
_CODE = f"import sys; sys.path.insert(0, {_HERE!r}); from untilgreen.loops.heard import notifier; notifier.main()"
_WORDS = (sys.executable, "-I", "-c", _CODE)


def tell(place: Place, loop: Loop, env: Mapping[str, str]) -> None:
    """Tell of this loop as its settings ask for it.

    Asked once by whoever saved the end or the pause. Whatever fails is in the log.
    """
    wanted = loop.settings.notify
    told = notification.of(loop, catalogue.words(loop.settings))
    if told is None or told.event not in wanted.on or not wanted.command:
        return
    try:
        if trust.trusted(place.root, env):
            _begin(_given(place, wanted, told), _environment(env, loop.settings.env_remove))
    except OSError as error:
        log.write(place.base, f"nobody was notified: {error}")


def tried(place: Place, settings: Settings, told: Notification, env: Mapping[str, str]) -> list[str]:
    """Tell this and wait for it, at most as long as it may take; what went wrong. Raises OSError."""
    given = _given(place, settings.notify, told)
    done = subprocess.run(
        _WORDS,
        input=given,
        env=_environment(env, settings.env_remove),
        stdout=subprocess.PIPE,
        start_new_session=True,
        check=False,  # it ends itself, with its group
    )
    return done.stdout.decode("utf-8", "replace").splitlines()


def _given(place: Place, wanted: Notify, told: Notification) -> bytes:
    """What the process reads."""
    where = {"base": place.base, "root": place.root, "seconds": _SECONDS}
    return json.dumps({"told": told._asdict(), **where, "command": wanted.command}).encode("utf-8", "replace")


def _environment(env: Mapping[str, str], remove: tuple[str, ...]) -> dict[str, str]:
    """As a check has it: without what is the host's own, and hooks do nothing in it."""
    private = hosts.private()
    kept = {name: value for name, value in env.items() if not name.startswith(private) and name not in remove}
    return kept | {"UNTILGREEN_DISABLE": "1"}


def _begin(given: bytes, env: Mapping[str, str]) -> None:
    """Start the process, in a session of its own, and leave it. Raises OSError."""
    process = subprocess.Popen(
        _WORDS,
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    process.returncode = 0  # nobody waits for it
    if process.stdin is not None:
        with process.stdin as stream:
            stream.write(given)  # less than a pipe holds
