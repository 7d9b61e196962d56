"""`untilgreen check --attest`: a green of this run, stated as a receipt states that of a loop; the job signs it."""

import os
from collections.abc import Callable

import orjson

from untilgreen.checks.plan import planning
from untilgreen.cli import options
from untilgreen.cli.receipts import notes, receipt, verify
from untilgreen.core.errors import UserError
from untilgreen.core.model.receipt import GREEN, RECEIPT_VERSION, LoopReceipt, Subject, statement
from untilgreen.core.verdict import baseline
from untilgreen.loops.begin.first_look import Checked, scope_of
from untilgreen.loops.begin.options import Request
from untilgreen.project.fakes import text


def begun(root: str, asked: Request, path: str, trust_config: str | None) -> Callable[[Checked], str]:
    """What signs it in the end, and says so in a line. Raises UserError for what would stand against it then."""
    from untilgreen.cli.receipts import bundles  # half a second

    bundles.identity()  # it may last for minutes only: asked for again
    trusted, (tree, there) = bundles.trusted(trust_config), verify.work_tree(root, [path])
    if not (commit := notes.commit_of(root, tree)):
        raise UserError("no commit has the tree of this checkout", "commit all that git status shows, or ignore it")

    def signed(found: Checked) -> str:
        if not found.green:
            return "not attested: not green"
        if changed := there.items() - verify.work_tree(root, [path])[1].items():
            raise UserError(f"not attested: the checks changed {min(changed)[0]}", "commit what they write, or stop it")
        plan, seen, release = [check for check, _ in found.results], found.snapshot, options.version()
        scope = scope_of(root, asked, (*there,), os.environ)
        config = text.read(root, (*there,), float("inf"), planning.commands_of(scope.settings, plan)).config
        criteria, checks = receipt.criteria(scope.criteria), receipt.witnesses(root, plan, seen)
        buts, subject = baseline.left_out(found.results), Subject(os.path.basename(root), tree, commit)
        stated = LoopReceipt(RECEIPT_VERSION, release, "", GREEN, seen.timestamp, 1, "", criteria, checks, buts, None)
        whole = statement(subject, receipt.configuration(plan, there, config), receipt.masked(stated))
        bundle, signer = bundles.sign(orjson.dumps(whole), trusted)
        with open(path, "w", encoding="utf-8") as file:
            file.write(bundle)
        return f"attested: {path} · --identity {signer.who} --issuer {signer.key}"

    return signed
