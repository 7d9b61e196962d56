"""A session: where its files are, what is known of it beside its loop, and what it wrote."""

from typing import NamedTuple

from untilgreen.core.model.loop import Loop


class Place(NamedTuple):
    """Where the files of one session are."""

    #: the project's root
    root: str
    #: the state folder
    base: str
    #: the name of the session's folder
    session: str

    @property
    def folder(self) -> str:
        """The session's own folder."""
        return f"{self.base}/sessions/{self.session}"

    def file(self, name: str) -> str:
        """The path of one of the session's files."""
        return f"{self.folder}/{name}"


class Session(NamedTuple):
    """`session.json`: what is known of a session beside its loop. Only session-loop writes it."""

    #: how many prompts its user sent while a loop ran or waited; a host's own notifications do not count
    prompts: int = 0
    #: the number of the prompt that began the newest turn; a prompt typed while a turn runs begins none
    turn: int = 0
    #: that prompt's id, "" where the host sends none
    turn_id: str = ""
    #: seconds since the epoch
    turn_started: float = 0.0
    #: the work tree's fingerprint when the turn began
    tree: str = ""
    #: the prompt id of the host's newest notification
    notified: str = ""
    #: the fingerprint of the newest prompt and its id
    newest: str = ""
    #: when it came, in seconds since the epoch
    newest_at: float = 0.0
    #: the host's process id, "" when unknown
    client: str = ""
    started_at: str = ""
    ended_at: str = ""
    #: its root; several projects may share a state folder
    project: str = ""


class Edits(NamedTuple):
    """`edits.json`: what is the session's and no loop's. Paths are relative to the project root, with slashes."""

    schema_version: int
    session_id: str
    #: the project's root: several may share a state folder
    project: str
    #: the files that the session wrote
    written: tuple[str, ...] = ()
    #: those of them that it wrote since it was last let go
    unjudged: tuple[str, ...] = ()
    #: the identities of findings that never hold this session again
    let_go: tuple[str, ...] = ()
    #: a cancel switched off stops without a loop
    off: bool = False
    #: the rounds of the prompt that was judged last without a loop, counted as a loop's are; active while it is held
    turn: Loop | None = None

    @property
    def held(self) -> Loop | None:
        """The rounds of the prompt whose stop is held."""
        return self.turn if self.turn is not None and self.turn.active else None


class Known(NamedTuple):
    """What is known of a session in its project: its newest loop, and its edits; None where nothing is."""

    loop: Loop | None = None
    edits: Edits | None = None

    @property
    def running(self) -> Loop | None:
        """The loop, if it runs."""
        return self.loop if self.loop is not None and self.loop.active else None
