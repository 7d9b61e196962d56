"""mypy: its text output, with the summary line as the evidence that it looked at something.

Learned from 1.8, 1.18 and 2.4: a configuration file that it cannot read is one line on stderr, then "Success" and
exit code 0. A single option that it does not know is a line there too, but the rest of the file holds.
"""

import re

from untilgreen.checkers.answer import Malformed, finding, line_of, refusal
from untilgreen.checkers.checker import Checker, Files, variant_where, where_configured
from untilgreen.core.model.outcome import Clean, Diagnostic, Found, Outcome, Output, Setting
from untilgreen.project.tree.layout import PYTHON, Layout

# in the order in which mypy looks: the first file that counts is the one that it reads
_OWN = ("mypy.ini", ".mypy.ini")
_SHARED = {"pyproject.toml": r"tool\.mypy(\.|$)", "setup.cfg": r"mypy$"}
# where its own configuration says what to look at
_SAID = "-"
_names_files = variant_where(_OWN, _SHARED, ("mypy", "tool.mypy"), r"(?mi)^(?:files|packages|modules)\s*[=:]", _SAID)
# whatever the project's configuration says about the form of the output is taken back
_FORM = (
    "--no-pretty",
    "--no-color-output",
    "--show-error-codes",
    "--hide-error-context",
    "--show-column-numbers",
    "--hide-error-end",
    "--hide-absolute-path",
    "--hide-error-code-links",
    "--error-summary",
    "--soft-error-limit=-1",
)
_SUMMARY = (
    r"(?m)^(?:Success: no issues found in (?P<clean>\d{1,9}) source files?"
    r"|Found (?P<errors>\d{1,9}) errors? in \d+ files? "
    r"\((?:checked (?P<checked>\d{1,9}) source files?|(?P<stopped>errors prevented further checking))\))\s*$"
)
_LINE = re.compile(
    r"(?P<file>.+?):(?:(?P<line>\d{1,9}):(?:(?P<column>\d{1,9}):)?)? (?P<kind>error|warning|note): "
    r"(?P<message>.*?)(?:  \[(?P<code>[\w-]+)\])?"
)
# "FILE: [section]: …" is about one option; a file with sections for single modules only is fine
_UNREAD = (
    r"(?m)^(?P<file>[^:\n]*(?:mypy\.ini|pyproject\.toml|setup\.cfg|mypy[/\\]config)):"
    r" (?!\[|No \[mypy\] section|note: |error: )(?P<why>.*)"
)
_COMPLAINT = r"(?m)^(?:mypy: |There are no |\w*Error: ).+"


def argv(setting: Setting) -> tuple[str, ...]:
    interpreter = (f"--python-executable={setting.interpreter}",) if setting.interpreter else ()
    named = setting.variant == _SAID or any(not word.startswith("-") for word in setting.call)
    where = () if named else setting.variant.split("\n") if setting.variant else (".",)
    return (setting.tool, *_FORM, *interpreter, *setting.call, *where)


def variant(layout: Layout, root: str) -> str:
    """`_SAID` where its own configuration says what to look at, else a line for each folder or file to name; "" for
    all of the root."""
    where = layout.scope(root, PYTHON)
    return _names_files(layout, root) or ("" if where == ["."] else "\n".join(where))


def parse(output: Output, _setting: Setting) -> Outcome:
    crash = re.search(r"^.*INTERNAL ERROR", output.stderr + "\n" + output.stdout, re.MULTILINE)
    if crash:
        raise Malformed(f"mypy crashed: {crash[0]}")
    unread = re.search(_UNREAD, output.stderr)
    if unread:
        raise Malformed(f"mypy did not read {unread['file']}: {unread['why']}")
    summaries = list(re.finditer(_SUMMARY, output.stdout))
    if not summaries or re.search(r"(?m)^mypy: error: ", output.stderr):
        raise refusal(output, _COMPLAINT)
    summary = summaries[-1]
    if int(summary["clean"] or summary["checked"] or 1) == 0:
        raise Malformed("0 source files: nothing was looked at")
    if summary["clean"]:
        return Clean()  # mypy's own word: notes alone, as of a bare reveal_type, do not fail it
    # what prevents any checking, a plugin that cannot be loaded for one, is said on stderr
    text = output.stdout + "\n" + output.stderr if summary["stopped"] else output.stdout
    matches = [match for match in map(_LINE.fullmatch, map(str.rstrip, text.split("\n"))) if match]
    # mypy itself counts lines with ": error:" in them
    read = sum(": error:" in match[0] for match in matches)
    if not matches or read < int(summary["errors"]):
        raise Malformed(f"{summary['errors']} errors announced, {read} read")
    return Found(tuple(_diagnostic(match, bool(summary["stopped"])) for match in matches))


def _diagnostic(match: re.Match[str], stopped: bool) -> Diagnostic:
    code, kind = match["code"] or "", match["kind"]
    severity = "info" if kind == "note" else kind
    line, column, hides = line_of(match["line"]), line_of(match["column"]), stopped and kind == "error"
    return finding((match["file"], line, column), code or kind, severity, match["message"], hides=hides)


CHECKER = Checker(
    name="mypy",
    argv=argv,
    parse=parse,
    roots=where_configured(_OWN, _SHARED, PYTHON),
    package="pypi:mypy",
    serves=("type_check",),
    files=Files(edit="types", patterns=PYTHON),
    variant=variant,
    python=True,
    unresolved=("import-not-found", "import-untyped", "import"),
    leaves_out=(
        "--pretty --no-pretty --color-output --no-color-output --show-column-numbers --hide-column-numbers "
        "--show-error-context --show-error-end --show-absolute-path --no-error-summary --hide-error-codes "
        "--show-error-codes --install-types --non-interactive --verbose -v --stats --no-incremental --incremental "
        "--sqlite-cache --cache-dir= --junit-xml= --junit-format= --output= -O= --python-executable= --html-report= "
        "--txt-report= --xml-report= --cobertura-xml-report= --linecount-report= --any-exprs-report= "
        "--lineprecision-report="
    ),
)
