"""What makes a check pass without work, and which tests there are, by shapes in the text: the rows of
`templates/shapes.txt`.

Comments, attributes and calls that silence a check, language by language; shapes by which a check is green whatever the
code does: tests that cannot fail, types that are switched off, product code that asks whether it is tested; and the
tests that a project defines. A test that is commented out does not count. What a test does is not judged, only whether
anything is left of it.
"""

import os
import re
from functools import cache, lru_cache

from untilgreen.core.record import NamedTuple
from untilgreen.project import tables

# in a text of these words and patterns are looked for in lower case
IN_ANY_CASE = (".py", ".pyi", ".ipynb")


class Kind(NamedTuple):
    """`name` as people know it; `pattern` is tried only near to `word`, and compiled when a text needs it."""

    name: str
    word: bytes
    pattern: bytes


@cache
def rows() -> dict[tuple[str, str], list[list[str]]]:
    """The rows of the table by section and suffix of a file's name."""
    found = dict[tuple[str, str], list[list[str]]]()
    for title, theirs in tables.read("shapes").items():
        section, *suffixes = title.split() or [""]
        for suffix in suffixes:
            found.setdefault((section, suffix), []).extend(theirs)
    return found


@cache
def _fragments() -> dict[str, str]:
    """The parts of patterns that have names, by these: `«comment»`."""
    parts = (row[0].partition(" = ") for row in tables.read("shapes")[""])
    return {name: pattern for name, _, pattern in parts}


@cache
def kinds_in(section: str, suffix: str) -> tuple[Kind, ...]:
    parts = parts_in(section, suffix)
    return tuple(Kind(name, word.replace("\\n", "\n").encode(), _filled(last).encode()) for name, word, last in parts)


@cache
def patterns_in(section: str, suffix: str) -> dict[str, bytes]:
    """The patterns of a section for files with this suffix, by name."""
    return {name: _filled(pattern).encode() for name, pattern in parts_in(section, suffix)}


@cache
def pattern(name: str) -> str:
    """What is looked for under this name, in a text or a path."""
    return patterns_in("reads", "*")[name].decode()


def parts_in(section: str, suffix: str) -> list[list[str]]:
    return rows().get((section, suffix), [])


def _filled(pattern: str) -> str:
    while "«" in pattern:
        pattern = re.sub("«.*?»", lambda match: _fragments()[match[0]], pattern)
    return pattern


def kinds(path: str) -> tuple[Kind, ...]:
    """What is looked for in a file of this posix path; nothing where no language is known."""
    name = path.rpartition("/")[2]
    suffix = "Dockerfile" if name.startswith("Dockerfile.") else name.rpartition(".")[2]
    language = "_test.go" if name.endswith("_test.go") else suffix
    return _kinds(language, suffix, _is_test(path)) if kinds_in("silences", language) else ()


@cache
def _kinds(language: str, suffix: str, is_test: bool) -> tuple[Kind, ...]:
    found = (*kinds_in("silences", language), *kinds_in("silences", "*"))
    if suffix == "rs":  # Rust's tests stand beside the code
        return (*found, *kinds_in("tests", suffix), *kinds_in("product", suffix))
    return (*found, *kinds_in("tests" if is_test else "product", suffix))


@lru_cache(maxsize=10_000)  # asked of each file more than once
def _is_test(path: str) -> bool:
    return re.match(pattern("test file"), path) is not None


# --- one thing under another name

_SKIPPING = frozenset({b"skip", b"skipif", b"skipunless", b"skiptest", b"xfail", b"mark"})
_NAMES = 12


def unaliased(path: str, text: bytes) -> bytes:
    """The text of a test in which pytest, unittest and Go's `t` have their own names: `pt.skip()` is `pytest.skip()`.

    Of Python in lower case, as its text is searched.
    """
    if not _is_test(path):
        return text
    if path.endswith("_test.go"):
        if b".Skip" not in text:
            return text
        receivers = re.findall(pattern("go receiver").encode(), text)
        names = {name for name in receivers if name not in (b"t", b"b", b"f", b"tb")}
        return re.sub(rb"\b(?:" + b"|".join(sorted(names)) + rb")\.Skip", b"t.Skip", text) if names else text
    if not path.endswith(IN_ANY_CASE) or (b"skip" not in text and b"xfail" not in text):
        return text
    if any(module + b" as " in text or b"from " + module + b" import" in text for module in (b"pytest", b"unittest")):
        for old, new in _names_of(text):
            text = re.sub(rb"(?<![\w.])" + old + rb"(?=[.(])|(?<=@)" + old + rb"(?=[ \t]*\n)", new, text)
    return text


def _names_of(text: bytes) -> list[tuple[bytes, bytes]]:
    """What is called otherwise, and its own name; a few at most, as each costs a walk through the text."""
    said = patterns_in("reads", "*")
    found = [(alias, module) for module, alias in re.findall(said["python import"], text)]
    for module, names in re.findall(said["python from"], text):
        of_skips = (one for one in re.findall(said["named"], names) if one[0] in _SKIPPING)
        found += [(alias or name, module + b"." + name) for name, alias in of_skips]
    return list(dict.fromkeys(found))[:_NAMES]


# --- the tests that a project defines, and those of them that hold nothing

# looking for the words first is much faster
_FOLDING = (b"parametrize(", b".subTest(", b"expand(", b".each", b".Run(", b"#[case", b"#[test_case")


def folded(content: bytes) -> int:
    """How often a definition in this text stands for several tests."""
    words = any(word in content for word in _FOLDING)
    return len(re.findall(patterns_in("reads", "*")["folded"], content)) if words else 0


def counted(path: str, content: bytes) -> tuple[int, int]:
    """How many tests a file defines that a runner sees, and how many hold nothing. `path`: posix."""
    language = patterns_in("defines", path.rpartition(".")[2])
    if not language or language.get("word", b"") not in content:
        return 0, 0
    if not re.match(language.get("files", b""), os.fsencode(path)):
        return 0, 0
    text = content.replace(b"\r\n", b"\n") + b"\n"
    if strings := language.get("strings"):
        text = re.sub(
            strings + rb"(//[^\n]*|/\*.*?(?:\*/|\Z))", lambda match: match[0] if match[1] is None else b" ", text
        )
    tests = _seen(path, content, text, language["test"])
    return tests, len(re.findall(language["empty"], text)) if tests and "empty" in language else 0


# --- tests that no runner sees: in a string, in another function, in a class that is none of tests, in a branch that is
# --- never taken, behind a build tag or a feature that somebody would have to ask for


def _seen(path: str, content: bytes, text: bytes, test: bytes) -> int:
    """How many tests of a file, which the pattern `test` finds, are seen by a runner. `text`: the content with lines
    that end in a newline, of a language with braces without its comments."""
    hiding = patterns_in("hides", path.rpartition(".")[2])
    if path.endswith(".py"):
        if any(b"def test" in piece for mark in (b'"""', b"'''") if mark in text for piece in text.split(mark)[1::2]):
            text = re.sub(hiding["piece"], b"", text)
        nested = re.search(patterns_in("reads", "*")["indented"], text)
        return _below(text, hiding["block"]) if nested else len(re.findall(test, text))
    if path.endswith("_test.go") and b"//go:build" in content and re.search(hiding["tag"], content):
        return 0
    tests = len(re.findall(test, text))
    if path.endswith(".rs") and b"cfg" in text:
        rest = re.search(hiding["rest"], text)
        end = rest.start() if rest else len(text)
        tests -= len(re.findall(hiding["one"], text[:end])) + len(re.findall(hiding["test"], text[end:]))
    return tests


def _below(text: bytes, block: bytes) -> int:
    """How many tests stand where pytest and unittest look."""
    found = 0
    above: list[tuple[int, bool]] = []  # how far in each block is, and whether what is in it is seen
    for indented, function, name, parent, never in re.findall(block, text):
        depth = len(indented)
        while above and above[-1][0] >= depth:
            above.pop()
        inside = above[-1][1] if above else True
        found += inside and function.startswith(b"test")
        if function or never:
            inside = False
        elif name:
            inside = inside and (parent != b"" or b"test" in name.lower())
        above.append((depth, inside))
    return found
