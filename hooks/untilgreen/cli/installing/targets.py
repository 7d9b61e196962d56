"""Which hosts, and which settings file of each, `init` and `uninstall` are about; and what would run our hooks a second
time: a registration in another scope, or the plugin.
"""

import os
import shlex
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence

from untilgreen import hosts
from untilgreen.cli.installing import changes
from untilgreen.core.errors import UserError
from untilgreen.core.record import NamedTuple
from untilgreen.hosts.facts import Facts
from untilgreen.hosts.hook_health import HookHealth
from untilgreen.hosts.host import Plugin, Scope
from untilgreen.project import tools, toplevel


class Target(NamedTuple):
    """A settings file of a host."""

    host: str
    settings: HookHealth
    scope: Scope

    @property
    def facts(self) -> Facts:
        """What is known of the host."""
        return hosts.get(self.host).facts


def known() -> dict[str, HookHealth]:
    """The hosts whose settings we write."""
    return {name: files for name in hosts.ADAPTERS if (files := hosts.get(name).settings())}


def settings(host: str) -> HookHealth:
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
    return bool(one.settings.registered(one.scope, changes.taken(one.settings, one.scope.path)))


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


def refuse(files: HookHealth, scope: Scope, root: str, env: Mapping[str, str]) -> None:
    """Raise UserError where our hooks are registered with the host beside this scope already."""
    for other in _others(files, [scope.path], root, env):
        if files.registered(other, changes.taken(files, other.path)):
            main = f"--local --project {shlex.quote(toplevel.main_tree(root))}"  # of a linked work tree
            words = f"--{other.name}" if other.name in files.SCOPES else main
            cure = "" if other.name == "managed" else f"run `untilgreen uninstall {words}` first, or "
            raise UserError(f"the hooks are registered in {other.path} and would run twice", f"{cure}give --force")
    found = _plugin(files, root, env)
    if found is not None:
        raise UserError(
            f"the plugin {found.name} is enabled in {found.scope.path} and the hooks would run twice",
            f"run `{found.disable}` first, or give --force",
        )


def serving(taken: Sequence[str], root: str, env: Mapping[str, str]) -> dict[str, Scope]:
    """Where this project is registered beside these settings files, or a plugin serves it, for each host that is."""
    found: dict[str, Scope] = {}
    for name, files in known().items():
        for other in _others(files, taken, root, env):
            if files.registered(other, changes.taken(files, other.path)):
                found.setdefault(name, other)
        if plugin := _plugin(files, root, env):
            found.setdefault(name, plugin.scope)
    return found


def _others(files: HookHealth, taken: Sequence[str], root: str, env: Mapping[str, str]) -> list[Scope]:
    """The other settings files that the host reads for this project; links to one of these are none."""
    here = {os.path.realpath(path) for path in taken}
    known = [scope for scope in files.scopes(root or os.sep, env) if root or scope.name in ("managed", "user")]
    if root:
        known += files.linked(root)
    return [scope for scope in known if os.path.realpath(scope.path) not in here]


def _plugin(files: HookHealth, root: str, env: Mapping[str, str]) -> Plugin | None:
    """Our plugin, where it is enabled."""
    known = files.scopes(root or os.sep, env)
    return files.plugin([(scope, changes.taken(files, scope.path)) for scope in known])
