"""`NamedTuple`, at a fifth of the cost of its definition: the constructor is made where there are many values. Pure.

A hook defines a hundred records, makes values of a third of them, and of most of these a few. `typing.NamedTuple`
compiles a constructor for each one; that was a third of all instructions of a held stop. Type checkers see
`typing.NamedTuple`, and so do Pythons that keep annotations in another place (3.14 and later). A record is not generic,
and has no base beside this one.
"""

TYPE_CHECKING = False


class _Probe:
    field: int


if TYPE_CHECKING or "__annotations__" not in vars(_Probe):
    from typing import Any, Literal, NamedTuple, Protocol, Self, TypeVar
else:
    from _collections import _tuplegetter

    class _Record:
        """What all records share, as `collections.namedtuple` has it."""

        __slots__ = ()

        @classmethod
        def _make(cls, iterable):
            made = tuple.__new__(cls, iterable)
            if len(made) != len(cls._fields):
                raise TypeError(f"Expected {len(cls._fields)} arguments, got {len(made)}")
            return made

        def _replace(self, /, **changed):
            made = self._make(map(changed.pop, self._fields, self))
            if changed:
                raise ValueError(f"Got unexpected field names: {list(changed)!r}")
            return made

        def __repr__(self):
            values = ", ".join(f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
            return f"{type(self).__name__}({values})"

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def __getnewargs__(self):
            return tuple(self)

        __replace__ = _replace

    _FEW = 8
    _MADE = {}  # of records without a constructor of their own: how many values there are

    def _first(cls, /, *values, **named):
        """Stands in for the constructor while there are few values; then makes the real one. A call that is wrong is
        left to that one, which says so."""
        fields, count = cls._fields, _MADE.get(cls, 0)
        known = dict(zip(fields, values, strict=False))
        whole = {**cls._field_defaults, **known, **named}
        if count < _FEW and whole.keys() == {*fields} and len(values) <= len(fields) and known.keys().isdisjoint(named):
            _MADE[cls] = count + 1
            return tuple.__new__(cls, map(whole.__getitem__, fields))
        # as collections.namedtuple does it; the names are those of fields, so nothing but identifiers is compiled
        code = f"lambda _cls, {', '.join(fields)}: _new(_cls, ({''.join(f'{name}, ' for name in fields)}))"
        scope = {"_new": tuple.__new__, "__builtins__": {}, "__name__": f"record_{cls.__name__}"}
        made = eval(code, scope)  # noqa: S307
        made.__defaults__ = tuple(cls._field_defaults.values()) or None
        made.__qualname__ = f"{cls.__name__}.__new__"
        cls.__new__ = staticmethod(made)
        return made(cls, *values, **named)

    class _Definition(type):
        """Makes a plain class of a definition: it is no metaclass of what comes out."""

        def __new__(cls, name, _bases, space):
            fields = tuple(space.get("__annotations__", ()))
            defaults = {field: space[field] for field in fields if field in space}
            if tuple(defaults) != fields[len(fields) - len(defaults) :]:
                raise TypeError(f"a field without a default follows one that has one, in {name}")
            getters = {
                field: _tuplegetter(number, f"Alias for field number {number}") for number, field in enumerate(fields)
            }
            space.pop("__orig_bases__", None)
            own = {"__slots__": (), "_fields": fields, "_field_defaults": defaults, "__match_args__": fields}
            return type(name, (_Record, tuple), {**space, **getters, **own, "__new__": _first})

    class _Named:
        """`class X(NamedTuple)` names this object, which has `_Definition` define X."""

        def __mro_entries__(self, _bases):
            return (_BASE,)

    _BASE = type.__new__(_Definition, "NamedTuple", (), {})
    NamedTuple = _Named()

    # What annotations name. `typing` itself is a third of what a bare interpreter starts with; documents are read by
    # the classes of fields, and nothing here asks for more
    Any = Protocol = Self = object

    class Literal:
        def __class_getitem__(cls, _values):
            return str

    def TypeVar(_name):  # noqa: N802
        return object


__all__ = ["Any", "Literal", "NamedTuple", "Protocol", "Self", "TypeVar"]
