"""Which files of the project a checker's configuration takes in: what it extends, its preset, what it imports.

Found by their shape, without running anything. Packages are left aside: they are not the project's.
"""

import posixpath
import re
from collections.abc import Iterator

from untilgreen.project.checker_configs import Configuration

# `extend` is ruff's, `preset` is jest's. The value: a list, a string, YAML's list of lines, or one word of it.
_EXTENDED = r"\b(?:extends?|preset)[\"']?[ \t]*[:=]\s*(\[[^\]]*|\"[^\"\n]*|'[^'\n]*|(?:-[ \t][^\n]*\s*)+|\S+)"
_BETWEEN = r"[\s\"'`\[\](),]+"
_IMPORTED = r"\b(?:from|import|require(?:\.resolve)?)\s*(?:\(\s*)?[\"'](\.[^\"'\n]+)[\"']"
_SCRIPTS = (".js", ".cjs", ".mjs", ".ts", ".cts", ".mts")
_WITHIN = (*(f"/index{suffix}" for suffix in _SCRIPTS), "/jest-preset.json", "/jest-preset.js", "/jest-preset.cjs")


def references(path: str, found: Configuration) -> Iterator[tuple[str, ...]]:
    """For each file that the one at `path` names: where it may be, likeliest first.

    All are posix paths relative to the project; those that lead out of it are left out. Whether there is such a file
    is not asked: names of packages come, too.
    """
    folder = posixpath.dirname(path)
    for text in found.texts.values():
        for word in _words(found.form, text):
            place = posixpath.normpath(posixpath.join(folder, word))
            if place.startswith(("/", "../")) or place in ("", ".", "..") or "node_modules" in place.split("/"):
                continue
            yield _places(place, found.form) if word.startswith(".") else (place,)


def _words(form: str, text: str) -> Iterator[str]:
    """What may be a path in what a configuration says."""
    if form in ("toml", "json", "yaml", "module", "vite"):
        for match in re.finditer(_EXTENDED, text):
            value = match[1]
            yield from [value[1:]] if value[0] in "\"'" else filter(None, re.split(_BETWEEN, value))
    if form in ("module", "vite"):
        for match in re.finditer(_IMPORTED, text):
            yield match[1]


def _places(place: str, form: str) -> tuple[str, ...]:
    """The file itself, or with an ending that was left away; TypeScript calls a `.ts` by the name of its `.js`."""
    endings = (*_SCRIPTS, ".json") if form in ("module", "vite") else (".json", *_SCRIPTS)
    compiled = (f"{place[:-2]}ts",) if place.endswith(_SCRIPTS[:3]) else ()
    return (place, *compiled, *(place + ending for ending in (*endings, *_WITHIN)))
