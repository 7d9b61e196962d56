"""Documents (what JSON gives) to NamedTuples and back, by the annotations of the models. Unknown keys are ignored."""

import re
from collections.abc import Callable, Container, Mapping

from untilgreen.core.record import Any, TypeVar

T = TypeVar("T")
#: makes a value of what JSON gave; where in the document it raises Mismatch is put before its text on the way up
Reader = Callable[[Any], Any]
_READERS: dict[Any, Reader] = {}
_SURROGATE = r"[\ud800-\udfff]"


class Mismatch(Exception):
    """The document has not the shape of the model; says where."""


def load(cls: type[T], doc: object) -> T:
    """Build `cls` (a NamedTuple class) from a mapping; raises Mismatch."""
    try:
        return _reader(cls)(doc)  # type: ignore[no-any-return]
    except Mismatch as error:
        raise Mismatch(f"{cls.__name__}{error}") from None


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
        groups = _groups(type(value))
        found: dict[str, Any] = {}
        for name in fields:
            told = dump(getattr(value, name))
            found |= told if name in groups else {in_json(name): told}
        return found
    if isinstance(value, dict):
        return {key: dump(item) for key, item in value.items()}
    if isinstance(value, list):
        return [dump(item) for item in value]
    return value


def fields(kind: Any) -> dict[str, tuple[str, Any]]:
    """Each field of a record, those of its groups by their own names: in which group it lies, and its type."""
    groups, found = _groups(kind), dict[str, tuple[str, Any]]()
    for name, annotation in kind.__annotations__.items():
        found |= (
            {one: (name, it) for one, it in annotation.__annotations__.items()}
            if name in groups
            else {name: ("", annotation)}
        )
    return found


def changed(record: T, changes: Mapping[str, Any]) -> T:
    """The record with other values in these fields, wherever they lie."""
    known, now = fields(type(record)), dict[str, Any]()
    for name, value in changes.items():
        group = known[name][0]
        now |= {group: now.get(group, getattr(record, group))._replace(**{name: value})} if group else {name: value}
    after: T = record._replace(**now)  # type: ignore[attr-defined]
    return after


def value(record: Any, name: str) -> Any:
    """The value of a field, wherever it lies."""
    group = fields(type(record))[name][0]
    return getattr(getattr(record, group) if group else record, name)


def _groups(kind: Any) -> Container[str]:
    """The fields of a record that are groups: what is in them lies flat, beside its other fields."""
    found: Container[str] = kind.flat() if hasattr(kind, "flat") else ()
    return found


def _reader(kind: Any) -> Reader:
    """How values of an annotation are read. Made once for each: a document has thousands of values, and few types."""
    if kind not in _READERS:
        _READERS[kind] = _made(kind)
    return _READERS[kind]


def _made(kind: Any) -> Reader:
    if kind is Any:
        return lambda doc: doc
    if args := getattr(kind, "__args__", ()):
        return _generic(getattr(kind, "__origin__", None), args)
    return _record(kind) if hasattr(kind, "_fields") else _scalar(kind)


def _scalar(kind: type) -> Reader:
    def read(doc: object) -> object:
        # exact types: a bool is no int here, or `"iteration": true` would count as a round
        if type(doc) is kind:
            return doc
        if kind is float and type(doc) is int:
            try:
                return float(doc)
            except OverflowError:
                raise Mismatch(": a number too large") from None
        raise Mismatch(f": {kind.__name__} expected, not {type(doc).__name__}")

    return read


def _record(kind: Any) -> Reader:
    groups = _groups(kind)
    fields = [
        (name, in_json(name), _reader(annotation), name in kind._field_defaults)
        for name, annotation in kind.__annotations__.items()
        if name not in groups
    ]
    inner = [(name, _reader(kind.__annotations__[name])) for name in kind._fields if name in groups]

    def read(doc: object) -> Any:
        if not isinstance(doc, dict):
            raise Mismatch(f": an object expected, not {type(doc).__name__}")
        values = {}
        for name, key, reader, has_default in fields:
            if key in doc:
                values[name] = _below(f".{key}", reader, doc[key])
            elif not has_default:
                raise Mismatch(f".{key}: missing")
        for name, reader in inner:
            values[name] = reader(doc)
        return kind(**values)

    return read


def _generic(origin: Any, args: tuple[Any, ...]) -> Reader:
    if origin is tuple:
        return _list(_reader(args[0]))
    if origin is dict:
        return _mapping(_reader(args[1]))
    if origin is not None:
        raise TypeError(f"no reader for {origin}")
    (kind,) = (arg for arg in args if arg is not type(None))
    read = _reader(kind)
    return lambda doc: None if doc is None else read(doc)


def _list(read: Reader) -> Reader:
    def read_all(doc: object) -> tuple[Any, ...]:
        if not isinstance(doc, list | tuple):
            raise Mismatch(f": a list expected, not {type(doc).__name__}")
        try:
            return tuple(map(read, doc))
        except Mismatch:
            return tuple(_below(f"[{i}]", read, item) for i, item in enumerate(doc))  # which one it is

    return read_all


def _mapping(read: Reader) -> Reader:
    def read_all(doc: object) -> dict[str, Any]:
        if not isinstance(doc, dict):
            raise Mismatch(f": an object expected, not {type(doc).__name__}")
        return {str(key): _below(f".{key}", read, item) for key, item in doc.items()}

    return read_all


def _below(where: str, read: Reader, doc: object) -> Any:
    try:
        return read(doc)
    except Mismatch as error:
        raise Mismatch(f"{where}{error}") from None
