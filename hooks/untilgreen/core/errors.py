"""What a person can put right, said in one line."""

from collections.abc import Iterable, Sequence

from untilgreen.core.foreign import printable, strip


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


def unwritten(error: OSError, path: str = "") -> UserError:
    """The error of a file that cannot be written; `path`: the file, where the error names none."""
    where = error.filename or path or "a file"
    return UserError(f"cannot write {where}: {error.strerror}", "make it writable, or make room on the disk")


def meant(word: object, known: Iterable[str]) -> str:
    """`. Did you mean X?`, to stand behind an unknown word; "" where none that is known is like it."""
    from difflib import get_close_matches  # loaded where an error is told only

    near = get_close_matches(str(word), list(known), n=1, cutoff=0.7)
    return f". Did you mean {near[0]}?" if near else ""


def one_line(text: str) -> str:
    """Text from anywhere on one printable line; blanks stay: a path may have several."""
    line = " ".join(filter(None, (line.strip() for line in text.splitlines()))).replace("\t", " ")
    return strip(printable(line))
