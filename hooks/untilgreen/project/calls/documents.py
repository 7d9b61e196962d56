"""The files in which a project says how it calls its tools, read once each; what cannot be read says nothing."""

import ast
import configparser
import json
import os
import re
import tomllib
import warnings
from collections.abc import Mapping, Sequence

from untilgreen.core.record import Any, NamedTuple

_MOST = 1024 * 1024  # bytes of one file
# in the names of jobs and environments: what is no check of the code
_OTHERS = {"docs", "doc", "release", "publish", "deploy", "wheel", "wheels"}
_OTHERS |= {"bench", "benchmark", "benchmarks", "codspeed"}
MOST = 100  # jobs, steps, hooks


class Step(NamedTuple):
    """Shell text that the project runs."""

    text: str
    folder: str  #: where it runs, relative to the project
    source: str  #: whence it comes, for people
    script: str = ""  #: the script of a package.json in which it stands
    env: tuple[str, ...] = ()  #: the variables that are set for it, `NAME=value` each
    behind: tuple[str, ...] = ()  #: the words that its last command gets, too
    given: tuple[str, ...] | None = None  #: of a script, the words with which it is called
    again: bool = False  #: it runs before, with other values of a matrix


class Texts:
    """The texts and documents of a project, by folder (relative, "." first) and name."""

    def __init__(self, root: str) -> None:
        self.root = root
        self._texts: dict[str, str | None] = {}
        self._documents: dict[str, Any] = {}

    def text(self, folder: str, name: str) -> str | None:
        """The text of a file; None where it is not there, is no file, or is larger than 1 MB."""
        path = os.path.normpath(os.path.join(self.root, folder, name))
        if path not in self._texts:
            self._texts[path] = _text(path)
        return self._texts[path]

    def first(self, folder: str, names: Sequence[str]) -> str:
        """The first of these files that is there, "" where none is."""
        return next((name for name in names if self.text(folder, name) is not None), "")

    def listed(self, folder: str) -> list[str]:
        """The names in a folder, sorted; none where there is no such folder."""
        path = os.path.normpath(os.path.join(self.root, folder))
        if not os.path.isfile(path):  # whose text may be asked for later
            self._texts.setdefault(path, None)
        return sorted(os.listdir(path)) if os.path.isdir(path) else []

    @property
    def sources(self) -> tuple[str, ...]:
        """Every file and folder that was looked for, relative to the project, be it there or not."""
        return tuple(sorted(os.path.relpath(path, self.root) for path in self._texts))

    def json(self, folder: str, name: str) -> Any:
        return self.parsed(folder, name, json.loads)

    def toml(self, folder: str, name: str) -> Any:
        return self.parsed(folder, name, tomllib.loads)

    def yaml(self, folder: str, name: str) -> Any:
        import yaml

        return self.parsed(folder, name, yaml.safe_load)

    def ini(self, folder: str, name: str) -> dict[str, dict[str, str]]:
        return self.parsed(folder, name, ini_of) or {}

    def python(self, folder: str, name: str) -> ast.Module | None:
        found: ast.Module | None = self.parsed(folder, name, _python)
        return found

    def parsed(self, folder: str, name: str, parse: Any) -> Any:
        """What `parse` makes of the text of a file; None where there is no text, or it cannot be read as that."""
        if not name:  # the folder would become a source, which changes with every file in it
            return None
        path = os.path.normpath(os.path.join(self.root, folder, name))
        if path not in self._documents:
            import yaml

            text = self.text(folder, name)
            try:
                self._documents[path] = None if text is None else parse(text)
            # its own tool cannot read it either, and will say so
            except (ValueError, RecursionError, SyntaxError, MemoryError, configparser.Error, yaml.YAMLError):
                self._documents[path] = None
        return self._documents[path]


def table(document: Any, *path: str) -> dict[str, Any]:
    """The table at a path of a document; an empty one where there is none."""
    for name in path:
        document = document.get(name) if isinstance(document, dict) else None
    return document if isinstance(document, dict) else {}


def some(value: Any) -> list[Any]:
    """The first entries of a list; none where it is no list. A file of YAML may name one list a million times."""
    return value[:MOST] if isinstance(value, list) else []


def strings(value: Any) -> Sequence[str]:
    """A text or a list of texts as a list; what is neither is left out."""
    if isinstance(value, str):
        return [value]
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def of_table(*tables: Mapping[Any, Any]) -> tuple[str, ...]:
    """The assignments of tables of YAML or TOML, the later ones winning."""
    kinds = (str, int, float, type(None))
    found = {name: value for table in tables for name, value in table.items() if isinstance(value, kinds)}
    texts = {name: str(value).lower() if isinstance(value, bool) else value for name, value in found.items()}
    return tuple(f"{name}={'' if value is None else value}" for name, value in texts.items())


def is_other(name: str) -> bool:
    """Whether a job or an environment of this name is there for documentation, a release or a benchmark."""
    return not _OTHERS.isdisjoint(re.split(r"[-_.]", name.lower()))


def where(folder: str, file: str, name: str = "") -> str:
    """Whence a call comes, for people: `sub/Makefile: lint`."""
    path = file if folder == "." else f"{folder}/{file}"
    return f"{path}: {name}" if name else path


def _text(path: str) -> str | None:
    try:
        if not os.path.isfile(path) or os.path.getsize(path) > _MOST:
            return None
        with open(path, encoding="utf-8-sig", errors="surrogateescape") as stream:
            return stream.read()
    except OSError:
        return None


def _python(text: str) -> ast.Module:
    """The syntax tree of a Python text. Raises SyntaxError, and what `ast.parse` may raise."""
    with warnings.catch_warnings(action="ignore"):  # what it warns of would be read as ours, on stderr
        return ast.parse(text)


def ini_of(text: str) -> dict[str, dict[str, str]]:
    """The sections of an INI text. Raises configparser.Error."""
    parser = configparser.RawConfigParser(strict=False, interpolation=None, allow_no_value=True)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    try:
        parser.read_string(text)
    except AttributeError:  # a key without a value that goes on in the next line: configparser's own fault
        raise configparser.Error("a key without a value goes on in the next line") from None
    return {name: {key: value or "" for key, value in parser.items(name)} for name in parser.sections()}
