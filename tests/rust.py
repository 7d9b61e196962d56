"""What a world needs so that cargo works in it."""

import os
import shutil
from pathlib import Path

from world import World

_HOME = Path(os.path.expanduser("~"))  # of whoever runs the tests: their own are elsewhere


def with_cargo(world: World) -> World:
    """The same world with the machine's cargo on its PATH, and the toolchains where rustup keeps them."""
    world.env["PATH"] += os.pathsep + os.path.dirname(shutil.which("cargo") or "")
    toolchains = Path(os.environ.get("RUSTUP_HOME") or _HOME / ".rustup")
    if toolchains.is_dir():
        world.env["RUSTUP_HOME"] = str(toolchains)
    return world
