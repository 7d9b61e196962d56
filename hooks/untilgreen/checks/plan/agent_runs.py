"""For which checks the agent's own last run may stand, where the configuration takes its word (`evidence = "accept"`):
only where it is surely the same, its tool, the project's own words for it and the folder."""

import os
import re
from collections.abc import Iterable, Sequence

from untilgreen import checkers
from untilgreen.checkers.checker import arguments
from untilgreen.core.model.check import Check
from untilgreen.core.model.groups import Against, AgentRun, Buts
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.outcome import Clean, Result, Tests
from untilgreen.core.verdict import evidence
from untilgreen.project.toplevel import within

_LINES = ("npm-script", "linter", "runner", "builder")  # checkers whose call is a whole command line
_NPM = re.compile(r"(?:npm|yarn|pnpm|bun) run test|(?:npm|yarn|pnpm) test|npm (?:t|tst)")
# words that change how a tool reports, or name all that it would look at anyway
_PLAIN = re.compile(
    r"-[qvxs]+|-r[A-Za-z]+|\.|\./\.\.\.|--(?:quiet|verbose|exitfirst|no-color|no-header|silent|pretty|no-pretty"
    r"|no-progress|noEmit|no-cov|workspace)|--(?:color|tb|durations|maxfail|output-format|cov)(?:=[\w./-]+)?"
)


def standing(loop: Loop, planned: Iterable[Check], tree: str) -> dict[str, AgentRun]:
    """Check to the run that stands for it; none where the word of the agent is not taken. `tree`: the work tree's
    fingerprint now."""
    asked = loop.asked.completion_criteria
    if loop.settings.evidence != "accept" or loop.settings.strict or asked.preserve or not loop.observed.evidence:
        return {}
    found = {}
    for check in planned:
        counted = asked.zero_warnings or asked.zero_security  # of which an exit code says nothing
        if check.tool and not check.absent and not (counted and check.stage == "static"):
            run = _last(loop, check)
            if run and run.success and run.scope == "whole" and not run.agent_id and evidence.is_fresh(run, tree):
                found[check.name] = run
    return found


def results(planned: Iterable[Check], standing: dict[str, AgentRun], ran: Sequence[Result]) -> tuple[Result, ...]:
    """What the checks said, in the order of the plan, those clean for which a run stands."""
    said = {check.name: outcome for check, outcome in ran}
    counts = {name: run.counts for name, run in standing.items()}
    clean = {name: Clean(Tests(one.run, 0) if one and one.run else None) for name, one in counts.items()}
    return tuple((check, said.get(check.name) or clean[check.name]) for check in planned)


def told(planned: Sequence[Check], standing: dict[str, AgentRun]) -> Buts:
    """What stands against a green that the agent's word is part of."""
    if not standing:
        return ()
    tests = {check.name for check in planned if check.stage == "tests"}
    names = ["tests"] if tests and tests <= set(standing) else [name for name in standing if name in tests]
    return (Against("own_run", ", ".join((*names, *(name for name in standing if name not in tests)))),)


def _last(loop: Loop, check: Check) -> AgentRun | None:
    """The last run of what the check is about, where it is of this check. One of another tool that went well, or one
    beside the check's root, takes nothing away; any other does."""
    kinds = {evidence.KINDS[name] for name in check.meets if name in evidence.KINDS} or {*evidence.KINDS.values()}
    kinds |= {"test"} if check.stage == "tests" else set()
    root = os.path.realpath(os.path.join(loop.project, check.root))
    for run in reversed(loop.observed.evidence):
        if run.kind not in kinds:
            continue
        place = os.path.realpath(run.cwd) if run.cwd else ""
        if place == root and _is_of(check, run.words, loop):
            return run
        beside = place != "" and not within(root, place) and not within(place, root)
        another = bool(run.words) and run.words[0] not in (
            check.checker.partition("-")[0],
            os.path.basename(check.tool),
        )
        if not (beside or (another and run.success and run.scope == "whole")):
            return None
    return None


def _is_of(check: Check, words: tuple[str, ...], loop: Loop) -> bool:
    """Whether these words run the same as the check does."""
    if not words or check.env or check.given is not None or check.checker in ("pre-commit", "hook"):
        return False
    if check.checker == "custom" or check.checker in _LINES:
        own = loop.settings.checks.get(check.name)
        line = (own.command if own else ()) if check.checker == "custom" else check.call
        return bool(line) and (os.path.basename(line[0]), *line[1:]) == words
    if check.checker == "npm-test":
        return not check.call and _NPM.fullmatch(" ".join(words)) is not None
    checker = checkers.get(check.checker)
    if arguments(checker, words) is None:
        return False
    more = list(words[len(checker.subcommand) + 1 :])
    for word in check.call:
        if word not in more:
            return False
        more.remove(word)
    return all(map(_PLAIN.fullmatch, more))
