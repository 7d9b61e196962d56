"""What is wrong with one entry of ours in the settings, as it is written there."""

import re
from collections.abc import Iterator

from untilgreen.cli.doctor import hooks
from untilgreen.cli.doctor.case import Case
from untilgreen.cli.doctor.finding import BROKEN, NOTE, WARNING, Finding, together
from untilgreen.cli.doctor.hooks import SUBJECT, Wanted
from untilgreen.hosts.host import Registered

_TOOLS = ("Edit", "Write", "MultiEdit", "NotebookEdit")
_USUAL = {"UserPromptSubmit": 30.0, "SessionEnd": 1.5}  # the host's own seconds; 600 on other events
_LONGEST = 3600.0
_LEAST = 10.0  # seconds that an edit hook's own checks may take
_LIST = re.compile(r"[\w ,|-]*")

Fault = tuple[str, ...]  # level, what, and the cure where writing the entry anew is none


def examine(case: Case) -> Iterator[Finding]:
    """Each fault of each entry."""
    expected = hooks.wanted()
    told = []
    for one in case.registered:
        for level, what, *other in _faults(case, one, expected.get((one.event, one.hook))):
            cure = other[0] if other else hooks.again(case, one.scope.name)
            told.append((f"{one.hook} on {one.event}", Finding(SUBJECT, level, f"({one.scope.name}): {what}", cure)))
    yield from together(told)


def _faults(case: Case, one: Registered, usual: Wanted | None) -> Iterator[Fault]:
    if usual is None:
        cure = f"edit {case.shown(one.scope.path)}: take the entry of {one.hook} out of hooks.{one.event}"
        yield WARNING, "it does nothing there", cure
        return
    if one.entry.get("type") != "command":
        yield BROKEN, 'its "type" is not "command"'
    if "if" in one.entry:
        on_tools = one.event.startswith("PostToolUse")
        never = '"if" belongs to events of tools: the host never runs it'
        yield (WARNING, 'it runs only where its "if" fits') if on_tools else (BROKEN, never)
    if one.entry.get("async") is True:
        level = BROKEN if one.event in hooks.NEEDED else WARNING
        yield level, '"async" is true: the host does not wait for its answer, so nothing is held and nothing answered'
    yield from _matcher(one, usual)
    yield from _timeout(case, one, usual)


def _matcher(one: Registered, usual: Wanted) -> Iterator[Fault]:
    every = one.matcher in ("", "*")
    if not usual.matcher:
        if not every and one.event.startswith("Session"):
            yield WARNING, f'its matcher "{one.matcher}" leaves out sessions that begin or end otherwise'
    elif every:
        yield NOTE, "it has no matcher: it is started after every tool, not only after edits"
    else:
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
    deadline = (_deadline(one) or case.settings.deadline) if one.event == "Stop" else 0.0
    if isinstance(given, bool) or not isinstance(given, int | float) or given <= 0:
        yield WARNING, f"its timeout {given!r} is no number of seconds"
    elif given > _LONGEST:
        yield WARNING, f"its timeout is {given:g} seconds; were milliseconds meant?"
    elif given <= deadline:
        what = f"its timeout of {given:g} s is not above the deadline, {deadline:g} s: checks are cut off, unjudged"
        yield (BROKEN, what, case.key("deadline = 540")) if deadline >= usual.seconds else (BROKEN, what)
    elif usual.matcher and given <= _LEAST:
        yield WARNING, f"its timeout of {given:g} s is not above the {_LEAST:g} s that a check after an edit may take"


def _deadline(one: Registered) -> float:
    """The deadline that the entry gives, 0 where it gives none."""
    args = one.entry.get("args")
    line = " ".join(map(str, args)) if isinstance(args, list) else str(one.entry.get("command", ""))
    given = re.search(r"--deadline[ =](\d+(?:\.\d+)?)", line)
    return float(given[1]) if given else 0.0
