"""Claude Code's settings files, and our hooks in them: values in, values out.

The files, all merged (code.claude.com/docs/en/settings): managed policy, the user's, the project's shared and personal
ones. `$CLAUDE_CONFIG_DIR` moves the user's folder. Entries are in exec form (`command` and `args`, no shell): a shell,
a shim or a console stub in between costs more than the hook. What is told of an entry was learned from 2.1.330 and
2.1.150.
"""

import os
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence

from untilgreen.core.findings import BROKEN, NOTE, OK, WARNING, Finding, readable, run
from untilgreen.core.record import Any
from untilgreen.hosts import facts
from untilgreen.hosts.claude_code import EDIT_TOOLS, NAME
from untilgreen.hosts.hook_health import HOOKS, SWITCHES, HookHealth, all_off, cut_off, loaded, plugged, words_of
from untilgreen.hosts.hook_rows import rows
from untilgreen.hosts.host import PLUGIN, Plugin, Registered, Scope, Source
from untilgreen.hosts.reading import table_in
from untilgreen.project import toplevel

_PLUGIN = "untilgreen@"  # and the marketplace's name (`claude plugin install`, Claude Code 2.1.150 and 2.1.330)
_PLUGIN_SCOPE = {"local": " --scope local", "shared": " --scope project", "user": " --scope user"}
_LINE_FILE = os.sep.join(("", "untilgreen", "loops", "heard", "status_line.py"))
_LINE_SECONDS = 5  # between two looks at a loop's clock
_FACTS = facts.of(NAME)
_CAP = _FACTS.cap.variable
_HOLDERS = ("ralph-loop@", "ralph-wiggum@", "oh-my-claudecode@")  # plugins that hold at a stop, too
_USUAL = {"UserPromptSubmit": 30.0, "SessionEnd": 1.5}  # the host's own seconds; 600 on other events
_LONGEST = 3600.0
_LEAST = 10.0  # seconds that the checks of an edit hook may take
_LIST = re.compile(r"[\w ,|-]*")
# what the host shows while the hook runs
_STATUS = {
    "stop-loop": "untilgreen: running the project's checks",
    "--with": "untilgreen: checking the file",
    "post-tool-lint": "untilgreen: linting the file",
    "post-tool-lsp": "untilgreen: checking the file's types",
    "post-tool-ast-grep": "untilgreen: looking for risks in the file",
    "post-tool-bash": "untilgreen: noting the command",
    "session-loop": "untilgreen: looking for a loop",
}


_EVENTS = (
    *("Stop", "PostToolUse", "PostToolUseFailure", "TaskCompleted", "TeammateIdle", "UserPromptSubmit"),
    *("SessionStart", "SessionEnd", "StopFailure"),
)


class _ClaudeSettings(HookHealth):
    HOST = NAME
    SCOPES = ("local", "user", "shared")
    PROJECT = "${CLAUDE_PROJECT_DIR}"
    ROWS = rows("|".join(EDIT_TOOLS), "Bash", *_EVENTS)
    FOLDER = ".claude"
    FILES = {
        "local": "settings.local.json",
        "shared": "settings.json",
        "user": "settings.json",
    }
    MANAGED = (
        "",
        "/Library/Application Support/ClaudeCode/managed-settings.json",
        "/etc/claude-code/managed-settings.json",
    )
    LINKED = True  # 2.1.330
    COMMAND = os.path.join("commands", "untilgreen", "{}.md")
    LINE = "statusLine"

    def entry(self, name: str, command: str, args: list[str], seconds: int) -> dict[str, Any]:
        hook = {"type": "command", "command": command, "args": args, "timeout": seconds}
        return hook | {"statusMessage": _STATUS[next((word for word in args if word in _STATUS), name)]}

    def without(self, settings: Mapping[str, Any], original: Mapping[str, Any]) -> dict[str, Any]:
        """The settings without our entries, and without our status line."""
        left = super().without(settings, original)
        return {key: value for key, value in left.items() if key != self.LINE or self.status_line(settings) != "ours"}

    def plugin(self, files: Sequence[tuple[Scope, Mapping[str, Any]]]) -> Plugin | None:
        """Our plugin, where these settings, the strongest first, enable it; the strongest that names it decides."""
        decided: set[str] = set()
        for scope, settings in files:
            enabled = settings.get("enabledPlugins")
            for key, on in enabled.items() if isinstance(enabled, dict) else ():
                if key.startswith(_PLUGIN) and key not in decided:
                    decided.add(key)
                    if on:
                        return Plugin(scope, key, f"claude plugin disable {key}{_PLUGIN_SCOPE.get(scope.name, '')}")
        return None

    def status_line(self, settings: Mapping[str, Any]) -> str:
        """Whose status line these settings have: "ours", "theirs", "" where there is none."""
        if self.LINE not in settings:
            return ""
        value = settings[self.LINE]
        line = value.get("command") if isinstance(value, dict) and value.get("type") == "command" else None
        try:
            words = shlex.split(line) if isinstance(line, str) else []
        except ValueError:  # an open quote
            words = []
        typed = [os.path.basename(word) for word in words] == ["untilgreen", "statusline"]
        file = len(words) == 3 and words[1] == "-I" and words[2].endswith(_LINE_FILE)
        return "ours" if typed or file else "theirs"

    def with_status_line(self, settings: Mapping[str, Any], line: str) -> dict[str, Any]:
        """The settings with this command line for the status line, which a shell runs, where there is none or an older
        one of ours. It is called every five seconds, too."""
        old = settings.get(self.LINE) or {"type": "command", "refreshInterval": _LINE_SECONDS}
        return (
            {**settings, self.LINE: {**old, "command": line}}
            if self.status_line(settings) != "theirs"
            else {**settings}
        )

    def plugins(self, found: Sequence[Source], _root: str, env: Mapping[str, str]) -> Iterator[Source]:
        plugin = self.plugin([(one.scope, one.settings) for one in found])
        if plugin:
            # where it lies, as the host notes it
            noted = loaded(os.path.join(self.home(env), "plugins", "installed_plugins.json"))
            entries = table_in(noted, "plugins").get(plugin.name, [])
            places = [one.get("installPath") for one in entries if isinstance(one, dict)]
            folder = next((place for place in places if isinstance(place, str) and os.path.isdir(place)), "")
            yield plugged(NAME, folder, "hooks/hooks.json") if folder else Source(NAME, Scope(PLUGIN, plugin.name))

    def words(self, one: Registered, root: str) -> tuple[str, ...]:
        words = words_of(one.entry) if isinstance(one.entry.get("args"), list) else ()
        return tuple(word.replace(self.PROJECT, root) for word in words)

    def variable(self, found: Sequence[Source], name: str) -> tuple[str, Source] | None:
        tables = ((table_in(one.settings, "env"), one) for one in found)
        return next(((str(env[name]), one) for env, one in tables if name in env), None)

    def silences(
        self, found: Sequence[Source], root: str, env: Mapping[str, str], shown: Callable[[str], str]
    ) -> Iterator[Finding]:
        ours = {source.scope.name for source in self.ours(found)}
        if ours != {"managed"}:
            yield from all_off(found, shown)
        managed = [one for one in found if one.scope.name == "managed"]
        if "managed" not in ours and any(one.settings.get("allowManagedHooksOnly") for one in managed):
            what = f'"allowManagedHooksOnly" in {managed[0].scope.path}: the host runs no other hooks'
            cure = "ask whoever keeps the managed settings to add the hooks, or to allow others"
            yield Finding(SWITCHES, BROKEN, what, cure)
        permissions = [table_in(one.settings, "permissions") for one in found]
        if next((one["defaultMode"] for one in permissions if "defaultMode" in one), "") == "plan":
            what = "sessions begin in plan mode (permissions.defaultMode), in which stops are not judged"
            yield Finding(SWITCHES, NOTE, what, "in a session: leave plan mode with Shift+Tab when the work begins")
        noted = os.path.join(env.get(_FACTS.config_dir) or env.get("HOME", ""), ".claude.json")
        if os.path.exists(noted) and not _accepted(noted, root):
            what = (
                "the host's own question, whether this folder is trusted, is not answered: until then no hook runs in"
            )
            cure = f"in a terminal: start claude in {readable(root)} and accept"
            yield Finding(SWITCHES, WARNING, f"{what} a session at a terminal ({shown(noted)})", cure)

    def silenced(
        self, found: Sequence[Source], root: str, env: Mapping[str, str], shown: Callable[[str], str]
    ) -> Iterator[Finding]:
        yield from super().silenced(found, root, env, shown)
        enabled: dict[str, Any] = {}
        for source in found:
            enabled = table_in(source.settings, "enabledPlugins") | enabled
        for name in sorted(enabled):
            if enabled[name] and name.startswith(_HOLDERS):
                what = f"the plugin {name} holds the agent at a stop, too"
                yield Finding(SWITCHES, WARNING, what, run("claude", "plugin", "disable", name))

    def cap(self, found: Sequence[Source], env: Mapping[str, str], rounds: int) -> Finding:
        put = self.variable(found, _CAP)
        text = env.get(_CAP) or (put[0] if put else str(_FACTS.cap.holds))
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

    def faults(self, one: Registered, usual: Registered, deadline: float, lower: str) -> Iterator[Finding]:
        if one.entry.get("type") != "command":
            yield Finding(HOOKS, BROKEN, 'its "type" is not "command"')
        if "if" in one.entry and usual.matcher:
            yield Finding(HOOKS, WARNING, 'it runs only where its "if" fits')
        elif "if" in one.entry:
            yield Finding(HOOKS, BROKEN, '"if" belongs to events of tools: the host never runs it')
        if one.entry.get("async") is True:
            what = '"async" is true: the host does not wait for its answer, so nothing is held and nothing answered'
            yield Finding(HOOKS, BROKEN if one.event in self.NEEDED else WARNING, what)
        yield from _matcher(one, usual)
        yield from self._timeout(one, usual, deadline, lower)

    def _timeout(self, one: Registered, usual: Registered, deadline: float, lower: str) -> Iterator[Finding]:
        given = one.entry.get("timeout", _USUAL.get(one.event, 600.0))
        least = self.deadline(one, deadline) if one.event == "Stop" else 0.0
        if isinstance(given, bool) or not isinstance(given, int | float) or given <= 0:
            yield Finding(HOOKS, WARNING, f"its timeout {given!r} is no number of seconds")
        elif given > _LONGEST:
            yield Finding(HOOKS, WARNING, f"its timeout is {given:g} seconds; were milliseconds meant?")
        elif given <= least:
            yield cut_off(given, least, lower if least >= usual.entry["timeout"] else "")
        elif given <= _LEAST < usual.entry["timeout"] and usual.matcher:
            what = f"its timeout of {given:g} s is not above the {_LEAST:g} s that a check after an edit may take"
            yield Finding(HOOKS, WARNING, what)


def _accepted(path: str, root: str) -> bool:
    """Whether the host's dialog was accepted for the project.

    A folder above counts only for what is no git repository (2.1.330; 2.1.150 took any).
    """
    projects = table_in(loaded(path), "projects")
    accepted = {name for name in projects if table_in(projects, name).get("hasTrustDialogAccepted") is True}
    if os.path.lexists(os.path.join(root, ".git")):
        return not accepted.isdisjoint((root, toplevel.main_tree(root)))
    return any(toplevel.within(name, root) for name in accepted)


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


SETTINGS = _ClaudeSettings()
