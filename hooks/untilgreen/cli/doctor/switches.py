"""What switches the hooks off, in whole or in part, and the host's own limits on holding."""

from collections.abc import Iterable, Iterator, Sequence

from untilgreen import hosts
from untilgreen.cli.doctor.case import DoctorCase
from untilgreen.cli.installing import targets
from untilgreen.core.findings import BROKEN, NOTE, OK, WARNING, Finding, run
from untilgreen.hosts.adapter import Adapter
from untilgreen.hosts.facts import Facts
from untilgreen.hosts.hook_health import HookHealth
from untilgreen.hosts.host import Source
from untilgreen.loops.rest import switching

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
    there = [(hosts.get(name), targets.settings(name)) for name in case.present]
    found = [*_variables(case, [(own, case.files(host)) for host, own in there]), *_files(case)]
    for host, own in there:
        found += _named(case, host, own.silenced(case.files(host), case.root, case.env, case.shown))
    if not any(one.level == BROKEN for one in found):
        yield Finding(SUBJECT, OK, "nothing switches the hooks off")
    yield from found
    for host, own in there:
        told = own.cap(case.files(host), case.env, _rounds(case))
        yield from _named(case, host, [told or _cap(case, host.facts)])


def _rounds(case: DoctorCase) -> int:
    return case.settings.max_iterations


def _named(case: DoctorCase, host: Adapter, found: Iterable[Finding]) -> Iterator[Finding]:
    """The findings, each with the host's name where there are several."""
    for one in found:
        yield one._replace(what=f"{host.facts.title}: {one.what}") if case.present[1:] else one


def _cap(case: DoctorCase, facts: Facts) -> Finding:
    """How often in a row the host lets hooks hold, against the rounds of a loop."""
    cap, variable = facts.cap.holds, facts.cap.variable
    set_ = case.env.get(variable, "")
    cap = int(set_) - facts.cap.over if set_.isdecimal() else cap
    if not cap:
        return Finding(SUBJECT, OK, "the host lets hooks hold as often as they like")
    between = "in a turn" if facts.cap.spans_tools else "in a row without a tool call between them"
    what = f"after {cap} holds {between} the host lets the agent go"
    if _rounds(case) - 1 <= cap:
        return Finding(SUBJECT, OK, what)
    more = f"run, if that is too few: export {variable}={_rounds(case) - 1 + facts.cap.over}"
    cure = more if variable else 'say "go on" there, and the loop does'
    return Finding(SUBJECT, NOTE, f"{what}; a loop has {_rounds(case)} rounds", cure)


def _variables(case: DoctorCase, healths: Sequence[tuple[HookHealth, list[Source]]]) -> Iterator[Finding]:
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
