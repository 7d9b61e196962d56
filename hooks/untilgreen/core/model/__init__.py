"""The nouns: what a host says, what a check found, what a loop remembers, what is answered.

NamedTuples, not dataclasses: immutable, equal by value, and cheap to import in a
process that lives for one hook call.
"""

from untilgreen.core.model.check import (
    STAGES,
    Absent,
    Broken,
    Check,
    Clean,
    Diagnostic,
    Found,
    Outcome,
    Output,
    Result,
    Setting,
    Tests,
)
from untilgreen.core.model.event import Edit, Event, Kind, Message, Reply, Task
from untilgreen.core.model.loop import SCHEMA_VERSION, Allow, Continue, Loop, Release, Verdict
from untilgreen.core.model.session import Edits, Known, Place, Session
from untilgreen.core.model.settings import CheckSetting, Criteria, Settings
from untilgreen.core.model.snapshot import FileDetail, First, Item, Snapshot, Text

__all__ = [
    "SCHEMA_VERSION",
    "STAGES",
    "Absent",
    "Allow",
    "Broken",
    "Check",
    "CheckSetting",
    "Clean",
    "Continue",
    "Criteria",
    "Diagnostic",
    "Edit",
    "Edits",
    "Event",
    "FileDetail",
    "First",
    "Found",
    "Item",
    "Kind",
    "Known",
    "Loop",
    "Message",
    "Outcome",
    "Output",
    "Place",
    "Release",
    "Reply",
    "Result",
    "Session",
    "Setting",
    "Settings",
    "Snapshot",
    "Task",
    "Tests",
    "Text",
    "Verdict",
]
