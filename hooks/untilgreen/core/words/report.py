"""What the agent is told when it is held: the number that is left, then the items, in facts. Pure; the words come from
a catalogue."""

from collections.abc import Iterable, Sequence

from untilgreen.core import foreign
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.snapshot import Item, Snapshot
from untilgreen.core.record import NamedTuple
from untilgreen.core.verdict.policy import is_strict
from untilgreen.core.words import brief, left
from untilgreen.core.words.lines import LIMIT, PROMISE, Words, counted, sentence

_LINE = 400  # characters of one line of an item
_TASK = 200


class Delta(NamedTuple):
    """Failing items against the round before; without one nothing is new."""

    #: identities
    new: frozenset[str]
    #: how many are gone
    fixed: int


class Listed(NamedTuple):
    """Lines of a list, and for how many items they stand; `title`: of the section that they begin."""

    text: str
    items: int = 1
    title: str = ""


def delta(before: Snapshot | None, now: Snapshot) -> Delta:
    """What is new or newly broken, and how many are gone.

    An item is only called new, or fixed, where its check ran and its stage was known: what a broken check did not see,
    a syntax error hid, or the state had no room for, is perhaps there all the same.
    """
    if before is None:
        return Delta(frozenset(), 0)
    old = {item.id for item in before.items}
    whole = _is_whole(before)
    new = {
        i.id
        for i in now.items
        if i.id not in old
        and (before.outcomes.get(i.check) != "broken" if i.kind == "check" else whole and _told(i, before))
    }
    return Delta(frozenset(new), len(gone(before, now)))


def gone(before: Snapshot | None, now: Snapshot) -> tuple[Item, ...]:
    """The items that were fixed since, by the same rule."""
    if before is None or not _is_whole(before):
        return ()
    seen = {item.id for item in now.items}
    return tuple(i for i in before.items if i.id not in seen and (i.kind == "check" or _told(i, now)))


def _is_whole(snapshot: Snapshot) -> bool:
    return len(snapshot.items) >= left.number(snapshot)


def _told(item: Item, snapshot: Snapshot) -> bool:
    """Whether this snapshot would have shown the item, had it been there."""
    return snapshot.outcomes.get(item.check) in ("clean", "found") and snapshot.scores.get(item.stage) is not None


def unknown(snapshot: Snapshot) -> list[str]:
    """The stages whose score is not known, but for one that only waits: that hides nothing."""
    waits = {"pending"} <= {*snapshot.outcomes.values()} and "broken" not in snapshot.outcomes.values()
    return [] if waits else [stage for stage, score in snapshot.scores.items() if score is None]


def not_run(snapshot: Snapshot, words: Words) -> list[str]:
    """What a round did not see of the tests, in a line; none where all ran."""
    if not snapshot.not_run:
        return []
    others = sum(snapshot.not_run.values())
    return [words["not_run"].format(n=f"{snapshot.tests_run + others:,}") if others else words["not_run_files"]]


def lines_of(text: str) -> list[str]:
    """The lines of an item, fit to be shown and bounded."""
    return [line[:_LINE] for line in foreign.strip(text).split("\n")]


def found(
    loop: Loop, words: Words, weakened: tuple[str, ...], told: tuple[str, ...], behind: Iterable[str], room: int = LIMIT
) -> str:
    """What the newest stop found, in at most `room` characters, with `told` and `behind` below it."""
    now = loop.history.snapshots[-1]
    before = loop.history.snapshots[-2] if len(loop.history.snapshots) > 1 else None
    where = {"round": now.iteration, "max": loop.settings.max_iterations}
    if loop.asked.promise_only and not now.items:
        line = words["held_promise"].format(**where)
    elif now.items:
        line = words["held"].format(n=left.number(now), parts=parts(now, words), **where)
    else:
        line = words["held_weakened" if is_strict(loop) and weakened else "held_undeclared"].format(**where)
    extra = (compared(before, now, words, weakened), *told, *stuck(loop, words), *behind)
    return below(line, before, now, words, extra, room)


def stuck(loop: Loop, words: Words) -> tuple[str, ...]:
    """How many rounds brought nothing, in a line; none where the last one did."""
    limit = loop.asked.completion_criteria.stagnation_limit if loop.rounds.no_progress_count else 0
    return (
        (sentence(counted(words, "no_progress", loop.rounds.no_progress_count, limit=limit), words),) if limit else ()
    )


def of_teammate(now: Snapshot, words: Words) -> str:
    """What a teammate is told that is held by what is in its files."""
    line = words["held_teammate"].format(n=left.number(now), parts=parts(now, words))
    return below(line, None, now, words, ())


def below(
    line: str, before: Snapshot | None, now: Snapshot, words: Words, extra: Iterable[str], room: int = LIMIT
) -> str:
    line = foreign.one_line(line)
    return f"{line}\n{body(before, now, words, extra, room - len(line) - 1, cures=True)}".rstrip()


def parts(snapshot: Snapshot, words: Words) -> str:
    """`pytest 1 failed of 41 · mypy 1 · check:ruff 1 broken`."""
    return " · ".join(_part(part, words) for part in left.parts(snapshot))


def _part(part: left.Share, words: Words) -> str:
    key = "part_broken" if part.broken else "part_tests" if part.ran else "part"
    return words[key].format(name=part.name, n=part.failing, ran=part.ran)


def compared(before: Snapshot | None, now: Snapshot, words: Words, weakened: tuple[str, ...] = ()) -> str:
    """`+ new since the last round; 2 fixed. Not a clean pass: 1 new `type: ignore`.`; "" for nothing to say."""
    d = delta(before, now)
    told = [words["new"]] if d.new else []
    told += [words["fixed" if told else "fixed_only"].format(n=d.fixed)] if d.fixed else []
    said = [sentence("; ".join(told), words)] if told else []
    said += [sentence(words["weakened"].format(what=", ".join(map(_quoted, weakened))), words)] if weakened else []
    return " ".join(said)


def _quoted(what: str) -> str:
    number, new, kind = what.partition(" new ")
    return f"{number}{new}`{kind}`" if new else what


def marker_lines(loop: Loop, words: Words) -> tuple[str, ...]:
    """Which marker can end the loop, in words that do not count."""
    if PROMISE not in words:
        return _usual_lines(loop, words)
    from untilgreen.core.words import talkcody

    return talkcody.lines(loop, words, _usual_lines(loop, words))


def _usual_lines(loop: Loop, words: Words) -> tuple[str, ...]:
    settings = loop.settings
    if settings.markers.marker == "verify":
        return ()
    if settings.markers.completion_promise:
        said = words["promise"].format(tag="promise", promise=settings.markers.completion_promise)
    elif settings.markers.success_regex:
        said = words["marker_pattern"]
    else:
        said = words["marker_require" if settings.markers.marker == "require" else "marker_trust"].format(tag="jikime")
    return (sentence(said, words),)


def task_lines(loop: Loop, words: Words) -> tuple[str, ...]:
    """The loop's task, in one line."""
    task = brief.clean(loop.task_description, _TASK)
    return (words["task"].format(task=task),) if task else ()


def body(
    before: Snapshot | None,
    now: Snapshot,
    words: Words,
    extra: Iterable[str] = (),
    room: int = LIMIT,
    *,
    cures: bool = False,
) -> str:
    """The items that are left, new ones marked, cut with an exact count; and `extra` below them. `cures`: with the
    commands that mend some of them, which are for the agent."""
    hidden = unknown(now)
    key = "hidden" if left.was_checked(now) else "not_checked"
    tail = [sentence(words[key].format(stages=", ".join(hidden)), words)] if hidden else []
    tail = [foreign.one_line(line) for line in (*not_run(now, words), *tail, *extra) if line]
    items = now.items if cures else tuple(item._replace(cure="") for item in now.items)
    entries = _entries(items, delta(before, now).new, words)
    return "\n".join((*fitted(entries, words, room - sum(len(line) + 1 for line in tail)), *tail))


def _entries(items: Sequence[Item], new: frozenset[str], words: Words) -> list[Listed]:
    """The lines of these items; the cases of one parametrised test are one."""
    folded: dict[object, list[Item]] = {}
    for item in items:
        test, case, _ = item.rule.partition("[") if item.kind == "test" and item.rule.endswith("]") else ("", "", "")
        folded.setdefault((item.check, item.place, test, item.id in new) if case else item.id, []).append(item)
    return [_entry(cases, cases[0].id in new, words) for cases in folded.values()]


def _entry(cases: Sequence[Item], is_new: bool, words: Words) -> Listed:
    first, *rest = lines_of(said(cases[0]))
    more = len(cases) - 1
    first = counted(words, "cases", more, first=first) if more else first
    if cure := cases[0].cure:
        first = f"{first[: _LINE - len(cure) - 3]} ({cure})"
    text = "\n".join([f"+ {first}" if is_new else first, *(f"    {line}" for line in rest)])
    return Listed(text, len(cases))


def said(item: Item) -> str:
    """`shop.py:5:12 mypy return-value: …`, `tests/test_shop.py:4 test_total: …`, `check:ruff broken: …`."""
    if item.kind == "check":
        return f"{item.id} broken: {item.text.removeprefix(f'check {item.check}: ')}"
    if not item.rule:
        return item.text  # as an earlier version stored it
    message = item.text.removeprefix(f"{item.place or item.check}: {item.rule}").lstrip(" ")
    is_test = item.kind == "test" and item.rule != "collection"
    if is_test:
        message = message.removeprefix("AssertionError: ")
    place = f"{item.place}:{item.column}" if item.column else item.place
    who = (place, item.rule) if is_test and item.place else (place, item.check, item.rule)
    return f"{' '.join(filter(None, who))}: {message}" if message else " ".join(filter(None, who))


def fitted(entries: Sequence[Listed], words: Words, room: int) -> list[str]:
    """Titles and items until the room is used up; then exactly how many items were left out."""
    items = sum(entry.items for entry in entries)
    reserve = len(words["more"]) + 12
    lines: list[str] = []
    for entry in entries:
        text = entry.text if room - len(entry.text) - len(entry.title) - 2 >= reserve else _shortened(entry.text, words)
        if room - len(text) - len(entry.title) - 2 < reserve:
            break
        lines += filter(None, (entry.title, text))
        room -= len(text) + len(entry.title) + 2
        items -= entry.items
    return [*lines, words["more"].format(n=items)] if items else lines


def _shortened(text: str, words: Words) -> str:
    """The first line of an item that has no room for all of them, so that those after it are still told."""
    first, *rest = text.split("\n")
    return "\n".join([first, f"    {counted(words, 'more_lines', len(rest))}"]) if rest else first
