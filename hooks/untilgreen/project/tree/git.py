"""Git, asked without its locks and without running anything that a repository names.

A `.git` folder that came in an archive, or a `.git` file that leads into the project, is somebody else's word: its
configuration names programs. Of the commands that we give, those are a file system monitor, hooks, filters (see
`unfiltered`), the transports that fetch what a partial clone lacks, and what a submodule names, which none may enter.
"""

import _signal  # type: ignore[import-not-found]  # is loaded; `subprocess` and its `signal` cost more than git
import os
import select
import time
from collections.abc import Iterable, Iterator, Mapping

from untilgreen.core.record import Any, NamedTuple
from untilgreen.project import pipes
from untilgreen.project.tools import on_path
from untilgreen.project.toplevel import objects

_SECONDS = 10.0  # for each process
_SECONDS_FOR_ONE = 5.0  # for each object that one process reads
_LONGEST = 200  # bytes of the line before an object
# the only variables of git's that do not point at some repository: a hook that git runs sets the others
_KEPT = (
    *("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"),
    *("GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_"),
    "GIT_EXEC_PATH",
)
# what a partial clone lacks is not fetched; a git that does not know how to leave that has no transport for it
_SET = {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "", "LC_ALL": "C"}
_PLAIN = (
    "core.quotepath=off",
    "core.fsmonitor=",  # before git 2.36 "false" is a program, too
    f"core.hooksPath={os.devnull}",
    "safe.bareRepository=explicit",  # a folder of the project that looks like a repository is none
    *("core.trustctime=true", "core.checkStat=default", "core.ignoreStat=false"),  # the times of files can be set
)

_CONVERTING = r"^(filter\.|core\.(autocrlf|eol|attributesfile)$)"
_IGNORED = (_signal.SIGPIPE, _signal.SIGXFSZ)  # by Python, and by nobody else
# where git took too long: it may wait at a pipe for ever, and is not asked again by this process
_SILENT: set[str] = set()


class Asked(NamedTuple):
    """Git at work in a project."""

    root: str
    pid: int
    printed: int  #: the descriptor of what it prints
    told: int = -1  #: that of what it is told line by line, -1 where that is nothing


def ignored(root: str, *paths: str) -> bool:
    """Whether git ignores one of the files (relative to `root`) and does not track it; False where git has no say."""
    return end(start(root, "check-ignore", "-q", "--", *paths))[0] == 0


def unfiltered(root: str) -> tuple[tuple[str, ...] | None, bool]:
    """Git's options with which no filter runs, none where nobody defined one; None where git cannot say. And whether
    the configuration says something of line ends, or of attributes.

    Attributes come from too many places to be switched off (`.git/info/attributes` always counts), and those of line
    ends run nothing: so each filter is called by its name and gets no program.
    """
    code, listed = end(start(root, "config", "-z", "--name-only", "--get-regexp", _CONVERTING))
    keys = [key for key in listed.split(b"\0") if key]
    filters = [key for key in keys if key.startswith(b"filter.")]
    names = {os.fsdecode(key[len(b"filter.") :]).rpartition(".")[0] for key in filters}
    if code not in (0, 1) or any("=" in name for name in names):  # 1: there is none; an option's name ends at "="
        return None, True
    emptied = (f"filter.{name}.{what}" for name in sorted(names) for what in ("clean=", "process=", "required=0"))
    return _options(emptied), len(keys) > len(filters)


def _options(settings: Iterable[str]) -> tuple[str, ...]:
    return tuple(word for setting in settings for word in ("-c", setting))


def attributes(root: str) -> Iterator[str]:
    """Where attributes may be that no list of files shows."""
    yield os.path.join(os.path.dirname(objects(root)), "info", "attributes")
    home = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    yield from (os.path.join(root, ".gitattributes"), os.path.join(home, "git", "attributes"), "/etc/gitattributes")


def is_blob(data: bytes, name: str, kind: bytes = b"blob") -> bool:
    """Whether this is the content of git's object of that name; `kind`: what it is, if no file."""
    import hashlib  # loads OpenSSL, and few projects ask

    algorithm = hashlib.sha256 if len(name) == 64 else hashlib.sha1
    try:
        return algorithm(b"%s %d\0" % (kind, len(data)) + data, usedforsecurity=False).hexdigest() == name
    except ValueError:  # a system that forbids SHA-1
        return False


def start(
    root: str, *arguments: str, telling: bool = False, more: Mapping[str, str] = {}, heard: str = os.devnull
) -> Asked | None:
    """Start git without its locks and without the project's programs; None when it is missing, or did not answer
    before. The work tree is the root, wherever the repository says that it is. `telling`: it is told more, else it
    reads the file `heard`. `more`: variables that go before ours.

    What looks into files (`status`) needs the options of `unfiltered` before its name.
    """
    if root in _SILENT or not (program := on_path("git", root, os.environ, trusted=False)):
        return None
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name.startswith(_KEPT)}
    env = {
        **kept,
        **without_devices(kept),
        **_SET,
        "GIT_WORK_TREE": root,
        "GIT_CEILING_DIRECTORIES": os.path.dirname(root),
        **more,
    }
    words = (program, "-C", root, "--no-optional-locks", *_options(_PLAIN), *arguments)
    ours, its = [], []
    try:
        printed, into = os.pipe()
        ours, its = [printed], [into]
        if telling:
            theirs, told = os.pipe()
            ours, its = [printed, told], [into, theirs]
        pid = os.posix_spawn(program, words, env, file_actions=_streams(heard, *its), setsigdef=_IGNORED)
    except OSError:
        for fd in ours:
            os.close(fd)
        return None
    finally:
        for fd in its:
            os.close(fd)
    return Asked(root, pid, *ours)


def without_devices(env: Mapping[str, str]) -> dict[str, str]:
    """The variables that name a configuration, without a device or a pipe: git, and what reads as git does, would read
    for ever."""
    named = {name: env[name] for name in _KEPT[:2] if name in env}
    return {
        name: path if os.path.isfile(path) or not os.path.exists(path) else os.devnull for name, path in named.items()
    }


def _streams(file: str, into: int, heard: int = -1) -> list[tuple[Any, ...]]:
    """A file to read, or what it is told; what is printed into the pipe, and what is complained of nowhere."""
    null: list[tuple[Any, ...]] = [
        (os.POSIX_SPAWN_OPEN, 0, file, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_RDWR, 0),
    ]
    if heard < 0:
        return [(os.POSIX_SPAWN_DUP2, into, 1), *null]  # the pipe may be one of these two
    # by way of 2: each end may have the number of the other's place
    return [(os.POSIX_SPAWN_DUP2, *pair) for pair in ((heard, 2), (into, 1), (2, 0))] + null[1:]


def end(asked: Asked | None, seconds: float = _SECONDS, *, hurried: bool = False) -> tuple[int, bytes]:
    """Git's exit code and what it printed; (-1, b"") when it is missing or takes more than `seconds` from now.

    `hurried`: they are too few to say that it never answers.
    """
    if asked is None:
        return -1, b""
    try:
        until = time.monotonic() + (0 if asked.root in _SILENT else seconds)
        printed = _all_of(asked.printed, min(until, time.monotonic() + pipes.SECONDS))
        if printed is None and time.monotonic() < until and not any([*map(pipes.frees, pipes.below(asked.root))]):
            printed = _all_of(asked.printed, until)
        if printed is None and not hurried:
            _SILENT.add(asked.root)
    except BaseException:
        printed = None
        raise
    finally:
        os.close(asked.printed)
        if printed is None:
            os.kill(asked.pid, _signal.SIGKILL)
        code = _code(asked.pid)
    return (-1, b"") if printed is None else (code, printed)


def _all_of(fd: int, until: float) -> bytes | None:
    """What is printed there to the end, None where that takes longer."""
    found: list[bytes] = []
    poll = select.poll()
    poll.register(fd, select.POLLIN | select.POLLHUP)
    while True:
        left = until - time.monotonic()
        if left < 0 or not poll.poll(left * 1000):
            return None
        if not (part := os.read(fd, 65_536)):
            return b"".join(found)
        found.append(part)


def _code(pid: int) -> int:
    try:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    except ChildProcessError:  # nobody knows how it ended
        return -1


class Batch:
    """Objects out of a git folder, one after another, all read by one `git cat-file --batch`, which begins with the
    first question.

    `root`: the project in which git works; `env`: variables that name the folder. `close` ends it.
    """

    def __init__(self, root: str, env: Mapping[str, str]) -> None:
        self._root, self._env = root, env
        self._asked: Asked | None = None
        self._begun = False
        self._left = bytearray()

    def read(self, name: str) -> bytes | None:
        """An object's data, of its full name; None where git has it not (it believes what lies there) or is gone."""
        if not self._begun:
            self._begun = True
            self._asked = start(self._root, "cat-file", "--batch", telling=True, more=self._env)
        if self._asked is None:
            return None
        until = time.monotonic() + _SECONDS_FOR_ONE
        try:
            os.write(self._asked.told, f"{name}\n".encode())
            while b"\n" not in self._left and len(self._left) <= _LONGEST:
                self._left += _part(self._asked.printed, until)
            line = bytes(self._left[: self._left.index(b"\n") + 1])
            del self._left[: len(line)]
            words = line.split()
            if len(words) != 3:  # "NAME missing"
                return None
            size = int(words[2])
            while len(self._left) <= size:  # a line ends it
                self._left += _part(self._asked.printed, until)
            data = bytes(self._left[:size])
            del self._left[: size + 1]
            if not is_blob(data, name, words[1]):
                return None
        except (OSError, ValueError):  # it died, or takes too long: what it says now may belong to another question
            self.close()
            return None
        return data

    def close(self) -> None:
        """End the process, whose words nobody reads; nothing is read any more."""
        asked, self._asked = self._asked, None
        if asked is not None:
            os.close(asked.told)
            os.close(asked.printed)
            os.kill(asked.pid, _signal.SIGKILL)
            _code(asked.pid)


def _part(fd: int, until: float) -> bytes:
    """What is printed next. Raises OSError where nothing comes."""
    poll = select.poll()
    poll.register(fd, select.POLLIN | select.POLLHUP)
    if not poll.poll(max(0.0, until - time.monotonic()) * 1000) or not (part := os.read(fd, 1 << 20)):
        raise OSError("git does not answer")
    return part
