"""The tests that a project defines, and those of them that hold nothing: counted by reading, language by language.

A test that is commented out does not count. What a test does is not judged, only whether anything is left of it.
"""

import re

from untilgreen.core.record import NamedTuple

# Bodies are looked at in steps that each begin with another letter, and in so many of them at most: no text takes long.
_LINES = rb"{1,600}"
_STEPS = rb"{0,9}"

# --- Python: from the colon on, lines that do nothing, and then one that is not further in, or the end

_DOCUMENTED = (
    rb'[rRuU]?(?:"""[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*"""|'
    rb"'''[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*'''|"
    rb'"[^"\\\n]*(?:\\.[^"\\\n]*)*"|'
    rb"'[^'\\\n]*(?:\\.[^'\\\n]*)*')"
)
_TRUE = rb"(?:True|1|not False|1 == 1|True is True|True == True)"
_NOTHING = (
    rb"(?:pass|\.\.\.|return(?:[ \t]+None)?|assert[ \t]*\(?" + _TRUE + rb"\)?(?:[ \t]*,[^\n]*)?"
    rb"|self\.assertTrue\(True\)|self\.assertFalse\(False\)|" + _DOCUMENTED + rb")"
)
_SIGNATURE = rb"\([^()]*(?:\([^()]*(?:\([^()]*\)[^()]*)*\)[^()]*)*\)[ \t]*(?:->[^:\n]*)?:"
_PYTHON = rb"(?m)^[ \t]*(?:async[ \t]+)?def[ \t]+test"
_EMPTY_PYTHON = (
    rb"(?ms)^([ \t]*)(?:async[ \t]+)?def[ \t]+test[^\s(]*[ \t]*" + _SIGNATURE
    + rb"(?:[ \t;]*(?:" + _NOTHING + rb"(?=[ \t]*[;#\n])|(?:#[^\n]*)?\n))" + _LINES
    + rb"(?<=\n)(?=\Z|(?!\1[ \t])[ \t]*[^\s#])"
)  # fmt: skip

# --- the languages with braces: read without their comments

_STRING = rb"(?:'[^'\\\n]*(?:\\.[^'\\\n]*)*'|\"[^\"\\\n]*(?:\\.[^\"\\\n]*)*\"|`[^`\\]*(?:\\.[^`\\]*)*`)"
# A string without its end goes on to the end of the line, or of the text where it may have several lines.
_LINE_STRINGS = (
    rb"(?s)'[^'\\\n]*(?:\\[^\n][^'\\\n]*)*'?|\"[^\"\\\n]*(?:\\[^\n][^\"\\\n]*)*\"?|`[^`\\]*(?:\\.?[^`\\]*)*(?:`|\Z)|"
)
# Rust: a quote may be a lifetime's, and a string has as many lines as it likes
_LONG_STRINGS = rb"(?s)'(?:\\.|[^'\\\n])'|\"[^\"\\]*(?:\\.?[^\"\\]*)*(?:\"|\Z)|"
_COMMENT = rb"(//[^\n]*|/\*.*?(?:\*/|\Z))"

_CALL = (
    rb"(?<![\w.$])(?:[fx]?(?:it|test|specify)"
    rb"(?:\.(?:only|skip|todo|concurrent|sequential|serial|failing|fails?|fixme))*|Deno\.test(?:\.(?:only|ignore))?)"
)
_JAVASCRIPT = _CALL + rb"(?:\s*\(\s*(?:[\"'`]|[\w$.]+\s*,)|\.(?:each|for|skipIf|runIf|todoIf|if)\b)"
_HOLDS = (
    rb"(?:expect\(\s*(?:true|1)\s*\)\s*\.(?:toBe|toEqual|toStrictEqual)\(\s*(?:true|1)\s*\)"
    rb"|expect\(\s*true\s*\)\s*\.(?:toBeTruthy\(\s*\)|to\.be\.true|to\.equal\(\s*true\s*\))"
    rb"|assert(?:\.ok)?\(\s*true\s*\)|done\(\s*\)|return\b|;)"
)
_EMPTY_JAVASCRIPT = (
    _CALL + rb"(?:\.each\s*(?:\([^()]*\)|`[^`]*`))?\s*\(\s*" + _STRING + rb"\s*,\s*(?:\{[^{}]*\}\s*,\s*)?"
    rb"(?:async\b\s*)?(?:function\b[\s*]*(?:[\w$]+\s*)?)?(?:\([^()]*\)|[\w$]+)\s*(?::[^\n={]*)?(?:=>\s*)?"
    rb"(?:\{\s*(?:" + _HOLDS + rb"\s*)" + _STEPS + rb"\}|" + _HOLDS + rb"\s*[,)])"
)

_GO = rb"(?m)^func[ \t]+(?:\([^()\n]*\)[ \t]*)?(?:Test|Fuzz)(?![a-z])"
_EMPTY_GO = (
    _GO + rb"\w*[ \t]*\([^()]*\)[ \t]*\{\s*"
    rb"(?:(?:return\b|;|_[ \t]*=[ \t]*\w+|\w+\.(?:Parallel|Helper)\(\))\s*)" + _STEPS + rb"\}"
)

_ATTRIBUTE = rb"#\[\s*(?:\w+::)*test\b[^\[\]\n]*\]"
# a case of rstest may be one of tokio's too: it counts once
_RUST = _ATTRIBUTE + rb"|#\[\s*rstest\b[^\[\]\n]*\](?!\s*#\[\s*(?:\w+::)*test\b)"
_EMPTY_RUST = (
    _ATTRIBUTE + rb"\s*(?:#\[[^\[\]\n]*\]\s*){0,9}(?:pub(?:\([^()\n]*\))?\s+)?(?:async\s+)?fn\s+\w+\s*\([^()]*\)\s*"
    rb"(?:->[^{\n]*)?\{\s*(?:(?:assert!\(\s*true\s*\)|Ok\(\(\)\)|\(\)|return\b|;)\s*)" + _STEPS + rb"\}"
)


class Language(NamedTuple):
    """How tests are found: by `test` in files that hold `word` and whose path matches `files`; `empty` finds those that
    hold nothing. `strings`: what is read over while comments are taken out; without it the text stays as it is."""

    word: bytes
    test: bytes
    files: str = ""
    empty: bytes = b""
    strings: bytes = _LINE_STRINGS


_PYTHONS = r"(?:.*/)?(?:test_[^/]*|[^/]*_test|tests)\."
_JAVASCRIPTS = r"(?:.*/)?(?:(?:__tests__|tests?|specs?|e2e)/|[^/]*[._](?:test|spec|cy|e2e)\.\w+$)"
_RUBY = rb"(?m)^[ \t]*(?:def test_|x?(?:it|specify|scenario|test)\b[ \t({])"
_LANGUAGES = (
    ("py pyi", Language(b"test", _PYTHON, _PYTHONS, _EMPTY_PYTHON, b"")),
    ("js jsx mjs cjs ts tsx mts cts", Language(b"(", _JAVASCRIPT, _JAVASCRIPTS, _EMPTY_JAVASCRIPT)),
    ("go", Language(b"func", _GO, r".*_test\.go$", _EMPTY_GO)),
    ("rs", Language(b"test", _RUST, "", _EMPTY_RUST, _LONG_STRINGS)),
    ("java kt kts groovy scala", Language(b"@", rb"@(?:Parameterized|Repeated)?Test\b")),
    ("cs", Language(b"[", rb"\[\s*(?:Fact|Theory|Test|TestCase|TestMethod)\b")),
    ("c cc cpp cxx", Language(b"TEST", rb"\bTEST(?:_F|_P|_CASE)?\s*\(")),
    ("rb", Language(b"", _RUBY, r".*_(?:test|spec)\.rb$", b"", b"")),
    ("php", Language(b"function", rb"\bfunction\s+test|#\[Test\]|\b(?:it|test)\(\s*[\"']", r".*Test\.php$")),
    ("swift", Language(b"est", rb"\bfunc\s+test\w*\s*\(|@Test\b")),
)
_BY_SUFFIX = {suffix: language for suffixes, language in _LANGUAGES for suffix in suffixes.split()}


# one definition that runs as many tests; looking for the words first is much faster
_FOLDED = rb"\bparametrize\(|\.subTest\(|\bexpand\(|\.each\b|\b[tb]\.Run\(|#\[case\b|#\[test_case\b"
_FOLDING = (b"parametrize(", b".subTest(", b"expand(", b".each", b".Run(", b"#[case", b"#[test_case")


def folded(content: bytes) -> int:
    """How often a definition in this text stands for several tests."""
    return len(re.findall(_FOLDED, content)) if any(word in content for word in _FOLDING) else 0


def counted(path: str, content: bytes) -> tuple[int, int]:
    """How many tests a file defines that a runner sees, and how many hold nothing. `path`: posix."""
    language = _BY_SUFFIX.get(path.rpartition(".")[2])
    if language is None or language.word not in content or not re.match(language.files, path):
        return 0, 0
    text = content.replace(b"\r\n", b"\n") + b"\n"
    if language.strings:
        text = re.sub(language.strings + _COMMENT, _without_comment, text)
    tests = _seen(path, content, text, language.test)
    return tests, len(re.findall(language.empty, text)) if tests and language.empty else 0


def _without_comment(match: "re.Match[bytes]") -> bytes:
    return match[0] if match[1] is None else b" "


# --- tests that no runner sees: in a string, in another function, in a class that is none of tests, in a branch that is
# --- never taken, behind a build tag or a feature that somebody would have to ask for

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

_RUST_CFG = rb"#\[\s*cfg\s*\((?!\s*test\s*\))[^\[\]\n]*\]\s*"
_OTHERS = rb"(?:#\[[^\[\]\n]*\]\s*){0,9}?"
_RUST_ONE = _RUST_CFG + _OTHERS + _ATTRIBUTE + rb"|" + _ATTRIBUTE + rb"\s*" + _OTHERS + _RUST_CFG
# a feature of the whole file, or of the module that goes on to its end
_RUST_REST = (
    rb"#!\[\s*cfg\s*\([^\[\]\n]*\bfeature\b|#\[\s*cfg\s*\(\s*all\s*\([^\[\]\n]*\btest\b[^\[\]\n]*\]\s*(?:pub\s+)?mod\b"
)


def _seen(path: str, content: bytes, text: bytes, test: bytes) -> int:
    """How many tests of a file, which the pattern `test` finds, are seen by a runner. `text`: the content with lines
    that end in a newline, of a language with braces without its comments."""
    if path.endswith(".py"):
        return _seen_in_python(text, test)
    if path.endswith("_test.go") and b"//go:build" in content and re.search(GO_TAG, content):
        return 0
    return len(re.findall(test, text)) - (_unseen_in_rust(text) if path.endswith(".rs") and b"cfg" in text else 0)


def _seen_in_python(text: bytes, test: bytes) -> int:
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


def _unseen_in_rust(text: bytes) -> int:
    rest = re.search(_RUST_REST, text)
    end = rest.start() if rest else len(text)
    return len(re.findall(_RUST_ONE, text[:end])) + len(re.findall(_ATTRIBUTE, text[end:]))
