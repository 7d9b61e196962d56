"""What a loop proved, for somebody who has the same tree and nothing else: an in-toto Statement about a test result.

https://in-toto.io/attestation/test-result/v0.1 says what passed; what is ours stands beside it, as `untilgreen`.
"""

from untilgreen.core import document
from untilgreen.core.model.groups import Buts, Proof
from untilgreen.core.model.snapshot import Judgement
from untilgreen.core.record import Any, NamedTuple

RECEIPT_VERSION = 2
STATEMENT, PREDICATE = "https://in-toto.io/Statement/v1", "https://in-toto.io/attestation/test-result/v0.1"
GREEN, UNCHECKED = "green", "unchecked"
PASSED, WARNED, FAILED = "PASSED", "WARNED", "FAILED"


class Witness(NamedTuple):
    """A check of the last round."""

    name: str
    call: str  #: how it was called, and whence that call is: `mypy -p pkg (tox.ini: mypy)`
    version: str  #: its tool's, when the receipt was written; "" where the tool does not say
    outcome: str  #: "clean", "found", "broken", "absent" or "pending"
    failing: int = 0  #: how many of its findings counted
    tests: int = 0  #: how many tests ran; 0 where it runs none
    by: str = "untilgreen"  #: who ran it; "agent": its own run was taken for ours

    @property
    def unsure(self) -> bool:
        """It ran, and did not come to its end."""
        return self.outcome in ("broken", "pending")


class LoopReceipt(NamedTuple):
    """What was judged, by what, in whose words, and what came of it."""

    schema_version: int
    release: str  #: of untilgreen, which judged
    loop: str  #: its id; "" for one run of the checks, which no agent had to pass
    ended: str  #: "green"; "unchecked": the agent said that it was done; else why it ended: "stuck"
    judged_at: str  #: ISO 8601 in UTC
    rounds: int
    start: str  #: the work tree at the start, as git names it; "" where it was not kept
    criteria: tuple[str, ...]  #: what had to hold, by name
    checks: tuple[Witness, ...]
    buts: Buts  #: what stands against the green
    proof: Proof | None  #: null where no test was changed and none was new
    words: tuple[Judgement, ...] = ()  #: what a judge, a model or a program, said of the criteria that no check decides

    @property
    def result(self) -> str:
        """PASSED, WARNED (green, but), FAILED. A green for which nobody stands is none."""
        told = {one.check for one in self.buts if one.kind == "told"}  # red, and CI does not ask for it
        red = any(one.failing and one.name not in told for one in self.checks)
        if self.ended != GREEN or red or not all((self.checks or self.words, *(one.success for one in self.words))):
            return FAILED
        return WARNED if self.buts or any(one.unsure for one in self.checks) else PASSED


class Subject(NamedTuple):
    """What it is about."""

    name: str
    tree: str  #: the work tree at the end, as git names it: that of a commit which holds all of it
    commit: str = ""  #: one with this tree, "" where there was none


def statement(subject: Subject, configuration: list[dict[str, Any]], receipt: LoopReceipt) -> dict[str, Any]:
    """The Statement. `configuration`: the files that say what the checks do, each an in-toto ResourceDescriptor."""
    digest = {"gitCommit": subject.commit} if subject.commit else {}
    checks, ran = receipt.checks, ("clean", "found")
    return {
        "_type": STATEMENT,
        "subject": [{"name": subject.name, "digest": {**digest, "gitTree": subject.tree}}],
        "predicateType": PREDICATE,
        "predicate": {
            "result": receipt.result,
            "configuration": configuration,
            "passedTests": [one.name for one in checks if one.outcome in ran and not one.failing],
            "warnedTests": [one.name for one in checks if one.unsure and not one.failing],
            "failedTests": [one.name for one in checks if one.failing],
            "untilgreen": document.dump(receipt),
        },
    }


def read(found: Any) -> tuple[Subject, LoopReceipt]:
    """A Statement of ours. Raises Mismatch for what is none, or says one thing here and another there."""
    try:
        [subject], predicate = found["subject"], found["predicate"]
        named = {"name": subject["name"], "tree": subject["digest"]["gitTree"]}
        named |= {"commit": subject["digest"]["gitCommit"]} if "gitCommit" in subject["digest"] else {}
        about, receipt = document.load(Subject, named), document.load(LoopReceipt, predicate["untilgreen"])
        whole = (
            statement(about, predicate["configuration"], receipt) == found and f"{about.tree}{about.commit}".isalnum()
        )
    except (LookupError, TypeError, ValueError) as error:
        raise document.Mismatch(f"{type(error).__name__}: {error}") from None
    if not whole:
        raise document.Mismatch("its parts do not fit together")
    return about, receipt
