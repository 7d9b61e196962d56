"""Documents out of what a command printed, JSON and XML, and what lies at a path of them; nothing of it trusted."""

import json
import re

from untilgreen.checkers.answer import Malformed
from untilgreen.core.record import Any, TypeVar

_Shape = TypeVar("_Shape")


def json_object(text: str) -> dict[str, Any]:
    """The JSON object in a text, behind what `npm run` says that it runs. Raises Malformed, also where more follows:
    a second report, of the next package of a workspace, must not go unread."""
    document = _beginning(text, r"^[ \t]*\{", "a JSON object is")
    try:
        value, end = json.JSONDecoder().raw_decode(document)
    except (ValueError, RecursionError) as error:
        raise Malformed(f"it is not JSON: {error}") from error
    if end != len(document):
        raise Malformed("more text follows the JSON object; one report is expected")
    return table(value)


def json_lines(text: str) -> list[dict[str, Any]]:
    """The JSON objects of a text that holds one on each line; lines before the first are passed over. Raises
    Malformed, also for a text without any; an empty one has none."""
    if not text.strip():
        return []
    document = _beginning(text, r"^[ \t]*\{", "a JSON object on each line is")
    try:
        return [table(json.loads(line)) for line in document.split("\n") if line.strip()]
    except (ValueError, RecursionError) as error:
        raise Malformed(f"a line is not JSON: {error}") from error


def xml(text: str) -> Any:
    """The root Element of an XML text, names without their namespaces. Raises Malformed, also for a document type:
    without one there are no entities to expand or to fetch. Control characters that tests print are taken out."""
    from xml.etree import ElementTree as ET  # costs what a third of the interpreter's start does

    class Plain(ET.TreeBuilder):
        def start(self, tag: str, attributes: dict[str, str]) -> Any:
            return super().start(tag.rpartition("}")[2], attributes)

        def doctype(self, name: str, _public: str | None, _system: str | None) -> None:
            raise Malformed(f"it declares a document type: {name}")

    document = _beginning(text, r"^[ \t]*<", "XML is")
    try:
        parser = ET.XMLParser(target=Plain())  # noqa: S314 - no document type, no entities
        parser.feed(re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f]", "", document))
        return parser.close()
    except (ET.ParseError, ValueError, LookupError) as error:
        raise Malformed(f"it is not XML: {error}") from error


def _beginning(text: str, pattern: str, what: str) -> str:
    """The text from the first line on that begins so."""
    text = text.removeprefix("\ufeff")
    opening = re.search(pattern, text, re.MULTILINE)
    if not opening:
        raise Malformed(f"{what} expected, " + ("there is none" if text.strip() else "nothing came"))
    return text[opening.start() :].strip()


def string(value: Any, *path: str | int) -> str:
    found = within(value, *path)
    return found if isinstance(found, str) else ""


def json_answer(text: str) -> Any:
    """What a tool answered in JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Malformed(f"the answer is not JSON: {error}") from error


def within(value: Any, *path: str | int) -> Any:
    """What lies at this path of keys and indexes, None where any step of it is missing."""
    for step in path:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value):
            value = value[step]
        else:
            return None
    return value


def text(record: Any, *path: str, missing: str | None = None) -> str:
    """The text at this path; `missing` where there is none, or null."""
    return _shaped(str, "no text", record, path, missing)


def number(record: Any, *path: str, missing: int | None = None) -> int:
    """The number at this path, 0 if it is below that; `missing` where there is none, or null."""
    return max(_shaped(int, "no number", record, path, missing), 0)


def items(record: Any, *path: str, missing: list[Any] | None = None) -> list[Any]:
    """The list at this path; `missing` where there is none, or null."""
    return _shaped(list, "no list", record, path, missing)


def table(record: Any, *path: str) -> dict[str, Any]:
    return _shaped(dict, "no object", record, path, None)


def tables(record: Any, *path: str, missing: list[Any] | None = None) -> list[dict[str, Any]]:
    """The list of objects at this path; `missing` as for `items`."""
    return [table(item) for item in items(record, *path, missing=missing)]


def _shaped(kind: type[_Shape], complaint: str, record: Any, path: tuple[str, ...], missing: Any) -> _Shape:
    value = within(record, *path)
    value = missing if value is None else value
    if isinstance(value, kind) and not isinstance(value, bool):
        return value
    what = "missing" if value is None else complaint
    raise Malformed(f"the answer has another shape: {'.'.join(path) or 'it'} is {what}")
