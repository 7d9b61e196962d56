"""What vitest, jest and uvu print for people, where a script runs several packages and no report can be asked for.

Learned from vitest 3.2, jest 29.7, uvu 0.5 and pnpm 10.33, which puts a package's folder and script before each line.
"""

import re

from untilgreen.checkers.answer import Reading, finding, one_line, pieces
from untilgreen.checkers.formats import runners
from untilgreen.core.model.outcome import Diagnostic, Tests

_ANNOUNCED, _PACKAGE = r"(?m)^(\S+) ([\w:-]+)\$ ", r"(\S+) ([\w:-]+): ?"  # pnpm, of several packages and of one
_BEGUN = r"> \S+ \S+ (?P<folder>/.*)"
_FAIL = (
    r"(?m)^ *FAIL +(?:\|[^|\n]*\| +)?(?:(?P<file>[^\s>]+\.\w+)(?: > (?P<name>[^\n]+?))?(?: [\[(].*[\])])?"
    r'|(?P<suite>\S+)  "(?P<title>.+)")$'
)
_BULLET = r"(?m)^ +● (?P<name>.+)$"
# a frame in a file of the project's; of uvu the last one is the test
_FRAME = r"\bat (?:\S+ )*\(?(?:file://)?((?!node:)(?![^\s():]*node_modules/)[^\s():]+\.\w+):(\d{1,9}):\d"
_END = r"(?m)^(?:⎯{3,}.*| *(?:Test Files|Test Suites:|Tests:?|Total:) .*)$"
_COUNT = (
    r"(?m)^ *Tests:? +(?P<counts>.*(?:passed|failed).*)$|^ *Total: +(?P<run>\d{1,9})\n *Passed: +(?P<passed>\d{1,9})$"
)


def read(text: str) -> Reading | None:
    """The failing tests, files relative to where the script ran or absolute, and how many ran; None where there is no
    such runner's last word."""
    said, known, folder = dict[str, list[str]](), {*re.findall(_ANNOUNCED, text)}, ""
    for line in text.split("\n"):
        match, begun = re.match(_PACKAGE, line), re.match(_BEGUN, line)
        folder = begun["folder"] if begun else folder
        own = match if match and match.groups() in known else None
        said.setdefault(own[1] if own else folder, []).append(line[own.end() :] if own else line)
    found, ran, failed = list[Diagnostic](), 0, 0
    for folder, lines in said.items():
        shown = "\n".join(lines)
        found += (one for at, rest in pieces(_FAIL, shown) for one in _failures(at, re.split(_END, rest)[0], folder))
        for one in re.finditer(_COUNT, shown):
            counts = {word: int(number) for number, word in re.findall(r"(\d{1,9}) (\w+)", one["counts"] or "")}
            passed = int(one["passed"] or counts.get("passed", 0))
            lost = int(one["run"]) - passed if one["run"] else counts.get("failed", 0)
            ran, failed = ran + lost + passed, failed + lost
    failing = tuple(dict.fromkeys(found))
    return Reading(failing, Tests(max(ran, len(failing)), max(failed, len(failing)), "printed")) if ran else None


def _failures(at: re.Match[str], said: str, folder: str) -> list[Diagnostic]:
    blocks = pieces(_BULLET, said) or [(at, said)]
    return [_failure(at["file"] or "", one.groupdict(), text, folder) for one, text in blocks]


def _failure(file: str, block: dict[str, str | None], said: str, folder: str) -> Diagnostic:
    named = block.get("name") or " ".join(filter(None, (block.get("suite"), block.get("title"))))
    whole = not named or named == "Test suite failed to run"
    path, line = (file, runners.line_in(file, [said])) if file else [("", 0), *re.findall(_FRAME, said)][-1]
    path = f"{folder}/{path}" if folder and not path.startswith("/") else path
    message = one_line(re.split(r"(?m)^\s*(?:\u276f |at )", runners.details(said))[0]) or "failed"
    return finding((path, line), "collection" if whole else named, "test", message, hides=whole)
