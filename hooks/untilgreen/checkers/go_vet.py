"""go vet, which type-checks too: its JSON, one object for every package that it analysed.

The text form does not name the analyzer, and says nothing at all about a package that is fine. Learned from 1.19,
1.22, 1.24 and 1.27: JSON comes on stderr, from 1.26 on stdout; the exit code is 0 however much was found, and 1 or 2
only when something does not compile.
"""

import re
from collections.abc import Iterator
from typing import Any

from untilgreen.checkers import golang
from untilgreen.checkers.answer import Malformed, finding, first_line, items, json_answer, refusal, table, text, within
from untilgreen.checkers.checker import Checker
from untilgreen.core.model.outcome import Clean, Diagnostic, Found, Outcome, Output, Setting


def argv(setting: Setting) -> tuple[str, ...]:
    return (setting.tool, "vet", "-json", "./...")


def parse(output: Output, _setting: Setting) -> Outcome:
    reports = [*_reports(output.stdout), *_reports(output.stderr)]
    found = golang.mistakes(output.stderr, "compile", "error") if output.code else []
    if output.code not in (0, 1, 2) or (output.code and not found):
        raise refusal(output, golang.COMPLAINT)
    if not reports and not found:
        raise Malformed("no package was analysed")
    # the files of a package are analysed again with its tests
    found += {key: one for report in reports for key, one in _findings(report)}.values()
    return Found(tuple(found)) if found else Clean()


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
                place, message = text(one, "posn"), first_line(text(one, "message"))
                where = re.fullmatch(r"(?P<file>.+?):(?P<line>\d{1,9})(?::\d+)?", place)
                file, line = (where["file"], int(where["line"])) if where else ("", 0)
                yield (place, analyzer, message), finding(file, line, analyzer or "vet", "error", message)


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
