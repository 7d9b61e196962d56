"""What linkers miss, in their own words.

Learned from GNU ld 2.40 and gold 1.16: an object's source is named without a line unless it holds debugging
information; `gcc a.c` links an object with another name each time; libraries that are not found have no place.
"""

import re

from untilgreen.checkers.answer import finding, line_of
from untilgreen.core.model import Diagnostic

_MISSED = re.compile(
    r"(?:^|: )(?:error: )?(?P<message>(?:undefined reference to|multiple definition of|(?P<lost>cannot find)) .*)"
)
_LINKER = re.compile(r"(?:^|[\\/-])ld(?:\.\w+)?$")
_TEMPORARY = re.compile(r"(?:^|(?<=[\s:]))[^\s:]*[\\/]cc\w{6}\.o(?::|$)")
_PLACE = re.compile(
    r"(?:[^:]+\.o:(?=[^(\d]))?(?P<file>(?:[A-Za-z]:(?=[\\/]))?[^:(][^:]*)(?P<part>:(?:(?P<line>\d{1,9})$|.+))?"
)
_SUMMARY = re.compile(r"(?:collect2|clang\S*): (?:ld returned|linker command failed)\b")


def told(line: str) -> Diagnostic | None:
    """What a line says is missing or there twice, with the rule "ld" and its file where one is named."""
    found = _MISSED.search(line)
    if not found:
        return None
    where = _TEMPORARY.sub("", line[: found.start()])
    by_linker = bool(_LINKER.search(where.partition(": ")[0]))
    place = _PLACE.fullmatch("" if by_linker and ": " not in where else where.rpartition(": ")[2])
    if not by_linker and (found["lost"] or not (place and place["part"])):
        return None
    file, number = (place["file"], line_of(place["line"])) if place else ("", 0)
    return finding(file, number, "ld", "error", _TEMPORARY.sub("", found["message"]))


def without_summary(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """Without the compiler's word that its linker failed, where another error says why."""
    others = [one for one in diagnostics if not _SUMMARY.match(one.message)]
    return others if any(one.severity == "error" for one in others) else diagnostics
