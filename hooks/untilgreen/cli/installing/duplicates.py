"""What would run our hooks a second time: a registration in another scope, or the plugin."""

import os
import shlex
from collections.abc import Mapping, Sequence

from untilgreen.cli.installing import settings_file, targets
from untilgreen.core.errors import UserError
from untilgreen.hosts.host import Plugin, Scope, SettingsFiles
from untilgreen.project import toplevel


def refuse(files: SettingsFiles, scope: Scope, root: str, env: Mapping[str, str]) -> None:
    """Raise UserError where our hooks are registered with the host beside this scope already."""
    for other in _others(files, [scope.path], root, env):
        if files.registered(other, settings_file.taken(files, other.path)):
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
    for name, files in targets.known().items():
        for other in _others(files, taken, root, env):
            if files.registered(other, settings_file.taken(files, other.path)):
                found.setdefault(name, other)
        if plugin := _plugin(files, root, env):
            found.setdefault(name, plugin.scope)
    return found


def _others(files: SettingsFiles, taken: Sequence[str], root: str, env: Mapping[str, str]) -> list[Scope]:
    """The other settings files that the host reads for this project; links to one of these are none."""
    here = {os.path.realpath(path) for path in taken}
    known = [scope for scope in files.scopes(root or os.sep, env) if root or scope.name in ("managed", "user")]
    if root:
        known += files.linked(root)
    return [scope for scope in known if os.path.realpath(scope.path) not in here]


def _plugin(files: SettingsFiles, root: str, env: Mapping[str, str]) -> Plugin | None:
    """Our plugin, where it is enabled."""
    known = files.scopes(root or os.sep, env)
    return files.plugin([(scope, settings_file.taken(files, scope.path)) for scope in known])
