"""What is kept of a run of `untilgreen run` beside its loop: outside of every repository, as it says what is started.

`runs/<session>.json` in the user's own folder, and a lock beside it that the runner holds as long as it lives.
"""

import json
import os
from collections.abc import Mapping
from contextlib import suppress

from untilgreen.core import document
from untilgreen.core.record import NamedTuple
from untilgreen.project import trust
from untilgreen.state import locks, store
from untilgreen.state.place import key_of


class RunRecord(NamedTuple):
    """`runs/<session>.json`."""

    session: str
    project: str  #: the root in which it runs, and that in which it was begun: others where it has its own work tree
    begun_in: str
    host: str  #: the adapter's name, "generic" for a command of the user's own
    argv: tuple[str, ...]  #: what starts the agent; `{prompt}` in a word stands for the prompt, else it comes on stdin
    wait_limits: bool = True
    last_messages: int = -1  #: how many of the agent's last messages each round is told; -1: as the configuration says
    messages: tuple[str, ...] = ()  #: what the agent said last in each of the newest rounds, the newest last
    child: int = 0  #: the agent's process, 0 for none, and when it was created, as the system says it
    child_since: str = ""
    branch: str = ""  #: the branch of its own work tree, "" for none
    plan: str = ""  #: the task file that is done step by step, "" for none; the step's first line; the start's flags
    step: str = ""
    given: dict[str, tuple[str, ...]] = {}


def path(env: Mapping[str, str], session: str, suffix: str = ".json") -> str:
    return os.path.join(trust.folder(env), "runs", f"{key_of(session)}{suffix}")


def save(env: Mapping[str, str], run: RunRecord) -> None:
    """Keep it. Raises OSError."""
    target = path(env, run.session)
    trust.make_private(os.path.dirname(target))
    store.write_text(target, json.dumps(document.dump(run)))


def read(env: Mapping[str, str], session: str) -> RunRecord | None:
    """What is kept of a run, None where nothing is that can be read."""
    return store.read_record(RunRecord, path(env, session))


def newest_first(env: Mapping[str, str], root: str) -> list[RunRecord]:
    """The runs that were begun in this project, or go on in it."""
    found = []
    for one in store.documents_in(os.path.dirname(path(env, "any"))):
        run = store.read_record(RunRecord, one)
        if run is not None and root in (run.project, run.begun_in):
            with suppress(OSError):
                found.append((os.stat(one).st_mtime_ns, run))
    return [run for _, run in sorted(found, key=lambda one: one[0], reverse=True)]


def lock(env: Mapping[str, str], session: str) -> int:
    """Hold the run while the returned file is open; what is kept of old ones goes. Raises locks.Busy, OSError."""
    target = path(env, session, ".lock")
    trust.make_private(os.path.dirname(target))
    store.sweep(os.path.dirname(target))
    return locks.acquire(target, 0)
