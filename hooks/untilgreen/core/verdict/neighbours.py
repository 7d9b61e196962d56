"""Several sessions at work in one tree: who wrote a file? Pure.

A session's trail is what its hooks noted. A file is another session's only where that trail has it and our own has
not: in doubt it is ours.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from untilgreen.core.model.groups import Against
from untilgreen.core.model.snapshot import Item
from untilgreen.core.record import NamedTuple
from untilgreen.core.words import brief
from untilgreen.core.words.brief import Words

# seconds between a shell's last write and its hook, and between an edit and its own: machines are busy
_SHELL, _EDIT = 2.0, 5.0
_NAMED = 3  # files that are named in one text
# what writes the file that is named behind it, in the same simple command
_WRITES = (
    r"(?:>>?[ \t]*|\b(?:tee|mv|cp|rm|touch|patch|truncate|install|unlink|dd|(?:sed|perl|ruby)\b[^|;&\n]*?[ \t]-\w*i"
    r"|git[ \t]+(?:mv|rm|checkout|restore|apply))\b[^|;&\n]*?)"
)


class ShellRun(NamedTuple):
    """A command of a session's shell, in seconds since the epoch."""

    began: float
    ended: float
    command: str


class Trail(NamedTuple):
    """What a session wrote. Paths are relative to the project root, with slashes."""

    session: str
    edited: Mapping[str, float] = {}  #: file to when it was last edited, in seconds since the epoch; 0: not known
    shells: Sequence[ShellRun] = ()


def owner(path: str, changed: float, own: Trail, others: Sequence[Trail]) -> str:
    """The session that alone wrote this file, of the `others`; "" where it is ours, nobody's or several sessions'.
    `changed`: when it last was, in seconds since the epoch; 0 where it is gone."""
    last = max((one.edited.get(path, 0.0) for one in (own, *others)), default=0.0)
    by_edit = 0 <= last - changed <= _EDIT  # whatever shell ran then

    def wrote(trail: Trail) -> bool:
        within = any(one.began - _SHELL <= changed <= one.ended for one in trail.shells)
        return path in trail.edited or (within and not by_edit) or any(_writes(one, path) for one in trail.shells)

    writers = [] if wrote(own) else [one.session for one in others if wrote(one)]
    return writers[0] if len(writers) == 1 else ""


def _writes(run: ShellRun, path: str) -> bool:
    """Whether the command names the file as what it writes."""
    name = path.rpartition("/")[2]
    pattern = rf"{_WRITES}(?<![\w.-])['\"]?(?:[\w./~-]*/)?{re.escape(name)}(?![\w-]|\.\w)"
    return name in run.command and re.search(pattern, run.command) is not None


class OthersLeft(NamedTuple):
    """What is red in files of another session."""

    session: str
    files: tuple[str, ...]
    left: int


def left_of(items: Iterable[Item], whose: Mapping[str, str]) -> tuple[OthersLeft, ...]:
    """What another session's findings come to, file by file. `whose`: each file of other sessions to its session. What
    is in none of them, a test that fails by what they wrote, stands for all of them."""
    counted: dict[tuple[str, tuple[str, ...]], int] = {}
    for item in items:
        files = (item.file,) if item.file in whose else tuple(sorted(whose))
        key = (whose[files[0]], files)
        counted[key] = counted.get(key, 0) + 1
    return tuple(OthersLeft(*key, n) for key, n in counted.items())


def told(ones: Iterable[OthersLeft], words: Words) -> tuple[str, ...]:
    """A line each: `b.py is session 0123abcd's: 1 left there`."""
    return tuple(
        brief.counted(
            words, "neighbours_left", len(one.files), files=_listed(one.files), session=one.session[:8], left=one.left
        )
        for one in ones
    )


def against(ones: Iterable[OthersLeft]) -> tuple[Against, ...]:
    files = tuple(dict.fromkeys(file for one in ones for file in one.files))
    return (Against("neighbours", _listed(files), len(files)),) if files else ()


def _listed(files: Sequence[str]) -> str:
    return brief.listed(files, _NAMED)
