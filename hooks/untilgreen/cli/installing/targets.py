"""Which hosts, and which settings file of each, `init` and `uninstall` are about."""

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence

from untilgreen import hosts
from untilgreen.cli.installing import settings_file
from untilgreen.core.errors import UserError
from untilgreen.core.record import NamedTuple
from untilgreen.hosts.facts import Facts
from untilgreen.hosts.host import Scope, SettingsFiles
from untilgreen.project import tools


class Target(NamedTuple):
    """A settings file of a host."""

    host: str
    settings: SettingsFiles
    scope: Scope

    @property
    def facts(self) -> Facts:
        """What is known of the host."""
        return hosts.get(self.host).facts


def known() -> dict[str, SettingsFiles]:
    """The hosts whose settings we write."""
    return {name: files for name in hosts.ADAPTERS if (files := hosts.get(name).settings())}


def settings(host: str) -> SettingsFiles:
    """The settings of a host that was asked for. Raises UserError where we do not write any."""
    found = known()
    if host not in found:
        raise UserError(f"--host {host}: untilgreen does not register with it", f"give one of {', '.join(found)}")
    return found[host]


def of(host: str, scope: str, root: str, env: Mapping[str, str]) -> Target:
    """The settings file of a scope, "" for the host's usual one. Raises UserError where the host has none."""
    files = settings(host)
    name = scope or files.SCOPES[0]
    for found in files.scopes(root or os.sep, env):
        if found.name == name and name in files.SCOPES:
            return Target(host, files, found)
    title, cure = hosts.get(host).facts.title, f"give --{files.SCOPES[0]}, or other hosts with --host"
    raise UserError(f"{title} has no settings for --{name}", cure)


def everywhere(names: Iterable[str], root: str, env: Mapping[str, str]) -> Iterator[Target]:
    """The settings files of these hosts that init may write, of each the strongest first."""
    for name in names:
        own = settings(name)
        found = (scope for scope in own.scopes(root or os.sep, env) if scope.name in own.SCOPES)
        yield from (Target(name, own, scope) for scope in found)


def registered(one: Target) -> bool:
    """Whether our hooks stand in these settings."""
    return bool(one.settings.registered(one.scope, settings_file.taken(one.settings, one.scope.path)))


def there(root: str, env: Mapping[str, str]) -> Sequence[str]:
    """The hosts of this user: those whose program is found, and that were run with untilgreen.

    A folder in the home tells of an editor's or a desktop's copy, but also of one that is gone: it counts for the usual
    host, and for others where no program is found. A host's folder in a project may be somebody else's.
    """
    facts = {name: one for name in known() if (one := hosts.get(name).facts).program and not one.never_run}
    programs = {name for name, one in facts.items() if program(one, root, env)}
    homes = {name for name, one in facts.items() if os.path.isdir(home(one, env))}
    found = programs | (homes & {hosts.DEFAULT} if programs else homes)
    return [name for name in facts if name in found] or [hosts.DEFAULT]


def program(facts: Facts, root: str, env: Mapping[str, str]) -> str:
    """Where the host's program lies: on the PATH, else in one of its usual places; "" where it is in none."""
    usual = os.pathsep.join(facts.places).replace("~", env.get("HOME", ""))
    found = tools.on_path(facts.program, root, env, trusted=False)
    return found or (usual and shutil.which(facts.program, path=usual)) or ""


def home(facts: Facts, env: Mapping[str, str]) -> str:
    """The host's own folder of this user, "" where it has none; it need not be there."""
    return env.get(facts.config_dir, "") or facts.home.replace("~", env.get("HOME", ""), 1)
