"""What a person can put right, said in one line."""

from collections.abc import Iterable

from untilgreen.core.foreign import strip


class UserError(Exception):
    """Something the user can put right: the reason and the fix, together one printable line."""

    def __init__(self, reason: str, fix: str) -> None:
        self.reason, self.fix = one_line(reason), one_line(fix)
        super().__init__(f"{self.reason}{'' if self.reason.endswith('?') else '.'} Fix: {self.fix}")


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
