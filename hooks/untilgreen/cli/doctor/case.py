"""The project that the doctor looks at, as far as every subject needs to know it."""

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from untilgreen import hosts
from untilgreen.checks.run import processes
from untilgreen.cli.installing import changes, targets
from untilgreen.core import findings
from untilgreen.core.errors import UserError
from untilgreen.core.model.outcome import Output
from untilgreen.core.model.settings import Settings
from untilgreen.core.record import NamedTuple
from untilgreen.hosts.adapter import Adapter
from untilgreen.hosts.hook_health import HookHealth
from untilgreen.hosts.host import MAIN, PLUGIN, Registered, Scope, Source
from untilgreen.loops.begin import starting
from untilgreen.project import toplevel, trust
from untilgreen.settings import effective, load
from untilgreen.state.place import NOWHERE, base_of, root_of

_SECONDS = 10.0  # for a program that only has to say its version


class Extent(NamedTuple):
    """How far the doctor may go: the seconds of all checks, whether tests run, whether anything is started."""

    seconds: float = 60.0
    tests: bool = False
    run: bool = True


class DoctorCase(NamedTuple):
    """A project, its configuration, and the hosts' settings that name our hooks."""

    extent: Extent
    root: str
    env: Mapping[str, str]
    base: str  #: the state folder, which need not exist; NOWHERE where the one that is there is not ours
    settings: Settings  #: the defaults where the configuration cannot be used
    fault: UserError | None  #: why the configuration cannot be used, or None
    trusted: bool
    refused: str  #: why it can be no project, or ""
    here: bool  #: a command without --project means this project
    sources: tuple[Source, ...]  #: the settings files of the hosts, of each the strongest first

    @property
    def registered(self) -> tuple[tuple[Source, Registered], ...]:
        """Our hooks in all of these settings, each with its file."""
        return tuple((source, one) for source in self.sources for one in registered(source))

    @property
    def entries(self) -> tuple[tuple[Source, Registered], ...]:
        """The same, each entry once: as the executable that it calls."""
        return tuple({id(one.entry): (source, one) for source, one in self.registered[::-1]}.values())[::-1]

    @property
    def scopes(self) -> tuple[tuple[str, str], ...]:
        """(host, scope) where hooks of ours are registered, the strongest first."""
        return tuple(dict.fromkeys((source.host, one.scope.name) for source, one in self.registered))

    @property
    def present(self) -> tuple[str, ...]:
        """The hosts that are installed, or registered with: of no other there is anything to say."""
        found = {*targets.there(self.root, self.env), *(source.host for source, _ in self.registered)}
        return tuple(name for name in targets.known() if name in found)

    def read(self, host: Adapter) -> list[Source]:
        """All that the host reads of settings: also our plugin, and what it runs of another work tree."""
        return [one for one in self.sources if one.host == host.name]

    def files(self, host: Adapter) -> list[Source]:
        """The host's settings files for this project: no plugin, and no other work tree."""
        return [one for one in self.sources if one.host == host.name and one.scope.name not in (MAIN, PLUGIN)]

    def command(self, *words: str) -> str:
        """A cure: our command for this project, for the shell that the person sits at."""
        more = () if self.here else ("--project", self.root)
        return findings.run(*words, *more)

    def key(self, line: str, table: str = "") -> str:
        """A cure: a line in the project's configuration, in the file that it has (or an untilgreen.toml)."""
        own = effective.SOURCES[1]
        if os.path.exists(os.path.join(self.root, own)) or self.settings == Settings():
            return f"edit {own}{f', [{table}]' if table else ''}: {line}"
        return f"edit pyproject.toml, [tool.untilgreen{f'.{table}' if table else ''}]: {line}"

    def ask(self, jobs: Mapping[str, Sequence[str]]) -> dict[str, Output]:
        """Run these command lines at once in the project: no hook speaks, and no host's session owns them."""
        sessions = {row[1] for row in hosts.ADAPTERS.values()}
        sessions |= {hosts.get(name).facts.client for name in hosts.ADAPTERS}
        env = processes.environment({name: value for name, value in self.env.items() if name not in sessions})
        planned = tuple(processes.Job(name, tuple(words), self.root, _SECONDS) for name, words in jobs.items())
        return processes.run(planned, env | hosts.variables("", self.root), time.monotonic() + _SECONDS + 1)

    def shown(self, path: str) -> str:
        """A path as a person knows it: relative to the project, or to the home folder."""
        if toplevel.within(self.root, os.path.dirname(path)):
            return findings.readable(os.path.relpath(path, self.root))
        home = self.env.get("HOME", "")
        return findings.readable(f"~/{os.path.relpath(path, home)}" if home and path.startswith(f"{home}/") else path)


def of(given: str, env: Mapping[str, str], extent: Extent) -> DoctorCase:
    """The case of `--project`, or of the current folder. Raises UserError where there is no such folder."""
    root = starting.root_of(given, env)
    fault, settings, base, here = None, Settings(), base_of(root, env), False
    try:
        settings = load.load(root)
        base = base if base == NOWHERE else starting.place_of(root, "next", env).base
    except UserError as error:
        fault = error
    with suppress(FileNotFoundError):  # the current folder is gone
        here = root_of(env) == root
    trusted, refused = trust.trusted(root, env), toplevel.refused(root, env)
    return DoctorCase(extent, root, env, base, settings, fault, trusted, refused, here, tuple(sources(root, env)))


def registered(source: Source) -> tuple[Registered, ...]:
    """The hook entries of ours in these settings."""
    return targets.settings(source.host).registered(source.scope, source.settings)


def sources(root: str, env: Mapping[str, str]) -> Iterator[Source]:
    """The settings of every host for this project, and what enabled plugins register."""
    for name, files in targets.known().items():
        found = [_read(name, files, scope) for scope in files.scopes(root, env)]
        main = [_read(name, files, scope) for scope in files.linked(root)]
        theirs = list(filter(registered, main))
        if theirs and files.MAIN_ALONE:
            found = [one for one in found if one.scope.name != "local"]
        yield from (*found, *theirs, *files.plugins(found, root, env))


def _read(host: str, files: HookHealth, scope: Scope) -> Source:
    try:
        return Source(host, scope, changes.read(files, scope.path))
    except UserError as error:
        return Source(host, scope, error=error.reason)


def last_words(answer: Output) -> str:
    """The line that says most about a failure."""
    lines = [line.strip() for line in (answer.stderr or answer.stdout).splitlines() if line.strip()]
    return answer.why or (lines[-1] if lines else f"exit code {answer.code}")


def version(answer: Output) -> str:
    """The first word of an answer to `--version` that looks like a version, "" where there is none."""
    words = (answer.stdout or answer.stderr).replace(",", " ").replace("(", " ").split() if answer.code == 0 else []
    plain = (word.removeprefix("v").removeprefix("go") for word in words)
    return next((word for word in plain if word[:1].isdecimal() and "." in word), "")


def asking_version(tool: str) -> tuple[str, str]:
    """The command line that has a tool say its version."""
    return tool, "version" if os.path.basename(tool) == "go" else "--version"
