"""The hosts' settings of a project: every file that they read, and the hooks of ours that stand there."""

from collections.abc import Iterator, Mapping, Sequence

from untilgreen import hosts
from untilgreen.cli.installing import settings_file
from untilgreen.core.errors import UserError
from untilgreen.hosts.host import Health, Host, Registered, Scope, Source

PLUGIN = "plugin"  # the scope of what a plugin registers
MAIN = "main"  # of the main work tree's settings, in a linked one


def known() -> tuple[Host, ...]:
    """The hosts whose settings we write."""
    return tuple(host for host in map(hosts.get, hosts.ADAPTERS) if host.settings() is not None)


def sources(root: str, env: Mapping[str, str]) -> Iterator[Source]:
    """Every place that a host reads settings of this project from, of each host the strongest first."""
    for host in known():
        files, health = host.settings(), host.health()
        if files is not None:
            found = [_read(host, scope) for scope in files.scopes(root, env)]
            main = [_read(host, scope) for scope in files.linked(root)]
            yield from (*found, *filter(registered, main))
            yield from health.plugins(found, env) if health else ()


def _read(host: Host, scope: Scope) -> Source:
    try:
        return Source(host.name, scope, settings_file.read(scope.path))
    except UserError as error:
        return Source(host.name, scope, error=error.reason)


def registered(source: Source) -> tuple[Registered, ...]:
    """The hook entries of ours in it."""
    files = hosts.get(source.host).settings()
    return files.registered(source.scope, source.settings) if files else ()


def health(source: Source) -> Health | None:
    """What its host knows of such entries."""
    return hosts.get(source.host).health()


def problem(source: Source) -> str:
    """Why neither the host nor `init` can use the file as it is, "" where they can."""
    files = hosts.get(source.host).settings()
    return source.error or (files.problem(source.settings) if files else "")


def files(host: Host, found: Sequence[Source]) -> list[Source]:
    """The host's settings files for this project: no plugin, and no other work tree."""
    return [one for one in found if one.host == host.name and one.scope.name not in (MAIN, PLUGIN)]
