"""Which scope and which project `init` and `uninstall` are about, and how what they would do is shown."""

import difflib
import os
from collections.abc import Iterator, Mapping
from typing import Any

from untilgreen.cli.installing.plan import Plan, active
from untilgreen.core.errors import UserError
from untilgreen.loops.begin import starting
from untilgreen.project import toplevel as projects

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
    if scope == "user" and projects.refused(found, env):
        return ""
    starting.refuse(found, env)
    return found


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
