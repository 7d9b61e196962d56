"""What is wrong with one entry of ours in the settings, as it is written there."""

import os
import re
from collections.abc import Iterator, Sequence

from untilgreen.cli.doctor import command_lines, registrations
from untilgreen.cli.doctor.case import Case
from untilgreen.cli.doctor.finding import BROKEN, NOTE, WARNING, Finding, together
from untilgreen.cli.doctor.registrations import SUBJECT, Wanted
from untilgreen.cli.doctor.settings import PLUGIN
from untilgreen.cli.installing.scopes import Registered

_TOOLS = ("Edit", "Write", "MultiEdit", "NotebookEdit")
_USUAL = {"UserPromptSubmit": 30.0, "SessionEnd": 1.5}  # the host's own seconds; 600 on other events
_LONGEST = 3600.0
_LEAST = 10.0  # seconds that an edit hook's own checks may take
_LIST = re.compile(r"[\w ,|-]*")

Fault = tuple[str, ...]  # level, what, and the cure where writing the entry anew is none


def findings(case: Case, entries: Sequence[Registered]) -> tuple[Finding, ...]:
    """Each fault of each entry."""
    expected = registrations.wanted()
    told = []
    for one in entries:
        for level, what, *other in _faults(case, one, expected.get((one.event, one.hook))):
            cure = other[0] if other else registrations.again(case, one.scope.name)
            told.append((f"{one.hook} on {one.event}", Finding(SUBJECT, level, f"({one.scope.name}): {what}", cure)))
        if (one.event, one.hook) not in expected:
            what = f"({one.scope.name}): it does nothing there"
            told.append((f"{one.hook} on {one.event}", Finding(SUBJECT, WARNING, what, _out(case, one))))
    return together(told)


def _out(case: Case, one: Registered) -> str:
    return f"edit {case.shown(one.scope.path)}: take the entry of {one.hook} out of hooks.{one.event}"


def _faults(case: Case, one: Registered, usual: Wanted | None) -> Iterator[Fault]:
    if usual is None:
        return
    if one.entry.get("type") != "command":
        yield BROKEN, 'its "type" is not "command"'
    if "if" in one.entry:
        yield _on_tools(
            one, '"if" belongs to events of tools: the host never runs it', 'it runs only where its "if" fits'
        )
    if one.entry.get("async") is True:
        level = BROKEN if one.event in registrations.NEEDED else WARNING
        yield level, '"async" is true: the host does not wait for its answer, so nothing is held and nothing answered'
    yield from _matcher(one, usual)
    yield from _timeout(case, one, usual)
    yield from _old(case, one)
    if not isinstance(one.entry.get("args"), list) and one.scope.name in ("local", "user"):
        yield NOTE, "it is called through a shell, which costs time and expands words"


def _old(case: Case, one: Registered) -> Iterator[Fault]:
    """A missing file makes an interpreter end with 2: each stop is held then, each prompt refused, each edit blamed."""
    words = command_lines.words(command_lines.command(case, one))
    if one.scope.name != PLUGIN and words and command_lines.of_old(words):
        there = os.path.exists(command_lines.file(words))
        what = "once that file is gone" if there else "the file is gone, and so"
        yield (
            WARNING if there else BROKEN,
            f"Python is given its file directly, as of old: {what} the host takes each call for a hold",
        )


def _on_tools(one: Registered, never: str, sometimes: str) -> Fault:
    return (WARNING, sometimes) if one.event.startswith("PostToolUse") else (BROKEN, never)


def _matcher(one: Registered, usual: Wanted) -> Iterator[Fault]:
    if not usual.matcher:
        if one.matcher not in ("", "*") and one.event.startswith("Session"):
            yield WARNING, f'its matcher "{one.matcher}" leaves out sessions that begin or end otherwise'
        return
    if one.matcher in ("", "*"):
        yield NOTE, "it has no matcher: it is started after every tool, not only after edits"
        return
    deaf = [tool for tool in _TOOLS if not _fits(one.matcher, tool)]
    if len(deaf) == len(_TOOLS):
        yield BROKEN, f'its matcher "{one.matcher}" fits no tool that edits: it is never called'
    elif deaf and deaf != ["MultiEdit"]:  # newer hosts have no such tool
        yield WARNING, f'its matcher "{one.matcher}" leaves out {", ".join(deaf)}'


def _fits(matcher: str, tool: str) -> bool:
    """As the host does: a plain list of names, else a regular expression for any part of the name."""
    if _LIST.fullmatch(matcher):
        return tool in (name.strip() for name in re.split(r"[|,]", matcher))
    try:
        return re.search(matcher, tool) is not None
    except re.error:
        return False


def _timeout(case: Case, one: Registered, usual: Wanted) -> Iterator[Fault]:
    given = one.entry.get("timeout", _USUAL.get(one.event, 600.0))
    if isinstance(given, bool) or not isinstance(given, int | float) or given <= 0:
        yield WARNING, f"its timeout {given!r} is no number of seconds"
        return
    if given > _LONGEST:
        yield WARNING, f"its timeout is {given:g} seconds; were milliseconds meant?"
        return
    if one.event == "Stop":
        deadline = _deadline(one) or case.settings.deadline
        if given <= deadline:
            yield (
                BROKEN,
                f"its timeout of {given:g} s is not above the deadline, {deadline:g} s: checks are cut off, unjudged",
                *((case.key("deadline = 540"),) if deadline >= usual.seconds else ()),
            )
    elif usual.matcher and given <= _LEAST:
        yield WARNING, f"its timeout of {given:g} s is not above the {_LEAST:g} s that a check after an edit may take"


def _deadline(one: Registered) -> float:
    args = one.entry.get("args")
    words = list(map(str, args)) if isinstance(args, list) else str(one.entry.get("command", "")).split()
    for word, after in zip(words, [*words[1:], ""], strict=True):
        name, _, value = word.partition("=")
        if name == "--deadline":
            try:
                return float(value or after)
            except ValueError:
                return 0.0
    return 0.0
