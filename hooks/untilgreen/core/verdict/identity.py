"""Which finding is which: an identity without line numbers.

Edits above a finding must not make it a new one, so the identity is made of the file, the
rule, the message without its numbers of lines, and the text of the source line.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from untilgreen.core.model.outcome import Diagnostic

try:  # straight from its module: `hashlib` loads OpenSSL, two milliseconds a process
    from _blake2 import blake2b
except ImportError:  # another interpreter, or a build without it
    from hashlib import blake2b

__all__ = ["blake2b", "digest", "each_identified", "identify", "normalise", "of_set"]

# plain texts: `re` compiles them when the first finding comes, and most stops have none
_LINE = r"\b(lines?|column|col) \d+"
# what differs from run to run without anything having changed
_NOISE = (
    r"0x[0-9a-fA-F]+"  # addresses
    r"|\b\d+(?:\.\d+)? ?(?:s|ms|us|sec|secs|seconds|minutes)\b"  # durations
    r"|\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?)?Z?"  # dates
    r"|\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b"  # times of day
    r"|(?:/[\w.-]+)*/(?:tmp|T)/[\w./-]+"  # temporary paths
)


@lru_cache(maxsize=4096)  # of many findings most say the same of other places
def normalise(message: str) -> str:
    """The message without what changes by itself: line numbers, durations, addresses, white space."""
    return " ".join(re.sub(_NOISE, "~", re.sub(_LINE, r"\1 ~", message)).split())


def digest(*parts: str) -> str:
    """16 hex digits of these parts, each kept apart from the next."""
    told = [part.encode("utf-8", "replace") for part in parts]
    return blake2b(b"".join([b"%d:%b" % (len(data), data) for data in told]), digest_size=8).hexdigest()


def identify(diagnostics: Iterable[Diagnostic]) -> tuple[tuple[str, Diagnostic], ...]:
    """Each diagnostic with its identity; equal ones are told apart by their number."""
    return tuple(each_identified(diagnostics))


def each_identified(diagnostics: Iterable[Diagnostic]) -> Iterator[tuple[str, Diagnostic]]:
    """The same, one after another."""
    counts: dict[str, int] = {}
    for item in diagnostics:
        # a test is its name: what it printed this time is not who it is
        what = ("", "") if item.severity == "test" else (normalise(item.message), " ".join(item.source.split()))
        key = digest(item.check, item.file, item.rule, *what)
        counts[key] = counts.get(key, 0) + 1
        yield key if counts[key] == 1 else f"{key}-{counts[key]}", item


def of_set(ids: Iterable[str]) -> str:
    """The fingerprint of a set of identities; "" for the empty set."""
    members = sorted(set(ids))
    return digest(*members) if members else ""
