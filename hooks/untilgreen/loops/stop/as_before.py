"""What was clean at the last stop, and was not touched since: it is not asked again where something else holds the stop
anyway. A green never rests on it: there everything runs."""

import os
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress

from untilgreen.core.model.check import Check
from untilgreen.core.model.outcome import Clean, Outcome, Result, Tests
from untilgreen.core.verdict import progress, rounds
from untilgreen.core.verdict.identity import blake2b
from untilgreen.core.words.brief import Words
from untilgreen.loops.stop.steps import Stop
from untilgreen.project.tree import worktree
from untilgreen.state.place import other_keys

# commands of which nobody knows what they read
_OPAQUE = ("custom", "builder", "runner", "npm-script", "npm-test", "pre-commit", "hook")
_CHANGING = ("_", "SHLVL", "OLDPWD")  # variables that a shell sets for each process
_INSTALLED = ("", ".package-lock.json", ".modules.yaml", ".yarn-state.yml")  # what installers write in `node_modules`


def standing(stop: Stop, planned: Sequence[Check], around: str) -> dict[str, Clean]:
    """Check to the result that stands. `around`: as below, now."""
    loop, last = stop.loop, stop.loop.history.newest
    if last is None or not last.items or (last.around, loop.history.tree) != (around, stop.tree) or rounds.ends(loop):
        return {}
    # others may write there, or let it go although it is red
    others = other_keys(stop.call.place.base, stop.call.place.session) or loop.settings.hooks or loop.for_a_judge
    if others or loop.settings.tests == "whole" or progress.is_measured(loop.settings):
        return {}
    unsteady = {key.partition(" ")[0] for key, verdict in loop.start.blame.items() if verdict in ("flaky", "order")}
    clean = (one for one in planned if last.outcomes.get(one.name) == "clean" and one.checker not in _OPAQUE)
    found = {}
    for check in clean:
        suite, number = loop.history.suites.get(check.name), last.ran.get(check.name)
        if check.stage != "tests":
            found[check.name] = Clean()
        elif suite and number and check.name not in unsteady:
            found[check.name] = Clean(Tests(number, 0, suite.counted_by))
    return found


def around(stop: Stop, planned: Sequence[Check], files: Collection[str]) -> str:
    """A value of what the checks depend on beside the tree: their command lines, programs and environments, variables,
    and what lies at the project's top and is none of its `files`."""
    seal, root = blake2b(digest_size=16), stop.loop.project
    env = sorted((name, value) for name, value in stop.call.env.items() if name not in _CHANGING)
    tools = {tool for check in planned for tool in (check.tool, check.interpreter) if os.path.isabs(tool)}
    paths = [path for tool in sorted(tools) for path in _of_tool(tool)]
    own = {path.partition("/")[0] for path in files}
    with suppress(OSError):
        others = (name for name in os.listdir(root) if name not in own and not worktree.left_out(name, ""))
        paths += [os.path.join(root, name) for name in others if name != ".git"]
    for one in (repr(planned), repr(env), *map(_stamp, dict.fromkeys(paths))):
        seal.update(one.encode("utf-8", "surrogatepass") + b"\0")
    return seal.hexdigest()


def _of_tool(tool: str) -> list[str]:
    """The program, and what an installer touches around it."""
    paths, prefix = [tool, os.path.realpath(tool)], os.path.dirname(os.path.dirname(tool))
    if os.path.exists(config := os.path.join(prefix, "pyvenv.cfg")):
        with suppress(OSError):  # an environment without packages
            libraries = os.listdir(os.path.join(prefix, "lib"))
            paths += [config, *(os.path.join(prefix, "lib", name, "site-packages") for name in libraries)]
    top, packages, _ = tool.partition("/node_modules/")
    return paths + [f"{top}{packages}{name}" for name in _INSTALLED if packages]


def _stamp(path: str) -> str:
    try:
        found = os.stat(path)
        return f"{path} {found.st_ino} {found.st_size} {found.st_mtime_ns} {found.st_ctime_ns}"
    except OSError:
        return path


def joined(
    stop: Stop, planned: Sequence[Check], results: Sequence[Result], known: Mapping[str, Clean], took: dict[str, float]
) -> tuple[Result, ...]:
    """All results, in the order of the plan. `took`: check to seconds, with those of the tests that stand."""
    said: dict[str, Outcome] = {**known, **{check.name: one for check, one in results}}
    for check in (one for one in planned if one.name in known):
        stop.trace.checked(check, known[check.name], 0.0, "as before")
        if check.name in stop.loop.history.suites:
            took[check.name] = stop.loop.history.suites[check.name].seconds
    return tuple((check, said[check.name]) for check in planned if check.name in said)


def told(known: Collection[str], words: Words) -> list[str]:
    """`mypy ✓ pytest ✓ as before`."""
    return [words["as_before"].format(checks=" ".join(f"{name} ✓" for name in known))] if known else []
