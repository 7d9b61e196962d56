"""What a start asks for, and the one table of options that the shell command and the typed line share."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from untilgreen.core.errors import UserError
from untilgreen.settings import values
from untilgreen.settings.presets import PRESETS


class Request(NamedTuple):
    """What a start asks for; None is "not given". `criteria`: the canonical names asked for by name; `checks`: a
    name and the words of its command; `targets`: paths as they were written. Minutes and rounds are whole numbers."""

    task: str = ""
    description: str = ""
    targets: tuple[str, ...] = ()
    criteria: frozenset[str] = frozenset()
    zero_errors: bool | None = None
    max_iterations: int | None = None
    max_minutes: int | None = None
    stagnation_limit: int | None = None
    marker: str | None = None
    completion_promise: str | None = None
    strict: bool | None = None
    preset: str | None = None
    checks: tuple[tuple[str, tuple[str, ...]], ...] = ()
    session: str = ""
    project: str = ""
    allow_absent: bool = False
    replace: bool = False
    cancel: bool = False
    json: bool = False


class Option(NamedTuple):
    """`value` names the value in the help, "" for a switch. `typed`: it may stand in a slash command, which has a
    session and a project already, and no stdin or stdout of its own. `criterion`: the switch asks for this one."""

    flag: str
    help: str
    value: str = ""
    short: str = ""
    typed: bool = True
    criterion: str = ""


OPTIONS = (
    Option("--task", "What the agent is to do, instead of WORDS.", "TEXT", "-t"),
    Option("--task-file", "Read the task from a file, or from stdin.", "FILE|-", typed=False),
    Option("--description", "A short description of the loop.", "TEXT"),
    Option("--max-iterations", "Rounds before the loop lets go, at least 1 (10).", "N", "-m"),
    Option("--max-minutes", "Minutes of work before the loop lets go; 0: no limit (60).", "N"),
    Option("--zero-errors", "No error may be left (on).", criterion="zero_errors"),
    Option("--no-zero-errors", "Errors do not count."),
    Option("--zero-warnings", "No warning may be left.", criterion="zero_warnings"),
    Option("--zero-security", "No security finding may be left.", criterion="zero_security"),
    Option("--tests-pass", "The tests must pass.", criterion="test_pass"),
    Option("--criteria", f"One of {', '.join(values.CRITERIA)}. Repeatable.", "NAME"),
    Option("--check", "A command that must exit with 0; it runs without a shell. Repeatable.", "NAME=COMMAND"),
    Option("--stagnation-limit", "Rounds without improvement before the loop lets go; 0: no limit (3).", "N"),
    Option("--completion-promise", "The only marker that counts is <promise>TEXT</promise>.", "TEXT"),
    Option("--marker", "What a completion marker is worth (trust).", "|".join(values.MARKERS)),
    Option("--strict", "Go on when green has a but: suppressions added, tests lost, configuration changed."),
    Option("--preset", f"One of {', '.join(PRESETS)}.", "NAME"),
    Option("--target", "Count only findings in this file or folder. Repeatable.", "PATH"),
    Option("--session", "The session to bind to, or the next one that prompts here.", "ID|next", typed=False),
    Option("--project", "The project's folder.", "DIR", typed=False),
    Option("--allow-absent", "Start although the tool of a criterion is missing."),
    Option("--replace", "End the session's running loop first."),
    Option("--cancel", "End the running loop instead of starting one."),
    Option("--json", "Answer in JSON.", typed=False),
)


def request(given: Mapping[str, Sequence[str]], words: str | None) -> Request:
    """The flags given, each with its values in order (a switch: one empty value), and the free words (None: there
    were none) as a Request. The last value of a flag wins; raises UserError."""
    last = {flag: found[-1] for flag, found in given.items()}
    criteria = _criteria(given)
    return Request(
        task=_task(words, last.get("--task"), last.get("--task-file")),
        description=values.text(last.get("--description", "")),
        targets=tuple(given.get("--target", ())),
        criteria=criteria,
        zero_errors=False if "--no-zero-errors" in given else "zero_errors" in criteria or None,
        max_iterations=_number(last, "--max-iterations", least=1),
        max_minutes=_number(last, "--max-minutes"),
        stagnation_limit=_number(last, "--stagnation-limit"),
        marker=_choice(last, "--marker", values.MARKERS),
        completion_promise=values.promise(last["--completion-promise"]) if "--completion-promise" in last else None,
        strict="--strict" in given or None,
        preset=_choice(last, "--preset", tuple(PRESETS)),
        checks=_checks(given.get("--check", ())),
        session=last.get("--session", ""),
        project=last.get("--project", ""),
        allow_absent="--allow-absent" in given,
        replace="--replace" in given,
        cancel="--cancel" in given,
        json="--json" in given,
    )


def _task(words: str | None, task: str | None, file: str | None) -> str:
    given = [name for name, value in (("--task", task), ("--task-file", file), ("WORDS", words)) if value is not None]
    if len(given) > 1:
        raise UserError(f"the task is given by {' and by '.join(given)}; give it once, in quotes if need be")
    return values.text(_content(file) if file is not None else task or words or "")


def _content(file: str) -> str:
    try:
        content = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return content.decode("utf-8-sig")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise UserError(f"--task-file: cannot read {values.shown(file)}: {reason}") from None


def _criteria(given: Mapping[str, Sequence[str]]) -> frozenset[str]:
    by_switch = {option.criterion for option in OPTIONS if option.criterion and option.flag in given}
    named = frozenset(map(values.criterion, given.get("--criteria", ()))) | by_switch
    if "--no-zero-errors" in given and "zero_errors" in named:
        raise UserError("zero_errors is both asked for and switched off by --no-zero-errors; leave one of them out")
    return named


def _number(last: Mapping[str, str], flag: str, least: int = 0) -> int | None:
    return values.number(flag, last[flag], least) if flag in last else None


def _choice(last: Mapping[str, str], flag: str, allowed: tuple[str, ...]) -> str | None:
    return values.choice(flag, last[flag], allowed) if flag in last else None


def _checks(given: Sequence[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    checks: dict[str, tuple[str, ...]] = {}
    for name, command_line in map(values.check, given):
        if name in checks:
            raise UserError(f"--check: {name} is given twice; give every check its own name")
        checks[name] = command_line
    return tuple(checks.items())
