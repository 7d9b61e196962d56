"""Time: UTC in ISO 8601 with microseconds (such texts compare like the moments), and when a process began."""

import os
import sys
import time
from collections.abc import Callable

TYPE_CHECKING = False
if TYPE_CHECKING:  # it is loaded where there is one
    from untilgreen.core.model.loop import Loop
else:
    Loop = object


def iso(seconds: float) -> str:
    """Seconds since the epoch as `2026-11-21T09:30:00.000001Z`."""
    whole, micro = divmod(round(seconds * 1_000_000), 1_000_000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(whole)) + f".{micro:06d}Z"


def untouched(loop: Loop) -> Callable[[str], bool]:
    """Says of a file whether nobody wrote, moved or replaced it since the loop began: by the time nobody can set."""

    def is_untouched(path: str) -> bool:
        try:
            found = os.path.join(loop.project, path)
            return iso(max(os.stat(found).st_ctime, os.lstat(found).st_ctime)) < loop.started_at
        except OSError:
            return False

    return is_untouched


def milliseconds(moment: str) -> int:
    """Such a text as milliseconds since the epoch; without `datetime`, which no hook loads. Raises ValueError."""
    year, month, day, hour, minute, second, micro = (
        int(moment[start:end]) for start, end in ((0, 4), (5, 7), (8, 10), (11, 13), (14, 16), (17, 19), (20, 26))
    )
    # a year that begins in March ends with the leap day
    year, month = (year, month - 3) if month > 2 else (year - 1, month + 9)
    days = 365 * year + year // 4 - year // 100 + year // 400 + (153 * month + 2) // 5 + day - 719_469
    return ((days * 24 + hour) * 60 + minute) * 60_000 + second * 1_000 + micro // 1_000


def local(moment: str, form: str = "") -> str:
    """Such a text by the clock on the wall: `15:00`, on another day `Nov 24 15:00`; as it is where it is none.
    `form`: another one, of `strftime`."""
    from datetime import datetime

    try:
        at, now = datetime.fromisoformat(moment).astimezone(), datetime.now().astimezone()
    except (ValueError, OverflowError, OSError):
        return moment
    return at.strftime(form or ("%H:%M" if at.date() == now.date() else "%b %d %H:%M"))


def booted() -> str:
    """When this machine started, as `iso` says it, give or take a minute; "" where the system does not say."""
    if sys.platform != "linux":
        return ""
    return iso(time.time() - time.clock_gettime(time.CLOCK_BOOTTIME) - 60.0)


def began() -> float:
    """When this process was created (the fork counts), in seconds since the epoch; where the system does not say, now.

    Eight stops that start at once must see one another, even if the last first runs when the first is done.
    """
    if sys.platform != "linux":
        return time.time()
    try:
        with open("/proc/self/stat", "rb") as stat:
            ticks = int(stat.read().rpartition(b")")[2].split()[19])
        # the system cuts to whole ticks: a stop that began just after the last one was saved must not seem older
        start = (ticks + 1) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return time.time()
    # both clocks at one moment: a process that has to wait between two looks would seem older than it is
    for _ in range(10):
        uptime = time.clock_gettime(time.CLOCK_BOOTTIME)
        now = time.time()
        if time.clock_gettime(time.CLOCK_BOOTTIME) - uptime < 0.001:
            break
    # a process is younger than a minute before it reads its payload, or the clock says nothing
    return now - (uptime - start) if 0 <= uptime - start < 60 else now
