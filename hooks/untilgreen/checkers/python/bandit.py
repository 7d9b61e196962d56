"""bandit: its JSON, with the list of files that it measured as the evidence that it looked at something.

Learned from 1.7.10, 1.8.6 and 1.9.4: a file that it cannot parse is an entry of `errors`, and exit code 0. A root
without files is exit code 0. Of two files of the same name `.bandit`, an INI one is found without being named and its
`exclude` is replaced by `--exclude`; one in YAML must be named with `-c`, and a section in `pyproject.toml` too. An INI
file that it cannot read is a warning on stderr. What it excludes by default are no virtual environments.
"""

import re

from untilgreen.checkers.answer import (
    Malformed,
    finding,
    from_one,
    json_answer,
    number,
    refusal,
    table,
    tables,
    text,
    within,
)
from untilgreen.checkers.checker import Checker, Files, where_configured
from untilgreen.core.model.outcome import Clean, Diagnostic, Found, Outcome, Output, Setting
from untilgreen.core.record import Any
from untilgreen.project.tree.layout import Layout

_SUFFIXES = (".py",)
_OWN, _SHARED = (".bandit",), {"pyproject.toml": r"tool\.bandit(\.|$)"}
# its own defaults, and what is nobody's own code; compared with parts of a path, hence the slashes
_EXCLUDED = ".svn,CVS,.bzr,.hg,.git,__pycache__,.tox,.eggs,*.egg,/.venv/,/venv/,/.nox/,/node_modules/,/site-packages/"
# its options that take the word behind them
_VALUED = (
    *("-c", "--configfile", "-x", "--exclude", "-p", "--profile", "-t", "--tests", "-s", "--skip", "-b", "--baseline"),
    *("--ini", "--severity-level", "--confidence-level"),
)
_COMPLAINT = r"(?m)ERROR\t.+|^\w*Error: .+|^bandit: error: .+"


def argv(setting: Setting) -> tuple[str, ...]:
    said, call = setting.variant.split(), setting.call
    options = {word.partition("=")[0] for word in call}
    words = [setting.tool, "--format=json", "--quiet", *call]
    words += ["--ini=.bandit"] if "ini" in said and "--ini" not in options else []
    if not options & {"-c", "--configfile"}:
        words += ["-c", ".bandit"] if "yaml" in said else ["-c", "pyproject.toml"] if "toml" in said else []
    words += [] if "exclude" in said or options & {"-x", "--exclude"} else [f"--exclude={_EXCLUDED}"]
    if setting.files:
        return (*words, "--", *setting.files)
    pairs = zip(("", *call), call, strict=False)
    targets = any(not word.startswith("-") and before not in _VALUED for before, word in pairs)
    return (*words, "--recursive", *([] if targets or "targets" in said else ["."]))


def variant(layout: Layout, root: str) -> str:
    """Words of: "ini" or "yaml" (what `.bandit` is), "toml"; "exclude", "targets" where the INI file says them."""
    own = layout.sections(".bandit" if root == "." else f"{root}/.bandit")
    toml = ["toml"] if layout.configuration(root, (), _SHARED) else []
    if own is None:
        return " ".join(toml)
    if "bandit" not in own:
        return "yaml"
    keys = [key for key in ("exclude", "targets") if re.search(rf"(?m)^{key}\s*[=:]\s*\S", own["bandit"])]
    return " ".join(("ini", *toml, *keys))


def parse(output: Output, setting: Setting) -> Outcome:
    unread = re.search(r"Unable to parse config file .+", output.stderr)
    if unread and "ini" in setting.variant.split():
        raise Malformed(f"bandit did not read its configuration: {unread[0]}")
    if output.code not in (0, 1) or not output.stdout.strip():
        raise refusal(output, _COMPLAINT)
    answer = json_answer(output.stdout)
    diagnostics = (*map(_unread, tables(answer, "errors")), *map(_finding, tables(answer, "results")))
    looked_at = table(answer, "metrics").keys() - {"_totals"}
    if not diagnostics and not looked_at and not setting.files:  # of files that were named it may exclude all
        raise Malformed("0 files: nothing was looked at")
    return Found(diagnostics) if diagnostics else Clean()


def _unread(entry: Any) -> Diagnostic:
    """A file that was not checked: how many findings it has is not known."""
    reason = text(entry, "reason")
    rule = "syntax" if reason.startswith("syntax error") else "unread"
    return finding((text(entry, "filename"),), rule, "error", reason or "not checked", hides=True)


def _finding(entry: Any) -> Diagnostic:
    file, rule, line = text(entry, "filename"), text(entry, "test_id"), number(entry, "line_number")
    # it is that of the whole statement, where the line may be one of its arguments
    column = from_one(within(entry, "col_offset")) if within(entry, "line_range", 0) == line else 0
    return finding((file, line, column), rule, "security", text(entry, "issue_text"))


CHECKER = Checker(
    name="bandit",
    argv=argv,
    parse=parse,
    roots=where_configured(_OWN, _SHARED, _SUFFIXES),  # elsewhere ruff's S rules say the same
    package="pypi:bandit",
    serves=("zero_security",),
    files=Files(edit="security", patterns=_SUFFIXES, by_file=True),
    variant=variant,
    leaves_out=(
        "-r --recursive -q --quiet --silent -v --verbose -d --debug -f= --format= -o= --output= --msg-template= -n= "
        "--number= -a= --aggregate="
    ),
)
