"""The registered commands: do they start, and when did the host call them last?

Only what `init` of this installation would write is started: nothing else is known to be harmless, or to be ours.
"""

import os
import shlex
import shutil
import sys
import time
from collections.abc import Iterator

from untilgreen import hosts
from untilgreen.cli.doctor import hooks, processes
from untilgreen.cli.doctor.case import Case
from untilgreen.cli.doctor.finding import BROKEN, NOTE, OK, WARNING, Finding, readable, run, together
from untilgreen.cli.doctor.sources import PLUGIN
from untilgreen.cli.installing import command_forms
from untilgreen.hosts.host import Registered
from untilgreen.state import call_marks

START, CALLS = "start", "calls"
_SHOWN = 200  # characters of what somebody else wrote
_REINSTALL = "install untilgreen again"


def examine(case: Case) -> Iterator[Finding]:
    """Which commands start, and which do not and why."""
    distinct = {(one.scope.name, _words(case, one) or (_line(one),)): one for one in case.registered}
    found = [(one.hook, seen) for (_, words), one in distinct.items() for seen in _of(case, one, words)]
    return iter(together(found))


def _words(case: Case, one: Registered) -> tuple[str, ...]:
    """The words that the host starts without a shell; none of a line that is for a shell."""
    args = one.entry.get("args")
    if not isinstance(args, list):
        return ()
    words = (str(one.entry.get("command", "")), *map(str, args))
    return tuple(word.replace("${CLAUDE_PROJECT_DIR}", case.root) for word in words)


def _line(one: Registered) -> str:
    """As a person would read it."""
    args = one.entry.get("args")
    line = str(one.entry.get("command", ""))
    return shlex.join((line, *map(str, args))) if isinstance(args, list) else line


def _of(case: Case, one: Registered, words: tuple[str, ...]) -> Iterator[Finding]:
    scope, again = f"({one.scope.name})", hooks.again(case, one.scope.name)
    exec_form = isinstance(one.entry.get("args"), list)
    program = _found(case, words[0]) if exec_form else ""
    if why := _cannot(words, program) if exec_form else "":
        yield Finding(START, BROKEN, f"{scope} cannot run: {why}", again)
    elif not exec_form or not _as_init_writes(one.hook, words, program):
        yield from _another(case, one, program)
    elif case.wish.run:
        yield _started(case, scope, (program, *words[1:]))


def _found(case: Case, word: str) -> str:
    """The absolute path of a program, as one finds it who stands in the project; "" where it cannot be started."""
    given = os.path.join(case.root, word) if os.sep in word else word
    found = shutil.which(given, path=case.env.get("PATH", os.defpath))
    return os.path.abspath(found) if found else ""


def _cannot(words: tuple[str, ...], program: str) -> str:
    """Why these words can start nothing, seen without trying; "" where they may."""
    own = command_forms.START in words[:-1]  # the folder of the package follows
    package = [os.path.join(words[words.index(command_forms.START) + 1], "untilgreen")] if own else []
    for path in (*filter(os.path.isabs, words), *package):
        if not os.path.exists(path):
            return f"{_missing(path)} is gone"
    return "" if program else f"{words[0]} is {'not executable' if os.sep in words[0] else 'not on PATH'}"


def _missing(path: str) -> str:
    """The highest folder of a path that is not there: an environment that was removed, more than a file of it."""
    while not os.path.lexists(os.path.dirname(path)):
        path = os.path.dirname(path)
    return path


def _as_init_writes(hook: str, words: tuple[str, ...], program: str) -> bool:
    """Whether `init` of this installation would write the same words, but for the deadline."""
    plain = list(words[1:-2] if words[-2:-1] == ("--deadline",) else words[1:])
    folder = os.path.dirname(sys.executable)
    if plain == command_forms.own(hosts.DEFAULT)(hook)[1]:
        # a virtual environment has several names for its interpreter
        return os.path.dirname(words[0]) == folder and command_forms.same(words[0], sys.executable)
    return plain == command_forms.scripts("", hosts.DEFAULT)(hook)[1] and command_forms.same(
        program, os.path.join(folder, hook)
    )


def _another(case: Case, one: Registered, program: str) -> Iterator[Finding]:
    """What is not started, for `init` of this installation would write something else."""
    scope, again = one.scope.name, hooks.again(case, one.scope.name)
    if scope == PLUGIN:
        yield Finding(START, OK, f"({scope}) belongs to the plugin, and is not started here")
    elif case.trusted and (doctor := _doctor_beside(one.hook, program)):
        what = f"({scope}) belongs to another installation, and was not started: {program}"
        yield Finding(START, NOTE, what, f"to look at that one, {run(doctor, 'doctor')}; or {again}")
    else:
        what = f"({scope}) is not as init writes it, and was not started: {_line(one)[:_SHOWN]}"
        cure = f"look at it in {case.shown(one.scope.path)}; to have the hook as init writes it, {again}"
        yield Finding(START, WARNING, what, cure if again else cure.partition(";")[0])


def _doctor_beside(hook: str, program: str) -> str:
    """The `untilgreen` of another installation whose console script this is, or ""."""
    folder, name = os.path.split(program)
    beside = os.path.join(folder, "untilgreen")
    another = name == hook and not command_forms.same(program, os.path.join(os.path.dirname(sys.executable), hook))
    return beside if another and os.path.exists(beside) else ""


def _started(case: Case, scope: str, words: tuple[str, ...]) -> Finding:
    answer = processes.ask({"hook": words}, processes.surroundings(case.env, case.root), case.root)["hook"]
    if answer.code != 0:
        code = f"exit code {answer.code}: " if answer.code is not None and answer.stderr.strip() else ""
        return Finding(START, BROKEN, f"{scope} does not start: {code}{answer.last_words}", _REINSTALL)
    if said := answer.stdout.strip()[:_SHOWN]:
        cure = f"{readable(sys.executable)} prints this when it starts: silence what does (sitecustomize, a .pth file)"
        return Finding(START, BROKEN, f"{scope} prints what is no answer, and is not understood: {said}", cure)
    return Finding(START, OK, f"{scope} starts in {answer.seconds * 1000:.0f} ms")


def calls(case: Case) -> Iterator[Finding]:
    """When the host last called each hook, by the mark that the call left."""
    if not os.path.isdir(case.base):
        return
    never = []
    for hook in dict.fromkeys(one.hook for one in case.registered):
        try:
            called = os.stat(os.path.join(case.base, call_marks.FOLDER, hook)).st_mtime
        except OSError:
            never.append(hook)
        else:
            yield Finding(CALLS, OK, f"{hook} was last called {_ago(time.time() - called)}")
    if never:
        edit = ", and let it edit a file" if any(hook.startswith("post-tool") for hook in never) else ""
        cure = f"start claude in {readable(case.root)}, say something{edit}; /hooks there shows what it has read"
        yield Finding(CALLS, NOTE, f"never called yet: {', '.join(never)}", "" if case.refused else cure)


def _ago(seconds: float) -> str:
    for size, name in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            number = int(seconds // size)
            return f"{number} {name}{'s' if number > 1 else ''} ago"
    return "just now"
