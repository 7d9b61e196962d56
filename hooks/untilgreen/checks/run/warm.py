"""What a warm type checker says of the files of an edit (`warm = true`): the client of the `broker`. Where there is no
broker, or it is hung, late or of another version, there is no answer: then the check runs as always, within the same
seconds, and a broker is started for the next edit. Stops never ask here.
"""

import glob
import json
import os
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import chdir, suppress

from untilgreen import checkers
from untilgreen.checks.plan.planning import CheckScope
from untilgreen.checks.run import portions, processes, settling
from untilgreen.checks.run.portions import Look
from untilgreen.core.model.check import Check
from untilgreen.core.model.outcome import Clean, Found, Outcome, Output, Setting
from untilgreen.core.record import Any
from untilgreen.project import files
from untilgreen.state import locks, store
from untilgreen.state.place import WARM

_HERE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
# the package comes before site-packages and after the standard library
_CODE = f"""import sys
p = sys.path
p.insert([*(f.endswith('-packages') for f in p), True].index(True), {_HERE!r})
from untilgreen.checks.run import broker
broker.main()
"""
_TOOLS, _HARMLESS = ("pyright", "basedpyright"), {"--warnings"}  # which has no say in what is found
_SHARE = 0.4  # of an edit's seconds that an answer is waited for
_LARGEST, _AGAIN = 4_000_000, 600.0  # bytes of a text; seconds until a new try
_LIMIT = "--max-old-space-size=768"  # MB of V8: pyright forgets what it knows before it has so much
_VARIABLES = ("PATH", "PYTHONPATH", "VIRTUAL_ENV")  # by which it finds what is imported
_SEVERITIES = ("error", "warning", "information")
_CONFIGURATION = ("pyrightconfig.json", "pyproject.toml", "mypy.ini", ".mypy.ini", "setup.cfg")


def ask(
    scope: CheckScope, check: Check, paths: tuple[str, ...], seconds: float, base: str
) -> tuple[Outcome, tuple[str, ...] | None] | None:
    """The outcome, and the files that it is about: these, and others that depend on them; None: the whole root."""
    folder, until = os.path.join(base, WARM), time.monotonic() + seconds * _SHARE
    if not scope.trusted or check.checker not in ("mypy", *_TOOLS):
        return None
    pyright = check.checker in _TOOLS
    (part,) = portions.made(scope, (check,), "", {check.name: Look(paths)} if pyright else {})
    words, root = _words(check, part.setting), part.setting.root
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        found = os.lstat(folder)
        mine = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077
        if not words or not mine:
            return None
        texts = {path: _text(root, path) for path in (one.removeprefix(f"{check.root}/") for one in paths)}
        about: dict[str, object] = {"check": check.name, "root": root, "stamp": _stamp(scope, check, root, words)}
        said = _asked(folder, {**about, "texts": texts, "seconds": seconds * _SHARE}, until)
        if said is None:
            _start(folder, {**about, "words": words, "paths": [*texts]}, scope, check)
        elif said and texts == {path: _text(root, path) for path in texts}:
            output = _output(said["found"]) if pyright else Output(said["code"], said["stdout"], said["stderr"])
            files = said["found"] if pyright else said["files"]
            prefix = "" if check.root == "." else f"{check.root}/"
            return _about(
                settling.outcome_of(scope, output, check, part.setting, ""), {f"{prefix}{one}" for one in files}
            )
    except (OSError, ValueError, LookupError, TypeError, AttributeError):  # a full disk, an answer that is none
        pass
    return None


def _words(check: Check, setting: Setting) -> tuple[str, ...]:
    """The command line of what stays, () where there is none that would say the same; of mypy's daemon with a last word
    of its own."""
    if check.checker == "mypy":
        tool, *rest = checkers.get("mypy").argv(setting)
        rest = [word for word in rest if r"\.untilgreen/" not in word]  # it passes by hidden folders, and ours grows
        words: tuple[str, ...] = (os.path.join(os.path.dirname(tool), "dmypy"), *rest, "run")
    else:
        words = (f"{check.tool}-langserver", "--stdio") if {*check.call} <= _HARMLESS else ("",)
    return words if os.access(words[0], os.X_OK) else ()


def _about(outcome: Outcome, files: set[str]) -> tuple[Outcome, tuple[str, ...] | None] | None:
    """The outcome as one of these files, and of those where something is; of all where others keep it from looking."""
    if not isinstance(outcome, Found):
        return (outcome, (*files,)) if isinstance(outcome, Clean) else None
    if any(one.hides and one.file not in files for one in outcome.diagnostics):
        return outcome, None
    return outcome, (*files, *{one.file for one in outcome.diagnostics} - files)


def _text(root: str, path: str) -> str:
    return files.read(os.path.join(root, path), _LARGEST, follow=True).decode()


def _asked(folder: str, question: Mapping[str, object], until: float) -> dict[str, Any] | None:
    """The answer: path to findings; {} where it has none, None where nobody answers. Raises ValueError."""
    data = b""
    with socket.socket(socket.AF_UNIX) as one, chdir(folder):  # a socket's path may not be long
        try:
            one.settimeout(max(0.01, until - time.monotonic()))
            one.connect("socket")
            one.sendall(json.dumps(question).encode() + b"\n")
            while some := one.recv(1 << 20):
                data += some
                one.settimeout(max(0.01, until - time.monotonic()))
        except TimeoutError:  # nobody waits for it twice; it comes back once it can answer
            with suppress(OSError):
                os.unlink("socket")
            return {}
        except OSError:
            return None
    return dict(json.loads(data)) if data else None


def _output(said: Mapping[str, Any]) -> Output:
    """The answer as pyright itself would print it."""
    found = [one for some in said.values() for one in some]
    counts = {f"{kind}Count": sum(one["severity"] == kind for one in found) for kind in _SEVERITIES}
    text = json.dumps({"generalDiagnostics": found, "summary": {"filesAnalyzed": len(said), **counts}})
    return Output(1 if counts["errorCount"] else 0, text, "")


def _stamp(scope: CheckScope, check: Check, root: str, words: tuple[str, ...]) -> str:
    """What must be the same for an answer to hold: our code, the tool, the packages, the configuration."""
    tool = os.path.realpath(check.tool)
    homes = [os.path.dirname(os.path.dirname(path)) for path in (tool, check.interpreter) if path]
    paths = [__file__, tool, *(os.path.join(root, name) for name in _CONFIGURATION)]
    paths += [path for home in homes for path in glob.glob(f"{glob.escape(home)}/lib/python*/site-packages")]
    known: list[object] = [root, *words, check.interpreter, *(scope.env.get(name, "") for name in _VARIABLES)]
    for path in paths:
        with suppress(FileNotFoundError):
            found = os.stat(path)
            known += [path, found.st_ctime_ns, found.st_size]
    return json.dumps(known)


def _start(folder: str, about: dict[str, object], scope: CheckScope, check: Check) -> None:
    """Start a broker where none is, and the last one gave no reason against it. Raises OSError."""
    path = os.path.join(folder, "lock")
    with suppress(locks.Busy):
        lock = locks.acquire(path, 0)
        last = store.read_object(path)
        new = last.get("stamp") != about["stamp"] or time.time() - os.stat(path).st_mtime > _AGAIN
        if new or not last.get("why"):
            remove, null = scope.settings.tools.env_remove, subprocess.DEVNULL
            env = processes.environment(scope.env, remove) | processes.quiet(remove)
            env["NODE_OPTIONS"] = f"{env.get('NODE_OPTIONS', '')} {_LIMIT}".strip()
            given = json.dumps({"lock": lock, "interpreter": check.interpreter, **about})
            words = (sys.executable, "-I", "-c", _CODE, given)
            process = subprocess.Popen(
                words,
                cwd=folder,
                env=env,
                stdin=null,
                stdout=null,
                stderr=null,
                start_new_session=True,
                pass_fds=(lock,),
            )
            process.returncode = 0  # nobody waits for it
        os.close(lock)
