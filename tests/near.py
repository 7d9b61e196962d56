"""Our executables without the start of an interpreter: a server that has loaded the package forks for every call.

Each call is a process of its own, with its own environment, folder, streams and moment of creation, and runs the
function that the installed console script runs. It does not show the start itself: loaded modules, `-I`, the script.
"""

import ctypes
import functools
import gc
import importlib
import io
import json
import os
import pkgutil
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

_BIG = 2**21  # bytes of a page
_COLLAPSE = 25  # MADV_COLLAPSE, of Linux 6.1


class Run(NamedTuple):
    """What came of a call, and what it took: seconds of the processor, with those of all that it waited for."""

    code: int
    stdout: bytes
    stderr: bytes
    seconds: float


@functools.cache
def names() -> frozenset[str]:
    """The executables of the package."""
    return frozenset(_scripts())


class Call(NamedTuple):
    """An executable with its words, and what it reads."""

    words: tuple[str, ...]
    stdin: bytes = b""


def run(
    calls: Sequence[Call], env: Mapping[str, str], cwd: Path, seconds: float = 120, memory: int = resource.RLIM_INFINITY
) -> list[Run]:
    """Call executables at once, each to its end; after so many seconds SIGALRM ends one. `memory`: bytes for each."""
    server = _server()
    assert server.stdin
    assert server.stdout
    with tempfile.TemporaryDirectory() as folder:
        streams = [[f"{folder}/{n}-{name}" for name in ("in", "out", "err")] for n in range(len(calls))]
        for call, paths in zip(calls, streams, strict=True):
            Path(paths[0]).write_bytes(call.stdin)
        wanted = [{"words": call.words, "streams": paths} for call, paths in zip(calls, streams, strict=True)]
        asked = {"calls": wanted, "env": dict(env), "cwd": str(cwd), "seconds": seconds, "memory": memory}
        server.stdin.write(json.dumps(asked).encode("ascii") + b"\n")
        server.stdin.flush()
        ends = json.loads(server.stdout.readline())
        return [
            Run(code, Path(out).read_bytes(), Path(err).read_bytes(), took)
            for (code, took), (_, out, err) in zip(ends, streams, strict=True)
        ]


@functools.cache
def _server() -> "subprocess.Popen[bytes]":
    """One for each process that runs tests; it ends when nobody can call it any more."""
    kept = {key: value for key, value in os.environ.items() if key in ("LANG", "PATH") or key.startswith("COVERAGE_")}
    env = kept | {"HOME": os.devnull}
    return subprocess.Popen([sys.executable, __file__], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def end() -> None:
    """Wait for the server's end, where there is one: then its time counts as that of the tests."""
    if _server.cache_info().currsize:
        server = _server()
        _server.cache_clear()
        server.communicate()


def _scripts() -> dict[str, metadata.EntryPoint]:
    return {one.name: one for one in metadata.distribution("untilgreen").entry_points if one.group == "console_scripts"}


def _serve() -> None:
    import untilgreen
    from untilgreen.checkers.formats import linters
    from untilgreen.loops.begin import first_look
    from untilgreen.loops.stop import payload
    from untilgreen.settings import load

    for module in pkgutil.walk_packages(untilgreen.__path__, "untilgreen."):
        importlib.import_module(module.name)
    mains = {name: one.load() for name, one in _scripts().items()}
    first_look._BASELINE = first_look._CHECKS = 60.0  # what a start finds does not hang on how busy the machine is
    load._SECONDS = payload._SECONDS = linters._SECONDS = 0.3  # what has no end has none in three seconds either
    _live()
    sys.path.pop(0)  # the tests' own folder
    _in_big_pages()
    gc.freeze()  # what is loaded stays where it is: a child copies no page of it to look for garbage
    for line in sys.stdin.buffer:
        asked = json.loads(line)
        children = [_forked(mains, call["words"], call["streams"], asked) for call in asked["calls"]]
        ends = [os.wait4(child, 0)[1:] for child in children]
        told = [(os.waitstatus_to_exitcode(how), took.ru_utime + took.ru_stime) for how, took in ends]
        print(json.dumps(told), flush=True)


def _live() -> None:
    """A loop's life in this process: what it loads, compiles and reads of our own is there for every child: a fifth of
    its time."""
    from in_process import untilgreen
    from untilgreen.loops.stop import dispatch
    from world import World

    with tempfile.TemporaryDirectory() as folder, redirect_stdout(io.StringIO()):
        world = World(Path(folder))
        world.write({"app.py": "import os\n", "ruff.toml": ""})
        world.commit()
        untilgreen(world, "init")
        untilgreen(world, "start", "mend it", "--session", world.session, "--max-iterations", "9")
        for name, payload in {
            "session-loop": world.payload(hook_event_name="UserPromptSubmit", prompt="hello"),
            "post-tool-lint": world.edited("app.py", "import os\n", None),
            "stop-loop": world.payload(),
        }.items():
            dispatch.answer(name, json.dumps(payload).encode(), world.env, {})
        untilgreen(world, "status")
        untilgreen(world, "check")


def _in_big_pages() -> None:
    """Put this process's memory into big pages, where the system has them: each fork copies the list of the small ones,
    3 ms of the 10 to 60 that a call takes."""
    maps, advise = Path("/proc/self/maps"), ctypes.CDLL(None).madvise
    advise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    for line in maps.read_text().splitlines() if maps.exists() else ():
        where, mode, *_, file = line.split()  # "0" where it is of no file
        begin, end = (int(one, 16) // _BIG for one in where.split("-"))
        if mode == "rw-p" and file in ("0", "[heap]") and end > begin + 1:
            advise((begin + 1) * _BIG, (end - begin - 1) * _BIG, _COLLAPSE)


def _forked(
    mains: Mapping[str, Callable[[], object]], words: list[str], streams: list[str], asked: Mapping[str, Any]
) -> int:
    child = os.fork()
    if child == 0:
        signal.setitimer(signal.ITIMER_REAL, asked["seconds"])
        resource.setrlimit(resource.RLIMIT_AS, (asked["memory"], asked["memory"]))
        _child(mains[words[0]], words, asked["env"], asked["cwd"], streams)
    return child


def _child(main: Callable[[], object], words: list[str], env: dict[str, str], cwd: str, streams: list[str]) -> NoReturn:
    for fd, path in enumerate(streams):
        opened = os.open(path, os.O_RDONLY if fd == 0 else os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(opened, fd)
        os.close(opened)
    sys.stdin, sys.stdout, sys.stderr = (
        io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)), encoding="utf-8"),
        *(io.TextIOWrapper(io.BufferedWriter(io.FileIO(fd, "w", closefd=False)), encoding="utf-8") for fd in (1, 2)),
    )
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    sys.argv = [os.path.join(os.path.dirname(sys.executable), words[0]), *words[1:]]
    try:
        code = main()
    except SystemExit as ended:
        code = ended.code
    except BaseException:  # noqa: BLE001 as an interpreter ends
        sys.excepthook(*sys.exc_info())
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else 1 if code else 0)


if __name__ == "__main__":
    _serve()
