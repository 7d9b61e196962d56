"""isort: `isort --check-only`, a line on stderr for each file.

Learned from 5.12.0, 6.1.0 and 9.0.2: where there is nothing to say it says nothing. What it cannot parse it leaves
alone. A path that is not there is one that it calls broken, and exit code 1. A configuration that it cannot read is a
warning, and exit code 0.
"""

from untilgreen.checkers.formatting import Words, formatter

_WORDS = Words(
    would=r"(?m)^ERROR: (?P<file>.+?) Imports are incorrectly sorted and/or formatted\.$",
    done="",
    refused=r"(?m)^Broken \d+ paths$|Failed to pull configuration .+",
)
CHECKER = formatter(
    "isort",
    _WORDS,
    check_form="--check-only --check -c",
    patterns=(".py", ".pyi"),
    package="pypi:isort",
    leaves_out=(
        "--diff --df --color -q --quiet -v --verbose --atomic --interactive --apply -y -j= --jobs= --only-modified "
        "--om --overwrite-in-place"
    ),
)
