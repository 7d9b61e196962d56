"""A number that a page states is the one that the code uses: the sentence with its number is in the page."""

import re
from typing import NamedTuple

import pytest

from untilgreen.checkers import checker
from untilgreen.checks.elsewhere import ignored, rerun
from untilgreen.checks.plan import planning
from untilgreen.core.model.settings import Settings
from untilgreen.core.verdict import automatic
from untilgreen.core.words import brief, judgement, memory, notification
from untilgreen.loops import pruning
from untilgreen.loops.begin import first_look
from untilgreen.loops.rest import orphans
from untilgreen.loops.stop import trace
from untilgreen.loops.unasked import edit
from untilgreen.project.tree import contents
from untilgreen.state import store
from world import REPOSITORY

USUAL = Settings()
MB = 1024 * 1024
WORDS = {5: "five"}


class Claim(NamedTuple):
    """A sentence of a page, or a part of one, with `{}` for its numbers."""

    page: str
    text: str
    numbers: tuple[float, ...]


CLAIMS = (
    Claim("README.md", "never more than {}", (brief.LIMIT,)),
    Claim("README.md", "A test run gets {} seconds", (checker.SECONDS["tests"],)),
    Claim(
        "README.md",
        "A loop ends after {} rounds, after {} minutes of work, or after {} rounds without improvement",
        (USUAL.max_iterations, USUAL.max_minutes, USUAL.stagnation_limit),
    ),
    Claim("README.md", f"at most {WORDS[automatic._ROUNDS]} times for one prompt", ()),
    Claim("README.md", "up to {} s, for linters", (first_look._BASELINE,)),
    Claim("docs/going-back.md", "Files of more than {} MB", (contents.LARGE / MB,)),
    Claim(
        "docs/going-back.md",
        "{} days, and the oldest if all of them take more than {} GB",
        (pruning.DAYS, pruning.MOST / MB / 1024),
    ),
    Claim("docs/how-a-stop-is-judged.md", "After {} days the loop ends", (orphans.DAYS,)),
    Claim("docs/how-a-stop-is-judged.md", "if more than {} tests fail", (USUAL.blame.blame_tests,)),
    Claim("docs/how-a-stop-is-judged.md", "takes at most {} seconds of a stop", (USUAL.blame.blame_seconds,)),
    Claim(
        "docs/how-a-stop-is-judged.md",
        "the suite takes more than {} seconds, they take at most a fifth",
        (rerun.QUICK,),
    ),
    Claim("docs/judge.md", "If the diff has more than {} characters", (judgement._ROOM["diff"],)),
    Claim("docs/proof.md", "large folders ({} MB or {} files)", (ignored._LARGE / MB, ignored._MANY)),
    Claim("docs/proof.md", "a suite that takes more than {} seconds", (rerun.QUICK,)),
    Claim("docs/troubleshooting.md", "no answer about … within {} s", (edit._SECONDS["types"],)),
    Claim("docs/what-green-means.md", "runs for at most {} seconds", (planning._TOLD,)),
    Claim("docs/what-green-means.md", "type checkers and builds, {} seconds at most", (first_look._ALL_KNOWN,)),
    Claim("SECURITY.md", "the task's first {} characters", (notification._TASK,)),
    Claim("SECURITY.md", "They go after {} days (`untilgreen gc`)", (pruning.DAYS,)),
    Claim("SECURITY.md", "the next start after {} days", (store._KEPT / 86_400,)),
    Claim("SECURITY.md", "`last_stop.json` keeps the first {} characters", (trace._SHOWN,)),
    Claim("SECURITY.md", "the summary of a loop {}", (memory._OUTPUT,)),
)


@pytest.mark.parametrize("claim", CLAIMS, ids=[f"{one.page}: {one.text}" for one in CLAIMS])
def test_a_number_on_a_page_is_that_of_the_code(claim: Claim) -> None:
    page = " ".join((REPOSITORY / claim.page).read_text(encoding="utf-8").split())
    assert claim.text.format(*(f"{number:,.0f}" for number in claim.numbers)) in page


def test_what_claude_reads_in_the_picture_is_as_long_as_the_readme_says() -> None:
    screen = (REPOSITORY / "tests" / "screens" / "demo.txt").read_text(encoding="utf-8")
    [held] = re.findall(r"Not green yet:.*?tests\.$", screen, re.MULTILINE | re.DOTALL)
    read = "\n".join(line.strip() for line in held.replace(" ·\n     ruff", " · ruff").split("\n"))
    assert f"{len(read)} characters for the hold in the picture" in (REPOSITORY / "README.md").read_text("utf-8")
