"""A copy of this installation that stays.

What `uvx`, `pipx run` and the npm package run lies in a cache. Hooks that name it would hold nobody once that is
cleaned: uv does it on request, pipx after 14 days. So `init` copies it, and any later command becomes the copy's own.
"""

import os
import shutil
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from untilgreen.cli import errors
from untilgreen.core.errors import UserError
from untilgreen.project import trust

_TAG = "CACHEDIR.TAG"  # what lies below a folder with it may be removed at any time (https://bford.info/cachedir/)
_CODE = "import sys; from untilgreen.entry import {} as main; sys.exit(main())"


def hand_over(name: str, env: Mapping[str, str]) -> None:
    """Become the copy's command of this name; returns where what runs stays anyway, or was not copied."""
    if _is_in_cache(env) and (kept := _place(env)).is_dir():
        _become(kept, name)


def keep(env: Mapping[str, str]) -> None:
    """Become `init` of the copy, made now; returns where what runs stays anyway. Raises UserError."""
    if not _is_in_cache(env):
        return
    kept = _place(env)
    new = kept.with_suffix(f".{os.getpid()}")
    try:
        trust.make_private(str(kept.parent))
        shutil.copytree(sys.prefix, new, symlinks=True, ignore=_scripts)
        new.rename(kept)
    except OSError as error:
        shutil.rmtree(new, ignore_errors=True)
        if not kept.is_dir():  # else another init was quicker
            why = f"{sys.prefix} lies in a cache, and cannot be copied to {kept}: {error.strerror or 'not all of it'}"
            raise UserError(why, "make room there, or install untilgreen by uv tool install") from None
    errors.tell(f"copied to {kept}, for {sys.prefix} lies in a cache")
    _become(kept, "untilgreen")


def sweep(env: Mapping[str, str]) -> None:
    """Remove the copies that no launcher names any more."""
    from untilgreen.cli.installing import command_forms

    base, folder = Path(trust.folder(env)), _folder(env)
    named = [one.interpreter for path in base.glob("hooks/*/*") if (one := command_forms.read(str(path)))]
    for copy in folder.glob("*"):
        if not any(interpreter.startswith(f"{copy}{os.sep}") for interpreter in named):
            shutil.rmtree(copy, ignore_errors=True)
    for empty in (folder, base):
        with suppress(OSError):
            empty.rmdir()


def _folder(env: Mapping[str, str]) -> Path:
    return Path(trust.folder(env), "copies")


def _is_in_cache(env: Mapping[str, str]) -> bool:
    """Whether the environment that runs this may be removed at any time; a copy of ours may not, wherever it lies."""
    above = Path(sys.prefix).parents
    return sys.prefix != sys.base_prefix and _folder(env) not in above and any((one / _TAG).exists() for one in above)


def _place(env: Mapping[str, str]) -> Path:
    """Where the copy of just these packages for this Python lies."""
    import hashlib

    site = Path(__file__).parents[3]
    own = [path.read_text("utf-8") for path in site.glob("untilgreen-*.dist-info/RECORD")]
    named = "\n".join((sys.version, *sorted(path.name for path in site.glob("*.dist-info")), *own))
    return _folder(env) / hashlib.sha256(named.encode()).hexdigest()[:8]


def _scripts(folder: str, names: list[str]) -> list[str]:
    """What is not copied: scripts name the interpreter of the environment that they were made in."""
    paths = [Path(folder, name) for name in names] if os.path.basename(folder) == "bin" else []
    return [path.name for path in paths if path.is_file() and path.read_bytes().startswith(b"#!")]


def _become(kept: Path, name: str) -> NoReturn:
    sys.stdout.flush()
    python = str(kept / "bin" / "python")
    os.execv(python, [python, "-I", "-c", _CODE.format(name.replace("-", "_")), *sys.argv[1:]])  # noqa: S606 ours
