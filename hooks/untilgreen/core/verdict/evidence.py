"""The record of what the agent ran, and of what failed: how it grows, what is still open, what it is worth. Pure."""

from collections.abc import Iterable, Sequence

from untilgreen.core.model.check import STAGES, Absent, Check
from untilgreen.core.model.groups import AgentRun, ToolError
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.outcome import Clean, Diagnostic, Found, Result

MOST = 50  # of each that are kept, the newest
NAME = "tool calls"  # no check of a user's own can have a name with a blank
KINDS = {"test_pass": "test", "lint_clean": "lint", "type_check": "types", "build_success": "build"}
_SHOWN = 200  # characters of a command
_PASSIVE = frozenset(("cd", "pushd", "popd", "echo", "printf", "true", ":", "set", "export", "head", "tail", "sleep"))
_HARMLESS = frozenset(("cd", "pushd", "popd", "echo", "printf", "true", ":", "head", "tail", "tee", "cat", "grep"))
# programs that do many things: the word behind them says which
_VERBED = (
    *("npm", "pnpm", "yarn", "bun", "composer", "bundle", "pip", "pip3", "uv", "poetry", "pdm", "apt", "apt-get"),
    *("git", "gh", "cargo", "go", "dotnet", "mvn", "gradle", "mix", "rails", "make", "just", "brew"),
    *("docker", "kubectl", "terraform"),
)


def recorded(loop: Loop, runs: Sequence[AgentRun], error: ToolError | None) -> Loop:
    """The loop with these runs and this failure, which takes the place of an earlier one of the same call. A check that
    failed is made good by the next success of its kind, of the whole or by the same command."""
    good = [run for run in runs if run.success]
    errors = [
        one._replace(resolved=True)
        if any(run.kind in one.kinds and (run.scope == "whole" or run.command == one.about) for run in good)
        else one
        for one in loop.observed.tool_errors
    ]
    if error is not None:
        others = (one for one in errors if (one.tool, one.about) != (error.tool, error.about))
        errors = [*others, error][-MOST:]
    known = (*loop.observed.evidence, *runs)[-MOST:]
    return loop.put(loop.observed._replace(evidence=known, tool_errors=tuple(errors)))


def made_good(errors: Iterable[ToolError], what: str, about: str) -> tuple[ToolError, ...]:
    """The failures after a call of a tool did its work on `about`: of a shell the same command, or one that runs the
    same programs; of an edit the same file, whichever tool wrote it."""

    def is_good(error: ToolError) -> bool:
        if error.resolved:
            return True
        if what == "edit":
            return not error.kinds and error.what != "shell" and error.about == about
        if error.what != "shell" or (error.kinds and what != "shell"):
            return False
        failed = set() if error.kinds else programs(error.about)
        return error.about == about or bool(failed and failed <= programs(about, own=True))

    return tuple(one._replace(resolved=True) if is_good(one) else one for one in errors)


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

    words = [wrappers.unwrapped(one.words).words for one in line.read(command).commands]
    others = sum(not one or wrappers.name(one[0]) not in _HARMLESS for one in words)
    return "()" not in command and "alias " not in command and others == runs


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


def aged(runs: Iterable[AgentRun], tree: str) -> tuple[AgentRun, ...]:
    """The runs, each with whether files changed after it. `tree`: the work tree's fingerprint now."""
    return tuple(run._replace(stale=not is_fresh(run, tree)) for run in runs)


def is_fresh(run: AgentRun, tree: str) -> bool:
    """Whether the work tree is as it was after the run."""
    return run.tree != "" and run.tree == tree


def last_runs(loop: Loop) -> tuple[AgentRun, ...]:
    """Of this round, and of the agent itself, the last run of each kind."""
    runs = (run for run in loop.observed.evidence if run.iteration == loop.rounds.iteration and not run.agent_id)
    return tuple({run.kind: run for run in runs}.values())


def tool_errors(loop: Loop, ran: Sequence[Result]) -> tuple[Result, ...]:
    """The failures that nothing made good, as findings of one check (criterion `no_tool_errors`); none where there are
    none: that the agent's calls went well is no look at the project. A check that failed for the agent is made good
    where ours of that kind are clean. They weigh on the first stage that there is."""
    said: dict[str, list[bool]] = {}
    for check, outcome in ran:
        for name in check.meets:
            said.setdefault(KINDS.get(name, ""), []).append(isinstance(outcome, Clean))
    there = {check.stage for check, outcome in ran if not isinstance(outcome, Absent)}
    stage = next((one for one in STAGES if one in there), STAGES[0])
    found = []
    for error in still_open(loop, (kind for kind, clean in said.items() if all(clean))):
        about = f"`{error.about[:_SHOWN]}`: " if error.about and error.what != "edit" else ""
        file = error.about if error.what == "edit" else ""
        found.append(Diagnostic(NAME, file, 0, error.tool, "error", f"{about}{error.message or 'failed'}"))
    check = Check(NAME, "custom", ".", stage, "", meets=("no_tool_errors",))
    return ((check, Found(tuple(found))),) if found else ()
