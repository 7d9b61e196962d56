"""A repository that nobody trusted: no call of a hook runs, writes or tells anything of it."""

import json

import pytest

from world import World

from .harness import events, hostile, lay, violations
from .repositories import TRAPS


@pytest.mark.parametrize("trap", TRAPS)
def test_a_repository_that_nobody_trusted_does_nothing_by_a_hook(world: World, trap: str) -> None:
    lay(hostile(world), TRAPS[trap])
    calls = {what: (name, json.dumps(payload).encode()) for what, (name, payload) in events(world).items()}
    for known in (True, False):  # does the host tell the session in the environment, too?
        assert list(violations(world, calls, known=known)) == []


def test_there_are_enough_of_them() -> None:
    assert len(TRAPS) >= 100
