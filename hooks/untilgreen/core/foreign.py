"""Text of others, fit for a person's terminal and for a model: nothing in it is obeyed, and nothing is hidden. Pure.

A test's message, a file's name, an agent's reason: whoever wrote it may want a terminal to move its cursor, a model to
read what no person sees, or a host to take it for words of its own.
"""

import re

from untilgreen.core.document import well_formed

# plain texts: `re` compiles them where they are needed, and most texts need none of them
_SEQUENCE = (
    r"(?:\x1b\]|\x9d)[^\x07\x1b\x9c\x9d\n]*(?:\x07|\x1b\\|\x9c)"  # OSC: titles, hyperlinks
    r"|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x90\x98\x9c\x9e\x9f\n]*(?:\x1b\\|\x9c)"  # DCS, SOS, PM, APC
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    r"|\x1b[ -/]*[0-~]"
)
# C0 and C1; category Cf, with the blocks in which more of it may be; Default_Ignorable_Code_Point; the blank of Braille
_UNSEEN = (
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5"
    r"\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    r"\U000110bd\U000110cd\U00013430-\U0001345f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]+"
)
_PICTURE = (
    r"[\xa9\xae\u203c\u2049\u2122\u2139\u2190-\u23ff\u24c2\u25a0-\u27bf\u2900-\u297f\u2b00-\u2bff\u3030\u303d\u3297"
    r"\u3299\U0001f000-\U0001f3fa\U0001f400-\U0001faff]\ufe0f?[\U0001f3fb-\U0001f3ff]?"
)
# emoji keep what joins and colours them; the tags of three flags go: they can spell anything
_EMOJI = rf"({_PICTURE}(?:\u200d{_PICTURE})*|[#*0-9]\ufe0f\u20e3)|{_UNSEEN}"

_SIGNS = dict.fromkeys(map(ord, "·…✓✗→"))

_TAG = r"<(\s*(?:/\s*)?)(\|?\w[\w.]*(?:[-:]\w[\w.]*)*)((?=[\s/>|]|\Z))?([^<>\n]*)(>?)"
# the markers of ours, and what hosts and models frame their own words with
_NAMES = (
    "untilgreen jikime ralph promise invoke function_calls functions parameter system assistant human thinking "
    "instructions permissions skill"
)
# a name of several parts is one of them if one part speaks of a conversation: `system-reminder`, `tool_use_error`
_PARTS = (
    "untilgreen jikime ralph promise agent antml artifact assistant bash claude command context conversation "
    "diagnostics function functions hook human ide instructions mcp memory message notification output prompt reminder "
    "response sandbox skill skills stderr stdin stdout subagent system task teammate thinking tool tools turn "
    "untrusted webhook"
)


def strip(text: str) -> str:
    """The text without escape sequences, without control characters but newline and tab, without characters that
    nobody sees, without lone surrogates, and with square brackets round tags of ours and of hosts.

    A marker never counts when it is echoed (a loop elsewhere was ended by its own feedback); only a success_regex or
    blocked_regex may still match it. Tags of HTML, generics and Python's `<Foo object at 0x…>` stay as they are.
    """
    text = plain(text)
    return re.sub(_TAG, _squared, text) if "<" in text else text


def plain(text: str) -> str:
    """The same with its tags: what a marker is looked for in."""
    if not is_printable_ascii(text):
        text = re.sub(_SEQUENCE, "", text.replace("\r\n", "\n")).replace("\r", "\n")
        text = text.replace("\u2028", " ").replace("\u2029", " ")
        has_emoji = "\ufe0f" in text or "\u200d" in text
        text = re.sub(_EMOJI, lambda found: found[1] or "", text) if has_emoji else re.sub(_UNSEEN, "", text)
    return well_formed(text)


def is_printable_ascii(text: str) -> bool:
    """Whether its lines hold only printable ASCII and the signs of our own lines: then no pattern is compiled."""
    lines = text.replace("\n", "").replace("\t", "")
    if not lines.isascii():
        lines = lines.translate(_SIGNS)
    return lines.isascii() and lines.isprintable()


def one_line(text: str) -> str:
    """The text, stripped, as one line of ours. Names of files are text of others, too."""
    return strip(text).replace("\n", " ")


def printable(text: str) -> str:
    """The text with a question mark for each character that a terminal would obey."""
    return "".join(char if char.isprintable() else "?" for char in text)


def _squared(tag: re.Match[str]) -> str:
    slash, name, ends, rest, closed = tag.groups()
    known, parts = name.lower(), set(re.split("[-_:|]", name.lower()))
    token = known[0] == "|" and rest[:1] == "|"  # `<|im_start|>`
    speaks = len(parts) > 1 and not parts.isdisjoint(_PARTS.split())
    if token or speaks or (ends is not None and known in _NAMES.split()):
        return f"[{slash}{name}{rest}{']' if closed else ''}"
    return tag[0]
