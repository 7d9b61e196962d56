"""Which files of a project are its tests, and what these are fed with; and the tests that stand in a file of the
product. Pure."""

import re
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet

from untilgreen.core.trees import above

# a file of tests by its name, language by language
_SUITE = (
    r"(?:^|/)(?:"
    r"(?:test_[^/]*|[^/]*_test|tests)\.py"
    r"|[^/]*[._-](?:test|spec|cy|e2e)\.[cm]?[jt]sx?|(?:test|__tests__)/(?:.*/)?[^/]*\.[cm]?[jt]sx?|test\.[cm]?[jt]s"
    r"|[^/]*_test\.go"
    r"|tests?\.rs|tests/(?:.*/)?[^/]*\.rs"
    r"|[^/]*(?:Tests?|Spec|IT)\.(?:java|kt|groovy|scala|cs|swift|php)"
    r"|[^/]*_(?:test|spec)\.(?:rb|exs?|c|cc|cpp)"
    r")$"
)
_CONFTEST = r"(?:^|/)conftest\.py$"
# what tests are fed with, wherever it lies; and folders of tests, where a file of tests lies below
_FED = frozenset({"testdata", "__mocks__", "__snapshots__", "__fixtures__", "__tests__"})
_FOLDERS = frozenset({"test", "tests", "spec", "specs", "e2e"})
# of Rust: a module of tests in a file of the product; strings and comments may hold braces
_INLINE = rb"#\[\s*cfg\s*\(\s*test\s*\)\s*\]\s*(?:#\[[^\]\n]*\]\s*)*(?:pub(?:\([^()]*\))?\s+)?mod\s+\w+\s*\{"
_APART = rb"(?s)//[^\n]*|/\*.*?\*/|b?r(#{0,9})\".*?\"\1|\"[^\"\\]*(?:\\.[^\"\\]*)*\"|'(?:\\[^\n']{1,9}|\\'|[^'\\\n])'"


def is_suite(path: str) -> bool:
    """Whether it is a file of tests, by its name."""
    return re.search(_SUITE, path) is not None


def of_tests(paths: Iterable[str]) -> frozenset[str]:
    """Of these files of a project the tests, and what lies beside them: fixtures, helpers, data."""
    paths = tuple(paths)
    suites = {path for path in paths if is_suite(path)}
    folders = {folder for path in suites for folder in above(path) if folder.rpartition("/")[2] in _FOLDERS}
    return frozenset(path for path in paths if path in suites or _is_beside(path, folders))


def _is_beside(path: str, folders: AbstractSet[str]) -> bool:
    over = above(path)
    return re.search(_CONFTEST, path) is not None or not folders.isdisjoint(over) or any(map(_is_fed, over))


def _is_fed(folder: str) -> bool:
    return folder.rpartition("/")[2] in _FED


def may_change(globs: Sequence[str]) -> Callable[[str], bool]:
    """Says of a path whether one of the patterns is for it: `*` stands for anything, and a folder for all in it."""
    patterns = [re.escape(glob.rstrip("/")).replace(r"\*", ".*").replace(r"\?", ".") for glob in globs]
    return lambda path: any(re.fullmatch(rf"{pattern}(?:/.*)?", path, re.DOTALL) for pattern in patterns)


def inline(content: bytes) -> tuple[bytes, bytes, bytes] | None:
    """A file of Rust in three: what is before its module of tests, the module, what is behind it. The module is empty
    where there is none; None where there are several, or where it has no end."""
    plain = re.sub(_APART, lambda found: b" " * len(found[0]), content)
    begins = list(re.finditer(_INLINE, plain))
    if not begins:
        return content, b"", b""
    depth = 0
    for brace in re.finditer(rb"[{}]", plain[begins[0].end() - 1 :]):
        depth += 1 if brace[0] == b"{" else -1
        if depth == 0:
            end = begins[0].end() - 1 + brace.end()
            inside = all(begin.start() < end for begin in begins)
            return (content[: begins[0].start()], content[begins[0].start() : end], content[end:]) if inside else None
    return None


def mixed(code: bytes, tests: bytes) -> bytes | None:
    """A file of Rust with the code of one version and the module of tests of another; None where they cannot be told
    apart."""
    product, wanted = inline(code), inline(tests)
    if product is None or wanted is None:
        return None
    before, _, behind = product
    between = b"" if not wanted[1] or before.endswith(b"\n") or not before else b"\n"
    return before + between + wanted[1] + behind
