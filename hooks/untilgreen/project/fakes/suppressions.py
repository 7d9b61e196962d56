"""What silences a check, language by language: comments, attributes, and calls that skip or narrow the tests.

A line is counted by its shape, in files of its own language only; whether it stands in a string is not asked.
"""

from untilgreen.core.record import NamedTuple
from untilgreen.project.fakes.definitions import GO_TAG


class Kind(NamedTuple):
    """`name` as people know it; `pattern` is tried only near to `word`. Several kinds may share a name.

    Plain texts: `re` compiles what is needed when it is needed. No pattern has a group to be captured, and every one
    takes time in proportion to the text: none may look far ahead from many places.
    """

    name: str
    word: bytes
    pattern: bytes


def _after(sign: bytes, *names: str) -> tuple[Kind, ...]:
    """Kinds that stand after a sign as they are called: "nosec" in `# nosec`. A space may be missing, or be several."""
    called = ((name, name.encode()) for name in names)
    return tuple(Kind(name, one.split()[-1], sign + one.replace(b" ", rb"[ \t]*") + rb"\b") for name, one in called)


_HASH, _SLASHES = rb"#[ \t]*", rb"//[ \t]*"
_ANY = (
    *_after(rb"(?:#|/[/*]|<!--|--)[ \t]*", "ast-grep-ignore"),
    Kind("nosemgrep", b"nosem", rb"(?:#|/[/*]|<!--|--)[ \t]*nosem(?:grep)?\b"),
)

_PYRIGHT = _HASH + rb"pyright:[^#\n]*"
# searched in lower case: noqa and its like may be written in any
_PYTHON = (
    *_after(_HASH, "noqa", "nosec", "type: ignore", "pyright: ignore", "ty: ignore"),
    Kind("pyright: basic", b"pyright", rb"#[ \t]*pyright:[ \t]*(?:basic|standard)\b"),
    Kind("pyright: report=false", b"pyright", _PYRIGHT + rb"\breport\w+[ \t]*=[ \t]*(?:false|none|info\w*|warning)\b"),
    Kind("mypy: ignore-errors", b"mypy", rb"#[ \t]*mypy:[^#\n]*\b(?:ignore[-_]errors|disable[-_]error[-_]code)\b"),
    # a negated flag, or one that is switched off: "allow-untyped-defs", "no-strict-optional", "warn_return_any=False"
    Kind(
        "mypy: allow",
        b"mypy",
        rb"#[ \t]*mypy:(?:[^#\n]*[ \t,])?(?:allow|no|ignore[-_]missing)[-_](?!implicit)"
        rb"|#[ \t]*mypy:[^#\n]*=[ \t]*(?:false|skip|silent)\b",
    ),
    Kind("pyre-ignore", b"pyre-", rb"#[ \t]*pyre-(?:ignore|fixme)\b"),
    Kind("pytype: disable", b"pytype", rb"#[ \t]*pytype:[ \t]*(?:disable|skip-file)\b"),
    Kind("pylint: disable", b"pylint", rb"#[^#\n]*\bpylint:[ \t]*(?:disable(?:-msg|-next)?|skip-file)\b"),
    Kind("ruff: noqa", b"ruff", rb"#[ \t]*ruff[ \t]*:[ \t]*noqa\b"),
    Kind("ruff: ignore", b"ruff", rb"#[ \t]*ruff[ \t]*:[ \t]*(?:ignore|file-ignore|disable)\b"),
    Kind("flake8: noqa", b"flake8", rb"#[ \t]*flake8[:=][ \t]*noqa\b"),
    Kind(
        "skip", b"skip", rb"\bmark\.skip(?:if)?\b|\bpytest\.skip\(|\bunittest\.skip|@skip(?:if|unless)?\b|\.skiptest\("
    ),
    Kind("importorskip", b"importorskip", rb"\bpytest\.importorskip\("),
    Kind("xfail", b"xfail", rb"\bmark\.xfail\b|\bpytest\.xfail\("),
    Kind("expectedFailure", b"expectedfailure", rb"@[\w.]*\bexpectedfailure\b"),
    Kind("__test__", b"__test__", rb"\b__test__[ \t]*(?::[ \t]*\w+[ \t]*)?=[ \t]*false\b"),
    Kind("no_type_check", b"no_type_check", rb"@[\w.]*\bno_type_check\b"),
)

# a test or a group of tests of mocha, jest, vitest, node, bun, deno or playwright, and what may stand after it
SUITE = rb"(?<![\w.$])(?:describe|it|test|suite|context|specify|bench|Deno\.test)(?:\.\w+)*"
_OPTIONS = rb"(?<![\w.$])(?:describe|it|test|suite)\s*\([^(){}]*\{[^{}]*\b"
_CALLED = rb"\s*(?:\(\s*[\"'`]|\.(?:each|only|concurrent)\b)"


def _called(name: str, *functions: bytes) -> tuple[Kind, ...]:
    # the name comes first, so that the search for it is quick; what stands before it is looked at afterwards
    return tuple(Kind(name, one, one + rb"(?<![\w.$]" + one + b")" + _CALLED) for one in functions)


_COMMENT = rb"(?:/[/*]|<!--)\s*"
_JAVASCRIPT = (
    Kind("eslint-disable", b"eslint-disable", _COMMENT + rb"eslint-disable(?:-next-line|-line)?(?![\w-])"),
    Kind("eslint: off", b"eslint", rb"/\*\s*eslint\s[^*]*:[\s\[]*[\"']?(?:off|0)\b"),
    *_after(_COMMENT, "oxlint-disable", "tslint:disable", "deno-lint-ignore", "svelte-ignore"),
    Kind("biome-ignore", b"biome-ignore", _COMMENT + rb"biome-ignore(?!-end)\b"),
    *_after(rb"(?:[/*]|<!--)\s*", "@ts-ignore", "@ts-expect-error", "@ts-nocheck"),
    Kind("@vue-ignore", b"@vue-", rb"(?:[/*]|<!--)\s*@vue-(?:ignore|expect-error|nocheck|skip)\b"),
    Kind(".only", b".only", SUITE + rb"\.only\b"),
    Kind(".only", b"only:", _OPTIONS + rb"only:\s*true\b"),
    *_called(".only", b"fit", b"fdescribe"),
    Kind(".skip", b".skip", SUITE + rb"\.skip(?:If)?\b|\b(?:this|t|ctx|context)\.skip\("),
    Kind(".skip", b"skip:", _OPTIONS + rb"skip:(?!\s*false\b)"),
    Kind(".skip", b".ignore", rb"\bDeno\.test\.ignore\b"),
    Kind(".skip", b".fixme", SUITE + rb"\.fixme\b"),
    *_called(".skip", b"xit", b"xtest", b"xdescribe"),
    Kind(".todo", b".todo", SUITE + rb"\.todo(?:If)?\b"),
    Kind(".failing", b".fail", SUITE + rb"\.fail(?:s|ing)?\b"),
)

_GO = (
    Kind("nolint", b"nolint", rb"//[/ \t]?[ \t]*nolint(?![^\s:])"),
    Kind("lint:ignore", b"//lint:", rb"//lint:(?:file-)?ignore\b"),
    Kind("nosec", b"nosec", rb"(?://|/\*)[ \t]*#nosec\b"),
    *_after(_SLASHES, "gosec:disable", "revive:disable"),
    Kind("t.Skip", b".Skip", rb"\b(?:t|b|f|tb|T\(\))\.Skip(?:Now|f)?\("),
    Kind("go:build ignore", b"ignore", rb"(?m)^//[ \t]*(?:go:build[ \t]+|\+build[ \t]+)ignore\b"),
)

# A tag of the project's own hides a file from the compiler and from linters. Test files are often kept for a run of
# their own: of these only the tests count for less.
_GO_SOURCE = (*_GO, Kind("go:build tag", b"//go:build", GO_TAG))

_RUST = (
    # `[` cannot stand in a lint's name: so what is looked through ends at the next attribute
    Kind("#[allow]", b"allow", rb"#!?\[\s*(?:cfg_attr\s*\([^\[\]\n]*,\s*)?allow\s*\("),
    Kind("#[expect]", b"expect", rb"#!?\[\s*(?:cfg_attr\s*\([^\[\]\n]*,\s*)?expect\s*\("),
    Kind("#[ignore]", b"ignore", rb"#\[\s*(?:cfg_attr\s*\([^\[\]\n]*,\s*)?ignore\b"),
    Kind("#[cfg(any())]", b"cfg", rb"#!?\[\s*cfg\s*\(\s*(?:any\s*\(\s*\)|false|FALSE)\s*\)\s*\]"),
)

_PRAGMA = _HASH + rb"pragma[ \t]+"
_C = (
    Kind("NOLINT", b"NOLINT", rb"/[/*][ \t]*NOLINT(?:NEXTLINE|BEGIN)?\b"),
    Kind("pragma diagnostic ignored", b"diagnostic", _PRAGMA + rb"(?:GCC|clang)[ \t]+diagnostic[ \t]+ignored\b"),
    Kind("pragma warning disable", b"warning", _PRAGMA + rb"warning[ \t]*\([ \t]*disable\b"),
    *_after(rb"/[/*][ \t]*", "cppcheck-suppress"),
    Kind("GTEST_SKIP", b"GTEST_SKIP", rb"\bGTEST_SKIP[ \t]*\("),
    Kind("DISABLED_", b"DISABLED_", rb"\bTEST(?:_F|_P)?[ \t]*\([^()\n]*\bDISABLED_"),
)

_JVM = (
    Kind("@SuppressWarnings", b"Suppress", rb"@(?:file:)?Suppress(?:Warnings|FBWarnings|Lint)?\b"),
    Kind("@Disabled", b"@Disabled", rb"@Disabled(?:(?:If|On|For|In)\w*)?\b"),
    Kind("@Ignore", b"gnore", rb"@[Ii]gnore\b"),
    Kind("@nowarn", b"@nowarn", rb"@nowarn\b"),
    *_after(_SLASHES, "NOPMD", "NOSONAR"),
    Kind("CHECKSTYLE:OFF", b"CHECKSTYLE", rb"/[/*][ \t]*CHECKSTYLE[:.][ \t]*(?:OFF|SUPPRESS)\b"),
)

_CSHARP = (
    Kind("pragma warning disable", b"#pragma", rb"(?m)^[ \t]*#pragma[ \t]+warning[ \t]+disable\b"),
    Kind("nullable disable", b"#nullable", rb"(?m)^[ \t]*#nullable[ \t]+disable\b"),
    Kind("[SuppressMessage]", b"SuppressMessage", rb"\bSuppressMessage(?:Attribute)?[ \t]*\("),
    Kind("[Ignore]", b"Ignore", rb"\[[ \t]*Ignore[ \t]*[\](]"),
    Kind("Skip =", b"Skip", rb"\[[ \t]*(?:Fact|Theory|InlineData)[ \t]*\([^\[\]\n]*\bSkip[ \t]*="),
)

_RUBY = (
    Kind("rubocop:disable", b"rubocop:", rb"#[ \t]*rubocop[ \t]*:[ \t]*(?:disable|todo)\b"),
    Kind("typed: false", b"typed:", rb"(?m)^#[ \t]*typed:[ \t]*(?:false|ignore)\b"),
    Kind("skip", b"skip", rb"(?m)^[ \t]*skip\b(?![ \t]*[=.:,)])|\bskip:(?![ \t]*false\b)"),
    Kind("skip", b"\n", rb"(?m)^[ \t]*x(?:it|describe|context|specify)\b[ \t]*[(\"']"),
    Kind("pending", b"pending", rb"(?m)^[ \t]*pending\b(?![ \t]*[=.:,)])"),
    Kind(":focus", b"focus", rb",[ \t]*:focus\b|\bfocus:[ \t]*true\b"),
    Kind(":focus", b"\n", rb"(?m)^[ \t]*f(?:it|describe|context|specify)\b[ \t]*[(\"']"),
)

_PHP = (
    *_after(b"", "@phpstan-ignore", "@psalm-suppress"),
    Kind("phpcs:ignore", b"phpcs:", rb"(?:#|/[/*])[ \t]*(?:@)?phpcs:(?:ignore|ignoreFile|disable)\b"),
    Kind("markTestSkipped", b"markTest", rb"\bmarkTest(?:Skipped|Incomplete)[ \t]*\("),
)

_SWIFT = (
    *_after(_SLASHES, "swiftlint:disable"),
    Kind("XCTSkip", b"XCTSkip", rb"\bXCTSkip(?:If|Unless)?\b"),
    Kind(".disabled", b".disabled", rb"@(?:Test|Suite)[ \t]*\([^()\n]*\.disabled\b"),
)

_SHELL = (Kind("shellcheck disable", b"shellcheck", rb"#[ \t]*shellcheck[ \t][^#\n]*\bdisable="),)

_YAML = (Kind("yamllint disable", b"yamllint", rb"#[ \t]*yamllint[ \t]+disable(?:-line|-file)?\b"),)
_DOCKER = (Kind("hadolint ignore", b"hadolint", rb"#[ \t]*hadolint[ \t]+(?:global[ \t]+)?ignore[ \t]*="),)

# in a text of these words and patterns are looked for in lower case
IN_ANY_CASE = (".py", ".pyi", ".ipynb")
_LANGUAGES = (
    ("py pyi ipynb", _PYTHON),
    ("js jsx mjs cjs ts tsx mts cts vue svelte astro", _JAVASCRIPT),
    ("go", _GO_SOURCE),
    ("_test.go", _GO),
    ("rs", _RUST),
    ("c h cc cpp cxx hh hpp hxx cu m mm", _C),
    ("java kt kts scala groovy", _JVM),
    ("cs", _CSHARP),
    ("rb rake", _RUBY),
    ("php", _PHP),
    ("swift", _SWIFT),
    ("sh bash dash zsh ksh", _SHELL),
    ("yml yaml", _YAML),
    ("Dockerfile dockerfile", _DOCKER),
)
KINDS = {suffix: kinds + _ANY for suffixes, kinds in _LANGUAGES for suffix in suffixes.split()}


def kinds(path: str) -> tuple[Kind, ...]:
    """What may silence a check in a file of this name; nothing where no language is known."""
    if path.endswith("_test.go"):
        return KINDS["_test.go"]
    name = path.rpartition("/")[2]
    return KINDS["Dockerfile"] if name.startswith("Dockerfile.") else KINDS.get(name.rpartition(".")[2], ())
