"""What would run our hooks a second time: a registration in another scope, or the plugin."""

import os
import shlex
from collections.abc import Mapping, Sequence

from untilgreen import hosts
from untilgreen.cli.installing import settings_file
from untilgreen.core.errors import UserError
from untilgreen.hosts.host import Plugin, Scope, SettingsFiles
from untilgreen.project import toplevel


def refuse(files: SettingsFiles, scope: Scope, root: str, env: Mapping[str, str]) -> None:
    """Raise UserError where our hooks are registered with the host beside this scope already."""
    for other in _others(files, [scope], root, env):
        if files.registered(other, settings_file.taken(other.path)):
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


def served(taken: Sequence[Scope], root: str, env: Mapping[str, str]) -> Scope | None:
    """Where else this project is registered, with any host, or a plugin serves it; None: nowhere."""
    for files in filter(None, (hosts.get(name).settings() for name in hosts.ADAPTERS)):
        for other in _others(files, taken, root, env):
            if files.registered(other, settings_file.taken(other.path)):
                return other
        if plugin := _plugin(files, root, env):
            return plugin.scope
    return None


def _others(files: SettingsFiles, taken: Sequence[Scope], root: str, env: Mapping[str, str]) -> list[Scope]:
    """The other settings files that the host reads for this project; links to one of these are none."""
    here = {os.path.realpath(scope.path) for scope in taken}
    known = [scope for scope in files.scopes(root or os.sep, env) if root or scope.name in ("managed", "user")]
    if root:
        known += files.linked(root)
    return [scope for scope in known if os.path.realpath(scope.path) not in here]


def _plugin(files: SettingsFiles, root: str, env: Mapping[str, str]) -> Plugin | None:
    """Our plugin, where it is enabled."""
    known = files.scopes(root or os.sep, env)
    return files.plugin([(scope, settings_file.taken(scope.path)) for scope in known])
