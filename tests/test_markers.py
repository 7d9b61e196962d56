"""Which words of the agent count, and where they must stand. Rows named after what other loops got wrong."""

import re
import time

import pytest

import tables
from untilgreen.core.document import well_formed
from untilgreen.core.foreign import strip
from untilgreen.core.verdict.markers import Marker, find

DONE = "<jikime>DONE</jikime>"
COMPLETE = Marker("complete")
FENCE = "```"


@pytest.mark.parametrize("marker", tables.literal("markers", "every form completes as the last line"))
def test_every_form_completes_as_the_last_line(marker: str) -> None:
    assert find(f"All tests pass.\n\n{marker}\n\n \t\n") == COMPLETE
    assert find(marker) == COMPLETE


@pytest.mark.parametrize("message", tables.rows("no-marker", "message"))
def test_what_does_not_close_the_message_as_a_marker_is_ignored(message: str) -> None:
    assert find(message) is None


@pytest.mark.parametrize("message", tables.rows("last-line", "message"))
def test_only_the_last_line_must_be_free_of_code_and_quotation(message: str) -> None:
    assert find(message) == COMPLETE


@pytest.mark.parametrize(("promise", "message"), tables.literal("markers", "a named promise completes whatever its"))
def test_a_named_promise_completes_whatever_its_case_and_white_space(promise: str, message: str) -> None:
    assert find(message, promise) == COMPLETE


@pytest.mark.parametrize("message", tables.literal("markers", "a named promise is the only marker"))
def test_a_named_promise_is_the_only_marker_that_counts(message: str) -> None:
    assert find(message, "ALL GREEN") is None


@pytest.mark.parametrize(("message", "reason"), tables.literal("markers", "blocked beats complete and gives its"))
def test_blocked_beats_complete_and_gives_its_reason_in_one_line(message: str, reason: str) -> None:
    assert find(message) == Marker("blocked", reason)
    assert find(message, "ALL GREEN", "whatever") == Marker("blocked", reason)


@pytest.mark.parametrize("message", tables.literal("markers", "blocked must open at a line and close"))
def test_blocked_must_open_at_a_line_and_close_the_message(message: str) -> None:
    assert find(message) is None


def test_a_blocked_marker_in_code_does_not_hide_the_completion_below_it() -> None:
    assert find(f"    <ralph>BLOCKED: example</ralph>\n{DONE}") == COMPLETE


@pytest.mark.parametrize(
    ("message", "regex", "found"),
    [
        ("Fixed.\nALL GREEN", "all green", COMPLETE),
        ("  ALL GREEN  \n\n", "all green", COMPLETE),
        ("ALL `GREEN`", "all `green`", COMPLETE),
        ("a\n<ralph>COMPLETE</ralph>", "<ralph>COMPLETE</ralph>", COMPLETE),
        ("It is ALL GREEN", "all green", None),
        ("ALL GREEN\nnot", "all green", None),
        (f"{FENCE}\nALL GREEN", "all green", None),
        ("> ALL GREEN", ".*all green", None),
        ("", ".*", None),
        (DONE, "all green", None),
    ],
)
def test_a_success_regex_replaces_the_words_but_not_the_position(
    message: str, regex: str, found: Marker | None
) -> None:
    assert find(message, success_regex=regex) == found


def test_a_named_promise_goes_before_a_success_regex() -> None:
    assert find("ALL GREEN", promise="DONE", success_regex="all green") is None
    assert find("<promise>DONE</promise>", promise="DONE", success_regex="all green") == COMPLETE


@pytest.mark.parametrize(
    ("message", "regex", "found"),
    [
        ("x\n<ralph>BLOCKED: no key</ralph>", "<ralph>BLOCKED:(.*?)</ralph>", Marker("blocked", "no key")),
        (f"<ralph>BLOCKED: no\nkey</ralph>\n{DONE}", "<ralph>BLOCKED:(.*?)</ralph>", Marker("blocked", "no key")),
        ("x\n  STUCK - no\nkey", "stuck - (.*)", Marker("blocked", "no key")),
        ("STUCK - a\nSTUCK - b", "stuck - (.*)", Marker("blocked", "b")),
        ("STUCK", "stuck", Marker("blocked")),
        ("STUCK", "stuck( - .*)?", Marker("blocked")),
        ("I am STUCK", "stuck", None),
        ("STUCK\nno", "stuck", None),
        (f"{FENCE}\nSTUCK", "stuck", None),
        ("> STUCK", "(> )?stuck", None),
        (f"STUCK {FENCE}\n{FENCE}\n  x", "stuck.*", None),
        ("", ".*", None),
        ("<ralph>BLOCKED: no key</ralph>", "stuck", None),
        (DONE, "stuck", COMPLETE),
    ],
)
def test_a_blocked_regex_replaces_the_words_but_not_the_position(
    message: str, regex: str, found: Marker | None
) -> None:
    assert find(message, blocked_regex=regex) == found


def test_an_expression_that_does_not_compile_is_the_callers_to_tell() -> None:
    with pytest.raises(re.error):
        find("x", success_regex="(")
    with pytest.raises(re.error):
        find("x", blocked_regex="(")


def test_a_pair_of_surrogates_is_left_to_json_and_a_lone_one_is_replaced() -> None:
    assert well_formed("a\ud83db") == "a\ufffdb"
    assert well_formed("caf\u00e9 \U0001f600") == "caf\u00e9 \U0001f600"


@pytest.mark.parametrize(("unit", "end"), tables.literal("markers", "a hostile megabyte takes no more than"))
def test_a_hostile_megabyte_takes_no_more_than_a_moment(unit: str, end: str) -> None:
    message = unit * (1_000_000 // len(unit)) + end
    start = time.process_time()
    find(message, promise="a")
    strip(message)
    assert time.process_time() - start < 10  # measured: below one second; a quadratic reader needs minutes
