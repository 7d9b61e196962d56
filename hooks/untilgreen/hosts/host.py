"""Where a host is told which hooks to call, and how such an entry looks. Values in, values out: no I/O.

The form is the one that Claude Code began and others took over: `{"hooks": {EVENT: [GROUP, ...]}}`, where a group is
`{"matcher"?, "hooks": [ENTRY, ...]}`.
"""

import json
import os
import re
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence

from untilgreen.core.record import Any, NamedTuple
from untilgreen.hosts import facts
from untilgreen.hosts.hook_rows import HookRow
from untilgreen.project import toplevel

EXECUTABLES = ("stop-loop", "post-tool-lint", "post-tool-lsp", "post-tool-ast-grep", "post-tool-bash", "session-loop")
LEAST_SECONDS = 30  # of a stop
LET_GO = " || true"  # ends a line for a shell on a host that holds by whatever else it ends with
MAIN, PLUGIN = "main", "plugin"  # scopes: the main work tree's settings in a linked one; what a plugin registers
_OURS = re.compile(
    r"(?:^|[/\\ ])((?:stop|session)[-_]loop|post[-_]tool[-_](?:lint|lsp|ast[-_]grep|bash))(?:\.py)?(?:$|[\"' ])"
)
_WITH = re.compile(r" --with[ =]([\w,-]+)")

# what is called for an executable: its command and its args
Call = Callable[[str], tuple[str, list[str]]]
# what stands in a settings file for one of the host's events
Entries = dict[str, Any]


class Scope(NamedTuple):
    """One settings file of a host. `name`: "managed", "local", "user", "shared", or a word of the host's own."""

    name: str
    path: str


class Registered(NamedTuple):
    """One hook that an entry of ours is: `event` of the host, `matcher` of its group, `hook` its name ("stop-loop"),
    `entry` as it stands in the settings. One entry may be several hooks."""

    scope: Scope
    event: str
    matcher: str
    hook: str
    entry: dict[str, Any]


class Plugin(NamedTuple):
    """Our plugin, enabled in settings: its name there, and the command that disables it."""

    scope: Scope
    name: str
    disable: str


class Source(NamedTuple):
    """What the host reads of a settings file; the registration of a plugin is such a source, too."""

    host: str  #: the adapter's name
    scope: Scope
    settings: dict[str, Any] = {}
    error: str = ""  #: why it cannot be read, or ""


class HookGroups:
    """A host's settings. A host says where its files lie, what starts when, and how an entry looks."""

    #: as in `--host NAME`
    HOST = ""
    SCOPES: tuple[str, ...] = ("local", "user")  #: the scopes that `init` may write, the usual one first
    #: how a command names the project's folder, wherever it lies; "" where it cannot
    PROJECT = ""
    ROWS: tuple[HookRow, ...] = ()  #: the first one is that of a stop
    #: its folder in a project; scope to the settings file in that, the strongest first; the scopes of those that lie
    #: in the user's own folder
    FOLDER = ""
    FILES: Mapping[str, str] = {}
    OWN: tuple[str, ...] = ("user",)
    #: managed settings, stronger than these: the variable that names the file, where it lies on a Mac and elsewhere
    MANAGED: tuple[str, ...] = ()
    #: in a linked work tree the host runs the hooks of the main one's local file, too
    LINKED = False
    #: and none of that one's own
    MAIN_ALONE = False
    #: the file of a command and the folder of the skill in the host's folder, "" where it has no such files
    COMMAND = ""
    SKILLS = os.path.join("skills", "until-green")
    #: it reads JSON with comments
    COMMENTS = False
    #: the key of a status line, which is a table with a `command`
    LINE = ""

    def scopes(self, root: str, env: Mapping[str, str]) -> tuple[Scope, ...]:
        """Every settings file that the host reads for this project, the strongest first."""
        found = [Scope(name, os.path.join(self.folder(name, root, env), file)) for name, file in self.FILES.items()]
        if self.MANAGED:
            variable, mac, other = self.MANAGED
            found.insert(0, Scope("managed", env.get(variable, "") or (mac if sys.platform == "darwin" else other)))
        return tuple(found)

    def linked(self, root: str) -> tuple[Scope, ...]:
        """Files of another work tree of the project whose hooks the host runs, too."""
        main = toplevel.main_tree(root) if self.LINKED else ""
        return (Scope(MAIN, os.path.join(main, self.FOLDER, self.FILES["local"])),) if main else ()

    def folder(self, scope: str, root: str, env: Mapping[str, str]) -> str:
        """The host's folder of a scope, in which its settings, commands and skills lie."""
        return self.home(env) if scope in self.OWN else os.path.join(root, self.FOLDER)

    def home(self, env: Mapping[str, str]) -> str:
        home, known = env.get("HOME") or os.path.expanduser("~"), facts.of(self.HOST)
        return env.get(known.config_dir, "") or os.path.join(home, known.home.removeprefix("~/"))

    def texts(
        self, scope: str, root: str, env: Mapping[str, str], commands: Mapping[str, str], skill: Mapping[str, str]
    ) -> dict[str, bytes]:
        """The files by which people type our commands at its prompt, and the skill: path to what it holds.

        `commands`: name ("loop") to the text of our template, `skill`: name of a file to its text.
        """
        if not self.COMMAND:
            return {}
        ours = {self.COMMAND.format(name): self.command(name, text) for name, text in commands.items()}
        ours |= {os.path.join(self.SKILLS, name): text for name, text in skill.items()}
        return {os.path.join(self.folder(scope, root, env), name): text.encode() for name, text in ours.items()}

    def command(self, _name: str, text: str) -> str:
        """A command in the form that it has there; the templates have that of Claude Code."""
        return text

    def unwrapped(self, data: bytes) -> bytes:
        """The JSON of the settings in a settings file: all of it, but for a bridge, which is a program, and without
        comments, where it may have some. Raises UnicodeDecodeError."""
        if not (self.COMMENTS and b"/" in data):
            return data
        from untilgreen.hosts import commented

        return commented.plain(data.decode("utf-8-sig")).encode()

    def wrapped(self, settings: bytes, data: bytes = b"") -> bytes:
        """The settings file that holds this JSON. `data`: what it holds now, whose comments stay. Raises ValueError
        where one of them would be lost."""
        if self.unwrapped(data) == data:
            return settings
        from untilgreen.hosts import commented

        return commented.edited(data.decode("utf-8-sig"), json.loads(settings)).encode(errors="backslashreplace")

    def entry(self, _name: str, command: str, args: list[str], seconds: int) -> dict[str, Any]:
        """The entry that starts an executable; here a line for a shell, and seconds."""
        return {"type": "command", "command": shlex.join((command, *args)), "timeout": seconds}

    def seconds_of(self, entry: Mapping[str, Any]) -> int:
        """The limit of an entry in seconds, 0 where it is none."""
        limit = entry.get("timeout")
        return limit if type(limit) is int else 0

    def entries(self, call: Call, stop_seconds: int = 0) -> Entries:
        """The groups of hooks of each event. With another limit for a stop (seconds) its deadline is 90 % of that."""
        table: Entries = {}
        for event, matcher, names, usual in self.ROWS:
            hooks = []
            for name, *more in map(str.split, names):
                command, usual_args = call(name)
                args = [*usual_args, *more]
                limit = stop_seconds or usual if name == "stop-loop" else usual
                if limit != usual:
                    args = [*args, "--deadline", str(limit * 9 // 10)]
                hooks.append(self.entry(name, command, args, limit))
            group = ({"matcher": matcher} if matcher else {}) | {"hooks": hooks}
            table[event] = [*table.get(event, ()), group]
        return table

    def stop_seconds(self, settings: Mapping[str, Any]) -> int:
        """The limit of a stop that stands in these settings for our hook, else the usual one."""
        for one in self.registered(Scope("", ""), settings):
            limit = self.seconds_of(one.entry)
            if (one.event, one.hook) == (self.ROWS[0].event, "stop-loop") and limit >= LEAST_SECONDS:
                return limit
        return self.ROWS[0].seconds

    def problem(self, settings: Mapping[str, Any]) -> str:
        """Why nothing can be put into these settings, "" where it can."""
        hooks = settings.get("hooks", {})
        if not isinstance(hooks, dict):
            return "hooks must be a table"
        bad = [row.event for row in self.ROWS if not isinstance(hooks.get(row.event, []), list)]
        return f"hooks.{bad[0]} must be a list" if bad else ""

    def merged(self, settings: Mapping[str, Any], wanted: Entries) -> dict[str, Any]:
        """The settings with our groups in them, after those of others: the host runs all hooks of an event at once."""
        others = self._others(settings.get("hooks", {}), {})
        ours = {event: [*others.get(event, []), *groups] for event, groups in wanted.items()}
        return {**settings, "hooks": others | ours}

    def without(self, settings: Mapping[str, Any], original: Mapping[str, Any]) -> dict[str, Any]:
        """The settings without our entries. Lists and tables that are empty then go too, unless they are in `original`,
        the settings before ours came."""
        if not self.registered(Scope("", ""), settings):
            return dict(settings)
        before = original.get("hooks")
        kept = self._others(settings["hooks"], before if isinstance(before, dict) else {})
        settings = {**settings, "hooks": kept}
        gone = not kept and not isinstance(before, dict)
        return {key: value for key, value in settings.items() if not (gone and key == "hooks")}

    def registered(self, scope: Scope, settings: Mapping[str, Any]) -> tuple[Registered, ...]:
        """Our hooks in these settings; what is not shaped like hooks is none."""
        events = settings.get("hooks")
        found = []
        for event, groups in events.items() if isinstance(events, dict) else ():
            for group in groups if isinstance(groups, list) else ():
                found += [
                    Registered(scope, event, str(group.get("matcher", "")), name, hook)
                    for hook in hooks_of(group)
                    for name in self.hooks_in(hook)
                ]
        return tuple(found)

    def plugin(self, _files: Sequence[tuple[Scope, Mapping[str, Any]]]) -> Plugin | None:
        """Our plugin, where these settings, the strongest first, enable it."""
        return None

    def status_line(self, _settings: Mapping[str, Any]) -> str:
        """Whose status line these settings have: "ours", "theirs", "" where there is none."""
        return ""

    def with_status_line(self, settings: Mapping[str, Any], _line: str) -> dict[str, Any]:
        """The settings with this command line for the status line, where there is none or an older one of ours."""
        return dict(settings)

    def started(self, entry: Mapping[str, Any]) -> str:
        """What an entry starts: a program, or a line for a shell."""
        return str(entry.get("command") or "")

    def hook_of(self, entry: Any) -> str:
        """Which of our executables a hook entry calls, "" when it is somebody else's."""
        if not isinstance(entry, dict):
            return ""
        words = [self.started(entry), *args_of(entry)]
        line = " ".join(words)
        if "untilgreen" not in line and f"--host {self.HOST}" not in line:
            return ""
        names = (match.group(1).replace("_", "-") for word in words if (match := _OURS.search(word)))
        return next(names, "")

    def hooks_in(self, entry: Any) -> tuple[str, ...]:
        """The hooks whose work an entry does, the executable that it calls first; () when it is somebody else's."""
        name = self.hook_of(entry)
        more = _WITH.search(" ".join((self.started(entry), *args_of(entry)))) if name else None
        return (*([name] if name else ()), *(f"post-tool-{one}" for one in (more[1].split(",") if more else ())))

    def _others(self, hooks: Mapping[str, Any], original: Mapping[str, Any]) -> dict[str, Any]:
        """These hooks without our entries; without an event that has no others, unless it is in `original`."""
        stripped = {event: self._stripped(groups) for event, groups in hooks.items()}
        return {event: left for event, left in stripped.items() if left or left == hooks[event] or event in original}

    def _stripped(self, groups: Any) -> Any:
        """These groups without our entries, and without a group that holds no other."""
        if not isinstance(groups, list):
            return groups
        others = [(group, [hook for hook in hooks_of(group) if not self.hook_of(hook)]) for group in groups]
        return [
            {**group, "hooks": left} if left != hooks_of(group) else group
            for group, left in others
            if left or not hooks_of(group)
        ]


def hooks_of(group: Any) -> list[Any]:
    """The entries of a group, ours and others'."""
    hooks = group.get("hooks") if isinstance(group, dict) else None
    return hooks if isinstance(hooks, list) else []


def args_of(entry: Mapping[str, Any]) -> list[str]:
    """The arguments of an entry in exec form."""
    args = entry.get("args")
    return [str(arg) for arg in args] if isinstance(args, list) else []
