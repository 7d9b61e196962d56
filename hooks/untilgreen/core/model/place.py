"""Where one session of one project keeps its files."""

from typing import NamedTuple


class Place(NamedTuple):
    """`root` is the project's, `base` the state folder, `session` the key of the session (its folder's name)."""

    root: str
    base: str
    session: str

    @property
    def folder(self) -> str:
        """The session's own folder."""
        return f"{self.base}/sessions/{self.session}"

    def file(self, name: str) -> str:
        """The path of one of the session's files."""
        return f"{self.folder}/{name}"
