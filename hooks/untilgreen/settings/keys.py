"""The keys of the configuration: a new one is a field of its record and an entry here.

The record (`core.model.Settings`, `CheckSetting`) says a key's name, type and default: that is all that hooks need. The
entry says the rest, once: what the key means, what it may hold, which options of a start set it.
"""

import os
import posixpath
from collections.abc import Mapping
from typing import Any

from untilgreen.checkers import formats
from untilgreen.core.model.settings import CheckSetting, Settings
from untilgreen.settings import values
from untilgreen.settings.presets import PRESETS
from untilgreen.settings.table import Key, Table, compiled

_GROUPS = ("file", "line", "column", "severity", "rule", "message")


def _finds(pattern: str) -> bool:
    """Whether a pattern can name a finding. A group of another name would silently do nothing."""
    expression = compiled(pattern)
    names = set(expression.groupindex) if expression else set()
    return bool(names & {"file", "message"}) and names <= set(_GROUPS)


def _from(least: int) -> Mapping[str, Any]:
    return {"minimum": least, "maximum": 10**9}


_REGEX = {"format": "regex"}

SETTINGS = Table(
    Settings,
    {
        "auto": Key(
            "What holds the agent where nobody began a loop: `new`, the errors and security findings that the session "
            "itself brought in; `all`, every one of the project; `off`, nothing.",
            {"enum": ["new", "all", "off"]},
        ),
        "max_iterations": Key(
            "Rounds before a loop lets go: it is over at this many counted stops.", _from(1), option="N", short="-m"
        ),
        "max_minutes": Key(
            "Minutes of work, the user's pauses aside, before a loop lets go; 0 means no limit.", _from(0), option="N"
        ),
        "stagnation_limit": Key(
            "Rounds in a row without improvement before a loop lets go; 0 means no limit.", _from(0), option="N"
        ),
        "marker": Key(
            "What the agent's completion marker is worth: `trust` ends the loop at once, `verify` leaves it to the "
            "checks, `require` asks for green checks and the marker.",
            {"enum": ["trust", "verify", "require"]},
            option="trust|verify|require",
        ),
        "completion_promise": Key(
            "The only marker that counts is `<promise>TEXT</promise>`; without named criteria it alone ends the loop.",
            canonical=values.promise,
            option="TEXT",
        ),
        "success_regex": Key(
            "A regular expression instead of the completion markers; still for the last line of the message.", _REGEX
        ),
        "blocked_regex": Key(
            "A regular expression instead of the blocked marker; it too must close the message. A group is the reason.",
            _REGEX,
        ),
        "criteria": Key(
            "What must hold before the agent may stop; those that flags and presets name are added.",
            {"items": {"enum": [*values.CRITERIA, "tests_pass"]}},
            canonical=values.criteria,
            option="NAME",
            switches={
                "--zero-errors": ("zero_errors", "No error may be left (on)."),
                "--zero-warnings": ("zero_warnings", "No warning may be left."),
                "--zero-security": ("zero_security", "No security finding may be left."),
                "--tests-pass": ("test_pass", "The tests must pass."),
            },
        ),
        "preset": Key(
            "Settings that go together under one name; keys beside it win.", {"enum": [*PRESETS]}, option="NAME"
        ),
        "lang": Key("The language of the texts.", {"enum": ["en"]}, '"en", the only language so far'),
        "deadline": Key("Seconds for all checks of one stop.", _from(1)),
        "state_dir": Key("Another place for the state folder, relative to the project.", canonical=os.path.expanduser),
        "env_remove": Key(
            "Environment variables that checks do not get.",
            {"items": {"type": "string", "pattern": "^[^=]+$"}},
            "a list of variable names",
        ),
        "hold_style": Key(
            "How the host is told to go on: `exit`, which every version understands, or `context`, which newer ones do "
            "not show as an error.",
            {"enum": ["exit", "context"]},
        ),
        "strict": Key(
            "Go on when green has a but: suppressions added, tests lost, configuration changed, a tool left out.",
            option="",
        ),
    },
)

SEVERITY = Key(
    "What the findings of a rule of this tool are; the key is the rule, or a prefix of its name.",
    {"enum": ["error", "warning", "info", "security"]},
)

CHECK = Table(
    CheckSetting,
    {
        "command": Key(
            "The command of a check of your own, or one instead of a known tool's; a string is split by quotes, and no "
            "shell runs it.",
            {
                "type": ["string", "array"],
                "items": {"type": "string"},
                "prefixItems": [{"type": "string", "minLength": 1}],
                "minItems": 1,
                "pattern": r"\S",
            },
            "a command",
        ),
        "timeout": Key(
            "Seconds before the check is broken; 120, and 480 for tests and builds, where not given.",
            {"exclusiveMinimum": 0, "maximum": 10**9},
            "a number of seconds above 0",
        ),
        "ok": Key(
            "Exit codes of the command that mean that there is nothing to complain about.",
            {"items": {"type": "integer", "minimum": 0, "maximum": 255}, "minItems": 1},
            "exit codes from 0 to 255",
        ),
        "enabled": Key("Whether the check runs."),
        "root": Key(
            "The folder in which the check runs, relative to the project.",
            {"pattern": r"^(?!/)(?!(.*/)?\.\.(/|$)).+$"},
            "a folder inside the project, relative to its root",
            canonical=posixpath.normpath,
        ),
        "format": Key(
            "How to read what the command reports; where not given, its exit code alone decides.",
            {"enum": [*formats.NAMES]},
        ),
        "pattern": Key(
            "For the format `regex`: the expression of one finding, with the groups `file`, `line`, `column`, "
            "`severity`, `rule` and `message`.",
            {"format": "regex", "pattern": r"\(\?P<(file|message)>"},
            "a regular expression with a group named file or message, and no group of a name other than "
            + ", ".join(_GROUPS),
            _finds,
        ),
    },
    "checks.NAME.",
)
