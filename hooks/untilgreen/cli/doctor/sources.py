"""The host's settings of a project: every file that it reads, and what counts of them."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from untilgreen.cli.installing import settings_file
from untilgreen.core.errors import UserError
from untilgreen.hosts.claude_code import commands as aliases
from untilgreen.hosts.claude_code import settings as host_settings
from untilgreen.hosts.claude_code.settings import MAIN
from untilgreen.hosts.host import Registered, Scope
from untilgreen.project import toplevel

PLUGIN = "plugin"


class Source(NamedTuple):
    """One settings file. The registration of an enabled plugin is a source, too, named "plugin"."""

    scope: Scope
    settings: dict[str, Any] = {}
    #: why it cannot be read, or ""
    error: str = ""


def sources(root: str, env: Mapping[str, str]) -> tuple[Source, ...]:
    """Every place that the host reads settings of this project from, the strongest first; the plugin's at the end."""
    found = tuple(map(_read, host_settings.scopes(root, env)))
    plugins = (_plugin(name, env) for name in enabled_plugins(found) if name.startswith("untilgreen@"))
    return (*found, *_main_tree(root), *plugins)


def _main_tree(root: str) -> Iterator[Source]:
    """The hooks of the main tree's personal settings, which Claude Code 2.1.330 runs in a linked one too."""
    if main := toplevel.main_tree(root):
        source = _read(Scope(MAIN, os.path.join(main, ".claude", "settings.local.json")))
        if "hooks" in source.settings:
            yield source._replace(settings={"hooks": source.settings["hooks"]})


def _read(scope: Scope) -> Source:
    try:
        return Source(scope, settings_file.read(scope.path))
    except UserError as error:
        return Source(scope, error=str(error))


def _plugin(name: str, env: Mapping[str, str]) -> Source:
    """The registration of an installed plugin; the host notes where it lies."""
    folder = _installed(name, os.path.join(aliases.user_folder(env), "plugins", "installed_plugins.json"))
    if not folder:
        return Source(Scope(PLUGIN, name))
    source = _read(Scope(PLUGIN, os.path.join(folder, "hooks", "hooks.json")))
    text = json.dumps(source.settings).replace("${CLAUDE_PLUGIN_ROOT}", json.dumps(folder)[1:-1])
    return source._replace(settings=json.loads(text))


def _installed(name: str, path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            one = json.load(file)["plugins"][name]
        return next((entry["installPath"] for entry in one if os.path.isdir(entry["installPath"])), "")
    except (OSError, ValueError, LookupError, TypeError):
        return ""


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
    return tuple(one for source in found for one in host_settings.registered(source.scope, source.settings))


def foreign(found: Sequence[Source], event: str) -> Iterator[tuple[str, Source]]:
    """The command lines of others on an event."""
    for source in found:
        hooks = source.settings.get("hooks")
        groups = hooks.get(event) if isinstance(hooks, dict) else None
        for group in groups if isinstance(groups, list) else ():
            entries = group.get("hooks") if isinstance(group, dict) else None
            for entry in entries if isinstance(entries, list) else ():
                if isinstance(entry, dict) and not host_settings.hook_of(entry):
                    args = entry.get("args")
                    first = entry.get("command") or entry.get("url") or entry.get("type")
                    yield " ".join(map(str, (first, *(args if isinstance(args, list) else ())))), source


def misshapen(source: Source) -> str:
    """The path of the key of hooks that is of a kind that neither the host nor `init` understands, "" for none."""
    hooks = source.settings.get("hooks", {})
    if not isinstance(hooks, dict):
        return "hooks"
    lists = (event for event, groups in hooks.items() if event in host_settings.EVENTS and not isinstance(groups, list))
    return next((f"hooks.{event}" for event in lists), "")
