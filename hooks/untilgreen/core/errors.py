"""What a person can put right, said in one line."""

import errno
from collections.abc import Iterable, Sequence

from untilgreen.core.foreign import strip

_ROOM, _YOURS = "make room on the disk", "make it yours to read and write"
_FEWER = "end other programs"
_CURES = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), _ROOM),
    **dict.fromkeys((errno.ENOMEM, errno.EAGAIN), _FEWER),
    **dict.fromkeys((errno.EMFILE, errno.ENFILE), "let more files be open (ulimit -n)"),
    errno.EIO: "look after the disk",
    errno.EROFS: "mount it to be written",
}
_GONE = "put it back, or try again"


class UserError(Exception):
    """Something the user can put right: the reason and the fix, together one printable line."""

    def __init__(self, reason: str, fix: str) -> None:
        self.reason, self.fix = one_line(reason), one_line(fix)
        super().__init__(f"{self.reason}{'' if self.reason.endswith('?') else '.'} Fix: {self.fix}")

    @property
    def every(self) -> "Sequence[UserError]":
        """All that was wrong at once, to be told a line each."""
        return (self,)


class UserErrors(UserError):
    """Several at once, at least one. In one line it is the first, and how many there are beside it."""

    def __init__(self, errors: Sequence[UserError]) -> None:
        first, *more = self.errors = tuple(errors)
        super().__init__(first.reason, first.fix + (f" ({len(more)} more: run untilgreen check)" if more else ""))

    @property
    def every(self) -> Sequence[UserError]:
        """Each of them."""
        return self.errors


def refused(error: Exception) -> UserError | None:
    """The error of what the system refused; None where it is rather a bug of ours."""
    if isinstance(error, MemoryError):
        error = OSError(errno.ENOMEM, "no memory is left")
    if not isinstance(error, OSError):
        return None
    of_file = _GONE if error.errno == errno.ENOENT else _YOURS
    cure = _CURES.get(error.errno or 0, of_file if error.filename else "")
    where = f"cannot use {error.filename}: " if error.filename else ""
    return UserError(f"{where}{error.strerror}", cure) if cure else None


def unwritten(error: OSError, path: str = "") -> UserError:
    """The error of a file that cannot be written; `path`: the file, where the error names none."""
    where = error.filename or path or "a file"
    return UserError(f"cannot write {where}: {error.strerror}", "make it writable, or make room on the disk")


def unread(error: OSError, path: str) -> UserError:
    """The error of a file that cannot be read."""
    return UserError(f"cannot read {path}: {error.strerror}", "name a file that can be read")


def meant(word: object, known: Iterable[str]) -> str:
    """`. Did you mean X?`, to stand behind an unknown word; "" where none that is known is like it."""
    from difflib import get_close_matches  # loaded where an error is told only

    near = get_close_matches(str(word), list(known), n=1, cutoff=0.7)
    return f". Did you mean {near[0]}?" if near else ""


def one_line(text: str) -> str:
    """Text from anywhere on one printable line: a quoted value may hold newlines or escape sequences. Spaces stay: a
    path may have several."""
    line = " ".join(filter(None, (line.strip() for line in text.splitlines()))).replace("\t", " ")
    return strip("".join(char if char.isprintable() else "?" for char in line))
