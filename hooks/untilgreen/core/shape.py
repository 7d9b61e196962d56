"""The shape of a payload: the host's own keys and words stay, of everything else only its length. Pure.

What may stay is named, and the rest goes: what a secret looks like need not be known.

- A text that is no word of the host becomes `<217 characters>`, and so does an unknown key.
- An id becomes another id, the same one everywhere in a recording. Each name in a path becomes another name; the
  project's folder becomes `/src/project`, and the suffix of a source file stays.
- A number of more than three digits, or with a fraction, becomes 1000: it might be an id.
- Of the agent's last message it stays whether a marker closes it.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from untilgreen.core import languages
from untilgreen.core.record import NamedTuple
from untilgreen.core.verdict import markers
from untilgreen.core.verdict.identity import blake2b

PROJECT = "/src/project"
_SUFFIXES = frozenset({".jsonl", ".md", ".toml", ".txt"}).union(*(suffixes for _, suffixes in languages.HOOKS.values()))
_NUMBER = re.compile(r"(?<!\d)\d{1,3}(?!\d)", re.ASCII)
_PATH_NAME = re.compile(r"[^/\\]+")
_CLOSED = {"complete": "\n<jikime>DONE</jikime>", "blocked": "\n<ralph>BLOCKED</ralph>"}


class Vocabulary(NamedTuple):
    """What a host's payloads and variables are made of."""

    #: keys of objects, lists, numbers and texts
    keys: frozenset[str]
    #: a key, and the host's words that may stand there; `0` in a word is any number of up to three digits
    words: Mapping[str, frozenset[str]]
    #: keys of ids
    ids: frozenset[str]
    #: keys of paths
    paths: frozenset[str]
    #: names in paths by which a host is known
    folders: frozenset[str] = frozenset()
    #: keys of the agent's last message
    messages: frozenset[str] = frozenset()


def words(text: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(text.split())


class Origin(NamedTuple):
    """Where a payload comes from: the project's folder, and what its ids are mixed with."""

    root: str
    salt: str


def merged(vocabularies: Iterable[Vocabulary]) -> Vocabulary:
    """One vocabulary of several hosts."""
    whole = Vocabulary(frozenset(), {}, frozenset(), frozenset())
    for one in vocabularies:
        known = {key: whole.words.get(key, frozenset()) | more for key, more in one.words.items()}
        whole = Vocabulary(
            keys=whole.keys | one.keys | one.words.keys() | one.ids | one.paths | one.messages,
            words={**whole.words, **known},
            ids=whole.ids | one.ids,
            paths=whole.paths | one.paths,
            folders=whole.folders | one.folders,
            messages=whole.messages | one.messages,
        )
    return whole


def shape(value: Any, vocabulary: Vocabulary, origin: Origin, key: str = "") -> Any:
    """The shape of a JSON value that has the name `key` in its object. Raises RecursionError."""
    if isinstance(value, dict):
        names = {name: name if name in vocabulary.keys else f"<{len(name)} characters>" for name in value}
        return {names[name]: shape(item, vocabulary, origin, name) for name, item in value.items()}
    if isinstance(value, list):
        return [shape(item, vocabulary, origin, key) for item in value]
    if isinstance(value, str):
        return _text(value, vocabulary, origin, key)
    if value is None or isinstance(value, bool) or (-1000 < value < 1000 and value == value // 1):
        return value
    return type(value)(1000)


def length(text: str) -> str:
    """What stands for a text."""
    return f"<{len(text)} characters>" if text else ""


def _text(text: str, vocabulary: Vocabulary, origin: Origin, key: str) -> str:
    if key in vocabulary.messages:
        marker = markers.find(text)
        return length(text) + (_CLOSED[marker.kind] if marker else "")
    if key in vocabulary.ids:
        return _digest(text, origin.salt) if text else ""
    if key in vocabulary.paths:
        return _path(text, vocabulary, origin)
    first = next(iter(text.split(maxsplit=1)), "")
    if _NUMBER.sub("0", first) not in vocabulary.words.get(key, ()) or not text.startswith(first):
        return length(text)
    rest = text[len(first) :]
    return f"{first} {length(rest)}" if rest else text


def _path(path: str, vocabulary: Vocabulary, origin: Origin) -> str:
    root = origin.root.rstrip("/")
    inside = root != "" and f"{path}/".startswith(f"{root}/")

    def named(found: re.Match[str]) -> str:
        name, suffix = found[0], "".join(found[0].rpartition(".")[1:])
        if name in vocabulary.folders or name in (".", ".."):
            return name
        return _digest(name, origin.salt)[:8] + (suffix if suffix in _SUFFIXES else "")

    return (PROJECT if inside else "") + _PATH_NAME.sub(named, path[len(root) :] if inside else path)


def _digest(text: str, salt: str) -> str:
    return blake2b(f"{salt} {text}".encode("utf-8", "replace"), digest_size=16).hexdigest()
