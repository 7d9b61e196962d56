"""What tells a run to stop: Ctrl-C, SIGTERM, and a terminal that is closed."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

_ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


class Signals:
    """It has state: how often it was told, the agent's process group, and whether what runs now may be broken off."""

    def __init__(self) -> None:
        self.times = 0
        self.child = 0
        self.breaks = False

    def __bool__(self) -> bool:
        return self.times > 0

    def hear(self, _number: int, _frame: FrameType | None) -> None:
        """The first time the agent is ended kindly, the second time at once."""
        self.times += 1
        if self.child and self.times > 1:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.child, signal.SIGKILL)
        if self.breaks:
            raise KeyboardInterrupt


@contextmanager
def heard() -> Iterator[Signals]:
    """While a run goes on."""
    told = Signals()
    before = {one: signal.signal(one, told.hear) for one in _ENDING if signal.getsignal(one) is not signal.SIG_IGN}
    try:
        yield told
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
