"""What would run our hooks a second time: a registration in another scope, or the plugin."""

import os
import shlex
from collections.abc import Mapping, Sequence

from untilgreen.cli.installing import scopes
from untilgreen.cli.installing.scopes import Scope
from untilgreen.core.errors import UserError
from untilgreen.project.toplevel import main_tree

PLUGIN = "untilgreen@"  # and the marketplace's name (`claude plugin install`, Claude Code 2.1.150 and 2.1.330)
MAIN = "main"  # in a linked work tree the personal settings of the main one, which Claude Code 2.1.330 reads there too
_PLUGIN_SCOPE = {"local": "local", "shared": "project", "user": "user"}


def refuse(scope: Scope, root: str, env: Mapping[str, str]) -> None:
    """Raise UserError where our hooks are registered beside this scope already."""
    for other in others([scope], root, env):
        if scopes.registered(other, scopes.taken(other)):
            words = f"--local --project {shlex.quote(main_tree(root))}" if other.name == MAIN else f"--{other.name}"
            cure = "" if other.name == "managed" else f"run `untilgreen uninstall {words}` first, or "
            raise UserError(f"the hooks are registered in {other.path} and would run twice; {cure}give --force")
    found = plugin(root, env)
    if found is not None:
        where, key = found
        kind = f" --scope {_PLUGIN_SCOPE[where.name]}" if where.name in _PLUGIN_SCOPE else ""
        raise UserError(
            f"the plugin {key} is enabled in {where.path} and the hooks would run twice; "
            f"run `claude plugin disable {key}{kind}` first, or give --force"
        )


def served(taken: Sequence[Scope], root: str, env: Mapping[str, str]) -> Scope | None:
    """The scope of a registration beside these, or of the plugin, that is for this project; None: there is none."""
    by_plugin = plugin(root, env)
    found = (other for other in others(taken, root, env) if scopes.registered(other, scopes.taken(other)))
    return next(found, by_plugin[0] if by_plugin else None)


def others(taken: Sequence[Scope], root: str, env: Mapping[str, str]) -> list[Scope]:
    """The other settings files that the host reads for this project; links to one of these are none."""
    here = {os.path.realpath(scope.path) for scope in taken}
    found = scopes.scopes(root or os.sep, env)
    known = [scope for scope in found if root or scope.name in ("managed", "user")]
    main = main_tree(root) if root else ""
    if main:
        known.append(Scope(MAIN, os.path.join(main, ".claude", "settings.local.json")))
    return [scope for scope in known if os.path.realpath(scope.path) not in here]


def plugin(root: str, env: Mapping[str, str]) -> tuple[Scope, str] | None:
    """Where our plugin is enabled, and its key; the strongest file that names it decides."""
    decided: set[str] = set()
    for scope in scopes.scopes(root or os.sep, env):
        enabled = scopes.taken(scope).get("enabledPlugins")
        for key, on in enabled.items() if isinstance(enabled, dict) else ():
            if key.startswith(PLUGIN) and key not in decided:
                decided.add(key)
                if on:
                    return scope, key
    return None
