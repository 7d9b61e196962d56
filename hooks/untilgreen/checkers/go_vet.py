"""go vet, which type-checks too: its JSON, one object for every package that it analysed.

The text form does not name the analyzer, and says nothing at all about a package that is fine. Learned from 1.19,
1.22, 1.24 and 1.27: JSON comes on stderr, from 1.26 on stdout; the exit code is 0 however much was found, and 1 or 2
only when something does not compile.
"""

import re
from collections.abc import Iterator
from typing import Any

from untilgreen.checkers import golang
from untilgreen.checkers.answer import Malformed, finding, first_line, json_answer
from untilgreen.checkers.checker import Checker
from untilgreen.core.model.outcome import Clean, Diagnostic, Found, Outcome, Output, Setting


def argv(setting: Setting) -> tuple[str, ...]:
    return (setting.tool, "vet", "-json", "./...")


def parse(output: Output, _setting: Setting) -> Outcome:
    if output.code not in (0, 1, 2):
        raise Malformed(golang.complaint(output))
    reports = [*_reports(output.stdout), *_reports(output.stderr)]
    mistakes = golang.mistakes(output.stderr) if output.code else []
    if output.code and not mistakes:
        raise Malformed(golang.complaint(output))
    if not reports and not mistakes:
        raise Malformed("no package was analysed")
    found = [finding(one.file, one.line, "compile", "error", one.message, hides=True) for one in mistakes]
    # the files of a package are analysed again with its tests
    found += {key: one for report in reports for key, one in _findings(report)}.values()
    return Found(tuple(found)) if found else Clean()


def _reports(text: str) -> Iterator[Any]:
    """The objects in between the lines of text; each begins and ends at a line's start."""
    block: list[str] = []
    for line in text.split("\n"):
        if block or line.startswith("{"):
            block.append(line)
            if line.startswith(("}", "{}")):
                yield json_answer("\n".join(block))
                block = []
    if block:
        raise Malformed("the answer ends in the middle of a package")


def _findings(report: Any) -> Iterator[tuple[tuple[str, str, str], Diagnostic]]:
    """What was found in one package, by place: `{package: {analyzer: [{"posn", "message"}]}}`."""
    try:
        for package, analyzers in report.items():
            for analyzer, found in analyzers.items():
                if isinstance(found, dict) and "error" in found:
                    raise Malformed(f"{analyzer} failed on {package}: {found['error']}")
                for one in found:
                    place, message = str(one["posn"]), first_line(str(one["message"]))
                    yield (place, analyzer, message), _finding(place, analyzer, message)
    except (KeyError, TypeError, AttributeError) as error:
        raise Malformed(f"a package's findings have another shape: {error!r}") from error


def _finding(place: str, analyzer: str, message: str) -> Diagnostic:
    where = re.fullmatch(r"(?P<file>.+?):(?P<line>\d{1,9})(?::\d+)?", place)
    file, line = (where["file"], int(where["line"])) if where else ("", 0)
    return finding(file, line, analyzer or "vet", "error", message)


CHECKER = Checker(
    name="go-vet",
    seconds=240,  # the first run compiles what the module imports, the standard library too
    argv=argv,
    parse=parse,
    roots=lambda layout, _criteria: golang.modules(layout),
    programs=golang.PROGRAMS,
    serves=("lint_clean", "type_check", "build_success"),
    edit="types",
    patterns=(".go",),
)
