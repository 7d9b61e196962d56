"""What runners of tests print for people, where a script runs several packages and no report can be asked for.

Learned from vitest 3.2, jest 29.7, uvu 0.5, mocha 10.8 and 11.8, node 22.23 (TAP, and its reporter `spec`), below pnpm
10.33, turbo 2.11, lerna 8.2 and lerna-lite 3.10, which put a package before each line, and nx 21.6, which does not. npm
says where a package lies whose script failed. lerna-lite prints what failed up to three times.
"""

import posixpath
import re
from contextlib import suppress

from untilgreen.checkers.answer import Malformed, Reading, finding, one_line, pieces
from untilgreen.checkers.formats import runners
from untilgreen.checkers.js import npm_runners
from untilgreen.core.model.outcome import Diagnostic, Tests

_PREFIXES = r"(?m)^(?:(\S+ [\w:-]+)\$ |(\S+): (?:> \S+@|\$ ))"  # pnpm's, with the folder; others', with a name
_BEGUN = r"> (?P<name>\S+)@\S* [\w:-]+(?: (?P<folder>/.*))?$"
_FOLDERS = r"\bworkspace:? (\S+)@\S*\n.*\blocation:? (/.*)"
_FAIL = (
    r"(?m)^ *FAIL +(?:\|[^|\n]*\| +)?(?:(?P<file>[^\s>]+\.\w+)(?: > (?P<name>[^\n]+?))?(?: [\[(].*[\])])?"
    r'|(?P<suite>\S+)  "(?P<title>.+)")$'
    r"|^ {2}\d{1,9}\) (?P<titles>.*?(?:\n {7,}.*?)*?):$"  # mocha, a suite a line
    r"|^test at (?P<of_node>\S+?):(?P<line>\d{1,9}):\d+\n\u2716 (?P<test>.+?) \([\d.]+ms\)$"
)
_BULLET = r"(?m)^ +● (?P<name>.+)$"
# a frame in a file of the project's; the last one is the test
_FRAME = r"\bat (?:\S+ )*\(?(?:file://)?((?!node:)(?![^\s():]*node_modules/)[^\s():]+\.\w+):(\d{1,9}):\d"
_END = r"(?m)^(?:⎯{3,}.*| *(?:Test Files|Test Suites:|Tests:?|Total:) .*|.* {2}\d{1,9} passing\b.*)$"
_COUNT = r"(?m)^(?: *Tests:? +(?:.* )?| {2})(\d{1,9}) %s(?:ed|ing)\b.*|^\u2139 %s (\d{1,9})$"
_PASSED_BY_UVU = r"|^ *Passed: +(\d{1,9})$"


def read(text: str) -> Reading | None:
    """The failing tests, files relative to where the script ran or absolute, and how many ran; None where there is no
    such runner's last word."""
    found, ran, failed, by = dict[Diagnostic, None](), 0, 0, ""
    for folder, said in _packages(text):
        told = [_told(said)]
        with suppress(Malformed):  # TAP that cannot be read may be anything
            told += filter(None, [npm_runners.printed(said)])
        for number, (failing, tests) in enumerate(told):
            found |= {one._replace(file=one.file and posixpath.join(folder, one.file)): None for one in failing}
            if tests and tests.run:
                ran, failed, by = ran + tests.run, failed + tests.failed, by if number else "printed"
    return Reading(tuple(found), Tests(ran, failed, by)) if ran else None


def _packages(text: str) -> list[tuple[str, str]]:
    """The folder of each package, where it is known, and its lines, without what stands before them."""
    prefixes = re.findall(_PREFIXES, text)
    before = re.compile(rf"({'|'.join(re.escape(one or other) for one, other in prefixes) or r'(?!)'}): ?")
    said, folders, current = dict[str, list[str]](), dict[str, str](re.findall(_FOLDERS, text)), ""
    folders |= {one: one.partition(" ")[0] for one, _ in prefixes if one}
    for line in text.split("\n"):
        own = before.match(line)
        words = line[own.end() :] if own else line
        begun = re.match(_BEGUN, words)
        current = begun["name"] if begun and not own else current
        package = own[1] if own else current
        if begun:
            folders.setdefault(package, begun["folder"] or folders.get(begun["name"], ""))
        said.setdefault(package, []).append(words)
    return [(folders.get(package, ""), "\n".join(lines)) for package, lines in said.items()]


def _told(said: str) -> Reading:
    found = dict.fromkeys(one for at, rest in pieces(_FAIL, said) for one in _failures(at, re.split(_END, rest)[0]))
    passed, failed = _count(said, "pass", _PASSED_BY_UVU), _count(said, "fail")
    failed = max(failed, len(found)) if passed else failed
    return Reading(tuple(found), Tests(passed + failed, failed))


def _count(said: str, word: str, more: str = "") -> int:
    """How many tests ended so; the same line is the same run, told once more."""
    lines = {one[0]: int(one[one.lastindex or 0]) for one in re.finditer(_COUNT % (word, word) + more, said)}
    return sum(lines.values())


def _failures(at: re.Match[str], said: str) -> list[Diagnostic]:
    blocks = pieces(_BULLET, said) or [(at, said)]
    return [_failure(at, one.groupdict(), text) for one, text in blocks]


def _failure(at: re.Match[str], block: dict[str, str | None], said: str) -> Diagnostic:
    titles = at["titles"].split("\n") if at["titles"] else ()
    named = block.get("name") or at["test"] or " > ".join(map(str.strip, titles))
    named = named or " ".join(filter(None, at.group("suite", "title")))
    whole = not named or named == "Test suite failed to run"
    frames = re.findall(_FRAME, said) or [("", 0)]
    ran = [path for path, _ in frames if at["of_node"] and path.endswith(f"/{at['of_node']}")]  # which is whole
    own = (*ran, at["of_node"])[0], at["line"]
    place = (at["file"], runners.line_in(at["file"], [said])) if at["file"] else own
    message = one_line(re.split(r"(?m)^\s*(?:\u276f |at )", runners.details(said))[0]) or "failed"
    return finding(place if place[0] else frames[-1], "collection" if whole else named, "test", message, hides=whole)
