"""Do the registered commands start, how long does that take, and which version answers?"""

import os
import shutil
import statistics
import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from untilgreen.cli import options
from untilgreen.cli.doctor import between, command_lines, permitted, processes, registrations
from untilgreen.cli.doctor.case import Case
from untilgreen.cli.doctor.command_lines import Command
from untilgreen.cli.doctor.finding import BROKEN, NOTE, OK, WARNING, Finding, together
from untilgreen.cli.doctor.processes import Asked
from untilgreen.cli.installing import forms

SUBJECT = "start"
_RUNS = 3
_SHOWN = 200  # characters of what somebody else wrote
_SLOW = 4.0  # times the bare interpreter; a shim of pyenv takes 10, `uv run` 12, a console script 1.7 at most


class Tried(NamedTuple):
    """What came of it. `program`: the file that is started, "" where there is none; `gone`: a path among its words
    that is not there; `old`: an interpreter is given our file itself; `manager`: the version manager whose shim it
    is; `untried`: why it was not started."""

    command: Command
    program: str = ""
    gone: str = ""
    old: bool = False
    manager: str = ""
    answer: Asked | None = None
    milliseconds: float = 0.0
    ratio: float = 0.0
    version: Asked | None = None
    untried: str = ""

    @property
    def started(self) -> tuple[str, ...]:
        """The words that are started: what was looked at, whatever another PATH or folder would mean by its name."""
        words = self.command.words
        return words if self.command.shell or not self.program else (self.program, *words[1:])


def look(case: Case, command: Command) -> Tried:
    """What can be seen of a command line without starting it; what may not be started says why."""
    words = command_lines.words(command)
    program = _found(case, words[0]) if words else ""
    gone = next((_missing(word) for word in words if os.path.isabs(word) and not os.path.exists(word)), "")
    untried = permitted.why_not(case, command, words, program)
    seen = words or command.words
    manager = between.manager(seen, program, os.path.realpath(program) if program else "")
    return Tried(command, program, gone, command_lines.of_old(seen), manager, untried=untried)


def _found(case: Case, word: str) -> str:
    """The absolute path of a program, as one finds it who stands in the project; "" where it is not there."""
    given = os.path.join(case.root, word) if os.sep in word else word
    found = shutil.which(given, path=case.env.get("PATH", os.defpath))
    return os.path.abspath(found) if found else ""


def _missing(path: str) -> str:
    """The highest folder of a path that is not there: an environment that was removed, more than a file of it."""
    while not os.path.lexists(os.path.dirname(path)):
        path = os.path.dirname(path)
    return path


def measure(case: Case, seen: Sequence[Tried]) -> tuple[Tried, ...]:
    """Start each of them three times, told to say nothing, in turn with the bare interpreter; one after another."""
    env = processes.surroundings(case.env, case.root)
    bare: list[float] = []
    times: dict[Command, list[float]] = {}
    answers: dict[Command, Asked] = {}
    for _ in range(_RUNS):
        bare.append(processes.ask({"bare": (sys.executable, "-I", "-c", "pass")}, env, case.root)["bare"].seconds)
        for one in seen:
            if one.untried or (one.command in answers and answers[one.command].code != 0):
                continue
            answers[one.command] = processes.ask({"hook": one.started}, env, case.root)["hook"]
            times.setdefault(one.command, []).append(answers[one.command].seconds)
    usual = statistics.median(bare)
    measured = []
    for one in seen:
        took = statistics.median(times[one.command]) if one.command in times else 0.0
        answer = answers.get(one.command)
        measured.append(one._replace(answer=answer, milliseconds=took * 1000, ratio=took / usual))
    return tuple(measured)


def installation(one: Tried) -> str:
    """A name for what a command line belongs to: commands of one installation have one version."""
    files = [word for word in one.started if word.endswith(".py")]
    return f"start {os.path.dirname(one.program)} {os.path.dirname(files[0]) if files else one.started[-1]}"


def version_words(one: Tried) -> tuple[str, ...]:
    """The command line that asks for the version."""
    if one.command.shell:
        return (*one.started[:2], f"{one.started[2]} --version")
    return (*one.started, "--version")


def findings(case: Case, tried: Sequence[Tried]) -> tuple[Finding, ...]:
    """Which commands start, which do not and why, which are slow."""
    return together((one.command.hook, finding) for one in tried for finding in _of(case, one))


def _of(case: Case, one: Tried) -> Iterator[Finding]:
    scope, again = f"({one.command.scope})", registrations.again(case, one.command.scope)
    if one.gone:
        # an interpreter that does not find its file ends with 2, which the host takes for "hold the agent"
        hold = "; the host takes that for a hold" if one.old and one.program else ""
        yield Finding(SUBJECT, BROKEN, f"{scope} cannot run: {one.gone} is gone{hold}", again)
        return
    if one.untried:
        yield _untried(case, one, again)
    if one.answer is None:  # only looked at
        if one.manager:
            yield Finding(SUBJECT, WARNING, f"{scope} goes through {one.manager}, which is slow", _faster(one, again))
        return
    if one.answer.code != 0:
        code = f"exit code {one.answer.code}: " if one.answer.code is not None and one.answer.stderr.strip() else ""
        yield Finding(SUBJECT, BROKEN, f"{scope} does not start: {code}{one.answer.last_words}", again)
        return
    if one.answer.stdout.strip():
        said = one.answer.stdout.strip()[:_SHOWN]
        yield Finding(SUBJECT, BROKEN, f"{scope} prints what is no answer, and is not understood: {said}", again)
        return
    took = f"{one.milliseconds:.0f} ms, {one.ratio:.1f} times the bare interpreter"
    if one.manager or one.ratio > _SLOW:
        why = f"it goes through {one.manager}" if one.manager else f"what is in between? {one.program}"
        yield Finding(SUBJECT, WARNING, f"{scope} starts slowly ({took}): {why}", _faster(one, again))
    else:
        yield Finding(SUBJECT, OK, f"{scope} starts in {took}")
    yield from _version(scope, one, again)


def _untried(case: Case, one: Tried, again: str) -> Finding:
    first = f"look at it in {case.shown(one.command.file)}"
    scope = f"({one.command.scope}) was not started"
    if one.untried == permitted.UNTRUSTED:
        cure = f"{first}; when it may run, {case.command('untilgreen', 'trust')}"
        return Finding(SUBJECT, NOTE, f"{scope}: {one.untried}", first if case.refused else cure)
    cure = f"{first}; to have the hook as init writes it, {again}" if again else first
    return Finding(SUBJECT, NOTE, f"{scope}: {one.untried}: {one.command.line[:_SHOWN]}", cure)


def _faster(one: Tried, again: str) -> str:
    if one.command.scope == "shared":  # for everybody's sake it names no interpreter
        return f"install untilgreen in the project's .venv, then {again}"
    return again


def _version(scope: str, one: Tried, again: str) -> Iterator[Finding]:
    if one.version is None:
        return
    theirs, ours = processes.version(one.version), options.version()
    if not theirs:
        words = one.version.last_words
        cure = words[words.index("run: ") :] if "run: " in words else again  # our own words, which are one command
        yield Finding(SUBJECT, BROKEN, f"{scope} starts, but its commands do not: {words}", cure)
    elif theirs == ours and (file := _other(one)):
        yield Finding(SUBJECT, NOTE, f"{scope} is another installation of untilgreen {ours}: {file}", again)
    elif theirs != ours:
        yield Finding(SUBJECT, WARNING, f"{scope} is untilgreen {theirs}, this is {ours}", again)


def _other(one: Tried) -> str:
    """The folder of another installation than this one, as far as the command line tells it."""
    folders = [os.path.dirname(word) for word in one.command.words if word.endswith(".py")]
    return next((folder for folder in folders if os.path.realpath(folder) != os.path.realpath(forms.PACKAGE)), "")
