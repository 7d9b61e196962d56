"""Documents out of what a command printed: JSON and XML, nothing of it trusted."""

import json
import re
from typing import Any

from untilgreen.checkers.answer import Malformed, table, within


def json_object(text: str) -> dict[str, Any]:
    """The JSON object in a text. Raises Malformed.

    Whole lines before it are passed over: `npm run` says there what it runs. Nothing may follow it: a second report
    (of the next package of a workspace) must not go unread.
    """
    opening = re.search(r"^[ \t]*\{", text.removeprefix("\ufeff"), re.MULTILINE)
    if not opening:
        raise Malformed("a JSON object is expected, " + ("there is none" if text.strip() else "nothing came"))
    document = text.removeprefix("\ufeff")[opening.start() :].strip()
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
    lines = [line for line in map(str.strip, text.removeprefix("\ufeff").split("\n")) if line]
    first = next((number for number, line in enumerate(lines) if line.startswith("{")), len(lines))
    if lines and first == len(lines):
        raise Malformed("a JSON object on each line is expected, there is none")
    try:
        return [table(json.loads(line)) for line in lines[first:]]
    except (ValueError, RecursionError) as error:
        raise Malformed(f"a line is not JSON: {error}") from error


def xml(text: str) -> Any:
    """The root Element of an XML text; whole lines before it are passed over. Raises Malformed.

    No report has a document type, and without one there are no entities to expand or to fetch. Raw control
    characters, which no XML may hold, come from what tests print and are taken out.
    """
    from xml.etree import ElementTree as ET  # costs what a third of the interpreter's start does

    class Plain(ET.TreeBuilder):
        def doctype(self, name: str, _public: str | None, _system: str | None) -> None:
            raise Malformed(f"it declares a document type: {name}")

    opening = re.search(r"^[ \t]*<", text.removeprefix("\ufeff"), re.MULTILINE)
    if not opening:
        raise Malformed("XML is expected, " + ("there is none" if text.strip() else "nothing came"))
    document = text.removeprefix("\ufeff")[opening.start() :].strip()
    try:
        parser = ET.XMLParser(target=Plain())  # noqa: S314 - no document type, no entities
        parser.feed(re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f]", "", document))
        return parser.close()
    except (ET.ParseError, ValueError, LookupError) as error:
        raise Malformed(f"it is not XML: {error}") from error


def string(value: Any, *path: str | int) -> str:
    """The string at this path, "" where there is none."""
    found = within(value, *path)
    return found if isinstance(found, str) else ""
