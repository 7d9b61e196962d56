"""The tests that a project defines, and those of them that hold nothing: counted by reading, language by language.

A test that is commented out does not count. What a test does is not judged, only whether anything is left of it.
"""

import os
import re

from untilgreen.project.fakes.suppressions import patterns_in

_COMMENT = rb"(//[^\n]*|/\*.*?(?:\*/|\Z))"
# one definition that runs as many tests; looking for the words first is much faster
_FOLDED = rb"\bparametrize\(|\.subTest\(|\bexpand\(|\.each\b|\b[tb]\.Run\(|#\[case\b|#\[test_case\b"
_FOLDING = (b"parametrize(", b".subTest(", b"expand(", b".each", b".Run(", b"#[case", b"#[test_case")


def folded(content: bytes) -> int:
    """How often a definition in this text stands for several tests."""
    return len(re.findall(_FOLDED, content)) if any(word in content for word in _FOLDING) else 0


def counted(path: str, content: bytes) -> tuple[int, int]:
    """How many tests a file defines that a runner sees, and how many hold nothing. `path`: posix."""
    language = patterns_in("defines", path.rpartition(".")[2])
    if not language or language.get("word", b"") not in content:
        return 0, 0
    if not re.match(language.get("files", b""), os.fsencode(path)):
        return 0, 0
    text = content.replace(b"\r\n", b"\n") + b"\n"
    if strings := language.get("strings"):
        text = re.sub(strings + _COMMENT, lambda match: match[0] if match[1] is None else b" ", text)
    tests = _seen(path, content, text, language["test"])
    return tests, len(re.findall(language["empty"], text)) if tests and "empty" in language else 0


# --- tests that no runner sees: in a string, in another function, in a class that is none of tests, in a branch that is
# --- never taken, behind a build tag or a feature that somebody would have to ask for

_INDENTED = rb"\n[ \t]+(?:async[ \t]+)?def[ \t]+test"


def _seen(path: str, content: bytes, text: bytes, test: bytes) -> int:
    """How many tests of a file, which the pattern `test` finds, are seen by a runner. `text`: the content with lines
    that end in a newline, of a language with braces without its comments."""
    if path.endswith(".py"):
        return _seen_in_python(text, test)
    if path.endswith("_test.go") and b"//go:build" in content and re.search(patterns_in("hides", "go")["tag"], content):
        return 0
    return len(re.findall(test, text)) - (_unseen_in_rust(text) if path.endswith(".rs") and b"cfg" in text else 0)


def _seen_in_python(text: bytes, test: bytes) -> int:
    if any(b"def test" in piece for mark in (b'"""', b"'''") if mark in text for piece in text.split(mark)[1::2]):
        text = re.sub(patterns_in("hides", "py")["piece"], b"", text)
    return _below(text) if re.search(_INDENTED, text) else len(re.findall(test, text))


def _below(text: bytes) -> int:
    """How many tests stand where pytest and unittest look."""
    found = 0
    above: list[tuple[int, bool]] = []  # how far in each block is, and whether what is in it is seen
    for indented, function, name, parent, never in re.findall(patterns_in("hides", "py")["block"], text):
        depth = len(indented)
        while above and above[-1][0] >= depth:
            above.pop()
        inside = above[-1][1] if above else True
        if function:
            found += inside and function.startswith(b"test")
            inside = False
        elif never:
            inside = False
        elif name:
            inside = inside and (parent != b"" or b"test" in name.lower())
        above.append((depth, inside))
    return found


def _unseen_in_rust(text: bytes) -> int:
    hiding = patterns_in("hides", "rs")
    rest = re.search(hiding["rest"], text)
    end = rest.start() if rest else len(text)
    return len(re.findall(hiding["one"], text[:end])) + len(re.findall(hiding["test"], text[end:]))
