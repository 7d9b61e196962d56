"""The shape of a payload: the host's own keys and words stay, of everything else only its length. Pure.

What may stay is named, and the rest goes: what a secret looks like need not be known.

- A text that is no word of the host becomes `<217 characters>`, and so does an unknown key.
- An id becomes another id, the same one everywhere in a recording. Each name in a path becomes another name; the
  project's folder becomes `/src/project`, and the suffix of a source file stays.
- A number of more than three digits becomes the power of ten below it: it might be an id.
- Of the agent's last message the tags of a closing marker stay.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from untilgreen.core import languages, markers
from untilgreen.core.identity import blake2b

PROJECT = "/src/project"
_SMALL = 1_000
_SUFFIXES = frozenset({".jsonl", ".md", ".toml", ".txt"}).union(*(suffixes for _, suffixes in languages.HOOKS.values()))
_NUMBER = re.compile(r"(?<!\d)\d{1,3}(?!\d)", re.ASCII)
_PATH_NAME = re.compile(r"[^/\\]+")
# what may stand beside a tag: words of markers, and the signs of quotations, code and lists
_BESIDE_TAG = re.compile(r"(?i)[\s`>*-]*+(?:(?:done|complete|blocked)\b:?)?[\s`>*-]*+")


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
        return _object(value, vocabulary, origin)
    if isinstance(value, list):
        return [shape(item, vocabulary, origin, key) for item in value]
    if isinstance(value, str):
        return _text(value, vocabulary, origin, key)
    return value if value is None or isinstance(value, bool) else _number(value)


def length(text: str) -> str:
    """What stands for a text."""
    return f"<{len(text)} characters>" if text else ""


def _object(table: Mapping[str, Any], vocabulary: Vocabulary, origin: Origin) -> dict[str, Any]:
    shaped: dict[str, Any] = {}
    unknown: dict[int, int] = {}  # how many keys of a length there were
    for name, item in table.items():
        if name in vocabulary.keys:
            shaped[name] = shape(item, vocabulary, origin, name)
            continue
        number = unknown[len(name)] = unknown.get(len(name), 0) + 1
        shaped[f"<{len(name)} characters{f', {number}' if number > 1 else ''}>"] = shape(item, vocabulary, origin)
    return shaped


def _text(text: str, vocabulary: Vocabulary, origin: Origin, key: str) -> str:
    if key in vocabulary.messages:
        return _message(text)
    if key in vocabulary.ids:
        return _id(text, origin.salt)
    if key in vocabulary.paths:
        return _path(text, vocabulary, origin)
    first = next(iter(text.split(maxsplit=1)), "")
    if _NUMBER.sub("0", first) not in vocabulary.words.get(key, ()) or not text.startswith(first):
        return length(text)
    rest = text[len(first) :]
    return f"{first} {length(rest)}" if rest else text


def _number(number: float) -> float:
    """A whole number of the same kind: as it is up to three digits, else the power of ten below it."""
    if number - number != 0:  # infinite, or NaN
        return number
    whole = round(number)
    if abs(whole) >= _SMALL:
        size = 10 ** (len(str(abs(whole))) - 1)
        whole = size if whole > 0 else -size
    return type(number)(whole)


def _id(text: str, salt: str) -> str:
    """Another id, always the same one; in the form of a UUID."""
    digits = _digest(text, salt)
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:])) if text else ""


def _path(path: str, vocabulary: Vocabulary, origin: Origin) -> str:
    root = origin.root.rstrip("/")
    inside = root != "" and (path == root or path.startswith(root + "/"))

    def named(found: re.Match[str]) -> str:
        suffix = "".join(found[0].rpartition(".")[1:])
        if found[0] in vocabulary.folders or found[0] in (".", ".."):
            return found[0]
        return _digest(found[0], origin.salt)[:8] + (suffix if suffix in _SUFFIXES else "")

    return (PROJECT if inside else "") + _PATH_NAME.sub(named, path[len(root) :] if inside else path)


def _digest(text: str, salt: str) -> str:
    return blake2b(f"{salt} {text}".encode("utf-8", "replace"), digest_size=16).hexdigest()


def _message(message: str) -> str:
    """The length of the message; from the line of its last marker on, the tags and what may stand beside them."""
    tags = list(re.finditer(markers.TAG, message))
    opening = next((tag.start() for tag in reversed(tags) if not tag[1]), None)
    if opening is None:
        return length(message)
    position = message.rfind("\n", 0, opening) + 1
    parts = [f"{length(message[:position])}\n"] if position else []
    for tag in tags:
        if tag.start() >= position:
            parts += [_beside(message[position : tag.start()]), tag[0]]
            position = tag.end()
    return "".join((*parts, _beside(message[position:])))


def _beside(text: str) -> str:
    kept = _BESIDE_TAG.match(text)
    end = kept.end() if kept else 0
    return text[:end] + length(text[end:])
