"""The text of a settings file, edited in place: every byte that is not ours stays as somebody wrote it.

Strict JSON, as the host reads it: a settings file with a comment or a trailing comma is passed over as a whole, its
hooks do not run, and nobody is told (seen with Claude Code 2.1.330 and 2.1.150); a byte order mark is fine.
Values are named by their path: `("hooks", "Stop", 0)` is the first group of the event.
"""

import json
import re
from typing import Any, NamedTuple, NoReturn

Path = tuple[str | int, ...]
_SPACE = re.compile(r"[ \t\r\n\ufeff]*")
_HALF = re.compile(r"[\ud800-\udfff]")


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse)


class Item(NamedTuple):
    """A member of a table (`key`) or of a list: where it starts, where its value starts, where it ends."""

    key: str
    start: int
    value_start: int
    end: int
    value: Any


class Style(NamedTuple):
    """How a document is written. `unit`: one step of indentation, None where all stands on one line."""

    unit: str | None
    newline: str
    colon: str
    comma: str


def parsed(text: str) -> Any:
    """The document; an empty table for a blank text. Raises ValueError, RecursionError."""
    if blank(text):
        return {}
    start = _after_space(text, 0)
    value, end = _DECODER.raw_decode(text, start)
    if (rest := _after_space(text, end)) < len(text):
        raise json.JSONDecodeError("Extra data", text, rest)
    return value


def blank(text: str) -> bool:
    """Is there no document at all?"""
    return _after_space(text, 0) == len(text)


def find(text: str, path: Path) -> Item | None:
    """What stands at the path, None where nothing does. The text must be valid, here and in all below."""
    start = _after_space(text, 0)
    value, end = _DECODER.raw_decode(text, start)
    item = Item("", start, start, end, value)
    for step in path:
        inside = children(text, item)
        if isinstance(step, int):
            named = inside[step : step + 1]
        else:  # of a key that stands there twice the last one counts, for the host too
            named = [child for child in inside if child.key == step] if isinstance(item.value, dict) else []
        if not named:
            return None
        item = named[-1]
    return item


def children(text: str, parent: Item) -> list[Item]:
    """The members of a table or a list, in their order."""
    found: list[Item] = []
    if not isinstance(parent.value, dict | list):
        return found
    place = _after_space(text, parent.value_start + 1)
    while text[place] not in "]}":
        start, key = place, ""
        if isinstance(parent.value, dict):
            key, place = _DECODER.raw_decode(text, place)
            place = _after_space(text, _after_space(text, place) + 1)
        value, end = _DECODER.raw_decode(text, place)
        found.append(Item(key, start, place, end, value))
        place = _after_space(text, end)
        if text[place] == ",":
            place = _after_space(text, place + 1)
    return found


def added(text: str, path: Path, value: Any, key: str = "", after: int | None = None) -> str:
    """With one more member in the table (by `key`) or list at the path: the last one, or the one after number `after`.

    It is written as its neighbours are: on a line of its own or on theirs, with their indentation.
    """
    parent = _there(text, path)
    inside = children(text, parent)
    name = f"{_written(key)}{_style(text).colon}" if isinstance(parent.value, dict) else ""
    if not inside:
        return _filled(text, parent, name, value)
    number = len(inside) - 1 if after is None else after
    before = inside[number - 1].end if number else parent.value_start + 1
    margin = _margin(text[before : inside[number].start])
    space = " " if margin is None and _style(text).comma.endswith(" ") else ""
    lead = space if margin is None else f"{_style(text).newline}{margin}"
    place = inside[number].end
    return f"{text[:place]},{lead}{name}{_rendered(text, value, margin)}{text[place:]}"


def replaced(text: str, path: Path, value: Any) -> str:
    """With another value at the path."""
    item = _there(text, path)
    line = text[text.rfind("\n", 0, item.start) + 1 : item.start]
    alone = "\n" in text[: item.start] and not line.strip(" \t")
    return spliced(text, path, _rendered(text, value, line if alone else None))


def spliced(text: str, path: Path, words: str) -> str:
    """With these words of JSON in the place of the value at the path."""
    item = _there(text, path)
    return text[: item.value_start] + words + text[item.end :]


def cut(text: str, path: Path) -> str:
    """Without the member at the path, its comma, and the space before it. What is left of an only one is `{}`, `[]`."""
    item, parent = _there(text, path), _there(text, path[:-1])
    inside = children(text, parent)
    number = inside.index(item)
    if len(inside) == 1:
        return text[: parent.value_start + 1] + text[parent.end - 1 :]
    if number == 0:
        return text[: item.start] + text[inside[1].start :]
    return text[: _after_space(text, inside[number - 1].end)] + text[item.end :]


def laid_out(value: Any) -> str:
    """A document of our own."""
    return _written(value, indent=2)


def _written(value: Any, **form: Any) -> str:
    """JSON with its letters as they are; half a pair of surrogates, which no encoding has, stays escaped."""
    return _HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", json.dumps(value, ensure_ascii=False, **form))


def _there(text: str, path: Path) -> Item:
    item = find(text, path)
    if item is None:
        raise LookupError(f"nothing at {path}")
    return item


def _filled(text: str, parent: Item, name: str, value: Any) -> str:
    """The first member of a table or list that was empty; the space that it held comes after."""
    style = _style(text)
    start, end = parent.value_start + 1, parent.end - 1
    if style.unit is None:
        return f"{text[:start]}{name}{_rendered(text, value, None)}{text[start:]}"
    line = text[text.rfind("\n", 0, parent.value_start) + 1 : parent.value_start]
    outer = line[: len(line) - len(line.lstrip(" \t"))]
    lead = f"{style.newline}{outer}{style.unit}"
    tail = "" if "\n" in text[start:end] else f"{style.newline}{outer}"
    return f"{text[:start]}{lead}{name}{_rendered(text, value, outer + style.unit)}{tail}{text[start:]}"


def _rendered(text: str, value: Any, margin: str | None) -> str:
    """A value in the document's own style; `margin`: the indentation of its line, None to stay on the line."""
    style = _style(text)
    if margin is None or style.unit is None:
        return _written(value, separators=(style.comma, style.colon))
    words = _written(value, indent=style.unit, separators=(",", style.colon))
    return words.replace("\n", f"{style.newline}{margin}")


def _style(text: str) -> Style:
    document = _there(text, ())
    inside = children(text, document)
    newline = "\r\n" if "\r\n" in text else "\n"
    if not inside:
        return Style("  ", newline, ": ", ", ")
    begins = [document.start + 1, *(item.end for item in inside)]
    margins = (_margin(text[begin : item.start]) for begin, item in zip(begins, inside, strict=False))
    unit = next((margin for margin in margins if margin is not None), None)
    gap = text[_DECODER.raw_decode(text, inside[0].start)[1] : inside[0].value_start]
    colon = gap if isinstance(document.value, dict) and "\n" not in gap else ": "
    return Style(unit, newline, colon, ", " if colon.endswith(" ") else ",")


def _margin(gap: str) -> str | None:
    """The indentation of what comes after a gap, None where the gap holds no end of a line."""
    return gap.rpartition("\n")[2].partition(",")[0] if "\n" in gap else None


def _after_space(text: str, place: int) -> int:
    match = _SPACE.match(text, place)
    return match.end() if match else place
