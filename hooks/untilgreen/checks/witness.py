"""What of the project a run had from the work tree, not from the copy: told by the interpreters themselves.

Each Python of an environment of ours loads a module that looks, when the interpreter ends, where the project's
modules came from. What ends without its end (`os._exit`) tells nothing.
"""

import os

NAME = "_untilgreen_witness"
_TEXT = """import atexit, os, sys


def _tell(root={root!r}, folder={folder!r}, open=os.open, write=os.write, join=os.path.join, number=os.getpid):
    try:
        for name, module in list(sys.modules.items()):
            try:
                path = object.__getattribute__(module, "__dict__").get("__file__")
            except Exception:
                continue
            if type(path) is str and path.startswith(root) and "site-packages" not in path:
                write(open(join(folder, str(number())), {flags}), (path + "\\n").encode())
                return
    except BaseException:
        pass


atexit.register(_tell)
"""


def module(root: str, folder: str) -> bytes:
    """The module's text: it puts a file into the folder where something was loaded from the project at `root`."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    return _TEXT.format(root=os.path.join(root, ""), folder=folder, flags=flags).encode()


def heard(folder: str) -> str:
    """A file of the work tree that was loaded in a run; "" where none was. Raises OSError."""
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), encoding="utf-8", errors="surrogateescape") as stream:
            return stream.readline(4096).rstrip("\n")
    return ""
