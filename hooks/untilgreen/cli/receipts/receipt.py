"""`untilgreen receipt`: state what a loop proved, sign it, and keep it where others find it."""

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import click
import orjson

from untilgreen.checks.run import processes
from untilgreen.cli import errors, options
from untilgreen.cli.doctor.case import asking_version, version
from untilgreen.cli.receipts import notes, signatures
from untilgreen.cli.story import lookup
from untilgreen.core import document, secrets
from untilgreen.core.errors import UserError
from untilgreen.core.model.check import Check
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.receipt import GREEN, RECEIPT_VERSION, LoopReceipt, Subject, Witness, statement
from untilgreen.core.model.settings import Criteria
from untilgreen.core.model.snapshot import Snapshot
from untilgreen.core.trees import Entry
from untilgreen.core.words import receipt as words
from untilgreen.core.words import story
from untilgreen.loops.begin.listing import Kept
from untilgreen.state import catalogue
from untilgreen.state.trees import Missing, TreeStore

_SECONDS = 10.0  # for a tool to say its version


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
    subject, start, configuration = about(kept)
    subject = subject._replace(commit=notes.commit_of(root, subject.tree))
    found = of(kept.loop, start)
    stated = statement(subject, configuration, found)
    if as_json:
        options.print_json(stated)
        return
    if not (subject.commit or out):
        reason = f"no commit has the tree that was judged ({subject.tree[:12]})"
        raise UserError(reason, "commit all that git status shows, then again; or --out FILE")
    text = orjson.dumps(stated, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
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


def about(kept: Kept) -> tuple[Subject, str, list[dict[str, Any]]]:
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
    named = configuration(loop.checks.plan, there, loop.start.text.config if loop.start.text else ())
    return Subject(os.path.basename(loop.project), found), start, named


def configuration(plan: Sequence[Check], there: Mapping[str, Entry], read: Iterable[str]) -> list[dict[str, Any]]:
    """What says what checks do: files of a tree, of the rest our release. `read`: names as in a text's `config`."""
    configured = {*(name.partition(" [")[0] for name in read), *(check.source.partition(":")[0] for check in plan)}
    files = [
        {"name": name, "digest": {"gitBlob": there[name].name}}
        for name in sorted(configured & there.keys())  # what was there at the start only says nothing of the end
    ]
    return [{"name": "untilgreen", "uri": f"pkg:pypi/untilgreen@{options.version()}"}, *files]


def of(loop: Loop, start: str) -> LoopReceipt:
    """What the loop proved, without its task. `start`: the tree with which it began, as git names it."""
    last, ended = loop.history.snapshots[-1], story.verdict(loop)
    judged = tuple(f"judge: {one}" for one in loop.for_a_judge)
    own = {name for one in loop.end.but if one.kind == "own_run" for name in one.detail.split(", ")}
    found = LoopReceipt(
        schema_version=RECEIPT_VERSION,
        release=options.version(),
        loop=loop.loop_id,
        ended=GREEN if ended.startswith(GREEN) else ended,
        judged_at=last.timestamp,
        rounds=loop.rounds.iteration,
        start=start,
        criteria=(*criteria(loop.asked.completion_criteria), *judged),
        checks=witnesses(loop.project, loop.checks.plan, last, *own),
        buts=loop.end.but,
        proof=loop.history.proof,
        words=tuple(one._replace(suggestions=(), tail="") for one in last.judged),
    )
    return masked(found)


def masked(found: LoopReceipt) -> LoopReceipt:
    """Without what is secret: it goes where the code goes."""
    return document.load(LoopReceipt, secrets.in_document(document.dump(found)))


def criteria(asked: Criteria) -> tuple[str, ...]:
    named = (document.in_json(name) for name in asked._fields if getattr(asked, name) is True)
    return (*named, *(f"only {kind}" for kind in asked.only))


def witnesses(root: str, planned: Sequence[Check], last: Snapshot, *own: str) -> tuple[Witness, ...]:
    """What each check said last. `own`: the checks and stages whose runs were the agent's."""
    plan = {check.name: check for check in planned}
    asked = {one.name: asking_version(one.tool) for one in planned if one.tool and one.checker != "custom"}
    jobs = tuple(processes.Job(name, words, root, _SECONDS) for name, words in asked.items())
    answers = processes.run(jobs, processes.environment(os.environ), time.monotonic() + _SECONDS)
    versions = {name: version(answer) for name, answer in answers.items()}
    return tuple(
        Witness(
            name,
            plan[name].shown if name in plan else name,
            versions.get(name, ""),
            outcome,
            last.failing_by_check.get(name, 0),
            last.ran.get(name, 0),
            "agent" if {name, plan[name].stage if name in plan else ""}.intersection(own) else "untilgreen",
        )
        for name, outcome in last.outcomes.items()
    )
