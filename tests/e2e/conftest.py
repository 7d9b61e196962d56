"""Fixtures: the two versions of the host, and sandboxes that are cleaned up."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from untilgreen.hosts import DEFAULT
from world import REPOSITORY, provide

from .guest import Guest, NewGuest
from .host import Host, NewHost
from .install import PINNED, install
from .model import AFTER, Model, Turn
from .programs import NAMES, Program, get
from .records import Recorder
from .scenes import NewScene, Scene
from .seen import Seen

PARTS = ("plugins", ".claude-plugin", ".codex-plugin", ".github", "hooks", "templates", "pyproject.toml")


def pytest_configure(config: pytest.Config) -> None:
    """Note what was seen."""
    config.pluginmanager.register(Seen())


@pytest.fixture(params=["latest", pytest.param(PINNED, marks=pytest.mark.wide)])
def binary(request: pytest.FixtureRequest) -> Path:
    """The executable of each version the tests run on; the older one with --all."""
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


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The plugin's files and no others: an installation copies the whole folder."""
    market = tmp_path / "market"
    market.mkdir()
    for part in PARTS:
        source = REPOSITORY / part
        if source.is_file():
            shutil.copy(source, market)
        else:
            shutil.copytree(source, market / part, ignore=shutil.ignore_patterns("__pycache__"))
    return market


@pytest.fixture
def new_guest(program: Program, version: str, tmp_path: Path, tools: tuple[str, ...]) -> Iterator[NewGuest]:
    """Makes sandboxes for `program`, registered there, each with a scripted model; all gone after the test."""
    programs = provide(tmp_path / "programs", *tools)
    folders = program.folders(version)
    with ExitStack() as stack:
        made: list[Guest] = []

        def make(turns: Callable[[Program], Sequence[Turn]] = lambda _: (), after: Turn = AFTER, **rest: Any) -> Guest:
            model = stack.enter_context(Model(turns(program), (), after))
            root = tmp_path / f"guest-{len(made) + 1}"
            guest = Guest(program, folders, root, model, path=[programs], **rest)
            stack.callback(guest.reap)
            made.append(guest)
            return guest

        yield make


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Each scene for every host on its pinned version (in `test_HOST.py` for that one); with --all alone for those that
    its mark `hosts` does not name, and the core ones on the newest."""
    if "new_guest" not in metafunc.fixturenames:
        return
    own = metafunc.module.__name__.rpartition("test_")[2].replace("_", "-")
    there = [one for name in NAMES if own not in NAMES or name == own if (one := get(name))]
    is_wide = metafunc.definition.get_closest_marker("wide") is not None
    kinds = metafunc.definition.get_closest_marker("hosts")
    few = [one.name for one in there if one.name != DEFAULT and (kinds is None or one.name in kinds.args)]
    cases = []
    for one in there:
        scene = metafunc.function.__name__
        if scene in one.cannot or ("at_its_terminal" in scene and not one.ready):
            continue
        if "as_a_plugin" in scene and not one.plugs:
            continue
        if own not in NAMES and not (one.headless or "at_its_terminal" in scene):
            continue
        cases.append(pytest.param(one, "pinned", id=one.name, marks=[] if one.name in few else [pytest.mark.wide]))
        if one.newest and not is_wide:
            cases.append(pytest.param(one, "latest", id=f"{one.name}-newest", marks=pytest.mark.wide))
    metafunc.parametrize(("program", "version"), cases)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With --hosts only their tests."""
    hosts = str(config.getoption("--hosts")).split()
    if hosts:
        left = [item for item in items if "e2e" in item.path.parts and _host(item) not in hosts]
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if item not in left]


def _host(item: pytest.Item) -> str:
    """Whose test it is: a scene's by its program, a host's own by its file's name, all others are Claude Code's."""
    callspec = getattr(item, "callspec", None)
    if callspec is not None and "program" in callspec.params:
        return str(callspec.params["program"].name)
    name = item.path.stem.removeprefix("test_")
    return name if name in NAMES else DEFAULT
