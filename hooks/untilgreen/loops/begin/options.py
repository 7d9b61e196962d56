"""What a start asks for, by the options that the shell command and the typed line share, and its project's settings."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from untilgreen.core import document
from untilgreen.core.errors import UserError, meant
from untilgreen.core.model.settings import CheckSetting, Criteria, Settings
from untilgreen.core.record import Any, NamedTuple
from untilgreen.project import tables
from untilgreen.settings import load, values
from untilgreen.settings.keys import ALONE, PRESETS, SETTINGS
from untilgreen.settings.values import Option, Table, taken
from untilgreen.state import catalogue


class Request(NamedTuple):
    task: str = ""
    description: str = ""
    targets: tuple[str, ...] = ()  #: paths as they were written
    settings: Mapping[str, Any] = {}  #: the keys of the configuration that were given, but for the criteria
    criteria: frozenset[str] = frozenset()  #: the canonical names of those asked for by name
    zero_errors: bool = True  #: False: neither errors nor what linters and type checkers say counts
    only: tuple[str, ...] = ()  #: of what the project calls green only these kinds of checks; () for all
    checks: tuple[tuple[str, tuple[str, ...]], ...] = ()  #: each a name and the words of its command
    judge: tuple[str, ...] = ()  #: criteria for a judge, in words
    context: str = ""  #: the name of a context preset
    session: str = ""
    project: str = ""
    allow_absent: bool = False
    replace: bool = False
    cancel: bool = False
    json: bool = False


class Resolved(NamedTuple):
    """What a loop starts with. `named`: the criteria asked for by name; `promise_only`: no check is needed."""

    settings: Settings
    criteria: Criteria
    promise_only: bool
    named: frozenset[str]


KINDS = ("lint", "types", "tests", "build")
_REQUIRING = "--require-"  # TalkCody's flags: there the agent's own runs are all the proof that there is


def _options(section: str) -> tuple[Option, ...]:
    """Those in this section of `templates/settings.txt`, which says how a row reads."""
    rows = ((*row, "", "", "")[:5] for row in tables.read("settings")[section])
    return tuple(Option(flag, told, value, short, typed=not shell) for flag, told, value, short, shell in rows)


_OF_THE_TASK, _OF_THE_START = _options("the task"), _options("the start")


def offered(table: Table = SETTINGS) -> tuple[Option, ...]:
    """Every option of a start: those that set a key of the configuration, and its own."""
    return (*_OF_THE_TASK, *table.options, *_OF_THE_START)


OPTIONS = offered()


def refused_value(flag: str) -> UserError:
    """That a switch has a value, as `--zero-errors=false`: what to write instead."""
    off = "write --no-zero-errors" if flag == "--zero-errors" else "leave it out"
    return UserError(f"{flag} takes no value", f"write {flag} alone, or for false {off}")


def request(given: Mapping[str, Sequence[str]], words: str | None, table: Table = SETTINGS) -> Request:
    """The flags, each with its values (a switch: an empty one), and the free words as a Request. Raises UserError."""
    last = {flag: found[-1] for flag, found in given.items()}
    settings = _settings(given, table)
    if "--new" in given and "--all" in given:
        raise UserError("--new and --all contradict each other", "give one of them")
    asked = checks_only(given.get("--only", ()), "--no-tests" not in given, "--no-zero-errors" not in given)
    criteria = asked.criteria.union(settings.pop("criteria", ()))
    if not asked.zero_errors and "zero_errors" in criteria:
        raise UserError("zero_errors is both asked for and switched off by --no-zero-errors", "leave one of them out")
    of_the_start: dict[str, Any] = {
        one.name: last.get(one.flag, "") if one.value else one.flag in given for one in _OF_THE_START
    }
    return asked._replace(
        task=_task(words, last.get("--task"), last.get("--task-file")),
        description=values.text(last.get("--description", "")),
        targets=tuple(given.get("--target", ())),
        settings=settings,
        criteria=criteria,
        checks=_checks(given.get("--check", ())),
        judge=judged(given.get("--judge", ())),
        context=context(last.get("--context")),
        **of_the_start,
    )


def checks_only(only: Sequence[str], tests: bool = True, zero_errors: bool = True) -> Request:
    """A request for some of the project's checks, or for all; `only`: their kinds. Raises UserError."""
    kinds = dict.fromkeys(only)
    for kind in kinds:
        if kind not in KINDS:
            raise UserError(f"--only is {values.shown(kind)}{meant(kind, KINDS)}", f"give one of {', '.join(KINDS)}")
    out = {*(() if tests else ("tests",)), *(() if zero_errors else ("lint", "types"))}
    left = tuple(kind for kind in kinds or KINDS if kind not in out)
    if not left:
        raise UserError("nothing is left to ask for", "leave out --only, --no-tests or --no-zero-errors")
    criteria = frozenset({"build_success"} if "build" in kinds else ())  # green has no build of its own
    return Request(criteria=criteria, zero_errors=zero_errors, only=left if len(left) < len(KINDS) else ())


def _settings(given: Mapping[str, Sequence[str]], table: Table) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for option in table.options:
        if option.flag in given:
            value = _value(option, given[option.flag], table.types[option.key])
            if isinstance(value, list):
                value = [*found.get(option.key, ()), *value]
            found[option.key] = taken(table.kinds[option.key], value, option.flag)
    if any(flag.startswith(_REQUIRING) for flag in given):
        found.setdefault("evidence", "accept")
    return found


def _value(option: Option, given: Sequence[str], kind: Any) -> Any:
    is_list = kind not in (bool, int, float, str)
    if not option.value:
        return [option.sets] if is_list else option.sets
    if is_list:
        return list(map(values.text, given))
    if kind is str:
        return values.text(given[-1])
    return (values.amount if kind is float else values.number)(option.flag, given[-1])


def _task(words: str | None, task: str | None, file: str | None) -> str:
    given = [name for name, value in (("--task", task), ("--task-file", file), ("WORDS", words)) if value is not None]
    if len(given) > 1:
        raise UserError(f"the task is given by {' and by '.join(given)}", "give it once, in quotes if need be")
    if file is None:
        return values.text(task or words or "")
    try:
        content = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return values.text(content.decode("utf-8-sig"))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        why = f"--task-file: cannot read {values.shown(file)}: {reason}"
        raise UserError(why, "name a file of UTF-8 text") from None


def judged(given: Sequence[str]) -> tuple[str, ...]:
    """Criteria for a judge, each once. Raises UserError."""
    found = tuple(dict.fromkeys(values.text(one).strip() for one in given))
    if not all(found):
        raise UserError("--judge is empty", "say what must hold: --judge 'The README describes every option'")
    return found


def context(given: str | None) -> str:
    """The name of a context preset, "" for None. Raises UserError."""
    if given is not None and given not in (known := catalogue.contexts()):
        raise UserError(f"--context is {values.shown(given)}{meant(given, known)}", f"give one of {', '.join(known)}")
    return given or ""


def _checks(given: Sequence[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    checks: dict[str, tuple[str, ...]] = {}
    for value in given:
        name, equals, command = value.partition("=")
        if not equals or not values.CHECK_NAME.fullmatch(name):
            wanted = "NAME=COMMAND with a name of letters, digits, _ and -"
            raise UserError(f"{values.shown(value)} is not {wanted}", "give for example --check 'unit=pytest -q'")
        if name in checks:
            raise UserError(f"--check: {name} is given twice", "give every check its own name")
        checks[name] = check_words(name, command)
    return tuple(checks.items())


def check_words(name: str, command: str) -> tuple[str, ...]:
    """The words of a check's command line. Raises UserError."""
    try:
        return values.command_words(command)
    except UserError as error:
        raise UserError(f"--check {name}: {error.reason}", error.fix) from None


def resolve(settings: Settings, request: Request, said: frozenset[str] = frozenset()) -> Resolved:
    """The project's settings, then the preset, then the flags; criteria add up. `said`: the keys that the project's
    configuration has, even with their defaults. Raises UserError where they contradict."""
    preset = dict(PRESETS.get(request.settings.get("preset", ""), {}))
    by_name = request.criteria.union(settings.criteria, preset.pop("criteria", ()))
    named = by_name.union(["custom"] if request.checks else []) - {"" if request.zero_errors else "zero_errors"}
    checks = dict(settings.checks)
    for name, command in request.checks:
        checks[name] = checks.get(name, CheckSetting())._replace(command=command, enabled=True)
    joined = document.changed(settings, {**preset, **request.settings})
    joined = joined._replace(criteria=load.ordered(named), checks=checks)
    promise_only = bool(joined.markers.completion_promise) and not named and not request.judge
    if promise_only and joined.markers.marker == "verify":
        if "marker" in {*request.settings, *preset, *said}:
            raise UserError(
                "marker verify lets only checks decide, and with a completion promise there are none",
                "name a criterion (--criteria test_pass) or use --marker require",
            )
        joined = joined._replace(markers=joined.markers._replace(marker="require"))  # of such a loop the promise is all
    on = set(named)
    if not promise_only:  # the project's own word, and the commands that its configuration lists
        alone = {"jikime"} if request.only else ALONE  # --only is of what the project itself calls green
        vain = {"no_tool_errors"} if joined.markers.marker == "verify" or request.judge else set()
        on |= {"green"} if joined.preset not in alone or not by_name - vain else set()
        on |= {"custom"} if any(check.command and check.enabled for check in checks.values()) else set()
    promise_only |= on == {"no_tool_errors"}  # TalkCody's: the marker, and calls of the agent's that went well
    asked = {name: name in on for name in values.CRITERIA}
    criteria = Criteria(**asked, only=request.only, judge=request.judge, stagnation_limit=joined.stagnation_limit)
    return Resolved(joined, criteria, promise_only, named)
