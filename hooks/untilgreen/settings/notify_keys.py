"""The keys of `notify`: who else is told how a loop ended, and when."""

from typing import Annotated

from pydantic import AfterValidator

from untilgreen.core.model.settings import Notify
from untilgreen.settings.kinds import COMMAND
from untilgreen.settings.table import Key, Table, one_of

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
            Annotated[list[one_of(Notify().on)], AfterValidator(tuple)],  # type: ignore[misc]
            choices=Notify().on,
        ),
    },
)
