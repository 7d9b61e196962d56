"""Whichever system call of a hook fails: exit code 0 or a deliberate 2, no traceback, never green while red, somebody
is told, nothing is lost, and the next stop works."""

import pytest

from world import World

from .injected import Rig

pytestmark = [
    pytest.mark.needs("strace"),
    pytest.mark.parametrize(
        "name", ["stop", "edit", *(pytest.param(name, marks=pytest.mark.wide) for name in ("prompt", "pause"))]
    ),
]


def test_whatever_call_fails_the_agent_is_held_or_let_go_and_told(
    world: World, name: str, every: int, capsys: pytest.CaptureFixture[str]
) -> None:
    rig, made, broken = Rig(world), 0, []
    for one in rig.injections(name, every):
        found = rig.violations(name, one)
        made += found is not None
        broken += [f"{one}: {what}" for what in found or ()]
        if every == 1 and found:
            with capsys.disabled():
                print(f"{name} {one}: {'; '.join(found)}", flush=True)
    with capsys.disabled():
        print(f"{name}: {made} calls made to fail, {len(broken)} violations")
    assert broken == []
    assert made


def test_whatever_of_ours_cannot_be_used_the_agent_is_held_or_let_go_and_told(world: World, name: str) -> None:
    rig = Rig(world)
    found = {path.name: rig.violations(name, path) for path in rig.places()}
    assert {name: broken for name, broken in found.items() if broken} == {}
    assert len([broken for broken in found.values() if broken is not None]) >= 5
