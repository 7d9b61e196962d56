"""Documents out of what a command printed: JSON and XML, nothing of it trusted."""

import json
import re

from untilgreen.checkers.answer import Malformed, table, within
from untilgreen.core.record import Any


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
    without one there are no entities to expand or to fetch. Raw control characters, from what tests print, are taken
    out."""
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
