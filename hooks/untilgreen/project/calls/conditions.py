"""The conditions of GitHub's workflows, for what an ordinary push or pull request here would make of them.

What only a run could tell (`steps.x.outputs.y`, `vars.X`) is UNKNOWN, and an unknown condition keeps nothing from
running. Learned from GitHub's own description of expressions: texts are compared without their case, values of two
kinds as numbers, and what is not there is null.
"""

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress

from untilgreen.core.record import Any, NamedTuple

UNKNOWN: Any = object()
_NOT_HERE: Any = object()  # who pushes to which repository: equal to no name that somebody wrote down
_BRANCH: Any = object()  # some branch, and no tag
_MOST = 256  # words of a condition
SYSTEM = {"win32": "Windows", "darwin": "macOS"}.get(sys.platform, "Linux")
_WORD = re.compile(r"\s*(?:'((?:[^']|'')*)'|(-?\d+(?:\.\d+)?)|([A-Za-z_][\w-]*)|(&&|\|\||[=!<>]=|[!<>()\[\].,*]))")
_ACTIONS = ("opened", "synchronize", "reopened")  # what becomes of a pull request that somebody pushes to
_FIXED = {
    **dict.fromkeys(("github.repository", "github.repository_owner", "github.event.repository.full_name"), _NOT_HERE),
    **dict.fromkeys(("github.event.pull_request.head.repo.full_name", "github.actor"), _NOT_HERE),
    **dict.fromkeys(("github.triggering_actor", "github.event.repository.owner.login"), _NOT_HERE),
    "github.head_ref": _NOT_HERE,  # a branch of a usual name
    "github.ref_type": "branch",
    "github.ref": _BRANCH,
    "runner.os": SYSTEM,
    "job.status": "success",
}
_FUNCTIONS: dict[str, Callable[[Sequence[Any]], Any]] = {
    "always": lambda _: True,
    "success": lambda _: True,
    "failure": lambda _: False,
    "cancelled": lambda _: False,
    "contains": lambda given: _within(given, lambda one, part: part in one),
    "startswith": lambda given: _within(given, str.startswith),
    "endswith": lambda given: _within(given, str.endswith),
}


class Context(NamedTuple):
    """What is known where an expression stands."""

    event: str
    matrix: Mapping[str, Any] | None = None  #: the values of the job, None where they are not known
    known: Mapping[str, Any] = {}  #: inputs and variables, by their names in small letters: `inputs.os`, `env.dirs`


def holds(condition: object, context: Context) -> bool:
    """Whether a condition, as it is written, may be true."""
    return _truth(value(condition, context)) is not False


def filled(text: str, context: Context) -> str:
    """A text with the values of its expressions; one whose value nobody here can tell stays as it is."""

    def written(match: re.Match[str]) -> str:
        found = value(match[0], context)
        # null is no text; but where a workflow has no matrix its values were meant to be some
        if found is None and "github." not in match[0] and not ("matrix." in match[0] and not context.matrix):
            return ""
        if isinstance(found, bool):
            return str(found).lower()
        return f"{found:g}" if isinstance(found, float) else str(found) if isinstance(found, str | int) else match[0]

    return re.sub(r"\$\{\{.*?\}\}", written, text) if "${{" in text else text


def given(written: object, context: Context) -> Any:
    """What an input is given: the value of an expression, or a text with the values of its expressions."""
    whole = not isinstance(written, str) or re.fullmatch(r"\s*\$\{\{(?:(?!\}\}).)*\}\}\s*", written)
    found = value(written, context) if whole else filled(str(written), context)
    return UNKNOWN if isinstance(found, str) and "${{" in found else found


def value(written: object, context: Context) -> Any:
    """What an expression comes to; UNKNOWN where nobody here can tell. Anything but a text is itself."""
    if not isinstance(written, str):
        return written
    text = written.strip()
    inner = text.removeprefix("${{").removesuffix("}}") if text.count("${{") == 1 and text.endswith("}}") else text
    words = list(_words(inner.replace("${{", "(").replace("}}", ")")))
    if not words or len(words) > _MOST:
        return UNKNOWN
    with suppress(ValueError, RecursionError):
        reader = _Expression(words, context)
        found = reader.either()
        return found if not reader.words else UNKNOWN
    return UNKNOWN


def _words(text: str) -> Iterator[tuple[str, Any]]:
    place = 0
    while place < len(text.rstrip()):
        match = _WORD.match(text, place)
        if match is None:
            yield "operator", ""  # no expression that GitHub would take
            return
        quoted, number, name, operator = match.groups()
        place = match.end()
        if quoted is not None:
            yield "value", quoted.replace("''", "'")
        elif number is not None:
            yield "value", float(number)
        else:
            yield ("name", name) if name else ("operator", operator)


class _Expression:
    """Reads an expression once, from its first word to its last. Raises ValueError for what is none."""

    def __init__(self, words: list[tuple[str, Any]], context: Context) -> None:
        self.words, self.context = words, context

    def either(self) -> Any:
        found = self.both()
        while self._taken("||"):
            other, truth = self.both(), _truth(found)
            found = other if truth is False else found if truth or _truth(other) is not True else True
        return found

    def both(self) -> Any:
        found = self.compared()
        while self._taken("&&"):
            other, truth = self.compared(), _truth(found)
            found = other if truth is True else found if truth is False or _truth(other) is not False else False
        return found

    def compared(self) -> Any:
        found = self.single()
        for operator in ("==", "!="):
            if self._taken(operator):
                same = _same(found, self.single())
                return same if same is UNKNOWN or operator == "==" else not same
        if any(map(self._taken, ("<", ">", "<=", ">="))):
            self.single()
            return UNKNOWN
        return found

    def single(self) -> Any:
        if self._taken("!"):
            truth = _truth(self.single())
            return truth if truth is UNKNOWN else not truth
        if self._taken("("):
            found = self.either()
            self._expect(")")
            return found
        kind, word = self.words.pop(0) if self.words else ("operator", "")
        if kind == "operator":
            raise ValueError(word)
        return self._named(word.lower()) if kind == "name" else word

    def _named(self, name: str) -> Any:
        if name in ("true", "false", "null"):
            return {"true": True, "false": False}.get(name)
        if self._taken("("):
            given: list[Any] = []
            while not self._taken(")"):
                given.append(self.either())
                if not self._taken(","):
                    self._expect(")")
                    break
            if name == "fromjson":
                return _document(given)
            return _FUNCTIONS[name](given) if name in _FUNCTIONS else UNKNOWN
        path = [name]
        while True:
            if self._taken("["):
                path.append(str(self.either()))
                self._expect("]")
            elif self._taken("."):
                path.append(str(self.words.pop(0)[1]) if self.words else "")
            else:
                return self._known(".".join(path))

    def _known(self, path: str) -> Any:
        first, _, rest = path.partition(".")
        if first == "matrix":
            matrix = self.context.matrix
            return UNKNOWN if matrix is None or not rest else _of_matrix(matrix, rest)
        path = path.lower()
        if path in self.context.known:
            return self.context.known[path]
        if path in _FIXED:
            return _FIXED[path]
        if path == "github.event_name":
            return self.context.event
        if path == "github.event.action":
            return _ACTIONS if self.context.event.startswith("pull_request") else None
        if path == "github.event.pull_request" and self.context.event.startswith("pull_request"):
            return UNKNOWN
        if path.startswith(("github.event.", "inputs.", "runner.debug")):
            return None
        return "success" if path.endswith((".result", ".outcome", ".conclusion")) else UNKNOWN

    def _taken(self, operator: str) -> bool:
        if self.words[:1] != [("operator", operator)]:
            return False
        del self.words[0]
        return True

    def _expect(self, operator: str) -> None:
        if not self._taken(operator):
            raise ValueError(operator)


def _of_matrix(matrix: Any, path: str) -> Any:
    for name in path.split("."):
        matrix = matrix.get(name) if isinstance(matrix, dict) else None
    return matrix


def _truth(found: Any) -> Any:
    return found if found is UNKNOWN else bool(found)


def _same(one: Any, other: Any) -> Any:
    if _NOT_HERE in (one, other):
        return one is other
    if UNKNOWN in (one, other):
        return UNKNOWN
    if _BRANCH in (one, other):
        return (
            False
            if any(isinstance(each, str) and not each.startswith("refs/heads/") for each in (one, other))
            else UNKNOWN
        )
    if isinstance(one, tuple) or isinstance(other, tuple):
        several, single = (one, other) if isinstance(one, tuple) else (other, one)
        return single in several
    if isinstance(one, str) and isinstance(other, str):
        return one.lower() == other.lower()
    return _number(one) == _number(other)


def _number(found: Any) -> float:
    if found is None:
        return 0
    try:
        return float(found or 0)
    except (TypeError, ValueError):
        return float("nan")


def _within(given: Sequence[Any], test: Callable[[Any, Any], bool]) -> Any:
    whole, part = given if len(given) == 2 else (UNKNOWN, UNKNOWN)
    if UNKNOWN in (whole, part):
        return UNKNOWN
    if _NOT_HERE in (whole, part) or whole is None or part is None:
        return False
    if isinstance(whole, list):
        return any(_same(one, part) is True for one in whole)
    found = str(part).lower()
    if whole is _BRANCH:
        return False if "tag" in found else UNKNOWN
    return test(str(whole).lower(), found)


def _document(given: Sequence[Any]) -> Any:
    with suppress(ValueError, TypeError, IndexError):
        return json.loads(given[0])
    return UNKNOWN
