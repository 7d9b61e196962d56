"""The keys of the configuration: a new one is a field of its record and an entry here, or in `groups`.

The record (`core.model.Settings`, `CheckSetting`) says a key's name, type and default: that is all that hooks need. The
entry says the rest, once: what the key means, what it may hold, which options of a start set it.
"""

import os
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from untilgreen.core.model.settings import Settings
from untilgreen.settings import values
from untilgreen.settings.groups import CHECK, CONTEXT, HOOK, JUDGE, MEMORY, NOTIFY, PRICES, REVIEW
from untilgreen.settings.values import REGEX, Key, Table, at_least, listed, matching, one_of
from untilgreen.state.catalogue import LANGUAGES, WORDS

# settings that go together under one name, after the loops that people come from; a preset sets nothing else
PRESETS: dict[str, dict[str, Any]] = {
    "jikime": {"auto": "all", "marker": "trust", "criteria": ("zero_errors",), "words": "jikime", "blame_tests": 0},
    "talkcody": {"marker": "require", "max_iterations": 6, "criteria": ("no_tool_errors",), "words": "talkcody"},
    "talkcody-strict": {
        "marker": "require",
        "max_iterations": 6,
        "criteria": ("test_pass", "lint_clean", "type_check", "no_tool_errors"),
        "words": "talkcody",
    },
    "supercode": {
        "completion_promise": "DONE",
        "max_iterations": 100,
        "max_minutes": 0,
        "stagnation_limit": 0,
        "on_interrupt": "cancel",
        "marker": "require",
        "words": "supercode",
    },
    "ralph-mem": {"marker": "verify", "max_iterations": 10, "max_minutes": 30},
    "strict": {"strict": True},
}
# their criteria are all that they ask for; elsewhere criteria add to what the project itself calls green
ALONE = frozenset({"jikime"})


def _criteria(names: list[str]) -> tuple[str, ...]:
    """Each of these criteria once, by its canonical name."""
    return tuple(dict.fromkeys("test_pass" if name == "tests_pass" else name for name in names))


_NAME = matching(f"^{values.CHECK_NAME.pattern}$", "a name of letters, digits, _ and -")

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
            listed(one_of(("test_pass", "tests_pass")), kept=_criteria),
            choices=("test_pass",),
        ),
        "auto_tests": Key(
            "Which failing tests may hold it then: `all`, or `affected`, those in files that the session wrote, or "
            "that name what it wrote. Also `auto.tests`.",
            choices=("affected", "all"),
        ),
        "max_iterations": Key(
            "Rounds of a loop: it is over at this many counted stops.", at_least(1), option="N", short="-m"
        ),
        "max_minutes": Key(
            "Minutes of work in a loop, without the user's pauses; 0 means no limit.", at_least(0, float), option="N"
        ),
        "stagnation_limit": Key(
            "Rounds in a row without improvement before a loop ends; 0 means no limit.", at_least(0), option="N"
        ),
        "attempts": Key(
            "How many goes a loop has: one that is stuck is undone down to its best round, and the next one begins "
            "there with fresh limits.",
            at_least(1),
            option="N",
        ),
        "adaptive": Key(
            "One more round where the last one was the best so far, and so on while each is, up to twice "
            "`max_iterations`.",
            option="",
        ),
        "iteration_minutes": Key(
            "Minutes of work in one round: at the stop of a round that took longer the loop is over. 0 means no limit.",
            at_least(0, float),
            option="N",
        ),
        "max_tokens": Key(
            "Tokens of a loop, read, cached and written, with those of sub-agents: it is over at the stop at which its "
            "host's record says so many. 0 means no limit.",
            at_least(0),
            option="N",
        ),
        "max_cost": Key(
            "The same for what they cost at list prices, in USD. 0 means no limit.", at_least(0, float), option="USD"
        ),
        "prices": Key(
            "By a model's name, or its beginning: what it costs, where that is not known or not yours.", PRICES
        ),
        "usage": Key(
            "Read at each stop what the round used, and tell it at the end. A budget does so, too.", option=""
        ),
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
            "A regular expression instead of the completion markers, for the last line of the message.", REGEX
        ),
        "blocked_regex": Key(
            "A regular expression instead of the blocked marker, for the end of the message. A group is the reason.",
            REGEX,
        ),
        "criteria": Key(
            "What must hold before the agent may stop. Flags and presets add to it.",
            listed(one_of((*values.CRITERIA, "tests_pass")), kept=_criteria),
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
            "Environment variables that checks do not get.", listed(matching("^[^=]+$", "the name of a variable"))
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
            listed(Annotated[str, Field(min_length=1)]),
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
        "hooks": Key("Commands that are asked whether the agent may stop, in order of priority.", listed(HOOK.kind)),
        "review": Key("Who reviews the diff when everything else allows the stop.", REVIEW.kind),
        "context": Key("What an agent is told that is started anew for each round.", CONTEXT.kind),
    },
)
