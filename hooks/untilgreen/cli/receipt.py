"""`untilgreen receipt`: what a loop proved, to be kept beside the change; `untilgreen verify` reads it."""

import os
import time
from collections.abc import Mapping, Sequence

import click
import orjson

from untilgreen.checks.run import processes
from untilgreen.cli import options
from untilgreen.cli.doctor.host import version
from untilgreen.cli.story import history
from untilgreen.core import document, foreign
from untilgreen.core.errors import UserError
from untilgreen.core.model.check import Check
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.receipt import RECEIPT_VERSION, LoopReceipt, Witness
from untilgreen.core.model.settings import Criteria
from untilgreen.core.verdict import proof
from untilgreen.core.words import brief
from untilgreen.loops.begin.listing import Kept
from untilgreen.state import catalogue
from untilgreen.state.trees import Missing, TreeStore

_SECONDS = 10.0  # for a tool to say its version
_TASK = 200  # characters of it


@click.command("receipt", epilog="Example: untilgreen receipt --json > receipt.json")
@click.argument("loop", default="", shell_complete=history.names)
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON: what `untilgreen verify` reads.")
@click.option("--project", default="", metavar="DIR", help="The project's folder.")
def command(loop: str, as_json: bool, project: str) -> None:
    """Tell what a loop has proved, and by what.

    LOOP is a name from `untilgreen status`; without one it is the newest loop. A receipt is no signature: it says which
    tree was judged, so that `untilgreen verify` can tell in CI whether it has the same one.
    """
    kept = history.find(project, loop)
    found = of(kept)
    if as_json:
        click.echo(orjson.dumps(document.dump(found), option=orjson.OPT_INDENT_2))
    else:
        click.echo("\n".join(map(foreign.one_line, lines(found))))


def of(kept: Kept) -> LoopReceipt:
    """The receipt of a loop. Raises UserError where it runs still, or its tree is not kept."""
    loop = kept.loop
    if loop.active:
        raise UserError(f"{loop.loop_id} is not over", "untilgreen status, and again when it is")
    if not loop.history.snapshots:
        raise UserError(f"{loop.loop_id} ended before a stop was judged", "untilgreen status, for another loop")
    tree, base = _trees(kept)
    story = history.told(kept)
    return LoopReceipt(
        schema_version=RECEIPT_VERSION,
        untilgreen=options.version(),
        loop_id=loop.loop_id,
        task=brief.clean(story.task, _TASK),
        final_status=loop.end.final_status or "",
        verified=bool(loop.end.verified),
        declared=loop.end.declared,
        tree=tree,
        base=base,
        criteria=(*_criteria(loop.asked.completion_criteria), *(f"judge: {one}" for one in loop.for_a_judge)),
        checks=_witnesses(loop, _versions(loop)),
        proof=loop.history.proof,
        but=story.rounds[-1].but if story.rounds else (),
        rounds=loop.rounds.iteration,
        started_at=loop.started_at,
        ended_at=loop.end.ended_at or "",
        seconds=loop.clock.elapsed_seconds,
        judged=loop.history.snapshots[-1].judged,
    )


def _trees(kept: Kept) -> tuple[str, str]:
    """The names of the trees at the end and at the start. Raises UserError."""
    loop, ref = kept.loop, kept.loop.history.snapshots[-1].ref
    try:
        with TreeStore(kept.place.base, loop.project) as objects:
            return objects.tree_of(ref), objects.tree_of(loop.start.start_ref) if loop.start.start_ref else ""
    except Missing:
        raise UserError(f"the work tree of {loop.loop_id} is not kept", "run a new loop") from None


def _criteria(asked: Criteria) -> tuple[str, ...]:
    named = (name for name in asked._fields if getattr(asked, name) is True)
    return (*map(document.in_json, named), *(f"only {kind}" for kind in asked.only))


def _witnesses(loop: Loop, versions: Mapping[str, str]) -> tuple[Witness, ...]:
    last, planned = loop.history.snapshots[-1], {check.name: check for check in loop.checks.plan}

    def witness(name: str, outcome: str) -> Witness:
        call = planned[name].shown if name in planned else name
        return Witness(name, call, versions.get(name, ""), outcome, last.ran.get(name, 0))

    return tuple(witness(name, outcome) for name, outcome in last.outcomes.items())


def _versions(loop: Loop) -> dict[str, str]:
    """Check to the version of its tool."""
    asked = [check for check in loop.checks.plan if check.tool and check.checker != "custom"]
    jobs = tuple(processes.Job(check.name, _asking(check), loop.project, _SECONDS) for check in asked)
    env = processes.environment(os.environ)
    answers = processes.run(jobs, env, time.monotonic() + _SECONDS)
    return {name: version(answer) for name, answer in answers.items()}


def _asking(check: Check) -> tuple[str, ...]:
    return check.tool, "version" if os.path.basename(check.tool) == "go" else "--version"


def lines(receipt: LoopReceipt) -> Sequence[str]:
    """The receipt for people."""
    if receipt.declared:
        state = "■ ended unchecked: the agent said it was done"
    elif not receipt.green:
        state = f"■ {receipt.final_status}: not green"
    else:
        state = f"✓ green, but {', '.join(receipt.but)}" if receipt.but else "✓ green"
    shown = proof.told(receipt.proof, catalogue.english()) if receipt.proof else ""
    return [
        (
            f"{state} · {receipt.loop_id} · {receipt.rounds} round{'' if receipt.rounds == 1 else 's'}, "
            f"{brief.spent(receipt.seconds)} · {receipt.ended_at}"
        ),
        *([shown] if shown else []),
        *(f"  {' '.join(filter(None, (one.name, one.version)))}: {_said(one)}" for one in receipt.checks),
        *(f"  {one.shown} ({one.criterion})" for one in receipt.judged),
        f"tree {receipt.tree}, begun at {receipt.base or 'a tree that was not kept'}",
        f"asked for: {', '.join(receipt.criteria)}; judged by untilgreen {receipt.untilgreen}",
    ]


def _said(one: Witness) -> str:
    tests = f", {one.tests:,} test{'' if one.tests == 1 else 's'}" if one.tests else ""
    return f"{one.outcome}{tests} · {one.call}"
