"""`ruff format --check`: its words and their summary.

Learned from 0.4.10, 0.11.13 and 0.17.6: it says `Would reformat: FILE`, and later a diagnostic with its place. A file
that it cannot parse is exit code 2, beside what it says of the others. A folder without files is exit code 0. Newer
versions take Markdown too.
"""

from untilgreen.checkers.formatting import Words, formatter
from untilgreen.core.model.outcome import Setting

_WORDS = Words(
    would=r"(?m)^(?:Would reformat: |unformatted: .+\n +--> )(?P<file>.+?)(?::\d+:\d+)?$",
    done=r"(?m)^(?:(?P<count>\d{1,9}) files? would be reformatted|\d+ files? (?:already formatted|left unchanged))",
    unread=(
        r"(?m)^(?:error: Failed to \w+ |invalid-syntax: .+\n +--> )"
        r"(?P<file>.+?):(?P<line>\d{1,9}):\d+(?:: (?P<message>.+))?$"
    ),
    refused=r"(?m)^ *Cause: .+|^error: (?!Failed to \w+ ).+|^warning: No Python files found.+",
)
_ONE = formatter(
    "ruff-format",
    _WORDS,
    check_form="--check --diff --exit-non-zero-on-format",
    patterns=(".py", ".pyi", ".ipynb"),
    package="pypi:ruff",
    leaves_out=(
        "--diff --exit-non-zero-on-format --exit-non-zero-on-fix --no-cache -n -q --quiet -v --verbose -s --silent "
        "--output-format= --color= --cache-dir="
    ),
)


def argv(setting: Setting) -> tuple[str, ...]:
    tool, *words = _ONE.argv(setting)
    return (tool, "format", "--no-cache", *words)


CHECKER = _ONE._replace(argv=argv, programs=("ruff",), subcommand=("format",), harmless=True)
