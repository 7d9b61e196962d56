"""Codex CLI's files of hooks, and our entries in them: values in, values out. Measured on 0.169.0.

`.codex/hooks.json` of the project, which it reads where the project is trusted, and that of `$CODEX_HOME`; both count.
A command is a line for the user's login shell. Each entry runs only once its user trusted it.

It asks at its start (`Hooks need review`) or in `/hooks`, and notes in `config.toml` of `$CODEX_HOME`
`[hooks.state."FILE:EVENT:GROUP:ENTRY"]`, numbers from 0, with a `trusted_hash`, and `enabled = false` for what was
switched off. The hash is one of what the entry says: an entry that changes, or moves, is asked about again.
"""

import hashlib
import json
import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress

from untilgreen.core.findings import BROKEN, Finding, readable, run
from untilgreen.core.record import Any
from untilgreen.hosts.codex import NAME, PATCH
from untilgreen.hosts.hook_health import LARGEST, SWITCHES, HookHealth, loaded
from untilgreen.hosts.hook_rows import HookRow, rows
from untilgreen.hosts.host import MAIN, PLUGIN, Scope, Source, hooks_of
from untilgreen.hosts.reading import table_in
from untilgreen.project import files, toplevel

FOLDER = ".codex"
_HIDDEN = "policy:\n  allow_implicit_invocation: false\n"  # the agent does not see it: only its user may call it
_CALLED = "untilgreen-{}"
_SHORT = ("SessionEnd", "Interrupt")  # events whose hooks have 1 second, at most 3; those of others have ten minutes
_UNMATCHED = ("Stop", "UserPromptSubmit", "Interrupt")  # events whose matcher is ignored


def hashes(path: str, settings: dict[str, Any]) -> dict[str, str]:
    """Key to hash of each entry of the file at `path`, as the host notes them once they are trusted."""
    return {key: hashed(event, group, entry) for key, event, group, entry in keyed(path, settings)}


def keyed(path: str, settings: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any], dict[str, Any]]]:
    """Key, event, group and entry of each command in the file at `path`."""
    for event, groups in table_in(settings, "hooks").items():
        for number, group in enumerate(groups if isinstance(groups, list) else ()):
            for at, entry in enumerate(hooks_of(group)):
                if isinstance(entry, dict) and entry.get("type") == "command":
                    yield f"{path}:{_label(event)}:{number}:{at}", event, group, entry


def hashed(event: str, group: Mapping[str, Any], entry: Mapping[str, Any]) -> str:
    """Of the entry by itself in its group, with what it does not say filled in (measured: 0.169.0)."""
    given, short = entry.get("timeout"), event in _SHORT
    seconds = given if type(given) is int else 1 if short else 600
    limit = max(1, min(seconds, 3) if short else seconds)
    command = {"type": "command", "command": entry.get("command"), "timeout": limit, "async": False}
    command |= {key: entry[key] for key in ("async", "statusMessage", "additionalContextLimit") if key in entry}
    matcher = {"matcher": group["matcher"]} if event not in _UNMATCHED and "matcher" in group else {}
    said = {"event_name": _label(event), **matcher, "hooks": [command]}
    text = json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def _label(event: str) -> str:
    """As the host's notes name an event: `PostToolUse` is `post_tool_use`."""
    return re.sub("(?<=[a-z])(?=[A-Z])", "_", event).lower()


_TRUST = "start codex here and answer `Hooks need review` with `Trust all and continue`"
_SWITCH_ON = "in codex: type /hooks and switch them on"


class _CodexSettings(HookHealth):
    HOST = NAME
    ROWS = (
        *rows(PATCH, "Bash", "Stop", "PostToolUse", "UserPromptSubmit", "SessionStart"),
        HookRow("SessionEnd", "", ("session-loop",), 3),  # it gives no more
        HookRow("Interrupt", "", ("session-loop",), 3),
    )
    USUAL = 600
    FOLDER = FOLDER
    FILES = dict.fromkeys(HookHealth.SCOPES, "hooks.json")
    LINKED = MAIN_ALONE = True  # 0.169.0, where the tree has the folder, too
    # skills: it has no other commands of one's own
    PLUGIN = "plugins/cache/*/untilgreen/*", "plugins/codex/hooks.json", "codex plugin remove untilgreen@untilgreen"
    COMMAND = os.path.join("skills", _CALLED, "SKILL.md")

    def linked(self, root: str) -> tuple[Scope, ...]:
        return super().linked(root) if os.path.isdir(os.path.join(root, FOLDER)) else ()

    def texts(
        self, scope: str, root: str, env: Mapping[str, str], commands: Mapping[str, str], skill: Mapping[str, str]
    ) -> dict[str, bytes]:
        skills = os.path.join(self.folder(scope, root, env), "skills")
        hidden = {os.path.join(skills, _CALLED.format(name), "agents", "openai.yaml"): _HIDDEN for name in commands}
        theirs = {path: text.encode() for path, text in hidden.items()}
        return super().texts(scope, root, env, commands, skill) | theirs

    def command(self, name: str, text: str) -> str:
        return text.replace("---\n", f"---\nname: {_CALLED.format(name)}\n", 1)

    def plugins(self, found: Sequence[Source], root: str, env: Mapping[str, str]) -> Iterator[Source]:
        """Those that are not switched off."""
        noted = table_in(self._config(env), "plugins")
        for one in super().plugins(found, root, env):
            if table_in(noted, _plugin(one)).get("enabled") is True:
                yield one

    def _config(self, env: Mapping[str, str]) -> dict[str, Any]:
        with suppress(OSError, ValueError):  # it has none, or cannot read it itself
            return tomllib.loads(files.read(os.path.join(self.home(env), "config.toml"), LARGEST, follow=True).decode())
        return {}

    def silences(
        self, found: Sequence[Source], root: str, env: Mapping[str, str], shown: Callable[[str], str]
    ) -> Iterator[Finding]:
        """The switch for all hooks, the project's trust, and that of each entry."""
        path, config = os.path.join(self.home(env), "config.toml"), self._config(env)
        if table_in(config, "features").get("hooks") is False:
            what = f"hooks = false in [features] of {shown(path)}: the host runs no hook"
            yield Finding(SWITCHES, BROKEN, what, f"edit {shown(path)}: take it out")
        ours = self.ours(found)
        yield from _linked(ours, root)
        # its user's word on the folder, or on the main one of a linked work tree
        names = (root, os.path.realpath(root), toplevel.main_tree(root))
        projects = [table_in(table_in(config, "projects"), name) for name in names]
        trusted = any(one.get("trust_level") == "trusted" for one in projects)
        if any(one.scope.name not in ("user", PLUGIN) for one in ours) and not trusted:
            what = f"Codex does not trust {readable(root)} yet, and reads no hooks of the project"
            yield Finding(SWITCHES, BROKEN, what, f"start codex in {readable(root)} and trust the folder")
        for one in ours:
            yield from _untrusted(one, config, shown)


def _linked(ours: Sequence[Source], root: str) -> Iterator[Finding]:
    """In a linked work tree it runs the hooks of the main one, and none of its own."""
    names, main = {one.scope.name for one in ours}, toplevel.main_tree(root)
    if main and "local" in names and MAIN not in names:
        what = f"in a linked work tree Codex runs the hooks of {readable(main)} only"
        yield Finding(SWITCHES, BROKEN, what, run("untilgreen", "init", "--host", NAME, "--project", main))


def _untrusted(source: Source, config: dict[str, Any], shown: Callable[[str], str]) -> Iterator[Finding]:
    """Entries of ours that it will not run: nobody trusted them yet, or not as they are now, or they are switched
    off."""
    state, path = table_in(table_in(config, "hooks"), "state"), shown(source.scope.path)
    why: dict[str, list[str]] = {"trusted yet": [], "trusted as it is now": [], "switched on": []}
    ours, file, settings = 0, os.path.realpath(source.scope.path), source.settings
    if source.scope.name == PLUGIN:  # as it stands there
        file, settings = f"{_plugin(source)}:{SETTINGS.PLUGIN[1]}", loaded(source.scope.path)
    for key, event, group, entry in keyed(file, settings):
        noted, name = table_in(state, key), SETTINGS.hook_of(entry)
        ours += bool(name)
        if name and noted.get("enabled") is False:
            why["switched on"].append(f"{name} on {event}")
        elif name and noted.get("trusted_hash") != hashed(event, group, entry):
            why["trusted as it is now" if "trusted_hash" in noted else "trusted yet"].append(f"{name} on {event}")
    for lacks, names in why.items():
        which = "none of the hooks" if len(names) == ours else f"not each hook ({', '.join(names)})"
        if names:
            what = f"Codex runs no hook that its user does not trust, and {which} in {path} is {lacks}"
            yield Finding(SWITCHES, BROKEN, what, _SWITCH_ON if lacks == "switched on" else _TRUST)


def _plugin(source: Source) -> str:
    """Its name and that of its marketplace, by its file in the host's cache."""
    return "@".join(source.scope.path.split(os.sep)[-5:-7:-1])


SETTINGS = _CodexSettings()
