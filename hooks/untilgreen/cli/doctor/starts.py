"""The registered commands: do they start, and when did the host call them last?

Starts only what `init` of this installation would write: nothing else is known to be harmless.
"""

import os
import shutil
import sys
from collections.abc import Iterator

from untilgreen import hosts
from untilgreen.cli.doctor import hooks
from untilgreen.cli.doctor.case import DoctorCase
from untilgreen.cli.doctor.host import last_words
from untilgreen.cli.installing import command_forms, targets
from untilgreen.core.findings import BROKEN, NOTE, OK, WARNING, Finding, readable
from untilgreen.hosts.host import PLUGIN, Registered, Source
from untilgreen.state import call_marks, clock

START, CALLS = "start", "calls"
_SHOWN = 200  # characters of what somebody else wrote


def examine(case: DoctorCase) -> Iterator[Finding]:
    """Which commands start, and which do not and why."""
    told, seen = [], set()
    for source, one in case.registered:
        call = (source.scope.path, _line(source, one))
        if call not in seen:
            seen.add(call)
            told += [(one.hook, found) for found in _of(case, source, one)]
    yield from hooks.together(told)


def _line(source: Source, one: Registered) -> str:
    """What an entry calls, as a person would read it."""
    return targets.settings(source.host).line(one.entry)


def _of(case: DoctorCase, source: Source, one: Registered) -> Iterator[Finding]:
    scope = hooks.where(case, source.host, one.scope)
    words = targets.settings(source.host).words(one, case.root)
    again = hooks.again(case, source.host, one.scope.name)
    program = _found(case, words[0]) if words else ""
    if words and (why := _cannot(words, program)):
        yield Finding(START, BROKEN, f"({scope}) cannot run: {why}", again)
    elif words and _as_init_writes(source.host, one.hook, words, program):
        if case.extent.run:
            yield _started(case, scope, (program, *words[1:]))
    elif one.scope.name == PLUGIN:
        yield Finding(START, OK, f"({scope}) belongs to the plugin, and is not started here")
    else:
        what = f"({scope}) is not as init writes it, and was not started: {_line(source, one)[:_SHOWN]}"
        look = f"look at it in {case.shown(one.scope.path)}"
        yield Finding(START, WARNING, what, f"{look}; to have the hook as init writes it, {again}" if again else look)


def _found(case: DoctorCase, word: str) -> str:
    """The absolute path of a program, looked up from the project; "" where it cannot be started."""
    given = os.path.join(case.root, word) if os.sep in word else word
    found = shutil.which(given, path=case.env.get("PATH", os.defpath))
    return os.path.abspath(found) if found else ""


def _cannot(words: tuple[str, ...], program: str) -> str:
    """Why these words can start nothing, without trying it; "" where they may."""
    named = command_forms.read(program)
    inside = (named.interpreter, os.path.join(named.directory, "untilgreen")) if named else ()
    gone = [path for path in (*filter(os.path.isabs, words), *inside) if not os.path.exists(path)]
    if gone:
        return f"{gone[0]} is gone"
    return "" if program else f"{words[0]} is {'not executable' if os.sep in words[0] else 'not on PATH'}"


def _as_init_writes(host: str, hook: str, words: tuple[str, ...], program: str) -> bool:
    """Whether `init` of this installation would write the same words, but for the deadline."""
    folder = os.path.dirname(sys.executable)
    plain = list(words[1:-2] if words[-2:-1] == ("--deadline",) else words[1:])
    if plain != command_forms.scripts("", host)(hook)[1]:
        return False
    named = command_forms.read(program)
    if named is None:
        return command_forms.same(program, os.path.join(folder, hook))
    # a virtual environment has several names for its interpreter
    python = os.path.dirname(named.interpreter) == folder and command_forms.same(named.interpreter, sys.executable)
    return named.ours and python and command_forms.same(named.directory, os.path.dirname(command_forms.PACKAGE))


def _started(case: DoctorCase, scope: str, words: tuple[str, ...]) -> Finding:
    answer = case.ask({"hook": words})["hook"]
    if answer.code != 0:
        code = f"exit code {answer.code}: " if answer.code is not None and answer.stderr.strip() else ""
        what = f"({scope}) does not start: {code}{last_words(answer)}"
        return Finding(START, BROKEN, what, "install untilgreen again")
    if command_forms.LOST in answer.stdout:
        return Finding(START, BROKEN, f"({scope}) does not start: {command_forms.LOST}", "install untilgreen again")
    if said := answer.stdout.strip()[:_SHOWN]:
        cure = f"{readable(sys.executable)} prints this when it starts: silence what does (sitecustomize, a .pth file)"
        return Finding(START, BROKEN, f"({scope}) prints what is no answer, and is not understood: {said}", cure)
    return Finding(START, OK, f"({scope}) starts in {answer.seconds * 1000:.0f} ms")


def calls(case: DoctorCase) -> Iterator[Finding]:
    """When the host last called each hook, by the mark that the call left."""
    if not os.path.isdir(case.base):
        return
    for host in dict.fromkeys(source.host for source, _ in case.registered):
        yield from _calls(case, host)


def _calls(case: DoctorCase, host: str) -> Iterator[Finding]:
    facts, never = hosts.get(host).facts, []
    usual = host == hosts.DEFAULT
    for hook in dict.fromkeys(one.hook for source, one in case.registered if source.host == host):
        mark = os.path.join(case.base, call_marks.FOLDER, call_marks.of(hook, host))
        if os.path.exists(mark):
            by = "" if usual else f" by {facts.title}"
            yield Finding(CALLS, OK, f"{hook} was last called{by} at {clock.iso(os.stat(mark).st_mtime)[:19]}Z")
        else:
            never.append(hook)
    if never:
        edit = ", let it edit a file and run a command" if any(hook.startswith("post-tool") for hook in never) else ""
        look = "; /hooks there shows what it has read" if usual else f"; {facts.after_init}" if facts.after_init else ""
        who = "the host" if usual else facts.title
        cure = f"start {who} in {readable(case.root)}, say something{edit}{look}"
        by = "" if usual else f" by {facts.title}"
        yield Finding(CALLS, NOTE, f"never called yet{by}: {', '.join(never)}", "" if case.refused else cure)
