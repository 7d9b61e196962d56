"""What comes about while a test looks on: it waits as long as a busy machine needs, and counts no seconds."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

Value = TypeVar("Value")


def eventually(found: Callable[[], Value], what: object = "it never came", seconds: float = 120) -> Value:
    """What is found, as soon as it is something; `what` is said where it never is."""
    until = time.monotonic() + seconds
    while not (value := found()):
        assert time.monotonic() < until, what
        time.sleep(0.02)
    return value


def lives(pid: int) -> bool:
    """Whether the process is there and no zombie. What was killed stays there until a busy machine gets to it."""
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] != b"Z"
    except OSError:
        return False


def gone(*pids: int) -> bool:
    """That none of these processes lives any more, or soon."""
    return eventually(lambda: not any(map(lives, pids)), f"one of {pids} runs on")


def quickest(act: Callable[[], object], enough: float) -> float:
    """The seconds of the processor that it takes, the least of three tries, as others' work makes one of them longer;
    no further try where one took less than `enough`."""
    took = list[float]()
    while len(took) < 3 and min(took, default=enough) >= enough:
        began = time.process_time()
        act()
        took.append(time.process_time() - began)
    return min(took)
