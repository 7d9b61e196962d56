"""Fixtures that every test may use."""

import copy
import functools
import gc
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

import near
import pythons
from doctors import LOCAL, host
from world import BIN, World

# what a test may need beside Python: `@pytest.mark.needs("npm")`
MACHINE: dict[str, Callable[[], bool]] = {
    "npm": lambda: shutil.which("npm") is not None,
    "go": lambda: shutil.which("go") is not None,
    "cargo": lambda: shutil.which("cargo") is not None,
    "bats": lambda: shutil.which("bats") is not None,
    "ctest": lambda: shutil.which("ctest") is not None,
    "chromium": lambda: shutil.which("chromium") is not None,
    "locks": lambda: os.path.exists("/proc/locks"),
    "zsh": lambda: shutil.which("zsh") is not None,
    "fish": lambda: shutil.which("fish") is not None,
    "strace": lambda: _runs("strace", "true"),
    "python3.12": lambda: pythons.found("3.12") != "",
    "python3.13": lambda: pythons.found("3.13") != "",
    "mounts": lambda: _runs("unshare", "--mount", "true"),
}


def _runs(*command: str) -> bool:
    try:
        return subprocess.run(command, capture_output=True, timeout=10, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


class Skips:
    """Skips are counted: as many as the missing tools explain, and no other."""

    def __init__(self) -> None:
        self.expected = 0
        self.seen = 0


# who starts the tests in the background (`nohup make test &`) has signals ignored, and what is ignored is inherited
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

# thousands of small projects are less work in memory than on a disk, where there is room and programs may run
MEMORY = Path("/dev/shm")
if MEMORY.is_dir():
    room = os.statvfs(MEMORY)
    if not room.f_flag & os.ST_NOEXEC and room.f_bavail * room.f_frsize > 4 << 30:
        tempfile.tempdir = str(MEMORY)

# the ten thousand tests that are collected are never looked at for garbage
gc.disable()

# functions that a test calls itself speak English, whatever the machine does
os.environ["UNTILGREEN_LANG"] = "en"

# a busy machine is no reason to fail
settings.register_profile("busy", deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")

SKIPS = pytest.StashKey[Skips]()


# what `make quick` leaves out: real tools and hosts, installations, races, and what runs whole commands by the hundred
SLOW = [
    *("e2e", "test_real_*", "test_installs.py", "test_launch.py", "test_monorepo.py", "test_docs.py"),
    *("test_readme.py", "test_demo.py", "test_pythons.py", "test_completion.py", "test_cold_start.py"),
    *("test_killed.py", "test_load.py", "test_faults.py", "test_doctor*.py", "test_installing.py"),
    *("test_uninstall.py", "test_inputs.py", "test_known_failures.py", "test_verified.py", "test_tricks.py"),
    *("test_never_green.py", "test_automatic_*.py", "test_by_hand.py", "test_checks.py", "test_edits_*.py"),
    *("test_own_formats.py", "test_statusline.py", "test_story.py", "test_weakened_languages.py", "faults"),
    *("hostile", "test_cli.py", "test_feedback.py", "test_formats_properties.py", "test_host_settings.py"),
]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="leave out what takes long: the inner loop's minute")
    parser.addoption("--all", action="store_true", help="what `make e2e`, `make wild` and `make faults` alone run, too")
    parser.addoption("--hosts", default="", help="of the tests on real hosts only those of these hosts")
    parser.addoption("--every", type=int, default=400, help="make every so many-th system call fail")
    parser.addoption("--kills", type=int, default=32, help="kill so many commands")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    quick = config.getoption("--quick")
    return True if quick and any(collection_path.match(pattern) for pattern in SLOW) else None


def pytest_configure(config: pytest.Config) -> None:
    config.stash[SKIPS] = Skips()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--all"):
        config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker("wide")])
        items[:] = [item for item in items if not item.get_closest_marker("wide")]
    missing = {name for name, there in MACHINE.items() if not there()}
    for item in items:
        lacking = sorted(missing.intersection(name for mark in item.iter_markers("needs") for name in mark.args))
        if lacking:
            config.stash[SKIPS].expected += 1
            item.add_marker(pytest.mark.skip(reason=f"not here: {', '.join(lacking)}"))


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    # every worker collects everything, so each knows the whole number
    node.config.stash[SKIPS].expected = getattr(node, "workeroutput", {}).get("expected_skips", 0)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.skipped and not hasattr(report, "wasxfail"):
        _SEEN.append(report.nodeid)


_SEEN: list[str] = []


def pytest_unconfigure() -> None:
    near.end()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    skips = session.config.stash[SKIPS]
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["expected_skips"] = skips.expected
        return
    if not session.config.option.collectonly and len(_SEEN) != skips.expected:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    terminalreporter.write_line(
        f"skips: {len(_SEEN)}, expected from what this machine lacks: {config.stash[SKIPS].expected}"
    )


@pytest.fixture
def every(request: pytest.FixtureRequest) -> int:
    """Of how many system calls one is made to fail."""
    number: int = request.config.getoption("--every")
    return number


@pytest.fixture
def kills(request: pytest.FixtureRequest) -> int:
    """How many commands are killed."""
    number: int = request.config.getoption("--kills")
    return number


@pytest.fixture
def world(tmp_path: Path, tools: tuple[str, ...]) -> World:
    """A world with an empty project that is no git repository."""
    return World(tmp_path, *tools)


@pytest.fixture
def tools(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """The checkers that the test asks for beside ruff: `@pytest.mark.tools("mypy")`."""
    return tuple(name for mark in request.node.iter_markers("tools") for name in mark.args)


@pytest.fixture
def red(world: World) -> World:
    """A world whose project, a git repository that chose ruff, has one error: an unused import."""
    world.write({"app.py": "import os\n\nVALUE = 1\n", "ruff.toml": ""})
    world.commit()
    return world


@pytest.fixture
def green(world: World) -> World:
    """A world whose project, a git repository that chose ruff, has nothing to complain about."""
    world.write({"app.py": "VALUE = 1\n", "ruff.toml": ""})
    world.commit()
    return world


@pytest.fixture
def watched(world: World) -> World:
    """A green world in which the hooks were registered, and nobody began a loop. Its one checker is ruff: ast-grep,
    which takes ten times as long, would lie beside our own interpreter."""
    world.write({"app.py": "VALUE = 1\n", "ruff.toml": "", "untilgreen.toml": "[checks.ast-grep]\nenabled = false\n"})
    world.commit()
    world.init()
    return world


@pytest.fixture
def secured(watched: World) -> World:
    """The same with ast-grep, which looks for what is insecure."""
    (watched.project / "untilgreen.toml").unlink()
    watched.commit()
    return watched


@pytest.fixture
def quick(world: World) -> World:
    """A world whose PATH has nothing of the machine but these programs, and whose project chose ruff.

    No git repository, no loop.
    """
    world.write({"ruff.toml": ""})
    programs = world.tmp / "programs"
    programs.mkdir()
    for name in ("ruff", "git", "env", "sh"):
        found = shutil.which(name, path=f"{BIN}{os.pathsep}{os.defpath}")
        assert found, name
        (programs / name).symlink_to(found)
    world.env["PATH"] = str(programs)
    return world


@pytest.fixture
def project(quick: World) -> World:
    """A quick world whose project has one error."""
    quick.write({"app.py": "import os\n"})
    return quick


@pytest.fixture
def make_world(tmp_path: Path, tools: tuple[str, ...]) -> Callable[[str], World]:
    """As many worlds as a test wants, by name."""

    def make(name: str) -> World:
        folder = tmp_path / name
        folder.mkdir()
        return World(folder, *tools)

    return make


@pytest.fixture(autouse=True, scope="session")
def _nobodys_home() -> Iterator[None]:
    """Code under test that runs in this process must not find the developer's own home."""
    before = os.environ.get("HOME")
    os.environ["HOME"] = os.devnull
    yield
    if before is not None:
        os.environ["HOME"] = before


@pytest.fixture(scope="session")
def _wells(tmp_path_factory: pytest.TempPathFactory) -> Callable[[tuple[str, ...]], tuple[World, Path]]:
    """By the tools on its PATH, a world as `well` wants it, and where its folder is kept."""

    @functools.cache
    def made(tools: tuple[str, ...]) -> tuple[World, Path]:
        folder = tmp_path_factory.mktemp("well")
        world = World(folder, *tools)
        world.write({"app.py": "VALUE = 1\n", "ruff.toml": ""})
        world.commit()
        host("2.1.330")(world)
        (world.project / ".git/info/exclude").write_text(f"{LOCAL}\n")
        assert world.run("untilgreen", "init").code == 0
        return world, folder.rename(folder.with_name(f"{folder.name}-kept"))

    return made


@pytest.fixture
def well(
    _wells: Callable[[tuple[str, ...]], tuple[World, Path]], tools: tuple[str, ...], tmp_path: Path
) -> Iterator[World]:
    """A world in which nothing is broken: registered, trusted, with a host on PATH. The same for every test, and each
    finds it as it was made."""
    made, kept = _wells(tools)
    world, folder = copy.copy(made), made.project.parent
    world.env = dict(made.env)
    shutil.copytree(kept, folder, symlinks=True)
    yield world
    folder.rename(tmp_path / "used")
