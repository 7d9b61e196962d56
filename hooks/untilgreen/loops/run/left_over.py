"""The agent of a runner that was killed: it still lives, and is ended before the run goes on."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress

from untilgreen.state.runs import RunRecord

_GRACE = 5.0  # seconds between SIGTERM and SIGKILL, and after that


def end(run: RunRecord) -> bool:
    """End its process group; whether it still lived."""
    lived = _lives(run)
    for number in (signal.SIGTERM, signal.SIGKILL):
        if not _lives(run):
            break
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(run.child, number)
        until = time.monotonic() + _GRACE
        while _lives(run) and time.monotonic() < until:
            time.sleep(0.02)
    return lived


def created(pid: int) -> str:
    """When the process of this number was created, as the system says it; "" where none lives. Another process of the
    same number has another moment."""
    if sys.platform != "linux":
        told = subprocess.run(["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, check=False)
        return told.stdout.decode("ascii", "replace").strip()
    try:
        with open(f"/proc/{pid}/stat", "rb") as stat:
            state, *fields = stat.read().rpartition(b")")[2].split()
        return "" if state == b"Z" else fields[18].decode("ascii")
    except (OSError, ValueError, IndexError):
        return ""


def _lives(run: RunRecord) -> bool:
    return run.child > 1 and run.child_since != "" and created(run.child) == run.child_since
