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
    """What is done here raises TooLong with this complaint when it has worked for so long: what a busy machine makes it
    wait is no part of that.

    `re` looks for signals while it matches (3.11 does), and only a signal can end it. One is handled in the main
    thread alone; elsewhere there is no limit.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(_number: int, _frame: FrameType | None) -> None:
        raise TooLong(complaint)

    handler = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, handler)
