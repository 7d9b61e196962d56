"""flake8, pylint and bandit. Learned from:

- flake8 5.0.4, 6.1.0 and 7.5.0: its benchmark tells the number of files. A folder without files is exit code 0. A
  configuration that it cannot read is a traceback and exit code 1. It walks into virtual environments.
- pylint 2.17.7, 3.3.9 and 4.1.4: a configuration that it cannot parse is a line in front of the findings that it makes
  without it; a wrong value in one is exit code 32. Lower ones are its own, by `fail-under` and `fail-on` too. It walks
  into virtual environments, so it is told its files where the project does not name them.
- bandit 1.7.10, 1.8.6 and 1.9.4: it tells the files that it measured. One that it cannot parse is an entry of `errors`,
  and exit code 0. A root without files is exit code 0. Of two files of the same name `.bandit`, an INI one is found
  without being named and its `exclude` is replaced by `--exclude`; one in YAML must be named with `-c`, and a section
  in `pyproject.toml` too. An INI file that it cannot read is a warning on stderr. It excludes no virtual environments.
"""

import re

from untilgreen.checkers.answer import Malformed, findings, from_one, matched, refusal
from untilgreen.checkers.checker import Checker, Files, left_out, where_configured
from untilgreen.checkers.documents import number, table, tables, text, within
from untilgreen.checkers.python.ruff import severity
from untilgreen.checkers.records import Records
from untilgreen.core.model.outcome import Outcome, Output, Setting
from untilgreen.core.record import Any
from untilgreen.project.tree.layout import Layout

_FLAKE8_FORM = ("--benchmark", "--format=default")
_FLAKE8_LINE = r"(?m)^(?P<file>.+?):(?P<line>\d{1,9}):(?P<column>\d{1,9}): (?P<rule>[A-Z]+\d*) (?P<message>.+)$"


def _flake8(output: Output, setting: Setting) -> Outcome:
    looked_at = re.search(r"(?m)^(\d{1,9}) +total files processed$", output.stdout)
    if looked_at is None:
        raise refusal(output, r"(?m)^[\w.]*(?:Error|Exception): .+|^\S+: error: .+")
    found = (matched(one, severity(one["rule"])) for one in re.finditer(_FLAKE8_LINE, output.stdout))
    return findings(found, files=int(looked_at[1]) or len(setting.files))


FLAKE8 = Checker(
    name="flake8",
    argv=lambda setting: (
        *(setting.tool, *_FLAKE8_FORM),
        "--extend-exclude=.venv,venv,env,node_modules" + "".join(f",./{one}" for one in setting.ignored),
        *setting.call,
        *(("--", *setting.files) if setting.files else ()),
    ),
    parse=_flake8,
    roots=where_configured((".flake8",), {"setup.cfg": r"flake8$", "tox.ini": r"flake8$"}, (".py", ".pyi")),
    package="pypi:flake8",
    serves=("lint_clean",),
    files=Files(edit="lint", patterns=(".py", ".pyi"), by_file=True, walks=True),
    leaves_out=left_out("flake8"),
    fails_by_all=True,
    hiding=("E999", "E902"),
)

_PYLINT_SHARED = {"pyproject.toml": r"tool\.pylint(\.|$)", "setup.cfg": r"pylint", "tox.ini": r"pylint"}
_PYLINT_UNREAD = r"error while parsing the configuration.*"


def _pylint_column(record: Any) -> Any:
    column = within(record, "column")
    # the parser's own counts from 1
    return column if within(record, "symbol") == "syntax-error" else from_one(column)


PYLINT = Checker(
    name="pylint",
    argv=lambda setting: (setting.tool, "--output-format=json", *(setting.call or ("--", *setting.named))),
    parse=Records(
        answer=rf"\A(?:(?!\[|.*{_PYLINT_UNREAD}).*\n)*(\[(?s:.*))",
        codes=range(32),
        complaint=rf"{_PYLINT_UNREAD}|(?m:^.*[Ee]rror: .+)",
        file="path",
        line="line?",
        column=_pylint_column,
        rule="symbol",
        severity=lambda record: {"convention": "info", "refactor": "info"}.get(text(record, "type"), record["type"]),
        message="message",
        hides=lambda record, found: found.rule == "syntax-error" or record["type"] == "fatal",
    ).parse,
    roots=where_configured((".pylintrc", "pylintrc", ".pylintrc.toml", "pylintrc.toml"), _PYLINT_SHARED, (".py",)),
    package="pypi:pylint",
    serves=("lint_clean",),
    files=Files(patterns=(".py",), listed=True),
    python=True,
    leaves_out=left_out("pylint"),
    fails_by_all=True,
    unresolved=("import-error",),
)

_BANDIT_SHARED = {"pyproject.toml": r"tool\.bandit(\.|$)"}
# its own defaults, and what is nobody's own code; compared with parts of a path, hence the slashes
_EXCLUDED = ".svn,CVS,.bzr,.hg,.git,__pycache__,.tox,.eggs,*.egg,/.venv/,/venv/,/.nox/,/node_modules/,/site-packages/"
# its options that take the word behind them
_VALUED = (
    *("-c", "--configfile", "-x", "--exclude", "-p", "--profile", "-t", "--tests", "-s", "--skip", "-b", "--baseline"),
    *("--ini", "--severity-level", "--confidence-level"),
)


def _bandit_argv(setting: Setting) -> tuple[str, ...]:
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


def _bandit_variant(layout: Layout, root: str) -> str:
    """Words of: "ini" or "yaml" (what `.bandit` is), "toml"; "exclude", "targets" where the INI file says them."""
    own = layout.sections(".bandit" if root == "." else f"{root}/.bandit")
    toml = ["toml"] if layout.configuration(root, (), _BANDIT_SHARED) else []
    if own is None:
        return " ".join(toml)
    if "bandit" not in own:
        return "yaml"
    keys = [key for key in ("exclude", "targets") if re.search(rf"(?m)^{key}\s*[=:]\s*\S", own["bandit"])]
    return " ".join(("ini", *toml, *keys))


def _bandit_rule(record: Any) -> str:
    if "reason" not in record:
        return text(record, "test_id")
    return "syntax" if text(record, "reason").startswith("syntax error") else "unread"


def _bandit_column(record: Any) -> int:
    # it is that of the whole statement, where the line may be one of its arguments
    here = within(record, "line_range", 0) == within(record, "line_number")
    return from_one(within(record, "col_offset")) if here else 0


# a record with a reason is of a file that was not checked: how many findings it has is not known
_BANDIT = Records(
    answer=r"(?s)\A(\s*\S.*)",
    complaint=r"(?m)ERROR\t.+|^\w*Error: .+|^bandit: error: .+",
    entries=lambda answer: [*tables(answer, "errors"), *tables(answer, "results")],
    files=lambda answer: len(table(answer, "metrics").keys() - {"_totals"}),
    file="filename",
    line=lambda record: 0 if "reason" in record else number(record, "line_number"),
    column=_bandit_column,
    rule=_bandit_rule,
    severity=lambda record: "error" if "reason" in record else "security",
    message=lambda record: text(record, "reason" if "reason" in record else "issue_text") or "not checked",
    hides=lambda record, _found: "reason" in record,
)


def _bandit(output: Output, setting: Setting) -> Outcome:
    unread = re.search(r"Unable to parse config file .+", output.stderr)
    if unread and "ini" in setting.variant.split():
        raise Malformed(f"bandit did not read its configuration: {unread[0]}")
    return _BANDIT.parse(output, setting)


BANDIT = Checker(
    name="bandit",
    argv=_bandit_argv,
    parse=_bandit,
    roots=where_configured((".bandit",), _BANDIT_SHARED, (".py",)),  # elsewhere ruff's S rules say the same
    package="pypi:bandit",
    serves=("zero_security",),
    files=Files(edit="security", patterns=(".py",), by_file=True),
    variant=_bandit_variant,
    leaves_out=left_out("bandit"),
)
