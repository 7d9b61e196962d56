"""What would run our hooks a second time: a registration in another scope, or the plugin."""

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence

from untilgreen import hosts
from untilgreen.cli.installing import settings_file
from untilgreen.core.errors import UserError
from untilgreen.hosts.host import Plugin, Scope, SettingsFiles
from untilgreen.project import toplevel


def refuse(files: SettingsFiles, scope: Scope, root: str, env: Mapping[str, str]) -> None:
    """Raise UserError where our hooks are registered with the host beside this scope already."""
    for other in others(files, [scope], root, env):
        if files.registered(other, settings_file.taken(other.path)):
            if other.name in files.SCOPES:
                words = f"--{other.name}"
            else:  # the main work tree's
                words = f"--local --project {shlex.quote(toplevel.main_tree(root))}"
            cure = "" if other.name == "managed" else f"run `untilgreen uninstall {words}` first, or "
            raise UserError(f"the hooks are registered in {other.path} and would run twice", f"{cure}give --force")
    found = plugin(files, root, env)
    if found is not None:
        raise UserError(
            f"the plugin {found.name} is enabled in {found.scope.path} and the hooks would run twice",
            f"run `{found.disable}` first, or give --force",
        )


def served(taken: Sequence[Scope], root: str, env: Mapping[str, str]) -> Scope | None:
    """The scope of a registration beside these, with any host, or of a plugin, that is for this project; None: there is
    none."""
    for files, other in elsewhere(taken, root, env):
        if files.registered(other, settings_file.taken(other.path)):
            return other
    plugins = (plugin(files, root, env) for files in _every_host())
    return next((found.scope for found in plugins if found), None)


def elsewhere(taken: Sequence[Scope], root: str, env: Mapping[str, str]) -> Iterator[tuple[SettingsFiles, Scope]]:
    """The other settings files that any host reads for this project."""
    for files in _every_host():
        for other in others(files, taken, root, env):
            yield files, other


def _every_host() -> Iterator[SettingsFiles]:
    for name in hosts.ADAPTERS:
        files = hosts.get(name).settings()
        if files is not None:
            yield files


def others(files: SettingsFiles, taken: Sequence[Scope], root: str, env: Mapping[str, str]) -> list[Scope]:
    """The other settings files that the host reads for this project; links to one of these are none."""
    here = {os.path.realpath(scope.path) for scope in taken}
    known = [scope for scope in files.scopes(root or os.sep, env) if root or scope.name in ("managed", "user")]
    if root:
        known += files.linked(root)
    return [scope for scope in known if os.path.realpath(scope.path) not in here]


def plugin(files: SettingsFiles, root: str, env: Mapping[str, str]) -> Plugin | None:
    """Our plugin, where it is enabled."""
    known = files.scopes(root or os.sep, env)
    return files.plugin([(scope, settings_file.taken(scope.path)) for scope in known])
