"""A limit in time for what cannot be bounded otherwise: a regular expression of the user's own."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class TooLong(Exception):
    """The time was up; the text says for what."""


@contextmanager
def within(seconds: float, complaint: str) -> Iterator[None]:
    """What is done here raises TooLong with this complaint when the time is up.

    `re` looks for signals while it matches (3.11 does), and only a signal can end it. One is handled in the main
    thread alone; elsewhere there is no limit.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(_number: int, _frame: FrameType | None) -> None:
        raise TooLong(complaint)

    handler = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
