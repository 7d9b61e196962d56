"""go vet, which type-checks too, and golangci-lint; and what go test needs of Go.

go vet prints JSON, one object for every package that it analysed: the text form does not name the analyzer, and says
nothing at all about a package that is fine. Learned from 1.19, 1.22, 1.24 and 1.27: JSON comes on stderr, from 1.26 on
stdout; the exit code is 0 however much was found, and 1 or 2 only when something does not compile. `go test -json` and
`go vet -json` print that as text (go test from 1.24 on inside of events); `go vet` names the first error only of a
package that it type-checks itself ("vet: a.go:1:2: …"), and nothing at all of packages that import one with an error.

golangci-lint was read from its documentation and sources (1.64, 2.4), not from a binary: exit code 1 is findings, 3 a
failure, 4 a time-out, 5 no Go files, 7 an error that was only logged. The configuration tells which version it is, as
it names 2 since then. Version 2 tells paths from the folder of its configuration. At most 50 findings of a linter are
told unless asked.
"""

import os
import re
from collections.abc import Iterator, Sequence

from untilgreen.checkers.answer import Malformed, finding, findings, refusal
from untilgreen.checkers.checker import Checker, Files, Ours, left_out
from untilgreen.checkers.documents import items, json_answer, table, text, within
from untilgreen.checkers.records import Records
from untilgreen.core.model.outcome import Diagnostic, Outcome, Output, Setting
from untilgreen.core.record import Any
from untilgreen.project.tree.layout import Layout, around, folder_of, passed_over

_ERROR = re.compile(
    r"(?:vet: )?(?P<file>[^\s:][^:\n]*\.\w+):(?P<line>\d{1,9}):(?:(?P<column>\d{1,9}):)? (?P<message>\S.*)"
)
COMPLAINT = (
    r"(?m)^(?:go: (?!downloading |finding |extracting |warning: ).+|pattern .+|no packages .+|package \S+ is not .+"
    r"|vet: .+|panic: .+|.*import cycle not allowed.*|.*\berror\b.*)"
)
# options of the go command that take the word behind them
_VALUED = (
    *("tags", "mod", "modfile", "vettool", "run", "skip", "timeout", "count", "cpu", "bench", "benchtime", "fuzz"),
    *("exec", "gcflags", "ldflags", "asmflags", "pkgdir", "toolexec", "overlay", "shuffle", "list", "vet"),
)
ALL = ("./...",)  # the packages below; where a call names none it is that of its folder alone
_MODULE = r"(?m)^\s*(?:module\s+|module\s*\(\s*)[\"`]?(?P<path>[^\s\"`()]+)"


def modules(layout: Layout) -> list[str]:
    """The folders with a go.mod and Go code of their own; nested modules are modules too, in a workspace as well."""
    return _owning(layout, ".go", [folder for folder in layout.marked(("go.mod",)) if not passed_over(folder)])


def tested(layout: Layout) -> list[str]:
    return _owning(layout, "_test.go", modules(layout))


def _owning(layout: Layout, suffix: str, found: list[str]) -> list[str]:
    """Those that are the nearest one above a file with this suffix."""
    homes = {folder_of(path) for path in layout.ending(suffix)}
    owners = {next((one for one in around(home) if one in found), "") for home in homes if not passed_over(home)}
    return [folder for folder in found if folder in owners]


def module_path(layout: Layout, root: str) -> str:
    """What a module calls itself, and its packages' import paths begin with; "" when its go.mod does not say it."""
    text = layout.text("go.mod" if root == "." else f"{root}/go.mod") or ""
    found = re.search(_MODULE, text)
    return found["path"] if found else ""


def mistakes(text: str, rule: str, severity: str) -> list[Diagnostic]:
    """Every line of the compiler's form, each once: a place at which it (or go vet's own type checker) gave up."""
    found: list[Diagnostic] = []
    for match in filter(None, (_ERROR.fullmatch(line.rstrip()) for line in text.split("\n"))):
        at, message = match.group("file", "line", "column"), match["message"].removesuffix("; to add it:")
        found.append(finding((at[0].removeprefix("./"), *at[1:]), rule, severity, message, hides=True))
    return list(dict.fromkeys(found))


def flags(call: Sequence[str]) -> tuple[str, ...]:
    """The words of a call without the packages that it names."""
    pairs = zip(("", *call), call, strict=False)
    return tuple(word for before, word in pairs if word.startswith("-") or before.lstrip("-") in _VALUED)


def _vetted(output: Output, _setting: Setting) -> Outcome:
    reports = [*_reports(output.stdout), *_reports(output.stderr)]
    found = mistakes(output.stderr, "compile", "error") if output.code else []
    if output.code not in (0, 1, 2) or (output.code and not found):
        raise refusal(output, COMPLAINT)
    if not reports and not found:
        raise Malformed("no package was analysed")
    # the files of a package are analysed again with its tests
    found += {key: one for report in reports for key, one in _findings(report)}.values()
    return findings(found)


def _reports(said: str) -> Iterator[Any]:
    """The objects in between the lines of text; each begins and ends at a line's start."""
    block: list[str] = []
    for line in said.split("\n"):
        if block or line.startswith("{"):
            block.append(line)
            if line.startswith(("}", "{}")):
                yield json_answer("\n".join(block))
                block = []
    if block:
        raise Malformed("the answer ends in the middle of a package")


def _findings(report: Any) -> Iterator[tuple[tuple[str, str, str], Diagnostic]]:
    """What was found in one package, by place: `{package: {analyzer: [{"posn", "message"}]}}`."""
    for package, analyzers in table(report).items():
        for analyzer, found in table(analyzers).items():
            if within(found, "error") is not None:
                raise Malformed(f"{analyzer} failed on {package}: {found['error']}")
            for one in items(found):
                place, message = text(one, "posn"), text(one, "message")
                where = re.fullmatch(r"(?P<file>.+?):(?P<line>\d{1,9})(?::(?P<column>\d{1,9}))?", place)
                at = where.group("file", "line", "column") if where else ("",)
                yield (place, analyzer, message), finding(at, analyzer or "vet", "error", message)


GO_VET = Checker(
    name="go-vet",
    seconds=240,  # the first run compiles what the module imports, the standard library too
    argv=lambda setting: (setting.tool, "vet", "-json", *filter(None, (setting.variant,)), *setting.call),
    parse=_vetted,
    roots=lambda layout, _criteria: modules(layout),
    programs=("go",),
    subcommand=("vet",),
    serves=("lint_clean", "type_check"),
    files=Files(edit="types", patterns=(".go",)),
    leaves_out=left_out("go-vet"),
    # vet needs one analyzer: that which knows what is wrong by the types alone
    ours=Ours(words=ALL, by_output=True, unchosen="-nilfunc"),
)

_OWN = (".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json")
_SECOND = r"(?m)^[\s{]*[\"']?version[\"']?\s*[:=]\s*[\"']?2"
_ALL = ("--max-issues-per-linter=0", "--max-same-issues=0")


def _lint(setting: Setting) -> tuple[str, ...]:
    first = setting.variant.startswith("1")
    form = "--out-format=json" if first else "--output.json.path=stdout"
    # several modules are looked at at once
    return (setting.tool, "run", form, *_ALL, "--color=never", "--allow-parallel-runners", *setting.call)


def _version(layout: Layout, root: str) -> str:
    """The version that the nearest configuration is for, and from where its paths are told: `2 ..`."""
    for folder in around(root):
        if name := layout.configuration(folder, _OWN, {}):
            second = re.search(_SECOND, layout.text(name if folder == "." else f"{folder}/{name}") or "")
            return f"2 {os.path.relpath(folder, root)}" if second else "1 ."
    return "2 ."


def _records(base: str) -> Records:
    """What it says, paths from the folder `base`."""
    return Records(
        answer=r'(?m)^(\{"Issues":.*)$',
        complaint=r"(?m)^(?:level=error msg=.+|ERRO .+|Error: .+|The command is terminated due to .+|panic: .+)",
        entries="Issues?",
        file=lambda record: os.path.normpath(os.path.join(base, text(record, "Pos", "Filename"))),
        line="Pos.Line?",
        column="Pos.Column",
        rule="FromLinter",
        severity="Severity?",
        message="Text",
    )


GOLANGCI_LINT = Checker(
    name="golangci-lint",
    seconds=240,  # the first run compiles what the module imports
    argv=_lint,
    parse=lambda output, setting: _records(setting.variant.partition(" ")[2]).parse(output, setting),
    # the modules that are configured for it, by themselves or from above
    roots=lambda layout, _criteria: [
        root for root in modules(layout) if any(layout.configuration(up, _OWN, {}) for up in around(root))
    ],
    serves=("lint_clean",),
    files=Files(patterns=(".go",)),
    variant=_version,
    subcommand=("run",),
    leaves_out=left_out("golangci-lint"),
    fails_by_all=True,
    hiding=("typecheck",),  # what does not compile
)
