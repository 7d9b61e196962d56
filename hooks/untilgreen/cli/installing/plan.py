"""All that one `init` or `uninstall` does, as data: where, how it is shown, and how it is done, all or nothing."""

import difflib
import fnmatch
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from untilgreen import hosts
from untilgreen.cli import start
from untilgreen.cli.installing import changes, receipt
from untilgreen.cli.installing.changes import Change
from untilgreen.core.errors import UserError
from untilgreen.core.model.loop import Loop
from untilgreen.core.record import NamedTuple
from untilgreen.core.words import brief
from untilgreen.loops.begin import listing, starting
from untilgreen.project import tables, toplevel, trust
from untilgreen.project.tree.layout import PROJECT_FILES
from untilgreen.settings import effective
from untilgreen.state import locks, place, seal, store


class Plan(NamedTuple):
    root: str = ""  #: the project, "" for the user's registration outside of any
    #: receipts, written before anything else: whoever kills this leaves what uninstall takes back
    receipts: tuple[Change, ...] = ()
    state: str = ""  #: the project's state folder, to be made, with the resolved configuration in it
    grants: bool = False  #: the project goes on the list of those that are trusted, or off it
    revokes: bool = False
    files: tuple[Change, ...] = ()  #: what people see
    cancels: bool = False  #: the project's loops end
    gone: str = ""  #: the project's state folder, to go
    #: receipts that go or shrink, last of all: whoever kills this can call uninstall again
    forgotten: tuple[Change, ...] = ()
    kept: tuple[str, ...] = ()  #: what stays and why, a line each

    @property
    def visible(self) -> list[Change]:
        """The changes that a person should hear of."""
        return changes.real(self.files)


def apply(plan: Plan, env: Mapping[str, str]) -> list[Loop]:
    """Do it; the loops that were cancelled. Raises UserError, and then everything is as it was."""
    _refuse_blocked(plan, env)
    done = "nothing was changed"
    try:
        with ExitStack() as undo:
            ended = _apply(plan, env, undo)
            undo.pop_all()
        done = "all else is taken back"
        for more in (True, True, False):  # a stop that runs may still write into it
            if os.path.isdir(plan.gone):
                shutil.rmtree(plan.gone, ignore_errors=more)
        _sweep(plan, env)
        changes.put(plan.forgotten, ExitStack())
    except locks.Busy:
        raise UserError("another process holds the state of this session; nothing was changed", "try again") from None
    except OSError as error:
        why = f"cannot write {error.filename}: {error.strerror or error}; {done}"
        raise UserError(why, "make it writable") from None
    finally:
        _sweep(plan, env)
    return ended


def _sweep(plan: Plan, env: Mapping[str, str]) -> None:
    paths = [change.path for change in (*plan.files, *plan.receipts, *plan.forgotten)]
    paths.append(place.seal_of(env, "any"))
    theirs = (env.get(hosts.get(name).facts.config_dir, "") for name in hosts.ADAPTERS)
    changes.sweep(paths, (plan.root, env.get("HOME", ""), env.get("XDG_STATE_HOME", ""), *theirs))


def _refuse_blocked(plan: Plan, env: Mapping[str, str]) -> None:
    wanted = [change.path for change in changes.real((*plan.files, *plan.receipts, *plan.forgotten))]
    wanted += [os.path.join(plan.state, "config.json")] if plan.state else []
    wanted += [os.path.join(plan.gone, "loop")] if plan.gone else []  # it is emptied
    wanted += [trust.path(env)] if plan.grants or plan.revokes else []
    found = changes.blocked(wanted)
    if found is not None:
        elsewhere = ", or use --user" if plan.state and toplevel.within(plan.root, found[0]) else ""
        raise UserError(f"cannot write {found[0]}: {found[1]}; nothing was changed", f"make it writable{elsewhere}")


def _apply(plan: Plan, env: Mapping[str, str], undo: ExitStack) -> list[Loop]:
    if plan.receipts:
        trust.make_private(receipt.folder(env))
    changes.put(plan.receipts, undo)
    if plan.state:
        if not os.path.lexists(plan.state):
            undo.callback(shutil.rmtree, plan.state, ignore_errors=True)
        store.make_base(plan.state)
    if plan.grants:
        undo.callback(trust.revoke, plan.root, env)
        trust.grant(plan.root, env)
    places = dict.fromkeys(kept.place for kept in active(plan.root, env)) if plan.cancels else {}
    if plan.revokes:
        if trust.trusted(plan.root, env):
            undo.callback(trust.grant, plan.root, env)
        trust.revoke(plan.root, env)
    changes.put(plan.files, undo)
    if plan.state:
        effective.refresh(plan.root, plan.state)  # of the configuration as it is now
    if plan.cancels:
        place.end_warm(place.base_of(plan.root, env))
    ended = [loop for one in places for loop in start.end(one)]
    if plan.cancels and starting.whose(env) != "agent":
        seal.forget(env, plan.root)  # who uninstalls knows it; of the agent's doing what is left of the hooks tells
    return ended


def active(root: str, env: Mapping[str, str]) -> list[listing.Kept]:
    """The loops of the project that run or wait; state that cannot be read has none."""
    found, _ = listing.everything(place.base_of(root, env), root)
    return [kept for kept in found if kept.loop.active]


SCOPES = ("local", "user", "shared")


def scope(given: Mapping[str, Any]) -> str:
    """The one scope that was asked for, "" for none. Raises UserError for several."""
    asked = [name for name in SCOPES if given[name]]
    if len(asked) > 1:
        raise UserError(f"--{asked[0]} and --{asked[1]} exclude each other", "give one of them")
    return asked[0] if asked else ""


def root(scope: str, project: str, env: Mapping[str, str]) -> str:
    """The project's root; "" for the user's registration from a folder that is no project. Raises UserError."""
    found = starting.root_of(project, env)
    if scope == "user" and toplevel.refused(found, env):
        return ""
    starting.refuse(found, env)
    return found


def refuse_no_project(root: str, env: Mapping[str, str]) -> None:
    """Raise UserError where neither git, nor a manifest, nor an earlier trust says that this is a project."""
    signs = (*PROJECT_FILES, *(row[1] for row in tables.read("programs")[""]))
    if _projects(root, signs, 0) or trust.trusted(root, env):
        return
    number = f" ({brief.plural(below, 'project')} below)" if (below := _projects(root, signs, 2)) else ""
    raise UserError(f"this looks like no project{number}", "go into one, or --force")


def _projects(folder: str, signs: Sequence[str], deep: int) -> int:
    """How many there are: a repository's top, or what holds such a file, is one; else in its folders, `deep` levels."""
    _, folders, names = next(os.walk(folder), ("", [], []))
    if ".git" in (*folders, *names) or any(fnmatch.filter(names, sign) for sign in signs):
        return 1
    return sum(_projects(os.path.join(folder, one), signs, deep - 1) for one in folders if one[0] != "." and deep)


def shown(path: str, root: str) -> str:
    """A path for people: from the project's root, where it lies below it."""
    return path.removeprefix(root.rstrip(os.sep) + os.sep) if root else path


def would(plan: Plan, env: Mapping[str, str]) -> Iterator[str]:
    """What a plan would do, for people; a changed file as a unified diff."""
    for kept in active(plan.root, env) if plan.cancels else ():
        yield f"would cancel {kept.loop.loop_id}: {' '.join(kept.loop.task_description.split())}"
    for change in plan.visible:
        name = shown(change.path, plan.root)
        if change.after is None:
            yield f"would remove {name}"
        elif not name.endswith((".json", ".toml")):
            yield f"would write {name}"
        else:
            before, after = ((data or b"").decode(errors="replace").splitlines() for data in change[1:3])
            was = os.devnull if change.before is None else name
            yield from difflib.unified_diff(before, after, was, name, lineterm="")
    if plan.state and not os.path.lexists(plan.state):
        yield f"would make {shown(plan.state, plan.root)}"
    if plan.gone:
        yield f"would remove {shown(plan.gone, plan.root)}"
    if plan.grants or plan.revokes:
        yield f"would trust {plan.root}" if plan.grants else f"would trust no more: {plan.root}"
