"""A receipt in words, for people. Pure."""

from collections.abc import Iterator

from untilgreen.core.model.groups import Against
from untilgreen.core.model.receipt import FAILED, UNCHECKED, LoopReceipt, Subject, Witness
from untilgreen.core.verdict import proof
from untilgreen.core.words import brief
from untilgreen.core.words.brief import Words


def verdict(receipt: LoopReceipt, words: Words) -> str:
    """`green`, `green, but 1 new skip`, or why it is neither."""
    if receipt.ended == UNCHECKED:
        return "ended unchecked, the agent said it was done"
    if receipt.result == FAILED:
        return f"not green: {receipt.ended}"
    # another release may have words for what this one does not know
    known = (one if f"against_{one.kind}" in words else Against("said", one.kind) for one in receipt.buts)
    return f"green, but {brief.but(words, known)}" if receipt.buts else "green"


def lines(subject: Subject, receipt: LoopReceipt, words: Words) -> Iterator[str]:
    """What was judged and proved, by which tools and in whose words."""
    if receipt.proof and (shown := proof.told(receipt.proof, words)):
        yield f"  {shown}"
    yield from map(_line, receipt.checks)
    yield from (f"  {one.criterion}: {one.shown}" for one in receipt.words)
    about = f"commit {subject.commit[:12]}, tree" if subject.commit else "no commit, tree"
    began = f"the loop began at tree {receipt.start[:12] or '(not kept)'}" if receipt.loop else "no loop, one run"
    yield f"  {about} {subject.tree[:12]}; {began}"
    judged = f"untilgreen {receipt.release}, {receipt.judged_at}, {brief.plural(receipt.rounds, 'round')}"
    yield f"  asked for {', '.join(receipt.criteria) or 'a promise'}; judged by {judged}"


def _line(one: Witness) -> str:
    tests = f", {brief.plural(one.tests, 'test')}" if one.tests else ""
    failing = f", {one.failing:,} left" if one.failing else ""
    whose = "" if one.by == "untilgreen" else f", by the word of the {one.by}"
    return f"  {f'{one.name} {one.version}'.strip()}: {one.outcome}{failing}{tests}{whose} · {one.call}"
