"""Long words that look drawn by lot, as tokens and keys do and words of people do not. Pure."""

import re

_LONG = re.compile(r"(?<![A-Za-z0-9_+/.-])[A-Za-z0-9_+/.-]{20,}+={0,2}")
_PIECES = re.compile(r"[/._+=-]+")
_HUMPS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_PLAIN = re.compile(r"[A-Za-z]{0,20}\d{1,4}[a-z]{0,3}|\d{1,4}[A-Za-z]{0,12}|\d{1,14}")  # utf8, v2, 64bit, a date
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_ODD = 10  # characters that make a word odd as a whole
_HUMP = 2.7  # letters that the parts of a camelCase name have on average, at least
_LONGEST = 40  # letters of one word


def without(told: str, instead: str) -> str:
    """The text with another word for each one that is drawn; ids in the form of a UUID stay."""
    return _LONG.sub(lambda found: instead if _is_drawn(found[0]) else found[0], told)


def _is_drawn(word: str) -> bool:
    """Letters and digits, in pieces that no path, version or name is made of."""
    odd = sum(len(piece) for piece in _PIECES.split(_UUID.sub("", word)) if _is_odd(piece))
    return odd >= _ODD and any(map(str.isdigit, word)) and any(map(str.isalpha, word))


def _is_odd(piece: str) -> bool:
    if not piece.isalpha():
        return piece != "" and not _PLAIN.fullmatch(piece)
    return len(piece) > _LONGEST or len(piece) < _HUMP * len(_HUMPS.findall(piece))
