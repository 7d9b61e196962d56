"""What each key of the configuration means and may hold: for the exported schema, and for the pages that list them.

A key is a path: `max_iterations`, `severity.TOOL`, `checks.NAME.timeout`; words in capitals stand for names that
the user chooses. The models know the defaults.
"""

from collections.abc import Mapping
from typing import Any

from untilgreen.checkers import formats
from untilgreen.settings import rules, validate, values
from untilgreen.settings.presets import PRESETS

DESCRIPTIONS: Mapping[str, str] = {
    "auto": (
        "What holds the agent where nobody began a loop: `new`, the errors and security findings that the session "
        "itself brought in; `all`, every one of the project; `off`, nothing."
    ),
    "max_iterations": "Rounds before a loop lets go: the loop is over at this many counted stops.",
    "max_minutes": "Minutes of work, the user's pauses aside, before a loop lets go; 0 means no limit.",
    "stagnation_limit": "Rounds in a row without improvement before a loop lets go; 0 means no limit.",
    "marker": (
        "What the agent's completion marker is worth: `trust` ends the loop at once, `verify` leaves it to the checks, "
        "`require` asks for green checks and the marker."
    ),
    "completion_promise": (
        "The only marker that counts is `<promise>TEXT</promise>`; without named criteria it alone ends the loop."
    ),
    "success_regex": "A regular expression instead of the completion markers; still for the last line of the message.",
    "blocked_regex": (
        "A regular expression instead of the blocked marker; it too must close the message. A group is the reason."
    ),
    "criteria": "What must hold before the agent may stop; those that flags and presets name are added.",
    "preset": "Settings that go together under one name; keys beside it win.",
    "lang": "The language of the texts.",
    "deadline": "Seconds for all checks of one stop.",
    "state_dir": "Another place for the state folder, relative to the project.",
    "env_remove": "Environment variables that checks do not get.",
    "hold_style": (
        "How Claude Code is told to go on: `exit`, which every version understands, or `context`, which from 2.1.214 "
        "on is not shown as an error."
    ),
    "strict": "Go on when green has a but: suppressions added, tests lost, configuration changed, a tool left out.",
    "severity.TOOL": "What the findings of a rule of this tool are; the key is the rule, or a prefix of its name.",
    "checks.NAME.command": (
        "The command of a check of your own, or one instead of a known tool's; a string is split by quotes, and no "
        "shell runs it."
    ),
    "checks.NAME.timeout": "Seconds before the check is broken; 120, and 480 for tests and builds, where not given.",
    "checks.NAME.ok": "Exit codes of the command that mean that there is nothing to complain about.",
    "checks.NAME.enabled": "Whether the check runs.",
    "checks.NAME.root": "The folder in which the check runs, relative to the project.",
    "checks.NAME.format": "How to read what the command reports; where not given, its exit code alone decides.",
    "checks.NAME.pattern": (
        "For the format `regex`: the expression of one finding, with the groups `file`, `line`, `column`, `severity`, "
        "`rule` and `message`."
    ),
}

_MOST = 10**9
# what `rules` tests in Python, in the words of JSON Schema
ALLOWED: Mapping[str, Mapping[str, Any]] = {
    "auto": {"enum": ["new", "all", "off"]},
    "max_iterations": {"minimum": 1, "maximum": _MOST},
    "max_minutes": {"minimum": 0, "maximum": _MOST},
    "stagnation_limit": {"minimum": 0, "maximum": _MOST},
    "marker": {"enum": [*values.MARKERS]},
    "success_regex": {"format": "regex"},
    "blocked_regex": {"format": "regex"},
    "criteria": {"items": {"enum": [*values.CRITERIA, "tests_pass"]}},
    "preset": {"enum": [*PRESETS]},
    "lang": {"enum": ["en"]},
    "deadline": {"minimum": 1, "maximum": _MOST},
    "env_remove": {"items": {"type": "string", "pattern": "^[^=]+$"}},
    "hold_style": {"enum": ["exit", "context"]},
    "severity.TOOL": {"type": "object", "additionalProperties": {"enum": [*validate.SEVERITIES]}},
    "checks.NAME.command": {
        "type": ["string", "array"],
        "items": {"type": "string"},
        "prefixItems": [{"type": "string", "minLength": 1}],
        "minItems": 1,
        "pattern": r"\S",
    },
    "checks.NAME.timeout": {"exclusiveMinimum": 0, "maximum": _MOST},
    "checks.NAME.ok": {"items": {"type": "integer", "minimum": 0, "maximum": 255}, "minItems": 1},
    "checks.NAME.root": {"pattern": r"^(?!/)(?!(.*/)?\.\.(/|$)).+$"},
    "checks.NAME.format": {"enum": [*formats.NAMES]},
    "checks.NAME.pattern": {"format": "regex", "pattern": r"\(\?P<(file|message)>"},
}
# what holds of a check as a whole
_OWN = {"required": ["command"]}
CHECK_RULES: tuple[Mapping[str, Any], ...] = (
    {"if": {"required": ["pattern"]}, "then": {"required": ["format"], "properties": {"format": {"const": "regex"}}}},
    {"if": {"required": ["format"], "properties": {"format": {"const": "regex"}}}, "then": {"required": ["pattern"]}},
    {"if": {"not": _OWN}, "then": {"properties": {"ok": {"const": [0]}, "format": False, "pattern": False}}},
)
NOT_SAID = (
    "What no schema can say, untilgreen says when it reads the file: regular expressions are Python's, and a pattern's "
    "groups have the names that are told there; a command has closed quotes and no operators of a shell; what stands "
    "under severity is a known tool or a check that has a command of its own."
)


def has_default(path: str, value: Any) -> bool:
    """Whether a key's default could be written: some stand for "not given" and would be refused."""
    table = rules.CHECK if path.startswith("checks.") else rules.SETTINGS
    name = path.rpartition(".")[2]
    return name not in table or table[name][0](value)
