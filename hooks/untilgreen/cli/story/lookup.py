"""Which loop is meant, and its story as it lies on disk."""

import json
import os
from collections.abc import Sequence
from functools import lru_cache

import click
from click.shell_completion import CompletionItem

from untilgreen import hosts
from untilgreen.checkers.answer import relative
from untilgreen.cli import errors
from untilgreen.core import document, secrets
from untilgreen.core.errors import UserError
from untilgreen.core.model.event import Act
from untilgreen.core.verdict import attempts
from untilgreen.core.words import brief, notices, story
from untilgreen.core.words.story import Noted, Story
from untilgreen.loops import back
from untilgreen.loops.begin import listing, starting
from untilgreen.loops.begin.listing import Kept
from untilgreen.loops.heard import announcing
from untilgreen.loops.rest import parking
from untilgreen.state import catalogue, journal, under_way


def find(root: str, name: str = "", session: str = "") -> Kept:
    """The loop of this name, else the newest one: of a session (a loop's name will do, too), of the one in whose shell
    we are, or of the project. Raises UserError."""
    kept, unreadable = listing.everything(starting.base_of(root, os.environ), root)
    errors.note(*unreadable)
    asked, ours = name or session, hosts.session(os.environ)
    mine = [one for one in kept if not asked or asked == one.loop.loop_id or session == one.loop.session_id != ""]
    mine = [one for one in mine if one.loop.session_id == ours] or mine
    if not mine:
        cure = "untilgreen status --all" if asked else 'begin one: untilgreen start "the task"'
        raise UserError(f"no loop {asked} is known here" if asked else "no loop is known here", cure)
    return max(mine, key=lambda one: one.loop.started_at)


def names(context: click.Context, _argument: click.Parameter, begun: str) -> list[CompletionItem[str]]:
    """The loops whose names begin so, for a shell that completes: the newest first, each with its task."""
    try:
        root = starting.root_of(os.path.expanduser(context.params.get("project") or ""), os.environ)
        kept, _ = listing.everything(starting.base_of(root, os.environ), root)
    except (UserError, OSError):  # no such project: nothing to offer
        return []
    loops = sorted((one.loop for one in kept), key=lambda loop: loop.started_at, reverse=True)
    found = [loop for loop in loops if loop.loop_id.startswith(begun)]
    return [CompletionItem(loop.loop_id, help=brief.clean(loop.task_description)) for loop in found]


def told(kept: Kept) -> Story:
    loop, words = kept.loop, catalogue.english()
    history = notices.history(loop, words, bars=True, rounds=len(loop.history.snapshots))
    asked = ["no loop: what the session itself wrote is held"] if kept.held else announcing.summary(loop, words)
    noted = _noted(kept)
    asked += attempts.summary(loop)
    return story.of(loop, noted, _acts(kept, noted), _outcome(kept), history, asked)


def diffs(kept: Kept, told: Story) -> dict[int, str]:
    """The diff of the files in each round, by its number, without secrets; or why it is not known."""
    found, before = {}, "start"
    for number in (one.number for one in told.rounds if not kept.held):
        try:
            text = back.diff(kept.place, kept.loop, before, str(number)).decode("utf-8", "replace")
        except UserError as error:
            text = error.reason
        found[number], before = secrets.safe(text), str(number)
    return found


def _acts(kept: Kept, noted: Sequence[Noted]) -> list[Act]:
    """What the hosts of a loop wrote down of its agent; the rounds of a prompt have no beginning that is known."""
    found: list[Act] = []
    for host, transcript in dict.fromkeys((note.host, note.transcript) for note in noted if note.transcript):
        try:
            found += () if kept.held else _done(host, transcript, len(noted))
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            errors.note(f"{transcript} cannot be read: {error.strerror}")
    return [act._replace(edited=relative(act.edited, kept.loop.project)) for act in found]


@lru_cache(maxsize=8)
def _done(host: str, transcript: str, _stops: int) -> Sequence[Act]:
    """As `Host.acts`, read once for each stop: whoever watches asks every second."""
    return hosts.get(host).acts(transcript)


def _outcome(kept: Kept) -> str:
    """How it ended, as its user was told, or where it stands."""
    loop = kept.loop
    round_ = f"round {loop.rounds.iteration} of {loop.settings.max_iterations}"
    if loop.active:
        newest = None if loop.asked.promise_only else brief.newest_snapshot(loop)
        checking = under_way.now(kept.place) is not None
        status = "checking" if checking else "" if loop.status == "running" else parking.why(loop) or loop.status
        return " · ".join(filter(None, (round_, status, brief.describe_left(newest) if newest else "")))
    if loop.end.stop_reason == "cancelled":
        return f"■ cancelled in {round_}"
    return notices.ended(loop, catalogue.english(), auto=kept.held).partition("\n")[0]


def _noted(kept: Kept) -> list[Noted]:
    """What the journals have of a loop: of all sessions, since `/clear` gives it to another one."""
    name, found = kept.loop.loop_id, []
    for place in listing.sessions_of(kept.place.base, kept.place.root):
        try:
            lines = journal.lines(place)
        except OSError as error:
            errors.note(f"{error.filename or place.folder} cannot be read: {error.strerror}")
            continue
        for line in (line for line in lines if name.encode() in line):
            try:
                entry = json.loads(line)
                if entry.get("loop_id") == name and entry.get("snapshot"):
                    found.append(document.load(Noted, entry))
            except (ValueError, AttributeError, RecursionError, document.Mismatch) as error:
                errors.note(f"a line of {place.folder}/journal.jsonl is not readable: {error}")
    return found
