"""A work tree, as git keeps it."""

from collections.abc import Mapping

from untilgreen.core.record import NamedTuple


class Entry(NamedTuple):
    """What lies at a path."""

    #: git's: "100644", "100755" (executable), "120000" (a symbolic link)
    mode: str
    #: the object's hexadecimal name
    name: str


# posix paths relative to the project root, with surrogates for bytes that are not UTF-8
Tree = Mapping[str, Entry]
