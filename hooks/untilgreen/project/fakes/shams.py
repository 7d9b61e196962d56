"""Shapes by which a check is green whatever the code does: tests that cannot fail, types that are switched off, product
code that asks whether it is tested.

Only what nobody writes in honest work; what a test is worth that was rewritten no shape can tell. As in `suppressions`
a text is counted by its shape, and whether it stands in a string is not asked.
"""

import re

from untilgreen.project.fakes.suppressions import IN_ANY_CASE, SUITE, Kind

_ASKS = "asks whether it is tested"
_RETURNS = "test that returns first"
_FALSE = "if False"
_TRUE = "always true assertion"
_SWALLOWED = "swallowed assertion"

# --- Python, in lower case

_ALL = rb"\b(?:(?:base)?exception|assertionerror)\b"
# a string, or brackets; none of the letters that may stand between them
_WHOLE = (
    rb"(?:[^()\[\]{}\"'\n,]|\"[^\"\\\n]*\"|'[^'\\\n]*'|\[[^\[\]\n]*\]|\{[^{}\n]*\}"
    rb"|\([^()\n]*(?:\([^()\n]*\)[^()\n]*){0,9}\))"
)
_ASSERTS = rb"(?:assert\b|self\.assert)"
_PYTHON_TESTS = (
    # what is expected to fail is the assertion itself: among the first lines of the block, or alone in it
    Kind(
        "raises(AssertionError)",
        b"raises",
        rb"(?m)^([ \t]*)(?:async[ \t]+)?with\b[^\n]{0,200}\b(?:raises|assertraises(?:regex)?)\([ \t]*"
        rb"(?:(?:builtins\.)?assertionerror\b[^\n]*:[ \t]*(?:\n(?:\1[ \t]+[^\n]*\n){0,3}?\1[ \t]+)?"
        rb"|\(?[^()\n]{0,80}" + _ALL + rb"[^\n]*:[ \t]*(?:\n[ \t]*)?)" + _ASSERTS,
    ),
    Kind(
        _SWALLOWED,
        b"suppress(",
        rb"\bsuppress\([^()\n]{0,200}\bassertionerror\b|\bsuppress\([^()\n]{0,200}\b(?:"
        + _ALL
        + rb")[^\n]*:\s*"
        + _ASSERTS,
    ),
    Kind(
        _SWALLOWED,
        b"except",
        rb"(?m)^[ \t]*except\b[^:\n]*\bassertionerror\b[^:\n]*:\s*(?:pass|\.\.\.|return)"
        rb"|^[ \t]*"
        + _ASSERTS
        + rb"[^\n]*\n[ \t]*except\b[ \t]*(?:\(?(?:base)?exception\b[^:\n]*)?:\s*(?:pass|\.\.\.|return)",
    ),
    *(
        Kind(_TRUE, b"or " + word, rb"(?m)^[ \t]*assert\b[^\n#]*[^\w\n#]or[ \t]+" + word + rb"[ \t]*(?:[),#]|$)")
        for word in (b"true", b"1", b"not false")
    ),
    *(
        Kind(_TRUE, word + b" or", rb"(?m)^[ \t]*assert[ \t]*\(?[ \t]*" + word + rb"[ \t]+or\b")
        for word in (b"true", b"1", b"not false")
    ),
    *(
        Kind(
            "assert of a tuple",
            word,
            rb"(?m)^[ \t]*" + re.escape(word) + _WHOLE + rb"+,(?:" + _WHOLE + rb"|,)*\)[ \t]*(?:#[^\n]*)?$",
        )
        for word in (b"assert (", b"assert(")
    ),
    Kind(
        _FALSE,
        b"if ",
        rb"(?m)^[ \t]+(?:if|while)[ \t]+(?:false|0|not[ \t]+true)[ \t]*:|^[ \t]+if\b[^\n#]*\band[ \t]+false[ \t]*:",
    ),
    Kind(
        _RETURNS,
        b"return",
        rb"(?m)^[ \t]*(?:async[ \t]+)?def[ \t]+test[^\n]*:[ \t]*\n(?:[ \t]*(?:#[^\n]*|\"\"\"[^\"\n]*\"\"\")?\n)?"
        rb"[ \t]+return(?:[ \t]+none)?[ \t]*(?:#[^\n]*)?\n\s*(?!(?:async\b|def\b|class\b|@)|\Z)[^\s]",
    ),
    Kind("skip", b"add_marker", rb"\badd_marker\([ \t]*[\"']skip"),
    Kind("xfail", b"add_marker", rb"\badd_marker\([ \t]*[\"']xfail"),
    Kind("skip", b"getattr", rb"\bgetattr\([^()\n]{0,99}[\"']skip(?:if|test)?[\"']\)"),
    Kind("skip", b"skip", rb"\bpytest\.skip\.exception\b|\braise[ \t]+skiptest\b"),
)
_LOADED = rb"[\"']%s[\"'][ \t]+(?:not[ \t]+)?in[ \t]+(?:sys[ \t]*\.[ \t]*)?modules\b|\bmodules\.get\([ \t]*[\"']%s[\"']"
_PYTHON_PRODUCT = (
    Kind(_ASKS, b"pytest", rb"\bpytest_(?:current_test|version|xdist_worker)\b|" + _LOADED % ((rb"_?pytest",) * 2)),
    Kind(_ASKS, b"unittest", _LOADED % ((rb"unittest",) * 2)),
    Kind("cast(Any", b"cast(", rb"\bcast\([ \t]*[\"']?(?:\w+\.)?any\b"),
    # another function for the type checker than the one that runs
    Kind(
        "if TYPE_CHECKING: def",
        b"type_checking",
        rb"(?m)^([ \t]*)if[ \t]+(?:not[ \t]+)?(?:\w+\.)?type_checking[ \t]*:[ \t]*\n(?:\1[ \t]+[^\n]*\n){0,5}?"
        rb"\1[ \t]+(?:async[ \t]+)?def\b",
    ),
)

# --- JavaScript and TypeScript

_TEST = rb"[\"'`]test[\"'`]"
_JAVASCRIPT_TESTS = (
    Kind(".skip", b"skip", SUITE + rb"\s*\[\s*[\"'`]skip[\"'`]\s*\]"),
    Kind(".todo", b"todo", SUITE + rb"\s*\[\s*[\"'`]todo[\"'`]\s*\]"),
    Kind(".only", b"only", SUITE + rb"\s*\[\s*[\"'`]only[\"'`]\s*\]"),
    Kind(".skip", b"skip", rb"\{[^{}\n]{0,200}\b(?:skip|todo)\b[^{}\n]{0,200}\}\s*=\s*(?:it|test|describe|suite)\b"),
    Kind(".skip", b"skip", rb"\bimport\s*\{[^{}]{0,200}\bskip\b[^{}]{0,200}\}\s*from\s*[\"']node:test"),
    Kind(".skip", b"skip", rb"[\"']node:test[\"']\s*\)\s*\.(?:skip|todo)\b"),
    Kind(
        ".skip",
        b"skip",
        rb"(?<![\w.$])(?:it|describe|test|suite)\s*\([^(){}]{0,200}\{[^{}]{0,200}[\"']skip[\"']\]?\s*:",
    ),
    # a context by any name: a test's, as nothing else skips without a number
    Kind(
        ".skip",
        b".skip(",
        rb"(?<![\w.$])(?!(?:this|t|ctx|context|it|test|describe|suite|specify|bench)\b)"
        rb"[A-Za-z_$][\w$]{0,40}\.skip\(\s*[\"'`)]",
    ),
    Kind(".skip", b"skip", rb"\(\s*\{[^{}()\n]{0,99}\bskip\b[^{}()\n]{0,99}\}\s*\)\s*=>"),
    Kind(".failing", b"expectFailure", rb"\bexpectFailure\s*:|\.expectFailure\b"),
    Kind(_FALSE, b"false", rb"\b(?:if|while)\s*\(\s*false\s*\)|\bif\s*\([^\n]{0,200}&&\s*false\s*\)"),
    Kind(_TRUE, b"|| true", rb"(?m)^[ \t]*(?:assert|expect)\b[^\n]*\|\| true\s*[),]"),
    Kind(
        _SWALLOWED,
        b"catch",
        rb"(?m)^[^\n]*\b(?:expect|assert)\b(?![^\n]*\bfail\()[^\n]*\s*\}\s*catch\b\s*(?:\([^()\n]*\)\s*)?\{\s*\}",
    ),
    Kind(
        _RETURNS,
        b"return",
        rb"(?:^|[^\w.$])(?:it|test|specify)\s*\(\s*[^\n]{0,200}(?:=>\s*|\)\s*)\{\s*return\s*(?:;|\n)\s*[^\s}]",
    ),
)
_JAVASCRIPT_PRODUCT = (
    Kind(_ASKS, b"JEST_WORKER_ID", rb"\bJEST_WORKER_ID\b"),
    Kind(_ASKS, b"VITEST", rb"\benv\.VITEST\w*|\benv\[[\"']VITEST"),
    Kind(_ASKS, b"NODE_TEST_CONTEXT", rb"\bNODE_TEST_CONTEXT\b"),
    Kind(
        _ASKS,
        b"NODE_ENV",
        rb"\bNODE_ENV[\"'\])]{0,3}\s*===?\s*[\"'`]test[\"'`]|[\"'`]test[\"'`]\s*===?\s*[\w.]{0,40}\bNODE_ENV\b",
    ),
    Kind(
        "as any",
        b"any",
        rb"(?m)^[ \t]*(?![ \t*/])[^\n]*?[\w)\]}\"'`!][ \t]+as[ \t]+any\b(?=[ \t]*(?:[;,)\]}\[.:?=&|]|$))",
    ),
    Kind("as unknown as", b"unknown", rb"\bas\s+unknown\s+as\b"),
    Kind("<any>", b"<any>", rb"(?<![\w$.>\])])<any>[ \t]*[\w($\[\"'{]"),
    Kind("declare module", b"module", rb"\bdeclare\s+module\s+[\"'](?:\*|\.[^\"'\n]*)[\"']"),
)

# --- Go and Rust

_GO_TESTS = (
    Kind(_FALSE, b"false", rb"(?m)^[ \t]+(?:if|for)[ \t]+false[ \t]*\{|^[ \t]+if\b[^\n{]*&&[ \t]*false[ \t]*\{"),
    Kind(_RETURNS, b"return", rb"(?m)^func[ \t]+Test\w*\([^()\n]*\)[ \t]*\{\s*return[ \t]*(?://[^\n]*)?\n\s*[^\s}]"),
    Kind("os.Exit(0)", b"os.Exit", rb"\bos\.Exit\([ \t]*0[ \t]*\)"),
)
_GO_PRODUCT = (
    Kind(_ASKS, b"testing.", rb"\btesting\.Testing\(\)"),
    Kind(_ASKS, b"test.", rb"\bflag\.Lookup\([ \t]*[\"`]test\."),
    Kind(_ASKS, b".test", rb"\bHasSuffix\([ \t]*os\.Args\[0\][^\n]{0,40}\.test\b"),
)
_RUST_TESTS = (
    # a panic of the code may be what is tested; that an assertion fails is not
    Kind("#[should_panic]", b"should_panic", rb"\bshould_panic\b[^{}]{0,200}\{[^{}]{0,200}\bassert(?:_eq|_ne)?!"),
    Kind(_FALSE, b"false", rb"\b(?:if|while)\s+false\s*\{|\bif\b[^\n{]{0,200}&&\s*false\s*\{"),
    Kind(_TRUE, b"|| true", rb"\bassert!\([^\n]{0,200}\|\| true\s*[),]"),
    Kind(_SWALLOWED, b"catch_unwind", rb"\blet\s+_\w*\s*=\s*(?:[\w]+::){0,3}catch_unwind\("),
    Kind(_RETURNS, b"return", rb"#\[(?:\w+::)*test\b[^{}]{0,200}\{\s*return\s*;\s*[^\s}]"),
)
_RUST_PRODUCT = (Kind(_ASKS, b"cfg", rb"\bcfg!?\s*\(\s*not\s*\(\s*test\s*\)|\bcfg!\s*\(\s*test\s*\)"),)

_LANGUAGES = (
    ("py pyi", _PYTHON_TESTS, _PYTHON_PRODUCT),
    ("js jsx mjs cjs ts tsx mts cts vue svelte astro", _JAVASCRIPT_TESTS, _JAVASCRIPT_PRODUCT),
    ("go", _GO_TESTS, _GO_PRODUCT),
    ("rs", _RUST_TESTS, _RUST_PRODUCT),
)
IN_TESTS = {suffix: kinds for suffixes, kinds, _ in _LANGUAGES for suffix in suffixes.split()}
IN_PRODUCT = {suffix: kinds for suffixes, _, kinds in _LANGUAGES for suffix in suffixes.split()}
# Rust's tests stand beside the code
_ANYWHERE = {"rs": (*_RUST_TESTS, *_RUST_PRODUCT)}
_TESTS = (
    r"(?:.*/)?(?:(?:tests?|__tests__|__mocks__|specs?|e2e|testing|test[-_]?(?:utils?|helpers?|support))/"
    r"|(?:test_[^/]*|[^/]*_test|tests?|conftest|testing)\.\w+\Z|[^/]*[._-](?:test|spec|cy|e2e)\.\w+\Z"
    r"|[^/]*\.config\.\w+\Z|[^/]*\.setup\.\w+\Z|[^/]*setup[-_.]?tests?\.\w+\Z)"
)


def kinds(path: str) -> tuple[Kind, ...]:
    """The shapes that are looked for in a file of this posix path; none where the language has none."""
    suffix = path.rpartition(".")[2]
    if suffix not in IN_TESTS:
        return ()
    if re.match(_TESTS, path):
        return IN_TESTS[suffix]
    return _ANYWHERE.get(suffix) or IN_PRODUCT[suffix]


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
