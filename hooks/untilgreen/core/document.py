"""Documents (what JSON gives) to NamedTuples and back, by the annotations of the models.

The same models carry the cold paths' pydantic validation; here is the small reader that
the hooks can afford. Unknown keys are ignored: a newer patch release may write more.
"""

import re
from typing import Any, TypeVar, Union, get_args, get_origin

T = TypeVar("T")
_SURROGATE = r"[\ud800-\udfff]"


class Mismatch(Exception):
    """The document has not the shape of the model; says where."""


def load(cls: type[T], doc: object) -> T:
    """Build `cls` (a NamedTuple class) from a mapping; raises Mismatch."""
    return _value(cls, doc, cls.__name__)  # type: ignore[no-any-return]


def well_formed(text: str) -> str:
    """The text with U+FFFD for each lone surrogate: JSON may hold them, UTF-8 may not."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return re.sub(_SURROGATE, "\ufffd", text)
    return text


def in_json(field: str) -> str:
    """What a field is called in a document: one has the name that the state of earlier loops gave it."""
    return "tests_pass" if field == "test_pass" else field


def dump(value: object) -> Any:
    """A NamedTuple tree as plain dicts, lists and scalars, keys in the models' order."""
    if isinstance(value, tuple):
        fields = getattr(value, "_fields", None)
        if fields is None:
            return [dump(item) for item in value]
        return {in_json(name): dump(getattr(value, name)) for name in fields}
    if isinstance(value, dict):
        return {key: dump(item) for key, item in value.items()}
    if isinstance(value, list):
        return [dump(item) for item in value]
    return value


def _value(kind: Any, doc: object, where: str) -> Any:
    if kind is Any:
        return doc
    origin = get_origin(kind)
    if origin is not None:
        return _generic(origin, get_args(kind), doc, where)
    if hasattr(kind, "_fields"):
        return _record(kind, doc, where)
    if kind is float and type(doc) is int:
        try:
            return float(doc)
        except OverflowError:
            raise Mismatch(f"{where}: a number too large") from None
    # exact types: a bool is no int here, or `"iteration": true` would count as a round
    if type(doc) is not kind:
        raise Mismatch(f"{where}: {kind.__name__} expected, not {type(doc).__name__}")
    return doc


def _record(kind: Any, doc: object, where: str) -> Any:
    if not isinstance(doc, dict):
        raise Mismatch(f"{where}: an object expected, not {type(doc).__name__}")
    values = {}
    for name, annotation in kind.__annotations__.items():
        key = in_json(name)
        if key in doc:
            values[name] = _value(annotation, doc[key], f"{where}.{key}")
        elif name not in kind._field_defaults:
            raise Mismatch(f"{where}.{key}: missing")
    return kind(**values)


def _generic(origin: Any, args: tuple[Any, ...], doc: object, where: str) -> Any:
    if origin is tuple:
        if not isinstance(doc, list | tuple):
            raise Mismatch(f"{where}: a list expected, not {type(doc).__name__}")
        return tuple(_value(args[0], item, f"{where}[{i}]") for i, item in enumerate(doc))
    if origin is dict:
        if not isinstance(doc, dict):
            raise Mismatch(f"{where}: an object expected, not {type(doc).__name__}")
        return {str(key): _value(args[1], item, f"{where}.{key}") for key, item in doc.items()}
    return _optional(origin, args, doc, where)


def _optional(origin: Any, args: tuple[Any, ...], doc: object, where: str) -> Any:
    if origin is not Union and getattr(origin, "__name__", "") != "UnionType":
        raise TypeError(f"{where}: no reader for {origin}")
    if doc is None and type(None) in args:
        return None
    (kind,) = (arg for arg in args if arg is not type(None))
    return _value(kind, doc, where)
