"""One examination: facts are collected where they are, then each subject makes findings of its own."""

import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from untilgreen.checks.planning import Scope
from untilgreen.cli.doctor import (
    calls,
    checks,
    command_lines,
    commands,
    configuration,
    entries,
    host,
    itself,
    loops,
    place,
    processes,
    registrations,
    settings,
    startup,
    state,
    status_line,
    switches,
)
from untilgreen.cli.doctor.case import Case
from untilgreen.cli.doctor.finding import Finding
from untilgreen.cli.doctor.processes import Asked
from untilgreen.cli.installing.scopes import Registered
from untilgreen.core.errors import UserError
from untilgreen.core.model import Check

_PRIVATE = (".claude/settings.local.json", ".untilgreen")


class Wish(NamedTuple):
    """`seconds` for all checks, whether `tests` run with them; without `run` nothing is started at all."""

    seconds: float = 60.0
    tests: bool = False
    run: bool = True


def examine(case: Case, wish: Wish) -> tuple[Finding, ...]:
    """Everything, in the order in which it is told."""
    sources = settings.sources(case)
    case = case._replace(blocked=registrations.blocked(case, sources))
    ours = settings.registered(sources)
    seen = tuple(startup.look(case, one) for one in command_lines.commands(case, ours))
    tried = startup.measure(case, seen) if wish.run else seen
    path, on_path = host.place(case)
    planned, faults = _planned(case)
    asked = _ask(case, path, tried, planned[1] if planned else ()) if wish.run else {}
    tried = tuple(one._replace(version=asked.get(startup.installation(one))) for one in tried)
    client = host.Host(path, on_path, asked.get("host"), case.settings.hold_style, case.key('hold_style = "context"'))
    since = _since(sources, ours)
    return (
        *itself.findings(case),
        *host.findings(client),
        *place.findings(case, place.look(case, _PRIVATE)),
        *configuration.findings(case),
        *registrations.findings(case, sources, ours),
        *entries.findings(case, ours),
        *switches.findings(case, sources, switches.look(case)),
        *startup.findings(case, tried),
        *commands.findings(case, commands.look(case), [one.scope.name for one in ours]),
        *status_line.findings(case, sources, [one.scope.name for one in ours]),
        *(checks.findings(case, _checked(*planned, asked, wish)) if planned else faults),
        *state.findings(case, state.look(case.base), ours[0].scope.name if ours else "local"),
        *loops.findings(case, loops.look(case)),
        *calls.findings(case, calls.look(case, min(since.values(), default=0.0)), since, time.time()),
    )


def _planned(case: Case) -> tuple[checks.Plan | None, tuple[Finding, ...]]:
    """The checks that apply; none where the place or the configuration forbids it, which is said elsewhere."""
    if case.refused or case.fault:
        return None, ()
    try:
        return checks.plan(case), ()
    except UserError as error:
        return None, checks.contradiction(error)


def _ask(case: Case, host_path: str, tried: Sequence[startup.Tried], planned: Sequence[Check]) -> dict[str, Asked]:
    """All versions at once: of the host, of what is registered, and of the tools ("tool PATH")."""
    jobs: dict[str, tuple[str, ...]] = {"host": (host_path, "--version")} if host_path else {}
    jobs |= {
        startup.installation(one): startup.version_words(one)
        for one in tried
        if one.answer is not None and one.answer.code == 0
    }
    jobs |= {f"tool {check.tool}": words for check in planned if (words := checks.version_words(check))}
    return processes.ask(jobs, processes.surroundings(case.env, case.root), case.root)


def _checked(scope: Scope, planned: Sequence[Check], asked: Mapping[str, Asked], wish: Wish) -> tuple[checks.Seen, ...]:
    outcomes = checks.run(scope, planned, wish.seconds, wish.tests) if wish.run else {}
    answers = {check.name: asked.get(f"tool {check.tool}") for check in planned}
    versions = {name: processes.version(answer) for name, answer in answers.items() if answer}
    return tuple(checks.Seen(one, versions.get(one.name, ""), outcomes.get(one.name)) for one in planned)


def _since(sources: Sequence[settings.Source], ours: Sequence[Registered]) -> dict[str, float]:
    """Hook to the moment in which the newest of the files that name it was changed."""
    changed = {source.scope: source.changed for source in sources}
    found: dict[str, float] = {}
    for one in ours:
        found[one.hook] = max(found.get(one.hook, 0.0), changed.get(one.scope, 0.0))
    return found
