"""Commands of the user's own beside a verdict: one is notified of an end or a pause, by a process that no stop waits
for and that has no pipe of the host's; one makes a summary shorter, for which the stop waits a moment."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping

from untilgreen.checks import asking
from untilgreen.checks.run import processes
from untilgreen.core.model.event import Place
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.settings import Settings
from untilgreen.core.record import Any
from untilgreen.core.secrets import safe
from untilgreen.core.words import notification
from untilgreen.core.words.notification import Notification
from untilgreen.project import files, trust
from untilgreen.state import catalogue, log, memory, store

_TO_NOTIFY, _TO_COMPRESS = 10.0, 2.0  # seconds that a command has
_HERE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
_CODE = f"import sys; sys.path.insert(0, {_HERE!r}); from untilgreen.loops.heard import own_commands as o; o.main()"
_WORDS = (sys.executable, "-I", "-c", _CODE)


def notify(place: Place, loop: Loop, env: Mapping[str, str]) -> None:
    """Tell of this loop as its settings ask for it, and do not wait. Whatever fails is in the log."""
    settings = loop.settings
    told = notification.of(loop, catalogue.words(settings))
    if told is None or told.event not in settings.notify.on or not settings.notify.command:
        return
    try:
        if trust.trusted(place.root, env):
            process = _begin(settings, env, subprocess.DEVNULL)
            process.returncode = 0  # nobody waits for it
            if process.stdin is not None:
                with process.stdin as stream:
                    stream.write(_given(place, settings, told))  # less than a pipe holds
    except OSError as error:
        log.write(place.base, f"nobody was notified: {error}")


def try_notification(place: Place, settings: Settings, told: Notification, env: Mapping[str, str]) -> list[str]:
    """Tell this and wait for it, at most as long as it may take; what went wrong. Raises OSError."""
    printed, _ = _begin(settings, env, subprocess.PIPE).communicate(_given(place, settings, told))
    return printed.decode("utf-8", "replace").splitlines()


def _begin(settings: Settings, env: Mapping[str, str], stdout: int) -> "subprocess.Popen[bytes]":
    """Start the process, in a session of its own. Raises OSError."""
    clean = processes.environment(env, settings.tools.env_remove)
    pipe, null = subprocess.PIPE, subprocess.DEVNULL
    return subprocess.Popen(_WORDS, env=clean, stdin=pipe, stdout=stdout, stderr=null, start_new_session=True)


def _given(place: Place, settings: Settings, told: Notification) -> bytes:
    where = {"base": place.base, "root": place.root, "seconds": _TO_NOTIFY, "command": settings.notify.command}
    return json.dumps({"told": told._asdict(), **where}).encode("utf-8", "replace")


def main() -> None:
    """That process: run the command of `notify` as stdin says, and take along whatever that leaves behind."""
    given = json.loads(sys.stdin.buffer.read())
    if why := _run(given):
        fault = f"the command of notify failed: {why}"
        log.write(given["base"], fault)
        print(fault, flush=True)
    if os.getpgrp() == os.getpid():
        os.killpg(os.getpid(), signal.SIGKILL)


def _run(given: dict[str, Any]) -> str:
    told = given["told"]
    named = {f"UNTILGREEN_{name.upper()}": str(told[name]) for name in ("event", "title", "text", "task", "reason")}
    try:
        done = subprocess.run(
            given["command"],
            input=json.dumps(told).encode(),
            env={**os.environ, **named},
            cwd=given["root"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=given["seconds"],
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"it took longer than {given['seconds']:g} s"
    except (OSError, ValueError) as error:
        return getattr(error, "strerror", None) or type(error).__name__
    return f"exit code {done.returncode}" if done.returncode else ""


def compress(place: Place, loop: Loop, env: Mapping[str, str]) -> None:
    """Put what the command prints in the summary's place, if it is shorter and not empty; else the log says why not."""
    path, settings = place.file(memory.names_of(loop).summary_file), loop.settings
    program = asking.Program(
        settings.memory.compress, place.root, processes.environment(env, settings.tools.env_remove)
    )
    try:
        before = files.read(path, 1024 * 1024).decode("utf-8", "replace")
        [done] = asking.ask(place.root, program, [before], env, time.monotonic() + _TO_COMPRESS)
        text = safe(done.stdout).strip() if len(done.stdout) < len(before) else done.stdout
        why = done.why or (f"exit code {done.code}" if done.code else "")
        if not why and not 0 < len(text) < len(before) - 1:
            why = "what it printed is not shorter" if text else "it printed nothing"
        if why:
            log.write(place.base, f"memory.compress was not used: {why}")
        else:
            store.write_text(path, f"{text}\n", durable=False)
    except (OSError, ValueError) as error:
        log.write(place.base, f"memory.compress was not used: {error}")
