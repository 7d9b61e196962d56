"""prettier: `prettier --check`, a line on stderr for each file.

Learned from 2.8.8, 3.4.2 and 3.10.1: a file that it cannot parse is exit code 2, beside what it says of the others,
and so are a configuration that it cannot read and a pattern that fits no file.
"""

from untilgreen.checkers.formatting import Words, formatter
from untilgreen.checkers.js.javascript import JAVASCRIPT, TYPESCRIPT

_WORDS = Words(
    would=r"(?m)^\[warn\] (?!Code style issues )(?P<file>.*[^.\s])$",
    done=r"(?m)^All matched files use Prettier code style!|^(?:Error|Errors) occurred when checking code style",
    unread=r"(?m)^\[error\] (?P<file>.+?): (?P<message>\w*Error: .+?)(?: \((?P<line>\d{1,9}):\d+\))?$",
    refused=r"(?m)^\[error\] (?:Invalid configuration|No (?:files matching|supported files)|Cannot find).+",
)
CHECKER = formatter(
    "prettier",
    _WORDS,
    check_form="--check -c --list-different -l",
    patterns=(
        *(*JAVASCRIPT, *TYPESCRIPT, ".vue", ".json", ".jsonc", ".json5", ".css", ".scss", ".less", ".html", ".md"),
        *(".mdx", ".yml", ".yaml", ".graphql", ".gql", ".hbs", ".svelte", ".astro"),
    ),
    package="npm:prettier",
    leaves_out=(
        "--write -w --list-different -l --cache --no-cache --color --no-color --log-level= --loglevel= "
        "--cache-location= --cache-strategy="
    ),
)
