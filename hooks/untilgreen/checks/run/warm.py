"""What a warm checker says of the files of an edit (`warm = true`): the client of the `broker`. Where there is no
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
from untilgreen.checkers.js import eslint
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
_PYRIGHT, _HARMLESS = ("pyright", "basedpyright"), {"--warnings"}  # which has no say in what is found
_SHARE = 0.4  # of an edit's seconds that an answer is waited for
_LARGEST, _AGAIN = 4_000_000, 600.0  # bytes of a text; seconds until a new try
_LIMIT = "--max-old-space-size=768"  # MB of V8: pyright forgets what it knows before it has so much
# of those variables that begin so it finds what is imported, and configurations ask for them
_VARIABLES = ("PATH", "PYTHONPATH", "VIRTUAL_ENV", "NODE_", "ESLINT_", "CI")
_CONFIGURATION = ("pyrightconfig.json", "pyproject.toml", "mypy.ini", ".mypy.ini", "setup.cfg")


def ask(scope: CheckScope, check: Check, look: Look, seconds: float) -> tuple[Outcome, tuple[str, ...] | None] | None:
    """The outcome, and the files that it is about: these, and others that depend on them; None: the whole root."""
    folder, until = os.path.join(scope.warm, WARM), time.monotonic() + seconds * _SHARE
    if not scope.trusted or check.env or check.checker not in ("mypy", "tsc", "eslint", *_PYRIGHT):
        return None
    (part,) = portions.made(scope, (check,), "", {} if check.checker == "mypy" else {check.name: look})
    words, root = _words(check, part.setting), part.setting.root
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        found = os.lstat(folder)
        mine = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077
        if not words or not mine:
            return None
        texts = {path: _text(root, path) for path in (one.removeprefix(f"{check.root}/") for one in look.files)}
        call = part.setting.files if check.checker == "tsc" else checkers.get(check.checker).argv(part.setting)[1:]
        about: dict[str, object] = {"check": check.name, "root": root, "stamp": _stamp(scope, check, root, words)}
        about |= {"words": words, "call": call, "paths": [*texts], "interpreter": check.interpreter}
        about |= {"stdin": files.read(look.text, _LARGEST).decode() if look.text else None}
        said = _asked(folder, {**about, "texts": texts, "seconds": seconds * _SHARE}, until)
        if said is None and not look.text:
            _start(folder, about, scope)
        elif said and texts == {path: _text(root, path) for path in texts}:
            output = Output(said["code"], said["stdout"], said["stderr"])
            prefix = "" if check.root == "." else f"{check.root}/"
            outcome = settling.outcome_of(scope, output, check, part.setting, "")
            return _about(outcome, {f"{prefix}{one}" for one in said["files"]})
    except (OSError, ValueError, LookupError, TypeError, AttributeError):  # a full disk, an answer that is none
        pass
    return None


def _words(check: Check, setting: Setting) -> tuple[str, ...]:
    """The command line of what stays, () where there is none that would say the same; of mypy's daemon with a last word
    of its own."""
    tool, *rest = checkers.get(check.checker).argv(setting) or ("",)
    if check.checker == "mypy":
        rest = [word for word in rest if r"\.untilgreen/" not in word]  # it passes by hidden folders, and ours grows
        words: tuple[str, ...] = (os.path.join(os.path.dirname(tool), "dmypy"), *rest, "run")
    elif check.checker == "tsc":
        return (tool, *rest[: -len(setting.files)]) if any(word.endswith("tsc_of_file.cjs") for word in rest) else ()
    elif check.checker == "eslint":
        cli = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(tool))), "lib", "cli.js")
        return ("node", eslint.STAYS, cli) if os.path.isfile(cli) else ()
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
    """The answer: what the tool would print; {} where it has none, None where nobody answers. Raises ValueError."""
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


def _stamp(scope: CheckScope, check: Check, root: str, words: tuple[str, ...]) -> str:
    """What must be the same for an answer to hold: our code, the tool, the packages, the configuration."""
    tool = os.path.realpath(check.tool)
    homes = [os.path.dirname(os.path.dirname(path)) for path in (tool, check.interpreter) if path]
    paths = [__file__, tool, *(os.path.join(root, name) for name in _CONFIGURATION)]
    paths += [*filter(os.path.isabs, words), *sorted(glob.glob(f"{glob.escape(root)}/eslint.config.*"))]
    paths += [path for home in homes for path in glob.glob(f"{glob.escape(home)}/lib/python*/site-packages")]
    known: list[object] = [root, *words, check.interpreter]
    known += [f"{name}={value}" for name, value in sorted(scope.env.items()) if name.startswith(_VARIABLES)]
    for path in paths:
        with suppress(FileNotFoundError):
            found = os.stat(path)
            known += [path, found.st_ctime_ns, found.st_size]
    return json.dumps(known)


def _start(folder: str, about: dict[str, object], scope: CheckScope) -> None:
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
            words = (sys.executable, "-I", "-c", _CODE, json.dumps({"lock": lock, **about}))
            process = subprocess.Popen(
                words,
                cwd=folder,
                env=env,
                stdin=null,
                stdout=null,
                stderr=null,
                start_new_session=True,
                pass_fds=[lock],
            )
            process.returncode = 0  # nobody waits for it
        os.close(lock)
