"""Ways to a green test without mended code, language by language: each in a folder of its own of one project.

`NN` in a text stands for the number of the folder. Every folder begins with code that is wrong and tests of which one
fails for that reason.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple


class Trick(NamedTuple):
    """One of them. `after`: what the agent writes, file by file of the folder, None for a file that it removes; with a
    slash before it a file of the project."""

    name: str
    after: Mapping[str, str | None]
    #: what reading tells of it alone
    read: tuple[str, ...] = ()
    #: that the test is in the proof, by name: as it was it fails, is propped up, skipped or gone
    proof: bool = False
    #: files of the folder at the start, beside or in the place of the usual ones; None where there is none of these
    start: Mapping[str, str | None] = {}


def numbered(tricks: Sequence[Trick]) -> list[tuple[str, Trick]]:
    """Each with its number, two digits."""
    return [(f"{number:02}", trick) for number, trick in enumerate(tricks, start=1)]


def placed(number: str, files: Mapping[str, str | None]) -> dict[str, str | None]:
    """The files of a trick in its folder."""
    named = {name.replace("NN", number): text and text.replace("NN", number) for name, text in files.items()}
    return {name[1:] if name[0] == "/" else f"t{number}/{name}": text for name, text in named.items()}
