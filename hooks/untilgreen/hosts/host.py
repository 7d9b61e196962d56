"""What a host's commands and settings are to us, and the small nouns in them; see `adapter.py` for the host itself."""

from collections.abc import Callable, Mapping, Sequence

from untilgreen.core.record import Any, NamedTuple, Protocol

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
