"""Fixtures: the two versions of the host, and sandboxes that are cleaned up."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from world import provide

from .host import Host, NewHost
from .install import PINNED, install
from .model import AFTER, Model, Turn
from .records import Recorder
from .scenes import NewScene, Scene


@pytest.fixture(params=["latest", pytest.param(PINNED, marks=pytest.mark.wide)])
def binary(request: pytest.FixtureRequest) -> Path:
    """The executable of each version the tests run on; the older one with --all, or where a test says `ON_BOTH`."""
    return install(request.param)


@pytest.fixture
def new_host(binary: Path, tmp_path: Path) -> Iterator[NewHost]:
    """Makes sandboxes: each with a scripted model of its own, both gone after the test."""
    with ExitStack() as stack:
        made: list[Host] = []

        def make(turns: Sequence[Turn] = (), subagent: Sequence[Turn] = (), after: Turn = AFTER, **rest: Any) -> Host:
            model = stack.enter_context(Model(turns, subagent, after))
            host = Host(binary, tmp_path / f"host-{len(made) + 1}", model, **rest)
            stack.callback(host.reap)
            made.append(host)
            return host

        yield make


@pytest.fixture
def recorder(tmp_path: Path) -> Recorder:
    return Recorder(tmp_path / "hooks.jsonl")


@pytest.fixture
def new_scene(new_host: NewHost, tmp_path: Path, tools: tuple[str, ...]) -> NewScene:
    """Makes scenes: sandboxes of `new_host` in which untilgreen is installed and ruff is on the PATH."""
    programs = provide(tmp_path / "programs", *tools)

    def make(turns: Sequence[Turn] = (), subagent: Sequence[Turn] = (), after: Turn = AFTER, **rest: Any) -> Scene:
        return Scene(new_host(turns, subagent, after, path=[programs], **rest))

    return make
