"""The keys of the configuration: a new one is a field of its record and a row in `templates/settings.txt`.

The record (`core.model.Settings`, `CheckSetting`) says a key's name, type and default: that is all that hooks need. The
row says what it means. Where there is more to say, once, an entry here or in `groups` does: what it may hold, which
option of a start sets it.
"""

import os
import tomllib
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from untilgreen.core.model.settings import Settings
from untilgreen.project.files import templates_folder
from untilgreen.settings import values
from untilgreen.settings.groups import CHECK, CONTEXT, HOOK, JUDGE, MEMORY, NOTIFY, PRICES, REVIEW
from untilgreen.settings.values import REGEX, Key, at_least, described, listed, matching, one_of
from untilgreen.state.catalogue import LANGUAGES, WORDS


def _presets() -> dict[str, dict[str, Any]]:
    """Settings that go together under one name; lists as tuples, as the records have them."""
    with open(os.path.join(templates_folder(), "presets.toml"), "rb") as file:
        found = tomllib.load(file)
    return {
        name: {key: tuple(value) if isinstance(value, list) else value for key, value in preset.items()}
        for name, preset in found.items()
    }


PRESETS = _presets()
# criteria by name are all that they ask for; elsewhere they add to what the project itself calls green
ALONE = frozenset({"jikime", "talkcody", "ralph-mem"})


_NAME = matching(f"^{values.CHECK_NAME.pattern}$", "a name of letters, digits, _ and -")

SETTINGS = described(
    "settings",
    Settings,
    {
        "auto": Key(choices=("new", "all", "off")),
        "auto_tests": Key(choices=("fast", "affected", "all", "off")),
        "max_iterations": Key(kind=at_least(1), option="N", short="-m"),
        "max_minutes": Key(kind=at_least(0, float), option="N"),
        "stagnation_limit": Key(kind=at_least(0), option="N"),
        "attempts": Key(kind=at_least(1), option="N"),
        "adaptive": Key(option=""),
        "iteration_minutes": Key(kind=at_least(0, float), option="N"),
        "max_tokens": Key(kind=at_least(0), option="N"),
        "max_cost": Key(kind=at_least(0, float), option="USD"),
        "prices": Key(kind=PRICES),
        "usage": Key(option=""),
        "marker": Key(choices=("trust", "verify", "require"), option="trust|verify|require"),
        "completion_promise": Key(
            kind=Annotated[str, AfterValidator(lambda text: " ".join(text.split()))], option="TEXT"
        ),
        "success_regex": Key(kind=REGEX),
        "blocked_regex": Key(kind=REGEX),
        "criteria": Key(
            kind=listed(
                one_of((*values.CRITERIA, "tests_pass")),  # each once, by its canonical name
                kept=lambda names: tuple(dict.fromkeys("test_pass" if one == "tests_pass" else one for one in names)),
            ),
            choices=values.CRITERIA,
            option="NAME",
        ),
        "evidence": Key(choices=("run", "accept")),
        "count": Key(choices=("all", "new")),
        "preset": Key(choices=tuple(PRESETS), listed_by="untilgreen config presets", option="NAME"),
        "tests": Key(choices=("first-failed", "affected", "whole")),
        "blame_tests": Key(kind=at_least(0)),
        "blame_seconds": Key(kind=at_least(0, float)),
        "lang": Key(choices=("auto", *LANGUAGES)),
        "words": Key(choices=("plain", *WORDS)),
        "deadline": Key(kind=at_least(1, float)),
        "state_dir": Key(kind=Annotated[str, AfterValidator(os.path.expanduser)]),
        "env_remove": Key(kind=listed(matching("^[^=]+$", "the name of a variable"))),
        "without": Key(kind=listed(Annotated[str, Field(min_length=1)])),
        "hold_style": Key(choices=("auto", "exit", "context")),
        "on_interrupt": Key(choices=("pause", "cancel", "keep")),
        "strict": Key(option=""),
        "tests_may_change": Key(kind=listed(Annotated[str, Field(min_length=1)]), option="GLOB"),
        "severity": Key(kind=dict[str, dict[str, one_of(("error", "warning", "info", "security"))]]),  # type: ignore[misc]
        "checks": Key(kind=dict[_NAME, CHECK.kind]),  # type: ignore[name-defined,valid-type]
        "judge": Key(kind=JUDGE.kind),
        "notify": Key(kind=NOTIFY.kind),
        "memory": Key(kind=MEMORY.kind),
        "hooks": Key(kind=listed(HOOK.kind)),
        "review": Key(kind=REVIEW.kind),
        "context": Key(kind=CONTEXT.kind),
    },
)
