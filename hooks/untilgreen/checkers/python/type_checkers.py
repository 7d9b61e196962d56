"""mypy, pyright (basedpyright too: one tool by its answers, two by where they are configured) and ty. Learned from:

- mypy 1.8, 1.18 and 2.4: a configuration file that it cannot read is one line on stderr, then "Success" and exit code
  0. A single option that it does not know is a line there too, but the rest of the file holds.
- pyright 1.1.300, 1.1.380, 1.1.414 and basedpyright 1.18.4, 1.29.5, 1.40.2: without `--project` a configuration in a
  folder above beats the root's own `pyproject.toml`. One that cannot be parsed is a line on stderr and findings made
  without it, with exit code 3 (pyright) or 0 (basedpyright); a root without files is exit code 0. basedpyright prints
  lines of its own before the JSON when it updates its baseline, which versions before 1.30 do even in CI. Files on the
  command line are looked at though the configuration excludes them, so only the project names any.
- ty 0.0.2, 0.0.34 and 0.0.105: where there is no Python file it says "All checks passed!", and only on stderr that it
  found none. A file that it cannot read is a finding beside exit code 2. The rule for an import that it cannot resolve
  had another name in earlier versions, and warnings alone were exit code 0. `--python` beats the environment that the
  project's configuration names, so it is left out where there is one. Of a file that is named it says what it says of
  it in the whole, at a twentieth of the time. Before 0.0.5 there was no `--force-exclude`.
"""

import re
from collections.abc import Callable

from untilgreen.checkers.answer import Malformed, findings, matched, refusal, severity_of
from untilgreen.checkers.checker import OFF, Checker, Files, left_out, reads, variant_where, where_configured
from untilgreen.checkers.documents import number, text, within
from untilgreen.checkers.records import Records
from untilgreen.core.model.outcome import Clean, Outcome, Output, Setting
from untilgreen.core.model.settings import Criteria
from untilgreen.core.record import Any
from untilgreen.project.tree.layout import PYTHON, Layout

# in the order in which mypy looks: the first file that counts is the one that it reads
_MYPY = ("mypy.ini", ".mypy.ini")
_MYPY_SHARED = {"pyproject.toml": r"tool\.mypy(\.|$)", "setup.cfg": r"mypy$"}
# where its own configuration says what to look at
_SAID = "-"
_names_files = variant_where(
    _MYPY, _MYPY_SHARED, ("mypy", "tool.mypy"), r"(?mi)^(?:files|packages|modules)\s*[=:]", _SAID
)
# whatever the project's configuration says about the form of the output is taken back
_FORM = (
    *("--no-pretty", "--no-color-output", "--show-error-codes", "--hide-error-context", "--show-column-numbers"),
    *("--hide-error-end", "--hide-absolute-path", "--hide-error-code-links", "--error-summary"),
    "--soft-error-limit=-1",
)
_MYPY_SUMMARY = (
    r"(?m)^(?:Success: no issues found in (?P<clean>\d{1,9}) source files?"
    r"|Found (?P<errors>\d{1,9}) errors? in \d+ files? "
    r"\((?:checked (?P<checked>\d{1,9}) source files?|(?P<stopped>errors prevented further checking))\))\s*$"
)
_MYPY_LINE = (
    r"(?P<file>.+?):(?:(?P<line>\d{1,9}):(?:(?P<column>\d{1,9}):)?)? (?P<severity>error|warning|note): "
    r"(?P<message>.*?)(?:  \[(?P<rule>[\w-]+)\])?"
)
# "FILE: [section]: …" is about one option; a file with sections for single modules only is fine
_UNREAD = (
    r"(?m)^(?P<file>[^:\n]*(?:mypy\.ini|pyproject\.toml|setup\.cfg|mypy[/\\]config)):"
    r" (?!\[|No \[mypy\] section|note: |error: )(?P<why>.*)"
)
_MYPY_COMPLAINT = r"(?m)^(?:mypy: |There are no |\w*Error: ).+"


def _mypy_argv(setting: Setting) -> tuple[str, ...]:
    interpreter = (f"--python-executable={setting.interpreter}",) if setting.interpreter else ()
    named = setting.variant == _SAID or any(not word.startswith("-") for word in setting.call)
    where = () if named else setting.variant.split("\n") if setting.variant else (".",)
    # of two modules of one name, one that a build left, it would check neither
    left_out = (f"--exclude=^(?:\\./)?{re.escape(folder)}/" for folder in setting.ignored)
    return (setting.tool, *_FORM, *interpreter, *left_out, *setting.call, *where)


def _mypy_variant(layout: Layout, root: str) -> str:
    """`_SAID` where its own configuration says what to look at, else a line for each folder or file to name; "" for
    all of the root."""
    where = layout.scope(root, PYTHON)
    return _names_files(layout, root) or ("" if where == ["."] else "\n".join(where))


def _mypy(output: Output, _setting: Setting) -> Outcome:
    crash = re.search(r"(?m)^.*INTERNAL ERROR", output.stderr + "\n" + output.stdout)
    if crash:
        raise Malformed(f"mypy crashed: {crash[0]}")
    unread = re.search(_UNREAD, output.stderr)
    if unread:
        raise Malformed(f"mypy did not read {unread['file']}: {unread['why']}")
    summaries = list(re.finditer(_MYPY_SUMMARY, output.stdout))
    if not summaries or re.search(r"(?m)^mypy: error: ", output.stderr):
        raise refusal(output, _MYPY_COMPLAINT)
    summary = summaries[-1]
    if int(summary["clean"] or summary["checked"] or 1) == 0:
        raise Malformed("0 source files: nothing was looked at")
    if summary["clean"]:
        return Clean()  # mypy's own word: notes alone, as of a bare reveal_type, do not fail it
    # what prevents any checking, a plugin that cannot be loaded for one, is said on stderr
    text = output.stdout + "\n" + output.stderr if summary["stopped"] else output.stdout
    matches = [match for match in map(re.compile(_MYPY_LINE).fullmatch, map(str.rstrip, text.split("\n"))) if match]
    # mypy itself counts lines with ": error:" in them
    read = sum(": error:" in match[0] for match in matches)
    if not matches or read < int(summary["errors"]):
        raise Malformed(f"{summary['errors']} errors announced, {read} read")
    hiding = "error" if summary["stopped"] else ""
    return findings(matched(one, rule=one["severity"], hides=one["severity"] == hiding) for one in matches)


MYPY = Checker(
    name="mypy",
    argv=_mypy_argv,
    parse=_mypy,
    roots=where_configured(_MYPY, _MYPY_SHARED, PYTHON),
    package="pypi:mypy",
    serves=("type_check",),
    files=Files(edit="types", patterns=PYTHON, walks=True),
    variant=_mypy_variant,
    python=True,
    unresolved=("import-not-found", "import-untyped", "import"),
    leaves_out=left_out("mypy"),
)

_PYRIGHT, _BASED = {"pyproject.toml": r"tool\.pyright(\.|$)"}, {"pyproject.toml": r"tool\.basedpyright(\.|$)"}
_OWN = ("pyrightconfig.json",)


def _switched(own: tuple[str, ...], shared: dict[str, str]) -> Callable[[Layout, str], str]:
    """The variant: `OFF` where it is there for an editor alone."""

    def variant(layout: Layout, root: str) -> str:
        name = layout.configuration(root, own, shared)
        path = name if root == "." else f"{root}/{name}"
        said = layout.sections(path) if name in shared else {"": layout.text(path)} if name else {}
        texts = [text or "" for section, text in (said or {}).items() if re.match(shared.get(name, ""), section)]
        return OFF if any(re.search(r"""typeCheckingMode"?\s*[=:]\s*["']off["']""", text) for text in texts) else ""

    return variant


_based_variant, _plain_variant = _switched((), _BASED), _switched(_OWN, _PYRIGHT)


def _roots(
    own: tuple[str, ...], shared: dict[str, str], variant: Callable[[Layout, str], str]
) -> Callable[[Layout, Criteria], list[str]]:
    configured = where_configured(own, shared, PYTHON)
    return lambda layout, criteria: [one for one in configured(layout, criteria) if variant(layout, one) != OFF]


_based, _plain = _roots((), _BASED, _based_variant), _roots(_OWN, _PYRIGHT, _plain_variant)


def _pyright_argv(setting: Setting) -> tuple[str, ...]:
    interpreter = ("--pythonpath", setting.interpreter) if setting.interpreter else ()
    return (setting.tool, "--outputjson", *(setting.call or ("--project", ".")), *interpreter)


def _pyright_rule(record: Any) -> str:
    # an error without a rule cannot be switched off: what the parser says, or the checker where it gave up
    said = text(record, "severity")
    return text(record, "rule", missing="") or ("syntax" if severity_of(said) == "error" else said)


_PYRIGHT_RECORDS = Records(
    answer=r"(?ms)^(\{.*)",
    complaint=r"(?m)^(?:Config file .+|Unexpected option .+|.*Error: .+|.*error occurred.*)",
    announced=lambda answer: sum(
        number(answer, "summary", f"{severity}Count") for severity in ("error", "warning", "information")
    ),
    files=lambda answer: number(answer, "summary", "filesAnalyzed"),
    entries="generalDiagnostics",
    file="file",
    line=lambda record: number(record, "range", "start", "line") + 1 if within(record, "range") else 0,
    column="range.start.character+1",
    rule=_pyright_rule,
    severity="severity",
    message="message",
)


def _pyright(output: Output, setting: Setting) -> Outcome:
    unread = re.search(r"(?m)^Config file .+ could not be \w+", output.stderr)
    if unread and output.code in (0, 1):
        raise Malformed(f"it did not read its configuration: {unread[0]}")
    return _PYRIGHT_RECORDS.parse(output, setting)


PYRIGHT = Checker(
    name="pyright",
    argv=_pyright_argv,
    parse=_pyright,
    # a root with a section for basedpyright is that one's
    roots=lambda layout, criteria: [root for root in _plain(layout, criteria) if root not in _based(layout, criteria)],
    programs=("pyright", "basedpyright"),
    package="pypi:pyright",
    serves=("type_check",),
    files=Files(edit="types", patterns=PYTHON),
    variant=_plain_variant,
    python=True,
    leaves_out=left_out("pyright"),
    strict=r"--warnings\b",
    unresolved=("reportMissingImports", "reportMissingModuleSource"),
    hiding=("syntax",),
)
BASEDPYRIGHT = PYRIGHT._replace(
    name="basedpyright",
    roots=_based,
    programs=("basedpyright",),
    package="pypi:basedpyright",
    variant=_based_variant,
)

_TY, _TY_SHARED = ("ty.toml",), {"pyproject.toml": r"tool\.ty(\.|$)"}
_ENVIRONMENT = ("environment", "tool.ty.environment")  # where it may say which Python is the project's
_TY_SUMMARY = r"(?m)^(?:All checks passed!|Found (?P<found>\d{1,9}) diagnostics?)$"
_TY_LINE = (
    r"^(?:(?P<file>.+?):(?:(?P<line>\d{1,9}):(?:(?P<column>\d{1,9}):)?)? )?"
    r"(?P<severity>fatal|error|warning|info)\[(?P<rule>[\w-]+)\] (?P<message>.*)$"
)


def _ty_argv(setting: Setting) -> tuple[str, ...]:
    interpreter = ("--python", setting.interpreter) if setting.interpreter and not setting.variant else ()
    form = ("--output-format=concise", "--color=never", "--no-progress")
    if setting.files and any(not word.startswith("-") for word in setting.call):
        return ()  # which may name other files
    files = ("--force-exclude", "--", *setting.files) if setting.files else ()
    return (setting.tool, "check", *form, *interpreter, *setting.call, *files)


def _ty_proof(output: Output, setting: Setting) -> int:
    summaries = list(re.finditer(_TY_SUMMARY, output.stdout))
    if not summaries:
        raise refusal(output, r"(?m)^ *(?:Cause: |error: ).+")
    if "No python files found" in output.stderr and not setting.files:
        raise Malformed("no Python files found: nothing was looked at")
    return int(summaries[-1]["found"] or 0)


TY = Checker(
    name="ty",
    argv=_ty_argv,
    parse=reads("regex", _TY_LINE, proof=_ty_proof),
    roots=where_configured(_TY, _TY_SHARED, PYTHON),
    package="pypi:ty",
    serves=("type_check",),
    files=Files(edit="types", patterns=PYTHON, alone=True),
    variant=variant_where(_TY, _TY_SHARED, _ENVIRONMENT, r"(?m)^python\s*=", "environment"),
    python=True,
    subcommand=("check",),
    leaves_out=left_out("ty"),
    strict=r"--error-on-warning\b",
    hiding=("invalid-syntax", "io", "panic"),
    unresolved=("import-not-found", "unresolved-import"),
)
