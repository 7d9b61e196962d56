"""The keys of the configuration: a new one is a field of its record and an entry here.

The record (`core.model.Settings`, `CheckSetting`) says a key's name, type and default: that is all that hooks need. The
entry says the rest, once: what the key means, what it may hold, which options of a start set it.
"""

import os
import posixpath
import re
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from untilgreen.checkers import formats
from untilgreen.core.model.settings import CheckSetting, JudgeSetting, Settings
from untilgreen.settings import values
from untilgreen.settings.context_keys import CONTEXT
from untilgreen.settings.hook_keys import HOOKS, REVIEW
from untilgreen.settings.kinds import COMMAND, MOST, at_least
from untilgreen.settings.limit_keys import LIMITS
from untilgreen.settings.memory_keys import MEMORY
from untilgreen.settings.notify_keys import NOTIFY
from untilgreen.settings.presets import PRESETS
from untilgreen.settings.table import Key, Table, fitting, one_of
from untilgreen.state.catalogue import LANGUAGES, WORDS

_GROUPS = ("file", "line", "column", "severity", "rule", "message")


def _is_regex(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return False
    return True


def _finds(pattern: str) -> bool:
    """Whether a pattern can name a finding. A group of another name would silently do nothing."""
    names = set(re.compile(pattern).groupindex) if _is_regex(pattern) else set()
    return bool(names & {"file", "message"}) and names <= set(_GROUPS)


def _matching(pattern: str, wanted: str) -> Any:
    return fitting(re.compile(pattern).search, wanted, pattern=pattern)


def _listed(item: Any, *more: Any, kept: Callable[[list[Any]], Any] = tuple) -> Any:
    return Annotated[(list[item], *more, AfterValidator(kept))]


def _criteria(names: list[str]) -> tuple[str, ...]:
    """Each of these criteria once, by its canonical name."""
    return tuple(dict.fromkeys("test_pass" if name == "tests_pass" else name for name in names))


_REGEX = fitting(_is_regex, "a valid regular expression", format="regex")
CHECK = Table(
    CheckSetting,
    {
        "command": Key(
            "The command of a check of your own, or one instead of a known tool's; a string is split by quotes, and no "
            "shell runs it.",
            COMMAND,
        ),
        "timeout": Key(
            "Seconds before the check is broken; 120, and 480 for tests and builds, where not given.",
            Annotated[float, Field(gt=0, le=MOST)],
        ),
        "ok": Key(
            "Exit codes of the command that mean that there is nothing to complain about.",
            _listed(Annotated[int, Field(ge=0, le=255)], Field(min_length=1)),
        ),
        "pending": Key(
            "Exit codes of the command that mean *not yet*: it is asked again at the next stop, and holds nobody.",
            _listed(Annotated[int, Field(ge=0, le=255)]),
        ),
        "pending_minutes": Key(
            "Minutes for which it may say so; after that it is broken.",
            Annotated[float, Field(gt=0, le=MOST)],
        ),
        "enabled": Key("Whether the check runs."),
        "root": Key(
            "The folder in which the check runs, relative to the project.",
            Annotated[
                _matching(r"^(?!/)(?!(.*/)?\.\.(/|$)).+$", "a folder inside the project, relative to its root"),
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
        "seconds": Key(
            "Seconds before an answer is given up: the judge is broken then.", Annotated[float, Field(gt=0, le=MOST)]
        ),
        "criteria": Key(
            "Criteria in words for every loop of the project, beside those of `--judge`.",
            _listed(Annotated[str, Field(min_length=1)]),
        ),
        "progress": Key(
            "Ask the judge, before a loop ends as stuck, whether the agent gets closer all the same: a yes is one more "
            "round, `stagnation_limit` times in a row at most.",
        ),
    },
)
_NAME = _matching(f"^{values.CHECK_NAME.pattern}$", "a name of letters, digits, _ and -")

SETTINGS = Table(
    Settings,
    {
        "auto": Key(
            "What holds the agent without a loop: `new`, errors and security findings that the session brought in; "
            "`all`, every one of the project; `off`, nothing.",
            choices=("new", "all", "off"),
        ),
        "auto_criteria": Key(
            "What else holds the agent without a loop: `test_pass`, the tests that the session turned red. Also "
            "`auto.criteria`, beside `auto.mode`.",
            _listed(one_of(("test_pass", "tests_pass")), kept=_criteria),
            choices=("test_pass",),
        ),
        "auto_tests": Key(
            "Which failing tests may hold it then: `all`, or `affected`, those in files that the session wrote, or "
            "that name what it wrote. Also `auto.tests`.",
            choices=("affected", "all"),
        ),
        **LIMITS,
        "marker": Key(
            "What the agent's completion marker is worth: `trust` ends the loop at once, `verify` leaves it to the "
            "checks, `require` asks for green checks and the marker.",
            choices=("trust", "verify", "require"),
            option="trust|verify|require",
        ),
        "completion_promise": Key(
            "The only marker that counts is `<promise>TEXT</promise>`; without named criteria it alone ends the loop.",
            Annotated[str, AfterValidator(lambda text: " ".join(text.split()))],
            option="TEXT",
        ),
        "success_regex": Key(
            "A regular expression instead of the completion markers, for the last line of the message.", _REGEX
        ),
        "blocked_regex": Key(
            "A regular expression instead of the blocked marker, for the end of the message. A group is the reason.",
            _REGEX,
        ),
        "criteria": Key(
            "What must hold before the agent may stop. Flags and presets add to it.",
            _listed(one_of((*values.CRITERIA, "tests_pass")), kept=_criteria),
            choices=values.CRITERIA,
            option="NAME",
            switches={
                "--zero-errors": ("zero_errors", "No error may be left, whatever severity the project gives it."),
                "--zero-warnings": ("zero_warnings", "No warning may be left."),
                "--zero-security": ("zero_security", "No security finding may be left."),
                "--tests-pass": ("test_pass", "The tests must pass."),
                "--require-tests": ("test_pass", "The same; the agent's own run may stand for our check."),
                "--require-lint": ("lint_clean", "Linters must be clean, by the agent's own run, too."),
                "--require-types": ("type_check", "Type checkers must be clean, by the agent's own run, too."),
                "--require-no-errors": ("no_tool_errors", "No failed call of the agent's tools may be left."),
            },
        ),
        "evidence": Key(
            "What the agent's own run of a check is worth: `run`, it is told, and ours decides; `accept`, it stands "
            "for ours if it was of all, went well, and no file changed after it: green has a but then.",
            choices=("run", "accept"),
        ),
        "count": Key(
            "Which findings count: `all`, or `new`, those that were not there when the loop began. Commands of "
            "your own always count, and failing tests unless they were seen to fail on the files of the start.",
            choices=("all", "new"),
            switches={
                "--new": ("new", "Findings of linters and type checkers that were here before do not count."),
                "--all": ("all", "Findings that were here before count, too: the default."),
            },
        ),
        "preset": Key("Several settings under one name. Keys beside it win.", choices=tuple(PRESETS), option="NAME"),
        "tests": Key(
            "Which tests run at a stop: `first-failed`, those that failed last, and the whole suite once they pass and "
            "at every third round; `whole`, the whole suite each time.",
            choices=("first-failed", "whole"),
        ),
        "blame_tests": Key(
            "Failing tests of a stop that are run again at most, to tell whose they are: yours, old (they failed when "
            "the loop began), flaky, or in the wrong order. If more fail none is; 0 switches it off.",
            at_least(0),
        ),
        "blame_seconds": Key("Seconds of a stop for that, at most; 0 switches it off.", at_least(0, float)),
        "lang": Key(
            "The language of the texts, for you and the agent; `auto` is that of the locale. The environment variable "
            "`UNTILGREEN_LANG` wins.",
            choices=("auto", *LANGUAGES),
        ),
        "words": Key(
            "The lines of preset `jikime`, `supercode` or `talkcody`, word for word in every language, in place of the "
            "`plain` ones. The preset sets it.",
            choices=("plain", *WORDS),
        ),
        "deadline": Key("Seconds for all checks of one stop.", at_least(1, float)),
        "state_dir": Key(
            "Another place for the state folder, relative to the project; not a dot folder of your home.",
            Annotated[str, AfterValidator(os.path.expanduser)],
        ),
        "env_remove": Key(
            "Environment variables that checks do not get.",
            _listed(_matching("^[^=]+$", "the name of a variable")),
        ),
        "hold_style": Key(
            "How the host learns that the agent must go on: `exit`, which every version understands and shows as an "
            "error, or `context`, which newer ones show as work; `auto` is `context` if the host understands it.",
            choices=("auto", "exit", "context"),
        ),
        "on_interrupt": Key(
            "What happens to a running loop if you interrupt the agent and give it another task: `pause`, until you "
            'say "go on"; `cancel`; or `keep`.',
            choices=("pause", "cancel", "keep"),
        ),
        "strict": Key(
            "Keep working if green has a but: a new suppression, a lost test, changed configuration, a missing tool.",
            option="",
        ),
        "tests_may_change": Key(
            "Files of tests that are meant to be changed, as patterns: `*` stands for anything, a folder for all in "
            "it. Of any other, the tests of the start must pass as they were.",
            _listed(Annotated[str, Field(min_length=1)]),
            option="GLOB",
        ),
        "severity": Key(
            "By tool: what the findings of its rules are; the key is the rule, or a prefix of its name.",
            dict[str, dict[str, one_of(("error", "warning", "info", "security"))]],  # type: ignore[misc]
        ),
        "checks": Key(
            "By name: settings of known checks; any other needs a command.",
            dict[_NAME, CHECK.kind],  # type: ignore[name-defined,valid-type]
        ),
        "judge": Key("A judge of criteria that no exit code decides.", JUDGE.kind),
        "notify": Key("Who else is told how a loop ended, or that it is paused.", NOTIFY.kind),
        "memory": Key("What is kept of a loop for an agent that knows nothing of it.", MEMORY.kind),
        "hooks": Key("Commands that are asked whether the agent may stop, in order of priority.", HOOKS),
        "review": Key("Who reviews the diff when everything else allows the stop.", REVIEW.kind),
        "context": Key("What an agent is told that is started anew for each round.", CONTEXT.kind),
    },
)
