"""ty: its concise lines, with the summary as the evidence that it came to its end.

Learned from 0.0.2, 0.0.34 and 0.0.105: where there is no Python file it says "All checks passed!", and only on stderr
that it found none. A file that it cannot read is a finding beside exit code 2. The rule for an import that it cannot
resolve had another name in earlier versions, and warnings alone were exit code 0. `--python` beats the environment that
the project's configuration names, so it is left out where there is one.
"""

import re

from untilgreen.checkers.answer import Malformed, refusal
from untilgreen.checkers.checker import Checker, Files, reads, variant_where, where_configured
from untilgreen.core.model.outcome import Output, Setting

_SUFFIXES = (".py", ".pyi")
_OWN, _SHARED = ("ty.toml",), {"pyproject.toml": r"tool\.ty(\.|$)"}
_ENVIRONMENT = ("environment", "tool.ty.environment")  # where it may say which Python is the project's
# plain texts: `re` compiles what is needed when it is needed
_SUMMARY = r"(?m)^(?:All checks passed!|Found (?P<found>\d{1,9}) diagnostics?)$"
_LINE = (
    r"^(?:(?P<file>.+?):(?:(?P<line>\d{1,9}):(?:(?P<column>\d{1,9}):)?)? )?"
    r"(?P<severity>fatal|error|warning|info)\[(?P<rule>[\w-]+)\] (?P<message>.*)$"
)


def argv(setting: Setting) -> tuple[str, ...]:
    interpreter = ("--python", setting.interpreter) if setting.interpreter and not setting.variant else ()
    form = ("--output-format=concise", "--color=never", "--no-progress")
    return (setting.tool, "check", *form, *interpreter, *setting.call)


def _proof(output: Output, _setting: Setting) -> int:
    summaries = list(re.finditer(_SUMMARY, output.stdout))
    if not summaries:
        raise refusal(output, r"(?m)^ *(?:Cause: |error: ).+")
    if "No python files found" in output.stderr:
        raise Malformed("no Python files found: nothing was looked at")
    return int(summaries[-1]["found"] or 0)


CHECKER = Checker(
    name="ty",
    argv=argv,
    parse=reads("regex", _LINE, proof=_proof),
    roots=where_configured(_OWN, _SHARED, _SUFFIXES),
    package="pypi:ty",
    serves=("type_check",),
    files=Files(edit="types", patterns=_SUFFIXES),
    variant=variant_where(_OWN, _SHARED, _ENVIRONMENT, r"(?m)^python\s*=", "environment"),
    python=True,
    subcommand=("check",),
    leaves_out=(
        "--fix --add-ignore --update-baseline --watch -W -v --verbose -q --quiet --no-progress --python= --color= "
        "--output-format="
    ),
    strict=r"--error-on-warning\b",
    hiding=("invalid-syntax", "io", "panic"),
    unresolved=("import-not-found", "unresolved-import"),
)
