"""What an entry for a key of the configuration says, and what follows from it; `keys` has the entries."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, NamedTuple, get_type_hints

from pydantic import AfterValidator, BeforeValidator, Field, TypeAdapter, ValidationError
from pydantic_core import PydanticCustomError
from typing_extensions import TypedDict

from untilgreen.core.errors import UserError, meant
from untilgreen.settings.values import shown

_WANTED = {
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "string_type": "a string",
    "list_type": "a list",
    "dict_type": "a table",
    "greater_than_equal": "a number from {ge:.0f} up",
    "greater_than": "a number above {gt:.0f}",
    "less_than_equal": "a number up to {le:.0f}",
    "too_short": "at least {min_length}",
    "value_error": "{error}",
    "word": "one of {words}",
}


class Option(NamedTuple):
    """One option of a start."""

    flag: str
    help: str
    value: str = ""  #: what the help calls its value; "" for a switch
    short: str = ""
    typed: bool = True  #: a slash command takes it, too: it has a session, and no stdin or stdout of its own
    key: str = ""  #: the key of the configuration that it sets
    sets: Any = True  #: what a switch sets its key to, or adds to a list

    @property
    def name(self) -> str:
        """The flag as a name of Python's."""
        return self.flag.lstrip("-").replace("-", "_")


class Key(NamedTuple):
    """What is said of one key, beside its type and its default."""

    means: str
    kind: Any = None  #: its type as pydantic checks it, where that of the record does not say it all
    choices: tuple[str, ...] = ()  #: the few words that it may be, or a list may hold
    option: str | None = None  #: what the option `--KEY` calls its value; "" for a switch, None for no option
    short: str = ""
    switches: Mapping[str, tuple[Any, str]] = {}  #: more options: what each sets the key to, and its help


class Table(NamedTuple):
    """The keys of one record, by their names."""

    record: Any
    keys: Mapping[str, Key]

    @property
    def types(self) -> dict[str, Any]:
        """The type of each key."""
        return get_type_hints(self.record)

    @property
    def kinds(self) -> dict[str, Any]:
        """The type of each key as pydantic checks it, with what it may be."""
        found = {name: one_of(key.choices) if key.choices else self.types[name] for name, key in self.keys.items()}
        return found | {name: key.kind for name, key in self.keys.items() if key.kind is not None}

    @property
    def kind(self) -> Any:
        """The same of a table with these keys; it becomes the record."""
        make: Any = TypedDict
        given = make(self.record.__name__, self.kinds, total=False)
        return Annotated[given, BeforeValidator(self._known), AfterValidator(lambda found: self.record(**found))]

    def _known(self, given: Any) -> Any:
        for name in given if isinstance(given, dict) else ():
            if name not in self.keys:
                told = {"name": name, "meant": meant(name, self.keys), "fix": f"take one of {', '.join(self.keys)}"}
                raise PydanticCustomError("unknown", "unknown key {name}{meant}", told)
        return given

    @property
    def options(self) -> tuple[Option, ...]:
        """The options of a start that set a key."""
        found = []
        for name, key in self.keys.items():
            if key.option is not None:
                flag = "--" + name.replace("_", "-")
                found.append(Option(flag, self._help(name), key.option, key.short, key=name))
            found += [Option(flag, told, key=name, sets=value) for flag, (value, told) in key.switches.items()]
        return tuple(found)

    def _help(self, name: str) -> str:
        key, default = self.keys[name], self.record._field_defaults[name]
        parts = [key.means]
        if key.choices and key.option != "|".join(key.choices):
            parts.append(f"One of {', '.join(key.choices)}.")
        if isinstance(default, tuple):
            parts.append("Repeatable.")
        elif default:
            parts.append(f"Default: {default}.")
        return " ".join(parts)


def fitting(fits: Callable[[str], object], wanted: str, **schema: Any) -> Any:
    """A text that fits, as pydantic checks it; errors call it `wanted`. `schema` says it in JSON Schema's words."""

    def checked(text: str) -> str:
        if not fits(text):
            raise ValueError(wanted)
        return text

    return Annotated[str, AfterValidator(checked), Field(json_schema_extra=schema)]


def one_of(words: tuple[str, ...]) -> Any:
    """One of a few words, as pydantic checks it."""

    def checked(text: str) -> str:
        if text not in words:
            raise PydanticCustomError("word", "unknown", {"words": ", ".join(words), "meant": meant(text, words)})
        return text

    return Annotated[str, AfterValidator(checked), Field(json_schema_extra={"enum": list(words)})]


def taken(kind: Any, value: Any, where: str = "") -> Any:
    """A value in its canonical form, if it is of this kind; `where` it stands. Raises UserError with its path."""
    try:
        return TypeAdapter(kind).validate_python(value, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
    parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in first["loc"] if part != "[key]"]
    path, told = f"{where}{''.join(parts)}".lstrip("."), first.get("ctx", {})
    if "fix" in told:
        raise UserError(f"{path}: {first['msg']}".lstrip(": "), told["fix"])
    wanted = _WANTED.get(first["type"], "another value").format(**told)
    raise UserError(f"{path} is {shown(first['input'])}{told.get('meant', '')}".lstrip(), f"give {wanted}")
