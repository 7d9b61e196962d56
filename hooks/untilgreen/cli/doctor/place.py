"""The project as a place: its root, whether its code may run, and what git would take along."""

import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from untilgreen.cli.doctor import cures
from untilgreen.cli.doctor.case import Case
from untilgreen.cli.doctor.finding import BROKEN, NOTE, OK, WARNING, Finding
from untilgreen.project import git, toplevel, trust

SUBJECT = "project"


class Kept(NamedTuple):
    """A path of the project that is nobody else's business: is it there, does git ignore it, or track it?"""

    path: str
    there: bool
    ignored: bool
    tracked: bool


class Seen(NamedTuple):
    """What git says: `repository`: the root is a work tree of it; `private`: the paths that are for one person."""

    repository: bool
    private: tuple[Kept, ...]


def look(case: Case, private: Sequence[str]) -> Seen:
    """Ask git about these paths (relative to the root), all at once."""
    inside = git.start(case.root, "rev-parse", "--is-inside-work-tree")
    tracked = {path: git.start(case.root, "ls-files", "--", path) for path in private}
    # a path that need not be there: a folder of our own is ignored by a file within itself
    inner = {path: f"{path}/x" if os.path.isdir(os.path.join(case.root, path)) else path for path in private}
    ignored = {path: git.start(case.root, "check-ignore", "-q", "--", inner[path]) for path in private}
    there = {path: os.path.lexists(os.path.join(case.root, path)) for path in private}
    return Seen(
        git.end(inside)[1].strip() == b"true",
        tuple(
            Kept(path, there[path], git.end(ignored[path])[0] == 0, git.end(tracked[path])[1].strip() != b"")
            for path in private
        ),
    )


def findings(case: Case, seen: Seen) -> tuple[Finding, ...]:
    """Where the project is, whether it is trusted, and what git should not see."""
    return (*_root(case), *_trust(case), *(one for kept in seen.private for one in _private(kept, seen.repository)))


def _root(case: Case) -> Iterator[Finding]:
    if case.refused:
        yield Finding(
            SUBJECT, BROKEN, f"{case.refused}: hooks are silent here", "start the host in a project's own folder"
        )
        return
    yield Finding(SUBJECT, OK, case.root)
    main = toplevel.main_tree(case.root)
    if main:
        what = f"a linked work tree of {main}: it has trust and loops of its own; tools are found there, too"
        yield Finding(SUBJECT, OK, what)
    given = case.env.get("CLAUDE_PROJECT_DIR", "")
    if given and not case.here and toplevel.top(given) != case.root:
        what = f"$CLAUDE_PROJECT_DIR is {given}: hooks of that session mean that project, not this one"
        yield Finding(SUBJECT, NOTE, what, f"start the host in {cures.name(case.root)} to work here")


def _trust(case: Case) -> Iterator[Finding]:
    if case.refused:
        return
    if case.trusted:
        yield Finding(SUBJECT, OK, f"trusted: its own code may run ({case.shown(trust.path(case.env))})")
        return
    what = "not trusted: checks that run its own code (tests, type checkers, its environment's tools) are left out"
    yield Finding(SUBJECT, WARNING, what, case.command("untilgreen", "trust"))


def _private(kept: Kept, repository: bool) -> Iterator[Finding]:
    if not repository or not kept.there:
        return
    path = cures.word(kept.path)
    exclude = f"""echo {path} >> "$(git rev-parse --git-path info/exclude)\""""
    if kept.tracked:
        cure = f"run: git rm -r -q --cached {path} && {exclude}"
        yield Finding(SUBJECT, WARNING, f"git tracks {kept.path}, which is about this machine alone", cure)
    elif not kept.ignored:
        what = f"git does not ignore {kept.path}, which is about this machine alone"
        yield Finding(SUBJECT, NOTE, what, f"run: {exclude}")
