"""Findings that are lines of text among others: compilers' `file:line:column: error: …`, and a pattern of one's own.

Learned from gcc 12.2, shellcheck 0.11 and mypy: the rule stands in brackets at the end; `-Werror` writes it as
`-Werror=…`. From GNU ld 2.40 and gold 1.16: an object's source is named without a line unless it holds debugging
information; `gcc a.c` links an object with another name each time; libraries that are not found have no place.
"""

import re

from untilgreen.checkers import time_limit
from untilgreen.checkers.answer import Malformed, Reading, finding, matched, severity_of
from untilgreen.core.model.outcome import Diagnostic

_WIDTH = 2_000  # characters of a line that a pattern sees: a minified file in a message would keep it busy for ever
_SECONDS = 2.0  # for all of a pattern's lines: some patterns would need more than a lifetime for one of them
_GCC = re.compile(
    r"^(?:(?P<file>(?:[A-Za-z]:[\\/])?[^\s:][^:\n]*):(?P<line>\d{1,9}):(?:(?P<column>\d{1,9}):)?|(?P<tool>[^\s:]+):)"
    r" (?P<kind>(?:fatal |internal compiler )?error|warning|note): (?P<message>.*)$"
)


_MISSED = re.compile(
    r"(?:^|: )(?:error: )?(?P<message>(?:undefined reference to|multiple definition of|(?P<lost>cannot find)) .*)"
)
_LD = re.compile(r"(?:^|[\\/-])ld(?:\.\w+)?$")
_TEMPORARY = re.compile(r"(?:^|(?<=[\s:]))[^\s:]*[\\/]cc\w{6}\.o(?::|$)")
_PLACE = re.compile(
    r"(?:[^:]+\.o:(?=[^(\d]))?(?P<file>(?:[A-Za-z]:(?=[\\/]))?[^:(][^:]*)(?P<part>:(?:(?P<line>\d{1,9})$|.+))?"
)
_SUMMARY = re.compile(r"(?:collect2|clang\S*): (?:ld returned|linker command failed)\b")


def gcc(text: str) -> Reading:
    """Errors, warnings and notes (info) in the form of gcc, with or without a column, and of its linker.

    The rule is what the brackets at the end hold, `-Wunused-variable` or `SC2086`; "error", "fatal-error", "warning"
    or "note" where there are none; "ld" for what the linker misses. What a tool says about no file has its name in
    the message.
    """
    lines = text.split("\n")
    found = [one for line in lines if (one := _linker(line) or _compiler(line))]
    # the compiler's word that its linker failed counts where no other error says why
    others = [one for one in found if not _SUMMARY.match(one.message)]
    return Reading(tuple(others if any(one.severity == "error" for one in others) else found))


def _compiler(line: str) -> Diagnostic | None:
    match = _GCC.match(line)
    if not match:
        return None
    message, kind = match["message"].rstrip(), match["kind"]
    rule = _rule(message)
    return finding(
        (match["file"] or "", match["line"], match["column"]),
        rule.replace("-Werror=", "-W") or kind.replace(" ", "-"),
        severity_of(kind),
        (message.removesuffix(f"[{rule}]") if rule else message) if match["file"] else f"{match['tool']}: {message}",
        hides=kind.startswith(("fatal", "internal")),
    )


def _rule(message: str) -> str:
    """What stands in brackets at the end, "" where that is no name: `array[3]` is none."""
    start = message.rfind(" [") + 2
    name = message[start:-1] if start > 1 and message.endswith("]") else ""
    return name if re.fullmatch(r"[\w.,=+/@-]*[A-Za-z][\w.,=+/@-]*", name[:200]) else ""


def _linker(line: str) -> Diagnostic | None:
    """What a line says is missing or there twice, with the rule "ld" and its file where one is named."""
    found = _MISSED.search(line)
    if not found:
        return None
    where = _TEMPORARY.sub("", line[: found.start()])
    by_linker = bool(_LD.search(where.partition(": ")[0]))
    place = _PLACE.fullmatch("" if by_linker and ": " not in where else where.rpartition(": ")[2])
    if not by_linker and (found["lost"] or not (place and place["part"])):
        return None
    return finding(place.group("file", "line") if place else ("",), "ld", "error", _TEMPORARY.sub("", found["message"]))


def matching(pattern: str, text: str) -> Reading:
    """One finding for each line in which `pattern` is found: its groups `file`, `line`, `column`, `severity`,
    `rule`, `message`.

    Without a `message` the whole line is it, without a `severity` it is an error, without a `rule` its severity. Only
    the first 2,000 characters of a line are looked at. Raises Malformed for a pattern that does not compile, or needs
    more than two seconds.
    """
    lines = (line.rstrip("\r")[:_WIDTH] for line in text.split("\n"))
    try:
        with time_limit.within(_SECONDS, "the pattern takes too long"):
            compiled = re.compile(pattern, re.MULTILINE)
            matches = [match for match in map(compiled.search, lines) if match]
    except time_limit.TooLong as error:
        raise Malformed(str(error)) from error
    except (re.error, OverflowError, RecursionError) as error:
        raise Malformed(f"the pattern is no regular expression: {error}") from error
    return Reading(tuple(map(matched, matches)))
