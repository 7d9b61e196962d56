"""go test: its stream of events, one JSON object a line.

Every test that ran counts as run, one with subtests too; one that failed because a subtest failed is told once, by
the subtest. Learned from 1.19, 1.24 and 1.27: a test that ends the process with exit code 0 (`syscall.Exit`; go
notices `os.Exit`) makes go test end well: all that is missing is the package's own last event. A test binary that
came to its end said PASS or FAIL before that. What does not compile is text on stderr, from 1.24 on in events.
"""

import re
from collections.abc import Sequence

from untilgreen.checkers import go_events, golang
from untilgreen.checkers.answer import MESSAGE, Malformed, finding, first_line, refusal, relative
from untilgreen.checkers.checker import Checker
from untilgreen.checkers.go_events import Line, Part, TestRun
from untilgreen.core.model.outcome import Clean, Diagnostic, Found, Outcome, Output, Setting, Tests
from untilgreen.core.model.settings import Criteria
from untilgreen.project.layout import Layout, around

_AT = re.compile(r" +(?P<file>[^\s:]+\.go):(?P<line>\d{1,9}): ?(?P<message>.*)")
_FRAME = re.compile(r"\t(?P<file>/.+\.go):(?P<line>\d{1,9})(?: \+0x[0-9a-f]+)?")
_FRAMING = re.compile(r" *(?:=== |--- (?:PASS|FAIL|SKIP|BENCH): ).*|(?:PASS|FAIL)(?:\t.*)?|exit status \d+")
_PANIC = re.compile(r"(?P<what>(?:panic|fatal error): .+?)(?: \[recovered.*)?$")


def argv(setting: Setting) -> tuple[str, ...]:
    return (setting.tool, "test", "-json", "./...")


def roots(layout: Layout, criteria: Criteria) -> list[str]:
    """Asked for by name, tests run where no module has any too: none is not fine then."""
    return golang.tested(layout) or (golang.modules(layout) if criteria.test_pass else [])


def parse(output: Output, setting: Setting) -> Outcome:
    if output.code not in (0, 1, 2):
        raise refusal(output, golang.COMPLAINT)
    run = go_events.read(output.stdout)
    building = run.building + output.stderr
    uncompiled = golang.mistakes(building, "collection", "test") if output.code else []
    alone, tests = _failing(run)
    told = [*uncompiled, *(_package(part, setting) for part in alone)]
    told += [_test(part, run.packages[part.package], setting) for part in tests]
    endless = [name for name, package in run.packages.items() if not package.end]
    if endless and not told:
        raise Malformed(f"{endless[0]} did not come to its end")
    if not told and output.code:
        raise refusal(output._replace(stderr=building), golang.COMPLAINT)
    ran = sum(part.end != "skip" for part in run.tests)
    if not told and not ran:
        raise Malformed(f"no test ran: {len(run.tests)} skipped" if run.tests else "no tests were collected")
    # what is no test stands for one that failed
    counts = Tests(run=ran + len(uncompiled) + len(alone), failed=len(told))
    found = tuple(one._replace(hides=one.hides or bool(endless)) for one in told)
    return Found(found, counts) if found else Clean(counts)


def _failing(run: TestRun) -> tuple[list[Part], list[Part]]:
    """The packages that failed without a failing test, and the failing tests without those above one."""
    ended = {name for name, package in run.packages.items() if package.end == "fail"}
    # a test that has not ended when its package fails is one that ended the test binary
    failed = [test for test in run.tests if test.end == "fail" or (not test.end and test.package in ended)]
    above = {(test.package, outer) for test in failed for outer in around(test.name)[1:]}
    explained = {test.package for test in failed}
    alone = [run.packages[name] for name in sorted(ended - explained) if run.packages[name].built]
    return alone, [test for test in failed if (test.package, test.name) not in above]


def _package(package: Part, setting: Setting) -> Diagnostic:
    """A package that failed outside of its tests: nobody knows what of it ran."""
    file, line, message = _panic(package.said, setting) or (_folder(package, setting), 0, _words(package.said))
    return finding(file, line, package.package, "test", message, hides=True)


def _test(test: Part, package: Part, setting: Setting) -> Diagnostic:
    folder = _folder(test, setting)
    place = _panic(test.said, setting) if package.cut else None
    if not test.end:
        place = place or _panic(package.said, setting) or (folder, 0, "it did not end: the test binary ended before")
    file, line, message = place or _reason(test.said, folder) or (folder, 0, _words(test.said))
    return finding(file, line, test.name, "test", message, hides=package.cut)


def _folder(part: Part, setting: Setting) -> str:
    """Where a package lies, relative to the root; "" for the root itself, and where its import path does not tell."""
    module = setting.variant
    inside = bool(module) and part.package.startswith(module + "/")
    return part.package[len(module) + 1 :] if inside else ""


def _reason(said: Sequence[Line], folder: str) -> tuple[str, int, str] | None:
    """File, line and message of what a test reported: what go calls an error, else the last that it logged."""
    places = [(number, found) for number, line in enumerate(said) if (found := _AT.fullmatch(line.text))]
    if not places:
        return None
    errors = [place for place in places if said[place[0]].error]
    number, found = errors[0] if errors else places[-1]
    message = found["message"].strip()
    if not message:  # an assertion library's block, testify's has labels
        block = [line.text for line in said[number + 1 :] if not _FRAMING.fullmatch(line.text)]
        labelled = [text for text in block if re.match(r"\s*Error:\s", text)]
        message = re.sub(r"^\s*Error:\s+", "", next(iter(labelled + block), ""))
    return f"{folder}/{found['file']}".lstrip("/"), int(found["line"]), first_line(message) or "failed"


def _panic(said: Sequence[Line], setting: Setting) -> tuple[str, int, str] | None:
    """What a panic says, at the innermost place in the project's own code."""
    for number, line in enumerate(said):
        found = _PANIC.search(line.text)
        if found:
            frames = (_FRAME.fullmatch(later.text) for later in said[number + 1 :])
            places = ((relative(one["file"], setting.root), int(one["line"])) for one in frames if one)
            own = next(((file, line) for file, line in places if not file.startswith("/")), ("", 0))
            return *own, first_line(found["what"])
    return None


def _words(said: Sequence[Line]) -> str:
    """All that was said, in one line: of an example that failed, what it printed and what it should."""
    words = " ".join(line.text.strip() for line in said if not _FRAMING.fullmatch(line.text)).strip()
    return words[:MESSAGE] or "failed"


CHECKER = Checker(
    name="go-test",
    stage="tests",
    argv=argv,
    parse=parse,
    roots=roots,
    programs=golang.PROGRAMS,
    serves=("test_pass",),
    patterns=(".go",),
    words=go_events.words,
    variant=golang.module_path,
)
