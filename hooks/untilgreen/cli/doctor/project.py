"""The project: its root, whether its code may run, what git would take along; and its configuration."""

import os
import re
from collections.abc import Iterator

from untilgreen import hosts
from untilgreen.cli.doctor.case import DoctorCase
from untilgreen.core.findings import BROKEN, NOTE, OK, WARNING, Finding, readable, run, word
from untilgreen.project import toplevel, trust
from untilgreen.project.tree import git
from untilgreen.settings import effective
from untilgreen.state.place import FOLDER

PROJECT, CONFIGURATION = "project", "configuration"
_MOST = 3  # tracked files that are named
_SAID = "I changed the file as you asked."  # messages of an agent that is not done


def place(case: DoctorCase) -> Iterator[Finding]:
    """Where the project is, whether it is trusted, and what git should not see."""
    if case.refused:
        cure = "start the host in a project's own folder"
        yield Finding(PROJECT, BROKEN, f"{case.refused}: hooks are silent here", cure)
    else:
        yield from _root(case)
    if not (case.refused or os.path.lexists(os.path.join(case.root, ".git"))):
        what = "no git repository: what changed is told by the times and sizes of files"
        yield Finding(PROJECT, NOTE, what, run("git", "init"))
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
