"""Settings in JSON with comments, for the hosts that read them so: what they say, and an edit that keeps the comments.
Pure."""

import json
import re
from collections.abc import Iterator, Mapping

from untilgreen.core.record import Any, NamedTuple

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_SPACE = " \t\r\n"


class _Pair(NamedTuple):
    """A pair of the outer table: where its key begins, its value begins, and where that ends."""

    key: str
    start: int
    value: int
    end: int


def plain(text: str) -> str:
    """The text with blanks in the place of its comments: every character stays where it is."""
    return _TOKEN.sub(lambda one: one[0] if one[0][0] == '"' else re.sub(r"[^\n]", " ", one[0]), text)


def edited(text: str, after: Mapping[str, Any]) -> str:
    """The text as one that says `after`, with all comments outside of the values that change. Raises ValueError where
    one would be lost, or the text is no table."""
    blank = plain(text)
    pairs = list(_pairs(blank))
    for one in reversed(pairs):
        if json.loads(blank[one.value : one.end]) == after.get(one.key, text):
            continue
        if text[one.start : one.end] != blank[one.start : one.end]:
            raise ValueError(f'a comment in "{one.key}" would be lost')
        text = _with(text, one, after) if one.key in after else _without(text, blank, one)
    for key in after.keys() - {one.key for one in pairs}:
        text = _added(text, key, after[key])
    return text


def _pairs(blank: str) -> Iterator[_Pair]:
    decoder = json.JSONDecoder()

    def behind(at: int, sign: str) -> int:
        while blank[at : at + 1] in tuple(_SPACE):
            at += 1
        if blank[at : at + 1] not in tuple(sign):
            raise ValueError("no table")
        return at + 1

    at = behind(0, "{")
    while blank[at:].lstrip(_SPACE)[:1] == '"':
        start = behind(at, '"') - 1
        key, at = decoder.raw_decode(blank, start)
        value = behind(at, ":")
        value += len(blank[value:]) - len(blank[value:].lstrip(_SPACE))
        _, end = decoder.raw_decode(blank, value)
        yield _Pair(key, start, value, end)
        at = behind(end, ",}")


def _value(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False).replace("\n", "\n  ")


def _with(text: str, one: _Pair, after: Mapping[str, Any]) -> str:
    return text[: one.value] + _value(after[one.key]) + text[one.end :]


def _without(text: str, blank: str, one: _Pair) -> str:
    """Without the pair, and the comma that would be one too many."""
    before, behind = blank[: one.start].rstrip(_SPACE), blank[one.end :].lstrip(_SPACE)
    front, comma = text[len(before) : one.start], len(blank) - len(behind)
    front = front if front.strip(_SPACE) else ""  # a comment keeps the end of its line
    if before.endswith(","):
        return text[: len(before) - 1] + front + text[one.end :]
    rest = text[one.end : comma] + text[comma + 1 :] if behind.startswith(",") else text[one.end :]
    return text[: len(before)] + front + rest


def _added(text: str, key: str, value: object) -> str:
    """With one more pair behind the others."""
    pairs = list(_pairs(plain(text)))
    at = pairs[-1].end if pairs else plain(text).index("{") + 1
    rest = text[at:] if pairs or text[at:].startswith(("\n", "\r")) else f"\n{text[at:]}"
    return f"{text[:at]}{',' if pairs else ''}\n  {json.dumps(key)}: {_value(value)}{rest}"
