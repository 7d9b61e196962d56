"""What is OpenCode's alone."""

import pytest

from .guest import NewGuest
from .model import Answer
from .scenes import CLEAN, UNUSED

pytestmark = [pytest.mark.e2e, pytest.mark.wide, pytest.mark.needs("npm")]

TOO_LONG = "This model's maximum context length is 1000 tokens. However, your messages resulted in 2000 tokens."


def test_a_turn_that_goes_on_after_its_context_was_compacted_is_judged(new_guest: NewGuest) -> None:
    guest = new_guest(
        lambda program: [
            program.writes("broken.py", UNUSED),
            Answer([TOO_LONG], status=400),
            "Done.",
            program.edits("broken.py", UNUSED, CLEAN),
            "Mended.",
        ]
    )

    guest.asked("untilgreen:loop Add a module", code=None)

    assert len(guest.holds) == 1
    assert (guest.loop()["stop_reason"], guest.loop()["iteration"]) == ("complete", 2)


def test_a_turn_that_an_error_of_the_api_ended_is_not_judged(new_guest: NewGuest) -> None:
    guest = new_guest(lambda program: [program.writes("broken.py", UNUSED), Answer(["No such model."], status=400)])

    guest.asked("untilgreen:loop Add a module", code=None)

    assert (guest.holds, guest.loop()["active"]) == ([], True)
    assert guest.loop()["parked"].endswith("No such model.")
