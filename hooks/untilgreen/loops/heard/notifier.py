"""The process that `notifying` begins: it runs the command that a loop's `notify` names, and is gone after `seconds`.

Its end takes with it whatever the command left behind in its group.
"""

import json
import os
import signal
import subprocess
import sys
from typing import Any

from untilgreen.state import log


def main() -> None:
    """Tell what stands on stdin: `{"told": a notification, "base", "root", "seconds", "command"}`."""
    given = json.loads(sys.stdin.buffer.read())
    if why := _run(given):
        fault = f"the command of notify failed: {why}"
        log.write(given["base"], fault)
        print(fault, flush=True)
    if os.getpgrp() == os.getpid():
        os.killpg(os.getpid(), signal.SIGKILL)


def _run(given: dict[str, Any]) -> str:
    """Run the command; why it failed, or ""."""
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
