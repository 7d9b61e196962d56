"""Loops for tests of pure functions: fields by their names, wherever they lie."""

from untilgreen.core.model.groups import AskedFor, Rounds
from untilgreen.core.model.loop import NAMES, SCHEMA_VERSION, Loop
from untilgreen.core.model.settings import Criteria

_GROUPS = {name: group for group, name in NAMES.items()}
#: each field of `loop_state.json`, in the order of the model
FIELDS = (*(field for name in Loop._fields for field in (_GROUPS[name]._fields if name in _GROUPS else (name,))),)


def new_loop(criteria: Criteria, task: str = "", **fields: object) -> Loop:
    """A loop of session `s` that has just begun."""
    loop = Loop(SCHEMA_VERSION, "loop-1", True, "s", "t0", "t0", task, AskedFor((), criteria), Rounds(1))
    return with_fields(loop, **fields)


def with_fields(loop: Loop, **fields: object) -> Loop:
    """The loop with these fields, each in its group."""
    for name, value in fields.items():
        change = {name: value}
        group = next((kind for kind in NAMES if name in kind._fields), None)
        if group is None:
            loop = loop._replace(**change)  # type: ignore[arg-type]
        else:
            loop = loop.put(getattr(loop, NAMES[group])._replace(**change))
    return loop
