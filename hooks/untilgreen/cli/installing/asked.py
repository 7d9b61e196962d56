"""Which host, which settings file and which project `init` and `uninstall` are about, and how paths are shown."""

import difflib
import os
from collections.abc import Iterator, Mapping
from typing import Any

from untilgreen import hosts
from untilgreen.cli.installing.plan import Plan, active
from untilgreen.core.errors import UserError
from untilgreen.hosts.host import Scope, SettingsFiles
from untilgreen.loops import starting
from untilgreen.project import toplevel as projects

SCOPES = ("local", "user", "shared")


def settings(host: str) -> SettingsFiles:
    """The settings of the host that was asked for. Raises UserError where we do not write any."""
    known = {name: files for name in hosts.ADAPTERS if (files := hosts.get(name).settings())}
    if host not in known:
        raise UserError(f"--host {host}: untilgreen does not register with it", f"give one of {', '.join(known)}")
    return known[host]


def scope(given: Mapping[str, Any]) -> str:
    """The one scope that was asked for, "" for none. Raises UserError for several."""
    asked = [name for name in SCOPES if given[name]]
    if len(asked) > 1:
        raise UserError(f"--{asked[0]} and --{asked[1]} exclude each other", "give one of them")
    return asked[0] if asked else ""


def root(scope: str, project: str, env: Mapping[str, str]) -> str:
    """The project's root; "" for the user's registration from a folder that is no project. Raises UserError."""
    found = starting.root_of(project, env)
    if scope == "user" and projects.refused(found, env):
        return ""
    starting.refuse(found, env)
    return found


def file(files: SettingsFiles, name: str, root: str, env: Mapping[str, str]) -> Scope:
    """The settings file of a scope. Raises UserError where the host has none."""
    for found in files.scopes(root or os.sep, env):
        if found.name == name and name in files.SCOPES:
            return found
    raise UserError(f"the host has no settings for --{name}", f"give --{files.SCOPES[0]}")


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
