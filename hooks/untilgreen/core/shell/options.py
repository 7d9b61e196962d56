"""What the words behind a tool make of its run: the whole, a part, what nobody can tell, or nothing at all."""

import re
from collections.abc import Sequence

from untilgreen.core.shell import goals
from untilgreen.core.shell.programs import IDLE, KnownTool
from untilgreen.core.shell.words import ShellWord

_WATCH = re.compile(r"--?watch(?:-?all)?|--continuous|--looponfail", re.IGNORECASE)
_OFF = ("false", "0", "no")


def scope(tool: KnownTool, words: Sequence[ShellWord]) -> str:
    """What a run with these words looks at: "whole", "narrowed", "unknown"; "" where it checks nothing, or watches."""
    idle, valued, whole = IDLE | set(tool.idle.split()), set(tool.valued.split()), set(tool.whole.split())
    idle -= valued
    narrows, widens = set(tool.narrows.split()), set(tool.widens.split())
    found, place, wide, first = ["whole"], 0, False, True
    while place < len(words):
        word, place = words[place], place + 1
        name, equals, value = word.text.partition("=")
        if word.text == "--":
            if not tool.passes:
                break
        elif name[:1] == "-" and len(name) > 1:
            if (name in idle or word.text in idle or _WATCH.fullmatch(name)) and value.lower() not in _OFF:
                return ""
            name, alone = (name, not equals) if name in narrows | valued | widens else _letters(tool, word.text)
            wide = wide or name in widens
            alone = alone and name in narrows | valued and _takes(words[place : place + 1])
            value = words[place].text if alone else value
            found += ["narrowed"] if name in narrows and value not in whole else []
            place += alone
        elif word.known and first and name in idle:
            return ""
        elif not word.known or re.search(r"[*?$`]", word.text):
            found.append("unknown")
        elif word.text in widens:
            wide = True
        elif word.text not in whole:
            found.append("narrowed")
        first = first and name[:1] == "-"
    return goals.worst([*found, *([] if wide or "unknown" in found else [tool.bare])])


def _takes(following: Sequence[ShellWord]) -> bool:
    return bool(following) and following[0].text[:1] != "-"


def _letters(tool: KnownTool, text: str) -> tuple[str, bool]:
    """The option that a word of letters ends with, as `-k` of `-xvk`; whether its value is the next word."""
    if not tool.letters or not re.match(r"-[A-Za-z]", text):
        return text.partition("=")[0], "=" not in text
    known = {*tool.narrows.split(), *tool.valued.split()}
    for place, letter in enumerate(text[1:], 2):
        if f"-{letter}" in known:
            return f"-{letter}", place == len(text)
        if not letter.isalpha():
            break
    return text, False
