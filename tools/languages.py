"""The translations against the English that they were made of.

`python tools/languages.py` notes which English each was made of: run it once the translations are looked at.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from untilgreen.core import foreign

REPOSITORY = Path(__file__).resolve().parent.parent
NOTED = Path(__file__).with_suffix(".json")
OTHERS = ("zh", "ko")
Texts = Mapping[str, str]


def catalogue(language: str) -> dict[str, str]:
    """The texts of one language alone."""
    path = REPOSITORY / "templates" / "feedback" / f"{language}.json"
    found: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    return found


def sections(page: str) -> dict[str, str]:
    """Each section of a page by its heading, code blocks among them; what stands above the first one by ""."""
    found, name, code = {"": ""}, "", False
    for line in page.splitlines():
        code ^= line.startswith("```")
        if line.startswith("#") and not code:
            name = line.lstrip("#").strip()
            found[name] = ""
        found[name] += f"{line}\n"
    return found


def readme(language: str = "") -> str:
    """The README of a language."""
    return (REPOSITORY / f"README{language and f'.{language}'}.md").read_text(encoding="utf-8")


def made_of(english: Texts) -> dict[str, str]:
    """A short hash of each text."""
    return {key: hashlib.sha256(text.encode()).hexdigest()[:8] for key, text in english.items()}


def faults(english: Texts, theirs: Texts, noted: Texts) -> Iterator[str]:
    """What a translator has to do, a line for each text."""
    now = made_of(english)
    for key in english:
        if key not in theirs:
            yield f"{key} is missing: {english[key]}"
        elif places(theirs[key]) != places(english[key]):
            yield f"{key} has other placeholders than: {english[key]}"
        elif theirs[key] != foreign.strip(theirs[key]) or "||" in theirs[key]:
            yield f"{key} has what no text of ours may have: {theirs[key]!r}"
        elif noted.get(key) != now[key]:
            yield f"{key} is stale, look at it again: {english[key]}"
    yield from (f"{key} is not English any more" for key in theirs if key not in english)


def strayed(english: str, theirs: str) -> Iterator[str]:
    """Where a translated page is another page: its headings, code blocks, tables, code, links and pictures."""
    for what, found in PARTS.items():
        ours, other = found(english), found(theirs)
        yield from (f"{what} not translated: {one}" for one in ours if one not in other)
        yield from (f"{what} not in English: {one}" for one in other if one not in ours)
        if ours != other and sorted(ours) == sorted(other):
            yield f"{what} in another order"


def _blocks(page: str) -> list[str]:
    return re.findall(r"^```.*?^```$", page, re.MULTILINE | re.DOTALL)


def _prose(page: str) -> str:
    return re.sub(r"^```.*?^```$", "", page, flags=re.MULTILINE | re.DOTALL)


def _headings(page: str) -> list[str]:
    """Each by its number and its level: the words are translated."""
    return [f"{n} {level}" for n, level in enumerate(re.findall(r"^(#+) ", _prose(page), re.MULTILINE), 1)]


def _rows(page: str) -> list[str]:
    """Each row of a table: its number and its code, or its length."""
    rows = re.findall(r"^\|.*\|$", _prose(page), re.MULTILINE)
    return [f"{n} {re.findall('`[^`]+`', row) or row.count('|')}" for n, row in enumerate(rows, 1)]


def _code(page: str) -> list[str]:
    return sorted(set(re.findall(r"`[^`\n]+`", _prose(page))))


def _links(page: str) -> list[str]:
    return sorted(one for one in re.findall(r"\]\(([^)]+)\)", _prose(page)) if not one.startswith("README"))


PARTS = {"heading": _headings, "code block": _blocks, "row": _rows, "code": _code, "link": _links}


def places(text: str) -> set[str]:
    """The placeholders of a text."""
    return set(re.findall(r"\{[^{}]*\}", text))


def main() -> None:
    """Note the English of now."""
    noted = {"catalogue": made_of(catalogue("en")), "README": made_of(sections(readme()))}
    NOTED.write_text(json.dumps(noted, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
