"""Whether configuration asks for less than at the start: compared as values, key by key, wherever they stand.

What is stricter is free, and what only moved is none. What nobody here can read, and a setting that no row of the table
names, asks for less if it is another one now. Cold: only a green for which something stands against comes here.
"""

import configparser
import json
import posixpath
import re
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress

from untilgreen.core.record import Any, NamedTuple
from untilgreen.project.calls import documents
from untilgreen.project.fakes import shapes
from untilgreen.project.tree import toml_sections

_SHARED = ("pyproject.toml", "setup.cfg", "tox.ini", "package.json", "Cargo.toml")
_OFF = ((), ("false",), ("off",), ("0",), ("no",))
_LABELS = ("module", "id", "repo", "name")  # what tables in a list are called by
_RUFF = ("E4", "E7", "E9", "F")
_DEEPEST = 5  # configuration that extends configuration that ...
Words = tuple[str, ...]


class Side(NamedTuple):
    """The project then, or now."""

    paths: Collection[str]
    content: Callable[[str], bytes | None]  #: of a path; None where there is no such file


def asks_less(name: str, then: Side, now: Side) -> bool:
    """Whether what has this name ("mypy.ini", "setup.cfg [mypy]") asks for less than it did."""
    path = name.partition(" [")[0]
    if posixpath.basename(path).startswith("eslint.config."):
        return _drops_rules(then, now, path)
    # what is none of a tool's own places is what one of these extends
    ours = _ours(name) or [
        one
        for other in now.paths
        if path.endswith(".json") and other.endswith(".json") and other != path
        for one in _ours(other)
        if posixpath.basename(path).encode() in (now.content(other) or b"")
    ]
    try:
        if name.endswith("Cargo.toml [lib]"):
            return _other_library(posixpath.dirname(path), then, now)
        if name.endswith("go.mod [replace]"):
            return _replaces_known(path, then, now)
        return not ours or any(_weaker(*one, then, now) for one in ours)
    except (ValueError, RecursionError, AttributeError, configparser.Error):  # no one can read it
        return True


def loosens(name: str, then: Side, now: Side) -> bool:
    """Whether it asks for less by a setting that a row of the table knows."""
    with suppress(ValueError, RecursionError, AttributeError, configparser.Error):
        return any(_weaker(*one, then, now, known=True) for one in _ours(name))
    return False


def _ours(name: str) -> list[tuple[str, list[str], str]]:
    """The tools that this is about, each with the places of its settings, and the folder."""
    path, _, section = name.rstrip("]").partition(" [")
    folder, file = posixpath.split(path)
    return [
        (tool, places.split(), folder)
        for tool, places in shapes.parts_in("settings", "*")
        for place in places.split()
        if place.startswith(f"{file}:") and (not section or section.startswith(place.partition(":")[2]))
    ]


def _weaker(tool: str, places: list[str], folder: str, then: Side, now: Side, *, known: bool = False) -> bool:
    old, new = (_settings(places, folder, side) for side in (then, now))
    for key in {*old, *new}:
        was, is_now = old.get(key), new.get(key)
        if was == is_now or (was and is_now and sorted(was) == sorted(is_now)):
            continue
        rows = [
            row
            for row in shapes.parts_in("asks", tool)
            if re.fullmatch(row[1], key.rpartition("].")[2]) or re.fullmatch(row[1], key)
        ]
        implied = is_now is None and new.get("strict") == ("true",) and any(row[0] == "flag" for row in rows)
        moved = any(row[0] == "places" for row in rows) and _only_moved(was or (), is_now or (), folder, then, now)
        moved = moved or any(row[0] == "scope" and _covers(was, is_now, row[2], folder, then, now) for row in rows)
        # a scope that nobody named before, and what is no more than listed here: a run tells
        unread = known and all(
            row[0] in ("added", "free", "places") or (row[0] in ("more", "scope") and was is None) for row in rows
        )
        if not (unread or implied or moved or any(_holds(row, key, was, is_now, old) for row in rows)):
            return True
    return False


def _holds(row: list[str], key: str, was: Words | None, now: Words | None, old: Mapping[str, Words]) -> bool:
    """Whether a setting asks for no less, as this row says. `was`, `now`: None where nobody set it."""
    how, _, *extra = row
    unset = tuple(extra[0].split()) if extra else ()
    before, after = unset if was is None else was, unset if now is None else now
    come, gone = {*(now or ())} - {*(was or ())}, {*before} - {*after}
    codes = (*old.get("select", _RUFF), *old.get("extend-select", ()))
    levels, said = {word: number for number, word in enumerate(unset)}, now or ()

    def numbers(none: float) -> list[float]:
        return [float(words[0]) if words else none for words in (before, after)]

    ways: dict[str, Callable[[], bool]] = {
        "free": lambda: not extra or all(re.fullmatch(extra[0], word) for word in come),
        "flag": lambda: said not in _OFF or (now is None and (was or ()) in _OFF),
        "unflag": lambda: said in _OFF,
        "more": lambda: "*" in after or not gone,
        "codes": lambda: all(_selected(code, after) for code in before),
        "fewer": lambda: not come,
        "most": lambda: numbers(float("inf")) == sorted(numbers(float("inf")), reverse=True),
        "least": lambda: numbers(0.0) == sorted(numbers(0.0)),
        "level": lambda: (
            said[1:] == (was or ())[1:]
            and levels[said[0]] >= (levels[was[0]] if was else min(2, levels.get("warn", levels.get("auto", 2))))
        ),
        "words": lambda: (
            all(re.fullmatch(extra[0], one) for one in come)
            and all(re.fullmatch(extra[1], one) for one in {*(was or ())} - {*said})
        ),
        "filters": lambda: (
            not any(word[:5] == "error" for word in was or ())
            or not (gone or any(word[:5] != "error" for word in come))
        ),
        "silent": lambda: not _selected(extra[0], codes),
        "unasked": lambda: not any(_selected(one, codes) or _selected(two, (one,)) for one in come for two in codes),
        "added": lambda: was is None and not any(one.startswith(key[: key.rindex("]") + 1]) for one in old),
    }
    return how in ways and ways[how]()


def _selected(code: str, codes: Collection[str]) -> bool:
    return any(one in ("ALL", "all") or code.startswith(one) for one in codes)


def _covers(was: Words | None, now: Words | None, ends: str, folder: str, then: Side, after: Side) -> bool:
    """Whether the files that are there still and were looked at are looked at; without words all are."""
    both = (posixpath.relpath(path, folder or ".") for path in {*then.paths} & {*after.paths} if re.search(ends, path))

    def within(path: str, words: Words | None) -> bool:
        places = [re.escape(re.sub(r"^\./|/$", "", word)) for word in words or ()]
        globs = [one.replace(r"\*\*/", "(?:.*/)?").replace(r"\*\*", ".*").replace(r"\*", "[^/]*") for one in places]
        return words is None or any(one in ("", r"\.") or re.match(rf"(?:{one})(?:/|$)", path) for one in globs)

    return all(within(path, now) for path in both if within(path, was))


def _only_moved(was: Collection[str], now: Collection[str], folder: str, then: Side, after: Side) -> bool:
    """Whether the folders that modules are now taken from hold something, and only what lay elsewhere, and is there no
    more. What git ignores is unknown."""

    def modules(folders: Collection[str], paths: Collection[str]) -> set[str]:
        places = (posixpath.normpath(posixpath.join(folder, one)) for one in folders)
        starts = ["" if one == "." else f"{one}/" for one in places]
        below = (path[len(start) :] for path in paths for start in starts if path.startswith(start))
        return {path.partition("/")[0].removesuffix(".py") for path in below if path.endswith(".py")}

    added, others = modules({*now} - {*was}, after.paths), {*was, "."}
    seen = all(modules({one}, after.paths) for one in {*now} - {*was})
    return seen and added <= modules(others, then.paths) and not added & modules(others, after.paths)


def _other_library(folder: str, then: Side, now: Side) -> bool:
    """Whether a crate has another file for its library while the old one lies there still, or tests it otherwise."""
    old, new = (_settings(["Cargo.toml:lib"], folder, side) for side in (then, now))
    stays = posixpath.join(folder, *old.get("path", ("src/lib.rs",))) in now.paths
    return stays or any(old.get(key) != new.get(key) for key in ("test", "doctest", "harness"))


def _replaces_known(path: str, then: Side, now: Side) -> bool:
    """Whether another module stands now in the place of one that was there: what a go.mod or go.sum named."""
    texts = [(side.content(path) or b"").decode("utf-8", "replace") for side in (then, now)]
    old, new = ({*re.findall(r"(?m)^\s*(?:replace\s+)?(\S+)(?:[ \t]+v\S+)?\s*=>\s*(.+)$", text)} for text in texts)
    sums = (then.content(f"{path[:-3]}sum") or b"").decode("utf-8", "replace")
    known = {*re.findall(r"\S+", f"{texts[0]}\n{sums}")}
    return not old <= new or any(module in known for module, _ in new - old)


def _drops_rules(then: Side, now: Side, path: str) -> bool:
    """Whether a configuration of ESLint, which is a program, has other lines now than rules that are errors."""
    # how it is laid out is none: what stands between braces and commas counts
    parts = [
        re.split(r"[{}\n]|,(?![^\[\n]*\])", (side.content(path) or b"").decode("utf-8", "replace"))
        for side in (then, now)
    ]
    old, new = ({bare for one in some if (bare := one.strip(" \t\r,;")) and bare[:2] != "//"} for some in parts)
    a_rule, an_error = shapes.pattern("any rule"), shapes.pattern("strict rule")
    known = {match[1] for line in old if "error" in line and (match := re.fullmatch(a_rule, line))}
    came = {match[1] for line in new - old if (match := re.fullmatch(a_rule, line))}
    gone = any(not re.fullmatch(a_rule, line) or "error" in line for line in old - new)
    weaker = gone or bool(known & came) or not all(re.fullmatch(an_error, one) for one in new - old)
    return weaker if old else any("eslint" in one for one in then.paths)


# --- settings, as they hold: the first file of a folder that has any


def _settings(places: list[str], folder: str, side: Side) -> dict[str, Words]:
    """Dotted key to its words, in a tool's own folder."""
    for place in places:
        file, _, section = place.partition(":")
        found = _read(posixpath.join(folder, file), section, side)
        if found is not None and (found or file not in _SHARED):
            return found
    return {}


def _read(path: str, section: str, side: Side, depth: int = 0) -> dict[str, Words] | None:
    """The same of one file, above what it extends in the project; None where there is no such file, or section."""
    content = side.content(path)
    found = None if content is None else _table(posixpath.basename(path), section, content.decode("utf-8-sig"))
    if found is None:
        return None
    said = {re.sub(r"^(?:ini_options|lint)\.", "", key): words for key, words in _flat("", found)}
    below = dict[str, Words]()
    for word in said.get("extends", ()) if path.endswith(".json") and depth < _DEEPEST else ():
        base = posixpath.normpath(posixpath.join(posixpath.dirname(path), word))
        if word[0] == "." and (under := _read(base, section, side, depth + 1)) is not None:
            below |= under
            del said["extends"]
    return below | said


def _table(file: str, section: str, text: str) -> Any:
    if file.endswith((".ini", ".cfg", ".flake8")):
        sections = documents.ini_of(text)
        others = {name: values for name, values in sections.items() if name.startswith(f"{section}-")}
        below = {f"overrides[{name[len(section) + 1 :]}]": values for name, values in others.items()}
        return sections.get(section, {}) | below
    if file.endswith(".toml"):
        document: Any = tomllib.loads(text)
    elif file.endswith(".json"):
        document = toml_sections.jsonc(text)
    else:
        import yaml

        try:
            document = yaml.safe_load(text)
        except yaml.YAMLError as error:
            raise ValueError from error
    return documents.table(document, *filter(None, section.split(".")))


def _flat(prefix: str, value: Any) -> Iterator[tuple[str, Words]]:
    """Every value of a document below its dotted name; of tables in a list by what each is called."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield from _flat(f"{prefix}.{key}" if prefix else str(key), one)
    elif isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        for number, one in enumerate(value):
            label = next((",".join(_words(one[key])) for key in _LABELS if key in one), str(number))
            yield from _flat(f"{prefix}[{label}]", one)
    else:
        yield prefix, _words(value)


def _words(value: Any) -> Words:
    if isinstance(value, list):
        return tuple(word for one in value for word in _words(one))
    if isinstance(value, str):
        return tuple(word.lower() if word in ("True", "False") else word for word in re.split(r"[,\s]+", value) if word)
    return (json.dumps(value, default=str),)
