"""svelte-check: what it says to machines, a line each, with the count of files as the evidence that it looked.

It looks at TypeScript beside the components too, so plain tsc is left out where both would run. Learned from 3.8, 4.0
and 4.7: a message is a text of JSON; a configuration that it cannot read is a finding of that file from 4 on.
"""

import posixpath
import re

from untilgreen.checkers.answer import Malformed, finding, findings, json_answer, refusal, severity_of
from untilgreen.checkers.checker import Checker, Files
from untilgreen.checkers.js.javascript import depending
from untilgreen.core.model.outcome import Outcome, Output, Setting

_PATTERNS = (".svelte",)
_COUNTS = r"(?m)^\d+ COMPLETED (?P<files>\d{1,9}) FILES (?P<errors>\d{1,9}) ERRORS (?P<warnings>\d{1,9}) WARNINGS"
_TEXT = r'"(?:[^"\\]|\\.)*"'
_PLACE = rf"(?P<file>{_TEXT}) (?P<line>\d{{1,9}}):(?P<column>\d{{1,9}})"
_LINE = rf"(?m)^\d+ (?P<kind>ERROR|WARNING) {_PLACE} (?P<message>{_TEXT})$"


def argv(setting: Setting) -> tuple[str, ...]:
    return (setting.tool, "--output", "machine", *setting.call)


def parse(output: Output, setting: Setting) -> Outcome:
    counts = re.search(_COUNTS, output.stdout)
    if counts is None:
        raise refusal(output, r"(?m)FAILURE .+|^.*Error\b.*: .+|^(?!\s|Loading |\d+ ).+")
    above = next(
        (after for before, after in zip(setting.call, setting.call[1:], strict=False) if "workspace" in before), "."
    )
    found = []
    for one in re.finditer(_LINE, output.stdout):
        file, kind = posixpath.normpath(posixpath.join(above, json_answer(one["file"]))), severity_of(one["kind"])
        if file.endswith(".json"):
            raise Malformed(f"{file}: {json_answer(one['message'])}")
        found.append(finding((file, one["line"], one["column"]), "svelte", kind, json_answer(one["message"])))
    return findings(found, int(counts["errors"]) + int(counts["warnings"]), files=int(counts["files"]))


CHECKER = Checker(
    name="svelte-check",
    argv=argv,
    parse=parse,
    roots=depending("svelte-check", _PATTERNS),
    package="npm:svelte-check",
    serves=("type_check",),
    files=Files(patterns=_PATTERNS),
    covers="tsc",
    leaves_out="--watch --preserveWatchOutput --color --no-color --output=",
    strict=r"--fail-on-(?:warnings|hints)\b",
)
