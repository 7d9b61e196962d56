"""What belongs to the tests of a project and does not lie among them: expected data, modules of pytest's, examples in
the text of the product; new files among them that change what others test; and what tests they define."""

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator

from untilgreen.core.record import NamedTuple
from untilgreen.core.trees import Entry, Tree, above
from untilgreen.core.verdict import proof
from untilgreen.project.fakes import probes

_MOST = 2_000  # files that are read
_CONFIGURATION = re.compile(r"(?:.*/)?(?:conftest\.py|pyproject\.toml|\.?pytest\.(?:ini|toml)|setup\.cfg|tox\.ini)")
_PLUGINS = r"pytest_plugins\s*=\s*([^\n]+(?:\n[^\n\])]*)*)|(?<![\w-])-p[ =,\"']*([\w.]+)"
_SOURCE = re.compile(
    r".*\.(?:pyi?|[cm]?[jt]sx?|go|rs|toml|ya?ml|cfg|ini|lock|md|rst)|(?:.*/)?package(?:-lock)?\.json|[^.]+"
)
# of a new file of tests: what reaches those in others
_REACHING = {
    "py": r"(?m)^(?!\s)(?:[\w.]+\.\w+\s*=(?!=)|setattr\(|sys\.modules)|\A(?![\s\S]*\bdef test)",
    "go": r"(?m)^func (?:init|TestMain)\(|\A(?![\s\S]*\nfunc Test)",
    "js": r"(?m)^(?:[\w.]+\.\w+\s*=(?!=)|(?:before|after)(?:Each|All)?\()|\A(?![\s\S]*\b(?:test|it)\()",
}
# of a file of tests: the lines by which it loads others
_LOADING = r"(?m)^.*\b(?:import|require|from)\b.*$"
_PIECES = {
    "py": r"(?s)[rRuU]?\"\"\"(?:(?!\"\"\").)*?>>>(?:(?!\"\"\").)*\"\"\"",
    "rs": r"(?m)^[ \t]*//[/!] ?```[^\n]*\n(?:[ \t]*//[/!](?! ?```)[^\n]*\n)*[ \t]*//[/!] ?```[ \t]*$",
    "md": r"(?m)(?:^[ \t]*(?:>>>|\.\.\.) [^\n]*\n(?:[ \t]*(?!>>>|```)\S[^\n]*\n?)*)+",
}


class BothTrees(NamedTuple):
    """The trees of the start and of now, and how their files are read and written, which raises OSError."""

    start: Tree
    now: Tree
    read: Callable[[Entry], bytes]
    write: Callable[[bytes], str]

    def text(self, entry: Entry) -> str:
        return self.read(entry).decode("utf-8", "replace")

    def texts(self) -> Iterator[tuple[str, str]]:
        """The sources of the start."""
        paths = [path for path in self.start if re.search(r"\.(?:py|[cm]?[jt]sx?|go|rs)$", path)]
        return ((path, self.text(self.start[path])) for path in paths[:_MOST])

    def configuration(self) -> str:
        return "\n".join(self.text(entry) for path, entry in self.start.items() if _CONFIGURATION.fullmatch(path))


def side(kept: BothTrees) -> proof.TestsSide:
    """What is of the tests wherever it lies, where it was changed: data that a test of the product names and the
    product does not, modules that pytest is told to load; and the new files of tests that hold none, or patch something
    for all."""
    tests = proof.of_tests({*kept.start, *kept.now})
    differ = {path for path in kept.start if kept.start[path] != kept.now.get(path)} - tests
    plugins, data = set[str](), {path for path in differ if not _SOURCE.fullmatch(path)}
    if any(path.endswith(".py") for path in differ):
        named = " ".join(found[1] or found[2] for found in re.finditer(_PLUGINS, kept.configuration()))
        modules = tuple(f"/{name.replace('.', '/')}.py" for name in re.findall(r"[\w.]+", named))
        plugins = {path for path in differ if f"/{path}".endswith(modules)}
    if data:
        texts = [*kept.texts()]
        code = {path for path, _ in texts if path not in tests}
        asking = "\n".join(text for path, text in texts if path in tests and _asks(path, text, code))
        product = "\n".join(text for path, text in texts if path not in tests)
        homes = {folder for path, _ in texts if path not in tests for folder in above(path) if folder}
        data = {path for path in data if not homes.intersection(above(path))}  # no data of a package
        data = {path for path in data if _named(path, asking) and not _named(path, product)}
    fresh = (path for path in kept.now if path not in kept.start and proof.is_suite(path))
    forms = ((path, _REACHING.get(probes.language(path), "(?!)")) for path in fresh)
    reaching = frozenset(path for path, form in forms if re.search(form, kept.text(kept.now[path])))
    return proof.TestsSide(frozenset(data | plugins), reaching)


def _asks(path: str, text: str, code: Iterable[str]) -> bool:
    """Whether a file of tests asks the code of the project; else what it reads may be what is to be done."""
    folder = posixpath.dirname(path)
    if path.endswith(".go"):  # it is in its package
        return any(one.endswith(".go") and posixpath.dirname(one) == folder for one in code)
    if path.endswith(".rs"):
        return re.search(r"\buse (?!std\b)", text) is not None
    names = {part for one in code for part in posixpath.splitext(one)[0].split("/")}
    return any(names.intersection(re.findall(r"\w+", line)) for line in re.findall(_LOADING, text))


def _named(path: str, text: str) -> bool:
    """Whether a text names a file, or its folder as one of data."""
    folder, name = posixpath.split(path)
    last = posixpath.basename(folder)
    return re.search(rf"\b{re.escape(name)}\b", text) is not None or (
        last != "" and re.search(rf"[\"'/]{re.escape(last)}[\"'/]", text) is not None
    )


def examined(kept: BothTrees) -> Callable[[str], bool]:
    """Says of a file whether the examples in it are tests."""
    of_python = "doctest" in kept.configuration()
    return lambda path: path.endswith(".rs") or (of_python and holds_tests(path))


def holds_tests(path: str) -> bool:
    """Whether a file of the product may hold tests."""
    return path.endswith((".rs", ".py", ".md", ".rst", ".txt"))


def mixed(kept: BothTrees, examined: Callable[[str], bool], path: str, code: Entry, tests: Entry) -> Entry | None:
    """A file of the product with the tests of another version of it; None where they cannot be told apart."""
    if not examined(path):
        return None
    one, other = kept.read(code), kept.read(tests)
    both = proof.mixed(one, other) if path.endswith(".rs") else one
    both = both and examples(path, both, other)
    return code if both == one else None if both is None else Entry(code.mode, kept.write(both))


def examples(path: str, code: bytes, start: bytes) -> bytes:
    """The code with those examples of the start that are no more in it behind all else."""
    suffix = path.rpartition(".")[2]
    form = _PIECES.get("md" if suffix in ("rst", "txt") else suffix, "(?!)")
    now = f"\n{_lines(code.decode('utf-8', 'replace'))}\n"
    pieces = [found[0] for found in re.finditer(form, start.decode("utf-8", "replace"))]
    gone = [piece for piece in pieces if any(f"\n{one}\n" not in now for one in _examples(piece, suffix))]
    holds = {
        "py": "\n\ndef {name}():\n    {piece}\n",
        "rs": "\n\n{piece}\n#[allow(dead_code)]\npub fn {name}() {{}}\n",
    }.get(suffix, "\n\n{piece}\n")
    more = (
        holds.format(name=f"example_{proof.AGAIN}_{n}", piece=piece.replace("//!", "///"))
        for n, piece in enumerate(gone)
    )
    return code + "".join(more).encode()


def _examples(piece: str, suffix: str) -> list[str]:
    """What of a piece of text is run, each with what is expected of it."""
    if suffix == "rs":
        return [_lines(piece)]
    found = re.findall(r"(?m)^[ \t]*>>>[^\n]*\n(?:[ \t]*(?!>>>|\"\"\")\S[^\n]*\n)*", piece)
    return [_lines(one) for one in found]


def _lines(text: str) -> str:
    return "\n".join(line.strip() for line in text.split("\n") if line.strip())


def defined(kept: BothTrees, paths: Iterable[str]) -> dict[str, str]:
    """The tests that these files define, by title, each with its file."""
    found = dict[str, str]()
    for path in sorted(paths)[:_MOST]:
        form = probes.forms(probes.language(path))["defined"] if probes.language(path) else "(?!)"
        found |= dict.fromkeys(re.findall(form, kept.text(kept.start[path])), path)
    return found
