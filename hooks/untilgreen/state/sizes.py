"""Which object a file's content is, remembered by its size and times: what did not change is not read again."""

import json
import os
import time
from collections.abc import Container
from contextlib import suppress

from untilgreen.project import files
from untilgreen.state import store

FILE = "sizes.json"
_LARGEST = 64 * 1024 * 1024  # bytes of the document
# seconds; a file may be changed twice within what its time tells apart, so a newer one is not remembered
_FRESH = 2.0


class Sizes:
    """What a store remembers of the files of a project: by path, size, times and name. It lies in its folder."""

    def __init__(self, folder: str, root: str) -> None:
        self._path, self._root = os.path.join(folder, FILE), root
        self._began = time.time_ns()
        self._known: dict[str, list[object]] = {}
        self._changed = False
        with suppress(OSError, ValueError, RecursionError):
            found = json.loads(files.read(self._path, _LARGEST))
            if isinstance(found, dict) and found.get("project") == root and isinstance(found.get("files"), dict):
                self._known = found["files"]

    def known(self, path: str, info: os.stat_result) -> str:
        """The name of the object that the file is, "" where that is not known."""
        *stamp, name = self._known.get(path, [""])
        return str(name) if stamp == _stamp(info) else ""

    def note(self, path: str, info: os.stat_result, name: str) -> None:
        """Remember it, if its time is far enough back."""
        if self._began - max(info.st_mtime_ns, info.st_ctime_ns) > _FRESH * 1e9:
            self._known[path] = [*_stamp(info), name]
            self._changed = True

    def forget(self, names: Container[str]) -> None:
        """Forget all files whose objects are not among these."""
        self._known = {path: one for path, one in self._known.items() if one[-1] in names}
        self._changed = True

    def save(self) -> None:
        """Write down what was noted; what cannot be written is read again next time."""
        if self._changed:
            document = {"project": self._root, "files": self._known}
            with suppress(OSError):
                store.write_text(self._path, json.dumps(document, separators=(",", ":")), durable=False)


def _stamp(info: os.stat_result) -> list[int]:
    return [info.st_size, info.st_mtime_ns, info.st_ctime_ns]
