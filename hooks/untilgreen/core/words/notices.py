"""The whole text of a stop: to the user in one line, and to an agent that is held, in its catalogue's form. Pure."""

from collections.abc import Iterable

from untilgreen.core.foreign import one_line, strip
from untilgreen.core.model.groups import Against, Buts
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.snapshot import Snapshot
from untilgreen.core.verdict import progress
from untilgreen.core.verdict.policy import green_reason, known_red
from untilgreen.core.words import brief, report
from untilgreen.core.words.brief import CONTINUATION, LIMIT, PROMISE, RALPH, Words, clean, counted, spent

_ROOM = 2_500  # characters of what is below the line: the host shows it under the answer
_ROUNDS = 10  # that are told in numbers
_BARS = "▁▂▃▄▅▆▇█"


def feedback(loop: Loop, words: Words, weakened: Buts = (), told: tuple[str, ...] = ()) -> str:
    """What an agent is told whose loop goes on, at most LIMIT characters. `told`: lines of this stop alone."""
    if RALPH in words or CONTINUATION in words:
        from untilgreen.core.words import presets

        own = presets.ralph_held if RALPH in words else presets.supercode_held
        return own(loop, words, weakened, told)
    ends, task = report.marker_lines(loop, words), report.task_lines(loop, words)
    if PROMISE not in words:
        last = (words["then"],) if loop.history.snapshots[-1].items else ()
        return report.found(loop, words, weakened, told, (*ends, *task, *last))
    room = LIMIT - sum(len(line) + 1 for line in ends)
    # the lines of markers stay word for word: nothing in them counts
    return "\n".join((report.found(loop, words, weakened, told, task, room), *ends))


def unasked_feedback(
    now: Snapshot, before: Snapshot | None, words: Words, extra: Iterable[str] = (), most: int = 0
) -> str:
    """What a stop says that is held without a loop, or judged by hand. `most`: rounds of a prompt; 0: by hand."""
    if RALPH in words:
        from untilgreen.core.words import presets

        return presets.ralph_unasked(now, before, words, extra)
    line = report.headline("held" if most else "held_by_hand", now, words, round=now.iteration, max=most)
    last = (words["then"],) if most else ()
    return report.below(line, before, now, words, (report.compared(before, now, words), *extra, *last))


def held(loop: Loop, words: Words, seconds: float, weakened: Buts = (), settings: Iterable[str] = ()) -> str:
    """`✗ round 2 of 10 · 3 → 2 left · 1.2 s`; the first time with the way to end it. The list stands in what the agent
    is told. `settings`: what the user should set, as the agent cannot fix it."""
    *earlier, now = loop.history.snapshots
    round_ = "✗ " + words["round"].format(round=now.iteration, max=loop.settings.max_iterations)
    if now.items:
        before = f"{brief.count_left(earlier[-1])} → " if earlier else ""
        state = before + words["count_left"].format(n=brief.count_left(now))
    elif loop.asked.promise_only:
        state = words["not_promised"]
    else:
        state = words["not_clean"].format(what=brief.but(words, weakened)) if weakened else words["not_declared"]
    if CONTINUATION in words:
        round_ = words["iteration"].format(iteration=loop.rounds.iteration, max=loop.settings.max_iterations)
        state = state if now.items else ""
    hooks = (item.text.partition("\n")[0] for item in now.items if item.kind == "hook")
    return _line(round_, state, *hooks, spent(seconds), *settings, "" if earlier else words["to_end"])


def of_teammate(name: str, now: Snapshot, words: Words, holds: int, most: int) -> str:
    """The line for a teammate that is held, or with `holds` 0 let go although something is left in its files."""
    line = words["teammate_held" if holds else "teammate_let_go"].format(name=clean(name), holds=holds, most=most)
    return _line(line, brief.tell_left(now, words))


def tell(loop: Loop, words: Words, key: str, *beside: str, **values: object) -> str:
    """A line of the catalogue that names the round, with others `beside` it."""
    most, promise = loop.settings.max_iterations, loop.settings.markers.completion_promise or "DONE"
    known = {"round": loop.rounds.iteration, "max": most, "loop": loop.loop_id, "promise": promise}
    return _line(words[key].format(**known | values), *beside)


def still_running(loop: Loop, *, whole: bool = False, how: str = "") -> str:
    """The line that tells the model that its loop goes on. `whole`: it knows nothing of its task any more, nor `how`
    such work is done, a text below the line."""
    task = _line(loop.task_description) if whole else clean(loop.task_description)
    line = f"untilgreen: loop still running, round {loop.rounds.iteration} of {loop.settings.max_iterations}: {task}"
    return f"{line}\n{how}" if whole and how else line


def started(loop: Loop) -> str:
    """The line that tells the model that the loop is on; commands look for its beginning."""
    return f"untilgreen: loop started ({loop.loop_id}), round 1 of {loop.settings.max_iterations}"


def ended(loop: Loop, words: Words, *, auto: bool = False) -> str:
    """The whole message of a Release: one line, and what is still left below it. `auto`: nobody began a loop."""
    if RALPH in words:
        from untilgreen.core.words import presets

        return "\n".join(filter(None, (presets.ralph_ended(loop, words), _used(loop, words))))
    if CONTINUATION not in words or auto:
        return _ended(loop, words, auto=auto)
    end = loop.end
    if end.stop_reason == "complete" and not (end.declared and known_red(loop)):
        line = words["completed"].format(n=loop.rounds.iteration)
    elif end.stop_reason == "max-iterations":
        line = words["ended"].format(reason=words["max_iterations"].format(most=loop.settings.max_iterations))
    else:
        line = words["ended"].format(reason=end.completion_reason or "")
    # what it does not say: that nothing was checked, or what was
    silent = loop.asked.promise_only and end.stop_reason != "complete"
    return _line(line) if silent else "\n".join((_line(line), _ended(loop, words)))


def outcome(loop: Loop, words: Words) -> str:
    """The line of a loop that is over: what its user was told, or that it was cancelled."""
    if loop.end.stop_reason == "cancelled":
        return _line("■ cancelled", *_what_is_left(loop, words))
    return _ended(loop, words).partition("\n")[0]


def _ended(loop: Loop, words: Words, *, auto: bool = False) -> str:
    if loop.end.stop_reason == "complete":
        newest = loop.history.newest
        judged = [_line(one.shown) for one in newest.judged] if newest and not loop.end.declared else []
        below = (*_proven(loop, words), *judged, *_outside(loop, words))
        return "\n".join((_complete(loop, words, auto=auto), *below))
    lines = [_line(_why(loop, words), *_what_is_left(loop, words), _used(loop, words))]
    if (newest := loop.history.newest) and newest.items:
        lines.append(report.body(None, newest, words, room=_ROOM))
    return "\n".join(lines)


def by_hand(snapshot: Snapshot, but: Buts, words: Words) -> str:
    """`✓ green · ruff ✓ mypy ✓`: what was asked for by hand and is green."""
    if RALPH in words:
        return one_line(words["by_hand"].format(reason=green_reason(but, words)))
    return _line(words["green_but"].format(what=brief.but(words, but)) if but else words["green"], _checks(snapshot))


def _line(*told: str) -> str:
    return " ".join(strip(" · ".join(filter(None, told))).split())


def _complete(loop: Loop, words: Words, *, auto: bool) -> str:
    final = loop.history.newest
    if loop.end.declared:
        who = words["promised" if loop.asked.promise_only else "declared"]
        why = words["unchecked"].format(why=loop.end.completion_reason if loop.end.ended_by else who)
        red = _red(loop, words) if not loop.asked.promise_only else [_rounds(loop, words)]
        return _line(why, *red, _used(loop, words))
    but = brief.but(words, loop.end.but)
    if final is None or not ({"clean", "found"}.intersection(final.outcomes.values()) or auto):
        return _line(words["unchecked"].format(why=but))
    state = words["green_but"].format(what=but) if but else words["nothing_holds" if auto else "green"]
    states = (state, _rounds(loop, words)) if but else (f"{state} {_rounds(loop, words)}",)
    # without a loop only what the session wrote was looked at
    only = (one for one in loop.checks.plan if one.told and one.tool and final.outcomes.get(one.name) == "absent")
    beside = (*(o for o in unread(loop) if o not in loop.end.but), *(Against("told", check=one.shown) for one in only))
    said = _checks(final), *brief.tell_against(words, beside)
    return _line(*states, *(() if auto else said), history(loop, words, bars=True), _used(loop, words))


def unread(loop: Loop) -> Buts:
    """The steps of the project's that no check answers for."""
    return tuple(one for one in loop.start.unserved if one.kind == "not_read")


def _used(loop: Loop, words: Words) -> str:
    """What its models used, where somebody looked."""
    if loop.spent.spending is None:
        return ""
    from untilgreen.core.words import spending  # few loops have any

    return spending.told(loop, words)


def _proven(loop: Loop, words: Words) -> list[str]:
    """What tests on another tree showed, in a line."""
    if loop.history.proof is None or loop.end.declared:
        return []
    from untilgreen.core.verdict import proof  # few loops have one

    said = proof.told(loop.history.proof, words)
    return [_line(said)] if said else []


def _rounds(loop: Loop, words: Words) -> str:
    """`after 3 rounds, 2 min 14 s`."""
    time = f", {spent(loop.clock.elapsed_seconds)}" if loop.clock.elapsed_seconds else ""
    return counted(words, "after", loop.rounds.iteration) + time


def _checks(final: Snapshot) -> str:
    """`ruff ✓ mypy ✓ pytest ✓ 41`: the checks of a green project."""
    ran = [name for name, outcome in final.outcomes.items() if outcome in ("clean", "found")]
    return " ".join(f"{name} ✓" + (f" {final.ran[name]}" if name in final.ran else "") for name in ran)


def history(loop: Loop, words: Words, *, bars: bool = False, rounds: int = _ROUNDS) -> str:
    """`left 5 4 4 4`, `left 3 ▃ 1 ▁ 0`. `rounds`: how many of the newest."""
    shown = loop.history.snapshots[-rounds:]
    if loop.asked.promise_only or not shown:
        return ""
    numbers = [brief.count_left(one) for one in shown]
    most = max(len(_BARS), *numbers)
    bar = [f" {_BARS[-(-number * len(_BARS) // most) - 1]}" if number and bars else "" for number in numbers]
    told = (f"{number}{drawn}" for number, drawn in zip(numbers, bar, strict=True))
    return words["history"].format(numbers=" ".join(told))


def _why(loop: Loop, words: Words) -> str:
    """The state of a loop that ended before it was green."""
    reason, how = loop.end.completion_reason or "", loop.end.stop_reason
    if how in ("blocked", "error"):
        return words["blocked" if how == "blocked" else "failed"].format(why=reason)
    limits = {"max-wall-time": progress.time_used, "budget": progress.budget_used}
    if loop.end.ended_by:
        why = reason
    elif how == "max-iterations":
        why = counted(words, "rounds_used", loop.settings.max_iterations)
    elif how in limits:
        limit = limits[how](loop)
        why = words[limit.words].format(**limit.values) if limit else reason
    elif loop.end.but:
        why = words["green_and_but"].format(what=brief.but(words, loop.end.but))
    elif not loop.asked.promise_only and loop.history.snapshots and not loop.history.snapshots[-1].items:
        why = words["undeclared"]
    else:
        most = loop.asked.completion_criteria.stagnation_limit
        is_idle = loop.rounds.no_progress_count >= most
        return words["is_stuck"].format(why=counted(words, "stuck", most) if is_idle else words["in_turn"])
    return words["stopped"].format(why=why)


def _what_is_left(loop: Loop, words: Words) -> list[str]:
    """How much, as this stop found it or an earlier one, and round by round."""
    if loop.asked.promise_only or not loop.history.snapshots:
        return [_rounds(loop, words)] if loop.asked.promise_only else _red(loop, words)
    if loop.end.stop_reason in ("blocked", "error"):
        return [*_red(loop, words), history(loop, words)]
    newest = loop.history.snapshots[-1]
    return [brief.tell_left(newest, words) if newest.items else "", history(loop, words)]


def _red(loop: Loop, words: Words) -> list[str]:
    """What was known to be red when the checks ran last."""
    red = known_red(loop)
    if red is None or not brief.count_left(red):
        return []
    key = "left_in_round" if red.iteration else "left_at_start"
    return [brief.tell_left(red, words, key, round=red.iteration), *report.not_run(red, words)]


def _outside(loop: Loop, words: Words) -> list[str]:
    """Findings that targets keep from counting are not hidden: green is green where the loop was to look."""
    final = loop.history.newest if loop.asked.target_files else None
    if final is None or not (final.error_count or final.warning_count or final.security_issues):
        return []
    numbers = (("errors", final.error_count), ("warnings", final.warning_count), ("security", final.security_issues))
    what = ", ".join(counted(words, f"outside_{name}", n) for name, n in numbers if n)
    return [_line(words["outside"].format(targets=", ".join(loop.asked.target_files), what=what))]
