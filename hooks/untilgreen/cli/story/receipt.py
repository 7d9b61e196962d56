"""`untilgreen show --receipt`: what a loop proved, to be kept beside the change; `untilgreen verify` reads it."""

import os
import select
import tempfile
import time
from collections.abc import Sequence

import click
import orjson

from untilgreen.checks.run import processes
from untilgreen.cli import errors, options
from untilgreen.cli.doctor.case import asking_version, version
from untilgreen.cli.story import lookup
from untilgreen.core import document, foreign
from untilgreen.core.errors import UserError
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.receipt import RECEIPT_VERSION, LoopReceipt, Witness
from untilgreen.core.verdict import proof
from untilgreen.core.words import brief
from untilgreen.loops.begin.listing import Kept
from untilgreen.project.tree import worktree
from untilgreen.state import catalogue, place, snapshots
from untilgreen.state.trees import Missing, TreeStore

_SECONDS = 10.0  # for a tool to say its version
_READING = 60.0  # seconds to read the work tree
_TASK = 200  # characters of it
_LARGEST, _WAIT = 4 * 1024 * 1024, 3.0  # bytes of a receipt; seconds for more of it


def page(kept: Kept, *, as_json: bool) -> None:
    """Print the receipt of a loop. Raises UserError."""
    found = of(kept)
    if as_json:
        options.print_json(document.dump(found))
    else:
        click.echo("\n".join(map(foreign.one_line, lines(found))))


def of(kept: Kept) -> LoopReceipt:
    """The receipt of a loop. Raises UserError where it runs still, or its tree is not kept."""
    loop = kept.loop
    if loop.active:
        raise UserError(f"{loop.loop_id} is not over", "untilgreen status, and again when it is")
    if not loop.history.snapshots:
        raise UserError(f"{loop.loop_id} ended before a stop was judged", "untilgreen status --all, for another loop")
    tree, base = _trees(kept)
    story, asked = lookup.told(kept), loop.asked.completion_criteria
    criteria = [document.in_json(name) for name in asked._fields if getattr(asked, name) is True]
    criteria += [f"only {kind}" for kind in asked.only] + [f"judge: {one}" for one in loop.for_a_judge]
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
        criteria=tuple(criteria),
        checks=_witnesses(loop),
        proof=loop.history.proof,
        but=story.rounds[-1].but if story.rounds else (),
        rounds=loop.rounds.iteration,
        started_at=loop.started_at,
        ended_at=loop.end.ended_at or "",
        seconds=loop.clock.elapsed_seconds,
        judged=loop.history.snapshots[-1].judged,
    )


def _trees(kept: Kept) -> tuple[str, str]:
    loop, ref = kept.loop, kept.loop.history.snapshots[-1].ref
    try:
        with TreeStore(kept.place.base, loop.project) as objects:
            return objects.tree_of(ref), objects.tree_of(loop.start.start_ref) if loop.start.start_ref else ""
    except Missing:
        raise UserError(f"the work tree of {loop.loop_id} is not kept", "run a new loop") from None


def _witnesses(loop: Loop) -> tuple[Witness, ...]:
    asked = {one.name: asking_version(one.tool) for one in loop.checks.plan if one.tool and one.checker != "custom"}
    jobs = tuple(processes.Job(name, words, loop.project, _SECONDS) for name, words in asked.items())
    answers = processes.run(jobs, processes.environment(os.environ), time.monotonic() + _SECONDS)
    versions = {name: version(answer) for name, answer in answers.items()}
    last, calls = loop.history.snapshots[-1], {check.name: check.shown for check in loop.checks.plan}
    return tuple(
        Witness(name, calls.get(name, name), versions.get(name, ""), outcome, last.ran.get(name, 0))
        for name, outcome in last.outcomes.items()
    )


def lines(receipt: LoopReceipt) -> Sequence[str]:
    """The receipt for people."""
    if receipt.declared:
        state = "■ ended unchecked: the agent said it was done"
    elif not receipt.green:
        state = f"■ {receipt.final_status}: not green"
    else:
        state = f"✓ green, but {', '.join(receipt.but)}" if receipt.but else "✓ green"
    shown = proof.told(receipt.proof, catalogue.english()) if receipt.proof else ""
    work = f"{brief.plural(receipt.rounds, 'round')}, {brief.spent(receipt.seconds)}"
    return [
        f"{state} · {receipt.loop_id} · {work} · {receipt.ended_at}",
        *([shown] if shown else []),
        *map(_line, receipt.checks),
        *(f"  {one.shown} ({one.criterion})" for one in receipt.judged),
        f"tree {receipt.tree}, begun at {receipt.base or 'a tree that was not kept'}",
        f"asked for: {', '.join(receipt.criteria)}; judged by untilgreen {receipt.untilgreen}",
    ]


def _line(one: Witness) -> str:
    tests = f", {one.tests:,} test{'' if one.tests == 1 else 's'}" if one.tests else ""
    return f"  {f'{one.name} {one.version}'.strip()}: {one.outcome}{tests} · {one.call}"


@click.command("verify", epilog="Example: untilgreen verify receipt.json")
@click.argument("path", metavar="RECEIPT", type=click.Path(exists=True, allow_dash=True, dir_okay=False))
@options.project
@click.pass_context
def verify(ctx: click.Context, path: str, root: str) -> None:
    """Tell whether this is the tree that a loop has proved.

    RECEIPT is a file that `untilgreen show --receipt --json` wrote, - is stdin. Needs no state of untilgreen, and
    runs no check. Exit code 0: it is that tree, and it was green; 1: it is another one, or it was not green.
    """
    found = _read(path)
    tree = _tree(root)
    if tree != found.tree:
        click.echo(f"✗ another tree: this is {tree}, the receipt is for {foreign.one_line(found.tree)}")
        ctx.exit(errors.NO)
    told = [*map(foreign.one_line, lines(found))]
    click.echo(
        "\n".join(("✓ the tree of the receipt" if found.green else "✗ the tree of the receipt, not green", *told))
    )
    ctx.exit(errors.OK if found.green else errors.NO)


def _read(path: str) -> LoopReceipt:
    try:
        found = orjson.loads(_text(path))
        known = found.get("schema_version")
        receipt_ = document.load(LoopReceipt, found)
    except (ValueError, AttributeError, document.Mismatch) as error:
        raise UserError(f"this is no receipt: {error}", "untilgreen show --receipt --json > receipt.json") from None
    if known != RECEIPT_VERSION:
        raise UserError(
            f"the receipt has the form {known}, this release reads {RECEIPT_VERSION}", "take the same release"
        )
    return receipt_


def _text(path: str) -> bytes:
    """What the file, or stdin, holds. Raises ValueError for what is too large, or waits; UserError, OSError."""
    fd, text = 0 if path == "-" else os.open(path, os.O_RDONLY | os.O_NONBLOCK), bytearray()
    while len(text) <= _LARGEST and select.select([fd], [], [], _WAIT)[0]:
        if not (part := os.read(fd, 1 << 16)):
            return bytes(text)
        text += part
    raise ValueError(f"it is larger than {_LARGEST:,} bytes, or has no end")


def _tree(root: str) -> str:
    """The name of the work tree, as git names a tree. Raises UserError."""
    with tempfile.TemporaryDirectory(prefix="untilgreen-") as base:
        reading = worktree.read(root)
        kept = snapshots.keep(place.of(root, base, "verify"), reading, "verify", "now", _READING)
        if kept.why:
            raise UserError(f"the work tree cannot be read: {kept.why}", "see to it, then try again")
        with TreeStore(base, root) as objects:
            return objects.tree_of(kept.ref)
