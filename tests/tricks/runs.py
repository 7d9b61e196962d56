"""What a check of one's own runs, and how it may be changed; each in a folder of its own, named NN."""

from collections.abc import Mapping
from typing import NamedTuple

import tables


class Run(NamedTuple):
    """A check that is red at the start and green after; `told`: what that green says, "" for a verified one."""

    name: str
    command: str
    start: Mapping[str, str]
    after: Mapping[str, str]
    told: str = ""


RULE, DONE = "check: lint\n\ttest -e done\n\nlint:\n\ttrue\n", {"done": ""}
MAKE = "make -C NN check"
PACKAGE = '{"scripts": {"check": "npm run unit", "unit": "sh tools/unit.sh"}}\n'
TRICKS = tuple(Run(title, **values) for title, values in tables.cases("runs-tricked"))
HONEST = (
    Run("what it compares", "grep -q x NN/told.txt", {"told.txt": "y\n"}, {"told.txt": "x\n"}),
    Run("another target", MAKE, {"Makefile": RULE}, {"Makefile": f".PHONY: docs\n\n{RULE}\ndocs:\n\tfalse\n", **DONE}),
    Run(
        "comments and layout",
        MAKE,
        {"Makefile": RULE},
        {"Makefile": f"# all of it\n{RULE}".replace("\n\nlint", "\n\n\nlint"), **DONE},
    ),
    Run(
        "the product, by its own name",
        "python3 NN/shop.py",
        {"shop.py": "raise SystemExit(1)\n"},
        {"shop.py": "print(4)\n"},
    ),
    Run(
        "a comment in a script",
        "sh NN/check.sh",
        {"check.sh": "test -e NN/done\n"},
        {"check.sh": "# is it done?\ntest -e NN/done\n", **DONE},
    ),
)
# by reading alone: not every machine has these
READ = tuple(Run(title, **values) for title, values in tables.cases("runs-read"))
