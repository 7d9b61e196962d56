"""Has the host ever called the hooks, and when last? They leave a mark, and its transcripts say when it worked."""

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from untilgreen.cli.doctor import cures
from untilgreen.cli.doctor.case import Case
from untilgreen.cli.doctor.finding import BROKEN, NOTE, OK, Finding
from untilgreen.cli.installing import registration
from untilgreen.hosts.claude_code import commands as aliases
from untilgreen.project import toplevel
from untilgreen.state import call_marks

SUBJECT = "calls"

_LONGEST = 200  # characters of a folder's name before the host cuts it and adds a digest
_READ = 8 * 1024 * 1024  # bytes of a transcript
_NEWEST = 20  # transcripts that are read
_SLACK = 2.0  # seconds between clocks of files and of entries
_EDITS = ('"name":"Edit"', '"name":"Write"', '"name":"MultiEdit"', '"name":"NotebookEdit"')


class Worked(NamedTuple):
    """A session of this project by its transcript: when it began (seconds since the epoch), whether the agent came to
    an end of its turn, and whether it edited a file."""

    began: float
    stopped: bool
    edited: bool


class Calls(NamedTuple):
    """`last`: hook to the moment of its newest call; `marks`: the folder in which such marks are kept is there."""

    last: Mapping[str, float]
    marks: bool
    sessions: tuple[Worked, ...]


def look(case: Case, since: float) -> Calls:
    """Marks and transcripts, read. A session that was over at `since` (seconds since the epoch) is of no interest."""
    folder = os.path.join(case.base, call_marks.FOLDER)
    last = {}
    for name in registration.NAMES:
        try:
            last[name] = os.stat(os.path.join(folder, name)).st_mtime
        except OSError:
            continue
    return Calls(last, os.path.isdir(case.base), tuple(_sessions(case, since)))


def _sessions(case: Case, since: float) -> Iterator[Worked]:
    """The newest sessions of this project, but the one in which this command runs."""
    folder = os.path.join(aliases.user_folder(case.env), "projects")
    plain = re.sub("[^a-zA-Z0-9]", "-", case.root)[:_LONGEST]
    try:
        names = [name for name in os.listdir(folder) if name.startswith(plain)]
    except OSError:
        return
    paths = [
        entry.path for name in names for entry in _entries(os.path.join(folder, name)) if entry.name.endswith(".jsonl")
    ]
    mine = case.env.get("CLAUDE_CODE_SESSION_ID") or "none"
    for path in sorted((path for path in paths if _changed(path) > since), key=_changed, reverse=True)[:_NEWEST]:
        if not os.path.basename(path).startswith(mine) and (worked := _worked(path, case.root)):
            yield worked


def _entries(folder: str) -> list["os.DirEntry[str]"]:
    try:
        with os.scandir(folder) as found:
            return list(found)
    except OSError:
        return []


def _changed(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0


def _worked(path: str, root: str) -> Worked | None:
    """What a transcript says; None where it is another project's, or of no use."""
    began, stopped, edited, here = 0.0, False, False, False
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read(_READ)
    except OSError:
        return None
    for line in text.splitlines():
        if began and here and '"assistant"' not in line:
            continue  # parsing is what takes time
        try:
            entry = json.loads(line)
        except ValueError:
            continue  # cut off, or being written
        if not isinstance(entry, dict):
            continue
        began = began or _moment(entry.get("timestamp"))
        here = here or _is_in(root, entry.get("cwd"))
        if entry.get("type") == "assistant" and not entry.get("isApiErrorMessage"):
            message = entry.get("message")
            stopped = stopped or (isinstance(message, dict) and message.get("stop_reason") == "end_turn")
            edited = edited or any(name in line for name in _EDITS)
    return Worked(began, stopped, edited) if here and began else None


def _is_in(root: str, cwd: object) -> bool:
    """Whether a session that works there is one of this project."""
    return isinstance(cwd, str) and os.path.isdir(cwd) and toplevel.top(cwd) == root


def _moment(text: object) -> float:
    try:
        return datetime.fromisoformat(str(text)).timestamp()
    except ValueError:
        return 0.0


def findings(case: Case, calls: Calls, registered: Mapping[str, float], now: float) -> tuple[Finding, ...]:
    """`registered`: hook to the moment in which its settings were last changed."""
    if not calls.marks:
        what = "there is no state folder yet, and so no mark of a call"
        cure = "" if case.refused else "make it as the cure above says"
        return (Finding(SUBJECT, NOTE, what, cure),) if registered else ()
    said: list[Finding] = []
    never: list[str] = []
    silent: list[str] = []
    for hook, since in registered.items():
        last = calls.last.get(hook, 0.0)
        expected = [one for one in calls.sessions if one.began > max(since, last) + _SLACK and _calls(hook, one)]
        if expected:
            silent.append(hook if not last else f"{hook} (last {_ago(now - last)})")
        elif last:
            said.append(Finding(SUBJECT, OK, f"{hook} was last called {_ago(now - last)}"))
        else:
            never.append(hook)
    if silent:
        what = f"the host did not call, although a session ran here since they were registered: {', '.join(silent)}"
        cure = "put right what is broken above, then begin a new session; /hooks in the host shows what it has read"
        said.insert(0, Finding(SUBJECT, BROKEN, what, cure))
    if never:
        cure = f"start claude in {cures.name(case.root)}, say something" + _or_edit(never)
        said.append(Finding(SUBJECT, NOTE, f"never called yet: {', '.join(never)}", "" if case.refused else cure))
    return tuple(said)


def _calls(hook: str, one: Worked) -> bool:
    """Whether a session that went so calls the hook."""
    return one.edited if hook.startswith("post-tool") else one.stopped


def _or_edit(never: Sequence[str]) -> str:
    return ", and let it edit a file" if any(hook.startswith("post-tool") for hook in never) else ""


def _ago(seconds: float) -> str:
    for size, name in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            number = int(seconds // size)
            return f"{number} {name}{'s' if number > 1 else ''} ago"
    return "just now"
