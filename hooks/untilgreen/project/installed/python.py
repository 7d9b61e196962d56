"""Python's packages, against the hashes that their installer wrote into RECORD. An installation brings its own RECORD;
what none lists, and what differs from it, was written by hand."""

import glob
import json
import os
import time
from base64 import urlsafe_b64encode
from collections.abc import Collection, Iterator
from hashlib import file_digest
from urllib.parse import unquote

from untilgreen.project import files
from untilgreen.project.installed.written import SOURCES, Touched, is_newer, since
from untilgreen.project.toplevel import within

_BY_VIRTUALENV = ("_virtualenv.py", "_virtualenv.pth")  # in each environment that it makes, and in no RECORD
_DEVELOPED = ("easy-install.pth", ".egg-link")  # by `setup.py develop`
_MOST = 100_000_000  # bytes of what is read as a whole
_UNCHECKED = b"\1\0\0\0"  # in front of such a cache (PEP 552)
_NOT_OF_PYTHON = ("site-packages", "dist-packages", "test", "idlelib", "lib2to3")


def written_by_hand(prefix: str, moment: float, project: str, seconds: float) -> Iterator[str]:
    """The files of an environment, and of the Python that it is of, that no installer wrote after `moment`. For so many
    `seconds` content is compared. Raises OSError, ValueError, LookupError."""
    python = f"{prefix}/bin/python"
    if is_newer(f"{prefix}/pyvenv.cfg", moment) and not is_newer(python, moment):
        yield f"{prefix}/pyvenv.cfg"
    for folder in {os.path.realpath(one) for one in glob.glob(f"{glob.escape(prefix)}/lib*/python3.*/*-packages")}:
        version, home = os.path.basename(os.path.dirname(folder)), os.path.dirname(os.path.realpath(python))
        new, itself = [*since(folder, moment), *since(f"{prefix}/bin", moment)], f"{home}/../lib/{version}"
        if not is_newer(f"{itself}/os.py", moment):
            new += since(itself, moment, _NOT_OF_PYTHON)
        until = time.monotonic() + seconds
        folders, listed = {one.path for one in new if one.kind == "folder"}, _listed(prefix, folder) if new else {}
        for one in (one for one in new if one.kind != "folder"):
            said = listed.get(one.path)
            if _differs(one, *said, moment, project, until) if said else _is_loaded(one, prefix, moment, project):
                yield one.path
        gone = (path for path in listed if os.path.dirname(path) in folders and not os.path.lexists(path))
        yield from (path for path in gone if path.endswith(SOURCES) and not path.endswith(".pyc"))


def instead_of_sources(project: str, listed: Collection[str], moment: float) -> Iterator[str]:
    """What Python loads in the place of modules of a project, and was written after `moment`: a package of the same
    name that git does not know, and a cache that Python never holds against its source. `listed`: what git knows."""
    sources = [path for path in listed if path.endswith(".py")]
    packages = {f"{path[:-3]}/__init__.py" for path in sources}.difference(listed)
    yield from (f"{project}/{path}" for path in sorted(packages) if is_newer(f"{project}/{path}", moment))
    for folder in sorted({os.path.dirname(path) for path in sources}):
        for cache in glob.iglob("*.pyc", root_dir=(place := os.path.join(project, folder, "__pycache__"))):
            if is_newer(f"{place}/{cache}", moment):
                with open(f"{place}/{cache}", "rb", opener=files.followed) as stream:
                    unchecked = stream.read(8)[4:] == _UNCHECKED
                yield from [f"{place}/{cache}"] if unchecked else []


def _listed(prefix: str, folder: str) -> dict[str, tuple[str, str]]:
    """Path to its hash, "" for none, and to the RECORD, or the note of conda, that says so."""
    found = {}
    for record in glob.glob(f"{glob.escape(folder)}/*.dist-info/RECORD"):
        with open(record, encoding="utf-8", errors="surrogateescape", opener=files.followed) as stream:
            for path, said, _ in (line.rsplit(",", 2) for line in stream if line.count(",") > 1):
                found[os.path.normpath(os.path.join(folder, path.strip('"')))] = (said, record)
    for note in glob.glob(f"{glob.escape(prefix)}/conda-meta/*.json"):  # conda writes into what it installs
        paths = json.loads(files.read(note, _MOST, follow=True)).get("files", ())
        found |= {os.path.join(prefix, path): ("", note) for path in paths}
    return found


def _differs(one: Touched, said: str, record: str, moment: float, project: str, until: float) -> bool:
    info = os.path.dirname(record)
    if one.path == record:  # it is as new as what its installer wrote beside it
        return not all(is_newer(f"{info}/{name}", moment) for name in ("METADATA", "WHEEL"))
    if not said:
        return one.kind != "stored" and not is_newer(record, moment)
    if one.path == f"{info}/direct_url.json":  # of what was made outside of the project, and since then
        source = unquote(str(json.loads(files.read(one.path, _MOST, follow=True))["url"]).partition("file://")[2])
        if not within(project, source) and (is_newer(source, moment) or any(since(source, moment))):
            return True
    with open(one.path, "rb", opener=files.followed) as stream:
        digest = urlsafe_b64encode(file_digest(stream, "sha256").digest()).rstrip(b"=").decode()
    return said != f"sha256={digest}" and time.monotonic() < until


def _is_loaded(one: Touched, prefix: str, moment: float, project: str) -> bool:
    """Whether what no RECORD lists may change what runs."""
    target = os.path.realpath(one.path)
    if one.path.startswith(f"{prefix}/bin/"):  # what is no environment's is everybody's; python leads to a Python
        by_name = one.kind == "file" or os.path.basename(target).startswith(("python", "pypy"))
        with open(target, "rb", opener=files.followed) as stream:
            script = os.access(target, os.X_OK) and stream.read(2) == b"#!"
        return os.path.exists(f"{prefix}/pyvenv.cfg") and (script or not by_name)
    if one.path.endswith(_BY_VIRTUALENV):
        return not is_newer(f"{prefix}/pyvenv.cfg", moment)
    if one.path.endswith(_DEVELOPED):
        lines = files.read(target, _MOST).decode(errors="replace").split("\n")
        return not all(within(project, line) for line in lines if line and line[0] != ".")
    return one.kind == "link" or one.path.endswith(SOURCES)
