"""Processes: started without a shell, each in a group of its own, in parallel, bounded in time and output.

A group is killed when its time is up, when its main process is gone, and when we are told to stop ourselves.
"""

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress

from untilgreen import hosts
from untilgreen.core.model.outcome import Output
from untilgreen.core.record import NamedTuple
from untilgreen.project.pipes import Pipes
from untilgreen.project.tree import git

CAP = 64 * 1024 * 1024  # bytes of each stream; a tool that says more is broken
COMMAND = 100_000  # bytes of words on one command line; systems take ten times that and more
_GRACE = 0.5  # seconds between SIGTERM and SIGKILL; hosts kill a hook one second after their own SIGTERM
_CHUNK = 65_536
_SILENT, _LEFT_BEHIND = 0.2, 1.0  # seconds that what a process left behind in its group is listened to
_NOT_BEGUN = Output(None, "", "", why="was no longer waited for")
_ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
# what would change the form of a tool's output, or send it elsewhere
_QUIET = {"LC_ALL": "C.UTF-8", "NO_COLOR": "1", "CI": "1"}
_DISTURBING = (
    *("FORCE_COLOR", "CLICOLOR_FORCE", "PY_COLORS", "MYPY_FORCE_COLOR"),
    *("RUFF_OUTPUT_FILE", "RUFF_OUTPUT_FORMAT"),
    "UNTILGREEN_CALLED",
    *("PYTHONOPTIMIZE", "MAKEFLAGS", "GNUMAKEFLAGS", "MFLAGS"),  # no assert, no command, no exit code: a false green
)


class Interrupted(SystemExit):
    """A signal, `number`, told us to stop. By itself it ends a process with 0: a hook told so judged nothing."""

    def __init__(self, number: int) -> None:
        super().__init__(0)
        self.number = number


class Job(NamedTuple):
    """One process to run: its own `seconds`, a `report` it may write, a `stdin` that it reads, `more` variables."""

    name: str
    argv: tuple[str, ...]
    cwd: str
    seconds: float
    report: str = ""
    stdin: str = ""
    more: Mapping[str, str] = {}
    #: what it left behind to the job that runs behind it under its name, None for none: the last output counts
    then: "Callable[[Output], Job | None] | None" = None
    begun: Callable[[int], object] = lambda _: None  #: hears its process id
    behind: tuple[str, ...] = ()  #: the names of the jobs that must have come to their end before


def environment(env: Mapping[str, str], remove: tuple[str, ...] = ()) -> dict[str, str]:
    """The environment of a check: the host's, without the host's own secrets, and not recursive. `remove` takes away
    anything but the end of recursion."""
    private = hosts.private()
    kept = {k: v for k, v in env.items() if not k.startswith(private) and k not in _DISTURBING}
    kept |= git.without_devices(kept)
    return {k: v for k, v in kept.items() if k not in remove} | {"UNTILGREEN_DISABLE": "1"}


def quiet(remove: tuple[str, ...] = ()) -> dict[str, str]:
    """What makes a static check speak plainly. Not for tests: those of colours, locales or CI itself go red by it."""
    return {k: v for k, v in _QUIET.items() if k not in remove}


def ignore(*_told: object) -> None:
    """Nothing is done with what is told on the way."""


def run(
    jobs: tuple[Job, ...],
    env: Mapping[str, str],
    until: float,
    idle: Callable[[], bool] = lambda: False,
    grace: float = _GRACE,
    on_end: Callable[[Job, Output], object] = ignore,
) -> dict[str, Output]:
    """Job name to output. All jobs run at once, but those `behind` another; `until` (of time.monotonic) bounds them.
    `idle` is asked again and again whether the answers are still wanted; if not, they are ended, `grace` seconds from
    SIGTERM to SIGKILL. `on_end` hears of each that ended before, with its last output. Raises Interrupted."""
    running, outputs, pipes = list[_Running](), dict[str, Output](), Pipes()

    def begin(*some: Job) -> None:
        for job in some:
            started = _start(job, env, until, selector)
            if isinstance(started, _Running):
                running.append(started)
                job.begun(started.process.pid)
            else:
                end(job, started)

    def end(job: Job, output: Output) -> None:
        rest = job.then(output) if job.then else None
        if not rest:
            outputs[job.name] = output
            on_end(job, output)
        begin(*([rest] if rest else _behind(jobs, job.name, outputs)))

    with heard() as signals, selectors.DefaultSelector() as selector:
        try:
            begin(*(job for job in jobs if not job.behind))
            while running and not signals and not idle():
                for one in _turn(running, selector, pipes):
                    end(one.job, one.output())
        finally:
            _end(running, grace)
    if signals:
        raise Interrupted(signals[0])
    return {job.name: _NOT_BEGUN for job in jobs} | outputs | {one.job.name: one.output() for one in running}


def _behind(jobs: tuple[Job, ...], name: str, ended: Mapping[str, Output]) -> list[Job]:
    return [job for job in jobs if name in job.behind and ended.keys() >= {*job.behind}]


@contextmanager
def heard() -> Iterator[list[int]]:
    """The signals that tell us to stop, as they come: a handler that raised could do so between a fork and its entry
    in what runs."""
    signals: list[int] = []
    # a closed terminal hangs up on us, not on the groups that we made; under nohup it is not to be heard
    heard = [one for one in _ENDING if signal.getsignal(one) is not signal.SIG_IGN]
    try:
        previous = {one: signal.signal(one, lambda number, _frame: signals.append(number)) for one in heard}
    except ValueError:  # in another thread than its main one a program hears them itself
        previous = {}
    try:
        yield signals
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


class _Running:
    """A started job. The one place with state: buffers, a process and its times."""

    def __init__(self, job: Job, process: "subprocess.Popen[bytes]", until: float) -> None:
        self.job = job
        self.process = process
        self.started = self.heard_at = time.monotonic()
        self.until = min(until, self.started + job.seconds)
        self.buffers: dict[str, bytearray] = {"out": bytearray(), "err": bytearray()}
        self.why, self.late, self.ended, self.gone_at = "", False, False, 0.0

    def take(self, stream: str, data: bytes) -> None:
        buffer = self.buffers[stream]
        buffer += data
        self.heard_at = time.monotonic()
        if len(buffer) > CAP:
            self.why = self.why or f"said more than {CAP // 2**20} MB"

    def over(self) -> bool:
        """Whether the process has ended. `Popen.poll` makes 0 of a code that nobody saw: here nothing passes by it."""
        if self.process.returncode is None:
            try:
                pid, status = os.waitpid(self.process.pid, os.WNOHANG)
            except ChildProcessError:
                self.why = self.why or "its exit code was lost"
                pid, status = self.process.pid, 0
            if pid:
                self.process.returncode = os.waitstatus_to_exitcode(status)
        return self.process.returncode is not None

    def kill(self, until: float) -> None:
        """End the group: SIGTERM, a moment (`until`), SIGKILL; also what the process left behind in it."""
        if self.ended:
            return
        self.ended = True
        if not self.over():
            _signal_group(self.process.pid, signal.SIGTERM)
            self._wait(until)
        _signal_group(self.process.pid, signal.SIGKILL)
        self._wait(time.monotonic() + 5)
        if not self.over():
            self.why = self.why or "could not be killed"
        self.gone_at = self.gone_at or time.monotonic()
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()

    def _wait(self, until: float) -> None:
        while not self.over() and time.monotonic() < until:
            time.sleep(0.002)

    def output(self) -> Output:
        report = ""
        if self.job.report:
            with (
                suppress(FileNotFoundError),
                open(self.job.report, encoding="utf-8", errors="replace") as file,
            ):
                report = file.read(CAP)
        return Output(
            code=None if self.why else self.process.returncode,
            stdout=self.buffers["out"].decode("utf-8", "replace"),
            stderr=self.buffers["err"].decode("utf-8", "replace"),
            report=report,
            why=self.why,
            seconds=round(self.gone_at - self.started, 3),
            late=self.late,
        )


def _start(job: Job, env: Mapping[str, str], until: float, selector: selectors.BaseSelector) -> "_Running | Output":
    if time.monotonic() >= until:
        return Output(None, "", "", why="did not start: the time for this stop was used up", late=True)
    try:
        with open(job.stdin or os.devnull, "rb") as stdin:
            process = subprocess.Popen(
                job.argv,
                cwd=job.cwd,
                env={**env, **job.more},
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
    except (OSError, ValueError) as error:
        return Output(None, "", "", why=f"could not start {job.argv[0]}: {error}")
    one = _Running(job, process, until)
    for name, stream in (("out", process.stdout), ("err", process.stderr)):
        if stream is not None:
            os.set_blocking(stream.fileno(), False)
            selector.register(stream, selectors.EVENT_READ, (one, name))
    return one


def _turn(running: "list[_Running]", selector: selectors.BaseSelector, pipes: Pipes) -> "list[_Running]":
    """Read what there is, end what has ended or must end; these are taken out and given back."""
    for one in running if (pipe := pipes.waited_at(one.job.cwd for one in running)) else ():
        one.why = one.why or pipe
    for one in running:  # before the reading: what ends in between (a machine may sleep there) is read in the next turn
        one.why = one.why or pipes.filled(one.process.pid)
        if not one.gone_at and one.over():
            one.gone_at = time.monotonic()
    # no stream is open any more: the processes are about to end
    for key, _ in selector.select(0.05 if selector.get_map() else 0.002):
        one, name = key.data
        data = os.read(key.fd, _CHUNK)
        if data:
            one.take(name, data)
        else:
            selector.unregister(key.fileobj)
    open_streams = {id(key.data[0]) for key in selector.get_map().values()}
    now = time.monotonic()
    for one in (one for one in running if not one.ended):
        # a child left behind may hold the streams open, and talk for ever
        silent = id(one) not in open_streams or now - one.heard_at > _SILENT or now - one.gone_at > _LEFT_BEHIND
        if not one.gone_at and not one.why and now >= one.until:
            one.why, one.late = f"timed out after {now - one.started:.0f} s", True
        if one.why or (one.gone_at and silent):
            for key in [key for key in selector.get_map().values() if key.data[0] is one]:
                selector.unregister(key.fileobj)
            one.kill(time.monotonic() + _GRACE)
    over = [one for one in running if one.ended]
    running[:] = [one for one in running if not one.ended]
    return over


def _end(running: "list[_Running]", grace: float) -> None:
    for one in running:
        if not one.ended:
            _signal_group(one.process.pid, signal.SIGTERM)
    until = time.monotonic() + grace
    for one in running:
        one.kill(until)
        if one.job.then:  # whatever its own answer is, it is not the last one
            one.why = one.why or "was no longer waited for"


def _signal_group(pid: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)
