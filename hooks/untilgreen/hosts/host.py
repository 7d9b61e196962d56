"""What a host is to us: the protocol that every adapter fulfils, and the small nouns in it.

A host is a folder: `__init__.py` with its `HOST`, `wire.py` (payload to event, verdict to reply), `commands.py`,
`settings.py`, `health.py`, `transcript.py`, `acts.py` and `closing.py` where it has one, `facts.py`: `adapter.py` finds
them. Every part but `wire` is loaded when it is asked for.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from untilgreen.core.model.event import Event, Kind, Message, Reply, TurnFailure
from untilgreen.core.record import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from untilgreen.core.findings import Finding
    from untilgreen.core.model.act import Act
    from untilgreen.core.model.snapshot import ReadSoFar
    from untilgreen.hosts.closing import Closing
    from untilgreen.hosts.facts import Facts

EXECUTABLES = ("stop-loop", "post-tool-lint", "post-tool-lsp", "post-tool-ast-grep", "post-tool-bash", "session-loop")

# what is called for an executable: its command and its args
Call = Callable[[str], tuple[str, list[str]]]
# what stands in a settings file for one of the host's events
Entries = dict[str, Any]


class Scope(NamedTuple):
    """One settings file of a host. `name`: "managed", "local", "user", "shared", or a word of the host's own."""

    name: str
    path: str


class Registered(NamedTuple):
    """One entry of ours: `event` of the host, `matcher` of its group, `hook` the executable's name ("stop-loop"),
    `entry` as it stands in the settings."""

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

    #: the adapter's name
    host: str
    scope: Scope
    settings: dict[str, Any] = {}
    #: why it cannot be read, or ""
    error: str = ""


class Commands(Protocol):
    """What people type to us at the host's prompt."""

    @property
    def NAMES(self) -> Mapping[str, str]:  # noqa: N802 a constant of a module
        """What opens a typed line -> our name for it: "loop", "cancel", "status", "resume", "rollback" or "ralph"."""

    def is_ours(self, prompt: str, root: str, env: Mapping[str, str]) -> bool:
        """Whether the prompt is a command of ours, as the host would take it."""


class SettingsFiles(Protocol):
    """Where the host is told which hooks to call, and how such an entry looks. Values in, values out: no I/O."""

    @property
    def SCOPES(self) -> tuple[str, ...]:  # noqa: N802
        """The scopes that `init` may write, the usual one first."""

    @property
    def PROJECT(self) -> str:  # noqa: N802
        """How a command names the project's folder, wherever it lies; "" where it cannot."""

    def scopes(self, root: str, env: Mapping[str, str]) -> tuple[Scope, ...]:
        """Every settings file that the host reads for this project, the strongest first."""

    def linked(self, root: str) -> tuple[Scope, ...]:
        """Files of another work tree of the project whose hooks the host runs, too."""

    def folder(self, scope: str, root: str, env: Mapping[str, str]) -> str:
        """The host's folder of a scope, in which `commands/` and `skills/` lie; "" where it has no such files."""

    def texts(
        self, scope: str, root: str, env: Mapping[str, str], commands: Mapping[str, str], skill: Mapping[str, str], /
    ) -> dict[str, bytes]:
        """The files by which people type our commands at its prompt, and the skill: path to what it holds.

        `commands`: name ("loop") to the text of our template, `skill`: name of a file to its text.
        """

    def unwrapped(self, data: bytes) -> bytes:
        """The JSON of the settings in a settings file: all of it, but for a bridge, which is a program."""

    def wrapped(self, settings: bytes) -> bytes:
        """The settings file that holds this JSON."""

    def entries(self, call: Call, stop_seconds: int) -> Entries:
        """What is to stand in the settings, by event of the host."""

    def stop_seconds(self, settings: Mapping[str, Any]) -> int:
        """The limit of a stop that stands in these settings for our hook, else the usual one."""

    def problem(self, settings: Mapping[str, Any]) -> str:
        """Why nothing can be put into these settings, "" where it can."""

    def merged(self, settings: Mapping[str, Any], wanted: Entries) -> dict[str, Any]:
        """The settings with our entries in them, old ones of ours replaced where they stood, all else as it was."""

    def without(self, settings: Mapping[str, Any], original: Mapping[str, Any]) -> dict[str, Any]:
        """The settings without our entries. What is empty then goes too, unless it is in `original`."""

    def registered(self, scope: Scope, settings: Mapping[str, Any]) -> tuple[Registered, ...]:
        """Our entries in these settings."""

    def plugin(self, files: Sequence[tuple[Scope, Mapping[str, Any]]]) -> Plugin | None:
        """Our plugin, where these settings, the strongest first, enable it."""

    def status_line(self, settings: Mapping[str, Any]) -> str:
        """Whose status line these settings have: "ours", "theirs", "" where there is none."""

    def with_status_line(self, settings: Mapping[str, Any], line: str) -> dict[str, Any]:
        """The settings with this command line for the status line, where there is none or an older one of ours."""


class Health(Protocol):
    """What the host's settings and files make of our hooks. Looks, and changes nothing."""

    @property
    def NEEDED(self) -> tuple[str, ...]:  # noqa: N802
        """Its events without which nothing is held, or no command is answered."""

    def plugins(self, found: Sequence[Source], env: Mapping[str, str]) -> "Iterator[Source]":
        """The registration of our plugin, where these settings enable it and it is installed."""

    def words(self, one: Registered, root: str) -> tuple[str, ...]:
        """What the host starts for an entry, without a shell; none of a line that is for a shell."""

    def line(self, entry: Mapping[str, Any]) -> str:
        """What an entry calls, as a person would read it."""

    def faults(self, one: Registered, usual: Registered, deadline: float, lower: str) -> "Iterator[Finding]":
        """What is wrong with an entry of ours; without a cure it is to be written anew. `usual`: as we write it."""

    def status_line(self, theirs: Mapping[str, Any]) -> str:
        """The command line of the status line in these settings."""

    def variable(self, found: Sequence[Source], name: str) -> tuple[str, Source] | None:
        """A variable that the settings put into the environment of the host, and the file that does."""

    def silenced(
        self, found: Sequence[Source], root: str, env: Mapping[str, str], shown: Callable[[str], str]
    ) -> "Iterator[Finding]":
        """What keeps the host from running our hooks, or lets others hold beside them. `shown`: a path for people."""

    def cap(self, found: Sequence[Source], env: Mapping[str, str], rounds: int) -> "Finding | None":
        """How often in a row the host lets hooks hold, against the rounds of a loop; None: as its facts say."""


class Host(Protocol):
    """An adapter. `read` and `write` are pure."""

    @property
    def name(self) -> str:
        """As in `--host NAME`."""

    @property
    def facts(self) -> "Facts":
        """What is known of it."""

    @property
    def closing(self) -> "Callable[[str], Closing | None] | None":
        """What its standard output tells at the end of a process that answered one prompt; None where it says nothing
        that is known."""

    def read(self, payload: dict[str, Any], env: Mapping[str, str], default_event: str, /) -> Event:
        """What the host says. Tolerant: what is unknown, missing, null or of another type reads as missing.

        `default_event` is our name for a payload that does not say what it is (somebody typed it).
        """

    def write(self, event: Event, verdict: Kind, message: Message, /) -> Reply:
        """The exact answer to this event."""

    def last_message(self, transcript: str, /) -> str | None:
        """The agent's last message by the transcript, for an event without one; None: there is none. Raises OSError."""

    def last_failure(self, transcript: str, /) -> TurnFailure | None:
        """Why the last turn ended without an answer, by the transcript; None where it did not. Raises OSError."""

    def acts(self, transcript: str, /) -> "Sequence[Act]":
        """What the agent and its sub-agents did by the transcript; none where it does not tell. Raises OSError."""

    def usage(
        self, transcript: str, sessions: Sequence[str], before: "Mapping[str, ReadSoFar]", since: str, /
    ) -> "dict[str, ReadSoFar] | None":
        """What models used since a moment, by the transcript and those of the `sessions` before it, read on from
        `before`; None: it does not tell. Raises OSError, ValueError."""

    def commands(self) -> Commands | None:
        """What people may type to us at its prompt; None where we do not hear it."""

    def health(self) -> Health | None:
        """What its settings and files make of our hooks; None where we know nothing of it."""

    def settings(self) -> SettingsFiles | None:
        """Its settings; None where we do not write any."""
