"""The project's configuration: can it be read, and does it let a loop end?"""

import re
from collections.abc import Iterator

from untilgreen.cli.doctor.case import Case
from untilgreen.cli.doctor.finding import BROKEN, NOTE, OK, WARNING, Finding
from untilgreen.settings import config_json

SUBJECT = "configuration"
_AUTO = {
    "new": "without a loop, a session is held for what it brought in itself",
    "all": "without a loop, every error in the project holds a session that edits",
    "off": "without a loop, nothing holds",
}
_SAID = "I changed the file as you asked."  # what an agent says without being done


def findings(case: Case) -> tuple[Finding, ...]:
    """Errors with the path of their key, and settings that surprise."""
    if case.fault:
        cure = "edit the file and the key that it names; until then hooks use no configuration, or an old one"
        return (Finding(SUBJECT, BROKEN, case.fault, cure),)
    return tuple(_of(case))


def _of(case: Case) -> Iterator[Finding]:
    now = case.settings
    there = " and ".join(config_json.stamp(case.root)) or "no file"
    limits = f"{now.max_iterations} rounds, {now.max_minutes:g} minutes, stagnation {now.stagnation_limit}"
    yield Finding(SUBJECT, OK, f"{there}: {limits}, marker {now.marker}, auto {now.auto} ({_AUTO[now.auto]})")
    if not now.max_minutes and not now.stagnation_limit:
        what = f"neither time nor stagnation ends a loop, only its {now.max_iterations} rounds"
        yield Finding(SUBJECT, NOTE, what, case.key("stagnation_limit = 3"))
    if now.stagnation_limit == 1:
        what = "stagnation_limit 1 ends a loop at the first round without improvement"
        yield Finding(SUBJECT, NOTE, what, case.key("stagnation_limit = 3"))
    if now.success_regex and re.search(now.success_regex, _SAID):
        what = "success_regex fits whatever the agent says: every stop counts as done"
        yield Finding(SUBJECT, WARNING, what, case.key('success_regex = "^DONE$"'))
    for name, check in now.checks.items():
        if check.enabled and check.timeout > now.deadline:
            what = f"checks.{name}.timeout of {check.timeout:g} s is above the deadline of a stop, {now.deadline:g} s"
            yield Finding(SUBJECT, NOTE, what, case.key(f"timeout = {now.deadline:g}", f"checks.{name}"))
