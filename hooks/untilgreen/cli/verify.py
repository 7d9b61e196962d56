"""`untilgreen verify`: whether this tree is the one that a loop proved, by the loop's receipt alone."""

import os
import tempfile
from typing import BinaryIO

import click
import orjson

from untilgreen.cli import receipt
from untilgreen.core import document, foreign
from untilgreen.core.errors import UserError
from untilgreen.core.model.receipt import RECEIPT_VERSION, LoopReceipt
from untilgreen.loops.begin import starting
from untilgreen.project.tree import worktree
from untilgreen.state import place, snapshots
from untilgreen.state.trees import TreeStore

_SECONDS = 60.0  # to read the work tree


@click.command("verify", epilog="Example: untilgreen verify receipt.json")
@click.argument("file", metavar="RECEIPT", type=click.File("rb"))
@click.option("--project", default="", metavar="DIR", help="The project's folder.")
@click.pass_context
def command(ctx: click.Context, file: BinaryIO, project: str) -> None:
    """Tell whether this is the tree that a loop has proved.

    RECEIPT is a file that `untilgreen receipt --json` wrote, - is stdin. Needs no state of untilgreen, and runs no
    check. Exit code 0: it is that tree, and it was green; 1: it is another one, or it was not green.
    """
    found = _read(file)
    tree = _tree(starting.root_of(project, os.environ))
    if tree != found.tree:
        click.echo(f"✗ another tree: this is {tree}, the receipt is for {foreign.one_line(found.tree)}")
        ctx.exit(1)
    told = [*map(foreign.one_line, receipt.lines(found))]
    click.echo(
        "\n".join(("✓ the tree of the receipt" if found.green else "✗ the tree of the receipt, not green", *told))
    )
    ctx.exit(0 if found.green else 1)


def _read(file: BinaryIO) -> LoopReceipt:
    try:
        found = orjson.loads(file.read())
        known = found.get("schema_version")
        receipt_ = document.load(LoopReceipt, found)
    except (ValueError, AttributeError, document.Mismatch) as error:
        raise UserError(f"this is no receipt: {error}", "untilgreen receipt --json > receipt.json") from None
    if known != RECEIPT_VERSION:
        raise UserError(
            f"the receipt has the form {known}, this release reads {RECEIPT_VERSION}", "take the same release"
        )
    return receipt_


def _tree(root: str) -> str:
    """The name of the work tree, as git names a tree. Raises UserError."""
    with tempfile.TemporaryDirectory(prefix="untilgreen-") as base:
        reading = worktree.read(root)
        kept = snapshots.keep(place.of(root, base, "verify"), reading, "verify", "now", _SECONDS)
        if kept.why:
            raise UserError(f"the work tree cannot be read: {kept.why}", "see to it, then try again")
        with TreeStore(base, root) as objects:
            return objects.tree_of(kept.ref)
