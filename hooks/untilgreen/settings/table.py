"""What an entry for a key of the configuration says, and what follows from it; `keys` has the entries."""

import operator
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, get_type_hints

from untilgreen.settings import values


class Option(NamedTuple):
    """One option of a start."""

    flag: str
    help: str
    value: str = ""  #: what the help calls its value; "" for a switch
    short: str = ""
    typed: bool = True  #: a slash command takes it, too: it has a session, and no stdin or stdout of its own
    key: str = ""  #: the key of the configuration that it sets
    sets: Any = True  #: what a switch sets its key to, or adds to a list


class Key(NamedTuple):
    """What is said of one key, beside its type and its default."""

    means: str
    allowed: Mapping[str, Any] = {}  #: as JSON Schema says it, beside the type
    named: str = ""  #: how an error names what is allowed, where `allowed` alone does not tell
    rule: Callable[[Any], bool] | None = None  #: what no schema can say
    canonical: Callable[[Any], Any] | None = None  #: gives the form that is kept
    option: str | None = None  #: what the option `--KEY` calls its value; "" for a switch, None for no option
    short: str = ""
    switches: Mapping[str, tuple[Any, str]] = {}  #: more options: what each sets the key to, and its help

    @property
    def wanted(self) -> str:
        """What is allowed, in words; "" where the type says it all."""
        if self.named:
            return self.named
        if self.choices:
            return f"{'one' if 'enum' in self.allowed else 'some'} of {', '.join(self.choices)}"
        if "minimum" in self.allowed:
            return f"a number from {self.allowed['minimum']} up"
        return "a valid regular expression" if self.allowed.get("format") == "regex" else ""

    @property
    def choices(self) -> tuple[str, ...]:
        """The few words that it may be, or a list may hold, in their canonical form."""
        found = tuple(self.allowed.get("enum") or self.allowed.get("items", {}).get("enum", ()))
        return tuple(self.canonical(found)) if found and self.canonical else found

    def fits(self, value: Any) -> bool:
        """Whether a value of the right type is allowed."""
        return _fits(value, self.allowed) and (self.rule is None or self.rule(value))

    def taken(self, where: str, value: Any) -> Any:
        """A value of the right type in its canonical form. Raises UserError, which begins with `where`."""
        if not self.fits(value):
            raise values.wrong(where, self.wanted, value)
        return self.canonical(value) if self.canonical else value


class Table(NamedTuple):
    """The keys of one record, by their names."""

    record: Any
    keys: Mapping[str, Key]
    where: str = ""  #: what the path of each key begins with

    @property
    def types(self) -> dict[str, Any]:
        """The type of each key."""
        return get_type_hints(self.record)

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


def compiled(pattern: str) -> re.Pattern[str] | None:
    """The regular expression, None where it is none."""
    try:
        return re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return None


# the words of JSON Schema that the tables use; as there, a word ignores values of another type
_WORDS: Mapping[str, Callable[[Any, Any], bool]] = {
    "enum": lambda value, allowed: value in allowed,
    "minimum": operator.ge,
    "exclusiveMinimum": operator.gt,
    "maximum": operator.le,
    "minLength": lambda value, least: len(value) >= least,
    "minItems": lambda value, least: len(value) >= least,
    "items": lambda value, each: all(_fits(item, each) for item in value),
    "prefixItems": lambda value, first: all(map(_fits, value, first)),
    "pattern": lambda value, pattern: not isinstance(value, str) or bool(re.search(pattern, value)),
    "format": lambda value, _: compiled(value) is not None,
}


def _fits(value: Any, allowed: Mapping[str, Any]) -> bool:
    return all(_WORDS[word](value, limit) for word, limit in allowed.items() if word in _WORDS)
