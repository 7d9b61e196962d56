"""A stop answers when something is red for sure, and a check that still runs for long is not waited for."""

import time

from world import World

LONG = "sh -c 'sleep $(cat seconds); test ! -e broken'"
UNREAD = "long not read in this round: it still ran"


def begun(world: World, *options: str) -> None:
    world.write({"seconds": "0", "notes.txt": "one"})
    world.commit()
    checks = ("--check", "quick=ls built", "--no-tests", "--check", f"long={LONG}")
    started = world.run("start-loop", "build it", "--session", world.session, *checks, *options)
    assert started.code == 0, started


def taking(world: World, seconds: str, took: float) -> None:
    """Let the long check take that many seconds, and the last stop say that it took `took`."""
    world.write({"seconds": seconds})
    world.change("checking.json", took={**world.read("checking.json")["took"], "long": took})


def edited(world: World, number: int) -> None:
    world.write({"notes.txt": str(number)})


def outcomes(world: World) -> list[dict[str, str]]:
    return [one["outcomes"] for one in world.state["snapshots"]]


READ, LEFT = {"quick": "found", "long": "clean"}, {"quick": "found", "long": "pending"}


def test_what_stays_red_is_answered_at_once_twice_and_at_the_third_round_all_is_read(world: World) -> None:
    begun(world, "--stagnation-limit", "9")
    assert (world.stop().code, outcomes(world)) == (2, [READ])
    for number in range(2):
        taking(world, "40", 40)
        edited(world, 10 + number)
        began = time.monotonic()
        held = world.stop()
        assert (held.code, UNREAD in held.stderr, time.monotonic() - began < 20) == (2, True, True), held
        assert held.stderr.startswith(f"Not green yet: 1 left after round {2 + number} of 10 · quick 1"), held
    taking(world, "0", 40)
    edited(world, 20)
    held = world.stop()
    assert (held.code, UNREAD in held.stderr, outcomes(world)) == (2, False, [READ, LEFT, LEFT, READ])


def test_what_is_gone_is_waited_for_and_nothing_unread_is_green(world: World) -> None:
    begun(world)
    assert world.stop().code == 2
    taking(world, "1", 40)
    world.write({"built": "", "broken": ""})
    held = world.stop()
    assert (held.code, outcomes(world)[-1]) == (2, {"quick": "clean", "long": "found"}), held


def test_what_ends_soon_the_last_round_and_the_one_before_the_brake_are_waited_for(world: World) -> None:
    begun(world, "-m", "5", "--stagnation-limit", "2")
    assert world.stop().code == 2
    taking(world, "1", 5)  # soon
    edited(world, 3)
    assert (world.stop().code, outcomes(world)[-1]) == (2, READ)
    taking(world, "1", 40)  # one more without improvement would end it
    edited(world, 4)
    released = world.stop()
    assert (released.code, world.state["stop_reason"], outcomes(world)[-1]) == (0, "stagnant", READ), released
