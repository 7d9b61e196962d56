"""Go: where its modules lie, and what its compiler says in text; shared by go vet and go test.

Learned from 1.19, 1.24 and 1.27: `go test -json` and `go vet -json` print what does not compile as text (go test
from 1.24 on inside of events); `go vet` names the first error only of a package that it type-checks itself
("vet: a.go:1:2: …"), and nothing at all of packages that import one with an error.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from untilgreen.checkers.answer import first_line
from untilgreen.core.model.outcome import Output
from untilgreen.project.layout import Layout, folder_of

PROGRAMS = ("go",)
# the go command passes over folders of these names itself; what modules lie there are samples or others' code
_PASSED_OVER = frozenset({"vendor", "testdata", "node_modules"})
_ERROR = re.compile(
    r"(?:vet: )?(?P<file>[^\s:][^:\n]*\.\w+):(?P<line>\d{1,9}):(?:(?P<column>\d{1,9}):)? (?P<message>\S.*)"
)
_COMPLAINT = (
    r"(?m)^(?:go: (?!downloading |finding |extracting |warning: ).+|pattern .+|no packages .+|package \S+ is not .+"
    r"|vet: .+|panic: .+|.*import cycle not allowed.*|.*\berror\b.*)"
)
_MODULE = r"(?m)^\s*(?:module\s+|module\s*\(\s*)[\"`]?(?P<path>[^\s\"`()]+)"


class Mistake(NamedTuple):
    """A place at which the compiler (or go vet's own type checker) gave up."""

    file: str
    line: int
    message: str


def modules(layout: Layout) -> list[str]:
    """The folders with a go.mod and Go code of their own; nested modules are modules too, in a workspace as well."""
    marked = [folder for folder in layout.marked(("go.mod",)) if not _passed_over(folder)]
    owners = {_owner(folder_of(path), marked) for path in layout.ending(".go") if not _passed_over(folder_of(path))}
    return [folder for folder in marked if folder in owners]


def tested(layout: Layout) -> list[str]:
    """The modules that have tests."""
    found = modules(layout)
    files = (folder_of(path) for path in layout.ending("_test.go"))
    owners = {_owner(folder, found) for folder in files if not _passed_over(folder)}
    return [folder for folder in found if folder in owners]


def module_path(layout: Layout, root: str) -> str:
    """What a module calls itself, and its packages' import paths begin with; "" when its go.mod does not say it."""
    text = layout.text("go.mod" if root == "." else f"{root}/go.mod") or ""
    found = re.search(_MODULE, text)
    return found["path"] if found else ""


def mistakes(text: str) -> list[Mistake]:
    """Every line of the compiler's form, each once."""
    return list(dict.fromkeys(_mistakes(text)))


def complaint(output: Output) -> str:
    """The exit code, and the go command's own words about why it did nothing."""
    words = re.search(_COMPLAINT, output.stderr) or re.search(_COMPLAINT, output.stdout)
    return f"exit code {output.code}" + (f": {first_line(words[0])}" if words else "")


def _mistakes(text: str) -> Iterator[Mistake]:
    for line in text.split("\n"):
        found = _ERROR.fullmatch(line.rstrip())
        if found:
            message = first_line(found["message"]).removesuffix("; to add it:")
            yield Mistake(found["file"].removeprefix("./"), int(found["line"]), message)


def _owner(folder: str, found: list[str]) -> str | None:
    """The nearest module above."""
    while folder not in found:
        if folder == ".":
            return None
        folder = folder_of(folder)
    return folder


def _passed_over(folder: str) -> bool:
    return any(part in _PASSED_OVER or (part[0] in "._" and part != ".") for part in folder.split("/"))
