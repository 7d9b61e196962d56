"""black: `black --check`, its words and their summary.

Learned from 22.12.0, 24.10.0 and 26.10.1: a file that it cannot parse is exit code 123, beside what it says of the
others. Where there is no file, and where `quiet` is configured, there is no summary.
"""

from untilgreen.checkers.formatting import Words, formatter

_WORDS = Words(
    would=r"(?m)^would reformat (?P<file>.+)$",
    done=r"(?m)^(?:(?P<count>\d{1,9}) files? would be reformatted|\d+ files? would )",
    unread=r"(?m)^error: cannot (?:format|parse:) (?P<file>.+?):(?:(?P<line>\d{1,9}):\d+| (?P<message>.+))$",
    refused=r"(?m)^Error: .+|^Usage: .+|^No (?:Python files are present|Path provided).+",
)
CHECKER = formatter(
    "black",
    _WORDS,
    check_form="--check",
    patterns=(".py", ".pyi", ".ipynb"),
    package="pypi:black",
    leaves_out="--diff --color --no-color -q --quiet -v --verbose --no-cache -W= --workers=",
)
