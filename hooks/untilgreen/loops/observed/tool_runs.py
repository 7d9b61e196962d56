"""What the agent ran as a check, and what failed, kept in its loop: loaded where a call of a tool may be either.

The work tree is looked at for commands that check something, and for no other. The state is waited for as long as an
edit waits; what cannot be kept then is told in the log, and stands for nothing.
"""

import os
import time

from untilgreen.checkers import summaries
from untilgreen.core import foreign, secrets
from untilgreen.core.model.event import ToolUse
from untilgreen.core.model.groups import AgentRun, ToolError
from untilgreen.core.model.loop import Loop
from untilgreen.core.shell import classify
from untilgreen.core.shell.classify import SingleRun
from untilgreen.core.verdict import evidence
from untilgreen.loops.stop.payload import Call
from untilgreen.state import clock, locks, log, noted, sessions, store

_LOCK = 2.0  # seconds, as an edit waits
_WORDS = 500  # characters of a call that is kept to be compared
_READ = 4_000  # characters of an error that are looked at
_MOVING = ("cd ", "pushd ", "popd", "Set-Location ")


def record(call: Call, used: ToolUse, about: str, loop_id: str) -> None:
    """Keep what this call of a tool shows. `about`: as in `ToolError`."""
    found = classify.of(used.command) if used.command else classify.Recognised("")
    last = {kind: part for part in found.parts for kind in part.kinds}  # of each kind the last one counts
    tree = noted.fingerprint(call.place.root, call.place.base) if last else ""
    now = clock.iso(time.time())
    alone = evidence.is_alone(used.command, len(found.parts))
    runs = [
        _run(call, used, kind, part if alone else part._replace(words=()))._replace(command=about, at=now, tree=tree)
        for kind, part in last.items()
    ]
    error = None
    if not (used.ok or used.refused):
        what = "shell" if used.command else "edit" if used.path else "other"
        told = _why(used)
        name, agent = secrets.short(used.name), call.event.agent_id
        error = ToolError(name, about, told, now, 0, what, agent, found.kinds)

    def wanted(loop: Loop) -> Loop | None:
        ours = store.is_ours(loop, call.place, call.event.session) and loop.loop_id == loop_id
        return _after(loop, used, about, runs, error) if ours else None

    try:
        sessions.change(call.place, call.env, wanted, seconds=_LOCK, durable=False)
    except (OSError, locks.Busy, store.Unreadable) as problem:
        log.write(call.place.base, f"what the agent ran was not kept: {problem!r}")


def _after(loop: Loop, used: ToolUse, about: str, runs: list[AgentRun], error: ToolError | None) -> Loop:
    runs = [run._replace(iteration=loop.rounds.iteration) for run in runs]
    error = error._replace(iteration=loop.rounds.iteration) if error else None
    after = evidence.recorded(loop, runs, error)
    if not used.ok or used.open_end or not (used.command or used.path):
        return after
    what = "shell" if used.command else "edit"
    return after.put(after.observed._replace(tool_errors=evidence.made_good(after.observed.tool_errors, what, about)))


def _run(call: Call, used: ToolUse, kind: str, part: SingleRun) -> AgentRun:
    """The run of one kind; which command, when and on which tree is for the caller to say."""
    summary = summaries.read(kind, used.output, used.command)
    success = went_well(used, part, summary.says)
    plain = " ".join(part.words)
    known = len(plain) <= _WORDS and secrets.short(plain) == plain  # no secret, and nothing that nobody sees
    return AgentRun(
        kind=kind,
        command="",
        cwd=_folder(call, used.command, part.folder),
        scope=part.scope,
        success=success,
        exit_code=used.exit_code,
        counts=summary.counts,
        error="" if success else _why(used),
        tool_name=secrets.short(used.name),
        tool_use_id=used.id[:_WORDS],
        agent_id=call.event.agent_id,
        iteration=0,
        at="",
        words=part.words if known else (),
    )


def went_well(used: ToolUse, part: SingleRun, says: str) -> bool | None:
    """Whether the run went well: by its own exit code, else by what its summary says; None where neither tells."""
    if used.open_end or used.exit_code is None:
        return False if says == "red" else None
    if part.own_exit and used.exit_code != 0:
        return False
    if says in ("red", "empty"):
        return False if says == "red" else None
    return True if used.exit_code == 0 and (part.own_exit or says == "green") else None


def _why(used: ToolUse) -> str:
    """Why it failed, in one line; "" where it did not say that it had."""
    return "" if used.ok else secrets.short(" ".join(foreign.strip(used.output[:_READ]).split()))


def _folder(call: Call, command: str, folder: str) -> str:
    """Where a run was, by the shell's folder now and the one that the line went to; "" where that is not sure. The host
    tells the folder after the command (seen with 2.1.330)."""
    now = call.event.cwd
    moves = sum(command.count(word) for word in _MOVING)
    if os.path.isabs(folder):
        place = folder
    elif not now or moves > 1 or not folder or ".." in folder.split("/") or (moves == 1) == (folder == "."):
        return ""
    elif folder == ".":
        place = now
    else:
        went, is_there = os.path.join(now, folder), f"{now}/".endswith(f"/{folder.strip('/')}/")
        if is_there == os.path.isdir(went):
            return ""
        place = now if is_there else went
    return foreign.one_line(os.path.normpath(place))[:4_096]
