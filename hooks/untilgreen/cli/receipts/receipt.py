"""`untilgreen receipt`: state what a loop proved, sign it, and keep it where others find it."""

import click
import orjson

from untilgreen.cli import errors, options
from untilgreen.cli.receipts import made, notes, signatures
from untilgreen.cli.story import lookup
from untilgreen.core.errors import UserError
from untilgreen.core.model.receipt import statement
from untilgreen.core.words import receipt as words
from untilgreen.state import catalogue


@click.command("receipt", epilog="Example: untilgreen receipt")
@click.argument("loop", default="", shell_complete=lookup.names)
@options.session("The session whose newest loop is meant.")
@click.option(
    "--out", default="", metavar="FILE", help="Write it to FILE and its signature to FILE.sig; leave no note."
)
@options.project
@options.as_json
def command(loop: str, session: str, root: str, out: str, *, as_json: bool) -> None:
    """State what a loop proved, sign it with your SSH key, and keep it as a git note.

    It is an in-toto Statement (test-result v0.1) about the commit with the tree that was judged. It says which checks
    ran, in which versions, what stands against it, what was proved, and in whose words. It is signed as git signs
    (gpg.format ssh, user.signingkey, gpg.ssh.program). Where git does not, it stays unsigned and says so.

    The note lies in refs/notes/untilgreen. With --json the receipt is printed, and neither signed nor kept.
    """
    kept = lookup.find(root, loop, session)
    subject, start, configuration = made.subject(kept)
    subject = subject._replace(commit=notes.commit_of(root, subject.tree))
    found = made.receipt(kept.loop, start)
    document = statement(subject, configuration, found)
    if as_json:
        options.print_json(document)
        return
    if not (subject.commit or out):
        reason = f"no commit has the tree that was judged ({subject.tree[:12]})"
        raise UserError(reason, "commit it as it is, then again; or --out FILE")
    text = orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    signature, why = signatures.sign(root, text)
    if out:
        with open(out, "wb") as file, open(f"{out}.sig", "wb") as beside:
            file.write(text)
            beside.write(signature)  # empty without one: that of an earlier receipt goes
    else:
        notes.keep(root, subject.commit, text + signature)
    where = out or f"a note on {subject.commit[:12]}: git push origin {notes.REF}"
    said, english = "signed" if signature else f"unsigned, {why}", catalogue.english()
    errors.tell(f"{words.verdict(found, english)} · {said} · {where}", *words.lines(subject, found, english))
