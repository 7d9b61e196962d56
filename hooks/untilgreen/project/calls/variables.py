"""Which of the variables that a project sets for a call go with it: literal ones that say what the tool does."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

# where programs lie, secrets, and what says how somebody installs, reports or prints
_KEPT_BACK = re.compile(
    r"PATH|HOME|TERM|CI|RUST_BACKTRACE|PWD|(?:PIP|UV|TOX|NOX|HATCH|POETRY|CIBW|COVERAGE|COV"
    r"|CODECOV|GITHUB|UNTILGREEN|npm_config"
    r"|NPM_CONFIG|RUFF_OUTPUT)_.*|.*(?:TOKEN|SECRET|PASSW|CREDENTIAL|COLOR|COLOUR).*|(?:.*_)?(?:API)?KEY"
)
_LONGEST = 1_000  # characters of a value


def carried(assignments: Iterable[str]) -> tuple[str, ...]:
    """Of words like `NAME=value` those that go with a call, the last of each name. One whose value only a shell or CI
    could tell (`$HOME`, `{envtmpdir}`, `${{ matrix.x }}`) does not."""
    found = dict(word.partition("=")[::2] for word in assignments)
    return tuple(f"{name}={value}" for name, value in found.items() if _goes(name, value))


def _goes(name: str, value: str) -> bool:
    known = len(value) < _LONGEST and not re.search(r"[$`{\0\n]", value)
    return known and re.fullmatch(r"[A-Za-z_]\w*", name) is not None and not _KEPT_BACK.fullmatch(name)


def of_table(*tables: Mapping[Any, Any]) -> tuple[str, ...]:
    """The assignments of tables of YAML or TOML, the later ones winning."""
    found = {name: value for table in tables for name, value in table.items() if isinstance(value, str | int | float)}
    return tuple(f"{name}={str(value).lower() if isinstance(value, bool) else value}" for name, value in found.items())
