"""The completion hooks and the review: whether their programs are there. None of them is started."""

from collections.abc import Iterator

from untilgreen.checks import asking
from untilgreen.cli.doctor.case import DoctorCase
from untilgreen.core.findings import OK, WARNING, Finding
from untilgreen.loops.stop import judge

SUBJECT = "completion hooks"


def examine(case: DoctorCase) -> Iterator[Finding]:
    """A finding for each that is configured."""
    if case.refused or case.fault:
        return
    review = case.settings.review
    called = {f"hook {one.name}": one.command[0] for one in case.settings.hooks}
    called |= {"review": review.command[0]} if review.command else {}
    found = {name: (one, asking.find(one, case.root, {}, case.env)) for name, one in called.items()}
    if review.agent and not review.command:
        found["review"] = (judge.host(), judge.hosts_own(case.root, case.env))
    for name, (program, path) in found.items():
        if path:
            yield Finding(SUBJECT, OK, f"{name} ({case.shown(path)}) is there")
        else:
            what = f"{name}: {program} is not there, so it is skipped, and no green is a verified one"
            yield Finding(SUBJECT, WARNING, what, f"install {program}, or mend its command in the configuration")
