"""The file that an edit wrote: is it one to look at? And its text from before the session's first edit of it."""

import os
import stat
from collections.abc import Iterable
from contextlib import suppress

from untilgreen.core.document import well_formed
from untilgreen.core.model.event import Edit, Place
from untilgreen.core.model.loop import Edits
from untilgreen.core.record import NamedTuple
from untilgreen.core.verdict.identity import blake2b
from untilgreen.project import files
from untilgreen.project.tree import git
from untilgreen.state import log, store
from untilgreen.state.place import FOLDER

_LARGEST = 1024 * 1024  # bytes; what a person or an agent writes is smaller
_TICK = 0.02  # seconds that the clocks of processes and files may be apart
_HEAD = 2_048  # bytes in which a generated file says that it is one
_INSTALLED = frozenset({"node_modules", "site-packages", ".git", FOLDER, ".venv", "vendor", "__pycache__"})


class Written(NamedTuple):
    """`path` is relative to the project root, with slashes; `before` as in `Edit`."""

    path: str
    before: str | None


def of(edit: Edit, place: Place, cwd: str) -> Written | None:
    """The file; None where it is to be left alone: outside of the project, ignored, generated, binary, huge, gone."""
    if "\0" in edit.path:
        return None  # no file is called that
    full = os.path.realpath(os.path.join(cwd or place.root, edit.path))
    root = place.root.rstrip(os.sep) + os.sep
    if not full.startswith(root) or full.startswith(os.path.join(os.path.realpath(place.base), "")):
        return None
    path = full[len(root) :].replace(os.sep, "/")
    if well_formed(path) != path:
        return None  # a name that is no text: linters cannot name it in their answers, and one of them dies of it
    if not _INSTALLED.isdisjoint(path.split("/")) or not _readable(full) or git.ignored(place.root, path):
        return None
    return Written(path, edit.before)


def _readable(full: str) -> bool:
    """A regular file of a size and kind that people write."""
    try:
        info = os.stat(full)
        if not stat.S_ISREG(info.st_mode) or info.st_size > _LARGEST:
            return False
        with open(full, "rb") as stream:
            head = stream.read(8_192)
    except OSError:  # gone again, or not ours to read: nothing can be said about it
        return False
    says = head[:_HEAD].lower()  # that a program wrote it, in Go's words or as `@generated`
    return not (b"\0" in head or b"@generated" in says or (b"generated" in says and b"do not edit" in says))


def keep(place: Place, written: Written) -> None:
    """Keep the text from before the session's first edit, an empty one where there was no file. Raises OSError.

    The first to come wins: the hooks of one edit may run at once, and later edits know only what came between.
    """
    target = os.path.join(place.file("originals"), _name(written.path))
    if written.before is None or os.path.exists(target):
        return
    os.makedirs(os.path.dirname(target), mode=0o700, exist_ok=True)
    mine = f"{target}.{os.getpid()}"
    store.write_text(mine, written.before, durable=False)
    try:
        with suppress(FileExistsError):
            os.link(mine, target)
    finally:
        os.unlink(mine)


def _keep_released(place: Place, paths: Iterable[str]) -> None:
    """Keep the files as they are now that their session is let go: what is in them does not hold it again."""
    folder = place.file("released")
    for path in paths:
        try:
            with open(os.path.join(place.root, path), "rb", opener=files.followed) as stream:
                text = stream.read(_LARGEST + 1).decode("utf-8", "replace")
        except OSError:  # it is gone: so is what was wrong in it
            text = ""
        os.makedirs(folder, mode=0o700, exist_ok=True)
        store.write_text(os.path.join(folder, _name(path)), text, durable=False)


def released(place: Place, before: Edits, now: Edits, began: float) -> Edits:
    """A session's edits as a stop lets it go that began with `before`: what came since is still to be judged."""
    began -= _TICK
    late = tuple(p for p in now.unjudged if p not in before.unjudged or _changed(os.path.join(place.root, p), began))
    try:
        _keep_released(place, (path for path in before.unjudged if path not in late))
    except OSError as error:  # its findings are remembered all the same
        log.write(place.base, f"files that were let go were not kept: {error}")
    return now._replace(unjudged=late)


def _changed(full: str, since: float) -> bool:
    """Whether the file was written after that moment: the checks may have seen it as it was before."""
    try:
        return os.stat(full).st_mtime > since
    except OSError:
        return False


def copies(place: Place, path: str) -> tuple[str, ...]:
    """The paths of what is kept of a file: its text before the session's first edit, and when it was last let go."""
    found = (os.path.join(place.file(folder), _name(path)) for folder in ("originals", "released"))
    return tuple(copy for copy in found if os.path.isfile(copy) and not os.path.islink(copy))


def was_empty(place: Place, path: str) -> bool:
    """Whether nothing was in it, or no such file, before the session's first edit; False where that is not known."""
    try:
        return os.path.getsize(os.path.join(place.file("originals"), _name(path))) == 0
    except OSError:
        return False


def _name(path: str) -> str:
    """Without the suffix: a tool that looks at everything must not take a copy for one of the project's files."""
    return blake2b(os.fsencode(path), digest_size=8).hexdigest()
