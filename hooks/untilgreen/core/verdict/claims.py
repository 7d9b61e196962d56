"""Whether an agent's last message says that its work is done, by the words of `templates/claims.txt`. Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence

from untilgreen.core.record import NamedTuple
from untilgreen.core.verdict import markers

_SECTIONS = ("Code", "Any work", "Open", "Hedges", "Hedges of open")
_SENTENCES = re.compile(r"(?<=[.!?])\s+|\n+|(?<=[\u3002\uff01\uff1f])|$")
_MARKUP = re.compile(r"^[\W_\d]+(?=\w)|[*_]{2,}|\"[^\"\n]{3,80}\"|“[^”\n]{3,80}”")
_MOST = 20_000  # characters at the end of a message
Words = Mapping[str, re.Pattern[str]]


class SaidDone(NamedTuple):
    """A claim of being done. `of_code`: it speaks of code or checks; else it counts where the turn edited a source."""

    sentence: str
    of_code: bool


def compiled(table: Mapping[str, Sequence[Sequence[str]]]) -> Words:
    """The rows of each section in one expression."""
    parts = {row[0]: row[1] for row in table["Parts"]}
    rows = {name: "|".join(row[0] for row in table[name]) for name in _SECTIONS}
    ends = {name: ")[^,;:]{0,30}$" if name.startswith("Hedges") else ")" for name in _SECTIONS}
    texts = {name: re.sub(r"\{([a-z]+)\}", lambda found: parts[found[1]], row) for name, row in rows.items()}
    return {name: re.compile(f"(?:{text}{ends[name]}") for name, text in texts.items()}


def find(message: str, words: Words) -> SaidDone | None:
    """The claim of a message, None where it makes none."""
    marker = markers.find(message)
    found = [SaidDone("its completion marker", of_code=True)] if marker else []
    for shown, said in _sentences(message[-_MOST:].replace("\r\n", "\n").replace("\u2019", "'")):
        if (marker and marker.kind == "blocked") or _says(words["Open"], said, words["Hedges of open"]):
            return None
        if not said.endswith(("?", "\uff1f")):
            found += [
                SaidDone(shown, one == "Code") for one in _SECTIONS[:2] if _says(words[one], said, words["Hedges"])
            ]
    return max(found, key=lambda claim: claim.of_code, default=None)


def _sentences(text: str) -> Iterator[tuple[str, str]]:
    """Each sentence as it stands, and in small letters without Markdown, code and quotations."""
    page, start = markers.visible(text), 0
    for cut in _SENTENCES.finditer(page):
        shown, said = (one[start : cut.start()] for one in (text, page))
        yield shown.strip(), " ".join(_MARKUP.sub(" ", said.lower()).split())
        start = cut.end()


def _says(rows: re.Pattern[str], sentence: str, hedges: re.Pattern[str]) -> bool:
    return any(not hedges.search(sentence[: found.start()]) for found in rows.finditer(sentence))
