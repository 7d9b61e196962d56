"""How values are read, for flags, typed lines and configuration keys, and what an entry for a key says (`keys`). Raises
UserError with what is allowed."""

import json
import re
import shlex
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError, WithJsonSchema
from pydantic_core import PydanticCustomError
from typing_extensions import TypedDict

from untilgreen.core import document
from untilgreen.core.errors import UserError, meant
from untilgreen.core.model.settings import Criteria
from untilgreen.core.record import NamedTuple
from untilgreen.project import tables

CRITERIA = tuple(name for name in Criteria._fields if name not in ("only", "judge", "stagnation_limit"))
CHECK_NAME = re.compile(r"[A-Za-z0-9_-]+")

# nine digits are enough for anybody, and int() refuses very long ones
_NUMBER = re.compile(r"0*([0-9]{1,9})")
_AMOUNT = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")
_QUOTED = re.compile(r"""'[^']*'|"(?:\\.|[^"\\])*"|\\.""", re.DOTALL)
_OPERATOR = re.compile(r"&&|\|\||[|&;<>]")


def shown(value: object) -> str:
    """A value as an error line shows it: as JSON, cut after 60 characters."""
    written = json.dumps(value, default=str, ensure_ascii=False)
    return written if len(written) <= 60 else written[:57] + "..."


def number(flag: str, value: str) -> int:
    """A whole number in decimal ASCII digits: `08` is eight, `1_0`, `+3` and `1.5` are none."""
    digits = _NUMBER.fullmatch(value)
    if not digits:
        wanted = "a whole number of at most nine digits"
        raise UserError(f"{flag}: {shown(value)} is not {wanted}", f"write digits only, for example {flag} 10")
    return int(digits[1])


def amount(flag: str, value: str) -> float:
    """A number in decimal ASCII digits, with what is less than one behind a point."""
    if not _AMOUNT.fullmatch(value):
        raise UserError(f"{flag}: {shown(value)} is not a number", f"write for example {flag} 2.50")
    return float(value)


def text(value: str) -> str:
    """Text that can be encoded: bytes of the command line that are no text become question marks."""
    return value.encode("utf-8", "replace").decode("utf-8")


def command_words(command: str) -> tuple[str, ...]:
    """The words of a command line that runs without a shell."""
    operator = _OPERATOR.search(_QUOTED.sub("", command))
    if operator:
        advice = f"quote it, or use sh -c {shlex.quote(command)}"
        raise UserError(f"{operator[0]} is for a shell, and the command runs without one", advice)
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise UserError(f"{shown(command)}: {str(error).lower()}", "close the quote, or escape it") from None
    if not words or not words[0]:
        raise UserError("the command is empty", "write for example pytest -q")
    return words


class Option(NamedTuple):
    flag: str
    help: str
    value: str = ""  #: what the help calls its value; "" for a switch
    short: str = ""
    typed: bool = True  #: a slash command takes it, too: it has a session, and no stdin or stdout of its own
    key: str = ""  #: the key of the configuration that it sets
    sets: Any = True  #: what a switch sets its key to, or adds to a list

    @property
    def name(self) -> str:
        return self.flag.lstrip("-").replace("-", "_")


class Key(NamedTuple):
    """What is said of one key, beside its type and its default."""

    means: str = ""  #: for people; `described` gives it
    kind: Any = None  #: its type as pydantic checks it, where that of the record does not say it all
    choices: tuple[str, ...] = ()  #: the few words that it may be, or a list may hold
    listed_by: str = ""  #: the command that lists them, in the place of the help
    option: str | None = None  #: what the option `--KEY` calls its value; "" for a switch, None for no option
    short: str = ""
    switches: Mapping[str, tuple[Any, str]] = {}  #: more options: what each sets the key to, and its help


class Table(NamedTuple):
    record: Any
    keys: Mapping[str, Key]

    @property
    def types(self) -> dict[str, Any]:
        return {name: kind for name, (_, kind) in document.fields(self.record).items()}

    def default(self, name: str) -> Any:
        return document.value(self.record(), name)

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
        given.__pydantic_config__ = ConfigDict(extra="forbid")
        return Annotated[given, AfterValidator(lambda found: document.changed(self.record(), found))]

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
        key, default = self.keys[name], self.default(name)
        parts = [key.means]
        if key.choices and key.option != "|".join(key.choices):
            one_of_them = f"One of {', '.join(key.choices)}."
            parts.append(f"`{key.listed_by}` lists them." if key.listed_by else one_of_them)
        if isinstance(default, tuple):
            parts.append("Repeatable.")
        elif default:
            parts.append(f"Default: {default}.")
        return " ".join(parts)


def described(section: str, record: Any, keys: Mapping[str, Key]) -> Table:
    """The table of the keys in this section of `templates/settings.txt`, which says what each means. `keys`: of those
    about which there is more to say than that and the record."""
    rows, found = tables.read("settings"), dict[str, Key]()
    for name, means in rows[section]:
        switches = {flag: (value, told) for flag, value, told in rows.get(f"{section}.{name}", ())}
        found[name] = keys.get(name, Key())._replace(means=means, switches=switches)
    return Table(record, found)


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


def matching(pattern: str, wanted: str) -> Any:
    """A text in which the pattern is found; errors call it `wanted`."""
    return fitting(re.compile(pattern).search, wanted, pattern=pattern)


def listed(item: Any, *more: Any, kept: Callable[[list[Any]], Any] = tuple) -> Any:
    """A list of these; `more`: what holds of it as a whole; `kept`: makes the value of it."""
    return Annotated[(list[item], *more, AfterValidator(kept))]


def is_regex(pattern: str) -> bool:
    """Whether it compiles."""
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return False
    return True


MOST = 10**9
ABOVE_ZERO = Annotated[float, Field(gt=0, le=MOST)]


def at_least(least: int, kind: type = int) -> Any:
    """A number from here up."""
    return Annotated[kind, Field(ge=least, le=MOST)]


def _words(command: Any) -> Any:
    if isinstance(command, str):
        try:
            return list(command_words(command))
        except UserError as error:
            raise PydanticCustomError("command", "{reason}", {"reason": error.reason, "fix": error.fix}) from None
    if not isinstance(command, list) or not command or not command[0]:
        raise ValueError("a command, as a string or a list of strings")
    return command


_COMMAND = {
    "type": ["string", "array"],
    "items": {"type": "string"},
    "prefixItems": [{"type": "string", "minLength": 1}],
    "minItems": 1,
    "pattern": r"\S",
}
# the words of a command, or one string of them
COMMAND = Annotated[list[str], AfterValidator(tuple), BeforeValidator(_words), WithJsonSchema(_COMMAND)]
REGEX = fitting(is_regex, "a valid regular expression", format="regex")


class Fault(NamedTuple):
    """What is wrong with a value, and where in it: keys and places of lists."""

    path: tuple[int | str, ...]
    reason: str
    fix: str


def fault(path: tuple[int | str, ...], reason: str, fix: str) -> Fault:
    """This fault, whose reason begins with its path."""
    return Fault(path, f"{_dotted('', path)}: {reason}", fix)


def taken(kind: Any, value: Any, where: str = "") -> Any:
    """A value in its canonical form, if it is of this kind; `where` it stands. Raises UserError with its path."""
    found, wrong = validated(kind, value, where=where)
    if wrong:
        raise UserError(wrong[0].reason, wrong[0].fix)
    return found


def validated(
    kind: Any, value: Any, known: Callable[[tuple[int | str, ...]], Iterable[str]] = lambda _: (), where: str = ""
) -> tuple[Any, list[Fault]]:
    """A value in its canonical form, and all that is wrong with it. `known`: the keys of a table at a path."""
    try:
        return TypeAdapter(kind).validate_python(value, strict=True), []
    except ValidationError as error:
        return None, [_fault(one, where, known) for one in error.errors(include_url=False)]


def _fault(told: Any, where: str, known: Callable[[tuple[int | str, ...]], Iterable[str]]) -> Fault:
    """One error of pydantic's."""
    path = tuple(part for part in told["loc"] if part != "[key]")
    if told["type"] == "extra_forbidden":
        *table, name = path
        keys = tuple(known(path[:-1]))
        in_table = f"{_dotted(where, table)}: " if table else ""
        return Fault(path, f"{in_table}unknown key {name}{meant(name, keys)}", f"take one of {', '.join(keys)}")
    at, more = _dotted(where, path), told.get("ctx", {})
    if "fix" in more:
        return Fault(path, f"{at}: {told['msg']}".lstrip(": "), more["fix"])
    wanted = dict(tables.read("settings")["wanted"]).get(told["type"], "another value").format(**more)
    return Fault(path, f"{at} is {shown(told['input'])}{more.get('meant', '')}".lstrip(), f"give {wanted}")


def _dotted(where: str, path: Iterable[int | str]) -> str:
    """`criteria[0]`; of a flag that may be given several times nobody counts."""
    counted = "" if where.startswith("--") else "[{}]"
    return f"{where}{''.join(counted.format(part) if isinstance(part, int) else f'.{part}' for part in path)}".lstrip(
        "."
    )
