"""What the end of a tool's output says of a run that somebody else made: how many ran, and how many failed. A table;
what is not in it says nothing.

Learned from pytest 7 to 9, unittest, jest 30, vitest 4, mocha 11, node 20, cargo 1.9x, go 1.2x, rspec 3, ruff 0.15,
mypy 1 and 2, pyright 1.1, tsc 5, eslint 9, golangci-lint 2, biome 2.
"""

import re

from untilgreen.core.model.groups import Counts
from untilgreen.core.record import NamedTuple

# a line of numbers with words, which says it all: no other line takes anything back
_TOTALS = {
    "test": (r"^(?:=+ )?(?:no tests ran|\d{1,9} \w+(?:, \d{1,9} \w+)*) in \d[\d.]*s\b",),
    "lint": (r"^All checks passed!$", r"^Found \d+ errors?\b", r"^✖ \d+ problems? .*", r"^0 issues\.$"),
    "types": (
        *(r"^Success: no issues found in \d+ source files?$", r"^Found \d+ errors? in \d+ files?\b.*"),
        *(r"^\d+ errors?, \d+ warnings?", r"^Found \d+ errors?\b"),
    ),
}
# such a line of one part, or beside others
_PARTS = {
    "test": (
        *(r"^ *Tests:? .*\d.*", r"^ *Test (?:Suites:|Files) .*\d.*", r"^ *\d+ (?:passing|failing)\b"),
        *(r"^test result: .*", r"^[#\u2139] (?:pass|fail) \d+$", r"^\d+ examples?, \d+ failures?\b"),
        *(r"^Ran \d+ tests? in ", r"^OK(?: \(.*\))?$", r"^FAILED \(.*", r"^NO TESTS RAN\b"),
        *(r"^ok\s+\S+\s+(?:[\d.]+s|\(cached\))", r"^(?:--- )?FAIL\b.*", r"^No test(?:s| files) found\b"),
    ),
    "lint": (r"^\d+ issues:$", r"^error: could not compile\b"),
    "types": (r"^\S+\(\d+,\d+\): error TS\d+", r"^\S+:\d+:\d+ - error TS\d+"),
    "build": (r"^error: could not compile\b", r"^(?:error|ERROR)\b.*"),
}
_NUMBER = re.compile(r"(\d{1,9}) (\w+)|\b(pass|fail) (\d{1,9})$|\b(failures|errors)=(\d{1,9})")
_RAN = {"passed", "passing", "pass", "xfailed", "xpassed", "tests", "test", "examples", "source"}
_FAILED = {"failed", "failing", "fail", "failures", "failure", "error", "errors", "issues"}
_RED = re.compile(r"^(?:FAILED|(?:--- )?FAIL\b|test result: FAILED|error\b|ERROR\b|.*error TS\d)")
_GREEN = re.compile(r"^(?:OK\b|ok\s|All checks passed|Success: |0 issues\.)")
_PIPE = re.compile(r"(?<![|>])\|(?!\|)")


class RunSummary(NamedTuple):
    says: str = ""  #: "green", "red", "empty" (nothing ran), "" where it says nothing
    counts: Counts | None = None


def read(kind: str, output: str, command: str) -> RunSummary:
    """The summary of a run of this kind. Of what went through a pipe a green line that stands for a part only says
    nothing: the red ones may have been filtered out."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", output).replace("\r", "")
    patterns = ("|".join(table.get(kind, (r"(?!)",))) for table in (_TOTALS, _PARTS))
    totals, parts = ([found[0] for found in re.finditer(one, text, re.MULTILINE)] for one in patterns)
    ran = failed = 0
    for line in (*totals, *parts):
        numbers = [(int(one[0] or one[3] or one[5]), one[1] or one[2] or one[4]) for one in _NUMBER.findall(line)]
        bad = sum(n for n, word in numbers if word in _FAILED)
        if line.lstrip().startswith(("Test Suites", "Test Files")):  # their tests are counted in a line of their own
            failed = failed or bad
            continue
        failed += bad
        counted = bad if kind == "test" and not line.startswith("FAILED (") else 0
        ran += counted + sum(n for n, word in numbers if word in _RAN)
    lines = (*totals, *parts)
    counts = Counts(ran, failed) if ran or failed else None
    if failed or any(map(_RED.match, lines)):
        return RunSummary("red", counts)
    if not lines:
        return RunSummary()
    if kind == "test" and not ran and ("Ran 0 tests in " in lines or not any(map(_GREEN.match, lines))):
        return RunSummary("empty", Counts(0, 0))
    if not totals and _PIPE.search(command):
        return RunSummary("", counts)
    return RunSummary("green", counts)
