"""One examination: each subject makes findings of its own, in the order in which they are told."""

from collections.abc import Iterator

from untilgreen.cli.doctor import checks, commands, hooks, host, loops, project, starts, state, switches
from untilgreen.cli.doctor.case import DoctorCase
from untilgreen.core.findings import Finding

_SUBJECTS = (
    host.itself,
    host.examine,
    project.place,
    project.configuration,
    hooks.examine,
    hooks.entries,
    switches.examine,
    starts.examine,
    commands.examine,
    commands.status_line,
    checks.examine,
    state.examine,
    loops.examine,
    starts.calls,
)


def examine(case: DoctorCase) -> Iterator[Finding]:
    """Everything that a stop depends on. Nothing is changed."""
    for subject in _SUBJECTS:
        yield from subject(case)
