"""Loops from Python: what programs may call. `from untilgreen import start` loads it.

The same as the commands of these names, with their errors: every function raises UserError, whose text says what to do.
"""

import os
import time
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, Unpack

from untilgreen.checks.run.checking import Watch
from untilgreen.core import document
from untilgreen.core.errors import UserError
from untilgreen.core.model import loop as model
from untilgreen.loops.begin import first_look, listing, options, ownership, starting
from untilgreen.loops.begin.first_look import Checked
from untilgreen.loops.rest import ending
from untilgreen.project.tree import worktree
from untilgreen.settings import values
from untilgreen.settings.groups import CHECK
from untilgreen.settings.keys import SETTINGS
from untilgreen.settings.values import taken
from untilgreen.state import store
from untilgreen.state.place import NEXT, STATE, of

__all__ = ["Checked", "Loop", "UserError", "cancel", "check", "is_active", "start", "status"]


class FlatLoop(model.Loop):
    """A loop with every field under the name that it has in `loop_state.json`, whatever group it lies in."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        for group in map(self.__getattribute__, model.Loop.flat()):
            if name in group._fields:
                return getattr(group, name)
        if name in model.SEED_NAMES:
            return document.value(self.settings, name)
        raise AttributeError(f"a loop has no field {name!r}", name=name, obj=self)


Loop = FlatLoop
Folder = str | os.PathLike[str]
_OF_THE_SETTINGS = SETTINGS.kinds.keys() - {"criteria", "checks", "judge", "context"}  # which a start has as its own


class StartOptions(TypedDict, total=False):
    """The options of `start-loop` by their names; what is left out is as the project's configuration has it."""

    description: str
    max_iterations: int
    max_minutes: float
    stagnation_limit: int
    iteration_minutes: float
    max_tokens: int
    max_cost: float  #: in USD
    adaptive: bool
    completion_promise: str
    marker: str
    preset: str
    strict: bool
    criteria: Sequence[str]
    checks: Mapping[str, str | Sequence[str]]  #: name to a command line, or to its words
    judge: Sequence[str]
    context: str  #: the name of a context preset
    only: Sequence[str]
    targets: Sequence[str]
    allow_absent: bool
    replace: bool


def start(task: str, *, session: str, project: Folder = ".", **asked: Unpack[StartOptions]) -> Loop:
    """Begin a loop for the agent's session of that id, or the "next" that prompts in the project, which this trusts."""
    if unknown := asked.keys() - StartOptions.__annotations__.keys():
        raise TypeError(f"start() got an unexpected keyword argument {min(unknown)!r}")
    if not session:
        raise UserError("the session has no id", 'give its id, or "next"')
    kinds, request = SETTINGS.kinds, options.checks_only(asked.get("only", ()))
    criteria = taken(kinds["criteria"], list(asked.get("criteria", ())), "criteria")
    request = request._replace(
        task=task,
        description=asked.get("description", ""),
        targets=tuple(asked.get("targets", ())),
        settings={key: taken(kinds[key], value, key) for key, value in asked.items() if key in _OF_THE_SETTINGS},
        criteria=request.criteria.union(criteria),
        checks=tuple((name, _words(name, command)) for name, command in asked.get("checks", {}).items()),
        judge=options.judged(asked.get("judge", ())),
        context=options.context(asked.get("context")),
        allow_absent=asked.get("allow_absent", False),
        replace=asked.get("replace", False),
    )
    return Loop._make(starting.start(request, _root(project), session, os.environ)[1])


def cancel(session: str, project: Folder = ".") -> Loop | None:
    """End the loop of this session, or the one that waits for the "next": as it ended, None where none ran."""
    root = _root(project)
    base = starting.base_of(root, os.environ)
    with starting.state_is_used("nothing was cancelled"):
        if session == NEXT:
            waited = ownership.cancel_waiting(base, root, os.environ)
            return Loop._make(waited[0]) if waited else None
        ended = ending.cancel(of(root, base, session), os.environ, told=False)
        return Loop._make(ended) if ended else None


def status(session: str | None = None, project: Folder = ".") -> Loop | None:
    """The newest loop of this session, running or over, or of the project; None where there is none."""
    root = _root(project)
    base = starting.base_of(root, os.environ)
    with starting.state_is_used("nothing was looked at"):
        if session is None:
            kept, _ = listing.everything(base, root)
            newest = kept[0].loop if kept else None
        elif session == NEXT:
            newest = next((loop for _, loop in ownership.waiting(base, root)), None)
        else:
            known = store.look_at(of(root, base, session).file(STATE))
            newest = known if known is not None and known.begun and known.project == root else None
    return Loop._make(newest) if newest else None


def is_active(session: str, project: Folder = ".") -> bool:
    """Whether a loop of this session runs, or waits for the "next"."""
    loop = status(session, project)
    return loop is not None and loop.active


def check(
    project: Folder = ".", *, only: Sequence[str] = (), tests: bool = True, deadline: float | None = None
) -> Checked:
    """Run the project's own checks once, as a stop does, and store nothing. `only`: some of "lint", "types", "tests",
    "build"; `deadline`: in seconds."""
    root = _root(project)
    starting.refuse(root, os.environ)
    files = worktree.files(root)
    scope = first_look.scope_of(root, options.checks_only(only, tests), files, os.environ)
    return first_look.check(scope, files, Watch(time.monotonic() + (deadline or scope.settings.deadline)))


def _root(project: Folder) -> str:
    return starting.root_of(os.fspath(project), os.environ)


def _words(name: str, command: str | Sequence[str]) -> tuple[str, ...]:
    """The command of a check of one's own. Raises UserError."""
    if not values.CHECK_NAME.fullmatch(name):
        raise UserError(f"{values.shown(name)} is no name of a check", "take letters, digits, _ and -")
    if isinstance(command, str):
        return options.check_words(name, command)
    return tuple(taken(CHECK.kinds["command"], list(command), f"checks.{name}.command"))
