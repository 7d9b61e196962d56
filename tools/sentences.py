"""Which sentences of ours are too long to be understood when they are read once.

    python tools/sentences.py [--words 25]

Looks at the README, the pages, the skill, the slash commands and the messages: a sentence ends at `.`, `!` or `?`, a
cell of a table, an item of a list or a heading. Code in a line counts as one word; blocks of code are left out.
"""

import argparse
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MOST = 25
_TEXTS = ("README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/*.md", "templates/**/*.md")
_MESSAGES = ROOT / "templates/feedback/en.json"
_CODE = re.compile(r"```.*?^\s*```$|<!--.*?-->|^---\n.*?^---$|<[^>]+>", re.DOTALL | re.MULTILINE)
_END = re.compile(r"(?<=[.!?])[)\"*_]*\s+(?=[^a-z]|untilgreen\b)|\n\s*\n|\n\s*(?=[-*#|>!]|\d+\. )|\s\|\s|\|\n")


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """The line of each sentence of a page, counted from 1, and its words."""
    blank = _CODE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    # a full stop within code, or in a link's address, ends nothing
    plain = re.sub(r"`[^`]*`", lambda found: re.sub(r"[^\n]", "X", found[0]), blank)
    plain = re.sub(r"\]\([^)]*\)", lambda found: re.sub(r"[^\n]", "X", found[0]), plain)
    begin = 0
    for end in (*(found.span() for found in _END.finditer(plain)), (len(plain), len(plain))):
        told = blank[begin : end[0]]
        if told.strip():
            start = begin + len(told) - len(told.lstrip())
            yield text.count("\n", 0, start) + 1, " ".join(told.split())
        begin = end[1]


def length(sentence: str) -> int:
    """How many words it has."""
    said = re.sub(r"`[^`]*`", "code", sentence)
    said = re.sub(r"!?\[([^]]*)\]\([^)]*\)", r"\1", said)
    return sum(any(char.isalnum() for char in word) for word in said.split())


def texts() -> Iterator[tuple[str, int, str]]:
    """The file, the line and the words of each sentence of ours."""
    for pattern in _TEXTS:
        for path in sorted(ROOT.glob(pattern)):
            for line, sentence in sentences(path.read_text(encoding="utf-8")):
                yield str(path.relative_to(ROOT)), line, sentence
    for name, text in json.loads(_MESSAGES.read_text(encoding="utf-8")).items():
        for form in text.split("||"):
            for _, sentence in sentences(form):
                yield f"{_MESSAGES.relative_to(ROOT)} {name}", 1, sentence


def main() -> int:
    """Print those that are too long, the longest first."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=int, default=MOST, metavar="N", help="Words that a sentence may have.")
    most = parser.parse_args().words
    every = list(texts())
    found = sorted(((length(said), where, line, said) for where, line, said in every), reverse=True)
    long = [one for one in found if one[0] > most]
    for number, where, line, said in long:
        print(f"{where}:{line}: {number} words: {said}")
    print(f"{len(long)} of {len(every)} sentences have more than {most} words")
    return 1 if long else 0


if __name__ == "__main__":
    sys.exit(main())
