"""The project that the doctor looks at, as far as every subject needs to know it."""

import os
from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple

from untilgreen.cli.doctor import sources
from untilgreen.core import findings
from untilgreen.core.errors import UserError
from untilgreen.core.model.settings import Settings
from untilgreen.hosts.host import Registered, Source
from untilgreen.loops import starting
from untilgreen.project import toplevel, trust
from untilgreen.settings import effective, load
from untilgreen.state.place import base_of, root_of


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
    #: the state folder, which need not exist
    base: str
    #: the defaults where the configuration cannot be used
    settings: Settings
    #: why the configuration cannot be used, or None
    fault: UserError | None
    trusted: bool
    #: why it can be no project, or ""
    refused: str
    #: a command without --project means this project
    here: bool
    #: the settings files of the hosts, of each the strongest first
    sources: tuple[Source, ...]

    @property
    def registered(self) -> tuple[tuple[Source, Registered], ...]:
        """Our hooks in all of these settings, each with its file."""
        return tuple((source, one) for source in self.sources for one in sources.registered(source))

    @property
    def scopes(self) -> tuple[tuple[str, str], ...]:
        """(host, scope) where hooks of ours are registered, the strongest first."""
        return tuple(dict.fromkeys((source.host, one.scope.name) for source, one in self.registered))

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
        base = starting.place_of(root, "next", env).base
    except UserError as error:
        fault = error
    with suppress(FileNotFoundError):  # the current folder is gone
        here = root_of(env) == root
    trusted, refused = trust.trusted(root, env), toplevel.refused(root, env)
    found = tuple(sources.sources(root, env))
    return DoctorCase(extent, root, env, base, settings, fault, trusted, refused, here, found)
