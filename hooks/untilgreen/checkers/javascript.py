"""What the tools of JavaScript and TypeScript share: which files they read, and how configuration is written."""

import json
import os
import re
from collections.abc import Sequence
from typing import Any

from untilgreen.layout import Layout, any_below, outermost

TYPESCRIPT = (".ts", ".tsx", ".mts", ".cts")
JAVASCRIPT = (".js", ".jsx", ".mjs", ".cjs")

# a string is matched whole, so that what looks like a comment in it stays; an open end is taken as it is
_COMMENT = r'("(?:\\.|[^"\\\n])*"?)|//[^\n]*|/\*.*?(?:\*/|\Z)'
_LAST_COMMA = r'("(?:\\.|[^"\\\n])*"?)|,(?=\s*[}\]])'


def with_comments(text: str) -> dict[str, Any] | None:
    """The object that a text of JSON with comments and last commas holds (tsconfig.json), None where it is none."""
    for pattern in (_COMMENT, _LAST_COMMA):
        text = re.sub(pattern, lambda match: match[1] or " ", text, flags=re.DOTALL)
    try:
        value = json.loads(text.removeprefix("\ufeff"), strict=False)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def covering(folders: Sequence[str], files: Sequence[str]) -> list[str]:
    """Of a linter's configured folders those that hold one of the files and lie in no other: it looks below them."""
    if "." in folders:
        return ["."] if files else []
    return [folder for folder in outermost(folders) if any_below(files, folder)]


def path_in(folder: str, name: str) -> str:
    """A name as a folder's configuration writes it, as a path relative to the project, or with `..` outside of it."""
    return os.path.normpath(os.path.join(folder, name)).replace(os.sep, "/")


def has_key(layout: Layout, folder: str, name: str, key: str) -> bool:
    """Whether a folder's JSON file has this key at its top."""
    return key in (with_comments(layout.text(path_in(folder, name)) or "") or {})
