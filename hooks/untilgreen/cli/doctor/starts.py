"""The registered commands: do they start, and when did the host call them last?

Starts only what `init` of this installation would write: nothing else is known to be harmless.
"""

import os
import shutil
import sys
import time
from collections.abc import Iterator
from typing import NamedTuple

from untilgreen.cli.doctor import hooks, processes, sources
from untilgreen.cli.doctor.case import DoctorCase
from untilgreen.cli.doctor.report import together
from untilgreen.cli.installing import command_forms
from untilgreen.core.findings import BROKEN, NOTE, OK, WARNING, Finding, readable, run
from untilgreen.hosts.host import Registered
from untilgreen.state import call_marks

START, CALLS = "start", "calls"
_SHOWN = 200  # characters of what somebody else wrote
_REINSTALL = "install untilgreen again"


class CommandLine(NamedTuple):
    """What a host calls for an entry of ours."""

    host: str
    entry: Registered
    #: none of a line that is for a shell
    words: tuple[str, ...]
    #: as a person would read it
    line: str


def examine(case: DoctorCase) -> Iterator[Finding]:
    """Which commands start, and which do not and why."""
    distinct: dict[tuple[str, ...], CommandLine] = {}
    for source, one in case.registered:
        if health := sources.health(source):
            call = CommandLine(source.host, one, health.words(one, case.root), health.line(one.entry))
            distinct.setdefault((one.scope.name, call.line), call)
    return iter(together((call.entry.hook, found) for call in distinct.values() for found in _of(case, call)))


def _of(case: DoctorCase, call: CommandLine) -> Iterator[Finding]:
    scope, again = f"({call.entry.scope.name})", hooks.again(case, call.host, call.entry.scope.name)
    program = _found(case, call.words[0]) if call.words else ""
    if why := _cannot(call.words, program) if call.words else "":
        yield Finding(START, BROKEN, f"{scope} cannot run: {why}", again)
    elif not call.words or not _as_init_writes(call, program):
        yield _another(case, call, program)
    elif case.extent.run:
        yield _started(case, scope, (program, *call.words[1:]))


def _found(case: DoctorCase, word: str) -> str:
    """The absolute path of a program, looked up from the project; "" where it cannot be started."""
    given = os.path.join(case.root, word) if os.sep in word else word
    found = shutil.which(given, path=case.env.get("PATH", os.defpath))
    return os.path.abspath(found) if found else ""


def _cannot(words: tuple[str, ...], program: str) -> str:
    """Why these words can start nothing, without trying it; "" where they may."""
    own = command_forms.START in words[:-1]  # the folder of the package follows
    package = [os.path.join(words[words.index(command_forms.START) + 1], "untilgreen")] if own else []
    for path in (*filter(os.path.isabs, words), *package):
        if not os.path.exists(path):
            return f"{_missing(path)} is gone"
    return "" if program else f"{words[0]} is {'not executable' if os.sep in words[0] else 'not on PATH'}"


def _missing(path: str) -> str:
    """The highest missing folder of a path: people removed an environment, not one file of it."""
    while not os.path.lexists(os.path.dirname(path)):
        path = os.path.dirname(path)
    return path


def _as_init_writes(call: CommandLine, program: str) -> bool:
    """Whether `init` of this installation would write the same words, but for the deadline."""
    words, hook, folder = call.words, call.entry.hook, os.path.dirname(sys.executable)
    plain = list(words[1:-2] if words[-2:-1] == ("--deadline",) else words[1:])
    if plain == command_forms.own(call.host)(hook)[1]:
        # a virtual environment has several names for its interpreter
        return os.path.dirname(words[0]) == folder and command_forms.same(words[0], sys.executable)
    return plain == command_forms.scripts("", call.host)(hook)[1] and command_forms.same(
        program, os.path.join(folder, hook)
    )


def _another(case: DoctorCase, call: CommandLine, program: str) -> Finding:
    """The finding about an entry that is not started, for `init` would write another."""
    scope, again = call.entry.scope.name, hooks.again(case, call.host, call.entry.scope.name)
    if scope == sources.PLUGIN:
        return Finding(START, OK, f"({scope}) belongs to the plugin, and is not started here")
    if case.trusted and (doctor := _doctor_beside(call.entry.hook, program)):
        what = f"({scope}) belongs to another installation, and was not started: {program}"
        return Finding(START, NOTE, what, f"to look at that one, {run(doctor, 'doctor')}; or {again}")
    what = f"({scope}) is not as init writes it, and was not started: {call.line[:_SHOWN]}"
    cure = f"look at it in {case.shown(call.entry.scope.path)}; to have the hook as init writes it, {again}"
    return Finding(START, WARNING, what, cure if again else cure.partition(";")[0])


def _doctor_beside(hook: str, program: str) -> str:
    """The `untilgreen` of another installation whose console script this is, or ""."""
    folder, name = os.path.split(program)
    beside = os.path.join(folder, "untilgreen")
    another = name == hook and not command_forms.same(program, os.path.join(os.path.dirname(sys.executable), hook))
    return beside if another and os.path.exists(beside) else ""


def _started(case: DoctorCase, scope: str, words: tuple[str, ...]) -> Finding:
    answer = processes.ask({"hook": words}, processes.surroundings(case.env, case.root), case.root)["hook"]
    if answer.code != 0:
        code = f"exit code {answer.code}: " if answer.code is not None and answer.stderr.strip() else ""
        return Finding(START, BROKEN, f"{scope} does not start: {code}{answer.last_words}", _REINSTALL)
    if said := answer.stdout.strip()[:_SHOWN]:
        cure = f"{readable(sys.executable)} prints this when it starts: silence what does (sitecustomize, a .pth file)"
        return Finding(START, BROKEN, f"{scope} prints what is no answer, and is not understood: {said}", cure)
    return Finding(START, OK, f"{scope} starts in {answer.seconds * 1000:.0f} ms")


def calls(case: DoctorCase) -> Iterator[Finding]:
    """When the host last called each hook, by the mark that the call left."""
    if not os.path.isdir(case.base):
        return
    never = []
    for hook in dict.fromkeys(one.hook for _, one in case.registered):
        try:
            called = os.stat(os.path.join(case.base, call_marks.FOLDER, hook)).st_mtime
        except OSError:
            never.append(hook)
        else:
            yield Finding(CALLS, OK, f"{hook} was last called {_ago(time.time() - called)}")
    if never:
        edit = ", and let it edit a file" if any(hook.startswith("post-tool") for hook in never) else ""
        cure = f"start the host in {readable(case.root)}, say something{edit}; /hooks there shows what it has read"
        yield Finding(CALLS, NOTE, f"never called yet: {', '.join(never)}", "" if case.refused else cure)


def _ago(seconds: float) -> str:
    for size, name in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            number = int(seconds // size)
            return f"{number} {name}{'s' if number > 1 else ''} ago"
    return "just now"
