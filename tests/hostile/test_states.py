"""State that somebody changed, of a loop in a project of our own: never green while red, nothing written elsewhere."""

import json

import pytest

from world import World

from . import states
from .harness import events, lay, violations


def sprung(world: World) -> list[str]:
    """What is broken by the calls of a session."""
    calls = {what: (name, json.dumps(payload).encode()) for what, (name, payload) in events(world).items()}
    return list(violations(world, calls, codes=(0, 2)))


@pytest.mark.parametrize("trap", states.TRAPS)
def test_a_file_of_the_state_that_is_a_trap_makes_nothing_green(looping: World, trap: str) -> None:
    lay(looping, states.TRAPS[trap])
    assert sprung(looping) == []


@pytest.mark.parametrize("trap", states.FIELDS)
def test_a_field_of_the_state_that_is_a_trap_makes_nothing_green(looping: World, trap: str) -> None:
    state = looping.folder / "loop_state.json"
    state.write_text(states.changed(state.read_text(), states.FIELDS[trap]))
    assert sprung(looping) == []
