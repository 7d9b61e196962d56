"""Which files say how the checkers check, and fingerprints of them: of what the tools read, not of how it is laid out;
and which files of the project they take in: what they extend, their preset, what they import.

Nothing is run. Comments, blank lines and, in JSON, the order of the keys make no difference. Text that cannot be read
as what its name says is taken as it is: never an error, and never nothing.
"""

import json
import posixpath
import re
from collections.abc import Iterable, Iterator
from functools import cache

from untilgreen.core.record import NamedTuple
from untilgreen.core.verdict.identity import blake2b
from untilgreen.project.fakes import shapes
from untilgreen.project.tree import toml_sections

_SCRIPTS = (".js", ".cjs", ".mjs", ".ts", ".cts", ".mts")
_BY_SUFFIX = {"toml": "toml", "yml": "yaml", "yaml": "yaml"} | {suffix[1:]: "module" for suffix in _SCRIPTS}
_BETWEEN = r"[\s\"'`\[\](),]+"
_WITHIN = (*(f"/index{suffix}" for suffix in _SCRIPTS), "/jest-preset.json", "/jest-preset.js", "/jest-preset.cjs")


def configures(path: str) -> bool:
    """Whether a file of this posix path configures a checker, in whole or in part."""
    return _row(path) is not None


def _row(path: str) -> list[str] | None:
    """The row of the table for a path: how it is read, its names and, where not all of it counts, what does."""
    rows, names = _names()
    match = names.match(path)
    return rows[match.lastindex - 1] if match and match.lastindex else None


@cache
def _names() -> tuple[list[list[str]], re.Pattern[str]]:
    """The rows of the table, and all of their names as one pattern."""
    rows = [*shapes.parts_in("configures", "*")]
    return rows, re.compile("(?:.*/)?(?:" + "|".join(f"({names})" for _, names, *_ in rows) + r")\Z")


class Configuration(NamedTuple):
    """What a file says to checkers."""

    form: str  #: how it is read: "toml", "ini", "json", "yaml", "module" or "code"
    #: name to what counts: "mypy.ini" of a file as a whole, "pyproject.toml [tool.ruff]" of one section
    texts: dict[str, str] = {}

    def fingerprints(self) -> dict[str, str]:
        return fingerprints(self.texts)


def fingerprints(texts: dict[str, str]) -> dict[str, str]:
    """The fingerprint of each text, by the same name."""
    return {
        name: blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest() for name, text in texts.items()
    }


def read(path: str, content: bytes) -> Configuration:
    """What a file says; no texts where nothing in it is a checker's. One of any name is what another one takes in."""
    text = content.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    row = _row(path)
    if row is None:
        form = _BY_SUFFIX.get(path.rpartition(".")[2], "json")  # an `.eslintrc.shared` is JSON or YAML
        return Configuration(form, {path: _bare(form, text)})
    form, parts = row[0], row[2] if len(row) > 2 else ""
    if form == "vite":  # vitest reads it, where it is used at all
        return Configuration("module", {path: _bare("module", text)} if re.search(r"\btest\b", text) else {})
    if not parts:
        return Configuration(form, {path: _bare(form, text)})
    if form in ("go", "lines"):
        return Configuration(form, _lines(form, path, text, parts))
    found = _parts(form, text)
    if found is None:
        return Configuration(form, {path: text})
    texts = {f"{path} [{part}]": body for part, body in found.items() if re.match(parts, part)}
    if form == "cargo":
        others = {
            f"{path} [{part}]": "\n".join(re.findall(shapes.pattern("cargo lib" if part == "lib" else "cargo"), body))
            for part, body in found.items()
        }
        texts = {name: body for name, body in others.items() if body} | texts
    return Configuration(form, texts)


def _lines(form: str, path: str, text: str, parts: str) -> dict[str, str]:
    """Of a file in no known form: what counts of it."""
    if form == "lines":
        kept = [line.strip() for line in text.split("\n") if re.search(parts, line.partition("//")[0])]
        return {path: "\n".join(kept)} if kept else {}
    said = "\n".join(match[0].strip() for match in re.finditer(parts, re.sub(r"//[^\n]*", "", text)))
    return {f"{path} [replace]": " ".join(said.split())} if said else {}


def _parts(form: str, text: str) -> dict[str, str] | None:
    """What a file's sections or keys hold, by name; None where it has none."""
    if form in ("toml", "cargo"):
        return toml_sections.toml(text)
    if form == "ini":
        return toml_sections.ini(text)
    try:
        document = toml_sections.jsonc(text)
        return {key: _canonical(value) for key, value in document.items()} if isinstance(document, dict) else None
    except (ValueError, RecursionError):
        return None


def _bare(form: str, text: str) -> str:
    """The text without what makes no difference."""
    if form in ("toml", "ini"):
        return "\n".join(f"[{name}]\n{body}" for name, body in sorted((_parts(form, text) or {}).items()))
    if form == "json":
        try:
            return _canonical(toml_sections.jsonc(text))
        except (ValueError, RecursionError):
            return text  # the old `.eslintrc` may be YAML
    comment = "#" if form == "yaml" else "//"
    lines = (line.rstrip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line and not line.lstrip().startswith(comment))


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def references(path: str, found: Configuration) -> Iterator[tuple[str, ...]]:
    """For each file that the one at `path` takes in: where it may be, likeliest first.

    All are posix paths relative to the project; those that lead out of it are left out. Whether there is such a file
    is not asked: names of packages come, too.
    """
    for text in found.texts.values():
        words = _values("extended", text) if found.form in ("toml", "json", "yaml", "module") else ()
        imported = re.findall(shapes.pattern("imported"), text) if found.form == "module" else ()
        yield from _placed(path, found.form, (*words, *imported))


def loads(path: str, found: Configuration) -> Iterator[tuple[str, ...]]:
    """The same for the files that a runner of tests is told to load first. What these take in is the product."""
    for text in found.texts.values() if found.form in ("json", "yaml", "module") else ():
        named = (
            (match[1] or match[2] for match in re.finditer(shapes.pattern("loaded"), text))
            if found.form == "json"
            else ()
        )
        yield from _placed(path, found.form, (*_values("set up", text), *named))


def _placed(path: str, form: str, words: Iterable[str]) -> Iterator[tuple[str, ...]]:
    folder = posixpath.dirname(path)
    for word in words:
        place = posixpath.normpath(posixpath.join(folder, word))
        if place.startswith(("/", "../")) or place in ("", ".", "..") or "node_modules" in place.split("/"):
            continue
        yield _places(place, form) if word.startswith(".") else (place,)


def _values(keys: str, text: str) -> Iterator[str]:
    """What may be a path in the values of these keys."""
    for match in re.finditer(shapes.pattern(keys), text):
        value = match[1].replace("<rootDir>/", "./")
        yield from [value[1:]] if value[0] in "\"'" else filter(None, re.split(_BETWEEN, value))


def _places(place: str, form: str) -> tuple[str, ...]:
    """The file itself, or with an ending that was left away; TypeScript calls a `.ts` by the name of its `.js`."""
    endings = (*_SCRIPTS, ".json") if form == "module" else (".json", *_SCRIPTS)
    compiled = (f"{place[:-2]}ts",) if place.endswith(_SCRIPTS[:3]) else ()
    return (place, *compiled, *(place + ending for ending in (*endings, *_WITHIN)))


def pytest_hooks(path: str, content: bytes) -> dict[str, str]:
    """What a file tells pytest of what it collects, runs and reports, by a name such as
    "conftest.py [pytest_runtest_call]". A hook that only says which markers there are says nothing of a test."""
    if not path.endswith(".py") or (b"pytest_" not in content and b"collect_ignore" not in content):
        return {}
    said, found = shapes.patterns_in("reads", "*"), dict[str, str]()
    for match in re.finditer(said["pytest hooks"], content.replace(b"\r\n", b"\n")):
        if re.fullmatch(said["only markers"], match[3]) and match[2] == b"pytest_configure":
            continue
        lines = (line.strip() for line in match[0].decode("utf-8", "surrogateescape").split("\n"))
        name = f"{path} [{match[2].decode()}]"
        found[name] = found.get(name, "") + "\n".join(line for line in lines if line and line[0] != "#")
    return found
