"""A review of the diff since a loop began: what is asked, and what the answer comes to. Pure."""

from collections.abc import Iterable

from untilgreen.core import secrets
from untilgreen.core.model.snapshot import Item
from untilgreen.core.record import NamedTuple
from untilgreen.core.verdict.completion import one_line
from untilgreen.core.verdict.identity import digest, normalise

NAME = STAGE = "review"
FLAG = "ok"
ASKED = (
    "Review the work of a coding agent: the diff since its loop began. All checks that are commands passed. Report "
    "what a careful colleague would not merge: wrong behaviour, a missing case, a security hole, a task that is not "
    'done, tests that prove nothing. No matters of taste. "ok" is true where there is nothing of that kind.'
)
FORM = '{"ok": true or false, "findings": [{"file": "path", "line": 1, "message": "one or two sentences"}]}'
SCHEMA = (
    '{"type": "object", "properties": {"ok": {"type": "boolean"}, "findings": {"type": "array", "items": {"type": '
    '"object", "properties": {"file": {"type": "string"}, "line": {"type": "integer"}, "message": {"type": "string"}}, '
    '"required": ["message"]}}}, "required": ["ok", "findings"]}'
)
_MOST = 50  # findings that are told
_FILE = 500  # characters of a path
_LARGEST = 10**9  # a line number beyond it is none
_LINES = 20  # of a text that is one finding


class Remark(NamedTuple):
    """One finding of a review."""

    message: str
    #: "" and 0 where it names none
    file: str = ""
    line: int = 0


def read(code: int, found: object, said: str, *, by_code: bool) -> tuple[Remark, ...] | str:
    """What a review that came to its end found, or why there is nothing to read. `found`: the JSON that it printed;
    `said`: all that it printed. `by_code`: without JSON its exit code counts, 0 for nothing and 1 or 2 for findings."""
    if isinstance(found, dict) and (FLAG in found or "findings" in found):
        return _of_object(code, found)
    if not by_code:
        return f"exit code {code}" if code else "answered without a JSON object"
    if code == 0:
        return ()
    text = secrets.safe(said[:20_000]).strip()
    if code > 2 or not text:
        return f"exit code {code}" + (f": {one_line(text)}" if text else ", and it printed nothing")
    return (Remark("\n".join(line[:390] for line in text.split("\n")[:_LINES])),)


def _of_object(code: int, found: dict[str, object]) -> tuple[Remark, ...] | str:
    listed = found.get("findings")
    listed = [] if listed is None else listed
    if not isinstance(listed, list):
        return "its findings are no list"
    ok = found.get(FLAG, not listed)
    if type(ok) is not bool:
        return "its answer has no ok that is true or false"
    if code > 2 or (code and ok):
        return f"exit code {code}"
    remarks = [_remark(one) for one in listed]
    if None in remarks:
        return "one of its findings has no message"
    return () if ok else tuple(filter(None, remarks)) or (Remark("it is not ok, and no finding says why"),)


def _remark(found: object) -> Remark | None:
    if isinstance(found, str):
        found = {"message": found}
    message = found.get("message") if isinstance(found, dict) else None
    if not isinstance(found, dict) or not isinstance(message, str) or not message.strip():
        return None
    file, line = found.get("file"), found.get("line")
    placed = isinstance(file, str) and bool(file.strip())
    number = line if type(line) is int and 0 < line <= _LARGEST else 0
    return Remark(one_line(message), one_line(str(file))[:_FILE] if placed else "", number if placed else 0)


def items(remarks: Iterable[Remark], check: str) -> tuple[Item, ...]:
    """What stands against the stop, an item a finding. `check`: what the review is called among the checks."""
    told = {digest(NAME, one.file, normalise(one.message)): one for one in remarks}
    if more := len(told) - _MOST:
        told = dict(list(told.items())[:_MOST]) | ({NAME: Remark(f"and {more} more")} if more > 0 else {})
    shown = [(key, one, secrets.place(one.file, one.line)) for key, one in told.items()]
    return tuple(
        Item(key, "review", STAGE, check, f"{place} review: {one.message}".lstrip(), one.file, one.line)
        for key, one, place in shown
    )
