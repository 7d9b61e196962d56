"""Which hooks are registered where: missing ones, and those that are registered twice."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from untilgreen.cli.doctor import finding, sources
from untilgreen.cli.doctor.case import Case
from untilgreen.cli.doctor.finding import BROKEN, OK, WARNING, Finding
from untilgreen.cli.doctor.sources import PLUGIN, Source
from untilgreen.hosts.claude_code import settings as host_settings
from untilgreen.hosts.claude_code.settings import MAIN
from untilgreen.project import toplevel

SUBJECT = "hooks"
NEEDED = ("Stop", "UserPromptSubmit")  # without them nothing holds, and no slash command is answered
_INIT = {"local": (), "user": ("--user",), "shared": ("--shared",)}


class Wanted(NamedTuple):
    """What `init` registers for one hook on one event: the group's matcher, and seconds."""

    matcher: str
    seconds: float


def wanted() -> dict[tuple[str, str], Wanted]:
    """(event, hook) to what `init` registers."""
    return {
        (event, hook["command"]): Wanted(group.get("matcher", ""), hook["timeout"])
        for event, group in host_settings.entries(lambda name: (name, [])).items()
        for hook in group["hooks"]
    }


def again(case: Case, scope: str, *words: str) -> str:
    """The cure that writes our entries of a scope anew."""
    if scope == PLUGIN:
        return "in the host: /plugin, and update untilgreen there"
    if scope == "managed":
        return "ask whoever keeps the managed settings to write the entry as `untilgreen init` does"
    if scope == MAIN:
        return _of_main(case, "init", *words)
    if case.refused and scope != "user":  # init refuses
        return ""
    blocked = next((_edit(case, one) for one in case.sources if one.scope.name == scope and _problem(one)), "")
    return blocked or case.command("untilgreen", "init", *_INIT[scope], *words)


def folder(case: Case) -> str:
    """The cure that makes the state folder: `init` where that registers nothing twice."""
    scope = next(iter(case.scopes), "local")
    if scope in _INIT:
        return again(case, scope)
    path = finding.word(case.base)
    return "" if case.refused else f"run: mkdir -m 700 {path} && echo '*' > {path}/.gitignore"


def _away(case: Case, scope: str) -> str:
    """The cure that takes our entries of a scope away."""
    if scope == PLUGIN:
        return "in the host: /plugin, and disable untilgreen there"
    if scope == "managed":
        return "ask whoever keeps the managed settings to take the entry out"
    if case.refused and scope != "user":
        return ""
    return _of_main(case, "uninstall") if scope == MAIN else case.command("untilgreen", "uninstall", f"--{scope}")


def _of_main(case: Case, *words: str) -> str:
    return finding.run("untilgreen", *words, "--project", toplevel.main_tree(case.root))


def _problem(source: Source) -> str:
    return source.error or sources.misshapen(source)


def _edit(case: Case, source: Source) -> str:
    """The edit that a settings file needs before `init` takes it."""
    file, key = case.shown(source.scope.path), sources.misshapen(source)
    if source.error:
        return f"edit {file}: mend it there, or take the file away"
    return f"edit {file}: take {key} out, or make it {_kind(key)}"


def _kind(key: str) -> str:
    return "a table" if key == "hooks" else "a list"


def examine(case: Case) -> Iterator[Finding]:
    """Which hooks are there, which are missing or twice; and which files cannot be read."""
    for source in case.sources:
        if source.error:
            yield Finding(SUBJECT, BROKEN, f"{source.error}; the host passes over the whole file", _edit(case, source))
        elif key := sources.misshapen(source):
            what = f"{case.shown(source.scope.path)}: {key} is not {_kind(key)}"
            yield Finding(SUBJECT, BROKEN, what, _edit(case, source))
    if not case.registered:
        yield Finding(SUBJECT, BROKEN, "no hook of untilgreen is registered here", again(case, "local"))
        return
    for source in case.sources:
        if theirs := sources.registered([source]):
            events = ", ".join(dict.fromkeys(one.event for one in theirs))
            yield Finding(SUBJECT, OK, f"{_place(case, source)} ({source.scope.name}): {events}")
    yield from _missing(case)
    yield from _twice(case)


def _place(case: Case, source: Source) -> str:
    if source.scope.name == MAIN:
        return f"{source.scope.path}, which newer hosts read here, too"
    return "the plugin" if source.scope.name == PLUGIN else case.shown(source.scope.path)


def _missing(case: Case) -> Iterator[Finding]:
    there = {(one.event, one.hook) for one in case.registered}
    lacking = [key for key in wanted() if key not in there]
    if lacking:
        level = BROKEN if any(event in NEEDED for event, _ in lacking) else WARNING
        names = ", ".join(f"{hook} on {event}" for event, hook in lacking)
        yield Finding(SUBJECT, level, f"not registered: {names}", again(case, case.scopes[0]))


def _twice(case: Case) -> Iterator[Finding]:
    """Two registrations of a hook do its work twice; the stronger place keeps it, a settings file before the plugin's
    only where there is no plugin."""
    places: dict[tuple[str, str], list[str]] = {}
    for one in case.registered:
        places.setdefault((one.event, one.hook), []).append(one.scope.name)
    hooks: dict[tuple[str, ...], list[str]] = {}
    for (event, hook), names in places.items():
        if len(names) > 1:
            hooks.setdefault(tuple(names), []).append(f"{hook} on {event}")
    for scopes, what in hooks.items():
        counted = {name: scopes.count(name) for name in scopes}
        where = " and ".join(name if number == 1 else f"{number} times {name}" for name, number in counted.items())
        yield Finding(SUBJECT, WARNING, f"registered twice ({where}): {', '.join(what)}", _once(case, list(counted)))


def _once(case: Case, scopes: Sequence[str]) -> str:
    if len(scopes) == 1:
        return again(case, scopes[0])
    return _away(case, next(name for name in scopes if name != PLUGIN) if PLUGIN in scopes else scopes[-1])
