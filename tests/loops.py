"""Loops for tests of pure functions: fields by their names, wherever they lie."""

from collections.abc import Sequence

from untilgreen.core import document
from untilgreen.core.model.groups import Against, AskedFor, Rounds
from untilgreen.core.model.loop import SCHEMA_VERSION, Loop
from untilgreen.core.model.settings import Criteria, Settings
from untilgreen.core.words import brief
from untilgreen.state import catalogue

#: each field of `loop_state.json`, in the order of the model
FIELDS = tuple(document.fields(Loop))
#: each key of the configuration
KEYS = tuple(document.fields(Settings))


def in_english(compared: tuple[Sequence[Against], int, int]) -> tuple[tuple[str, ...], int, int]:
    """What `baseline.compare` says, in words."""
    return brief.tell_against(catalogue.english(), compared[0]), *compared[1:]


def new_loop(criteria: Criteria, task: str = "", **fields: object) -> Loop:
    """A loop of session `s` that has just begun; of the fields some may be of its settings."""
    loop = Loop(SCHEMA_VERSION, "loop-1", True, "s", "t0", "t0", task, AskedFor((), criteria), Rounds(1))
    own = {name: value for name, value in fields.items() if name in KEYS and name not in FIELDS}
    settings = document.changed(loop.settings, own)
    return with_fields(loop._replace(settings=settings), **{key: it for key, it in fields.items() if key not in own})


def with_fields(loop: Loop, **fields: object) -> Loop:
    """The loop with these fields, each in its group."""
    return document.changed(loop, fields)
