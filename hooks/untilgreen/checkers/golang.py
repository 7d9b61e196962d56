"""Go: where its modules lie, and what its compiler says in text; shared by go vet and go test.

Learned from 1.19, 1.24 and 1.27: `go test -json` and `go vet -json` print what does not compile as text (go test
from 1.24 on inside of events); `go vet` names the first error only of a package that it type-checks itself
("vet: a.go:1:2: …"), and nothing at all of packages that import one with an error.
"""

import re

from untilgreen.checkers.answer import finding, first_line
from untilgreen.core.model.outcome import Diagnostic
from untilgreen.project.layout import Layout, around, folder_of

PROGRAMS = ("go",)
# the go command passes over folders of these names itself; what modules lie there are samples or others' code
_PASSED_OVER = frozenset({"vendor", "testdata", "node_modules"})
_ERROR = re.compile(
    r"(?:vet: )?(?P<file>[^\s:][^:\n]*\.\w+):(?P<line>\d{1,9}):(?:(?P<column>\d{1,9}):)? (?P<message>\S.*)"
)
COMPLAINT = (
    r"(?m)^(?:go: (?!downloading |finding |extracting |warning: ).+|pattern .+|no packages .+|package \S+ is not .+"
    r"|vet: .+|panic: .+|.*import cycle not allowed.*|.*\berror\b.*)"
)
_MODULE = r"(?m)^\s*(?:module\s+|module\s*\(\s*)[\"`]?(?P<path>[^\s\"`()]+)"


def modules(layout: Layout) -> list[str]:
    """The folders with a go.mod and Go code of their own; nested modules are modules too, in a workspace as well."""
    return _owning(layout, ".go", [folder for folder in layout.marked(("go.mod",)) if not _passed_over(folder)])


def tested(layout: Layout) -> list[str]:
    """The modules that have tests."""
    return _owning(layout, "_test.go", modules(layout))


def _owning(layout: Layout, suffix: str, found: list[str]) -> list[str]:
    """Those that are the nearest one above a file with this suffix."""
    homes = {folder_of(path) for path in layout.ending(suffix)}
    owners = {next((one for one in around(home) if one in found), "") for home in homes if not _passed_over(home)}
    return [folder for folder in found if folder in owners]


def module_path(layout: Layout, root: str) -> str:
    """What a module calls itself, and its packages' import paths begin with; "" when its go.mod does not say it."""
    text = layout.text("go.mod" if root == "." else f"{root}/go.mod") or ""
    found = re.search(_MODULE, text)
    return found["path"] if found else ""


def mistakes(text: str, rule: str, severity: str) -> list[Diagnostic]:
    """Every line of the compiler's form, each once: a place at which it (or go vet's own type checker) gave up."""
    places = filter(None, (_ERROR.fullmatch(line.rstrip()) for line in text.split("\n")))
    found = (
        finding(
            one["file"].removeprefix("./"),
            int(one["line"]),
            rule,
            severity,
            first_line(one["message"]).removesuffix("; to add it:"),
            hides=True,
        )
        for one in places
    )
    return list(dict.fromkeys(found))


def _passed_over(folder: str) -> bool:
    return any(part in _PASSED_OVER or (part[0] in "._" and part != ".") for part in folder.split("/"))
