"""The keys of `notify`: who else is told how a loop ended, and when."""

from typing import Annotated

from pydantic import AfterValidator

from untilgreen.core.model.settings import Notify
from untilgreen.core.words import notification
from untilgreen.settings.kinds import COMMAND
from untilgreen.settings.table import Key, Table, fitting, one_of

NOTIFY = Table(
    Notify,
    {
        "command": Key(
            "A command that is run; a string is split by quotes, and no shell runs it. It gets one JSON object on "
            "stdin, and variables: `UNTILGREEN_EVENT`, `UNTILGREEN_TITLE`, `UNTILGREEN_TEXT`, `UNTILGREEN_TASK`, "
            "`UNTILGREEN_REASON`.",
            COMMAND,
        ),
        "desktop": Key("Whether the host is asked to notify the desktop; Claude Code is where it has a terminal."),
        "webhook": Key(
            "Where a text is posted to: by https, or http to this machine.",
            fitting(
                notification.is_webhook,
                "a URL that begins with https://, or with http://localhost, and has no password",
                pattern=notification.WEBHOOK,
            ),
        ),
        "format": Key(
            "How the webhook takes it: `ntfy`, the text with a header `Title`; `slack`, a JSON object with `text`. "
            "Where not given, its host tells.",
            choices=("ntfy", "slack"),
        ),
        "on": Key(
            "When: `stuck` is any end that is neither complete, blocked nor cancelled, `paused` a pause that you did "
            "not ask for.",
            Annotated[list[one_of(Notify().on)], AfterValidator(tuple)],  # type: ignore[misc]
            choices=Notify().on,
        ),
    },
)
