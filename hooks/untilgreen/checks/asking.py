"""Programs of the user's own that are asked something: a judge, a review, a completion hook, a command of the memory's.

Each is found, gets a document on its stdin, runs as a check does (a group of its own, bounded, our hooks off in it),
and answers by its exit code and by the last JSON object that it prints.
"""

import json
import math
import os
from collections.abc import Callable, Mapping, Sequence

from untilgreen.checks.run import processes, report_folder
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.outcome import Output
from untilgreen.core.record import Any, NamedTuple
from untilgreen.project import tools, trust

_LONGEST = 200_000  # characters of an answer in which JSON is looked for


class Program(NamedTuple):
    """Whom to ask: its command line, where it runs, what it finds in its environment."""

    argv: tuple[str, ...]
    cwd: str
    env: Mapping[str, str]
    seconds: float = math.inf  #: that it has for one answer


def find(called: str, root: str, asked: Mapping[str, str], env: Mapping[str, str]) -> str:
    """The absolute path of a command of the project's own, which may lie in it; "" for none. `asked` as in `Loop`."""
    if os.sep in called:
        path = os.path.join(root, os.path.expanduser(called))
        return path if os.path.isfile(path) and os.access(path, os.X_OK) else ""
    tool = tools.find(called, root, root, env, trusted=True, asked=asked)
    return tool.path if tool else ""


def words(command: Sequence[str], loop: Loop, env: Mapping[str, str]) -> tuple[str, ...]:
    """A command of the project's own by its absolute path; as it is where it is not there."""
    return (find(command[0], loop.project, loop.checks.asked, env) or command[0], *command[1:])


def ask(
    root: str,
    program: Program,
    documents: Sequence[str],
    env: Mapping[str, str],
    until: float,
    idle: Callable[[], bool] = lambda: False,
) -> list[Output]:
    """What comes of each document, all put at once, where the project `root` is trusted. `env`: our own; `until` and
    `idle` as in `processes.run`. Raises processes.Interrupted, trust.Unread, OSError."""
    if not trust.trusted(root, env):
        return [Output(None, "", "", why=trust.NO_MORE)] * len(documents)
    with report_folder.made(env) as folder:
        jobs = []
        for number, text in enumerate(documents):
            path = os.path.join(folder, f"{number}.txt")
            with open(path, "w", encoding="utf-8", errors="replace") as file:
                file.write(text)
            jobs.append(processes.Job(str(number), program.argv, program.cwd, program.seconds, stdin=path))
        outputs = processes.run(tuple(jobs), program.env, until, idle)
    return [outputs[job.name] for job in jobs]


def newest(text: str) -> Any:
    """The last JSON object in a text; None where there is none."""
    text, decoder, newest, at = text[-_LONGEST:], json.JSONDecoder(), None, 0
    while (at := text.find("{", at)) >= 0:
        try:
            newest, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at += 1
    return newest
