"""eslint: its JSON, which has an entry for every file that it looked at.

Learned from 8.57, 9.39 and 10.15: a folder where everything is ignored ends with exit code 2 and words; a file that is
named but ignored is an entry with one warning. Flat configuration says itself which files it is for, while with
an eslintrc 8 looks at .js alone unless told `--ext`.
"""

import json
import re
from typing import Any, NamedTuple

from untilgreen.checkers.checker import Checker, Malformed, first_line, refusal, relative
from untilgreen.checkers.javascript import JAVASCRIPT, TYPESCRIPT, covering, has_key, path_in
from untilgreen.core.model import Clean, Criteria, Diagnostic, Found, Outcome, Output, Setting
from untilgreen.layout import Layout

_FLAT = tuple(f"eslint.config.{suffix}" for suffix in ("js", "mjs", "cjs", "ts", "mts", "cts"))
_RC = tuple(f".eslintrc{suffix}" for suffix in ("", ".js", ".cjs", ".json", ".yml", ".yaml"))
_SUFFIXES = (*JAVASCRIPT, *TYPESCRIPT, ".vue", ".svelte", ".astro")
_COMPLAINT = re.compile(
    r"^(?!Oops!|ESLint: |\(node:|\(Use |\s*at |Error:\s*$|\s*$).+",  # the first line that says something
    re.MULTILINE,
)
_UNRESOLVED = ("import/no-unresolved", "import-x/no-unresolved", "n/no-missing-import", "node/no-missing-import")


def roots(layout: Layout, _criteria: Criteria) -> list[str]:
    """Where it is configured; what is configured again further down is eslint's own business."""
    in_package = [f for f in layout.marked(("package.json",)) if has_key(layout, f, "package.json", "eslintConfig")]
    configured = sorted({*layout.marked((*_FLAT, *_RC)), *in_package})
    own = set(_FLAT)
    return covering(configured, [path for path in layout.ending(*_SUFFIXES) if path.rpartition("/")[2] not in own])


def variant(layout: Layout, root: str) -> str:
    """The suffixes that an eslintrc is for, with commas; "" with flat configuration, or for JavaScript alone."""
    if any(layout.text(path_in(root, name)) is not None for name in _FLAT):
        return ""
    texts = [layout.text(path_in(root, name)) or "" for name in _RC]
    if has_key(layout, root, "package.json", "eslintConfig"):
        texts.append(layout.text(path_in(root, "package.json")) or "")
    suffixes = [*(TYPESCRIPT if any("typescript" in text for text in texts) else ())]
    suffixes += [f".{name}" for name in ("vue", "svelte", "astro") if any(name in text for text in texts)]
    return ",".join((*JAVASCRIPT, *suffixes)) if suffixes else ""


def argv(setting: Setting) -> tuple[str, ...]:
    suffixes = ("--ext", setting.variant) if setting.variant and not setting.stdin else ()
    what = ("--stdin", "--stdin-filename", setting.stdin) if setting.stdin else setting.files or (".",)
    return (setting.tool, "--no-color", "--format", "json", *suffixes, *what)


def parse(output: Output, setting: Setting) -> Outcome:
    if output.code not in (0, 1):
        raise refusal(output, _COMPLAINT)
    # a configuration is a program, and may print; the answer is one line, and the last
    text = output.stdout.rstrip().rpartition("\n")[2]
    try:
        entries = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Malformed(f"the answer is not JSON: {error}") from error
    if not isinstance(entries, list):
        raise Malformed("the answer is not a JSON list")
    looked_at = [entry for entry in (_entry(entry, setting.root) for entry in entries) if not entry.ignored]
    if not setting.files and not setting.stdin and not any(entry.file not in _FLAT for entry in looked_at):
        raise Malformed("no file but its own configuration: nothing was looked at")
    diagnostics = [_diagnostic(entry.file, message, setting) for entry in looked_at for message in entry.messages]
    return Found(tuple(diagnostics)) if diagnostics else Clean()


class _Message(NamedTuple):
    rule: str
    text: str
    line: int
    severity: str
    fatal: bool


class _Entry(NamedTuple):
    """What is said of one file. `ignored`: that it was not looked at."""

    file: str
    messages: tuple[_Message, ...]

    @property
    def ignored(self) -> bool:
        return [(message.rule, message.text[:12]) for message in self.messages] == [("", "File ignored")]


def _entry(entry: Any, root: str) -> _Entry:
    try:
        return _Entry(relative(entry["filePath"], root), tuple(map(_message, entry["messages"])))
    except (KeyError, TypeError, AttributeError) as error:
        raise Malformed(f"an entry has another shape: {error!r}") from error


def _message(message: Any) -> _Message:
    rule, text, line = message["ruleId"] or "", message["message"], message.get("line") or 0
    if not (isinstance(rule, str) and isinstance(text, str) and isinstance(line, int)):
        raise TypeError("ruleId, message or line")
    severity = {2: "error", 1: "warning"}[message["severity"]]
    return _Message(rule, text, max(line, 0), severity, fatal=message.get("fatal") is True)


def _diagnostic(file: str, message: _Message, setting: Setting) -> Diagnostic:
    unresolved = message.rule in _UNRESOLVED and not setting.resolves
    return Diagnostic(
        check="eslint",
        file=file,
        line=message.line,
        # eslint's own words, as about a comment that disables nothing, have no rule
        rule=message.rule or ("parsing" if message.fatal else "eslint"),
        severity="warning" if unresolved else message.severity,
        message=first_line(message.text),
        hides=message.fatal,
    )


CHECKER = Checker(
    name="eslint",
    stage="static",
    seconds=120,
    argv=argv,
    parse=parse,
    roots=roots,
    serves=("lint_clean",),
    edit="lint",
    suffixes=_SUFFIXES,
    by_file=True,
    by_stdin=True,
    variant=variant,
)
