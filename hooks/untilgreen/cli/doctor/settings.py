"""The host's settings files of a project, and what counts of them."""

import json
import os
from collections.abc import Sequence
from typing import Any, NamedTuple

from untilgreen.cli.doctor.case import Case
from untilgreen.cli.installing import registration, scopes
from untilgreen.cli.installing.scopes import Registered, Scope
from untilgreen.cli.installing.twice import MAIN
from untilgreen.core.errors import UserError
from untilgreen.hosts.claude_code import commands as aliases
from untilgreen.project import toplevel

PLUGIN = "plugin"


class Source(NamedTuple):
    """One settings file, the strongest first: what it holds, why it cannot be read (`error`), and when it was last
    changed (seconds since the epoch, 0 where there is none). A plugin's registration is a source, too, named
    "plugin"; `folder` is where it is installed."""

    scope: Scope
    settings: dict[str, Any] = {}
    error: str = ""
    changed: float = 0.0
    folder: str = ""


def sources(case: Case) -> tuple[Source, ...]:
    """Every place that the host reads settings of this project from; the plugin's at the end where it is enabled."""
    found = tuple(_read(scope) for scope in scopes.scopes(case.root, case.env))
    plugins = tuple(_plugin(name, case) for name in enabled_plugins(found) if name.startswith("untilgreen@"))
    return (*found, *_main_tree(case), *plugins)


def _main_tree(case: Case) -> tuple[Source, ...]:
    """The hooks of the main tree's personal settings, which Claude Code 2.1.330 runs in a linked one too."""
    main = toplevel.main_tree(case.root)
    if not main:
        return ()
    source = _read(Scope(MAIN, os.path.join(main, ".claude", "settings.local.json")))
    return (source._replace(settings={"hooks": source.settings["hooks"]}),) if "hooks" in source.settings else ()


def _read(scope: Scope) -> Source:
    try:
        settings = scopes.read(scope.path)
    except UserError as error:
        return Source(scope, error=str(error), changed=_changed(scope.path))
    return Source(scope, settings, changed=_changed(scope.path))


def _changed(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0


def _plugin(name: str, case: Case) -> Source:
    """The registration of an installed plugin; the host notes where it lies."""
    folder = _installed(name, os.path.join(aliases.user_folder(case.env), "plugins", "installed_plugins.json"))
    path = os.path.join(folder, "hooks", "hooks.json") if folder else ""
    source = _read(Scope(PLUGIN, path)) if path else Source(Scope(PLUGIN, ""))
    text = json.dumps(source.settings).replace("${CLAUDE_PLUGIN_ROOT}", json.dumps(folder)[1:-1])
    return source._replace(scope=Scope(PLUGIN, path or name), settings=json.loads(text), folder=folder)


def _installed(name: str, path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            noted = json.load(file)
    except (OSError, ValueError):
        return ""
    plugins = noted.get("plugins") if isinstance(noted, dict) else None
    one = plugins.get(name) if isinstance(plugins, dict) else None
    entries = one if isinstance(one, list) else [one]
    paths = [entry.get("installPath") for entry in entries if isinstance(entry, dict)]
    return next((path for path in paths if isinstance(path, str) and os.path.isdir(path)), "")


def misshapen(source: Source) -> str:
    """The path of the key of hooks that is of a kind that neither the host nor `init` understands, "" for none."""
    hooks = source.settings.get("hooks", {})
    if not isinstance(hooks, dict):
        return "hooks"
    lists = (event for event, groups in hooks.items() if event in registration.EVENTS and not isinstance(groups, list))
    return next((f"hooks.{event}" for event in lists), "")


def enabled_plugins(found: Sequence[Source]) -> list[str]:
    """The plugins that the settings switch on; of two files that name one the stronger counts."""
    switches: dict[str, Any] = {}
    for source in reversed(found):
        named = source.settings.get("enabledPlugins")
        switches |= named if isinstance(named, dict) else {}
    return sorted(name for name, on in switches.items() if on)


def value(found: Sequence[Source], key: str) -> tuple[Any, Source] | None:
    """A setting and the file that decides it: the strongest that has it."""
    return next(((one.settings[key], one) for one in found if key in one.settings), None)


def variable(found: Sequence[Source], name: str) -> tuple[str, Source] | None:
    """A variable that settings put into the environment of the host, and the file that does."""
    for source in found:
        env = source.settings.get("env")
        if isinstance(env, dict) and name in env:
            return str(env[name]), source
    return None


def registered(found: Sequence[Source]) -> tuple[Registered, ...]:
    """Every hook entry of ours, in any file."""
    return tuple(one for source in found for one in scopes.registered(source.scope, source.settings))


def foreign(found: Sequence[Source], event: str) -> list[tuple[str, Source]]:
    """The command lines of others on an event."""
    lines = []
    for source in found:
        hooks = source.settings.get("hooks")
        groups = hooks.get(event) if isinstance(hooks, dict) else None
        for group in groups if isinstance(groups, list) else ():
            entries = group.get("hooks") if isinstance(group, dict) else None
            for entry in entries if isinstance(entries, list) else ():
                if isinstance(entry, dict) and not scopes.hook_of(entry):
                    args = entry.get("args")
                    words = (
                        entry.get("command") or entry.get("url") or entry.get("type"),
                        *(args if isinstance(args, list) else ()),
                    )
                    lines.append((" ".join(map(str, words)), source))
    return lines
