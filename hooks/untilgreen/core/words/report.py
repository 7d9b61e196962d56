"""What the agent is told when it is held: the number that is left, then the items, in facts. Pure; the words come from
a catalogue."""

from collections.abc import Iterable, Sequence

from untilgreen.core import foreign, secrets
from untilgreen.core.model.groups import AgentRun, Buts
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.snapshot import Item, Snapshot
from untilgreen.core.record import NamedTuple
from untilgreen.core.verdict import evidence
from untilgreen.core.verdict.identity import normalise
from untilgreen.core.verdict.policy import is_strict
from untilgreen.core.words import brief
from untilgreen.core.words.brief import LIMIT, PROMISE, Words, counted, sentence

_LINE = 400  # characters of one line of an item
_TASK = 200
_COMMAND = 120
_MANY = 3  # tests of one cause are one entry
_GENERIC = ("", "failed", "AssertionError")  # messages that say nothing of a cause
_RULES = ("test_pass", "lint_clean", "type_check", "no_tool_errors")  # those of which TalkCody has a line


class Listed(NamedTuple):
    """Lines of a list, and for how many items they stand; `title`: of the section that they begin."""

    text: str
    items: int = 1
    title: str = ""


def new_ones(before: Snapshot | None, now: Snapshot) -> frozenset[str]:
    """The identities of what is new or newly broken since the round before. An item is only called new, or gone, where
    its check ran and its stage was known: what a broken check did not see, a syntax error hid, or the state had no room
    for, is perhaps there all the same."""
    if before is None:
        return frozenset()
    old, whole = before.ids, _is_whole(before)
    return frozenset(
        i.id
        for i in now.every
        if i.id not in old
        and (before.outcomes.get(i.check) != "broken" if i.kind == "check" else whole and _was_asked(i, before))
    )


def gone(before: Snapshot | None, now: Snapshot) -> tuple[Item, ...]:
    """The items that were fixed since, by the same rule."""
    if before is None or not _is_whole(before):
        return ()
    seen = now.ids
    return tuple(i for i in before.every if i.id not in seen and (i.kind == "check" or _was_asked(i, now)))


def _is_whole(snapshot: Snapshot) -> bool:
    return len(snapshot.items) + snapshot.number_beyond >= brief.count_left(snapshot)


def _was_asked(item: Item, snapshot: Snapshot) -> bool:
    return snapshot.outcomes.get(item.check) in ("clean", "found") and snapshot.scores.get(item.stage) is not None


def unknown(snapshot: Snapshot) -> list[str]:
    """The stages whose score is not known, but for one that only waits: that hides nothing."""
    waits = {"pending"} <= {*snapshot.outcomes.values()} and "broken" not in snapshot.outcomes.values()
    return [] if waits else [stage for stage, score in snapshot.scores.items() if score is None]


def not_run(snapshot: Snapshot, words: Words) -> list[str]:
    """What a round did not see of the tests, in a line; none where all ran."""
    others = sum(snapshot.not_run.values())
    whole = f"{snapshot.tests_run + others:,}"
    line = (
        words["not_run"].format(n=f"{others:,}", ran=f"{snapshot.tests_run:,}", of=whole)
        if others
        else words["not_run_files"]
    )
    return [line] if snapshot.not_run else []


def lines_of(text: str) -> list[str]:
    """The lines of an item, fit to be shown and bounded."""
    return [line[:_LINE] for line in foreign.strip(text).split("\n")]


def found(
    loop: Loop, words: Words, weakened: Buts, told: tuple[str, ...], behind: Iterable[str], room: int = LIMIT
) -> str:
    """What the newest stop found, in at most `room` characters, with `told` and `behind` below it."""
    now = loop.history.snapshots[-1]
    before = loop.history.snapshots[-2] if len(loop.history.snapshots) > 1 else None
    if loop.asked.promise_only and not now.items:
        key = "held_promise"
    elif now.items:
        key = "held"
    else:
        key = "held_weakened" if is_strict(loop) and weakened else "held_undeclared"
    line = headline(key, now, words, round=now.iteration, max=loop.settings.max_iterations)
    idle = loop.rounds.no_progress_count > 0
    extra = (compared(before, now, words, weakened, idle=idle), *told, *stuck(loop, words), *behind)
    return below(line, before, now, words, extra, room)


def headline(key: str, now: Snapshot, words: Words, **values: object) -> str:
    """How many are left, and `pytest 1 failed of 41 · mypy 1 · check:ruff 1 broken`."""
    told = []
    for part in brief.shares(now):
        kind = "part_broken" if part.broken else "part_tests" if part.ran else "part"
        told.append(words[kind].format(name=part.name, n=part.failing, ran=part.ran))
    return words[key].format(n=brief.count_left(now), parts=" · ".join(told), **values)


def stuck(loop: Loop, words: Words) -> tuple[str, ...]:
    """How many rounds brought nothing, in a line; none where the last one did."""
    limit = loop.asked.completion_criteria.stagnation_limit if loop.rounds.no_progress_count else 0
    line = counted(words, "no_progress", loop.rounds.no_progress_count, limit=limit) if limit else ""
    return (sentence(line, words),) if line else ()


def below(
    line: str, before: Snapshot | None, now: Snapshot, words: Words, extra: Iterable[str], room: int = LIMIT
) -> str:
    """A first line, and below it what is left."""
    line = foreign.one_line(line)
    return f"{line}\n{body(before, now, words, extra, room - len(line) - 1, cures=True)}".rstrip()


def compared(before: Snapshot | None, now: Snapshot, words: Words, weakened: Buts = (), *, idle: bool = False) -> str:
    """`+ new since the last round; 2 fixed. Not a clean pass: 1 new `type: ignore`.`; "" for nothing to say. `idle`:
    what was fixed does not count, for what was weakened."""
    fixed, against = len(gone(before, now)), brief.but(words, weakened, code=True)
    told = [words["new"]] if new_ones(before, now) else []
    if fixed and against and idle:
        return " ".join(sentence(text, words) for text in (*told, words["fixed_but"].format(n=fixed, what=against)))
    told += [words["fixed" if told else "fixed_only"].format(n=fixed)] if fixed else []
    said = [sentence("; ".join(told), words)] if told else []
    said += [sentence(words["weakened"].format(what=against), words)] if against else []
    return " ".join(said)


def marker_lines(loop: Loop, words: Words) -> tuple[str, ...]:
    """Which marker can end the loop, in words that do not count."""
    markers = loop.settings.markers
    by = {"promise": markers.completion_promise, "marker_pattern": markers.success_regex}
    key = next((key for key, given in by.items() if given), f"marker_{markers.marker}")
    tag = "jikime" if loop.settings.preset == "jikime" else "untilgreen"
    usual = () if markers.marker == "verify" else (words[key].format(tag=tag, promise=markers.completion_promise),)
    if PROMISE not in words:
        return usual
    # TalkCody's own: a rule for each thing that is asked for, and the promise, or the usual line where another marker,
    # or none, ends the loop; no line of them is a marker, as words stand before each tag
    asked = loop.asked.completion_criteria._asdict()
    chosen = [check for check in loop.checks.plan if check.chosen and not check.absent] if asked["green"] else []
    served = {name for check in chosen for name in check.meets}
    rules = [words[f"rule_{name}"] for name in _RULES if asked.get(name) or name in served]
    another = markers.completion_promise or markers.success_regex or markers.marker == "verify"
    return (*rules, *(map(foreign.one_line, usual) if another else words[PROMISE].split("\n")))


def task_lines(loop: Loop, words: Words) -> tuple[str, ...]:
    task = brief.clean(loop.task_description, _TASK)
    return (words["task"].format(task=task),) if task else ()


def own_runs(loop: Loop, tree: str, words: Words) -> tuple[str, ...]:
    """The agent's own last run of each kind in this round, and what it is worth now; one command is told once."""

    def told(run: AgentRun) -> str:
        ended = "own_unknown" if run.success is None else "own_passed" if run.success else "own_failed"
        part = "" if run.scope == "whole" else words["own_narrowed"]
        late = "" if evidence.is_fresh(run, tree) else words["own_stale"]
        command = secrets.safe(run.command)
        command = command if len(command) <= _COMMAND else f"{command[: _COMMAND - 1]}…"
        return f"{words[ended].format(command=command)}{part}{late}"

    runs = "; ".join(dict.fromkeys(map(told, evidence.last_runs(loop))))
    return (sentence(words["own_runs"].format(runs=runs), words),) if runs else ()


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
    commands that fix some of them, which are for the agent."""
    hidden = unknown(now)
    asked = any(not name.startswith("hook:") for name in now.outcomes)  # else a hook that came first held the round
    why = words["hidden" if asked else "not_checked"].format(stages=", ".join(hidden)) if hidden else ""
    lines = (*not_run(now, words), sentence(why, words) if why else "", *extra)
    tail = [foreign.one_line(line) for line in lines if line]
    shown = now.bounded(LIMIT)
    items = shown.items if cures else tuple(item._replace(cure="") for item in shown.items)
    entries = _entries(items, new_ones(before, now), words)
    room -= sum(len(line) + 1 for line in tail)
    return "\n".join((*fitted(entries, words, room, shown.number_beyond), *tail))


def _entries(items: Sequence[Item], new: frozenset[str], words: Words) -> list[Listed]:
    """The lines of these items; the cases of one parametrised test are one, and so are many tests of one cause. Two of
    each check come first: a cause is not hidden by its hundred effects."""
    cases: dict[object, list[Item]] = {}
    for item in items:
        test, case, _ = item.rule.partition("[") if item.kind == "test" and item.rule.endswith("]") else ("", "", "")
        cases.setdefault((item.check, item.place, test, item.id in new) if case else item.id, []).append(item)
    alike: dict[object, list[list[Item]]] = {}
    for first, *rest in cases.values():
        cause = first.cause or (normalise(message(first)) if first.kind == "test" else "")
        key = (first.check, cause, first.id in new) if cause not in _GENERIC else first.id
        alike.setdefault(key, []).append([first, *rest])
    groups = [part for same in alike.values() for part in ([same] if len(same) >= _MANY else [[one] for one in same])]
    ordered = two_of_each([tests[0][0].check for tests in groups])
    return [_entry(groups[number], groups[number][0][0].id in new, words) for number in ordered]


def two_of_each(checks: Sequence[str]) -> list[int]:
    """The places of a list whose entries are of these checks, the first two of each check before the others."""
    seen, late = dict.fromkeys(checks, 0), []
    for check in checks:
        seen[check] += 1
        late.append(seen[check] > 2)
    return sorted(range(len(checks)), key=late.__getitem__)


def _entry(tests: Sequence[Sequence[Item]], is_new: bool, words: Words) -> Listed:
    """The line of tests of one cause; of one item as a rule, or of one test with its cases."""
    cases, number = tests[0], sum(map(len, tests))
    first, *rest = lines_of(describe(cases[0]))
    if len(tests) > 1:
        cause = cases[0].cause or message(cases[0])
        first = words["alike"].format(n=number, cause=cause, first=first if cases[0].cause else _name(cases[0]))
        first, rest = foreign.one_line(first)[:_LINE], []
    elif number > 1:
        first = counted(words, "cases", number - 1, first=first)
    if cure := foreign.one_line(cases[0].cure):
        first = f"{first[: _LINE - len(cure) - 3]} ({cure})"
    lines = [f"+ {first}" if is_new else first, *(f"    {line}" for line in rest)]
    return Listed("\n".join(lines), number)


def describe(item: Item) -> str:
    """`shop.py:5:12 mypy return-value: …`, `tests/test_shop.py:4 test_total: …`, `check:ruff broken: …`."""
    if item.kind == "check":
        return f"{item.id} could not be judged: {item.text.removeprefix(f'check {item.check}: ')}"
    if not item.rule:
        return item.text
    return ": ".join(filter(None, (_name(item), message(item))))


def _name(item: Item) -> str:
    place = f"{item.place}:{item.column}" if item.column else item.place
    return " ".join(
        filter(None, (place, item.rule) if _is_test(item) and item.place else (place, item.check, item.rule))
    )


def message(item: Item) -> str:
    """What it says, without its place and its rule."""
    message = item.text.removeprefix(f"{item.place or item.check}: {item.rule}").lstrip(" ")
    return message.removeprefix("AssertionError: ") if _is_test(item) else message


def _is_test(item: Item) -> bool:
    return item.kind == "test" and item.rule != "collection"


def fitted(entries: Sequence[Listed], words: Words, room: int, beyond: int = 0) -> list[str]:
    """Titles and items until the room is used up; then exactly how many items were left out, `beyond` among them."""
    items = sum(entry.items for entry in entries) + beyond
    reserve = len(words["more"]) + 12
    lines: list[str] = []
    for entry in entries:
        text = entry.text
        if room - len(text) - len(entry.title) - 2 < reserve:  # its first line, so that those after it are still told
            first, *rest = text.split("\n")
            text = f"{first}\n    {counted(words, 'more_lines', len(rest))}" if rest else first
        if room - len(text) - len(entry.title) - 2 < reserve:
            break
        lines += filter(None, (entry.title, text))
        room -= len(text) + len(entry.title) + 2
        items -= entry.items
    return [*lines, words["more"].format(n=items)] if items else lines
