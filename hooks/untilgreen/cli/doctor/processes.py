"""Asking programs: started without a shell, bounded in time, told not to judge."""

import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from untilgreen import hosts
from untilgreen.checks import processes

SECONDS = 10.0  # for a program that only has to say its version


class Asked(NamedTuple):
    """What a program answered. `code` is None when it never ended by itself, or never began (`why` says it)."""

    code: int | None
    stdout: str
    stderr: str
    why: str
    seconds: float

    @property
    def last_words(self) -> str:
        """The line that says most about a failure."""
        lines = [line.strip() for line in (self.stderr or self.stdout).splitlines() if line.strip()]
        return self.why or (lines[-1] if lines else f"exit code {self.code}")


def surroundings(env: Mapping[str, str], root: str) -> dict[str, str]:
    """The environment of a program that is asked: hooks are silent in it, and it belongs to no session of a host."""
    sessions = {row[1] for row in hosts.ADAPTERS.values()} | {hosts.get(name).facts.client for name in hosts.ADAPTERS}
    kept = {name: value for name, value in env.items() if name not in sessions}
    return processes.environment(kept) | hosts.variables("", root)


def ask(jobs: Mapping[str, Sequence[str]], env: Mapping[str, str], root: str) -> dict[str, Asked]:
    """Run these command lines at once in `root`; name to answer. The seconds are exact where there is only one."""
    began = time.monotonic()
    planned = tuple(processes.Job(name, tuple(words), root, SECONDS) for name, words in jobs.items())
    outputs = processes.run(planned, env, began + SECONDS + 1)
    took = time.monotonic() - began
    return {name: Asked(one.code, one.stdout, one.stderr, one.why, took) for name, one in outputs.items()}


def version(asked: Asked) -> str:
    """The first word of an answer to `--version` that looks like a version, "" where there is none."""
    if asked.code != 0:
        return ""
    words = (asked.stdout or asked.stderr).replace(",", " ").replace("(", " ").split()
    plain = (word.removeprefix("v").removeprefix("go") for word in words)
    return next((word for word in plain if word[:1].isdecimal() and "." in word), "")


def numbers(text: str) -> tuple[int, ...]:
    """A version as numbers that compare: "2.1.330" as (2, 1, 330)."""
    parts = []
    for part in text.split("."):
        digits = part[: len(part) - len(part.lstrip("0123456789"))]
        if not digits:
            break
        parts.append(int(digits))
    return tuple(parts)
