"""ruff: `ruff check` as JSON.

It runs nothing of the project's code, so it may look at a project that nobody trusted, and it reads that
project's configuration there too: what counts as clean is the project's business. `--force-exclude` is not given:
it matters for files named on the command line, and would make a check root inside an excluded folder an empty one.

`--extend-select=S` beats `ignore` in the project's configuration (ruff lets its command line win), so asking for
zero security findings brings back S rules ignored there; `noqa` and per-file-ignores hold.
"""

import re
from functools import lru_cache

from untilgreen.checkers.answer import Malformed, finding, line_of, refusal
from untilgreen.checkers.checker import Checker, Files, Ours, left_out, where_configured
from untilgreen.checkers.documents import items, json_answer, number, text, within
from untilgreen.core.model.outcome import Clean, Diagnostic, Found, Outcome, Output, Setting
from untilgreen.core.record import Any
from untilgreen.project.tree.layout import ASIDE, PYTHON, python_roots

# plain asserts are what tests are made of
_TESTS = ("test_*.py", "*_test.py", "test.py", "tests.py", "conftest.py", "**/test/**", "**/tests/**")
_ASSERTS = ",".join(f"{files}:S101" for files in _TESTS)
# ruff knows no code for a file that it could not parse: "invalid-syntax" now, none in 0.9, E999 in 0.4;
# E902 is a file that it could not read, "panic" one that it crashed on
_HIDING = ("invalid-syntax", "E999", "E902", "io-error", "panic")
_CRASHED = ("panicked", "Panicked")
_COMPLAINT = r"(?m)Cause: .+|^error: .+|^.*[Pp]anicked .*"


# what does not run at all: all that ruff looks for where nobody chose it
_CANNOT_RUN = "E9,F7,F821,F822,F823"
_ISOLATED = "isolated"
_CURE = "ruff check --fix"
# how the options begin that choose rules: the cure alone does not know of those
_CHOOSING = ("--select", "--extend-select", "--config", "--isolated", "--preview", "--target-version")
# nor at what is not the project's own code; and a setup.py may read its names from other files
_ASIDE = (f"--extend-exclude={','.join(ASIDE)}", "--per-file-ignores=setup.py:F821")
# "fix" and "fix-only" may be set in the project's configuration; a check never edits
_FORM = ("--no-fix", "--no-fix-only", "--no-cache", "--output-format=json")


def argv(setting: Setting) -> tuple[str, ...]:
    if setting.variant == _ISOLATED:
        selected = f"--select={_CANNOT_RUN}{',S' if setting.security else ''}"
        aside = (*_ASIDE, f"--extend-per-file-ignores={_ASSERTS}") if setting.security else _ASIDE
        return (setting.tool, "check", *_FORM, "--isolated", selected, *aside, *_what(setting))
    security = ("--extend-select=S", f"--extend-per-file-ignores={_ASSERTS}") if setting.security else ()
    return (setting.tool, "check", *_FORM, *security, *_what(setting))


def _what(setting: Setting) -> tuple[str, ...]:
    if setting.stdin:
        return (*setting.call, f"--stdin-filename={setting.stdin}", "-")
    if setting.files:  # excluded files stay excluded when somebody names them
        forced = () if "--force-exclude" in setting.call else ("--force-exclude",)
        return (*setting.call, *forced, "--", *setting.files)
    return setting.call or (".",)


def parse(output: Output, setting: Setting) -> Outcome:
    # older versions said on stderr alone that they crashed on a file, and went on with the others
    if output.code not in (0, 1) or any(word in output.stderr for word in _CRASHED):
        raise refusal(output, _COMPLAINT)
    if "No Python files found" in output.stderr:
        if setting.files:  # they are there: the project's own configuration leaves them out
            return Clean()
        raise Malformed("no Python files found: nothing was looked at")
    entries = items(json_answer(output.stdout))
    return Found(tuple(_diagnostic(entry, setting) for entry in entries)) if entries else Clean()


@lru_cache(maxsize=1024)
def severity(code: str) -> str:
    """pycodestyle's E and pyflakes' F (a letter and digits: not ERA, EM, FBT, FURB …) are errors, S security."""
    if re.fullmatch(r"S\d+", code):
        return "security"
    if re.fullmatch(r"[EF]\d+", code) or not re.match(r"[A-Z]", code):
        return "error"
    return "warning"


def _diagnostic(entry: Any, setting: Setting) -> Diagnostic:
    code, message = text(entry, "code", missing=""), text(entry, "message")
    line, cell = number(entry, "location", "row", missing=0), within(entry, "cell")
    if cell is not None:  # a row of a notebook's cell is no line of its file
        line, message = 0, f"cell {cell}: {message}"
    column, rule = line_of(within(entry, "location", "column")), code or "invalid-syntax"
    chosen = setting.variant == _ISOLATED or any(word.startswith(_CHOOSING) for word in setting.call)
    cure = _CURE if within(entry, "fix", "applicability") == "safe" and not chosen else ""
    return finding((text(entry, "filename"), line, column), rule, severity(code), message, cure=cure)


CHECKER = Checker(
    name="ruff",
    argv=argv,
    parse=parse,
    roots=lambda layout, _criteria: python_roots(layout),
    package="pypi:ruff",
    serves=("lint_clean", "zero_security"),
    files=Files(edit="lint", patterns=(".py", ".pyi", ".ipynb"), by_file=True, by_stdin=True),
    harmless=True,
    hiding=_HIDING,
    chosen_by=where_configured(("ruff.toml", ".ruff.toml"), {"pyproject.toml": r"tool\.ruff(\.|$)"}, PYTHON),
    ours=Ours(unchosen=_ISOLATED),
    subcommand=("check",),
    leaves_out=left_out("ruff"),
    fails_by_all=True,
)
