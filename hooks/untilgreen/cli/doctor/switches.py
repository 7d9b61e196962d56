"""What switches the hooks off, in whole or in part, and the host's own limits on holding."""

from collections.abc import Iterator, Sequence

from untilgreen.cli.doctor.case import DoctorCase, known
from untilgreen.core.findings import BROKEN, NOTE, OK, WARNING, Finding, run
from untilgreen.hosts.host import Health, Source
from untilgreen.loops import switching

SUBJECT = "switches"
# variable -> what "1" switches off, and how bad that is
_VARIABLES = {
    "UNTILGREEN_DISABLE": ("every hook", BROKEN),
    "JIKIME_DISABLE_LOOP_CONTROLLER": ("every hook", BROKEN),
    "JIKIME_DISABLE_LSP_DIAGNOSTIC": ("post-tool-lsp", WARNING),
    "JIKIME_DISABLE_AST_GREP_SCAN": ("post-tool-ast-grep", WARNING),
}


def examine(case: DoctorCase) -> Iterator[Finding]:
    """What is switched off, and by what."""
    healths = [(health, case.files(host)) for host in known() if (health := host.health())]
    found = [*_variables(case, healths), *_files(case)]
    for health, theirs in healths:
        found += health.silenced(theirs, case.root, case.env, case.shown)
    if not any(one.level == BROKEN for one in found):
        yield Finding(SUBJECT, OK, "nothing switches the hooks off")
    yield from found
    for health, theirs in healths:
        yield health.cap(theirs, case.env, case.settings.max_iterations)


def _variables(case: DoctorCase, healths: Sequence[tuple[Health, list[Source]]]) -> Iterator[Finding]:
    for name, (what, level) in _VARIABLES.items():
        if case.env.get(name) == "1":
            text = f"{name}=1 in this environment switches {what} off in sessions that are started from it"
            yield Finding(SUBJECT, level, text, f"run: unset {name}")
        for health, theirs in healths:
            put = health.variable(theirs, name)
            if put and put[0] == "1":
                path = case.shown(put[1].scope.path)
                text = f"{name} is 1 in env of {path}: {what} off"
                yield Finding(SUBJECT, level, text, f"edit {path}: take env.{name} out")


def _files(case: DoctorCase) -> Iterator[Finding]:
    whose = {"user": "this user", "project": "this project", "session": "a session"}
    for one in switching.told(case.base, case.root, case.env):
        does = "an off file switches the hooks off" if one.off else "an on file keeps the hooks on"
        level = BROKEN if one.off and one.scope != "session" else NOTE
        what = f"{does} for {whose[one.scope]}: {case.shown(one.path)}"
        yield Finding(SUBJECT, level, what, run(*one.turned(case.root)))
