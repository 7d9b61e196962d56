"""Tests that are there to be read and that no runner sees: in a string, in another function, in a class that is none of
tests, in a branch that is never taken, behind a build tag or a feature that somebody would have to ask for."""

import re

_INDENTED = rb"\n[ \t]+(?:async[ \t]+)?def[ \t]+test"
# a function's name; a class's, and whether it has one above it; a branch that is never taken; any other branch
_BLOCK = (
    rb"(?m)^([ \t]*)(?:(?:async[ \t]+)?def[ \t]+(\w+)|class[ \t]+(\w+)[ \t]*(\([ \t]*[^) \t])?"
    rb"|(if[ \t]+(?:False|0|None|not[ \t]+True)[ \t]*:)|(?:elif|else|if|try|with|for)\b)"
)
_DOUBLE = rb'"""[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*(?:"""|\Z)'
_SINGLE = rb"'''[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*(?:'''|\Z)"
_PIECE = (
    rb"(?s)#[^\n]*|" + _DOUBLE + rb"|" + _SINGLE + rb"|\"[^\"\\\n]*(?:\\.[^\"\\\n]*)*\"?|'[^'\\\n]*(?:\\.[^'\\\n]*)*'?"
)

# Go's own tags: another one is asked for by whoever wants the file
GO_TAGS = (
    rb"(?!(?:aix|android|darwin|dragonfly|freebsd|illumos|ios|js|linux|netbsd|openbsd|plan9|solaris|wasip1|windows|unix"
    rb"|386|amd64|arm|arm64|loong64|mips\w*|ppc64\w*|riscv64|s390x|wasm|go1|goexperiment|cgo|gc|gccgo|race|msan|asan"
    rb"|purego|appengine|boringcrypto|ignore|tools|wireinject|mage)\b)[A-Za-z_]"
)
GO_TAG = rb"(?m)^//go:build[ \t](?![^\n]*(?:\|\||!\())(?:[^\n]*[ \t(])?" + GO_TAGS

_RUST_TEST = rb"#\[\s*(?:\w+::)*test\b[^\[\]\n]*\]"
_RUST_CFG = rb"#\[\s*cfg\s*\((?!\s*test\s*\))[^\[\]\n]*\]\s*"
_ATTRIBUTES = rb"(?:#\[[^\[\]\n]*\]\s*){0,9}?"
_RUST_ONE = _RUST_CFG + _ATTRIBUTES + _RUST_TEST + rb"|" + _RUST_TEST + rb"\s*" + _ATTRIBUTES + _RUST_CFG
# a feature of the whole file, or of the module that goes on to its end
_RUST_REST = (
    rb"#!\[\s*cfg\s*\([^\[\]\n]*\bfeature\b|#\[\s*cfg\s*\(\s*all\s*\([^\[\]\n]*\btest\b[^\[\]\n]*\]\s*(?:pub\s+)?mod\b"
)


def seen(path: str, content: bytes, text: bytes, test: bytes) -> int:
    """How many tests of a file, which the pattern `test` finds, are seen by a runner. `text`: the content with lines
    that end in a newline, of a language with braces without its comments."""
    if path.endswith(".py"):
        return _python(text, test)
    if path.endswith("_test.go") and b"//go:build" in content and re.search(GO_TAG, content):
        return 0
    return len(re.findall(test, text)) - (_rust(text) if path.endswith(".rs") and b"cfg" in text else 0)


def _python(text: bytes, test: bytes) -> int:
    if any(b"def test" in piece for mark in (b'"""', b"'''") if mark in text for piece in text.split(mark)[1::2]):
        text = re.sub(_PIECE, b"", text)
    return _below(text) if re.search(_INDENTED, text) else len(re.findall(test, text))


def _below(text: bytes) -> int:
    """How many tests stand where pytest and unittest look."""
    found = 0
    above: list[tuple[int, bool]] = []  # how far in each block is, and whether what is in it is seen
    for indented, function, name, parent, never in re.findall(_BLOCK, text):
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


def _rust(text: bytes) -> int:
    rest = re.search(_RUST_REST, text)
    end = rest.start() if rest else len(text)
    return len(re.findall(_RUST_ONE, text[:end])) + len(re.findall(_RUST_TEST, text[end:]))
