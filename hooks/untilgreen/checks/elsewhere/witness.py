"""What of the project a run had from the work tree, not from the copy: told by the interpreters themselves.

Each Python of an environment of ours loads a module that looks, when the interpreter ends, where the project's
modules came from. What ends without its end (`os._exit`) tells nothing.
"""

import os
from collections.abc import Sequence

from untilgreen.core.record import NamedTuple

NAME = "_untilgreen_witness"
_TEXT = """import atexit, os, sys

root, installed, folder = {root!r}, {installed!r}, {folder!r}


def _tell(open=os.open, write=os.write, join=os.path.join, number=os.getpid):
    try:
        for name, module in list(sys.modules.items()):
            try:
                path = object.__getattribute__(module, "__dict__").get("__file__")
            except (AttributeError, TypeError):
                continue  # something that is no module
            if type(path) is not str:
                continue
            if path.startswith(installed) or (path.startswith(root) and "site-packages" not in path):
                write(open(join(folder, str(number())), {flags}), (path + "\\n").encode())
                return
    except FileNotFoundError:
        pass  # nobody listens any more


atexit.register(_tell)
"""


class Testimony(NamedTuple):
    """What is told of a run, and where."""

    #: the project's, absolute
    root: str
    #: where it is told, a file for each process
    folder: str

    def module(self, installed: Sequence[str] = ()) -> bytes:
        """The text of the module. `installed`: where the project's packages are if they were installed as copies."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        root = os.path.join(self.root, "")
        return _TEXT.format(root=root, installed=tuple(installed), folder=self.folder, flags=flags).encode()

    def heard(self) -> str:
        """What of the project was loaded that is not the copy's, and how; "" where nothing was. Raises OSError."""
        for name in sorted(os.listdir(self.folder)):
            with open(os.path.join(self.folder, name), encoding="utf-8", errors="surrogateescape") as stream:
                path = stream.readline(4096).rstrip("\n")
            if path.startswith(os.path.join(self.root, "")) and "site-packages" not in path:
                return f"{os.path.relpath(path, self.root)} was imported from the work tree"
            return f"{path.rpartition('site-packages' + os.sep)[2]} was imported as it is installed"
        return ""
