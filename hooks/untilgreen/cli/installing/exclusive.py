"""One init or uninstall of a user at a time."""

import os
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from untilgreen.checks import processes
from untilgreen.core.errors import UserError

_WAIT = 10.0  # seconds


@contextmanager
def alone(env: Mapping[str, str]) -> Iterator[None]:
    """No other init or uninstall of this user changes anything meanwhile, and a SIGTERM or SIGHUP is like Ctrl-C:
    what was begun is undone. Raises UserError where another one takes long."""
    import fcntl  # not everywhere

    home = env.get("HOME", "")
    descriptor = os.open(home if os.path.isdir(home) else os.sep, os.O_RDONLY)
    until = time.monotonic() + _WAIT
    try:
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= until:
                    raise UserError("another init or uninstall is at work", "try again when it is done") from None
                time.sleep(0.02)
            except OSError:  # a file system without locks: then nobody waits for anybody
                break
        with _interruptible():
            yield
    finally:
        os.close(descriptor)


@contextmanager
def _interruptible() -> Iterator[None]:
    def interrupt(number: int, _frame: object) -> None:
        raise processes.Interrupted(number)

    numbers = [one for one in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(one) == signal.SIG_DFL]
    for number in numbers:
        signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number in numbers:
            signal.signal(number, signal.SIG_DFL)


@contextmanager
def unbroken() -> Iterator[None]:
    """A step that takes a moment, in the middle of which nobody could tell what is left to do, or to undo: signals wait
    until it is done."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
