"""What Codex CLI's files make of our hooks: what silences them. Measured on 0.169.0."""

import os
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from untilgreen.core.findings import BROKEN, Finding, readable, run
from untilgreen.hosts.codex import trusted
from untilgreen.hosts.codex.facts import FACTS
from untilgreen.hosts.codex.settings import FOLDER, MAIN, SETTINGS
from untilgreen.hosts.codex.wire import NAME
from untilgreen.hosts.hook_groups import folder_of
from untilgreen.hosts.hook_health import LARGEST, SWITCHES, HookHealth
from untilgreen.hosts.host import Source
from untilgreen.hosts.reading import table_in
from untilgreen.project import files, toplevel

_TRUST = "start codex here and answer `Hooks need review` with `Trust all and continue`"
_SWITCH_ON = "in codex: type /hooks and switch them on"


class _CodexHealth(HookHealth):
    SETTINGS = SETTINGS
    USUAL = 600

    def silences(
        self, found: Sequence[Source], root: str, env: Mapping[str, str], shown: Callable[[str], str]
    ) -> Iterator[Finding]:
        """The switch for all hooks, the project's trust, and that of each entry."""
        path = os.path.join(folder_of(env, FACTS.config_dir, FOLDER), "config.toml")
        config = _loaded(path)
        if table_in(config, "features").get("hooks") is False:
            what = f"hooks = false in [features] of {shown(path)}: the host runs no hook"
            yield Finding(SWITCHES, BROKEN, what, f"edit {shown(path)}: take it out")
        ours = self.ours(found)
        yield from _linked(ours, root)
        if any(one.scope.name != "user" for one in ours) and not _is_trusted(config, root):
            what = f"Codex does not trust {readable(root)} yet, and reads no hooks of the project"
            yield Finding(SWITCHES, BROKEN, what, f"start codex in {readable(root)} and trust the folder")
        for one in ours:
            yield from _untrusted(one, config, shown)


def _loaded(path: str) -> dict[str, Any]:
    """Its settings; none where it has none, or cannot read them itself."""
    try:
        return tomllib.loads(files.read(path, LARGEST, follow=True).decode())
    except (OSError, ValueError):
        return {}


def _linked(ours: Sequence[Source], root: str) -> Iterator[Finding]:
    """In a linked work tree it runs the hooks of the main one, where this one has its folder, too, and none of its
    own."""
    main = toplevel.main_tree(root)
    if not main:
        return
    names = {one.scope.name for one in ours}
    if "local" in names and MAIN not in names:
        what = f"in a linked work tree Codex runs the hooks of {readable(main)} only"
        yield Finding(SWITCHES, BROKEN, what, run("untilgreen", "init", "--host", NAME, "--project", main))
    elif MAIN in names and not os.path.isdir(os.path.join(root, FOLDER)):
        what = f"Codex runs the hooks of {readable(main)} here only where there is a folder {FOLDER}"
        yield Finding(SWITCHES, BROKEN, what, run("mkdir", os.path.join(root, FOLDER)))


def _is_trusted(config: dict[str, Any], root: str) -> bool:
    """Its user's word on the folder, or on the main one of a linked work tree."""
    projects = table_in(config, "projects")
    names = dict.fromkeys((root, os.path.realpath(root), toplevel.main_tree(root)))
    return any(table_in(projects, name).get("trust_level") == "trusted" for name in names)


def _untrusted(source: Source, config: dict[str, Any], shown: Callable[[str], str]) -> Iterator[Finding]:
    """Entries of ours that it will not run: nobody trusted them yet, or not as they are now, or they are switched
    off."""
    state, path = table_in(table_in(config, "hooks"), "state"), shown(source.scope.path)
    why: dict[str, list[str]] = {"trusted yet": [], "trusted as it is now": [], "switched on": []}
    ours = 0
    for key, event, group, entry in trusted.keyed(os.path.realpath(source.scope.path), source.settings):
        noted, name = table_in(state, key), SETTINGS.hook_of(entry)
        ours += bool(name)
        if name and noted.get("enabled") is False:
            why["switched on"].append(f"{name} on {event}")
        elif name and noted.get("trusted_hash") != trusted.hashed(event, group, entry):
            why["trusted as it is now" if "trusted_hash" in noted else "trusted yet"].append(f"{name} on {event}")
    for lacks, names in why.items():
        which = "none of the hooks" if len(names) == ours else f"not each hook ({', '.join(names)})"
        if names:
            what = f"Codex runs no hook that its user does not trust, and {which} in {path} is {lacks}"
            yield Finding(SWITCHES, BROKEN, what, _SWITCH_ON if lacks == "switched on" else _TRUST)


HEALTH = _CodexHealth()
