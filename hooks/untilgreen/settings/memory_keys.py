"""The keys of `memory`: what is kept of a loop for an agent that knows nothing of it."""

from typing import Annotated

from pydantic import Field

from untilgreen.core.model.settings import Memory
from untilgreen.core.words import memory
from untilgreen.settings.kinds import COMMAND
from untilgreen.settings.table import Key, Table, fitting

_NAME = fitting(
    memory.is_name,
    "the name of a file of its own: letters, digits, _, - and dots, no folder",
    pattern=memory.NAME,
    maxLength=100,
)
MEMORY = Table(
    Memory,
    {
        "summary_file": Key("The file of the summary: the task, the round that ended last, and those before.", _NAME),
        "feedback_file": Key("The file of what was said last.", _NAME),
        "state_file": Key("The file that says in JSON where the loop stands.", _NAME),
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
