"""What a session wrote, whoever began a loop in it."""

from typing import NamedTuple

from untilgreen.core.model.loop import Loop


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
