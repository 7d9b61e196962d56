"""go test: its stream of events, one JSON object a line.

Every test that ran counts as run, one with subtests too; one that failed because a subtest failed is told once, by
the subtest. Learned from 1.19, 1.24 and 1.27: a test that ends the process with exit code 0 (`syscall.Exit`; go
notices `os.Exit`) makes go test end well: all that is missing is the package's own last event. A test binary that
came to its end said PASS or FAIL before that. What does not compile is text on stderr, from 1.24 on in events.
"""

import os
import posixpath
import re
from collections.abc import Sequence
from itertools import takewhile

from untilgreen.checkers.answer import Malformed, Reading, finding, one_line, refusal, relative
from untilgreen.checkers.checker import Checker, Files, Ours, RunsTests, left_out
from untilgreen.checkers.documents import json_answer, table, text
from untilgreen.checkers.other import go
from untilgreen.core.model.outcome import SOME, Clean, Diagnostic, Found, Names, Outcome, Output, Setting, TestId, Tests
from untilgreen.project.tree.layout import around

_AT = re.compile(r" +(?P<file>[^\s:]+\.go):(?P<line>\d{1,9}): ?(?P<message>.*)")
_FRAME = re.compile(r"(?:\t| {6})(?P<file>/.+\.go):(?P<line>\d{1,9})(?: \+0x[0-9a-f]+)?")
_STEP = 4  # columns that the further lines of what a test reports are indented by
_FRAMING = re.compile(r" *(?:=== |--- (?:PASS|FAIL|SKIP|BENCH): ).*|(?:PASS|FAIL)(?:\t.*)?|exit status \d+")
_RACE = "WARNING: DATA RACE"  # of -race; the test itself is told at a line of Go's own
_PANIC = re.compile(rf"(?P<what>(?:panic|fatal error): .+?|{_RACE})(?: \[recovered.*)?$")
# of a block of testify's what was wrong, and the words of the test
_LABELLED = r"(?ms)^\s*(?:Error|Messages):\s+(.*?)(?=^\s*(?:Diff|Test|Messages):|\Z)"


class _Part:
    """A test, or (with "" for its name) a package: what it said, which lines of that go itself calls errors (from 1.25
    on), and how it ended: "pass", "fail", "skip", or "" when nobody heard of its end."""

    def __init__(self, package: str, name: str) -> None:
        self.package = package
        self.name = name
        self.said: list[str] = []
        self.errors: list[int] = []
        self.end = ""

    def hear(self, action: str, words: str, error: bool) -> None:
        if action in ("pass", "fail", "skip"):
            self.end = action
        elif action == "output":
            self.errors += [len(self.said)] if error else []
            self.said.append(words)
            # until 1.19 an end that stands behind other output on its line has no event
            ended = re.search(r"--- (PASS|FAIL|SKIP): (\S+) \(", words) if self.name and "--- " in words else None
            if ended and ended[2] == self.name:
                self.end = ended[1].lower()

    @property
    def cut(self) -> bool:
        """Of a package: whether its test binary ended without a verdict of its own."""
        return self.end == "fail" and not {"PASS", "FAIL"}.intersection(self.said)


def argv(setting: Setting) -> tuple[str, ...]:
    return (setting.tool, "test", "-json", *setting.call)


def select(setting: Setting, tests: Sequence[TestId]) -> tuple[str, ...]:
    """The tests of these names, with all their subtests, in the packages whose folders their files are in; all tests of
    these where one has no name."""
    names = dict.fromkeys(re.escape(test.id.partition("/")[0]) for test in tests)
    places = (posixpath.dirname(test.file) if test.file.endswith(".go") else test.file for test in tests)
    packages = dict.fromkeys(posixpath.normpath(f"./{place}") for place in places)
    wanted = (name if name == "." else f"./{name}" for name in packages)
    run = ("-run", f"^(?:{'|'.join(names)})$") if all(names) else ()
    return setting.tool, "test", "-json", *go.flags(setting.call), *run, *wanted


def parse(output: Output, setting: Setting) -> Outcome:
    if output.code not in (0, 1, 2):
        raise refusal(output, go.COMPLAINT)
    parts, building = _heard(output)
    packages = {part.package: part for part in parts if not part.name}
    ran = [part for part in parts if part.name]
    uncompiled = go.mistakes(building, "collection", "test") if output.code else []
    alone, failed = _failing(packages, ran)
    told = [*uncompiled]
    for part in alone:  # a package that failed outside of its tests: nobody knows what of it ran
        file, line, message = _panic(part, setting) or (_folder(part, setting), 0, _words(part))
        told.append(finding((file, line), part.package, "test", message, hides=True))
    told += [_test(part, packages[part.package], setting) for part in failed]
    endless = [name for name, package in packages.items() if not package.end]
    if endless and not told:
        raise Malformed(f"{endless[0]} did not come to its end")
    if not told and output.code:
        raise refusal(output._replace(stderr=building), go.COMPLAINT)
    run = sum(part.end != "skip" for part in ran)
    if not told and not run:
        raise Malformed(f"no test ran: {len(ran)} skipped" if ran else "no tests were collected")
    # what is no test stands for one that failed
    counts = Tests(run=run + len(uncompiled) + len(alone), failed=len(told))
    found = tuple(one._replace(hides=one.hides or bool(endless)) for one in told)
    return Found(found, counts) if found else Clean(counts)


def printed(text: str, root: str) -> Reading:
    """The failing tests of what `go test` prints for people, and how many it names: without `-v` no others."""
    parts, found, run, now = dict[str, _Part](), list[Diagnostic](), 0, None
    for line in text.split("\n"):
        begun = re.match(r" *(?:=== (?:RUN|CONT|NAME) +|--- (?P<end>PASS|FAIL|SKIP): )(?P<name>\S+)", line)
        over = re.match(r"(?:FAIL|ok)\s+(?P<package>\S+)\s", line)
        if begun:
            now = parts.setdefault(begun["name"], _Part("", begun["name"]))
            now.end = (begun["end"] or now.end).lower()
        elif over:
            package = _Part(over["package"], "")
            package.said.append("FAIL")
            for part in parts.values():
                part.package = package.package
            setting = Setting("", root, variant=_module(package.package, root))
            failing = _failing({package.package: package}, [*parts.values()])[1]
            found += [_test(part, package, setting) for part in failing]
            run, parts, now = run + len(parts), {}, None
        elif now:
            now.said.append(line)
    return Reading(tuple(found), Tests(run, len(found), "" if "=== RUN " in text else SOME))


def _module(package: str, root: str) -> str:
    """The module of a package, whose folder is the longest end of its import path that is there."""
    above = package.split("/")
    ends = ("/".join(above[number:]) for number in range(1, len(above)))
    home = next((one for one in ends if os.path.isdir(os.path.join(root, one))), "")
    return package.removesuffix(f"/{home}") if home else package


def names(output: Output, setting: Setting) -> Names | None:
    """By the folder of the package ("" for the root) and the test's name, those of tests with subtests too. None where
    an import path does not tell the folder."""
    from untilgreen.checkers import naming

    if output.code not in (0, 1, 2):
        return None
    parts, _ = _heard(output)
    if any(not f"{part.package}/".startswith(f"{setting.variant}/") for part in parts):
        return None
    over = {part.package for part in parts if not part.name and part.end == "fail"}
    tests = [
        (part.end or ("fail" if part.package in over else ""), naming.of(_folder(part, setting), part.name, setting))
        for part in parts
        if part.name
    ]
    return naming.told(tests, ("pass", "fail", "skip"))


def _heard(output: Output) -> tuple[list[_Part], str]:
    """Packages and tests in the order in which they began, and what was said about building them."""
    from untilgreen.checkers.documents import json_lines  # needed after a test run only

    parts: dict[tuple[str, str], _Part] = {}
    building = ""
    # until 1.23 packages that were not built are told between the events
    events = "\n".join(line for line in output.stdout.split("\n") if not line.startswith("FAIL"))
    for event in json_lines(events):
        action, package, name, said = (text(event, key, missing="") for key in ("Action", "Package", "Test", "Output"))
        if action == "build-output":
            building += said
        if package:
            parts.setdefault((package, ""), _Part(package, ""))
            part = parts.setdefault((package, name), _Part(package, name))
            part.hear(action, said.rstrip("\n"), event.get("OutputType") == "error")
    return [*parts.values()], building + output.stderr


def _failing(packages: dict[str, _Part], tests: list[_Part]) -> tuple[list[_Part], list[_Part]]:
    """The packages that failed without a failing test, and the failing tests without those above one."""
    ended = {name for name, package in packages.items() if package.end == "fail"}
    # a test that has not ended when its package fails is one that ended the test binary
    failed = [test for test in tests if test.end == "fail" or (not test.end and test.package in ended)]
    above = {(test.package, outer) for test in failed for outer in around(test.name)[1:]}
    unexplained = [packages[name] for name in sorted(ended - {test.package for test in failed})]
    unbuilt = ("[build failed]", "[setup failed]")
    alone = [package for package in unexplained if not any(line.endswith(unbuilt) for line in package.said)]
    return alone, [test for test in failed if (test.package, test.name) not in above]


def _test(test: _Part, package: _Part, setting: Setting) -> Diagnostic:
    folder = _folder(test, setting)
    place = _panic(test, setting) if package.cut or _RACE in test.said else None
    if not test.end:
        place = place or _panic(package, setting) or (folder, 0, "it did not end: the test binary ended before")
    file, line, message = place or _reason(test, folder) or (folder, 0, _words(test))
    return finding((file, line), test.name, "test", message, hides=package.cut)


def _folder(part: _Part, setting: Setting) -> str:
    """Where a package lies, relative to the root; "" for the root itself, and where its import path does not tell."""
    module = f"{setting.variant}/"
    return part.package.removeprefix(module) if part.package.startswith(module) else ""


def _reason(test: _Part, folder: str) -> tuple[str, int, str] | None:
    """File, line and message of what a test reported: what go calls an error, else the last that it logged."""
    places = [(number, found) for number, line in enumerate(test.said) if (found := _AT.fullmatch(line))]
    if not places:
        return None
    number, found = next((place for place in places if place[0] in test.errors), places[-1])
    indent = " " * (len(test.said[number]) - len(test.said[number].lstrip()) + _STEP)
    rest = takewhile(lambda line: line.startswith(indent) and not _AT.fullmatch(line), test.said[number + 1 :])
    block = "\n".join((found["message"], *rest))
    message = one_line("\n".join(re.findall(_LABELLED, block)) or block)
    return f"{folder}/{found['file']}".lstrip("/"), int(found["line"]), message or "failed"


def _panic(part: _Part, setting: Setting) -> tuple[str, int, str] | None:
    """What a panic says, at the innermost place in the project's own code."""
    for number, line in enumerate(part.said):
        found = _PANIC.search(line)
        if found:
            frames = filter(None, map(_FRAME.fullmatch, part.said[number + 1 :]))
            places = ((relative(one["file"], setting.root), int(one["line"])) for one in frames)
            own = next(((file, line) for file, line in places if not file.startswith("/")), ("", 0))
            return *own, found["what"]
    return None


def _words(part: _Part) -> str:
    """All that was said, in one line: of an example that failed, what it printed and what it should."""
    return " ".join(line.strip() for line in part.said if not _FRAMING.fullmatch(line)).strip() or "failed"


def words(output: Output) -> Output:
    """The output as `go test` prints it without -json."""
    return output._replace(stdout="".join(map(_plain, output.stdout.split("\n"))))


def _plain(line: str) -> str:
    try:
        said = table(json_answer(line)).get("Output")
    except Malformed:
        said = line + "\n"
    return said if isinstance(said, str) else ""


CHECKER = Checker(
    name="go-test",
    stage="tests",
    argv=argv,
    parse=parse,
    # asked for by name, they run where no module has any too: none is not fine then
    roots=lambda layout, criteria: go.tested(layout) or (go.modules(layout) if criteria.test_pass else []),
    # of what the change does not touch go has the results; where it is told not to, none runs
    runner=RunsTests(select, names, lambda setting, _: () if "-count" in str(setting.call) else argv(setting)),
    programs=("go",),
    subcommand=("test",),
    serves=("test_pass",),
    files=Files(patterns=(".go",)),
    words=words,
    variant=go.module_path,
    leaves_out=left_out("go-test"),
    ours=Ours(words=go.ALL),
)
