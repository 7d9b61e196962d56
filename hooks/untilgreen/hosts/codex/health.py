"""What Codex CLI's files make of our hooks: what silences them, and what is wrong with an entry. Looks, and changes
nothing. Measured on 0.169.0."""

import os
import shlex
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from untilgreen.core.findings import BROKEN, NOTE, OK, WARNING, Finding, readable, run
from untilgreen.hosts.codex import trusted
from untilgreen.hosts.codex.facts import FACTS
from untilgreen.hosts.codex.settings import FOLDER, MAIN, SETTINGS
from untilgreen.hosts.codex.wire import NAME
from untilgreen.hosts.hook_groups import folder_of, hooks_of, words_of
from untilgreen.hosts.host import Registered, Source
from untilgreen.hosts.reading import table_in
from untilgreen.project import files, toplevel

SWITCHES, HOOKS = "switches", "hooks"
NEEDED = ("Stop", "UserPromptSubmit")
_LARGEST = 4 * 1024 * 1024  # bytes of a file of the host's
_TRUST = "start codex here and answer `Hooks need review` with `Trust all and continue`"
_SWITCH_ON = "in codex: type /hooks and switch them on"


def plugins(_found: Sequence[Source], _env: Mapping[str, str]) -> Iterator[Source]:
    yield from ()


def words(one: Registered, _root: str) -> tuple[str, ...]:
    return words_of(one.entry)


def line(entry: Mapping[str, Any]) -> str:
    return str(entry.get("command") or entry.get("type"))


def status_line(_theirs: Mapping[str, Any]) -> str:
    return ""


def variable(_found: Sequence[Source], _name: str) -> None:
    return None


def cap(_found: Sequence[Source], _env: Mapping[str, str], _rounds: int) -> Finding:
    return Finding(SWITCHES, OK, "the host lets hooks hold as often as they like")


def faults(one: Registered, usual: Registered, deadline: float, lower: str) -> Iterator[Finding]:
    """`deadline`: of a stop, `lower`: how to lower it."""
    if one.entry.get("type") != "command":
        yield Finding(HOOKS, BROKEN, 'its "type" is not "command"')
    if one.entry.get("async") is True:
        yield Finding(HOOKS, BROKEN, '"async" is true: the host does not wait for its answer')
    if usual.matcher != one.matcher:
        yield Finding(HOOKS, WARNING, f'its matcher is "{one.matcher}", not "{usual.matcher}"')
    given, named = SETTINGS.seconds_of(one.entry), shlex.split(line(one.entry))
    own = named[named.index("--deadline") + 1 :][:1] if "--deadline" in named else []
    least = float(own[0]) if own else deadline
    if one.event == "Stop" and given <= least:
        what = f"its timeout of {given:g} s is not above the deadline, {least:g} s: checks are cut off, unjudged"
        yield Finding(HOOKS, BROKEN, what, lower if least >= usual.entry["timeout"] else "")


def silenced(
    found: Sequence[Source], root: str, env: Mapping[str, str], shown: Callable[[str], str]
) -> Iterator[Finding]:
    """The switch for all hooks, the project's trust, that of each entry; and hooks of others on a stop."""
    path = os.path.join(folder_of(env, FACTS.config_dir, FOLDER), "config.toml")
    config = _loaded(path)
    if table_in(config, "features").get("hooks") is False:
        what = f"hooks = false in [features] of {shown(path)}: the host runs no hook"
        yield Finding(SWITCHES, BROKEN, what, f"edit {shown(path)}: take it out")
    ours = [one for one in found if SETTINGS.registered(one.scope, one.settings)]
    yield from _linked(ours, root)
    if any(one.scope.name != "user" for one in ours) and not _is_trusted(config, root):
        what = f"Codex does not trust {readable(root)} yet, and reads no hooks of the project"
        yield Finding(SWITCHES, BROKEN, what, f"start codex in {readable(root)} and trust the folder")
    for one in ours:
        yield from _untrusted(one, config, shown)
    for one in found:
        yield from _others(one, shown)


def _loaded(path: str) -> dict[str, Any]:
    """Its settings; none where it has none, or cannot read them itself."""
    try:
        return tomllib.loads(files.read(path, _LARGEST, follow=True).decode())
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


def _others(source: Source, shown: Callable[[str], str]) -> Iterator[Finding]:
    groups = table_in(source.settings, "hooks").get("Stop")
    for entry in (one for group in (groups if isinstance(groups, list) else ()) for one in hooks_of(group)):
        if isinstance(entry, dict) and not SETTINGS.hook_of(entry):
            path = shown(source.scope.path)
            what = f"another hook on Stop may hold the agent, too ({path}): {line(entry)}"
            cure = f"edit {path}: take it out of hooks.Stop, if it holds when untilgreen lets go"
            yield Finding(SWITCHES, NOTE, what, cure)
