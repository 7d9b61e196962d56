"""What the agent does while a loop of its session runs: each edit and each command of a shell, a line in the journal;
what it ran as a check, and what failed, in the loop.

It is a record and judges nothing: where the state cannot be read nothing is noted, and the next stop says so. Every
edit and every command waits for it, so it looks at a few fields of the loop, and not at the whole of it.
"""

import json
import os
import time

from untilgreen.core import foreign, secrets
from untilgreen.core.model.event import ToolUse
from untilgreen.core.record import Any
from untilgreen.core.shell import suspected
from untilgreen.loops.stop.payload import Call
from untilgreen.project import files
from untilgreen.project.toplevel import within
from untilgreen.state import clock, journal, log
from untilgreen.state.place import STATE, has_neighbours

_LARGEST = 32 * 1024 * 1024  # bytes of the loop


def note(call: Call, used: ToolUse) -> None:
    """Note the call of a tool that is over, where a loop runs that it belongs to."""
    loop = _round(call) or _nobodys(call)
    if loop is None:
        return
    if used.command:
        about = secrets.short(used.command)
    else:  # its file, or what else it names
        is_file = used.path or used.about.startswith(("/", "./"))
        about = secrets.short(_relative(used.path or used.about, call) if is_file else used.about)
    if used.command or used.path:
        agent = {"agent_id": call.event.agent_id} if call.event.agent_id else {}
        journal.append(
            call.place,
            "shell" if used.command else "edit",
            clock.iso(time.time()),
            loop_id=loop["loop_id"],
            iteration=loop["iteration"],
            name=foreign.one_line(used.name)[: secrets.SHORT],
            **{"command" if used.command else "file": about},
            ok=used.ok,
            duration=used.seconds or None,
            id=used.id[: secrets.SHORT],
            **agent,
        )
    if not loop["loop_id"]:
        return
    errors = loop.get("tool_errors")
    errors = [one for one in errors if isinstance(one, dict)] if isinstance(errors, list) else []
    # something that went well may make one good
    may_mend = used.ok and any(one.get("resolved") is not True for one in errors)
    if may_mend or not (used.ok or used.refused) or suspected.may_check(used.command):
        from untilgreen.loops.observed import tool_runs  # most calls are no checks, and do not fail

        tool_runs.record(call, used, about, loop["loop_id"])


def _nobodys(call: Call) -> dict[str, Any] | None:
    """Where no loop of its own runs, but another session's, which is to know who wrote what: no round of any loop."""
    if not has_neighbours(call.env, call.place.base, call.event.session):
        return None
    try:
        os.makedirs(call.place.folder, mode=0o700, exist_ok=True)
    except OSError as error:
        log.write(call.place.base, f"what a session without a loop writes is not noted: {error}")
        return None
    return {"loop_id": "", "iteration": 0}


def _round(call: Call) -> dict[str, Any] | None:
    """The document of the session's loop, if it runs and holds; what cannot be read stays where it is."""
    try:
        loop = json.loads(files.read(call.place.file(STATE), _LARGEST))
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(loop, dict) or loop.get("active") is not True or loop.get("paused"):
        return None
    ours = loop.get("session_id") in ("", call.event.session) and loop.get("project") in ("", call.place.root)
    named = isinstance(loop.get("loop_id"), str) and isinstance(loop.get("iteration"), int)
    return loop if ours and named else None


def _relative(path: str, call: Call) -> str:
    if "\0" in path:
        return path  # no file is called that
    full = os.path.realpath(os.path.join(call.event.cwd or call.place.root, path))
    root = os.path.realpath(call.place.root)
    return os.path.relpath(full, root) if within(root, full) else full
