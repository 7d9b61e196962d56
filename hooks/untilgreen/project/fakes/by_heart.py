"""Answers by heart: what a test gives and what it expects, side by side in what is new in the product's text; and new
strings of the product that name its tests. Cold."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from untilgreen.core.record import NamedTuple
from untilgreen.core.trees import differing
from untilgreen.core.verdict import proof
from untilgreen.project.fakes import fed, probes, probes_python, shapes

_FAR = 16  # tokens between what is given and what is answered
_MOST, _LARGEST, _ALL = 100, 200_000, 500_000  # files, characters of one, and of all files of tests
_SHARE = 0.6  # of what a table says, that tests ask for, where it holds their answers
_LEAST, _BOTH = 2, 5  # what a literal must say at least, and two of them: digits or letters
_READ = re.compile(r".*\.(?:pyi?|[cm]?[jt]sx?|vue|svelte|go|rs|json|ya?ml|csv|tsv|txt|dat|ini)")
_CODE = re.compile(r".*\.(?:py|[cm]?[jt]sx?|vue|svelte|go|rs)")
_ASIDE = re.compile(
    r"(?:.*/)?(?:(?:setup|noxfile|tasks|fabfile|dodo)\.py|package(?:-lock)?\.json|(?:docs?|examples?)/.*)"
)
_TOKEN = re.compile(
    r"\"\"\".*?\"\"\"|'''.*?'''|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'(?!\w)|`(?:\\.|[^`\\])*`"
    r"|(?<![\w)\]])-?\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d+)?|[A-Za-z_$]\w*|[=!<>]=+|[=-]>|[^\w\s]",
    re.DOTALL,
)
_COMMENTS = {"py": r"#[^\n]*", "": r"//[^\n]*|/\*.*?\*/"}
# behind what is given none of these stands in front of its answer, and none at either end
_WORDS = ("elif", "else", "def", "func", "function", "fn", "class", "switch", "match", "for", "while")
_APART = frozenset((*"+-*/%<>;&|", "<=", ">=", *_WORDS))
_BINDING = frozenset((*":?={", "=>", "->", "==", "===", "return", "case", "yield"))
_CALLED = re.compile(r"(?!return|case|in)[\w$]+|[)\]]|=>")  # in front of the bracket of a call, or of a block
_ROW = r"(?<![\w)])[\[({]([^][(){}]*)[\])}]"  # of a table in a test: what it expects stands last
_NAMING = re.compile(
    r"(?:.*/)?tests?/.*|.*__tests__.*|.*\.(?:spec|test)\.\w*|.*\btest_\*?(?:\.py)?|.*_test\.(?:go|py)|tests"
)


class _Token(NamedTuple):
    text: str
    value: str  #: of a literal what it says, as numbers compare; else ""


class Learned(NamedTuple):
    """Tests by file and name, of which the product may know the answers; and files that name tests."""

    tests: tuple[tuple[str, str], ...] = ()
    naming: tuple[str, ...] = ()


def read(kept: fed.BothTrees) -> Learned:
    """What of today's product, where it differs from that of the start, knows of the tests of the start."""
    tests = proof.of_tests({*kept.start, *kept.now})
    differ = sorted(
        path for path in differing(kept.start, kept.now) - tests if _READ.fullmatch(path) and not _ASIDE.fullmatch(path)
    )
    old, new = (
        {path: _tokens(path, kept.text(tree[path])[:_LARGEST]) for path in differ[:_MOST] if path in tree}
        for tree in (kept.start, kept.now)
    )
    known = {one.value for tokens in old.values() for one in tokens}
    inner = [_tokens("", one.value) for tokens in new.values() for one in tokens if one.value not in known]
    answers = dict[str, set[tuple[str, frozenset[str]]]]()
    for one, other, table in (pair for tokens in (*new.values(), *inner) for pair in _answers(tokens, known)):
        answers.setdefault(one, set()).add((other, table))
    stems = [path.rpartition("/")[2].partition(".")[0] for path in differ]
    suites = [path for path in tests if path in kept.start and proof.is_suite(path)]
    suites.sort(key=lambda path: (not any(stem in path for stem in stems), path))
    found, known_of = set[tuple[str, str, frozenset[str]]](), dict[frozenset[str], set[str]]()
    for path, title, given, expected in _of_tests(kept, suites[:_MOST], answers):
        for one in given & answers.keys():
            for table in (table for other, table in answers[one] if other in expected):
                known_of.setdefault(table, set()).add(one)
                found.add((path, title, table))
    # of a table that holds answers, tests ask for most
    learned = {(path, title) for path, title, table in found if 2 * len(known_of[table]) >= _SHARE * len(table)}
    naming = (path for path, tokens in new.items() if _CODE.fullmatch(path) and _names(path, tokens, known, suites))
    return Learned(tuple(sorted(learned)), tuple(naming))


def _tokens(path: str, text: str) -> list[_Token]:
    """What a text consists of, without comments."""
    comment = _COMMENTS["py" if path.endswith((".py", ".pyi", ".yaml", ".yml")) else ""]
    found = re.finditer(rf"(?P<comment>{comment})|{_TOKEN.pattern}", text, re.DOTALL)
    return [_Token(one[0], _value(one[0])) for one in found if one["comment"] is None]


def _value(text: str) -> str:
    """What a literal says: a number in one form, in quotes or not; "" of what is none, or has some lines."""
    if "\n" in text or text[:3] in ('"""', "'''"):
        return ""
    if text[:1] in "\"'`" and len(text) > 1:
        text = text[1:-1]
        if not re.fullmatch(r"-?\d+(?:\.\d+)?", text):
            return text
    elif not re.match(r"-?\d", text):
        return ""
    return repr(abs(float(text.replace("_", ""))))


def _says(value: str) -> int:
    """How much: digits of a number but for zeros in front, letters of a text."""
    if re.fullmatch(r"\d+(?:\.\d+)?(?:e.*)?", value):
        value = value.partition("e")[0].removesuffix(".0").replace(".", "").lstrip("0")
    return len(re.sub(r"\W", "", value))


def _answers(tokens: Sequence[_Token], old: set[str]) -> Iterator[tuple[str, str, frozenset[str]]]:
    """Two literals that are new, the second as an answer to the first, each with all that their table says: an entry, a
    row, a branch. None of a table in which something is old: that grows."""
    within, tables = _within(tokens), dict[int, set[str]]()
    says = {at: _says(one.value) for at, one in enumerate(tokens) if one.value}
    telling = {at: tokens[at].value for at, much in says.items() if much >= _LEAST}
    for at, value in telling.items():
        tables.setdefault(within[at], set()).add(value)
    tables[-1] = set()
    new = {at: value for at, value in telling.items() if value not in old}
    for at in (one for one in new if tokens[one - 1].text not in _APART):
        for end in range(at + 1, min(at + _FAR, len(tokens))):
            if tokens[end].text in _APART:
                break
            table, behind = tables.get(within[end], set()), tokens[end + 1 : end + 2]
            formula = behind and behind[0].text in ("+", "*", "/", "%")
            if new.get(end, new[at]) == new[at] or says[at] + says[end] < _BOTH or formula or table & old:
                continue
            between = {token.text for token in tokens[at + 1 : end]}
            if between & _BINDING or table:
                yield new[at], new[end], frozenset(table)
            if "if" in between:
                yield new[end], new[at], frozenset()


def _within(tokens: Sequence[_Token]) -> list[int]:
    """Of each token the table that it is in, by where its bracket opens; -1 in none: in a call, in a block."""
    stack, found = [-1], list[int]()
    for at, one in enumerate(tokens):
        found.append(stack[-1])
        if one.text in ("(", "[", "{"):
            called = at > 0 and _CALLED.fullmatch(tokens[at - 1].text)
            stack.append(-1 if called else at if stack[-1] < 0 else stack[-1])
        elif one.text in (")", "]", "}") and len(stack) > 1:
            stack.pop()
    return found


def _of_tests(
    kept: fed.BothTrees, suites: Sequence[str], answers: Mapping[str, Collection[tuple[str, frozenset[str]]]]
) -> Iterator[tuple[str, str, set[str], set[str]]]:
    """The tests of the files that hold any of these: the file, the name, what they give and what they expect."""
    room = _ALL if answers else 0
    for path in suites:
        text, kind = kept.text(kept.start[path]) if room > 0 else "", probes.language(path)
        known = {one for one in answers if one.removesuffix(".0") in text}
        if not any(other.removesuffix(".0") in text for one in known for other, _ in answers[one]):
            continue
        room -= len(text)
        try:
            tests = probes_python.literals(text, _value) if kind == "py" else _of_blocks(path, text, kind)
            yield from ((path, *test) for test in tests)
        except (SyntaxError, ValueError, RecursionError):
            continue


def _of_blocks(path: str, text: str, kind: str) -> Iterator[tuple[str, set[str], set[str]]]:
    found = [*re.finditer(probes.forms(kind)["test"], text)] if kind else []
    for one, following in zip(found, [*found[1:], None], strict=True):
        begin, end = one.end(), following.start() if following else len(text)
        expected = {_value(text[at:to]) for at, to, _ in probes.expected(text, kind, begin, end)}
        rows = (_tokens(path, row[1]) for row in re.finditer(_ROW, text[begin:end]))
        expected |= {row[-1] for tokens in rows if len(row := [token.value for token in tokens if token.value]) > 1}
        yield one["title"], {token.value for token in _tokens(path, text[begin:end])} - expected, expected - {""}


def _names(path: str, tokens: Sequence[_Token], old: set[str], suites: Sequence[str]) -> bool:
    """Whether a file of the product names tests in a new string."""
    aside = any(re.match(shapes.pattern(kind), path) for kind in ("test file", "script"))
    stems = {one.rpartition("/")[2].partition(".")[0] for one in suites}
    new = {one.value for one in tokens if one.text[:1] in "\"'`" and one.value not in old}
    return not aside and any(not re.search(r"\s", one) and (_NAMING.fullmatch(one) or one in stems) for one in new)
