"""What makes a check pass without work, by its shape in the text: the rows of `templates/shapes.txt`.

Comments, attributes and calls that silence a check, language by language; and shapes by which a check is green whatever
the code does: tests that cannot fail, types that are switched off, product code that asks whether it is tested.
"""

import os
import re
from collections.abc import Iterator

from untilgreen.core.record import NamedTuple
from untilgreen.project.files import templates_folder

# in a text of these words and patterns are looked for in lower case
IN_ANY_CASE = (".py", ".pyi", ".ipynb")
_TESTS = (
    r"(?:.*/)?(?:(?:tests?|__tests__|__mocks__|specs?|e2e|testing|test[-_]?(?:utils?|helpers?|support))/"
    r"|(?:test_[^/]*|[^/]*_test|tests?|conftest|testing)\.\w+\Z|[^/]*[._-](?:test|spec|cy|e2e)\.\w+\Z"
    r"|[^/]*\.config\.\w+\Z|[^/]*\.setup\.\w+\Z|[^/]*setup[-_.]?tests?\.\w+\Z)"
)


class Kind(NamedTuple):
    """`name` as people know it; `pattern` is tried only near to `word`, and compiled when a text needs it."""

    name: str
    word: bytes
    pattern: bytes


_FRAGMENTS: dict[str, str] = {}
_ROWS: dict[tuple[str, str], str] = {}  # by section and suffix, the table as it is written
# those of them that were asked for
_KINDS: dict[tuple[str, str], tuple[Kind, ...]] = {}
_PATTERNS: dict[tuple[str, str], dict[str, bytes]] = {}


def rows() -> dict[tuple[str, str], str]:
    """The rows of the table by section and suffix of a file's name, read once."""
    if not _ROWS:
        with open(os.path.join(templates_folder(), "shapes.txt"), encoding="utf-8") as file:
            head, *blocks = file.read().replace("\n      ", "").split("\n\n[")
        for row in head.split("\n"):
            name, _, pattern = row.partition(" = ")
            if row[:1] == "«":
                _FRAGMENTS[name] = pattern
        for block in blocks:
            title, _, text = block.partition("\n")
            section, *suffixes = title.rstrip("]").split()
            for suffix in suffixes:
                _ROWS[section, suffix] = f"{_ROWS.get((section, suffix), '')}{text}\n"
    return _ROWS


def kinds_in(section: str, suffix: str) -> tuple[Kind, ...]:
    """The kinds of a section for files with this suffix."""
    key = (section, suffix)
    if key not in _KINDS:
        found = [Kind(name, word.replace("\\n", "\n").encode(), _filled(last)) for name, word, last in parts_in(*key)]
        _KINDS[key] = tuple(found)
    return _KINDS[key]


def patterns_in(section: str, suffix: str) -> dict[str, bytes]:
    """The patterns of a section for files with this suffix, by name."""
    key = (section, suffix)
    if key not in _PATTERNS:
        _PATTERNS[key] = {name: _filled(pattern) for name, pattern in parts_in(*key)}
    return _PATTERNS[key]


def parts_in(section: str, suffix: str) -> Iterator[list[str]]:
    """The rows of a section for files with this suffix."""
    return (row.split(" :: ") for row in rows().get((section, suffix), "").split("\n") if row and row[:2] != "# ")


def _filled(pattern: str) -> bytes:
    while "«" in pattern:
        pattern = re.sub("«.*?»", lambda match: _FRAGMENTS[match[0]], pattern)
    return pattern.encode()


def kinds(path: str) -> tuple[Kind, ...]:
    """What is looked for in a file of this posix path; nothing where no language is known."""
    name = path.rpartition("/")[2]
    suffix = "Dockerfile" if name.startswith("Dockerfile.") else name.rpartition(".")[2]
    silences = kinds_in("silences", "_test.go" if name.endswith("_test.go") else suffix)
    if not silences:
        return ()
    found = (*silences, *kinds_in("silences", "*"))
    if suffix == "rs":  # Rust's tests stand beside the code
        return (*found, *kinds_in("tests", suffix), *kinds_in("product", suffix))
    return (*found, *kinds_in("tests" if re.match(_TESTS, path) else "product", suffix))


# --- one thing under another name

_PYTHON_IMPORT = rb"(?m)^[ \t]*import[ \t]+(pytest|unittest)[ \t]+as[ \t]+(\w+)"
_PYTHON_FROM = rb"(?m)^[ \t]*from[ \t]+(pytest|unittest)[ \t]+import[ \t]*(\([^()]*\)|[^\n#]*)"
_NAMED = rb"(\w+)(?:[ \t]+as[ \t]+(\w+))?"
_SKIPPING = frozenset({b"skip", b"skipif", b"skipunless", b"skiptest", b"xfail", b"mark"})
_NAMES = 12
_GO_RECEIVER = rb"\b(\w+)[ \t]+\*?testing\.(?:TB|[TBF])\b"


def unaliased(path: str, text: bytes) -> bytes:
    """The text of a test in which pytest, unittest and Go's `t` have their own names: `pt.skip()` is `pytest.skip()`.

    Of Python in lower case, as its text is searched.
    """
    if not re.match(_TESTS, path):
        return text
    if path.endswith("_test.go"):
        if b".Skip" not in text:
            return text
        names = {name for name in re.findall(_GO_RECEIVER, text) if name not in (b"t", b"b", b"f", b"tb")}
        return re.sub(rb"\b(?:" + b"|".join(sorted(names)) + rb")\.Skip", b"t.Skip", text) if names else text
    if not path.endswith(IN_ANY_CASE) or (b"skip" not in text and b"xfail" not in text):
        return text
    for module in (b"pytest", b"unittest"):
        if module + b" as " in text or b"from " + module + b" import" in text:
            for old, new in _names_of(text):
                text = re.sub(rb"(?<![\w.])" + old + rb"(?=[.(])|(?<=@)" + old + rb"(?=[ \t]*\n)", new, text)
            break
    return text


def _names_of(text: bytes) -> list[tuple[bytes, bytes]]:
    """What is called otherwise, and its own name; a few at most, as each costs a walk through the text."""
    found = [(alias, module) for module, alias in re.findall(_PYTHON_IMPORT, text)]
    for module, names in re.findall(_PYTHON_FROM, text):
        of_skips = (one for one in re.findall(_NAMED, names) if one[0] in _SKIPPING)
        found += [(alias or name, module + b"." + name) for name, alias in of_skips]
    return list(dict.fromkeys(found))[:_NAMES]
