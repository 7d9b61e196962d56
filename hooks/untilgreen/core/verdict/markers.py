"""Markers: the words by which an agent says that it is done, or that it cannot go on.

A marker counts only where the agent means it: it closes the message, stands on lines of its own, and is not part of
a code block, a quotation or inline code. Markers inside fences, and "I cannot print <promise>DONE</promise> yet", ended
loops elsewhere.
"""

import re

from untilgreen.core.foreign import strip
from untilgreen.core.record import NamedTuple

_DONE = ("done", "complete")
_REACH = 16_384  # characters at the end of a message that the user's own blocked_regex may look at
_HIDDEN = "\0"  # stands for each character that is code or quoted; it is neither blank nor part of a tag

# plain texts: `re` compiles them when a message may hold a marker, and most hold none
TAG = r"(?ia)<(/?)(untilgreen|jikime|ralph|promise)\s*>|<jikime:(?:done|complete)\s*/>"
_BLOCKED = r"(?ias)\s*blocked\s*(?::(.*))?"
_FENCE = r" {0,3}((?:(?:[-*+]|\d{1,9}[.)]) +)*)(?:(`{3,})[^`]*|(~{3,}).*)"
_CLOSING_FENCE = r"( *)(`{3,}|~{3,})[ \t]*"
_SPAN = r"(`{1,3})[^`\n]+\1"
_LINE_START = r"(?m)^ *"


class Marker(NamedTuple):
    """`kind` is "complete" or "blocked"; `reason` is the agent's own, in one line, "" for "complete"."""

    kind: str
    reason: str = ""


class _Element(NamedTuple):
    """A marker at `start` of the message. `kind`: "done", "promise" or "blocked"; `text`: the promise or the reason."""

    kind: str
    start: int
    text: str = ""


def find(message: str, promise: str = "", success_regex: str = "", blocked_regex: str = "") -> Marker | None:
    """The marker that closes the message, None where no marker counts. "blocked" beats "complete".

    A completion must be the last line that is not blank, and nothing but tags stands on that line; the last tag wins.
    `<untilgreen>BLOCKED: reason</untilgreen>` (or `<ralph>`) opens at a line's start and closes the message,
    completions after it aside. With `promise` only `<promise>` with that text completes, whatever its letter case and
    white space (#81828 there); without it a `<promise>` must hold DONE or COMPLETE: no other text was ever agreed on.

    `success_regex` (the whole last line) and `blocked_regex` (from a line's start to the end; its first group is the
    reason) stand for the built-in words, not for the position; `promise` goes before `success_regex`. Raises re.error.
    """
    if "<" not in message and not success_regex and not blocked_regex:
        return None
    text = message.replace("\r\n", "\n").replace("\r", "\n")
    page = visible(text)
    elements = _closing_elements(text, page)
    if blocked_regex:
        reason = _blocked_by(blocked_regex, text, page, elements)
    else:
        reason = next((element.text for element in elements if element.kind == "blocked"), None)
    if reason is not None:
        from untilgreen.core import secrets

        return Marker("blocked", secrets.masked((" ".join(strip(reason).split()),))[0])
    wanted, line = _folded(promise), _last_line(page)
    if success_regex and not wanted:
        complete = bool(line and re.fullmatch(success_regex, text[line[0] : line[1]].strip(), re.IGNORECASE))
    elif elements and elements[0].kind == "promise":
        given = _folded(elements[0].text)
        complete = given == wanted if wanted else given in _DONE
    else:
        complete = bool(elements) and elements[0].kind == "done" and not wanted
    return Marker("complete") if complete else None


def visible(text: str) -> str:
    """The text, as long as before, with code and quotations hidden. A fence that is never closed hides the rest; one
    that opens behind a list's bullet is known as well. A line below a quotation is not taken as part of it."""
    lines = []
    fence, room = "", 0
    for line in text.split("\n"):
        start = line.lstrip(" ")
        is_code = len(line) - len(start) >= 4 or start.startswith(("\t", ">"))
        hidden = bool(fence) or (is_code and start.strip() != "")
        if fence:
            closing = re.fullmatch(_CLOSING_FENCE, line)
            if closing and closing[2].startswith(fence) and len(closing[1]) <= room:
                fence = ""
        elif opening := re.fullmatch(_FENCE, line):
            hidden, fence, room = True, opening[2] or opening[3], len(opening[1]) + 3
        lines.append(_HIDDEN * len(line) if hidden else re.sub(_SPAN, lambda span: _HIDDEN * len(span[0]), line))
    return "\n".join(lines)


def _closing_elements(text: str, page: str) -> list[_Element]:
    """The markers that close the message, newest first, with nothing but blanks between them, as far back as to the
    last one that begins a line. Looks at every tag once: a message may be a megabyte of them."""
    tags = list(re.finditer(TAG, page))
    elements: list[_Element] = []
    whole_lines = 0
    end = len(page)
    while tags and not page[tags[-1].end() : end].strip():
        element = _element(text, tags)
        if element is None:
            break
        elements.append(element)
        end = element.start
        gap = page[tags[-1].end() if tags else 0 : end]
        if ("\n" in gap or not tags) and not gap.rpartition("\n")[2].strip():
            whole_lines = len(elements)
    return elements[:whole_lines]


def _element(text: str, tags: list[re.Match[str]]) -> _Element | None:
    """The marker whose last tag is the last of `tags`, and takes its tags from the list."""
    last = tags.pop()
    slash, name = last.groups()
    if name is None:
        return _Element("done", last.start())
    while slash and tags:
        first = tags.pop()
        if (first[2] or "").lower() == name.lower():
            return None if first[1] else _pair(name.lower(), first.start(), text[first.end() : last.start()])
    return None


def _pair(name: str, start: int, inner: str) -> _Element | None:
    if name == "promise":
        return _Element("promise", start, inner)
    if _folded(inner) in (_DONE[1:] if name == "ralph" else _DONE):
        return _Element("done", start)
    blocked = re.fullmatch(_BLOCKED, inner) if name != "jikime" else None
    return _Element("blocked", start, blocked[1] or "") if blocked else None


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def _last_line(page: str) -> tuple[int, int] | None:
    """Where the last line that is not blank starts and ends; None when there is none, or it is code or quoted."""
    end = len(page.rstrip())
    start = page.rfind("\n", 0, end) + 1
    return (start, end) if page[start:end].strip(_HIDDEN) else None


def _blocked_by(regex: str, text: str, page: str, elements: list[_Element]) -> str | None:
    """The reason by the user's own expression, tried at the start of each of the last lines, the newest first."""
    line = _last_line(page)
    if line is None:
        return None
    pattern = re.compile(regex, re.IGNORECASE | re.DOTALL | re.MULTILINE)
    cut = line[1]
    for element in elements:
        if element.kind == "blocked":
            break
        cut = element.start
    starts = [place.end() for place in re.compile(_LINE_START).finditer(page, max(0, len(page) - _REACH))]
    for start in reversed(starts):
        for end in (line[1], len(page[:cut].rstrip())):
            if start < end and page[start] != _HIDDEN and (found := pattern.fullmatch(text, start, end)):
                return (found[1] if pattern.groups else "") or ""
    return None
