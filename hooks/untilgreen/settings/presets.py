"""Settings that go together under one name, after the loops that people come from.

A preset sets only what is written here; everything else stays as it was.
"""

from typing import Any

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
