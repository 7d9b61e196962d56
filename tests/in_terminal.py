"""`untilgreen` as somebody sees it who sits at a terminal."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pexpect  # type: ignore[import-untyped]

from world import BIN, World


@contextmanager
def terminal(
    world: World, *words: str, size: tuple[int, int] = (200, 24), env: Mapping[str, str] | None = None
) -> Iterator[Any]:
    """The command at work, in a terminal of so many columns and rows."""
    columns, rows = size
    child = pexpect.spawn(
        *(str(BIN / "untilgreen"), list(words)),
        cwd=str(world.project),
        env=world.env | {"TERM": "xterm"} | (dict(env) if env else {}),
        dimensions=(rows, columns),
        encoding="utf-8",
        timeout=60,
    )
    try:
        yield child
    finally:
        child.close(force=True)
