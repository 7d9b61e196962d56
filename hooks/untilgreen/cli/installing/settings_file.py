"""A settings file in JSON: read as a host reads it, written as it writes it.

Strict JSON; a bridge, which is a program, has a line of it. Claude Code passes over a file with a comment or a trailing
comma as a whole, its hooks do not run, and nobody is told (2.1.330 and 2.1.150); a byte order mark is fine. When it
writes, it lays the whole file out anew.
"""

import json
import os
import stat
from collections.abc import Mapping
from typing import Any

from untilgreen.core.errors import UserError
from untilgreen.hosts.host import SettingsFiles

MEND = "mend it, then try again"


def content(path: str) -> bytes | None:
    """What a file holds, None where there is none. Raises UserError where it cannot be read, or is none: a pipe would
    never end, and to replace a device would be the end of it."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise UserError(f"{path} is no regular file", "move it away")
        with open(path, "rb") as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}", "make it readable") from None


def read(own: SettingsFiles, path: str) -> dict[str, Any]:
    """The settings of a file, empty where there is none. Raises UserError where the host would not take them."""
    return parsed(own.unwrapped(content(path) or b""), path)


def taken(own: SettingsFiles, path: str) -> dict[str, Any]:
    """What the host takes of a settings file: nothing of one that it does not understand, or that we may not read."""
    try:
        return read(own, path)
    except UserError:
        return {}


def laid_out(settings: Mapping[str, Any]) -> bytes:
    """The file, as the host writes it. Half a pair of surrogates, which no encoding has, stays escaped."""
    text = json.dumps(settings, indent=2, ensure_ascii=False)
    return f"{text}\n".encode(errors="backslashreplace")


def parsed(data: bytes, path: str, *, lossless: bool = False) -> dict[str, Any]:
    """The settings in these bytes; of a key that stands twice in a table the last one counts. Raises UserError;
    `lossless`: also where such a value would be lost."""
    twice: list[str] = []

    def table(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in pairs]
        twice.extend(name for number, name in enumerate(names) if name in names[:number])
        return dict(pairs)

    text = ""
    try:
        text = data.decode("utf-8-sig")
        blank = not text.strip(" \t\r\n")
        settings = {} if blank else json.loads(text, object_pairs_hook=table)
        json.dumps(settings, allow_nan=False)  # Python reads NaN and 1e999, which are no JSON
    except UnicodeDecodeError:
        raise UserError(f"{path} is not UTF-8 text", MEND) from None
    except (ValueError, RecursionError) as error:
        comment = text[getattr(error, "pos", len(text)) :].lstrip().startswith("/")
        hint = "; the host passes over settings with a comment" if comment and path.endswith(".json") else ""
        raise UserError(f"{path} is not JSON ({error}){hint}", MEND) from None
    if not isinstance(settings, dict):
        raise UserError(f"{path} holds no table of settings", MEND)
    if lossless and twice:
        raise UserError(f'{path} has the key "{twice[0]}" twice in one table', MEND)
    return settings
