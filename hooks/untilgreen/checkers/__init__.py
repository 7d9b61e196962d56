"""The checkers by name: the rows of `templates/checkers.txt`. A new one is one file, a row there, and its recorded
outputs. Commands of the user's own (`checks.NAME.command`, `--check`) are read by `untilgreen.checkers.custom`."""

from collections.abc import Collection
from importlib import import_module

from untilgreen.checkers.checker import Checker
from untilgreen.project import tables
from untilgreen.project.tree.layout import Layout

_TABLE = {
    name: (module, () if signs == "-" else tuple(signs.split())) for name, module, signs in tables.read("checkers")[""]
}
# only where tests are asked for
_TESTS = ("pytest", "unittest", "django-test", "go-test", "cargo-test", "npm-test", "runner")
NAMES: tuple[str, ...] = tuple(_TABLE)


def get(name: str) -> Checker:
    """The checker of that name; its module is loaded now. KeyError where there is none."""
    module = import_module(f"untilgreen.checkers.{_TABLE[name][0]}")
    checker: Checker = getattr(module, name.upper().replace("-", "_"), None) or module.CHECKER
    return checker


def signs(name: str) -> tuple[str, ...]:
    """What may say that this checker applies: names of files, and `*.suffix`."""
    return _TABLE[name][1]


def candidates(layout: Layout, *, tests: bool, called: Collection[str] = ()) -> list[Checker]:
    """The checkers that may apply here, and those of the programs that it calls; without `tests` none that runs any."""
    rows = ((name, signs) for name, (_, signs) in _TABLE.items() if tests or name not in _TESTS)
    return [get(name) for name, signs in rows if name in called or any(map(layout.has, signs))]
