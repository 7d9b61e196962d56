"""Our executables without the start of an interpreter: a server that has loaded the package forks for every call.

Each call is a process of its own, with its own environment, folder, streams and moment of creation, and runs the
function that the installed console script runs. It does not show the start itself: loaded modules, `-I`, the script.
"""

import functools
import gc
import importlib
import io
import json
import os
import pkgutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from importlib import metadata
from pathlib import Path
from typing import NamedTuple, NoReturn


class Run(NamedTuple):
    """What came of a call."""

    code: int
    stdout: bytes
    stderr: bytes


@functools.cache
def names() -> frozenset[str]:
    """The executables of the package."""
    return frozenset(_scripts())


def run(words: tuple[str, ...], stdin: bytes, env: Mapping[str, str], cwd: Path, seconds: float = 120) -> Run:
    """Call an executable, to its end; after so many seconds SIGALRM ends it."""
    with tempfile.TemporaryDirectory() as folder:
        streams = [os.path.join(folder, name) for name in ("in", "out", "err")]
        Path(streams[0]).write_bytes(stdin)
        server = _server()
        assert server.stdin
        assert server.stdout
        call = {"words": words, "env": dict(env), "cwd": str(cwd), "streams": streams, "seconds": seconds}
        server.stdin.write(json.dumps(call).encode("ascii") + b"\n")
        server.stdin.flush()
        answer = server.stdout.readline()
        return Run(int(answer), *(Path(path).read_bytes() for path in streams[1:]))


@functools.cache
def _server() -> "subprocess.Popen[bytes]":
    """One for each process that runs tests; it ends when nobody can call it any more."""
    env = {key: os.environ[key] for key in ("LANG", "PATH") if key in os.environ} | {"HOME": os.devnull}
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

    sys.path.pop(0)  # the tests' own folder
    for module in pkgutil.walk_packages(untilgreen.__path__, "untilgreen."):
        importlib.import_module(module.name)
    mains = {name: one.load() for name, one in _scripts().items()}
    gc.freeze()  # what is loaded stays where it is: a child copies no page of it to look for garbage
    for line in sys.stdin.buffer:
        call = json.loads(line)
        pid = os.fork()
        if pid == 0:
            signal.setitimer(signal.ITIMER_REAL, call["seconds"])
            _child(mains[call["words"][0]], call["words"], call["env"], call["cwd"], call["streams"])
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        print(code, flush=True)


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
