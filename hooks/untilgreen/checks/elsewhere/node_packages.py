"""A folder `node_modules` again, made of links to what is in it: workspaces, links into the project, are the copy's."""

import os

from untilgreen.checks.elsewhere import moving

NAME = "node_modules"
_TEXT = 256 * 1024  # bytes; a starter that pnpm writes is smaller
# what tools keep there for the next run: it would be written in the real one
_KEPT = (".cache", ".vite", ".vitest", ".vite-temp", ".tmp")


def mirror(old: str, new: str, move: moving.Move) -> None:
    """Make the packages at `old` again at `new`, which is not there yet. Raises OSError."""
    os.mkdir(new, 0o700)
    for name in os.listdir(old):
        one, there = os.path.join(old, name), os.path.join(new, name)
        if name in _KEPT:
            continue
        if os.path.islink(one) or not os.path.isdir(one):
            moving.link(one, there, move)
        elif name == ".bin":
            os.mkdir(there)
            for program in os.listdir(one):
                _starter(os.path.join(one, program), os.path.join(there, program), move)
        elif name.startswith("@"):
            mirror(one, there, move)
        else:
            os.symlink(one, there)


def _starter(old: str, new: str, move: moving.Move) -> None:
    """A link as npm and yarn make it, or a script as pnpm writes it, by its own place."""
    if os.path.islink(old) or os.path.getsize(old) > _TEXT:
        moving.link(old, new, move)
        return
    with open(old, "rb") as stream:
        text = move.text(stream.read())
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o700), "wb") as stream:
        stream.write(text)
