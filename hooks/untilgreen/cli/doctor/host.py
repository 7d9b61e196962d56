"""untilgreen itself, and the host: is it there, and what can this version do?"""

import os
import re
import sys
from collections.abc import Iterator

from untilgreen import hosts
from untilgreen.cli import options
from untilgreen.cli.doctor.case import DoctorCase
from untilgreen.cli.installing import targets
from untilgreen.core.findings import BROKEN, NOTE, OK, WARNING, Finding, run, word
from untilgreen.core.model.outcome import Output
from untilgreen.hosts.facts import Facts
from untilgreen.project import tools

ITSELF, HOST = "untilgreen", "host"


def itself(case: DoctorCase) -> Iterator[Finding]:
    """What this command runs on, and whether a shell finds it."""
    python = ".".join(map(str, sys.version_info[:3]))
    yield Finding(ITSELF, OK, f"{options.version()} on Python {python}, {sys.platform} ({sys.executable})")
    if os.name != "posix":
        cure = "run the host in WSL, and install untilgreen there"
        yield Finding(ITSELF, BROKEN, "stops are not judged on this system: the hooks let go", cure)
    if not tools.on_path("untilgreen", case.root, case.env, trusted=True):
        folder = os.path.dirname(sys.argv[0]) or os.path.dirname(sys.executable)
        yield Finding(ITSELF, NOTE, "its commands are not on PATH; the hooks do not need that", _profile(folder))


def _profile(folder: str) -> str:
    return f'edit your shell\'s profile: export PATH={word(folder)}:"$PATH"'


def examine(case: DoctorCase) -> Iterator[Finding]:
    """What there is to say about the hosts and their versions."""
    for name in case.present:
        facts = hosts.get(name).facts
        if facts.program:
            yield from _host(case, facts)
        if facts.never_run:
            what = f"untilgreen was never run in {facts.title}: what it does is known from its documentation"
            yield Finding(HOST, NOTE, what)


def _host(case: DoctorCase, facts: Facts) -> Iterator[Finding]:
    name = facts.program
    on_path = tools.on_path(name, case.root, case.env, trusted=False)
    path = targets.program(facts, case.root, case.env)
    if not path:
        cure = f"install {facts.title}, or put the folder of `{name}` on PATH"
        cure += " (an editor's or desktop's own copy needs none)"
        yield Finding(HOST, WARNING, f"{name} is neither on PATH nor in its usual places", cure)
        return
    if not case.extent.run:
        yield Finding(HOST, OK, path)
        return
    answer = case.ask({"host": (path, "--version")})["host"]
    number = version(answer)
    if not number:
        cure = f"if it fails in your shell, too, install it again; {run(path, '--version')}"
        yield Finding(HOST, WARNING, f"{path} --version: {last_words(answer)}", cure)
        return
    yield Finding(HOST, OK, f"{facts.title} {number} ({path})")
    if not on_path:
        folder = os.path.dirname(path)
        yield Finding(HOST, NOTE, f"{name} is not on PATH, but in {folder}", _profile(folder))
    yield from _version(case, facts, number)


def _version(case: DoctorCase, facts: Facts, version: str) -> Iterator[Finding]:
    style, update, oldest = case.settings.hold_style, f"run: {facts.update}", next(iter(facts.measured), "")
    if _older(version, oldest):
        what = f"{version} is older than {oldest}, the oldest version that untilgreen was tried with"
        yield Finding(HOST, WARNING, what, update)
    elif _older(version, facts.prompt_ids_since):
        what = f"before {facts.prompt_ids_since} prompts have no id: who spoke last goes by the count of prompts"
        yield Finding(HOST, NOTE, what, update)
    if style == "context" and _older(version, facts.quiet_since):
        what = f'hold_style = "context" needs {facts.quiet_since}; until then holds go by exit code'
        yield Finding(HOST, WARNING, what, update)
    if style == "exit" and facts.quiet_since and not _older(version, facts.quiet_since):
        what = 'the host calls each hold a "Stop hook error"; it is none, and with another hold_style it does not'
        yield Finding(HOST, NOTE, what, case.key('hold_style = "auto"'))


def _older(version: str, other: str) -> bool:
    one, another = ([int(number) for number in re.findall(r"\d+", text)[:3]] for text in (version, other))
    return one < another


def last_words(answer: Output) -> str:
    """The line that says most about a failure."""
    lines = [line.strip() for line in (answer.stderr or answer.stdout).splitlines() if line.strip()]
    return answer.why or (lines[-1] if lines else f"exit code {answer.code}")


def version(answer: Output) -> str:
    """The first word of an answer to `--version` that looks like a version, "" where there is none."""
    words = (answer.stdout or answer.stderr).replace(",", " ").replace("(", " ").split() if answer.code == 0 else []
    plain = (word.removeprefix("v").removeprefix("go") for word in words)
    return next((word for word in plain if word[:1].isdecimal() and "." in word), "")
