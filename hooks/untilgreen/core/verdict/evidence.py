"""The record of what the agent ran, and of what failed: how it grows, what is still open, what it is worth. Pure."""

from collections.abc import Iterable, Sequence

from untilgreen.core.model.groups import AgentRun, ToolError
from untilgreen.core.model.loop import Loop

MOST = 50  # of each that are kept, the newest
_PASSIVE = frozenset(("cd", "pushd", "popd", "echo", "printf", "true", ":", "set", "export", "head", "tail", "sleep"))
_HARMLESS = frozenset(("cd", "pushd", "popd", "echo", "printf", "true", ":", "head", "tail", "tee", "cat", "grep"))
# programs that do many things: the word behind them says which
_VERBED = (
    *("npm", "pnpm", "yarn", "bun", "composer", "bundle", "pip", "pip3", "uv", "poetry", "pdm", "apt", "apt-get"),
    *("git", "gh", "cargo", "go", "dotnet", "mvn", "gradle", "mix", "rails", "make", "just", "brew"),
    *("docker", "kubectl", "terraform"),
)


def recorded(loop: Loop, runs: Sequence[AgentRun], error: ToolError | None) -> Loop:
    """The loop with these runs and this failure, after which what they make good is open no more."""
    return with_error(
        loop.put(
            loop.observed._replace(evidence=(*loop.observed.evidence, *runs)[-MOST:], tool_errors=_resolved(loop, runs))
        ),
        error,
    )


def with_error(loop: Loop, error: ToolError | None) -> Loop:
    """The loop with a failure, which takes the place of an earlier one of the same call."""
    if error is None:
        return loop
    others = (one for one in loop.observed.tool_errors if (one.tool, one.about) != (error.tool, error.about))
    return loop.put(loop.observed._replace(tool_errors=(*others, error)[-MOST:]))


def _resolved(loop: Loop, runs: Sequence[AgentRun]) -> tuple[ToolError, ...]:
    """A check that failed is made good by the next success of its kind, of the whole or by the same command."""
    good = [run for run in runs if run.success]
    return tuple(
        one._replace(resolved=True)
        if any(run.kind in one.kinds and (run.scope == "whole" or run.command == one.about) for run in good)
        else one
        for one in loop.observed.tool_errors
    )


def made_good(errors: Iterable[ToolError], what: str, about: str) -> tuple[ToolError, ...]:
    """The failures after a call of a tool did its work on `about`: of a shell the same command, or one that runs the
    same programs; of an edit the same file, whichever tool wrote it."""
    return tuple(one._replace(resolved=True) if _is_good(one, what, about) else one for one in errors)


def _is_good(error: ToolError, what: str, about: str) -> bool:
    if error.resolved or error.kinds:
        return error.resolved or (what == "shell" and error.what == "shell" and error.about == about)
    if what == "edit":
        return error.what != "shell" and error.about == about
    if error.what != "shell":
        return False
    failed = programs(error.about)
    return error.about == about or bool(failed and failed <= programs(about, own=True))


def programs(command: str, *, own: bool = False) -> set[str]:
    """What a shell line runs, by name: `npm install`, `python`. `own`: only that whose exit code the line has."""
    from untilgreen.core.shell import line, wrappers

    found = set()
    for one in line.read(command).commands:
        words = wrappers.unwrapped(one.words).words
        if not words or (own and not one.own_exit):
            continue
        name = wrappers.name(words[0])
        verb = words[1].text if name in _VERBED and words[1:] and words[1].text[:1] != "-" else ""
        found.add(f"{name} {verb}".rstrip())
    return found - _PASSIVE - {""}


def is_alone(command: str, runs: int) -> bool:
    """Whether a shell line does nothing beside so many runs that could change what they do: no variable, no function,
    no other program."""
    from untilgreen.core.shell import line, wrappers

    if "()" in command or "alias " in command:
        return False
    words = [wrappers.unwrapped(one.words).words for one in line.read(command).commands]
    return sum(not one or wrappers.name(one[0]) not in _HARMLESS for one in words) == runs


def still_open(loop: Loop, clean: Iterable[str] = ()) -> tuple[ToolError, ...]:
    """The failures that are not made good. `clean`: the kinds that our own checks have just found in order. A tool of
    whose success nobody tells counts in the round in which it failed."""
    good = set(clean)
    return tuple(
        one
        for one in loop.observed.tool_errors
        if not one.resolved
        and (one.what != "other" or one.iteration == loop.rounds.iteration)
        and not (one.kinds and good.issuperset(one.kinds))
    )


def this_round(loop: Loop) -> tuple[AgentRun, ...]:
    """What the agent and its sub-agents ran in the round that the loop is in."""
    return tuple(run for run in loop.observed.evidence if run.iteration == loop.rounds.iteration)


def aged(runs: Iterable[AgentRun], tree: str) -> tuple[AgentRun, ...]:
    """The runs, each with whether files changed after it. `tree`: the work tree's fingerprint now."""
    return tuple(run._replace(stale=not is_fresh(run, tree)) for run in runs)


def is_fresh(run: AgentRun, tree: str) -> bool:
    """Whether the work tree is as it was after the run."""
    return run.tree != "" and run.tree == tree


def last_runs(loop: Loop) -> tuple[AgentRun, ...]:
    """Of this round, and of the agent itself, the last run of each kind."""
    return tuple({run.kind: run for run in this_round(loop) if not run.agent_id}.values())
