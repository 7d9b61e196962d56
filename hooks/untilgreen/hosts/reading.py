"""What the adapters share when they read a payload: tolerant of all that is missing, null or of another type."""

from typing import Any

from untilgreen.core.document import well_formed


def text_in(record: dict[str, Any], key: str) -> str:
    """The text under this key, "" where there is none."""
    value = record.get(key)
    return well_formed(value) if isinstance(value, str) else ""


def objects_in(value: object) -> list[dict[str, Any]]:
    """The objects of a list, none where there is no list."""
    return [record for record in value if isinstance(record, dict)] if isinstance(value, list) else []


def table_in(record: dict[str, Any], key: str) -> dict[str, Any]:
    """The object under this key, an empty one where there is none."""
    value = record.get(key)
    return value if isinstance(value, dict) else {}


def fitted(text: str, most: int) -> str:
    """The text in at most `most` bytes of UTF-8: whole lines, as many as there is room for, of one that is too long
    its beginning. For hosts that would cut it anywhere."""
    data = text.encode()
    if len(data) <= most:
        return text
    cut = data[:most].decode(errors="ignore")
    return cut.rpartition("\n")[0] or cut
