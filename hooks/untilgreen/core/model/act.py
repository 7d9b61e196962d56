"""What the agent did, by its host's own record."""

from untilgreen.core.record import NamedTuple


class Tokens(NamedTuple):
    """What models read and wrote."""

    read: int = 0  #: that they had not read before
    cached: int = 0  #: that the cache had
    written: int = 0


class Act(NamedTuple):
    """A file written, a command run in a shell, or a model's answer."""

    at: str  #: ISO 8601, in UTC
    edited: str = ""  #: the file, as the host names it
    command: str = ""
    tokens: Tokens | None = None
