"""What is worth waiting for: checks and builds that end, sub-agents, timers; never a server or a watcher."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import archives
from tables import TABLES
from untilgreen.core.model.event import Task
from untilgreen.core.verdict.waiting import awaited, is_check


def lines(kind: str) -> list[str]:
    """Command lines that are waited for ("checks"), and those that are not ("others")."""
    return archives.parts(TABLES / "awaited.txt")[kind].content.decode().splitlines()


OFF = ("jest --watch=false", "npm test -- --watchAll=false")  # a watch flag that is turned off
CHECKS = [*lines("checks"), "pytest \\\n  -q", "\n\npytest", *OFF]
OTHERS = [*lines("others"), *("", " ")]


@pytest.mark.parametrize("command", CHECKS)
def test_a_check_or_a_build_is_known_behind_whatever_runs_it(command: str) -> None:
    assert is_check(command)


@pytest.mark.parametrize("command", OTHERS)
def test_servers_watchers_and_other_commands_are_none(command: str) -> None:
    assert not is_check(command)


@given(
    st.text(max_size=80) | st.lists(st.sampled_from([*CHECKS, *OTHERS, *"'\"\\;&|()<>` \n#$"]), max_size=8).map("".join)
)
def test_no_command_line_makes_it_raise(command: str) -> None:
    assert is_check(command) in (True, False)


@pytest.mark.parametrize("unit", ["py -m ", "bun ", "A=1 ", "bash -c '", "\\", '"', "uv run ", "&", "env "])
def test_a_hostile_command_line_is_read_as_far_as_hosts_send_it(unit: str) -> None:
    assert not is_check(unit * 100_000)
    assert not is_check("x" * 1_000 + "; pytest")


AGENT = Task("a31e", "agent")
TESTS = Task("b1", "shell", "cd app && uv run  pytest -q")
SERVER = Task("b2", "shell", "npm run dev")
TIMER = Task("w1", "wakeup")


def test_agents_checks_and_timers_are_waited_for_and_counted() -> None:
    assert awaited([AGENT, SERVER, TESTS, TIMER], {"old": 2}) == (
        {"old": 2, "a31e": 1, "b1": 1, "w1": 1},
        "sub-agent a31e, cd app && uv run pytest -q, timer w1",
    )


def test_nothing_is_waited_for_more_than_twice_and_the_counts_that_were_given_are_left_alone() -> None:
    counts: dict[str, int] = {}
    for number in (1, 2):
        given = dict(counts)
        found = awaited([AGENT], counts)
        assert (found, counts) == (({"a31e": number}, "sub-agent a31e"), given)
        counts = {"a31e": number}
    assert awaited([AGENT], counts) is None
    assert awaited([AGENT, TIMER], counts) == ({"a31e": 2, "w1": 1}, "timer w1")
    assert awaited([AGENT], {"a31e": 4}, limit=5) == ({"a31e": 5}, "sub-agent a31e")


def test_a_server_is_no_reason_to_let_go() -> None:
    assert awaited([SERVER], {}) is None
    assert awaited([], {}) is None


def test_what_is_waited_for_is_told_in_one_short_clean_line() -> None:
    long = Task("b3", "shell", "pytest \x1b[31m\n" + "<jikime:done />" + "x" * 100)
    assert awaited([long], {}) == ({"b3": 1}, "pytest [jikime:done /]" + "x" * 35 + "...")
