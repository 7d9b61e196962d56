"""Git's objects as bytes: their names, and how a tree lists what lies in a folder."""

from collections.abc import Iterator, Mapping

from untilgreen.core.model.tree import Entry

try:  # straight from its module: `hashlib` loads OpenSSL, two milliseconds a process
    from _sha1 import sha1  # type: ignore[import-not-found]
except ImportError:  # another interpreter, or a build without it
    from hashlib import sha1

FOLDER = "40000"
SUBMODULE = "160000"
EMPTY = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"  # the tree without anything in it
_DIGEST = 20  # bytes of a name


def name(kind: str, data: bytes) -> str:
    """The hexadecimal name of an object: a "blob", "tree" or "commit"."""
    found: str = sha1(header(kind, data) + data, usedforsecurity=False).hexdigest()
    return found


def header(kind: str, data: bytes) -> bytes:
    """What stands before an object's data, in a file of its own and for its name."""
    return b"%s %d\0" % (kind.encode(), len(data))


def listed(data: bytes) -> Iterator[tuple[str, Entry]]:
    """What lies in the folder of a tree object: each name, and its entry; folders have the mode FOLDER.

    Raises ValueError where it is no tree.
    """
    at = 0
    while at < len(data):
        space = data.index(b" ", at)
        end = data.index(b"\0", space)
        at_next = end + 1 + _DIGEST
        if at_next > len(data):
            raise ValueError("a tree is cut off")
        mode = data[at:space].decode("ascii").lstrip("0")
        yield data[space + 1 : end].decode("utf-8", "surrogateescape"), Entry(mode, data[end + 1 : at_next].hex())
        at = at_next


def tree(entries: Mapping[str, Entry]) -> bytes:
    """The data of the tree object that lists these names of one folder."""
    raw = ((name.encode("utf-8", "surrogateescape"), entry) for name, entry in entries.items())
    ordered = sorted(raw, key=lambda one: one[0] + b"/" if one[1].mode == FOLDER else one[0])
    return b"".join(b"%s %s\0%s" % (entry.mode.encode(), name, bytes.fromhex(entry.name)) for name, entry in ordered)
