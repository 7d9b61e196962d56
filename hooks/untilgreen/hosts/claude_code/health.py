"""What Claude Code's settings and files make of our hooks: what silences them, and what is wrong with an entry.

Looks, and changes nothing. Learned from 2.1.330 and 2.1.150.
"""

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from untilgreen.core.findings import BROKEN, NOTE, OK, WARNING, Finding, readable, run
from untilgreen.hosts.claude_code import commands
from untilgreen.hosts.claude_code.facts import FACTS
from untilgreen.hosts.claude_code.settings import SETTINGS
from untilgreen.hosts.claude_code.wire import NAME
from untilgreen.hosts.hook_groups import hooks_of
from untilgreen.hosts.host import Registered, Scope, Source
from untilgreen.project import files, toplevel

SWITCHES, HOOKS = "switches", "hooks"
NEEDED = ("Stop", "UserPromptSubmit")
PLUGIN = "plugin"
_CAP = FACTS.cap.variable
_HOLDERS = ("ralph-loop@", "ralph-wiggum@", "oh-my-claudecode@")  # plugins that hold at a stop, too
_USUAL = {"UserPromptSubmit": 30.0, "SessionEnd": 1.5}  # the host's own seconds; 600 on other events
_LONGEST = 3600.0
_LARGEST = 4 * 1024 * 1024  # bytes of a file of the host's
_LEAST = 10.0  # seconds that the checks of an edit hook may take
_LIST = re.compile(r"[\w ,|-]*")


def plugins(found: Sequence[Source], env: Mapping[str, str]) -> Iterator[Source]:
    plugin = SETTINGS.plugin([(one.scope, one.settings) for one in found])
    if plugin:
        # where it lies, as the host notes it
        noted = _loaded(os.path.join(commands.user_folder(env), "plugins", "installed_plugins.json"))
        entries = _table(noted, "plugins").get(plugin.name, [])
        places = [one.get("installPath") for one in entries if isinstance(one, dict)]
        folder = next((place for place in places if isinstance(place, str) and os.path.isdir(place)), "")
        path = os.path.join(folder, "hooks", "hooks.json") if folder else ""
        text = json.dumps(_loaded(path)).replace("${CLAUDE_PLUGIN_ROOT}", json.dumps(folder)[1:-1])
        yield Source(NAME, Scope(PLUGIN, path or plugin.name), json.loads(text))


def _loaded(path: str) -> dict[str, Any]:
    try:
        return _table({"": json.loads(files.read(path, _LARGEST, follow=True))}, "")
    except (OSError, ValueError):
        return {}


def _table(values: Mapping[str, Any], key: str) -> dict[str, Any]:
    """The object under a key, an empty one where there is none."""
    value = values.get(key)
    return value if isinstance(value, dict) else {}


def words(one: Registered, root: str) -> tuple[str, ...]:
    args = one.entry.get("args")
    if not isinstance(args, list):
        return ()
    given = (str(one.entry.get("command", "")), *map(str, args))
    return tuple(word.replace(SETTINGS.PROJECT, root) for word in given)


def line(entry: Mapping[str, Any]) -> str:
    args = entry.get("args")
    first = entry.get("command") or entry.get("url") or entry.get("type")
    return " ".join(map(str, (first, *(args if isinstance(args, list) else ()))))


def status_line(theirs: Mapping[str, Any]) -> str:
    return str(theirs["statusLine"]["command"])


def variable(found: Sequence[Source], name: str) -> tuple[str, Source] | None:
    tables = ((_table(one.settings, "env"), one) for one in found)
    return next(((str(env[name]), one) for env, one in tables if name in env), None)


def silenced(
    found: Sequence[Source], root: str, env: Mapping[str, str], shown: Callable[[str], str]
) -> Iterator[Finding]:
    ours = {source.scope.name for source in found if SETTINGS.registered(source.scope, source.settings)}
    # of two files that have a setting the stronger decides
    decides = next((one for one in found if "disableAllHooks" in one.settings), None)
    if decides and decides.settings["disableAllHooks"] is True and ours != {"managed"}:
        path = shown(decides.scope.path)
        what = f'"disableAllHooks" is true in {path}: the host runs no hook'
        yield Finding(SWITCHES, BROKEN, what, f'edit {path}: take "disableAllHooks" out')
    managed = [one for one in found if one.scope.name == "managed"]
    if "managed" not in ours and any(one.settings.get("allowManagedHooksOnly") for one in managed):
        what = f'"allowManagedHooksOnly" in {managed[0].scope.path}: the host runs no other hooks'
        cure = "ask whoever keeps the managed settings to add the hooks, or to allow others"
        yield Finding(SWITCHES, BROKEN, what, cure)
    permissions = [_table(one.settings, "permissions") for one in found]
    if next((one["defaultMode"] for one in permissions if "defaultMode" in one), "") == "plan":
        what = "sessions begin in plan mode (permissions.defaultMode), in which stops are not judged"
        yield Finding(SWITCHES, NOTE, what, "in a session: leave plan mode with Shift+Tab when the work begins")
    noted = os.path.join(env.get(FACTS.config_dir) or env.get("HOME", ""), ".claude.json")
    if os.path.exists(noted) and not _accepted(noted, root):
        what = "the host's own question, whether this folder is trusted, is not answered: until then no hook runs in a"
        cure = f"in a terminal: start claude in {readable(root)} and accept"
        yield Finding(SWITCHES, WARNING, f"{what} session at a terminal ({shown(noted)})", cure)
    yield from _others(found, shown)


def _accepted(path: str, root: str) -> bool:
    """Whether the host's dialog was accepted for the project.

    A folder above counts only for what is no git repository (2.1.330; 2.1.150 took any).
    """
    projects = _table(_loaded(path), "projects")
    accepted = {name for name in projects if _table(projects, name).get("hasTrustDialogAccepted") is True}
    if os.path.lexists(os.path.join(root, ".git")):
        return not accepted.isdisjoint((root, toplevel.main_tree(root)))
    return any(toplevel.within(name, root) for name in accepted)


def _others(found: Sequence[Source], shown: Callable[[str], str]) -> Iterator[Finding]:
    enabled: dict[str, Any] = {}
    for source in found:
        enabled = _table(source.settings, "enabledPlugins") | enabled
        groups = _table(source.settings, "hooks").get("Stop")
        entries = [one for group in (groups if isinstance(groups, list) else ()) for one in hooks_of(group)]
        for entry in entries:
            if isinstance(entry, dict) and not SETTINGS.hook_of(entry):
                path = shown(source.scope.path)
                what = f"another hook on Stop may hold the agent, too ({path}): {line(entry)}"
                cure = f"edit {path}: take it out of hooks.Stop, if it holds when untilgreen lets go"
                yield Finding(SWITCHES, NOTE, what, cure)
    for name in sorted(enabled):
        if enabled[name] and name.startswith(_HOLDERS):
            what = f"the plugin {name} holds the agent at a stop, too"
            yield Finding(SWITCHES, WARNING, what, run("claude", "plugin", "disable", name))


def cap(found: Sequence[Source], env: Mapping[str, str], rounds: int) -> Finding:
    put = variable(found, _CAP)
    text = env.get(_CAP) or (put[0] if put else str(FACTS.cap.holds))
    higher = f'edit .claude/settings.local.json, if that is too few: "env": {{"{_CAP}": "{rounds - 1}"}}'
    if not text.isdecimal():
        return Finding(SWITCHES, WARNING, f"{_CAP} is {text!r}, which is no number", higher)
    number = int(text)
    if not number:
        return Finding(SWITCHES, OK, f"{_CAP} is 0: the host lets hooks hold as often as they like")
    what = f"after {number} holds in a row without a tool call between them the host lets the agent go"
    if rounds - 1 > number:
        return Finding(SWITCHES, NOTE, f"{what}; a loop has {rounds} rounds", higher)
    return Finding(SWITCHES, OK, what)


def faults(one: Registered, usual: Registered, deadline: float, lower: str) -> Iterator[Finding]:
    """`deadline`: of a stop, `lower`: how to lower it."""
    if one.entry.get("type") != "command":
        yield Finding(HOOKS, BROKEN, 'its "type" is not "command"')
    if "if" in one.entry and usual.matcher:
        yield Finding(HOOKS, WARNING, 'it runs only where its "if" fits')
    elif "if" in one.entry:
        yield Finding(HOOKS, BROKEN, '"if" belongs to events of tools: the host never runs it')
    if one.entry.get("async") is True:
        what = '"async" is true: the host does not wait for its answer, so nothing is held and nothing answered'
        yield Finding(HOOKS, BROKEN if one.event in NEEDED else WARNING, what)
    yield from _matcher(one, usual)
    yield from _timeout(one, usual, deadline, lower)


def _matcher(one: Registered, usual: Registered) -> Iterator[Finding]:
    every = one.matcher in ("", "*")
    if not usual.matcher:
        if not every and one.event.startswith("Session"):
            what = f'its matcher "{one.matcher}" leaves out sessions that begin or end otherwise'
            yield Finding(HOOKS, WARNING, what)
    elif every:
        yield Finding(HOOKS, NOTE, f"it has no matcher: it is started after every tool, not only {usual.matcher}")
    else:
        tools = usual.matcher.split("|")
        deaf = [tool for tool in tools if not _fits(one.matcher, tool)]
        if deaf == tools:
            yield Finding(
                HOOKS, BROKEN, f'its matcher "{one.matcher}" fits none of {usual.matcher}: it is never called'
            )
        elif deaf and deaf != ["MultiEdit"]:  # newer hosts have no such tool
            yield Finding(HOOKS, WARNING, f'its matcher "{one.matcher}" leaves out {", ".join(deaf)}')


def _fits(matcher: str, tool: str) -> bool:
    """As the host does: a plain list of names, else a regular expression for any part of the name."""
    if _LIST.fullmatch(matcher):
        return tool in (name.strip() for name in re.split(r"[|,]", matcher))
    try:
        return re.search(matcher, tool) is not None
    except re.error:
        return False


def _timeout(one: Registered, usual: Registered, deadline: float, lower: str) -> Iterator[Finding]:
    given = one.entry.get("timeout", _USUAL.get(one.event, 600.0))
    named = re.search(r"--deadline[ =](\d+(?:\.\d+)?)", line(one.entry))
    deadline = (float(named[1]) if named else deadline) if one.event == "Stop" else 0.0
    if isinstance(given, bool) or not isinstance(given, int | float) or given <= 0:
        yield Finding(HOOKS, WARNING, f"its timeout {given!r} is no number of seconds")
    elif given > _LONGEST:
        yield Finding(HOOKS, WARNING, f"its timeout is {given:g} seconds; were milliseconds meant?")
    elif given <= deadline:
        what = f"its timeout of {given:g} s is not above the deadline, {deadline:g} s: checks are cut off, unjudged"
        yield Finding(HOOKS, BROKEN, what, lower if deadline >= usual.entry["timeout"] else "")
    elif given <= _LEAST < usual.entry["timeout"] and usual.matcher:
        what = f"its timeout of {given:g} s is not above the {_LEAST:g} s that a check after an edit may take"
        yield Finding(HOOKS, WARNING, what)
