"""Which hooks are registered where: missing ones, those that are registered twice, and what is wrong with an entry."""

import os
from collections.abc import Iterable, Iterator

from untilgreen import hosts
from untilgreen.cli.doctor.case import DoctorCase, registered
from untilgreen.cli.installing import changes, targets
from untilgreen.core import findings
from untilgreen.core.findings import BROKEN, NOTE, OK, WARNING, Finding
from untilgreen.hosts.adapter import Adapter
from untilgreen.hosts.host import MAIN, PLUGIN, Registered, Scope, Source
from untilgreen.project import toplevel

SUBJECT = "hooks"
NOWHERE = (hosts.DEFAULT, "local")  # the registration that is proposed where there is none
# where no command of ours reaches: what we would do there, as what a person does
_ELSEWHERE = {
    ("init", PLUGIN): "in the host: /plugin, and update untilgreen there",
    ("init", "managed"): "ask whoever keeps the managed settings to write the entry as `untilgreen init` does",
    ("uninstall", PLUGIN): "in the host: /plugin, and disable untilgreen there",
    ("uninstall", "managed"): "ask whoever keeps the managed settings to take the entry out",
}


def wanted(host: Adapter) -> dict[tuple[str, str], Registered]:
    """(event, hook) to what `init` registers for it."""
    files = targets.settings(host.name)
    entries = files.entries(lambda name: (name, ["--host", host.name]), files.stop_seconds({}))
    found = files.registered(Scope("", ""), files.merged({}, entries))
    return {(one.event, one.hook): one for one in found}


def again(case: DoctorCase, host: str, scope: str, *words: str, doing: str = "init") -> str:
    """The cure that writes our entries in this scope again (or takes them out); "" where that would be refused."""
    named = () if host == hosts.DEFAULT else ("--host", host)
    if scope == PLUGIN and (out := targets.settings(host).PLUGIN[2]):
        return f"run: {out}{', and install it again' if doing == 'init' else ''}"
    if (doing, scope) in _ELSEWHERE:
        return _ELSEWHERE[doing, scope]
    if scope == MAIN:
        return findings.run("untilgreen", doing, *named, *words, "--project", toplevel.main_tree(case.root))
    if case.refused and scope != "user":
        return ""
    theirs = (one for one in case.sources if (one.host, one.scope.name) == (host, scope))
    if doing == "init" and (bad := next(filter(_problem, theirs), None)):
        return _edit(case, bad)
    option = () if (doing, scope) == ("init", "local") else (f"--{scope}",)
    return case.command("untilgreen", doing, *option, *named, *words)


def folder(case: DoctorCase) -> str:
    """The cure that makes the state folder: `init` where that registers nothing twice."""
    host, scope = next(iter(case.scopes), NOWHERE)
    if scope != MAIN and ("init", scope) not in _ELSEWHERE:
        return again(case, host, scope)
    path = findings.word(case.base)
    return "" if case.refused else f"run: mkdir -m 700 {path} && echo '*' > {path}/.gitignore"


def _edit(case: DoctorCase, source: Source) -> str:
    """The edit that a settings file needs before `init` takes it."""
    change = "fix it there, or take the file away" if source.error else "make it so, or take it out"
    return f"edit {case.shown(source.scope.path)}: {change}"


def _problem(source: Source) -> str:
    """Why neither the host nor `init` can use the file as it is, "" where they can."""
    return source.error or targets.settings(source.host).problem(source.settings)


def where(case: DoctorCase, host: str, scope: Scope) -> str:
    """How a registration is named: by its scope, and by its host where there are several."""
    several = len({one for one, _ in case.scopes}) > 1
    return f"{hosts.get(host).facts.title}, {scope.name}" if several else scope.name


def examine(case: DoctorCase) -> Iterator[Finding]:
    """Which hooks are there, which are missing or twice; and which files cannot be read."""
    for source in case.sources:
        if source.error:
            yield Finding(SUBJECT, BROKEN, f"{source.error}; the host passes over the whole file", _edit(case, source))
        elif problem := _problem(source):
            yield Finding(SUBJECT, BROKEN, f"{case.shown(source.scope.path)}: {problem}", _edit(case, source))
    if not case.registered:
        yield Finding(SUBJECT, BROKEN, "no hook of untilgreen is registered here", again(case, *NOWHERE))
        return
    for source in case.sources:
        if theirs := registered(source):
            events = ", ".join(dict.fromkeys(one.event for one in theirs))
            where_ = where(case, source.host, source.scope)
            yield Finding(SUBJECT, OK, f"{case.shown(source.scope.path)} ({where_}): {events}")
    for name in case.present:
        if name not in (source.host for source, _ in case.registered):
            what = f"{hosts.get(name).facts.title} is installed, and calls no hook of untilgreen here"
            yield Finding(SUBJECT, NOTE, what, again(case, name, targets.settings(name).SCOPES[0]))
    yield from _missing(case)
    yield from _below(case)
    yield from _bridges(case)
    yield from _twice(case)


def _missing(case: DoctorCase) -> Iterator[Finding]:
    for name in dict.fromkeys(source.host for source, _ in case.registered):
        host = hosts.get(name)
        theirs = [one for source, one in case.registered if source.host == name]
        there = {(one.event, one.hook) for one in theirs}
        if lacking := [key for key in wanted(host) if key not in there]:
            needed = any(event in targets.settings(name).NEEDED for event, _ in lacking)
            names = ", ".join(f"{hook} on {event}" for event, hook in lacking)
            cure = again(case, name, theirs[0].scope.name)
            title = f" with {host.facts.title}" if len({one for one, _ in case.scopes}) > 1 else ""
            yield Finding(SUBJECT, BROKEN if needed else WARNING, f"not registered{title}: {names}", cure)


def _below(case: DoctorCase) -> Iterator[Finding]:
    """Hosts that would run no hook of the project where doctor is called: in a subfolder."""
    here = os.path.realpath(os.curdir) if case.here else case.root
    for name in dict.fromkeys(source.host for source, _ in case.registered) if here != case.root else ():
        facts = hosts.get(name).facts
        if facts.from_top and all(
            one.scope.name not in ("user", PLUGIN) for one, _ in case.registered if one.host == name
        ):
            what = f"{facts.title} runs no hook of the project in {case.shown(here)}: it reads those of its own folder"
            cure = f"start {facts.program} in {findings.readable(case.root)}, or `untilgreen init --user --host {name}`"
            yield Finding(SUBJECT, WARNING, what, cure)


def _bridges(case: DoctorCase) -> Iterator[Finding]:
    for source in dict.fromkeys(source.scope.path for source, _ in case.registered):
        one = next(one for one, _ in case.registered if one.scope.path == source)
        files, data = targets.settings(one.host), changes.content(source) or b""
        line = files.unwrapped(data)
        if line != data and files.wrapped(line) != data:
            what = f"{case.shown(source)}: the bridge is from another version, or edited"
            yield Finding(SUBJECT, WARNING, what, again(case, one.host, one.scope.name))


def _twice(case: DoctorCase) -> Iterator[Finding]:
    """A hook that is registered twice works twice. The stronger place keeps it; the plugin beats any settings file."""
    places: dict[tuple[str, str, str], list[str]] = {}
    for source, one in case.registered:
        places.setdefault((source.host, one.event, one.hook), []).append(one.scope.name)
    twice: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (host, event, hook), names in places.items():
        if len(names) > 1:
            twice.setdefault((host, tuple(names)), []).append(f"{hook} on {event}")
    for (host, scopes), what in twice.items():
        distinct = list(dict.fromkeys(scopes))
        goes = distinct[0] if distinct[-1] == PLUGIN else distinct[-1]
        cure = again(case, host, goes, doing="uninstall" if distinct[1:] else "init")
        yield Finding(SUBJECT, WARNING, f"registered twice ({' and '.join(scopes)}): {', '.join(what)}", cure)


def entries(case: DoctorCase) -> Iterator[Finding]:
    told = []
    for source, one in case.entries:
        cure = again(case, source.host, one.scope.name)
        for found in _faults(case, source, one):
            fault = found._replace(
                what=f"({where(case, source.host, one.scope)}): {found.what}", cure=found.cure or cure
            )
            told.append((f"{one.hook} on {one.event}", fault))
    yield from together(told)


def _faults(case: DoctorCase, source: Source, one: Registered) -> Iterator[Finding]:
    usual = wanted(hosts.get(source.host)).get((one.event, one.hook))
    if usual is None:
        cure = f"edit {case.shown(one.scope.path)}: take the entry of {one.hook} out of hooks.{one.event}"
        yield Finding(SUBJECT, WARNING, "it does nothing there", cure)
    else:
        yield from targets.settings(source.host).faults(one, usual, case.settings.deadline, case.key("deadline = 540"))


def together(told: Iterable[tuple[str, Finding]]) -> tuple[Finding, ...]:
    """Findings, each with the name of its thing: what is not well and reads alike becomes one, with all names."""
    names: dict[tuple[Finding, str], list[str]] = {}
    for name, one in told:
        theirs = names.setdefault((one, name if one.level == OK else ""), [])
        theirs += [name] if name not in theirs else []
    return tuple(one._replace(what=f"{', '.join(theirs)} {one.what}") for (one, _), theirs in names.items())
