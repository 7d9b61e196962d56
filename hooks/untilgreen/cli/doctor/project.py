"""untilgreen itself, the host, the project and its configuration: are they there, and fit for a loop?"""

import os
import re
import sys
from collections.abc import Iterator

from untilgreen import hosts
from untilgreen.cli import options
from untilgreen.cli.doctor.case import DoctorCase, last_words, version
from untilgreen.cli.installing import targets
from untilgreen.core.findings import BROKEN, NOTE, OK, WARNING, Finding, readable, run, word
from untilgreen.hosts.facts import Facts
from untilgreen.project import pipes, tools, toplevel, trust
from untilgreen.project.tree import git
from untilgreen.settings import effective
from untilgreen.state.place import FOLDER

ITSELF, HOST, PROJECT, CONFIGURATION = "untilgreen", "host", "project", "configuration"
_MOST = 3  # files that are named
_SAID = "I changed the file as you asked."  # messages of an agent that is not done


def blocked(case: DoctorCase) -> Iterator[Finding]:
    """What lies in the place of a file, and what reads it waits for ever."""
    for path in () if toplevel.refused(case.root, case.env) else pipes.below(case.root)[:_MOST]:
        what = f"{os.path.relpath(path, case.root)} is a pipe: git and checks that read it wait there"
        yield Finding(PROJECT, BROKEN, what, run("rm", path))


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


def host(case: DoctorCase) -> Iterator[Finding]:
    """What there is to say about the hosts and their versions."""
    for name in case.present:
        facts = hosts.get(name).facts
        if facts.program:
            yield from _program(case, facts)
        if facts.never_run:
            what = f"untilgreen was never run in {facts.title}: what it does is known from its documentation"
            yield Finding(HOST, NOTE, what)


def _program(case: DoctorCase, facts: Facts) -> Iterator[Finding]:
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


def place(case: DoctorCase) -> Iterator[Finding]:
    """Where the project is, whether it is trusted, and what git should not see."""
    if case.refused:
        cure = "start the host in a project's own folder"
        yield Finding(PROJECT, BROKEN, f"{case.refused}: hooks are silent here", cure)
    else:
        yield from _root(case)
    if git.end(git.start(case.root, "rev-parse", "--is-inside-work-tree"))[1].strip() == b"true":
        personal = [os.path.relpath(one.scope.path, case.root) for one in case.sources if one.scope.name == "local"]
        for path in (*personal, FOLDER):
            if os.path.lexists(os.path.join(case.root, path)):
                yield from _private(case, path)


def _root(case: DoctorCase) -> Iterator[Finding]:
    yield Finding(PROJECT, OK, case.root)
    name = next((row[2] for row in hosts.ADAPTERS.values() if case.env.get(row[2])), "")
    if name and not case.here and toplevel.top(case.env[name]) != case.root:
        what = f"${name} is {case.env[name]}: hooks of that session mean that project, not this one"
        yield Finding(PROJECT, NOTE, what, f"start the host in {readable(case.root)} to work here")
    if case.trusted:
        yield Finding(PROJECT, OK, f"trusted: its own code may run ({case.shown(trust.path(case.env))})")
    else:
        what = "not trusted: checks that run its own code (tests, type checkers, its environment's tools) are left out"
        yield Finding(PROJECT, WARNING, what, case.command("untilgreen", "trust"))
    if not os.path.lexists(os.path.join(case.root, ".git")):
        what = "no git repository: what changed is told by the times and sizes of files"
        yield Finding(PROJECT, NOTE, what, run("git", "init"))


def _private(case: DoctorCase, path: str) -> Iterator[Finding]:
    """Whether git sees a path that is nobody else's business."""
    # a folder of our own is ignored by a file within itself
    inner = f"{path}/x" if os.path.isdir(os.path.join(case.root, path)) else path
    exclude = f"""echo {word(path)} >> "$(git rev-parse --git-path info/exclude)\""""
    tracked = [*filter(None, git.end(git.start(case.root, "ls-files", "-z", "--", path))[1].split(b"\0"))]
    if tracked:
        cure = f"run: git rm -r -q --cached {word(path)} && {exclude}"
        names = ", ".join(readable(os.fsdecode(one)) for one in tracked[:_MOST])
        names += f" and {len(tracked) - _MOST} more" if len(tracked) > _MOST else ""
        yield Finding(PROJECT, WARNING, f"git tracks {names}, which is about this machine alone", cure)
    elif git.end(git.start(case.root, "check-ignore", "-q", inner))[0] != 0:
        what = f"git does not ignore {path}, which is about this machine alone"
        yield Finding(PROJECT, NOTE, what, f"run: {exclude}")


def configuration(case: DoctorCase) -> Iterator[Finding]:
    """The project's configuration: can it be read, and does it let a loop end?"""
    if case.fault:
        until = "until then hooks use no configuration, or an old one"
        for one in case.fault.every:
            cure = f"edit the file and the key that it names: {one.fix}"
            yield Finding(CONFIGURATION, BROKEN, one.reason, f"{cure}; {until}")
        return
    now = case.settings
    there = " and ".join(effective.stamp(case.root)) or "no file"
    limits = f"{now.max_iterations} rounds, {now.max_minutes:g} minutes, stagnation {now.stagnation_limit}"
    yield Finding(CONFIGURATION, OK, f"{there}: {limits}, marker {now.markers.marker}, auto {now.unasked.auto}")
    if not now.max_minutes and not now.stagnation_limit:
        what = f"neither time nor stagnation ends a loop, only its {now.max_iterations} rounds"
        yield Finding(CONFIGURATION, NOTE, what, case.key("stagnation_limit = 3"))
    if now.stagnation_limit == 1:
        what = "stagnation_limit 1 ends a loop at the first round without improvement"
        yield Finding(CONFIGURATION, NOTE, what, case.key("stagnation_limit = 3"))
    if now.markers.success_regex and re.search(now.markers.success_regex, _SAID):
        what = "success_regex fits whatever the agent says: every stop counts as done"
        yield Finding(CONFIGURATION, WARNING, what, case.key('success_regex = "^DONE$"'))
    for name, check in now.checks.items():
        if check.enabled and check.timeout > now.deadline:
            what = f"checks.{name}.timeout of {check.timeout:g} s is above the deadline of a stop, {now.deadline:g} s"
            yield Finding(CONFIGURATION, NOTE, what, case.key(f"timeout = {now.deadline:g}", f"checks.{name}"))
