"""`untilgreen.log` in the state folder: faults with their traceback, for people. No state, no log.

An entry is one line, whatever the names and texts hold that it tells; only a traceback of ours follows on more lines.
"""

import os
import sys
import time
from collections.abc import Mapping

from untilgreen.core.errors import one_line
from untilgreen.project import files
from untilgreen.state.place import base_of, root_of

FILE = "untilgreen.log"
_FULL = 1_000_000  # bytes; then the log is moved to untilgreen.log.1


def write(base: str, text: str, trace: str = "") -> str:
    """Append one entry, and the traceback that belongs to it; the log's path, or "" where it could not be written."""
    path = os.path.join(base, FILE)
    try:
        if not os.path.isdir(base):
            return ""
        if os.path.exists(path) and os.path.getsize(path) > _FULL:
            os.replace(path, path + ".1")
        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        entry = "\n".join(filter(None, (f"{stamp} {one_line(text)}", trace.rstrip())))
        with open(path, "ab", 0, opener=files.opened) as file:
            file.write(f"{entry}\n".encode("utf-8", "replace"))
    except OSError:
        return ""
    return path


def fault(name: str, error: Exception, env: Mapping[str, str], raw: bytes) -> str:
    """Log an unexpected error of a hook; the end of the notice, which says where."""
    import traceback

    try:
        base = base_of(root_of(env), env)
    except Exception:  # noqa: BLE001 the guard's own guard: the notice must come out
        return ""
    trace = "".join(traceback.format_exception(error))
    python = sys.version.split()[0]
    path = write(base, f"{name} on Python {python}, payload of {len(raw)} bytes", trace)
    return f" with the traceback that is in {path}" if path else ""
