"""A typed slash command: the same options as in a shell, and a task that is taken word for word.

The raw line never sees a shell, so quotes, `$()`, backticks and here-documents are plain text in it.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from untilgreen.core.errors import UserError
from untilgreen.loops.options import Request, offered, request
from untilgreen.settings.keys import SETTINGS
from untilgreen.settings.table import Option, Table
from untilgreen.settings.values import shown

_RALPH = {"start": "loop", "stop": "cancel", "status": "status"}
_BEGIN = re.compile(r"""(--[^\s="']+=)?(?:(["'])|\S)""")
_CLOSING = {quote: re.compile(rf"{quote}(?=\s|\Z)") for quote in "\"'"}
_END = re.compile(r"\s|\Z")
_DIGITS = re.compile(r"[0-9]+")
# an `@` that opens a word, or follows a bracket that does
_MENTION = re.compile(r"(?<![^\s(])@(\S+)")


class _Word(NamedTuple):
    """`inside` is what a pair of quotes holds, None without one; `flag`: it starts with `--` outside quotes."""

    start: int
    text: str
    inside: str | None

    @property
    def flag(self) -> bool:
        return self.text.startswith("--")

    @property
    def quoted(self) -> bool:
        return self.inside is not None and not self.flag


class _Flag(NamedTuple):
    """A flag, its value ("" for a switch) and how many words both took."""

    name: str
    value: str
    words: int


def command_of(prompt: str, names: Mapping[str, str]) -> tuple[str, str] | None:
    """`/untilgreen:loop REST` as ("loop", REST), an alias too (if it is installed or not); None for anything else.

    `names`: what the host lets a line open with, and our name for it. Raises UserError where `/ralph` does not say what
    to do.
    """
    opening, *rest = re.split(r"\s+", prompt, maxsplit=1)
    name = names.get(opening)
    if name == "ralph":
        return _of_ralph("".join(rest))
    return (name, "".join(rest)) if name else None


def _of_ralph(text: str) -> tuple[str, str]:
    word, *rest = re.split(r"\s+", text, maxsplit=1)
    if word not in _RALPH:
        wrong = f", not {shown(word)}" if word else ""
        raise UserError(f"/ralph takes start, stop or status{wrong}", "begin a loop with /ralph start TASK")
    return _RALPH[word], "".join(rest)


def parse(text: str, exists: Callable[[str], bool], table: Table = SETTINGS) -> Request:
    """What the text after the command's name asks for; `exists` tells whether a path is below the project root.

    Raises UserError and nothing else. What is left without the flags is the task, verbatim but for the white space
    round it; one pair of quotes round the whole of it falls away.
    """
    words = list(_words(text))
    options = offered(table)
    given: dict[str, list[str]] = {}
    kept: list[_Word] = []
    cuts: list[tuple[int, int]] = []
    at = 0
    while at < len(words):
        dashes = words[at].text == "--"
        ends = dashes and not kept  # in the middle of a task it is text, as in `git checkout -- file`
        flag = None if dashes else _flag(options, words[at], words[at + 1] if at + 1 < len(words) else None)
        taken = 1 if ends else flag.words if flag else 0
        if flag:
            given.setdefault(flag.name, []).append(flag.value)
        if taken:
            following = words[at + taken].start if at + taken < len(words) else len(text)
            cuts.append((words[at].start, following))
        else:
            kept.append(words[at])
        at += taken or 1
        if ends:
            kept.extend(words[at:])
            break
    return with_mentions(request(given, _task(text, kept, cuts), table), exists)


def with_mentions(asked: Request, exists: Callable[[str], bool]) -> Request:
    """The request with the `@path` words of its task as further targets, as far as they exist."""
    mentioned = (_path(match[1], exists) for match in _MENTION.finditer(asked.task))
    targets = dict.fromkeys([*asked.targets, *filter(None, mentioned)])
    return asked._replace(targets=tuple(targets))


def _path(word: str, exists: Callable[[str], bool]) -> str:
    candidates = (word, word.rstrip(",.;:)"))
    return next((path for path in candidates if path and exists(path)), "")


def _task(text: str, kept: Sequence[_Word], cuts: Sequence[tuple[int, int]]) -> str | None:
    if not kept:
        return None
    if len(kept) == 1 and kept[0].quoted:
        return kept[0].inside
    left, start = [], 0
    for begin, end in cuts:
        left.append(text[start:begin])
        start = end
    return "".join([*left, text[start:]]).strip()


def _words(text: str) -> Iterator[_Word]:
    """The words of a line. A quote opens only where a word starts or right after `--x=`, and closes only before
    white space or the end: the apostrophe of "don't" is none, and one that never closes is text."""
    closing = {quote: [found.start() for found in closes.finditer(text)] for quote, closes in _CLOSING.items()}
    position = 0
    while begin := _BEGIN.search(text, position):
        close = -1
        if quote := begin[2]:
            index = bisect_right(closing[quote], begin.end() - 1)
            close = closing[quote][index] if index < len(closing[quote]) else -1
        if close < 0:
            ends = _END.search(text, begin.end())
            position = ends.start() if ends else len(text)
            yield _Word(begin.start(), text[begin.start() : position], None)
        else:
            position = close + 1
            yield _Word(begin.start(), text[begin.start() : position], text[begin.end() : close])


def _flag(options: Sequence[Option], word: _Word, following: _Word | None) -> _Flag | None:
    """The flag that `word` is, with its value; None when it belongs to the task."""
    if not word.flag:
        return _short(options, word, following)
    name, equals, value = word.text.partition("=")
    option = _option(options, name)
    if not option.value:
        if equals:
            raise UserError(f"{name} takes no value", f"write {name} alone")
        return _Flag(name, "", 1)
    if equals:
        return _Flag(name, value if word.inside is None else word.inside, 1)
    if following is None or following.flag:
        raise UserError(f"{name} needs a value", f"write {name} {option.value}")
    return _Flag(name, _value(following), 2)


def _short(options: Sequence[Option], word: _Word, following: _Word | None) -> _Flag | None:
    # `-m` and `-t` are words of many tasks ("git commit -m"): only with a value that fits are they flags
    option = next((option for option in options if option.short == word.text), None)
    if option is None or following is None:
        return None
    value = _value(following)
    fits = _DIGITS.fullmatch(value) if option.value == "N" else following.quoted
    return _Flag(option.flag, value, 2) if fits else None


def _option(options: Sequence[Option], name: str) -> Option:
    option = next((option for option in options if option.flag == name), None)
    if option is None and name not in ("--help", "--version"):
        advice = 'if it belongs to the task, put the task in quotes: /untilgreen:loop "the task"'
        raise UserError(f"unknown option {name}", advice)
    if option is None or not option.typed:
        raise UserError(f"{name} works in a shell only", f"run start-loop {name}")
    return option


def _value(word: _Word) -> str:
    return word.text if word.inside is None else word.inside
