"""The keys of `hooks` and `review`: who else is asked whether the agent may stop."""

from typing import Annotated

from pydantic import AfterValidator, Field

from untilgreen.core.model.settings import HookSetting, ReviewSetting
from untilgreen.settings import values
from untilgreen.settings.kinds import COMMAND, MOST
from untilgreen.settings.table import Key, Table, fitting

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
        "share": Key(
            "The part of the stop's deadline after which it is skipped.",
            Annotated[float, Field(gt=0, le=1)],
        ),
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
        "seconds": Key("Seconds before a review is given up.", Annotated[float, Field(gt=0, le=MOST)]),
        "most": Key(
            "How often its findings hold a loop; after that they are only told.", Annotated[int, Field(ge=1, le=1_000)]
        ),
    },
)
# a list of tables
HOOKS = Annotated[list[HOOK.kind], AfterValidator(tuple)]  # type: ignore[name-defined]
