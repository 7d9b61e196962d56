"""The checkers by name. A new one is one file, one line in this table, and its recorded outputs.

Commands of the user's own (`checks.NAME.command`, `--check`) are no entry here: their command line and the exit
codes that mean "fine" come with them. `untilgreen.checkers.custom` reads what they say.
"""

from importlib import import_module

from untilgreen.checkers.checker import Checker

_MODULES = {
    "ruff": "untilgreen.checkers.ruff",
    "mypy": "untilgreen.checkers.mypy",
    "pytest": "untilgreen.checkers.pytest_",
}

NAMES: tuple[str, ...] = tuple(_MODULES)


def get(name: str) -> Checker:
    """The checker of that name; its module is loaded now. KeyError where there is none."""
    checker: Checker = import_module(_MODULES[name]).CHECKER
    return checker
