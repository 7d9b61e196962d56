"""The tables below the keys of the configuration: a new key is a field of its record and an entry here."""

import posixpath
import re
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from untilgreen.checkers import formats
from untilgreen.core.model.settings import (
    CheckSetting,
    ContextSetting,
    HookSetting,
    JudgeSetting,
    Memory,
    Notify,
    Price,
    ReviewSetting,
)
from untilgreen.core.words import memory
from untilgreen.settings import values
from untilgreen.settings.values import (
    ABOVE_ZERO,
    COMMAND,
    Key,
    Table,
    at_least,
    fitting,
    is_regex,
    listed,
    matching,
    one_of,
)

_GROUPS = ("file", "line", "column", "severity", "rule", "message")


def _finds(pattern: str) -> bool:
    """Whether a pattern can name a finding. A group of another name would silently do nothing."""
    names = set(re.compile(pattern).groupindex) if is_regex(pattern) else set()
    return bool(names & {"file", "message"}) and names <= set(_GROUPS)


CHECK = Table(
    CheckSetting,
    {
        "command": Key(
            "The command of a check of your own, or one instead of a known tool's; a string is split by quotes, and no "
            "shell runs it.",
            COMMAND,
        ),
        "timeout": Key(
            "Seconds before the check is broken; 120, and 480 for tests and builds, where not given.", ABOVE_ZERO
        ),
        "ok": Key(
            "Exit codes of the command that mean that there is nothing to complain about.",
            listed(Annotated[int, Field(ge=0, le=255)], Field(min_length=1)),
        ),
        "pending": Key(
            "Exit codes of the command that mean *not yet*: it is asked again at the next stop, and holds nobody.",
            listed(Annotated[int, Field(ge=0, le=255)]),
        ),
        "pending_minutes": Key("Minutes for which it may say so; after that it is broken.", ABOVE_ZERO),
        "enabled": Key("Whether the check runs."),
        "root": Key(
            "The folder in which the check runs, relative to the project.",
            Annotated[
                matching(r"^(?!/)(?!(.*/)?\.\.(/|$)).+$", "a folder inside the project, relative to its root"),
                AfterValidator(posixpath.normpath),
            ],
        ),
        "format": Key(
            "How to read what the command reports; where not given, its exit code alone decides.", choices=formats.NAMES
        ),
        "pattern": Key(
            "For the format `regex`: the expression of one finding, with the groups `file`, `line`, `column`, "
            "`severity`, `rule` and `message`.",
            fitting(
                _finds,
                "a regular expression with a group named file or message, and no group of a name other than "
                + ", ".join(_GROUPS),
                format="regex",
                pattern=r"\(\?P<(file|message)>",
            ),
        ),
    },
)
JUDGE = Table(
    JudgeSetting,
    {
        "command": Key(
            "The command of the judge; a string is split by quotes, and no shell runs it. It reads the question on "
            "stdin and answers in JSON. Where not given it is `claude -p`, without tools and hooks.",
            COMMAND,
        ),
        "seconds": Key("Seconds before an answer is given up: the judge is broken then.", ABOVE_ZERO),
        "criteria": Key(
            "Criteria in words for every loop of the project, beside those of `--judge`.",
            listed(Annotated[str, Field(min_length=1)]),
        ),
        "progress": Key(
            "Ask the judge, before a loop ends as stuck, whether the agent gets closer all the same: a yes is one more "
            "round, `stagnation_limit` times in a row at most."
        ),
    },
)
_USD = at_least(0, float)
PRICE = Table(
    Price,
    {
        "input": Key("Of a million tokens that it reads, in USD.", _USD),
        "output": Key("Of a million that it writes.", _USD),
        "cache_write": Key("Of a million that go into its cache for five minutes; 1.25 of `input` if not given.", _USD),
        "cache_write_1h": Key("Of a million that go there for an hour; twice `input` if not given.", _USD),
        "cache_read": Key("Of a million that it reads from there; a tenth of `input` if not given.", _USD),
    },
)


def _whole(price: Price) -> Price:
    """A price of nothing at all is a mistake in its table."""
    if not price.input or not price.output:
        raise ValueError("a price with input and output, in USD for a million tokens")
    return price


PRICES: Any = dict[Annotated[str, Field(min_length=1)], Annotated[PRICE.kind, AfterValidator(_whole)]]  # type: ignore[name-defined]
HOOK = Table(
    HookSetting,
    {
        "name": Key(
            "What the hook is called.",
            fitting(
                values.CHECK_NAME.fullmatch,
                "a name of letters, digits, _ and -",
                pattern=f"^{values.CHECK_NAME.pattern}$",
                maxLength=100,
            ),
        ),
        "command": Key(
            "Its command; a string is split by quotes, and no shell runs it. It reads one JSON object on stdin.",
            COMMAND,
        ),
        "priority": Key(
            "When it is asked, the lowest first: the loop itself is 20, the review 30.",
            Annotated[int, Field(ge=0, le=1_000)],
        ),
        "share": Key("The part of the stop's deadline after which it is skipped.", Annotated[float, Field(gt=0, le=1)]),
    },
)
REVIEW = Table(
    ReviewSetting,
    {
        "command": Key(
            "The command that reviews the diff since the loop began; a string is split by quotes, and no shell runs "
            "it. It reads a prompt on stdin and answers in JSON, or by its exit code.",
            COMMAND,
        ),
        "agent": Key("Let `claude -p` review, without tools and hooks, where no command is given."),
        "seconds": Key("Seconds before a review is given up.", ABOVE_ZERO),
        "most": Key(
            "How often its findings hold a loop; after that they are only told.", Annotated[int, Field(ge=1, le=1_000)]
        ),
    },
)
_FILE = fitting(
    memory.is_name,
    "the name of a file of its own: letters, digits, _, - and dots, no folder",
    pattern=memory.NAME,
    maxLength=100,
)
MEMORY = Table(
    Memory,
    {
        "summary_file": Key("The file of the summary: the task, the round that ended last, and those before.", _FILE),
        "feedback_file": Key("The file of what was said last.", _FILE),
        "state_file": Key("The file that says in JSON where the loop stands.", _FILE),
        "max_chars": Key(
            "Characters of the summary, at most; what is oldest goes.", Annotated[int, Field(ge=2_000, le=100_000)]
        ),
        "compress": Key(
            "A command that makes the summary shorter, on stdin and stdout; a string is split by quotes, and no shell "
            "runs it. It has two seconds; what it prints is used if it exits 0, and that is shorter and not empty.",
            COMMAND,
        ),
    },
)
NOTIFY = Table(
    Notify,
    {
        "command": Key(
            "A command that is run; a string is split by quotes, and no shell runs it. It gets one JSON object on "
            "stdin, and variables: `UNTILGREEN_EVENT`, `UNTILGREEN_TITLE`, `UNTILGREEN_TEXT`, `UNTILGREEN_TASK`, "
            "`UNTILGREEN_REASON`.",
            COMMAND,
        ),
        "on": Key(
            "When: `stuck` is any end that is neither complete, blocked nor cancelled, `paused` a pause that you did "
            "not ask for.",
            listed(one_of(Notify().on)),
            choices=Notify().on,
        ),
    },
)
CONTEXT = Table(
    ContextSetting,
    {
        "include_last_n_messages": Key(
            "How many of the agent's last messages, of the rounds before, `untilgreen run` tells it.", at_least(0)
        )
    },
)
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
