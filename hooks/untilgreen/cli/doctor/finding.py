"""What the doctor says: findings, and how they are printed.

A cure is one thing that a person can do: `run: COMMAND` in a shell, in the project; `edit FILE: CHANGE`; or a
sentence. What users of such hooks complain of (the numbers are those of the list that this was built by), and where it
is seen:

     1  another session is caught by a loop      loops: whose each loop is, and which waits for the next session
     2  it runs away                             configuration: no limit but the rounds
     3  never loops, the transcript lags         host: older than the versions that this was tried with; calls
     4  dies silently                            state: documents put aside, newest fault of the log; calls
     5  marker false positives                   configuration: success_regex that anything fits
     6  "done" with red tests                    checks: tests that no criterion asks for; configuration: marker trust
     7  quotes and $() break the start command   commands: not those of this version
     8  Windows, interpreters                    untilgreen: platform, Python; start: every registered command
     9  the host's cap of holds in a row         switches: the cap and the rounds
    10  loops on errors of the service           cannot be seen from here
    11  context full                             cannot be seen from here
    12  cancel does not cancel                   loops: what still runs, and the command that ends it
    13  orphaned state                           loops: the session is gone or silent; state: leftovers
    14  another folder or work tree              project: the root, $CLAUDE_PROJECT_DIR, a linked work tree
    15  exit codes, stray stdout                 start: exit code and output of each registered command
    16  stagnation false alarms                  configuration: a limit of one round
    17  background work                          hooks: an entry that is `async`, and cannot hold
    18  sub-agents trip the hook                 hooks: stop-loop on another event than Stop
    19  "Stop hook error" frightens users        host: hold_style = "context" where the host has it
    20  no permission, no exec bit               start: does not start; checks: a tool that is not executable
    21  seconds and milliseconds                 hooks: time-outs; configuration: deadlines above them
    22  state of automation elsewhere            loops: one that waits for whoever prompts next; switches: off files
    23  the last round reported as failure       cannot be seen from here (`explain` tells it)
    24  a promise with spaces                    cannot be seen from here
    25  a fresh context each round               not what a hook does
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

from untilgreen.cli.doctor import cures
from untilgreen.core.errors import one_line

OK, NOTE, WARNING, BROKEN = "ok", "note", "warning", "broken"
_SHOWN = {OK: "ok", NOTE: "note", WARNING: "warn", BROKEN: "broken"}


class Finding(NamedTuple):
    """One thing that was looked at. `level`: "ok", "note" (good to know), "warning" (it works, less well) or "broken"
    (the hooks will not do their work). `cure` is "" where there is nothing to do."""

    subject: str
    level: str
    what: str
    cure: str = ""


def together(told: Iterable[tuple[str, Finding]]) -> tuple[Finding, ...]:
    """Findings about several things, each with the name of its thing: of what is not well, all that reads alike becomes
    one finding with all names."""
    names: dict[tuple[Finding, str], list[str]] = {}
    for name, one in told:
        theirs = names.setdefault((one, name if one.level == OK else ""), [])
        theirs += [name] if name not in theirs else []
    return tuple(one._replace(what=f"{', '.join(theirs)} {one.what}") for (one, _), theirs in names.items())


def is_broken(found: Iterable[Finding]) -> bool:
    """Whether something must be put right before the hooks do their work."""
    return any(one.level == BROKEN for one in found)


def lines(found: Iterable[Finding]) -> list[str]:
    """The findings for people: grouped by subject in the order in which subjects first come, then the sum."""
    subjects: dict[str, list[Finding]] = {}
    for one in found:
        subjects.setdefault(one.subject, []).append(one)
    shown = []
    for subject, theirs in subjects.items():
        shown.append(subject)
        for one in theirs:
            shown.append(f"  {_SHOWN[one.level]:<6}  {one_line(one.what)}")
            if one.cure:  # as it is, for whoever follows it to the letter: its words are quoted where they must be
                shown.append(f"          {cures.visible(one.cure)}")
    return [*shown, _sum([one.level for theirs in subjects.values() for one in theirs])]


def as_json(found: Iterable[Finding], version: str, project: str) -> dict[str, Any]:
    """The findings for programs; the keys stay as they are."""
    found = list(found)
    return {
        "version": version,
        "project": _encodable(project),
        "findings": [{name: _encodable(text) for name, text in one._asdict().items()} for one in found],
        "broken": is_broken(found),
    }


def _sum(levels: list[str]) -> str:
    names = {BROKEN: ("broken", "broken"), WARNING: ("warning", "warnings"), NOTE: ("note", "notes")}
    counted = [f"{n} {one if n == 1 else many}" for level, (one, many) in names.items() if (n := levels.count(level))]
    return ", ".join(counted) or "all is well"


def _encodable(text: str) -> str:
    """A path may hold bytes that are no text, which JSON does not take."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
