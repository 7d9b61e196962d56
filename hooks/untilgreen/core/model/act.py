"""What the agent did, by its host's own record."""

from untilgreen.core.record import NamedTuple


class Tokens(NamedTuple):
    """What models read and wrote."""

    #: that they had not read before
    read: int = 0
    #: that the cache had
    cached: int = 0
    written: int = 0


class Act(NamedTuple):
    """A file written, a command run in a shell, or a model's answer."""

    #: ISO 8601, in UTC
    at: str
    #: the file, as the host names it
    edited: str = ""
    command: str = ""
    tokens: Tokens | None = None
