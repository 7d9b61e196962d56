"""A typed slash command: the options of a shell, and a task word for word. No shell sees the line: quotes, `$()`,
backticks and here-documents are plain text in it."""

import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence

from untilgreen.core.errors import UserError, meant
from untilgreen.core.record import NamedTuple
from untilgreen.loops.begin.options import Request, offered, refused_value, request
from untilgreen.settings.keys import SETTINGS
from untilgreen.settings.values import Option, Table, shown

_QUOTES = ('"', "'")
_RALPH = {"start": "loop", "stop": "cancel", "status": "status", "rollback": "rollback"}
_BEGIN = re.compile(r"""(--[^\s="']+=)?(?:(["'])|\S)""")
_CLOSING = {quote: re.compile(rf"{quote}(?=\s|\Z)") for quote in "\"'"}
_TAIL = re.compile(r"(\S*)(\s*)")
_DIGITS = re.compile(r"[0-9]+")
# an `@` that opens a word, or follows a bracket that does
_MENTION = re.compile(r"(?<![^\s(])@(\S+)")


class _Word(NamedTuple):
    """`inside` is what a pair of quotes holds, None without one; `space` is what follows the word."""

    text: str
    inside: str | None
    space: str

    @property
    def flag(self) -> bool:
        """It starts with `--` outside quotes."""
        return self.text.startswith("--")

    @property
    def quoted(self) -> bool:
        return self.inside is not None and not self.flag

    @property
    def value(self) -> str:
        return self.text if self.inside is None else self.inside


def command_of(prompt: str, names: Mapping[str, str]) -> tuple[str, str] | None:
    """`/untilgreen:loop REST` or an alias as ("loop", REST), else None. `names`: what the host lets a line open with,
    and our name for it. Raises UserError where `/ralph` does not say what to do."""
    opening, *rest = re.split(r"\s+", prompt, maxsplit=1)
    name, text = names.get(opening), "".join(rest)
    if name == "ralph":
        name, text = _of_ralph(text)
    if name == "jikime":  # the loop that its users know
        return "loop", " ".join(("--preset jikime", *rest))
    others = [names.get(word) for word in text.split()]
    if name == "status" and "cancel" in others:
        return "cancel", ""  # typed one behind the other: what ends the loop wins
    if name in ("cancel", "status") and all(others):
        return name, ""
    return (name, text) if name else None


def _of_ralph(text: str) -> tuple[str, str]:
    word, *rest = re.split(r"\s+", text, maxsplit=1)
    if text.startswith(_QUOTES):  # `/ralph "TASK" --max-iterations=25`, the line that SuperCode's users know
        return "loop", text
    if word not in _RALPH:
        wrong = f", not {shown(word)}" if word else ""
        raise UserError(f"/ralph takes start, stop, status or rollback{wrong}", "begin a loop with /ralph start TASK")
    return _RALPH[word], "".join(rest)


def parse(text: str, exists: Callable[[str], bool], table: Table = SETTINGS) -> Request:
    """What the text after the command's name asks for; `exists`: whether a path is below the project. The task is what
    is left without the flags, verbatim but for one pair of quotes round the whole. Raises UserError only."""
    options = offered(table)
    given: dict[str, list[str]] = {}
    kept: list[_Word] = []
    left = deque(_words(text))
    while left:
        word = left.popleft()
        if word.text == "--" and not kept:  # in the middle of a task it is text, as in `git checkout -- file`
            kept.extend(left)
            break
        option = None if word.text == "--" else _option(options, word, left[0] if left else None)
        if option is None:
            kept.append(word)
        else:
            given.setdefault(option.flag, []).append(_value(option, word, left))
    return with_mentions(request(given, _task(kept), table), exists)


def with_mentions(asked: Request, exists: Callable[[str], bool]) -> Request:
    """The request with the `@path` words of its task as further targets, as far as they exist."""
    targets = dict.fromkeys(asked.targets)
    for match in _MENTION.finditer(asked.task):
        candidates = (match[1], match[1].rstrip(",.;:)"))
        if path := next((path for path in candidates if path and exists(path)), ""):
            targets[path] = None
    return asked._replace(targets=tuple(targets))


def _task(kept: Sequence[_Word]) -> str | None:
    if not kept:
        return None
    if len(kept) == 1 and kept[0].quoted:
        return kept[0].inside
    return "".join(word.text + word.space for word in kept).strip()


def _words(text: str) -> Iterator[_Word]:
    """The words of a line. A quote opens only where a word starts or right after `--x=`, and closes only before
    white space or the end: the apostrophe of "don't" is none, and one that never closes is text."""
    unclosed = set()  # of each kind of quote is looked for once where it does not come again
    position = 0
    while begin := _BEGIN.search(text, position):
        quote, position = begin[2], begin.end()
        close = _CLOSING[quote].search(text, position) if quote and quote not in unclosed else None
        inside = text[position : close.start()] if close else None
        if close:
            position = close.end()
        else:
            unclosed.add(quote)
        tail = _TAIL.match(text, position) or begin  # it may be empty, and always matches
        yield _Word(text[begin.start() : tail.end(1)], inside, tail[2])
        position = tail.end()


def _option(options: Sequence[Option], word: _Word, following: _Word | None) -> Option | None:
    if not word.flag:
        # `-m` and `-t` are words of many tasks ("git commit -m"): only with a value that fits are they flags
        option = next((option for option in options if option.short == word.text), None)
        if option is None or following is None:
            return None
        fits = _DIGITS.fullmatch(following.value) if option.value == "N" else following.quoted
        return option if fits else None
    name = word.text.partition("=")[0]
    option = next((option for option in options if option.flag == name), None)
    if option is None and name not in ("--help", "--version"):
        advice = 'if it belongs to the task, put the task in quotes: /untilgreen:loop "the task"'
        raise UserError(f"no such option {name}{meant(name, [one.flag for one in options if one.typed])}", advice)
    if option is None or not option.typed:
        raise UserError(f"{name} works in a shell only", f"run start-loop {name}")
    return option


def _value(option: Option, word: _Word, left: deque[_Word]) -> str:
    """The value of a flag, "" for a switch; the next word where it is that."""
    name, equals, value = word.text.partition("=")
    if equals and not option.value:
        raise refused_value(name)
    if equals or not option.value:
        return value if word.inside is None else word.inside
    if not left or left[0].flag:
        raise UserError(f"{name} needs a value", f"write {name} {option.value}")
    return left.popleft().value
