"""Each claim of being done in the transcripts of this machine, and what the agent's own runs had said before it, as
docs/history.md defines it. Files are read line by line; nothing is written."""

import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from heapq import merge
from typing import IO

import orjson

from untilgreen.checkers import summaries
from untilgreen.core import secrets
from untilgreen.core.errors import UserError
from untilgreen.core.model.event import Act, ToolUse
from untilgreen.core.record import Any, NamedTuple
from untilgreen.core.shell import classify
from untilgreen.core.verdict import claims
from untilgreen.core.words import brief
from untilgreen.hosts import records, turns
from untilgreen.hosts.reading import objects_in
from untilgreen.hosts.turns import TurnStep
from untilgreen.loops.begin import listing, starting
from untilgreen.loops.observed.tool_runs import went_well
from untilgreen.project import files, tables, toplevel

VERDICTS = {
    "backed": "a passing run",
    "failed": "the last run failed",
    "stale": "no run since the last edit",
    "none": "no run at all",
}
_LONGEST = 64 * 1024 * 1024  # bytes of a line
_NOT_RUN = (126, 127)  # exit codes of a shell that found no program
_ROOM = 100  # characters of a claim that are shown
_WORDS, _TABLE = claims.compiled(tables.read("claims")), tables.read("transcripts")
_NO_SOURCE, _WRITES = (re.compile("|".join(row[0] for row in _TABLE[one])) for one in ("No source", "Writes"))


class CountedClaim(NamedTuple):
    """A claim that counts. `verdict`: of VERDICTS; `ours`: a loop of ours began in its repository before it."""

    at: str
    path: str
    line: int
    host: str
    repository: str
    session: str
    verdict: str
    why: str
    sentence: str
    ours: bool = False


class _Transcript:
    """A session as far as it was read: a transcript, and those of its sub-agents."""

    def __init__(self, host: str, path: str, counts: Counter[str]) -> None:
        self.host, self.path, self.counts = host, path, counts
        self.repository = self.id = ""
        self.said, self.line = TurnStep("", ""), 0  #: the last message of the turn so far, and its line
        self.behind = ("", "")  #: what is behind that, and why
        self.edit = self.run = ""  #: where the last edit is, and the last run
        self.edits = False  #: the turn edited a source file
        self.last: dict[str, bool] = {}  #: kind of check -> whether its last run since the last edit went well

    def claims(self) -> Iterator[CountedClaim]:
        """Its claims. Raises OSError."""
        reads = turns.records_of(self.host)
        main, *agents = reads.files(self.path) if hasattr(reads, "files") else [self.path]
        steps = (self._steps(main), *(self._steps(one, aside=True) for one in agents))
        for line, step in merge(*steps, key=lambda one: one[1].at):
            where = "a sub-agent" if step.aside else f"line {line}"
            if step.kind == "edited":
                self._edited(step.text, where)
            elif step.run:
                self._ran(step.run, where)
            elif step.kind == "said" and not step.aside:
                goes_on = reads.LOG.blocks and step.id.strip() and step.id == self.said.id
                self.said = step._replace(text=f"{self.said.text}\n{step.text}") if goes_on else step
                self.line, self.behind = line, self._judged()
            elif step.kind != "notice" and not step.aside:
                yield from self._claimed(step.kind)
        yield from self._claimed("prompt")

    def _edited(self, path: str, where: str) -> None:
        if not _NO_SOURCE.search(path):
            self.edit, self.edits = where, True
            self.last.clear()

    def _ran(self, used: ToolUse, where: str) -> None:
        if _WRITES.search(used.command):
            self._edited("", where)
        for part in classify.of(used.command).parts if used.exit_code not in _NOT_RUN else ():
            for kind in part.kinds:
                well = went_well(used, part, summaries.read(kind, used.output, used.command).says)
                if well is not None:
                    self.last[kind], self.run = well, where

    def _judged(self) -> tuple[str, str]:
        for well, verdict, ended in ((False, "failed", "failed"), (True, "backed", "passed")):
            if kinds := [kind for kind in self.last if self.last[kind] is well]:
                return verdict, f"{', '.join(kinds)} {ended} in {self.run}"
        edit = f"last edit in {self.edit}" if self.edit else "nothing was edited"
        return ("stale", f"{edit}, last run in {self.run}") if self.run else ("none", edit)

    def _claimed(self, kind: str) -> Iterator[CountedClaim]:
        """The claim of the last message, which a step of this kind follows."""
        found = claims.find(self.said.text, _WORDS) if self.said.text and kind != "cut" else None
        counts = found and kind != "held" and (found.of_code or self.edits)
        if found and counts:
            place = (self.said.at, self.path, self.line, self.host, self.repository, self.id)
            yield CountedClaim(*place, *self.behind, brief.clean(secrets.safe(found.sentence), _ROOM))
        self.counts["held" if kind == "held" else "aside"] += bool(found and not counts)
        self.said, self.edits = TurnStep("", ""), self.edits and kind != "prompt"

    def _steps(self, path: str, *, aside: bool = False) -> Iterator[tuple[int, TurnStep]]:
        calls: dict[str, Act] = {}
        with open(path, "rb", opener=files.followed) as file:
            for number, entry in _messages(file.read(_LONGEST)) if path.endswith(".json") else _lines(file):
                self.counts["unread"] += entry is None
                if entry and not (self.repository and self.id):
                    folder, name, of_agent = turns.place_in(entry, path)
                    self.repository = self.repository or (folder and repository_of(folder))
                    self.id, aside = self.id or name, aside or of_agent
                for step in turns.steps(self.host, entry or {}, calls):
                    yield number, step._replace(aside=step.aside or aside)


def _lines(file: IO[bytes]) -> Iterator[tuple[int, dict[str, Any] | None]]:
    return enumerate(map(_parsed, iter(lambda: file.readline(_LONGEST), b"")), 1)


def _messages(text: bytes) -> Iterator[tuple[int, dict[str, Any] | None]]:
    """A chat of an older Gemini CLI (0.20.0), one document: its head, and its messages, with the lines of their ids."""
    chat, line, at = _parsed(text), 1, 0
    yield line, chat
    for one in objects_in((chat or {}).get("messages")):
        found = text.find(json.dumps(one.get("id")).encode(), at)
        line, at = line + text.count(b"\n", at, max(at, found)), max(at, found)
        yield line, one


def find(env: Mapping[str, str], counts: Counter[str]) -> list[CountedClaim]:
    """Every claim that counts, the oldest first. `counts` learns how many "transcripts" there are, lines or whole files
    that are "unread", claims "held" by a stop hook, and claims set "aside"."""
    found: dict[tuple[str, str], CountedClaim] = {}
    for host, path in ((name, path) for name in turns.HOSTS for path in turns.transcripts(name, env)):
        counts["transcripts"] += 1
        try:
            for one in _Transcript(host, path, counts).claims():
                key = one.at, one.sentence  # a session that was resumed, or moved, may have it again
                if key not in found or not found[key].repository:
                    found[key] = one
        except OSError:
            counts["unread"] += 1
    first = {one: _first_loop(one, env) for one in {claim.repository for claim in found.values()}}
    return sorted(one._replace(ours=first[one.repository] <= one.at[:19]) for one in found.values())


def _parsed(line: bytes) -> dict[str, Any] | None:
    """The object of a line, None where it is none; an empty one for a last line that is in the making."""
    try:
        found = orjson.loads(line)
    except ValueError:  # what Python's own parser may read: half a surrogate, bytes that are no UTF-8
        found = next(records.objects([line]), None if line.endswith(b"\n") and line.strip() else {})
    return found if isinstance(found, dict) else None


@cache
def repository_of(folder: str) -> str:
    """The top of the repository of a folder, of a linked work tree that of the main one; the folder if it is gone."""
    top = toplevel.top(folder) if os.path.isdir(folder) else os.path.normpath(folder)
    return toplevel.main_tree(top) or top


def _first_loop(repository: str, env: Mapping[str, str]) -> str:
    """When the first loop of ours began there, to the second; behind every moment where there was none."""
    try:
        kept = listing.everything(starting.base_of(repository, env), repository)[0] if repository else ()
    except (UserError, OSError):  # it is not ours to look into
        kept = ()
    return min((one.loop.started_at[:19] for one in kept), default="~")
