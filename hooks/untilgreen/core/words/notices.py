"""What the user is told, in one line: when the agent is held, while a loop steps aside, and how it ended. Pure."""

from collections.abc import Iterable, Sequence

from untilgreen.core.foreign import one_line, strip
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.snapshot import Snapshot
from untilgreen.core.verdict import limits
from untilgreen.core.verdict.policy import known_red
from untilgreen.core.words import left, report
from untilgreen.core.words.brief import clean, spent
from untilgreen.core.words.lines import CONTINUATION, RALPH, Words, counted

_ROOM = 2_500  # characters of what is below the line: the host shows it under the answer
_ROUNDS = 10  # that are told in numbers
_BARS = "▁▂▃▄▅▆▇█"


def held(loop: Loop, words: Words, seconds: float, weakened: tuple[str, ...] = (), settings: Iterable[str] = ()) -> str:
    """`✗ not green · round 1 of 10 · 3 left: pytest 1, mypy 1, ruff 1 · 1.2 s · type /untilgreen:cancel, …`.

    `settings`: what the user should set, as the agent cannot mend it."""
    now, most = loop.history.snapshots[-1], loop.settings.max_iterations
    round_ = words["round"].format(round=now.iteration, max=most)
    if CONTINUATION in words:
        state, round_ = words["iteration"].format(iteration=loop.rounds.iteration, max=most), ""
    elif loop.asked.promise_only and not now.items:
        state = words["not_promised"]
    elif now.items:
        state = words["not_green"]
    elif weakened:
        state = words["not_clean"].format(what=", ".join(weakened))
    else:
        state = words["not_declared"]
    what = words["left"].format(n=left.number(now), parts=left.shown(now)) if now.items else ""
    hooks = (item.text.partition("\n")[0] for item in now.items if item.kind == "hook")
    return _line(state, round_, what, *hooks, spent(seconds), *settings, words["to_end"])


def of_teammate(name: str, now: Snapshot, words: Words, holds: int, most: int) -> str:
    """The line for a teammate that is held, or with `holds` 0 let go although something is left in its files."""
    key = "teammate_held" if holds else "teammate_let_go"
    what = words["left"].format(n=left.number(now), parts=left.shown(now))
    return _line(words[key].format(name=clean(name), holds=holds, most=most), what)


def running(loop: Loop, words: Words) -> str:
    """The line where the loop steps aside."""
    return words["running"].format(round=loop.rounds.iteration, max=loop.settings.max_iterations)


def capped(loop: Loop, host: str, most: int, words: Words) -> str:
    """The line where the host would not let this stop be held."""
    return _line(
        words["capped"].format(host=host, n=most, round=loop.rounds.iteration, max=loop.settings.max_iterations)
    )


def waiting(loop: Loop, what: str, words: Words) -> str:
    """The line where nothing is red and something has not ended yet."""
    return _line(words["waiting"].format(what=what, round=loop.rounds.iteration, max=loop.settings.max_iterations))


def spoken(loop: Loop, words: Words, what: str, parked: str = "") -> str:
    """The line for a prompt that paused the loop, went on with it or dropped it: "paused", "goes_on", "dropped".
    `parked`: why it rested until now."""
    line = words[what].format(round=loop.rounds.iteration, max=loop.settings.max_iterations)
    return _line(line, *([words["it_was"].format(parked=parked)] if parked else []))


def still_running(loop: Loop, *, whole: bool = False, how: str = "") -> str:
    """The line that tells the model that its loop goes on. `whole`: it knows nothing of its task any more, nor `how`
    such work is done, a text below the line."""
    task = _line(loop.task_description) if whole else clean(loop.task_description)
    line = f"untilgreen: loop still running, round {loop.rounds.iteration} of {loop.settings.max_iterations}: {task}"
    return f"{line}\n{how}" if whole and how else line


def started(loop: Loop) -> str:
    """The line that tells the model that the loop is on; commands look for its beginning."""
    task = clean(loop.task_description)
    return f"untilgreen: loop started ({loop.loop_id}), round 1 of {loop.settings.max_iterations}" + (
        f": {task}" if task else ""
    )


def begun(loop: Loop, told: Sequence[str], words: Words) -> str:
    """The line that tells the user that the loop is on. `told`: what is asked for, what is red, what the limits are."""
    return _line(greeting(loop, words), *told, words["to_end"])


def greeting(loop: Loop, words: Words) -> str:
    """How that line begins."""
    promise = loop.settings.markers.completion_promise or "DONE"
    return _line(words["begun"].format(max=loop.settings.max_iterations, promise=promise))


def unkept(why: str, words: Words) -> str:
    """The line where the work tree of a round could not be kept: there is no way back to it."""
    return _line(words["unkept"].format(why=why))


def cancelled(loop: Loop, words: Words) -> str:
    """The line of a loop that its user ended."""
    most = loop.settings.max_iterations
    return _line(words["cancelled"].format(round=loop.rounds.iteration, max=most, loop=loop.loop_id))


def ended(loop: Loop, words: Words, *, auto: bool = False) -> str:
    """The whole message of a Release: one line, and what is still left below it. `auto`: nobody began a loop."""
    if RALPH in words:
        from untilgreen.core.words import ralph

        return "\n".join(filter(None, (ralph.ended(loop, words), _used(loop, words))))
    if CONTINUATION in words and not auto:
        return "\n".join((_headline(loop, words), *_below(loop, words)))
    return _ended(loop, words, auto=auto)


def _headline(loop: Loop, words: Words) -> str:
    if loop.end.stop_reason == "complete" and not (loop.end.declared and known_red(loop)):
        return _line(words["completed"].format(n=loop.rounds.iteration))
    reason = loop.end.completion_reason or ""
    if loop.end.stop_reason == "max-iterations":
        reason = words["max_iterations"].format(most=loop.settings.max_iterations)
    return _line(words["ended"].format(reason=reason))


def _below(loop: Loop, words: Words) -> list[str]:
    """What a headline does not say: that nothing was checked, or what was."""
    return [_ended(loop, words)] if loop.end.stop_reason == "complete" or not loop.asked.promise_only else []


def _ended(loop: Loop, words: Words, *, auto: bool = False) -> str:
    if loop.end.stop_reason == "complete":
        below = (*_proven(loop, words), *_judged(loop), *_outside(loop, words))
        return "\n".join((_complete(loop, words, auto=auto), *below))
    why = _why(loop, words)
    lines = [_line(why, *_what_is_left(loop, words), _used(loop, words))]
    if (newest := loop.history.newest) and newest.items:
        lines.append(report.body(None, newest, words, room=_ROOM))
    return "\n".join(lines)


def by_hand(snapshot: Snapshot, but: str, words: Words) -> str:
    """`✓ green · ruff ✓ mypy ✓`: what was asked for by hand and is green."""
    if RALPH in words:
        return one_line(words["by_hand"].format(reason=f"Green, but {but}" if but else "All conditions satisfied"))
    return _line(words["green_but"].format(what=but) if but else words["green"], _checks(snapshot))


def _line(*told: str) -> str:
    return " ".join(strip(" · ".join(filter(None, told))).split())


def _complete(loop: Loop, words: Words, *, auto: bool) -> str:
    final = loop.history.newest
    if loop.end.declared:
        who = words["promised" if loop.asked.promise_only else "declared"]
        why = words["unchecked"].format(why=loop.end.completion_reason if loop.end.ended_by else who)
        red = _red(loop, words) if not loop.asked.promise_only else [_rounds(loop, words)]
        return _line(why, *red, _used(loop, words))
    but = (loop.end.completion_reason or "").partition("Green, but ")[2]
    if final is None or (not {"clean", "found"}.intersection(final.outcomes.values()) and not auto):
        return _line(words["unchecked"].format(why=but))
    state = words["green_but"].format(what=but) if but else words["nothing_holds" if auto else "green"]
    states = (state, _rounds(loop, words)) if but else (f"{state} {_rounds(loop, words)}",)
    # without a loop only what the session wrote was looked at
    return _line(*states, "" if auto else _checks(final), history(loop, words, bars=True), _used(loop, words))


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


def _judged(loop: Loop) -> list[str]:
    """What a judge said of the criteria that are its."""
    newest = loop.history.newest
    return [_line(one.shown) for one in newest.judged] if newest and not loop.end.declared else []


def _rounds(loop: Loop, words: Words) -> str:
    """`after 3 rounds, 2 min 14 s`."""
    time = f", {spent(loop.clock.elapsed_seconds)}" if loop.clock.elapsed_seconds else ""
    return counted(words, "after", loop.rounds.iteration) + time


def _checks(final: Snapshot) -> str:
    """`ruff ✓ mypy ✓ pytest ✓ 41`: the checks of a green project."""
    ran = [name for name, outcome in final.outcomes.items() if outcome in ("clean", "found")]
    return " ".join(f"{name} ✓" + (f" {final.ran[name]}" if name in final.ran else "") for name in ran)


def history(loop: Loop, words: Words, *, bars: bool = False, rounds: int = _ROUNDS) -> str:
    """`left 5 4 4 4`, with `+` where more may be hidden; `left 3 ▃ 1 ▁ 0`. `rounds`: how many of the newest."""
    shown = loop.history.snapshots[-rounds:]
    if loop.asked.promise_only or not shown:
        return ""
    most = max(len(_BARS), *(left.number(one) for one in shown))
    return words["history"].format(numbers=" ".join(_round(one, most if bars else 0) for one in shown))


def _round(snapshot: Snapshot, most: int) -> str:
    number = left.number(snapshot)
    told = f"{number}+" if report.unknown(snapshot) or snapshot.not_run else str(number)
    return f"{told} {_BARS[-(-number * len(_BARS) // most) - 1]}" if number and most else told


def _why(loop: Loop, words: Words) -> str:
    """The state of a loop that ended before it was green."""
    reason = loop.end.completion_reason or ""
    if loop.end.stop_reason in ("blocked", "error"):
        return words["blocked" if loop.end.stop_reason == "blocked" else "failed"].format(why=reason)
    if loop.end.ended_by:
        why = reason
    elif loop.end.stop_reason == "max-iterations":
        why = counted(words, "rounds_used", loop.settings.max_iterations)
    elif loop.end.stop_reason == "max-wall-time":
        limit = limits.time_used(loop)
        why = words[limit.words].format(**limit.values) if limit else reason
    elif loop.end.stop_reason == "budget":
        limit = limits.budget_used(loop)
        why = words[limit.words].format(**limit.values) if limit else reason
    elif reason.startswith("Green, but "):
        why = words["green_and_but"].format(what=reason.removeprefix("Green, but "))
    elif not loop.asked.promise_only and loop.history.snapshots and not loop.history.snapshots[-1].items:
        why = words["undeclared"]
    elif loop.rounds.no_progress_count >= loop.asked.completion_criteria.stagnation_limit:
        why = counted(words, "stuck", loop.asked.completion_criteria.stagnation_limit)
    else:
        why = words["in_turn"]
    return words["stopped"].format(why=why)


def _what_is_left(loop: Loop, words: Words) -> list[str]:
    """How much, as this stop found it or an earlier one, and round by round."""
    if loop.asked.promise_only or not loop.history.snapshots:
        return [_rounds(loop, words)] if loop.asked.promise_only else _red(loop, words)
    final = loop.history.snapshots[-1]
    if loop.end.stop_reason in ("blocked", "error"):
        return [*_red(loop, words), history(loop, words)]
    what = words["left"].format(n=left.number(final), parts=left.shown(final)) if final.items else ""
    return [what, history(loop, words)]


def _red(loop: Loop, words: Words) -> list[str]:
    """What was known to be red when the checks ran last."""
    red = known_red(loop)
    if red is None or not left.number(red):
        return []
    key = "left_in_round" if red.iteration else "left_at_start"
    what = words[key].format(n=left.number(red), round=red.iteration, parts=left.shown(red))
    return [what, *report.not_run(red, words)]


def _outside(loop: Loop, words: Words) -> list[str]:
    """Findings that targets keep from counting are not hidden: green is green where the loop was to look."""
    final = loop.history.newest if loop.asked.target_files else None
    if final is None or not (final.error_count or final.warning_count or final.security_issues):
        return []
    numbers = (("errors", final.error_count), ("warnings", final.warning_count), ("security", final.security_issues))
    what = ", ".join(counted(words, f"outside_{name}", n) for name, n in numbers if n)
    return [_line(words["outside"].format(targets=", ".join(loop.asked.target_files), what=what))]
