"""What whole runs of tests leave behind for hints: how many tests a check has and which failed, and of pytest which of
them start which functions. Nothing red or green rests on it: what cannot be kept or read is as if it were not there.

Beside it lies the lock of the one run for an edit, in which stands who that is.
"""

import json
import os
import signal
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

from untilgreen.checks.run.portions import Look, Portion
from untilgreen.checks.run.processes import Job
from untilgreen.core import document
from untilgreen.core.model.check import Check
from untilgreen.core.model.outcome import Clean, Found, Outcome, TestId
from untilgreen.core.record import NamedTuple
from untilgreen.core.verdict.identity import digest
from untilgreen.project import files
from untilgreen.state import locks, store
from untilgreen.state.place import HINTS

_FRESH = 3_600.0  # seconds that a map serves: to make one costs a run a seventh of its time
_PARTS, _LARGEST = 64, 8_000_000  # processes of a run, and bytes of what each writes
_PACKED, _FILE = 1_000_000, 2_000_000  # bytes of a map, and of a file that the plugin reads
_GRACE, _WAIT = 1.0, 3.0  # seconds until a run for an edit is ended hard, and that one waits for another


class WholeRun(NamedTuple):
    """What a check's last whole run came to."""

    tests: int
    failed: tuple[TestId, ...] = ()


def noting(
    base: str, root: str, parts: Sequence[Portion], jobs: Sequence[Job | Outcome], env: Mapping[str, str]
) -> list[Job | Outcome]:
    """The jobs, whole runs of pytest with our plugin where there is no map that is new enough. It is found as if it
    were installed: where nobody looks into its folder the run is the same without it. No run for an edit is left."""
    end(base)

    def noted(part: Portion, job: Job | Outcome) -> Job | Outcome:
        whole = part.check.checker == "pytest" and part.look == Look()
        if not isinstance(job, Job) or not whole or _is_fresh(base, part.check):
            return job
        known, folder = {**env, **job.more}, f"{part.setting.report}-{HINTS}"
        names = {"PYTHONPATH": (os.pathsep, os.path.join(files.templates_folder(), HINTS))}
        if known.get("PYTEST_DISABLE_PLUGIN_AUTOLOAD"):
            names["PYTEST_PLUGINS"] = (",", "untilgreen_impact")
        more = {name: apart.join(filter(None, (word, known.get(name)))) for name, (apart, word) in names.items()}
        with suppress(OSError):
            os.mkdir(folder, 0o700)
        return job._replace(more={**job.more, **more, "IMPACT_MAP": f"{root}\n{folder}"})

    return [noted(*one) for one in zip(parts, jobs, strict=True)]


def keep(base: str, parts: Sequence[Portion], outcomes: Mapping[str, Outcome]) -> None:
    """Keep what whole runs of tests came to. `outcomes`: number of a part to how it ended."""
    for number, part in enumerate(parts):
        outcome = outcomes.get(str(number))
        if part.check.stage != "tests" or part.look != Look() or not isinstance(outcome, Clean | Found):
            continue
        if outcome.tests and getattr(outcome, "not_run", None) is None:
            with suppress(OSError, ValueError):
                _keep(path_of(base, part.check), part, outcome, outcome.tests.run)


def _keep(path: str, part: Portion, outcome: Clean | Found, tests: int) -> None:
    """Raises OSError, ValueError."""
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    folder = f"{part.setting.report}-{HINTS}"
    if os.path.isdir(folder):
        names = [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".json")]
        packed = zlib.compress(b"[%b]" % b",".join(files.read(name, _LARGEST) for name in names[:_PARTS]), 1)
        # where a Python has no such events, or it is too much, nobody tries again before the hour is over
        store.write_bytes(f"{path}.map", packed if len(packed) <= _PACKED else zlib.compress(b"[]"), durable=False)
    found = outcome.diagnostics if isinstance(outcome, Found) else ()
    suite = WholeRun(tests, tuple(TestId(one.file, one.rule) for one in found if one.severity == "test"))
    store.write_text(f"{path}.json", json.dumps(document.dump(suite)), durable=False)


def suite(base: str, check: Check) -> WholeRun | None:
    """What is known of a check's tests; None where nothing is."""
    return store.read_record(WholeRun, f"{path_of(base, check)}.json", _LARGEST)


def touched(base: str, root: str, check: Check, paths: Sequence[str] | None) -> list[tuple[TestId, float]]:
    """The tests that these files (None: all) touch, as `affected.chosen`; empty where there is no map."""
    from untilgreen.core.verdict import affected

    def read(path: str) -> bytes:
        with suppress(OSError, ValueError):
            return files.read(os.path.join(root, path), _FILE, follow=True)
        return b""

    def is_there(test: TestId) -> bool:
        """Its file is, and where that changed, its name in it."""
        name = test.id.partition("[")[0].rpartition("::")[2]
        return os.path.isfile(os.path.join(root, test.file)) and name.encode() in texts.get(test.file, name.encode())

    try:
        text = zlib.decompressobj().decompress(files.read(f"{path_of(base, check)}.map", _PACKED), _PARTS * _LARGEST)
        parts = json.loads(text)
        known = [one["file"] for part in parts for one in part["files"] if one]
        texts = {path: read(path) for path in (known if paths is None else paths)}
        # the hashes are those that the plugin makes
        now = {path: [zlib.crc32(line.rstrip()) & 0xFFFF for line in one.split(b"\n")] for path, one in texts.items()}
        return [one for one in affected.chosen(parts, now) if is_there(one[0])]
    except (OSError, LookupError, TypeError, ValueError, AttributeError, RecursionError, zlib.error):
        return []


def _is_fresh(base: str, check: Check) -> bool:
    with suppress(OSError):
        return 0 <= time.time() - os.stat(f"{path_of(base, check)}.map").st_mtime < _FRESH
    return False


def path_of(base: str, check: Check) -> str:
    """Where that is kept, without the ending."""
    return os.path.join(base, HINTS, digest(check.name, *check.call))


@contextmanager
def alone(base: str, moment: float) -> Iterator[None]:
    """No other run for an edit is there meanwhile: one that is ends now. `moment`: when the edit was. Raises Busy where
    the other one is newer, or stays; OSError."""
    path, began = os.path.join(base, HINTS, "run.lock"), time.monotonic()
    fd = -1
    while fd < 0:
        late = time.monotonic() - began
        with suppress(ProcessLookupError, ValueError, TypeError):
            try:
                fd = locks.acquire(path, 0.05)
            except locks.Busy:
                if late > _WAIT:
                    raise
                pid, since = json.loads(files.read(path, 100))  # who holds the lock wrote it
                if since > moment:
                    raise
                if pid > 1:
                    os.kill(pid, signal.SIGTERM if late < _GRACE else signal.SIGKILL)
    try:
        os.pwrite(fd, json.dumps([os.getpid(), moment]).ljust(50).encode(), 0)
        yield
    finally:
        os.close(fd)


def end(base: str) -> None:
    """End the run for an edit, if one is there, and wait until it is gone."""
    with suppress(OSError, locks.Busy), alone(base, time.time()):
        pass
