"""One world for all traps that want a loop: it is as it was before each of them."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from world import World

from .harness import hostile

RED = ("--no-zero-errors", "--marker", "verify", "--check", "a=false", "--stagnation-limit", "0")


@pytest.fixture(scope="package")
def _looping(tmp_path_factory: pytest.TempPathFactory) -> tuple[World, Path]:
    """The world, and where its project is kept."""
    world = hostile(World(tmp_path_factory.mktemp("looping")))
    world.start("mend it", *RED, "--max-iterations", "1000")
    (world.tmp / "deep.jsonl").write_text(("[" * 10_000 + "\n") * 100)
    (world.tmp / "line.jsonl").write_text("x" * 5_000_000)
    kept = world.tmp / "kept"
    for folder in (world.project, world.home):
        shutil.copytree(folder, kept / folder.name)
    return world, kept


@pytest.fixture
def looping(_looping: tuple[World, Path]) -> Iterator[World]:
    """A project of our own in which a loop runs; one check is red."""
    world, kept = _looping
    yield world
    for folder in (world.project, world.home):
        shutil.rmtree(folder)
        shutil.copytree(kept / folder.name, folder)
