"""`untilgreen verify`: who stands for a receipt, and is this the tree that it is about?"""

import os
import select
import tempfile
from typing import Any

import click
import orjson

from untilgreen.cli import errors, options
from untilgreen.cli.receipts import notes, signatures
from untilgreen.cli.receipts.signatures import Signer
from untilgreen.core import document
from untilgreen.core.document import Mismatch
from untilgreen.core.errors import UserError
from untilgreen.core.model import receipt as receipts
from untilgreen.core.model.receipt import FAILED, RECEIPT_VERSION, LoopReceipt, Subject
from untilgreen.core.record import NamedTuple
from untilgreen.core.trees import Entry
from untilgreen.core.words import receipt as words
from untilgreen.project.tree import worktree
from untilgreen.state import catalogue, place, snapshots
from untilgreen.state.trees import TreeStore

_READING = 60.0  # seconds to read the work tree
_LARGEST, _WAIT = 4 * 1024 * 1024, 3.0  # bytes of a receipt; seconds for more of it
_EDITED = "edited: it is not what was signed, or says one thing here and another there"
_HOW = "untilgreen receipt, or git fetch origin 'refs/notes/*:refs/notes/*'"
_KNOWN = "--allowed-signers FILE, or git config gpg.ssh.allowedSignersFile FILE"


class Verified(NamedTuple):
    """What came of it."""

    verdict: str  #: "verified", "not green", "stale", "unsigned", "unknown signer", "edited", "no receipt"
    why: tuple[str, ...] = ()  #: all that stands against it
    signer: Signer = Signer("unsigned")
    subject: Subject | None = None
    receipt: LoopReceipt | None = None


@click.command("verify", epilog="Example: untilgreen verify --allowed-signers .github/allowed_signers")
@click.argument(
    "path", metavar="[RECEIPT]", required=False, type=click.Path(exists=True, allow_dash=True, dir_okay=False)
)
@options.allowed_signers
@click.option("--bundle", type=options.FILE, metavar="FILE", help="What untilgreen check --attest wrote, instead.")
@click.option("--identity", metavar="WHO", help="Who must have signed the bundle: a workflow's address, a mail's.")
@click.option("--issuer", metavar="URL", help="Who must have said so to sigstore.")
@options.trust_config
@options.project
@options.as_json
@click.pass_context
def command(ctx: click.Context, /, path: str | None, root: str, allowed: str | None, **how: Any) -> None:
    """Tell who signed a receipt, and whether this is the tree that was proved.

    RECEIPT is a file of `untilgreen receipt --out`, with its signature beside it in FILE.sig; - is stdin. Without it
    the git note is read: that of HEAD, or of a commit before it. Needs no state of untilgreen, and runs no check.

    Exit code 0: it is green, it is about this tree, and one of the allowed signers signed it. Else it is 1.
    """
    found = _by_sigstore(root, path, how) if how["bundle"] or how["identity"] or how["issuer"] else None
    if found is None:
        text, beside = (_read(path), f"{path}.sig") if path else (notes.newest(root), "")
        ours = [path, beside] if path and path != "-" else []
        found = of(root, text, _read(beside) if path and os.path.isfile(beside) else b"", allowed, ours)
    english, signer = catalogue.english(), found.signer
    if how["as_json"]:
        options.print_json(document.dump(found))
    elif found.subject is None or found.receipt is None:
        errors.tell(f"✗ {' · '.join(found.why)}")
    else:
        told = words.verdict(found.receipt, english)
        said = [] if found.receipt.result == FAILED else [f"it says: {told}"]
        first = f"✗ {' · '.join((*found.why, *said))}" if found.why else f"✓ this tree is {told}"
        who = [f"  signed by {signer.who} ({signer.key})"] if signer.who else []
        errors.tell(first, *who, *words.lines(found.subject, found.receipt, english))
    ctx.exit(errors.NO if found.why else errors.OK)


def of(root: str, text: bytes, beside: bytes, allowed: str | None, ours: list[str]) -> Verified:
    """What is to be said of a receipt. `beside`: its signature, where it is not behind the text; `ours`: the files that
    are no part of the tree. Raises UserError for what is none."""
    if not text:
        return Verified("no receipt", (f"no receipt: neither HEAD nor a commit before it has a note. Fix: {_HOW}",))
    text, armour, behind = text.partition(signatures.BEGIN)
    return _judged(root, text, signatures.check(root, text, armour + behind or beside, allowed), ours, _KNOWN)


def _by_sigstore(root: str, path: str | None, how: dict[str, Any]) -> Verified:
    from untilgreen.cli.receipts import bundles  # half a second

    if path or not all(how[name] for name in ("bundle", "identity", "issuer")):
        raise UserError("a bundle has its own signer", "give --bundle, --identity and --issuer together, no RECEIPT")
    config = bundles.trusted(how["trust_config"])
    text, signer = bundles.check(_read(how["bundle"]), how["identity"], how["issuer"], config)
    return _judged(root, text, signer, [how["bundle"]], "--identity WHO --issuer URL, as the signer printed them")


def _judged(root: str, text: bytes, signer: Signer, ours: list[str], known: str) -> Verified:
    """What is to be said of a Statement, and who signed it. `known`: how to say who may."""
    try:
        subject, receipt = _parsed(text) if signer.state != "edited" else (None, None)
    except Mismatch:
        subject, receipt = None, None
    if subject is None or receipt is None:
        return Verified("edited", (f"{_EDITED} ({signer.key})" if signer.key else _EDITED,), signer)
    against = list[tuple[str, str]]()
    if signer.state == "unsigned":
        against.append(("unsigned", "unsigned: nobody stands for it"))
    elif signer.state == "unknown":
        against.append(("unknown signer", f"no allowed signer signed it ({signer.key}). Fix: {known}"))
    if (tree := work_tree(root, ours)[0]) != subject.tree:
        about = f"commit {subject.commit[:12]}" if subject.commit else f"tree {subject.tree[:12]}"
        against.append(("stale", f"stale: it is about {about}, and this is another tree ({tree[:12]})"))
    if receipt.result == FAILED:
        against.append(("not green", words.verdict(receipt, catalogue.english())))
    verdict = against[0][0] if against else "verified"
    return Verified(verdict, tuple(why for _, why in against), signer, subject, receipt)


def _parsed(text: bytes) -> tuple[Subject, LoopReceipt]:
    """Raises UserError for what is no Statement of this release, Mismatch for one that does not fit together."""
    try:
        found = orjson.loads(text)
        kinds, known = (found["_type"], found["predicateType"]), found["predicate"]["untilgreen"]["schema_version"]
    except (ValueError, LookupError, TypeError) as error:
        raise UserError(f"this is no receipt: {type(error).__name__}: {error}", _HOW) from None
    if (*kinds, known) != (receipts.STATEMENT, receipts.PREDICATE, RECEIPT_VERSION):
        reason = f"the receipt has the form {known}, this release reads {RECEIPT_VERSION}"
        raise UserError(reason, "take the same release")
    return receipts.read(found)


def _read(path: str) -> bytes:
    """What the file, or stdin, holds. Raises UserError for what is too large, or waits; OSError."""
    fd, text = 0 if path == "-" else os.open(path, os.O_RDONLY | os.O_NONBLOCK), bytearray()
    while len(text) <= _LARGEST and select.select([fd], [], [], _WAIT)[0]:
        if not (part := os.read(fd, 1 << 16)):
            return bytes(text)
        text += part
    raise UserError(f"this is no receipt: it is larger than {_LARGEST:,} bytes, or has no end", _HOW)


def work_tree(root: str, ours: list[str]) -> tuple[str, dict[str, Entry]]:
    """The name of the work tree, as git names a tree, and its files by path. Raises UserError."""
    with tempfile.TemporaryDirectory(prefix="untilgreen-") as base:
        reading = worktree.read(root)
        aside = {os.fsencode(os.path.relpath(os.path.realpath(one), reading.root)) for one in ours}
        reading = reading._replace(records=tuple(one for one in reading.records if one[1] not in aside))
        kept = snapshots.keep(place.of(root, base, "verify"), reading, "verify", "now", _READING)
        if kept.why:
            raise UserError(f"the work tree cannot be read: {kept.why}", "see to it, then try again")
        with TreeStore(base, root) as objects:
            return objects.tree_of(kept.ref), objects.tree(kept.ref)
