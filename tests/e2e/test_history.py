"""What the real hosts write down of a session is what `untilgreen history` reads."""

import json

import pytest

from untilgreen.hosts import turns

from .guest import NewGuest
from .scenes import CLEAN

pytestmark = [pytest.mark.e2e, pytest.mark.wide, pytest.mark.needs("npm")]

TEST = """import unittest
from value import VALUE

class Sums(unittest.TestCase):
    def test(self):
        self.assertEqual(VALUE, 1)
"""
RUN = "python3 -B -m unittest -q test_it"  # what it compiled would be as old as the file


def test_what_the_agent_ran_is_found_behind_its_claims_later(new_guest: NewGuest) -> None:
    guest = new_guest(
        lambda program: [
            program.writes("value.py", "VALUE = 2\n"),
            program.runs(RUN),
            "Fixed.",
            program.runs("echo 'VALUE = 1' > value.py"),
            program.runs(RUN),
            "Now it is fixed.",
            program.writes("more.py", CLEAN),
            "Implemented.",
        ],
        files={"test_it.py": TEST},
        env={"UNTILGREEN_DISABLE": "1"},
    )
    session = guest.program.session_of(guest.asked("Fix it").out)
    guest.asked("Really?", session)
    guest.asked("And more?", session)

    found = json.loads(guest.untilgreen("history", "--json", "--list").out)["claims"]

    told = [(one["verdict"], one["sentence"], one["repository"]) for one in found.get("list", ())]
    behind = {"failed": "Fixed.", "backed": "Now it is fixed.", "stale": "Implemented."}
    there = guest.program.name in turns.HOSTS
    assert told == [(verdict, said, str(guest.project)) for verdict, said in behind.items() if there]
    assert found["read"].get("unread", 0) == 0
