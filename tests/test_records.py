"""Our records are `typing.NamedTuple`s: whatever one can be asked, both answer the same."""

import copy
import keyword
import pickle
import sys
import typing
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

import untilgreen
from untilgreen.core import record

NAMES = st.lists(
    st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True).filter(lambda name: not keyword.iskeyword(name)),
    unique=True,
    max_size=12,
)
VALUES = st.none() | st.integers() | st.text(max_size=5) | st.tuples(st.integers())


def defined(base: object, fields: list[str], defaults: Sequence[object]) -> Any:
    """A record of these fields, of which the last ones have these defaults."""
    first = len(fields) - len(defaults)
    body = [
        f"    {name}: object" + (f" = defaults[{n - first}]" if n >= first else "") for n, name in enumerate(fields)
    ]
    space = {"base": base, "defaults": defaults, "__name__": __name__}
    exec("class Made(base):\n    'A record.'\n" + "\n".join([*body, "    def twice(self): return self + self"]), space)
    return space["Made"]


def answer(ask: Callable[[], object]) -> object:
    """What comes of it: the value, or which error."""
    try:
        return ask()
    except (TypeError, ValueError, AttributeError) as error:
        return type(error), str(error).replace("Made.__new__", "").replace("<lambda>", "")


@given(st.data())
def test_a_record_answers_as_a_named_tuple(data: st.DataObject) -> None:
    fields = data.draw(NAMES)
    defaults = data.draw(st.lists(VALUES, max_size=len(fields)))
    values = data.draw(st.lists(VALUES, max_size=len(fields) + 1))
    named = data.draw(st.dictionaries(st.sampled_from([*fields, "another"]), VALUES, max_size=4))
    ours, theirs = defined(record.NamedTuple, fields, defaults), defined(typing.NamedTuple, fields, defaults)
    for ask in (
        lambda kind: tuple(kind(*values, **named)),
        lambda kind: repr(kind(*values, **named)),
        lambda kind: hash(kind(*values, **named)),
        lambda kind: kind(*values, **named)._asdict(),
        lambda kind: tuple(kind(*values)._replace(**named)),
        lambda kind: tuple(kind._make(values)),
        lambda kind: kind(*values) == tuple(values),
        lambda kind: kind(*values).twice(),
        lambda kind: tuple(copy.copy(kind(*values))),
        lambda kind: [getattr(kind(*values), name) for name in fields],
        lambda kind: setattr(kind(*values), "another", 1),
        lambda kind: setattr(kind(*values), fields[0] if fields else "x", 1),
        lambda kind: (kind._fields, kind._field_defaults, kind.__match_args__, kind.__slots__, kind.__doc__),
        lambda kind: (kind.__name__, kind.__qualname__, kind.__module__, kind.__bases__[-1], get_type_hints(kind)),
    ):
        assert answer(lambda ask=ask: ask(ours)) == answer(lambda ask=ask: ask(theirs))  # type: ignore[misc]


class Point(record.NamedTuple):
    """A record that pickle finds by its name."""

    x: int
    y: int = 2

    @property
    def sum(self) -> int:
        """Of both."""
        return self.x + self.y


def test_a_record_is_pickled_copied_matched_and_inherited() -> None:
    point = Point(1)
    assert pickle.loads(pickle.dumps(point)) == copy.deepcopy(point) == (1, 2)
    assert isinstance(point, tuple)
    match point:
        case Point(x, y):
            assert (x, y, point.sum) == (1, 2, 3)

    class Named(Point):
        """One with a name."""

    assert repr(Named(3)) == "Named(x=3, y=2)"
    assert type(Named(3)._replace(x=4)) is Named


def test_a_field_without_a_default_follows_none_that_has_one() -> None:
    with pytest.raises(TypeError):
        exec("class Made(base):\n    x: int = 1\n    y: int", {"base": record.NamedTuple, "__name__": __name__})


def test_every_record_of_the_package_is_one_of_these() -> None:
    package = Path(untilgreen.__file__).parent
    texts = {path: path.read_text() for path in package.rglob("*.py") if path.name != "record.py"}
    assert [
        path.name for path, text in texts.items() if "import NamedTuple" in text and "record import" not in text
    ] == []
    assert sys.version_info >= (3, 14) or record.NamedTuple is not typing.NamedTuple
