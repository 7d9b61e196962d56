"""Asking programs: started without a shell, bounded in time, told not to judge."""

import time
from collections.abc import Mapping, Sequence

from untilgreen import hosts
from untilgreen.checks import processes
from untilgreen.cli.doctor.case import DoctorCase
from untilgreen.core.model.outcome import Output

_SECONDS = 10.0  # for a program that only has to say its version


def ask(case: DoctorCase, jobs: Mapping[str, Sequence[str]]) -> dict[str, Output]:
    """Run these command lines at once in the project; name to answer. Hooks are silent there, and no host's session
    owns them."""
    sessions = {row[1] for row in hosts.ADAPTERS.values()} | {hosts.get(name).facts.client for name in hosts.ADAPTERS}
    kept = {name: value for name, value in case.env.items() if name not in sessions}
    env = processes.environment(kept) | hosts.variables("", case.root)
    planned = tuple(processes.Job(name, tuple(words), case.root, _SECONDS) for name, words in jobs.items())
    return processes.run(planned, env, time.monotonic() + _SECONDS + 1)


def last_words(answer: Output) -> str:
    """The line that says most about a failure."""
    lines = [line.strip() for line in (answer.stderr or answer.stdout).splitlines() if line.strip()]
    return answer.why or (lines[-1] if lines else f"exit code {answer.code}")


def version(answer: Output) -> str:
    """The first word of an answer to `--version` that looks like a version, "" where there is none."""
    words = (answer.stdout or answer.stderr).replace(",", " ").replace("(", " ").split() if answer.code == 0 else []
    plain = (word.removeprefix("v").removeprefix("go") for word in words)
    return next((word for word in plain if word[:1].isdecimal() and "." in word), "")
