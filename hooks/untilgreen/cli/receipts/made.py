"""The receipt of a loop that is over."""

import os
import time
from typing import Any

from untilgreen.checks.run import processes
from untilgreen.cli import options
from untilgreen.cli.doctor.case import asking_version, version
from untilgreen.core import document, secrets
from untilgreen.core.errors import UserError
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.receipt import DECLARED, GREEN, RECEIPT_VERSION, LoopReceipt, Subject, Witness
from untilgreen.loops.begin.listing import Kept
from untilgreen.state.trees import Missing, TreeStore

_SECONDS = 10.0  # for a tool to say its version


def subject(kept: Kept) -> tuple[Subject, str, list[dict[str, Any]]]:
    """The tree of a loop's end, that of its start, and the files of it that say what the checks do. Raises UserError
    where the loop runs still, or its tree is not kept."""
    loop = kept.loop
    if loop.active:
        raise UserError(f"{loop.loop_id} is not over", "untilgreen status, and again when it is")
    if not loop.history.snapshots:
        raise UserError(f"{loop.loop_id} ended before a stop was judged", "untilgreen status --all, for another loop")
    try:
        with TreeStore(kept.place.base, loop.project) as trees:
            ref, start = loop.history.snapshots[-1].ref, loop.start.start_ref
            found, there = trees.tree_of(ref), trees.tree(ref)
            start = trees.tree_of(start) if start else ""
    except Missing:
        raise UserError(f"the work tree of {loop.loop_id} is not kept", "run a new loop") from None
    configured = {name.partition(" [")[0] for name in (loop.start.text.config if loop.start.text else ())}
    configured |= {check.source.partition(":")[0] for check in loop.checks.plan}
    files = [
        {"name": name, "digest": {"gitBlob": there[name].name}}
        for name in sorted(configured & there.keys())  # what was there at the start only says nothing of the end
    ]
    # what no file says our release does
    ours = {"name": "untilgreen", "uri": f"pkg:pypi/untilgreen@{options.version()}"}
    return Subject(os.path.basename(loop.project), found), start, [ours, *files]


def receipt(loop: Loop, start: str) -> LoopReceipt:
    """What the loop proved. `start`: the tree with which it began, as git names it. Nothing secret is in it, and not
    the task: it goes where the code goes."""
    asked, last = loop.asked.completion_criteria, loop.history.snapshots[-1]
    criteria = [document.in_json(name) for name in asked._fields if getattr(asked, name) is True]
    criteria += [f"only {kind}" for kind in asked.only] + [f"judge: {one}" for one in loop.for_a_judge]
    ended = loop.end.stop_reason or ""
    judged = loop.end.verified or bool(loop.end.but)  # a promise is the agent's word alone
    found = LoopReceipt(
        schema_version=RECEIPT_VERSION,
        release=options.version(),
        loop=loop.loop_id,
        ended=ended if ended != "complete" else GREEN if judged and not loop.end.declared else DECLARED,
        judged_at=last.timestamp,
        rounds=loop.rounds.iteration,
        start=start,
        criteria=tuple(criteria),
        checks=_witnesses(loop),
        buts=loop.end.but,
        proof=loop.history.proof,
        words=tuple(one._replace(suggestions=(), tail="") for one in last.judged),
    )
    return document.load(LoopReceipt, secrets.in_document(document.dump(found)))


def _witnesses(loop: Loop) -> tuple[Witness, ...]:
    asked = {one.name: asking_version(one.tool) for one in loop.checks.plan if one.tool and one.checker != "custom"}
    jobs = tuple(processes.Job(name, words, loop.project, _SECONDS) for name, words in asked.items())
    answers = processes.run(jobs, processes.environment(os.environ), time.monotonic() + _SECONDS)
    versions = {name: version(answer) for name, answer in answers.items()}
    last, plan = loop.history.snapshots[-1], {check.name: check for check in loop.checks.plan}
    own = {name for one in loop.end.but if one.kind == "own_run" for name in one.detail.split(", ")}
    return tuple(
        Witness(
            name,
            plan[name].shown if name in plan else name,
            versions.get(name, ""),
            outcome,
            last.failing_by_check.get(name, 0),
            last.ran.get(name, 0),
            "agent" if {name, plan[name].stage if name in plan else ""} & own else "untilgreen",
        )
        for name, outcome in last.outcomes.items()
    )
