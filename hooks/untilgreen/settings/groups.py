"""The tables below the keys of the configuration: a new key is a field of its record and an entry here."""

import posixpath
import re
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from untilgreen.checkers import formats
from untilgreen.core.model import settings
from untilgreen.core.words import memory
from untilgreen.settings import values
from untilgreen.settings.values import ABOVE_ZERO, COMMAND, Key, described, listed

_GROUPS = ("file", "line", "column", "severity", "rule", "message")


def _finds(pattern: str) -> bool:
    """Whether a pattern can name a finding. A group of another name would silently do nothing."""
    names = set(re.compile(pattern).groupindex) if values.is_regex(pattern) else set()
    return bool(names & {"file", "message"}) and names <= set(_GROUPS)


CHECK = described(
    "check",
    settings.CheckSetting,
    {
        "command": Key(kind=COMMAND),
        "timeout": Key(kind=ABOVE_ZERO),
        "ok": Key(kind=listed(Annotated[int, Field(ge=0, le=255)], Field(min_length=1))),
        "pending": Key(kind=listed(Annotated[int, Field(ge=0, le=255)])),
        "pending_minutes": Key(kind=ABOVE_ZERO),
        "root": Key(
            kind=Annotated[
                values.matching(r"^(?!/)(?!(.*/)?\.\.(/|$)).+$", "a folder inside the project, relative to its root"),
                AfterValidator(posixpath.normpath),
            ]
        ),
        "format": Key(choices=formats.NAMES),
        "pattern": Key(
            kind=values.fitting(
                _finds,
                "a regular expression with a group named file or message, and no group of a name other than "
                + ", ".join(_GROUPS),
                format="regex",
                pattern=r"\(\?P<(file|message)>",
            )
        ),
    },
)
JUDGE = described(
    "judge",
    settings.JudgeSetting,
    {
        "command": Key(kind=COMMAND),
        "seconds": Key(kind=ABOVE_ZERO),
        "criteria": Key(kind=listed(Annotated[str, Field(min_length=1)])),
    },
)
_USD = Key(kind=values.at_least(0, float))
PRICE = described("price", settings.Price, dict.fromkeys(settings.Price._fields, _USD))


def _whole(price: settings.Price) -> settings.Price:
    """A price of nothing at all is a mistake in its table."""
    if not price.input or not price.output:
        raise ValueError("a price with input and output, in USD for a million tokens")
    return price


PRICES: Any = dict[Annotated[str, Field(min_length=1)], Annotated[PRICE.kind, AfterValidator(_whole)]]  # type: ignore[name-defined]
HOOK = described(
    "hook",
    settings.HookSetting,
    {
        "name": Key(
            kind=values.fitting(
                values.CHECK_NAME.fullmatch,
                "a name of letters, digits, _ and -",
                pattern=f"^{values.CHECK_NAME.pattern}$",
                maxLength=100,
            )
        ),
        "command": Key(kind=COMMAND),
        "priority": Key(kind=Annotated[int, Field(ge=0, le=1_000)]),
        "share": Key(kind=Annotated[float, Field(gt=0, le=1)]),
    },
)
REVIEW = described(
    "review",
    settings.ReviewSetting,
    {
        "command": Key(kind=COMMAND),
        "seconds": Key(kind=ABOVE_ZERO),
        "most": Key(kind=Annotated[int, Field(ge=1, le=1_000)]),
    },
)
_FILE = values.fitting(
    memory.is_name,
    "the name of a file of its own: letters, digits, _, - and dots, no folder",
    pattern=memory.NAME,
    maxLength=100,
)
MEMORY = described(
    "memory",
    settings.Memory,
    {
        "summary_file": Key(kind=_FILE),
        "feedback_file": Key(kind=_FILE),
        "state_file": Key(kind=_FILE),
        "max_chars": Key(kind=Annotated[int, Field(ge=2_000, le=100_000)]),
        "compress": Key(kind=COMMAND),
    },
)
NOTIFY = described(
    "notify",
    settings.Notify,
    {
        "command": Key(kind=COMMAND),
        "on": Key(kind=listed(values.one_of(settings.Notify().on)), choices=settings.Notify().on),
    },
)
_MESSAGES = Key(kind=values.at_least(0))
CONTEXT = described("context", settings.ContextSetting, {"include_last_n_messages": _MESSAGES})
# by the key that holds one, or several
TABLES = {
    "checks": CHECK,
    "judge": JUDGE,
    "notify": NOTIFY,
    "memory": MEMORY,
    "hooks": HOOK,
    "review": REVIEW,
    "context": CONTEXT,
}
