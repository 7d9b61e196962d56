"""The formats that a command of the user's own may answer in, by the name that `checks.NAME.format` gives.

A new one is one line here and a `read` of its own: text in, Reading out, Malformed where it is not understood. The
modules are imported when a check of that format has ended.
"""

from collections.abc import Callable
from functools import partial
from importlib import import_module

TYPE_CHECKING = False  # typing's own would have to be loaded
if TYPE_CHECKING:
    from untilgreen.checkers.answer import Reading

EXIT_CODE = ("", "exit-code", "exit")  # no format at all: the exit code decides
PATTERN = "regex"  # the one that needs a pattern beside its name
LINES = ("gcc", PATTERN)  # read line by line among whatever else is printed, on stdout and stderr

_FORMATS = {  # name -> (module, function)
    "regex": ("linters", "matching"),
    "gcc": ("linters", "gcc"),
    "sarif": ("linters", "sarif"),
    "rdjson": ("linters", "rdjson"),
    "rdjsonl": ("linters", "rdjsonl"),
    "checkstyle": ("linters", "checkstyle"),
    "junit": ("junit", "read"),
    "tap": ("tap", "read"),
    "pytest-json": ("runners", "pytest_report"),
    "pytest": ("runners", "pytest_report"),
    "jest-json": ("runners", "jest_report"),
    "jest": ("runners", "jest_report"),
}
_OF_TESTS = ("junit", "tap", "runners")

NAMES: tuple[str, ...] = (*EXIT_CODE[1:], *_FORMATS)


def is_test_format(name: str) -> bool:
    """Whether a report of this format says which tests ran: such a check is one of the stage "tests"."""
    return name in _FORMATS and _FORMATS[name][0] in _OF_TESTS


def reader(name: str, pattern: str = "") -> "Callable[[str], Reading]":
    """The reader of that format; its module is loaded now. KeyError where there is none, as for the exit code."""
    module, function = _FORMATS[name]
    read: Callable[..., Reading] = getattr(import_module(f"{__name__}.{module}"), function)
    return partial(read, pattern) if name == PATTERN else read
