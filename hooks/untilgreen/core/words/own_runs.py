"""What the agent is told of its own runs. Pure; loaded only where it ran something."""

from untilgreen.core import secrets
from untilgreen.core.model.groups import AgentRun
from untilgreen.core.model.loop import Loop
from untilgreen.core.verdict import evidence
from untilgreen.core.words.lines import Words, sentence

_COMMAND = 120  # characters


def line(loop: Loop, tree: str, words: Words) -> tuple[str, ...]:
    """The last run of each kind in this round, and what it is worth now; one command is told once."""
    told = dict.fromkeys(_told(run, tree, words) for run in evidence.last_runs(loop))
    return (sentence(words["own_runs"].format(runs="; ".join(told)), words),) if told else ()


def _told(run: AgentRun, tree: str, words: Words) -> str:
    ended = "own_unknown" if run.success is None else "own_passed" if run.success else "own_failed"
    command = secrets.safe(run.command)
    command = command if len(command) <= _COMMAND else f"{command[: _COMMAND - 1]}…"
    part = "" if run.scope == "whole" else words["own_narrowed"]
    late = "" if evidence.is_fresh(run, tree) else words["own_stale"]
    return f"{words[ended].format(command=command)}{part}{late}"
