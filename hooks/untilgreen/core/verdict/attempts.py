"""A task that is begun once more: a loop that is stuck gets another attempt from its best round, one that is over is
opened again, one takes another's place; and the way back to a tree that was kept. Pure."""

from collections.abc import Sequence

from untilgreen.core import foreign
from untilgreen.core.model.groups import Attempt, End, Rest, Rounds
from untilgreen.core.model.loop import Continue, Loop
from untilgreen.core.model.settings import Settings
from untilgreen.core.model.snapshot import Snapshot
from untilgreen.core.verdict import baseline, policy, progress
from untilgreen.core.words import brief, notices, report
from untilgreen.core.words.brief import Words

_TOLD = 12  # files in one text
_ROOM = 2_000  # characters of what an attempt ended with
_STUCK = ("stagnant", "max-iterations", "max-wall-time", "budget")
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_")


def best(loop: Loop) -> Snapshot | None:
    """The best round so far; None where no round is, or its tree was not kept."""
    number = progress.best_round(loop)
    return next((one for one in loop.history.snapshots if one.iteration == number and one.ref), None)


def goes_on(loop: Loop) -> bool:
    """Whether a loop that is just over goes on with another attempt."""
    more = len(loop.rounds.attempts) + 1 < loop.settings.attempts
    return loop.end.stop_reason == "stagnant" and more and best(loop) is not None


def is_undone(loop: Loop) -> bool:
    """Whether the work tree of a loop that is over is to be that of its best round: there were several attempts."""
    return bool(loop.rounds.attempts) and loop.end.stop_reason in _STUCK


def next_one(ended: Loop, changed: Sequence[str], now: str) -> Continue:
    """The loop in the first round of its next attempt. `ended`: the loop as it would be over; `changed` as in
    `Attempt`."""
    round_, reached = best(ended), ended.rounds.iteration
    how = (round_.iteration, brief.count_left(round_)) if round_ else (0, 0)
    tried = Attempt(reached, ended.end.completion_reason or "", *how, tuple(changed))
    given = progress.given_limits(ended)
    loop = ended.put(
        Rounds(reached, attempts=(*ended.rounds.attempts, tried), attempt_limits=given),
        ended.history._replace(known=(), proof=None),
        ended.spent._replace(extended=0),
        End(),
    )._replace(active=True, status="running", settings=_limited(ended, reached))
    return policy.next_round(loop, now)


def _limited(loop: Loop, counted: int) -> Settings:
    """What the loop was given at its start, once more, behind so many rounds."""
    rounds, minutes = progress.given_limits(loop)
    minutes = minutes and round(loop.clock.elapsed_seconds / 60 + minutes, 3)
    return loop.settings._replace(max_iterations=counted + int(rounds), max_minutes=minutes)


def is_resumable(loop: Loop) -> bool:
    """Whether it is over in a way that it can be opened again: not done, nor cancelled by its user."""
    return not loop.active and loop.end.stop_reason not in (None, "complete", "cancelled")


def reopened(loop: Loop, now: str) -> Loop:
    """The loop a round after its last counted one, with fresh limits. Numbers go on: each round keeps its way back."""
    counted, given = loop.history.newest.iteration if loop.history.newest else 0, progress.given_limits(loop)
    return loop.put(
        loop.rounds._replace(
            iteration=counted + 1, best={}, seen=(), no_progress_count=0, lateral_count=0, attempt_limits=given
        ),
        loop.history._replace(known=(), proof=None),
        loop.spent._replace(round_seconds=0.0, extended=0, spending=progress.fresh_spending(loop, now)),
        loop.turns._replace(turn_id="", answered=0, answered_tree=""),
        loop.clock._replace(round_started=0.0),
        Rest(),
        End(),
    )._replace(active=True, status="running", reviews=0, settings=_limited(loop, counted), updated_at=now)


def succeeding(loop: Loop, before: Loop | None, named: str) -> Loop:
    """The loop that takes the place of `before`, which is told as `named`; None where its state is gone. What the agent
    wrote meanwhile is measured by the older start: suppressions, configuration, tests. It counts where nobody typed it
    at the host's prompt: of whom a shell is, its variables say what they like."""
    loop = loop.put(loop.start._replace(replaced=named, replaced_counts=loop.begun_by != "user"))
    then, now = before.start.text if before else None, loop.start.text
    if before is None or then is None or now is None or not baseline.comparable(then, now):
        return loop
    same = {check.name for check in loop.checks.plan if check in before.checks.plan}
    first = {name: one for name, one in before.start.first.items() if name in same}
    return loop.put(loop.start._replace(text=then, first=first))


def told(loop: Loop, words: Words) -> str:
    """What the agent is told when an attempt begins: what was tried, and what it ended with."""
    tried, since = loop.rounds.attempts[-1], loop.rounds.attempts[-2].until if len(loop.rounds.attempts) > 1 else 0
    rounds = tuple(one for one in loop.history.snapshots if one.iteration > since)
    said = words["attempt_stuck"].format(
        changed=f" ({brief.listed(tried.changed, _TOLD)})" if tried.changed else "",
        history=notices.history(loop.put(loop.history._replace(snapshots=rounds)), words),
        **_places(loop),
    )
    below = (report.body(None, loop.history.snapshots[-1], words, room=_ROOM), *report.marker_lines(loop, words))
    return "\n".join((foreign.one_line(said), *below, *report.task_lines(loop, words)))


def shown(loop: Loop, words: Words) -> str:
    return words["attempt_over"].format(**_places(loop))


def _places(loop: Loop) -> dict[str, int]:
    """What lines say of the newest attempt."""
    tried, which = loop.rounds.attempts[-1], len(loop.rounds.attempts)
    numbers = {"until": tried.until, "best": tried.best, "left": tried.left}
    return numbers | {"which": which, "most": loop.settings.attempts, "next": which + 1}


def summary(loop: Loop) -> list[str]:
    """What became of each attempt that was undone, a line each, for its user."""
    return [
        foreign.one_line(
            f"attempt {which}: stuck after round {tried.until}, back at round {tried.best}, {tried.left} left"
            + (f"; undone: {brief.listed(tried.changed, _TOLD)}" if tried.changed else "")
        )
        for which, tried in enumerate(loop.rounds.attempts, 1)
    ]


def left_over(loop: Loop, words: Words) -> str:
    """The line for the user where the best attempt is what is left; "" where that is no other tree than the last."""
    round_ = best(loop)
    if round_ is None or round_.ref == loop.history.snapshots[-1].ref:
        return ""
    what = brief.tell_left(round_, words)
    return words["best_attempt"].format(n=len(loop.rounds.attempts) + 1, round=round_.iteration, left=what)


def ways_back(loop: Loop, store: str, words: Words) -> tuple[str, ...]:
    """The command that undoes the work of a loop at its end, and the line that does it by hand, for a shell in the
    project; nothing where nothing changed. `store`: its path relative to the project, "" without a git to read it."""
    snapshots, round_ = loop.history.snapshots, best(loop) if is_undone(loop) else None
    if round_ is not None:  # its work tree is put back
        snapshots = tuple(one for one in snapshots if one.iteration <= round_.iteration)
        loop = loop.put(loop.history._replace(snapshots=snapshots))
    newest = snapshots[-1].ref if snapshots else ""
    if newest == loop.start.start_ref:
        return ()
    ref = next((one.ref for one in snapshots if one.iteration == progress.best_round(loop)), "")
    word, ref = ("best", ref) if ref not in ("", newest) else ("start", loop.start.start_ref)
    line = words["rollback"].format(command=rollback_command(loop, word), word=word)
    by_hand = f"git --git-dir={_quoted(store)} --work-tree=. checkout {ref} -- ."
    return (line, words["by_git"].format(command=by_hand)) if store else (line,)


def rollback_command(loop: Loop, word: str) -> str:
    """What goes back to a round, or to another tree that was kept."""
    return f"untilgreen rollback --to {word} --session {_quoted(loop.loop_id)}"


def _quoted(word: str) -> str:
    return word if word and _PLAIN.issuperset(word) else "'" + word.replace("'", "'\"'\"'") + "'"
