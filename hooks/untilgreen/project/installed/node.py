"""Node's packages: new as a whole, and as the archive that npm's lock names by its hash; or written by hand."""

import io
import json
import os
import tarfile
import time
from base64 import b64decode
from collections.abc import Iterator, Mapping
from contextlib import suppress
from hashlib import sha512

from untilgreen.core.record import Any
from untilgreen.project import files
from untilgreen.project.installed.written import SOURCES, is_newer, since
from untilgreen.project.toplevel import above, within

_NPM = ".package-lock.json"
_NOTES = (_NPM, ".yarn-integrity")  # what npm and yarn write last
#: of those that go on afterwards; pnpm links its files into other projects, too
_UNTIMED = ("node_modules/.modules.yaml", "node_modules/.yarn-state.yml", "bun.lock", "bun.lockb")
_MOST = 100_000_000  # bytes of a file, or of an archive
_CACHES = (".cache", ".vite", ".vite-temp", ".vitest", ".prisma", ".ignored")


def written_by_hand(folder: str, moment: float, project: str, cache: str, seconds: float) -> Iterator[str]:
    """The files of a folder `node_modules` that no installer wrote after `moment`. `cache`: npm's, whose archives are
    opened for so many `seconds`. Raises OSError, ValueError, LookupError."""
    new = [one for one in since(folder, moment, _CACHES) if one.kind in ("link", "file")]
    note, untimed = _note(folder) if new else ("", True)
    root, until = os.path.dirname(os.path.dirname(note or f"{folder}/")), time.monotonic() + seconds
    locked = json.loads(files.read(note, _MOST, follow=True))["packages"] if note.endswith(_NPM) else None
    patches, kept = f"{project}/patches", dict[str, dict[str, bytes]]()
    patched = [name.partition("+")[0] for name in os.listdir(patches)] if os.path.isdir(patches) else []
    for one in (one for one in new if one.path != note):
        head, _, rest = one.path[len(root) :].rpartition("node_modules/")
        depth = 2 if rest[0] == "@" else 1
        package, name = "/".join(rest.split("/")[:depth]), "/".join(rest.split("/")[depth:])
        key = f"{head}node_modules/{package}".lstrip("/")
        said = {} if locked is None else locked.get(key)
        late = is_newer(one.path, os.stat(note).st_ctime) if note else not untimed
        if one.kind == "link":  # what npm installs is none
            by_hand = said and not (name or said.get("link"))
            by_hand = by_hand or not (within(project, one.path) or within(root, one.path))
        elif package == ".bin":  # npm makes links
            by_hand = locked is not None or late
        elif not one.path.endswith(SOURCES) or package.partition("/")[0] in patched:
            by_hand = False
        else:
            if said and key not in kept and time.monotonic() < until:
                kept[key] = _published(said, cache)
            whole = is_newer(f"{root}/{key}/package.json", moment) and not (late and not kept.get(key))
            by_hand = said is None or _differs(one.path, kept.get(key, {}).get(name), whole)
            source = os.path.join(root, str((said or {}).get("resolved")).partition("file:")[2])
            by_hand = by_hand or (os.path.isfile(source) and is_newer(source, moment) and not within(project, source))
        if by_hand:
            yield one.path


def _note(folder: str) -> tuple[str, bool]:
    """What an installer leaves at its end, in a workspace at the top; and whether one goes on afterwards."""
    tops = (os.path.dirname(folder), *above(os.path.dirname(folder)))
    notes = (f"{top}/node_modules/{name}" for top in tops for name in _NOTES)
    untimed = any(os.path.exists(f"{top}/{name}") for top in tops for name in _UNTIMED)
    return next(filter(os.path.exists, notes), ""), untimed


def _differs(path: str, published: bytes | None, new_as_whole: bool) -> bool:
    if published is None:
        return not new_as_whole
    content = files.read(path, _MOST, follow=True)
    return content.replace(b"\r\n", b"\n") != published.replace(b"\r\n", b"\n")


def _published(said: Mapping[str, Any], cache: str) -> dict[str, bytes]:
    """The files of a package, where npm still has them."""
    with suppress(OSError, LookupError, ValueError, tarfile.TarError):
        name = b64decode(said["integrity"].removeprefix("sha512-")).hex()
        content = files.read(f"{cache}/_cacache/content-v2/sha512/{name[:2]}/{name[2:4]}/{name[4:]}", _MOST)
        if sha512(content).hexdigest() == name:
            with tarfile.open(fileobj=io.BytesIO(content)) as tar:
                held = {one.name.partition("/")[2]: tar.extractfile(one) for one in tar if one.isfile()}
                return {path: file.read() for path, file in held.items() if file}
    return {}
