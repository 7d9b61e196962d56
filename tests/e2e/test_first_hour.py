"""A newcomer's hour, typed into a real terminal: every screen of it is in tests/screens/hour, to be read by people."""

import os

import pytest

from world import REPOSITORY

from .install import install
from .model import Answer, Model
from .newcomer import Newcomer, arrived, plain
from .scenes import edits, writes

pytestmark = [pytest.mark.e2e, pytest.mark.needs("npm")]

SCREENS = REPOSITORY / "tests" / "screens" / "hour"
LATE = Answer(["Too late."], delay=60)
FIXED = (
    edits("shop.py", "import json\n\n\n", ""),
    edits("shop.py", "str(sum(prices))", "sum(prices)"),
    "total() returns a number now.",
)
TURNS = (
    "The shop looks fine to me. Done!",
    *FIXED,
    writes("tax.py", "import os\n\nRATE = 0.19\n"),
    "The tax is there. Done!",
    LATE,
    "One import in tax.py is not used.",
    "I am done!",
    LATE,
)


def same(name: str, screen: str) -> None:
    """The screen is the one that is kept; where lines break may differ, as a second is told in one digit or two."""
    path = SCREENS / f"{name}.txt"
    shown = plain(screen)
    if os.environ.get("UPDATE_GOLDENS"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(shown, encoding="utf-8")
    assert shown.split() == path.read_text(encoding="utf-8").split(), shown


def test_a_first_hour_from_the_installation_to_the_last_line_of_uninstall() -> None:
    with Model(TURNS) as model, arrived(install("latest"), model) as one:
        same("01-install", one.runs("python3 -m venv .venv && . .venv/bin/activate && pip install -q untilgreen"))
        same("02-init", one.runs("untilgreen init"))
        same("03-check", one.runs("untilgreen check"))
        one.opens()
        same("04-session", session(one))
        same("05-status", one.runs("untilgreen status"))
        same("06-show", one.runs("untilgreen show"))
        same("07-report", one.runs("untilgreen show --markdown"))
        same("08-explain", one.runs("untilgreen show --why"))
        same("09-uninstall", one.runs("untilgreen uninstall && pip uninstall -qy untilgreen; git status --short"))


@pytest.mark.wide
@pytest.mark.parametrize(
    ("by", "line"),
    [("pipx", "pipx install --quiet untilgreen"), ("uv", "uv tool install --quiet untilgreen")],
    ids=["pipx", "uv"],
)
def test_the_other_ways_to_install_lead_to_the_same_hold(by: str, line: str) -> None:
    with Model(TURNS) as model, arrived(install("latest"), model) as one:
        same(f"by-{by}", one.runs(f"{line} && untilgreen init | tail -n 3"))
        one.opens()
        one.terminal.say("/untilgreen:loop Make the shop work")
        one.terminal.wait_for("✓ green after ", 60)
        one.leaves()


def session(one: Newcomer) -> str:
    """A loop that turns green; one that is interrupted, asked about, taken up again, and cancelled."""
    at = one.terminal
    at.say("/untilgreen:loop Make the shop work")
    at.wait_for("✓ green after ", 60)
    at.say("/untilgreen:loop Add the tax")
    one.host.model.wait_for(7)
    at.key("esc")
    at.wait_for("Interrupted")
    at.say("What is red?")
    at.wait_for("is not used")
    at.wait_for("loop paused")
    at.say("go on")
    one.host.model.wait_for(10, 60)
    at.key("esc")
    at.wait_for("(?s)Interrupted.*Interrupted")
    at.say("/untilgreen:status")
    at.wait_for("left")
    at.say("/untilgreen:cancel")
    at.wait_for("loop cancelled in round 3 of 10")
    return one.leaves()
