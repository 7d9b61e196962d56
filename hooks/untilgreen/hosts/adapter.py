"""A host is a package of three modules: what its `__init__` says and hears, its `install`, its `records`.

The package itself has `NAME`, `read` (payload to event) and `write` (verdict to reply); all else is loaded when it is
asked for, and what a host lacks it does not tell, or we do not do there:

- `facts.py`, the table of what is known of each host;
- `records`: `last_message`, `last_failure`, `interrupted`, `acts`, `usage` by the host's own record of a session, and
  `read_closing`;
- `install`: its SETTINGS;
- `commands`: what people type to us, where the usual words and `Facts.typed` are not all.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, TypeVar

    from untilgreen.core.model.event import Act, Event, Kind, Message, Reply, TurnFailure
    from untilgreen.core.model.snapshot import ReadSoFar
    from untilgreen.hosts.facts import Facts
    from untilgreen.hosts.hook_health import HookHealth
    from untilgreen.hosts.records import Closing

    T = TypeVar("T")


# what people type to us at a host's prompt: a slash command where the host has them, else the same words plain
_COMMANDS = ("loop", "cancel", "status", "resume", "rollback")
_SLASH = "/untilgreen:"


class Typed:
    """The lines that are ours; `begin`: how people type our commands at that host, before the command's name."""

    def __init__(self, begin: str = _SLASH) -> None:
        signs = dict.fromkeys((_SLASH, "untilgreen:", begin))
        #: what opens a typed line -> our name for the command
        self.NAMES = {f"{sign}{name}": name for sign in signs for name in _COMMANDS}

    def is_ours(self, prompt: str, _root: str = "", _env: "Mapping[str, str] | None" = None) -> bool:
        """Whether the prompt is a line of ours: a word that nobody types by chance opens it."""
        opens = prompt.split(maxsplit=1)[:1]
        return bool(opens) and (opens[0] in self.NAMES or opens[0].startswith(_SLASH))


class Adapter:
    """A host by its package."""

    def __init__(self, package: str) -> None:
        self._package = package
        wire = self._module("")
        #: as in `--host NAME`
        self.name: str = wire.NAME
        #: What the host says: payload, environment, and our name for a payload that does not say what it is (somebody
        #: typed it). Pure, and tolerant: what is unknown, missing, null or of another type reads as missing.
        self.read: Callable[[dict[str, Any], Mapping[str, str], str], Event] = wire.read
        #: The exact answer to an event. Pure.
        self.write: Callable[[Event, Kind, Message], Reply] = wire.write

    @property
    def facts(self) -> "Facts":
        from untilgreen.hosts import facts

        return facts.of(self.name)

    @property
    def closing(self) -> "Callable[[str], Closing | None] | None":
        """What its standard output tells at the end of a process that answered one prompt; None where it says nothing
        that is known."""
        own: Callable[[str], Closing | None] | None = self._part("", "read_closing")
        return own or self._part("records", "read_closing")

    def last_message(self, transcript: str) -> str | None:
        """The agent's last message by the transcript, for an event without one; None: there is none. Raises OSError."""
        return self._read("last_message", None, transcript)

    def last_failure(self, transcript: str) -> "TurnFailure | None":
        """Why the last turn ended without an answer, by the transcript; None where it did not. Raises OSError."""
        return self._read("last_failure", None, transcript)

    def interrupted(self, transcript: str) -> bool:
        """Whether its user has just broken the turn off, by the transcript. Raises OSError."""
        return self._read("interrupted", False, transcript)

    def acts(self, transcript: str) -> "Sequence[Act]":
        """What the agent and its sub-agents did by the transcript; none where it does not tell. Raises OSError."""
        return self._read("acts", (), transcript)

    def usage(
        self, transcript: str, sessions: "Sequence[str]", before: "Mapping[str, ReadSoFar]", since: str
    ) -> "dict[str, ReadSoFar] | None":
        """What models used since a moment, by the transcript and those of the `sessions` before it, read on from
        `before`; None: it does not tell. Raises OSError, ValueError."""
        return self._read("usage", None, transcript, sessions, before, since)

    def commands(self) -> Typed | None:
        """What people may type to us at its prompt; None where we do not hear it."""
        own: Typed | None = self._module("commands")
        return own or (Typed(self.facts.typed) if self.facts.typed else None)

    def settings(self) -> "HookHealth | None":
        """Its settings, and what they make of our hooks; None where we do not write any."""
        found: HookHealth | None = self._part("install", "SETTINGS")
        return found

    def _read(self, name: str, otherwise: "T", *given: "Any") -> "T":
        read = self._part("records", name)
        return read(*given) if read else otherwise

    def _part(self, module: str, name: str) -> "Any":
        return getattr(self._module(module), name, None)

    def _module(self, name: str) -> "Any":
        """A module of the host's package, "" for the package itself; None where there is none."""
        path = f"{self._package}.{name}" if name else self._package
        try:
            return __import__(path, fromlist=["NAME"])
        except ModuleNotFoundError as error:
            if error.name != path or not name:
                raise
            return None
