"""Settings in the form that Claude Code began and others took over: `{"hooks": {EVENT: [GROUP, ...]}}`, where a group
is `{"matcher"?, "hooks": [ENTRY, ...]}`. Values in, values out: no I/O.
"""

import os
import re
import shlex
from collections.abc import Mapping, Sequence

from untilgreen.core.record import Any, NamedTuple
from untilgreen.hosts.host import Call, Entries, Plugin, Registered, Scope

LEAST_SECONDS = 30  # of a stop
LET_GO = " || true"  # ends a line for a shell on a host that holds by whatever else it ends with
_OURS = re.compile(
    r"(?:^|[/\\ ])((?:stop|session)[-_]loop|post[-_]tool[-_](?:lint|lsp|ast[-_]grep|bash))(?:\.py)?(?:$|[\"' ])"
)


class HookRow(NamedTuple):
    """The executables that one of the host's events starts, for tools that fit the matcher, within these seconds."""

    event: str
    matcher: str
    executables: tuple[str, ...]
    seconds: int


class HookGroups:
    """A host's settings in that form. A host says where its files lie, what starts when, and how an entry looks."""

    #: as in `--host NAME`
    HOST = ""
    SCOPES: tuple[str, ...] = ("local", "user")
    PROJECT = ""
    #: the first one is that of a stop
    ROWS: tuple[HookRow, ...] = ()

    @property
    def stop_usual(self) -> int:
        """The seconds of a stop where nobody says otherwise."""
        return self.ROWS[0].seconds

    def scopes(self, root: str, env: Mapping[str, str]) -> tuple[Scope, ...]:
        raise NotImplementedError

    def linked(self, _root: str) -> tuple[Scope, ...]:
        return ()

    def folder(self, _scope: str, _root: str, _env: Mapping[str, str]) -> str:
        return ""

    def texts(
        self, _scope: str, _root: str, _env: Mapping[str, str], _commands: Mapping[str, str], _skill: Mapping[str, str]
    ) -> dict[str, bytes]:
        return {}

    def unwrapped(self, data: bytes) -> bytes:
        return data

    def wrapped(self, settings: bytes) -> bytes:
        return settings

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
            for name in names:
                command, args = call(name)
                limit = stop_seconds or usual if name == "stop-loop" else usual
                if limit != usual:
                    args = [*args, "--deadline", str(limit * 9 // 10)]
                hooks.append(self.entry(name, command, args, limit))
            group = ({"matcher": matcher} if matcher else {}) | {"hooks": hooks}
            table[event] = [*table.get(event, ()), group]
        return table

    def stop_seconds(self, settings: Mapping[str, Any]) -> int:
        for one in self.registered(Scope("", ""), settings):
            limit = self.seconds_of(one.entry)
            if (one.event, one.hook) == (self.ROWS[0].event, "stop-loop") and limit >= LEAST_SECONDS:
                return limit
        return self.stop_usual

    def problem(self, settings: Mapping[str, Any]) -> str:
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
                    if (name := self.hook_of(hook))
                ]
        return tuple(found)

    def plugin(self, _files: Sequence[tuple[Scope, Mapping[str, Any]]]) -> Plugin | None:
        return None

    def status_line(self, _settings: Mapping[str, Any]) -> str:
        return ""

    def with_status_line(self, settings: Mapping[str, Any], _line: str) -> dict[str, Any]:
        return dict(settings)

    def hook_of(self, entry: Any) -> str:
        """Which of our executables a hook entry calls, "" when it is somebody else's."""
        if not isinstance(entry, dict):
            return ""
        args = entry.get("args")
        words = [str(entry.get("command", "")), *(map(str, args) if isinstance(args, list) else ())]
        line = " ".join(words)
        if "untilgreen" not in line and f"--host {self.HOST}" not in line:
            return ""
        names = (match.group(1).replace("_", "-") for word in words if (match := _OURS.search(word)))
        return next(names, "")

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


def words_of(entry: Mapping[str, Any]) -> tuple[str, ...]:
    """What is started for an entry without a shell, or by a line that means the same without one; () for another."""
    command, args = entry.get("command"), entry.get("args")
    if not isinstance(command, str):
        return ()
    if isinstance(args, list):
        return (command, *map(str, args))
    try:
        command = command.removesuffix(LET_GO)
        words = shlex.split(command)
    except ValueError:  # an open quote
        return ()
    return tuple(words) if shlex.join(words) == command else ()


def folder_of(env: Mapping[str, str], variable: str, name: str) -> str:
    """A host's own folder of this user: what the variable says, else `name` in the home."""
    return env.get(variable, "") or os.path.join(env.get("HOME") or os.path.expanduser("~"), name)
