"""Where one session of one project keeps its files."""

from typing import NamedTuple


class Place(NamedTuple):
    """Where the files of one session are."""

    #: the project's root
    root: str
    #: the state folder
    base: str
    #: the name of the session's folder
    session: str

    @property
    def folder(self) -> str:
        """The session's own folder."""
        return f"{self.base}/sessions/{self.session}"

    def file(self, name: str) -> str:
        """The path of one of the session's files."""
        return f"{self.folder}/{name}"
