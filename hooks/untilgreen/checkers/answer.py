"""What a tool answered, read field by field; whatever is not as it should be raises Malformed: nothing is guessed."""

import os
import re
from collections.abc import Iterable
from functools import lru_cache

from untilgreen.core.model.outcome import Clean, Diagnostic, Found, Outcome, Output, Tests
from untilgreen.core.record import Any, NamedTuple

_WIDTH = 300  # characters of a line of a command that goes by its exit code
MESSAGE = 500  # characters of one diagnostic's message
_LINES, _CHARACTERS = 20, 2_000  # of a tail
_LOUDEST = 5  # complaints that are shown from before the tail
_BEFORE, _WIDEST = 2_000, 500  # among so many lines, each as far as so many characters
# plain texts: most answers have no end to be shown, and nothing is compiled for them
_PROGRESS = r"\W{0,20}\d+(?:\.\d+)? ?(?:(?:/|of) ?\d+\W|%)"  # `[3/60] Compiling`
_LOUD = r"(?i)\b(?:\w*error|fatal|fail(?:ed|ure|s)?|\w*exception|panic\w*|cannot|not ok|undefined|not found|missing)\b"
# of who called what failed, and what is in a report for machines
_AFTERMATH = r"npm (?:error|ERR!)|\W*ELIFECYCLE|g?make(?:\[\d+\])?: |error Command failed|\s*[\"<{]"
_LARGEST = 10**9  # a line number beyond it is none
_SEVERITIES = {
    "error": ("error", "fatal", "fatal error", "critical", "blocker", "major", "high", "err", "e", "f"),
    "warning": ("warning", "warn", "medium", "minor", "w"),
    "info": ("info", "information", "note", "hint", "notice", "style", "suggestion", "low", "none", "i"),
    "security": ("security",),
}
# what is told of what passed: TAP, unittest, pytest, automake, ctest, googletest, trial; and frames within Node itself
_BEGINNING = r"(?m)^> .+\n> .+\n(?=\n|\Z)"
_WELL = (
    r"\s*(?:ok\b|[✓✔√] |PASS(?:ED)?\b(?!.*FAIL)|\[ +OK \]|\[ +PASSED +\])|.*\.\.\.? ?(?:ok|\[OK\])$|\S+ PASSED\b.*"
    r"|.* Passed +\d[\d.]* sec$|\s+at .*\bnode:internal/"
)
# escape sequences of colours and links, and whatever else is no text
_CONTROLS = r"\x1b(?:\][^\x07\x1b\n]*(?:\x07|\x1b\\)|\[[0-?]*[ -/]*[@-~]|[ -/]*[0-~]|)|[\x00-\x08\x0b-\x1f\x7f]"
_READ, _LONGEST = 200_000, 4_000  # characters of an output, and of a line of it, that are looked at for its end
_UNPARSED = r"(?i)(?:parsing|parse|syntax)[ -]?error\b|invalid[ -]syntax\b|SyntaxError\b"
_BY_WORD = {word: severity for severity, words in _SEVERITIES.items() for word in words}


class Malformed(Exception):
    """The output was not understood, or says that the tool did not do its work; the message says what."""


class Lacking(Malformed):
    """What the tool itself needs is not installed. `what`: its name; `asked`: the word by which a call asks for it."""

    def __init__(self, what: str, asked: str, cure: str) -> None:
        super().__init__(f"{what} is not installed. Fix: {cure}")
        self.what, self.asked = what, asked


class Reading(NamedTuple):
    """What a text says. `check` of the diagnostics is "" until somebody names the check, `file` is as the tool
    printed it ("" for none); `tests` is None where the text is not one about tests."""

    diagnostics: tuple[Diagnostic, ...]
    tests: Tests | None = None


def refusal(output: Output, complaint: str) -> Malformed:
    """The exit code, with the first line of the tool's own words that matches `complaint`."""
    words = re.search(complaint, output.stderr) or re.search(complaint, output.stdout)
    return Malformed(f"exit code {output.code}" + (f": {words[0].strip()}" if words else ""))


def finding(
    at: tuple[Any, ...], rule: str, severity: str, message: str, *, hides: bool = False, cure: str = ""
) -> Diagnostic:
    """One diagnostic. `at`: file, line and column as far as they are known, numbers as `line_of` takes them. The rule
    and the message each become one bounded line, the rule is never empty; there is no column without a line.

    A file that could not be parsed is recognised by its rule or message, and hides what else is in it.
    """
    rule, message = first_line(rule) or severity, first_line(message)
    hides = hides or (severity == "error" and (_is_unparsed(rule) or _is_unparsed(message)))
    file, line, column = (*at, 0, 0)[:3]
    line = line_of(line)
    column = line_of(column) if line else 0
    return Diagnostic("", file or "", line, rule, severity, message or rule, hides=hides, column=column, cure=cure)


@lru_cache(maxsize=4096)
def _is_unparsed(text: str) -> bool:
    return re.match(_UNPARSED, text) is not None


def matched(match: re.Match[str], severity: str = "error", rule: str = "", *, hides: bool = False) -> Diagnostic:
    """The finding in a match's groups, as far as there are any: `file`, `line`, `column`, `rule`, `message` and
    `severity`, a word of the tool's. Without a message the text that was searched is it."""
    said = {name: value for name, value in match.groupdict().items() if value}
    at = (said.get("file"), said.get("line"), said.get("column"))
    severity = severity_of(said["severity"]) if "severity" in said else severity
    return finding(at, said.get("rule", rule), severity, said.get("message", match.string), hides=hides)


def findings(found: Iterable[Diagnostic], announced: int = 0, *, files: int = 1) -> Outcome:
    """What a tool found, or that all is well. Raises Malformed where it announces more than was read, and where there
    is nothing and it looked at no file."""
    read = tuple(found)
    if len(read) < announced:
        raise Malformed(f"{announced} findings announced, {len(read)} read")
    if not read and not files:
        raise Malformed("0 files: nothing was looked at")
    return Found(read) if read else Clean()


def severity_of(word: str) -> str:
    """The severity that a tool's own word means, in any letter case. A word that nobody knows is an error: what is
    not understood must not look harmless."""
    return _BY_WORD.get(word.strip().lower(), "error")


def line_of(value: Any) -> int:
    """A number of a line, or of a column, out of a number or digits; 0 where there is none."""
    if isinstance(value, str) and re.fullmatch(r"\s*[0-9]{1,9}\s*", value):
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= _LARGEST else 0


def from_one(value: Any) -> int:
    """The column, counted from 1, of a tool that counts from 0; 0 where it does not say it."""
    return line_of(value + 1) if isinstance(value, int) and not isinstance(value, bool) else 0


def tested(failing: Iterable[Diagnostic], run: int, skipped: int) -> Reading:
    """The reading of a test report. Where nothing ran there is no evidence."""
    diagnostics = tuple(failing)
    if not run and not diagnostics:
        raise Malformed(f"no test ran: {skipped} skipped" if skipped else "no test ran")
    return Reading(diagnostics, Tests(max(run, len(diagnostics)), len(diagnostics)))


def pieces(pattern: str | re.Pattern[str], text: str) -> list[tuple[re.Match[str], str]]:
    """Each place where the pattern is found, with the text behind it up to the next one."""
    places = list(re.finditer(pattern, text))
    ends = [*(one.start() for one in places[1:]), len(text)]
    return [(one, text[one.end() : end]) for one, end in zip(places, ends, strict=False)]


@lru_cache(maxsize=4096)
def relative(path: str, root: str) -> str:
    """`path` as a posix path below `root`, where it is there. Tools print their working directory without symbolic
    links: both forms of `root` are tried."""
    if os.path.isabs(path):
        for base in (root, os.path.realpath(root)):
            if path.startswith(base.rstrip(os.sep) + os.sep):
                path = path[len(base.rstrip(os.sep)) + 1 :]
                break
    return path.replace(os.sep, "/").removeprefix("./")


def first_line(text: str, limit: int = MESSAGE) -> str:
    """The first line that is not blank, of at most `limit` characters."""
    if "\n" not in text:
        return text.strip()[:limit]
    return next((line.strip()[:limit] for line in text.split("\n") if line.strip()), "")


def one_line(text: str) -> str:
    """The lines of a message down to the stack trace or the code frame, as one: `expected 3; received -1`."""
    lines: list[str] = []
    for line in map(str.strip, text[: 10 * MESSAGE].split("\n")):
        if lines and re.match(r"at \S|>? ?\d+ \|", line):
            break
        lines += [line] if line else []
    return "; ".join(lines)[:MESSAGE]


def failed(output: Output, severity: str, silent: str = "it printed nothing") -> Diagnostic:
    """The finding of a command that goes by its exit code: its last lines, but for those that say that all is well."""
    lines = (line[:_WIDTH] for line in last_lines(unwell(output)))
    return Diagnostic("", "", 0, f"exit-{output.code}", severity, "\n".join(lines) or silent)


def tail(output: Output) -> str:
    """The last lines, at most 2,000 characters of them."""
    return "\n".join(last_lines(output))[-_CHARACTERS:]


def last_lines(output: Output) -> list[str]:
    """The last 20 lines of stderr and stdout together, blank ones and progress left out, neither drowning the other;
    where none of them is a complaint, and some before them are, the first of these in place of as many."""
    errors, out = map(_quiet, (output.stderr, output.stdout))
    last = _last(errors, out, _LINES)
    loud = [] if any(map(_is_loud, last)) else [line for line in (errors + out)[-_BEFORE:] if _is_loud(line)][:_LOUDEST]
    return loud + _last(errors, out, _LINES - len(loud)) if loud else last


def _last(errors: list[str], out: list[str], most: int) -> list[str]:
    errors = errors[-max(most // 2, most - len(out)) :]
    return errors + (out[len(errors) - most :] if len(errors) < most else [])


def _quiet(text: str) -> list[str]:
    """The lines that are not blank; of progress, in a row, the last."""
    said = [line.rstrip() for line in text.split("\n") if line.strip()]
    progress = [re.match(_PROGRESS, line) for line in said]
    return [line for line, one, more in zip(said, progress, (*progress[1:], None), strict=False) if not (one and more)]


def _is_loud(line: str) -> bool:
    words = line.lstrip()[:_WIDEST]
    return re.search(_LOUD, words) is not None and not re.match(_AFTERMATH, line)


def plain(output: Output) -> Output:
    """The end of it without control characters, lines as a terminal shows them, cut where nobody reads on."""
    lines = [text[-_READ:].split("\n") for text in output[1:3]]
    shown = ("\n".join(line.rstrip("\r").rpartition("\r")[2][:_LONGEST] for line in some) for some in lines)
    stdout, stderr = (re.sub(_CONTROLS, "", text) for text in shown)
    return output._replace(stdout=stdout, stderr=stderr)


def unwell(output: Output) -> Output:
    """The same without the lines that say that something is well, or which script of npm begins."""
    lines = [re.sub(_BEGINNING, "", text).split("\n") for text in plain(output)[1:3]]
    said = ["\n".join(line for line in some if not re.match(_WELL, line)) for some in lines]
    return output._replace(stdout=said[0], stderr=said[1])
