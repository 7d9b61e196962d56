"""`untilgreen` in this process: an interpreter takes longer to start than most commands to do what they are for."""

import os
from collections.abc import Iterator
from contextlib import chdir, contextmanager

from untilgreen.cli import errors, root
from world import World


def untilgreen(world: World, *words: str) -> int:
    """What `untilgreen` with these words does in the world's project; its exit code."""
    with chdir(world.project), _environment(world):
        return errors.run(root.group, words)


@contextmanager
def _environment(world: World) -> Iterator[None]:
    before = dict(os.environ)
    try:
        os.environ.clear()
        os.environ.update(world.env)
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
