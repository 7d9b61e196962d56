"""Linters and type checkers that nothing else here reads, as the project calls them: `pycodestyle src`, `codespell`.

The exit code decides; lines that name a file and a line are its findings, else the last lines are one. Learned from
pycodestyle 2.9, 2.11 and 2.15, codespell 2.4, vulture 2.16, pyrefly 1.3 and cargo fmt 1.9. A call is the whole
command line.
"""

import posixpath
import re
from collections.abc import Sequence

from untilgreen.checkers.answer import Malformed, failed, finding, last_lines, line_of, refusal
from untilgreen.checkers.checker import Checker
from untilgreen.core.model.outcome import Clean, Diagnostic, Found, Outcome, Output, Setting

NAME = "linter"
# the programs, and the words of which one must follow where they do other things too
_PROGRAMS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("pycodestyle", "pydocstyle", "pyflakes", "pylama", "prospector", "doc8", "rstcheck"), ()),
    **dict.fromkeys(("codespell", "typos", "vulture", "interrogate", "refurb", "slotscheck", "darglint"), ()),
    **dict.fromkeys(("lint-imports", "deptry", "pytype", "zizmor", "staticcheck", "revive", "rubocop"), ()),
    **dict.fromkeys(("pyrefly", "pyre", "usort", "ufmt"), ("check",)),
    **dict.fromkeys(("reuse", "fixit", "buf"), ("lint",)),
    **dict.fromkeys(
        ("docformatter", "autoflake", "pyproject-fmt", "toml-sort"), ("--check", "-c", "--check-diff", "-cd")
    ),
    "yapf": ("--diff", "-d"),
    "autopep8": ("--exit-code",),
    "djlint": ("--check", "--lint"),
    "taplo": ("check", "lint", "--check"),
    "shfmt": ("-d", "--diff"),
    "cargo fmt": ("--check",),
    "terraform fmt": ("-check", "--check"),
}
_TYPES = ("pyrefly", "pyre", "pytype")
_WRITING = {"-w", "--write-changes", "--write", "--in-place", "--inplace", "--fix", "--autofix", "-A", "--autocorrect"}
_ASKING = {"--version", "--help", "-h"}
_NOT_RUN = (126, 127)  # what a shell answers for a command that it could not run
_LINE = (
    r"(?m)^(?P<file>[^\s:][^:\n]*\.\w+):(?P<line>\d{1,9}):(?:(?P<column>\d{1,9}):?)? *"
    r"(?:(?P<rule>[A-Z]{1,4}\d{2,4}):? )?(?P<message>\S.*)$"
)
# what says that the tool did not do its work
_COMPLAINT = r"(?m)^(?:\S+: )?error: (?:no such|unrecognized|.+ is not installed).+|^\w*(?:Error|Exception): .+"
_UNWELL = r"(?mi)^usage: |^Traceback \(most recent call last\):$|^error: .+ is not installed "


def own(words: Sequence[str]) -> tuple[str, ...] | None:
    """The words of a project's call as those of this checker; None where they are no linter's that it knows of."""
    wanted = _PROGRAMS.get(words[0], _PROGRAMS.get(" ".join(words[:2])))
    if wanted is None or set(words) & (_WRITING | _ASKING):
        return None
    return (NAME, *words) if not wanted or set(wanted) & set(words[1:]) else None


def argv(setting: Setting) -> tuple[str, ...]:
    return (setting.tool, *setting.call[1:])


def parse(output: Output, _setting: Setting) -> Outcome:
    if not output.code:
        return Clean()
    if output.code in _NOT_RUN:
        raise Malformed(": ".join((f"exit code {output.code}", *last_lines(output)[-1:])))
    if re.search(_UNWELL, output.stderr):
        raise refusal(output, _COMPLAINT)
    found = tuple(_diagnostic(one) for one in re.finditer(_LINE, output.stdout))
    return Found(found or (failed(output, "error"),))


def _diagnostic(one: re.Match[str]) -> Diagnostic:
    file, column = posixpath.normpath(one["file"]), line_of(one["column"])
    return finding(file, line_of(one["line"]), one["rule"] or "", "error", one["message"], column=column)


def title(call: Sequence[str]) -> str:
    """What a check is called: `pycodestyle`, `cargo-fmt`."""
    return call[0] if call[0] in _PROGRAMS else "-".join(call[:2])


def serves_by(call: Sequence[str]) -> tuple[str, ...]:
    return ("type_check",) if call[0] in _TYPES else ("lint_clean",)


CHECKER = Checker(
    name=NAME,
    argv=argv,
    parse=parse,
    roots=lambda _layout, _criteria: (),
    serves=("lint_clean", "type_check"),
    serves_by=serves_by,
    leaves_out="",
    title=title,
    fails_by_all=True,
    one_finding=True,
)
