"""Which hooks are registered where: missing ones, and those that are registered twice."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from untilgreen.cli.doctor import cures, settings
from untilgreen.cli.doctor.case import Case
from untilgreen.cli.doctor.finding import BROKEN, OK, WARNING, Finding
from untilgreen.cli.doctor.settings import PLUGIN, Source
from untilgreen.cli.installing import registration
from untilgreen.cli.installing.scopes import Registered
from untilgreen.cli.installing.twice import MAIN
from untilgreen.project import toplevel

SUBJECT = "hooks"
NEEDED = ("Stop", "UserPromptSubmit")  # without them nothing holds, and no slash command is answered
_INIT = {"local": (), "user": ("--user",), "shared": ("--shared",)}
_KINDS = {"hooks": "a table"}  # of a key in it: a list


class Wanted(NamedTuple):
    """What `init` registers for one hook on one event: the group's matcher, and seconds."""

    matcher: str
    seconds: float


def wanted() -> dict[tuple[str, str], Wanted]:
    """(event, hook) to what `init` registers."""
    return {
        (event, hook["command"]): Wanted(group.get("matcher", ""), hook["timeout"])
        for event, group in registration.entries(lambda name: (name, [])).items()
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
    return case.blocked.get(scope) or case.command("untilgreen", "init", *_INIT[scope], *words)


def folder(case: Case, scope: str) -> str:
    """The cure that makes the state folder: `init` where that registers nothing twice."""
    if scope in _INIT:
        return again(case, scope)
    if case.refused:
        return ""
    path = cures.word(case.base)
    return f"run: mkdir -m 700 {path} && echo '*' > {path}/.gitignore"


def away(case: Case, scope: str) -> str:
    """The cure that takes our entries of a scope away."""
    if scope == PLUGIN:
        return "in the host: /plugin, and disable untilgreen there"
    if scope == "managed":
        return "ask whoever keeps the managed settings to take the entry out"
    if case.refused and scope != "user":
        return ""
    return _of_main(case, "uninstall") if scope == MAIN else case.command("untilgreen", "uninstall", f"--{scope}")


def _of_main(case: Case, *words: str) -> str:
    return cures.run("untilgreen", *words, "--project", toplevel.main_tree(case.root))


def blocked(case: Case, found: Sequence[Source]) -> dict[str, str]:
    """Scope to the edit that its settings file needs before `init` takes it."""
    return {one.scope.name: _edit(case, one) for one in found if one.error or settings.misshapen(one)}


def _edit(case: Case, source: Source) -> str:
    file, key = case.shown(source.scope.path), settings.misshapen(source)
    if source.error:
        return f"edit {file}: mend it there, or take the file away"
    return f"edit {file}: take {key} out, or make it {_KINDS.get(key, 'a list')}"


def findings(case: Case, found: Sequence[Source], entries: Sequence[Registered]) -> tuple[Finding, ...]:
    """Which hooks are there, which are missing or twice; and which files cannot be read."""
    said = [*_unreadable(case, found), *_misshapen(case, found)]
    if not entries:
        return (*said, Finding(SUBJECT, BROKEN, "no hook of untilgreen is registered here", again(case, "local")))
    for source in found:
        theirs = [one for one in entries if one.scope == source.scope]
        if theirs:
            events = ", ".join(dict.fromkeys(one.event for one in theirs))
            said.append(Finding(SUBJECT, OK, f"{_place(case, source)} ({source.scope.name}): {events}"))
    return (*said, *_missing(case, entries), *_twice(case, entries))


def _place(case: Case, source: Source) -> str:
    if source.scope.name == MAIN:
        return f"{source.scope.path}, which newer hosts read here, too"
    return "the plugin" if source.scope.name == PLUGIN else case.shown(source.scope.path)


def _unreadable(case: Case, found: Sequence[Source]) -> Iterator[Finding]:
    for one in found:
        if one.error:
            yield Finding(SUBJECT, BROKEN, f"{one.error}; the host passes over the whole file", _edit(case, one))


def _misshapen(case: Case, found: Sequence[Source]) -> Iterator[Finding]:
    for one in found:
        if key := settings.misshapen(one):
            what = f"{case.shown(one.scope.path)}: {key} is not {_KINDS.get(key, 'a list')}"
            yield Finding(SUBJECT, BROKEN, what, _edit(case, one))


def _missing(case: Case, entries: Sequence[Registered]) -> tuple[Finding, ...]:
    there = {(one.event, one.hook) for one in entries}
    lacking = [key for key in wanted() if key not in there]
    if not lacking:
        return ()
    level = BROKEN if any(event in NEEDED for event, _ in lacking) else WARNING
    names = ", ".join(f"{hook} on {event}" for event, hook in lacking)
    return (Finding(SUBJECT, level, f"not registered: {names}", again(case, entries[0].scope.name)),)


def _twice(case: Case, entries: Sequence[Registered]) -> tuple[Finding, ...]:
    """Two registrations of a hook do its work twice; the stronger place keeps it, a settings file before the plugin's
    only where there is no plugin."""
    places: dict[tuple[str, str], list[str]] = {}
    for one in entries:
        places.setdefault((one.event, one.hook), []).append(one.scope.name)
    scopes: dict[str, list[str]] = {}
    for (event, hook), names in places.items():
        if len(names) > 1:
            scopes.setdefault(" and ".join(_counted(names)), []).append(f"{hook} on {event}")
    return tuple(
        Finding(SUBJECT, WARNING, f"registered twice ({where}): {', '.join(what)}", _once(case, where.split(" and ")))
        for where, what in scopes.items()
    )


def _counted(names: Sequence[str]) -> list[str]:
    return [name if names.count(name) == 1 else f"{names.count(name)} times {name}" for name in dict.fromkeys(names)]


def _once(case: Case, places: Sequence[str]) -> str:
    names = [place.rpartition(" ")[2] for place in places]
    if len(names) == 1:
        return again(case, names[0])
    return away(case, next((name for name in names if name != PLUGIN), names[0]) if PLUGIN in names else names[-1])
