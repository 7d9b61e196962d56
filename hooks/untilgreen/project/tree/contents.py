"""What lies at the paths of a project. A file to which nobody wrote since it was read is known by what was noted then.

A note says of a file what the system says of it (size, times, inode, mode) and a value of its content. None is made of
a file that was written in the seconds before it was read: it could be written again without any of that being another.
"""

import os
import stat
import time
from collections.abc import Mapping

from untilgreen.core.trees import Entry
from untilgreen.core.verdict.identity import blake2b
from untilgreen.project import files
from untilgreen.project.tree.git import is_blob

LARGE = 10 * 1024 * 1024  # bytes; a larger file goes by size and time
_MOST = 256 * 1024 * 1024  # bytes of files in all; what comes after goes by size and time
_KIND = 0o170000  # the bits of a mode that say what it is
_RECENT = 2_000_000_000  # nanoseconds: file systems count in two seconds, or finer

# a kind, a name, and what there is to it:
#   git, the name of HEAD's tree (b"" without a commit)    walk, a folder of which all files follow ("" is the root)
#   file, path, b"x" or b"", a value of the content        size, path, b"x" or b"", b"SIZE TIME": was not read
#   link, path, target                                     gone, other (no file), unreadable, folder: path
Record = tuple[bytes, ...]


class Contents:
    """The files of a root, read for one reading of its work tree. `notes`: path to note, of a reading before."""

    def __init__(self, root: str, notes: Mapping[bytes, bytes]) -> None:
        self.root, self._known, self._root = root, notes, os.fsencode(os.path.join(root, ""))
        self.notes: dict[bytes, bytes] = {}
        self.same = list[str]()  #: the files of which a note spoke as they are
        self._left, self._recent = _MOST, time.time_ns() - _RECENT

    def of(self, path: str, name: bytes, *, timed: bool) -> Record:
        """What lies at a path, `name` to the system; a large file, or a `timed` one, by its size and time. No link is
        followed."""
        full = self._root + name
        try:
            info = os.lstat(full)
            kind, size, time_ns = info.st_mode & _KIND, info.st_size, info.st_mtime_ns
            if kind != stat.S_IFREG:
                if kind == stat.S_IFLNK:
                    return b"link", name, os.readlink(full)
                return b"folder" if kind == stat.S_IFDIR else b"other", name
            mode = b"x" if info.st_mode & stat.S_IXUSR else b""
            if timed or size > LARGE or size > self._left:
                return b"size", name, mode, b"%d %d" % (size, time_ns)
            self._left -= size  # known or not: what comes after must not go by what is known
            stamp = b"%d %d %d %d %d " % (size, time_ns, info.st_ctime_ns, info.st_ino, info.st_mode)
            note = self._known.get(name, b"")
            if note.startswith(stamp):
                self.same.append(path)
            else:
                # should it be a link or a pipe by now, it is unreadable
                data = files.read(os.path.join(self.root, path), LARGE)
                note = stamp + blake2b(data, digest_size=20).hexdigest().encode("ascii")
            if time_ns < self._recent and info.st_ctime_ns < self._recent:
                self.notes[name] = note
            return b"file", name, mode, note[-40:]
        except (FileNotFoundError, NotADirectoryError):
            return b"gone", name
        except (OSError, ValueError):
            return b"unreadable", name


def is_entry(root: str, path: str, entry: Entry) -> bool:
    """Whether what lies at a path is what git's index has."""
    full = os.path.join(root, path)
    try:
        info = os.lstat(full)
        if stat.S_ISLNK(info.st_mode):
            return entry.mode == "120000" and is_blob(os.fsencode(os.readlink(full)), entry.name)
        mode = "100755" if info.st_mode & stat.S_IXUSR else "100644"
        return entry.mode == mode and is_blob(files.read(full, LARGE), entry.name)
    except (OSError, ValueError):
        return False
