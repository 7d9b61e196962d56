"""Our status line in the text of a settings file: put in, and taken out. Pure: no file is read or written here."""

from typing import Any

from untilgreen.cli import statusline
from untilgreen.cli.installing import settings_text

_KEY = ("statusLine",)


def there(text: str) -> bool:
    """Is the status line of a settings text ours?"""
    current = None if settings_text.blank(text) else settings_text.find(text, _KEY)
    return current is not None and statusline.is_ours(current.value)


def put(text: str, command: str, directory: str, inherited: Any = None) -> str:
    """A settings text, with hooks in it, whose status line is ours, chained before the one that was there, or before
    the one of settings that count less."""
    current = settings_text.find(text, _KEY)
    value = statusline.setting(current.value if current else None, command, directory, inherited)
    if current is None:
        return settings_text.added(text, (), value, _KEY[0])
    return text if current.value == value else settings_text.replaced(text, _KEY, value)


def without(text: str, original: str) -> str:
    """A settings text without our status line: as it was in `original`, where that has it, down to the bytes."""
    current = settings_text.find(text, _KEY)
    if current is None or not statusline.is_ours(current.value):
        return text
    kept = statusline.without(current.value)
    before = None if settings_text.blank(original) else settings_text.find(original, _KEY)
    if before is not None and before.value == kept:
        return settings_text.spliced(text, _KEY, original[before.value_start : before.end])
    return settings_text.cut(text, _KEY) if kept is None else settings_text.replaced(text, _KEY, kept)
