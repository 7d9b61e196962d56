"""A copy of this installation that stays.

What `uvx`, `pipx run` and the npm package run lies in a cache. Hooks that name it would hold nobody once that is
cleaned: uv does it on request, pipx after 14 days. So `init` copies it, and any later command becomes the copy's own.
"""

import glob
import os
import shutil
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import NoReturn

from untilgreen.cli import errors
from untilgreen.core.errors import UserError
from untilgreen.project import trust

_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_TAG = "CACHEDIR.TAG"  # what lies below a folder with it may be removed at any time (https://bford.info/cachedir/)
_CODE = "import sys; from untilgreen.entry import {} as main; sys.exit(main())"


def hand_over(name: str, env: Mapping[str, str]) -> None:
    """Become the copy's command of this name; returns where what runs stays anyway, or was not copied."""
    if _is_in_cache(env) and os.path.isdir(kept := _place(env)):
        _become(kept, name)


def keep(env: Mapping[str, str]) -> None:
    """Become `init` of the copy, made now; returns where what runs stays anyway. Raises UserError."""
    if not _is_in_cache(env):
        return
    kept = _place(env)
    new = f"{kept}.{os.getpid()}"
    try:
        trust.make_private(_folder(env))
        shutil.copytree(sys.prefix, new, symlinks=True, ignore=_scripts)
        os.rename(new, kept)
    except OSError as error:
        shutil.rmtree(new, ignore_errors=True)
        if not os.path.isdir(kept):  # else another init was quicker
            why = f"{sys.prefix} lies in a cache, and cannot be copied to {kept}: {error.strerror or 'not all of it'}"
            raise UserError(why, "make room there, or install untilgreen by uv tool install") from None
    errors.tell(f"copied to {kept}, for {sys.prefix} lies in a cache")
    _become(kept, "untilgreen")


def sweep(env: Mapping[str, str]) -> None:
    """Remove the copies that no launcher names any more."""
    from untilgreen.cli.installing import command_forms

    base, folder = glob.escape(trust.folder(env)), _folder(env)
    launchers = filter(None, map(command_forms.read, glob.glob(os.path.join(base, "hooks", "*", "*"))))
    named = [launcher.interpreter for launcher in launchers]
    for copy in glob.glob(os.path.join(glob.escape(folder), "*")):
        if not any(interpreter.startswith(f"{copy}{os.sep}") for interpreter in named):
            shutil.rmtree(copy, ignore_errors=True)
    for empty in (folder, trust.folder(env)):
        with suppress(OSError):
            os.rmdir(empty)


def _folder(env: Mapping[str, str]) -> str:
    return os.path.join(trust.folder(env), "copies")


def _is_in_cache(env: Mapping[str, str]) -> bool:
    """Whether the environment that runs this may be removed at any time: it is our copy nowhere, even in a cache."""
    above, prefix = os.path.dirname(sys.prefix), os.path.realpath(sys.prefix)
    if sys.prefix == sys.base_prefix or prefix.startswith(os.path.realpath(_folder(env)) + os.sep):
        return False
    while above != os.path.dirname(above):
        if os.path.exists(os.path.join(above, _TAG)):
            return True
        above = os.path.dirname(above)
    return False


def _place(env: Mapping[str, str]) -> str:
    """Where the copy of just these packages for this Python lies."""
    import hashlib

    site = os.path.dirname(_PACKAGE)
    names = sorted(name for name in os.listdir(site) if name.endswith(".dist-info"))
    record = next((os.path.join(site, name, "RECORD") for name in names if name.startswith("untilgreen-")), "")
    digest = hashlib.sha256("\n".join((sys.version, *names)).encode())
    with suppress(OSError), open(record, "rb") as file:
        digest.update(file.read())
    return os.path.join(_folder(env), digest.hexdigest()[:8])


def _scripts(folder: str, names: list[str]) -> list[str]:
    """What is not copied: scripts name the interpreter of the environment that they were made in."""
    if os.path.basename(folder) != "bin":
        return []
    return [name for name in names if _starts(os.path.join(folder, name)) == b"#!"]


def _starts(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read(2)


def _become(kept: str, name: str) -> NoReturn:
    python = os.path.join(kept, "bin", "python")
    sys.stdout.flush()
    os.execv(python, [python, "-I", "-c", _CODE.format(name.replace("-", "_")), *sys.argv[1:]])  # noqa: S606 ours
