"""Whatever the message: nothing raises, nothing of ours ever counts, and blank space never matters."""

from hypothesis import given
from hypothesis import strategies as st

import tables
from untilgreen.core.foreign import strip
from untilgreen.core.verdict.markers import Marker, find

PIECES = st.sampled_from(tables.literal("markers", "pieces of messages"))
MESSAGES = st.lists(PIECES, max_size=30).map("".join) | st.text(max_size=60)
PROMISES = st.sampled_from(["", "DONE", "reason", " a  b "]) | st.text(max_size=8)


@given(MESSAGES, PROMISES)
def test_finding_never_raises_and_a_reason_is_one_clean_line(message: str, promise: str) -> None:
    marker = find(message, promise)
    assert marker is None or marker.kind in ("complete", "blocked")
    reason = marker.reason if marker else ""
    assert reason == " ".join(strip(reason).split())


@given(MESSAGES, PROMISES)
def test_what_was_stripped_never_counts_and_stays_as_it_is(message: str, promise: str) -> None:
    stripped = strip(message)
    assert find(stripped, promise) is None
    assert strip(stripped) == stripped
    assert not any(ord(character) < 32 and character not in "\n\t" for character in stripped)
    stripped.encode()


@given(MESSAGES, PROMISES)
def test_blank_lines_at_the_end_and_letter_case_of_the_promise_change_nothing(message: str, promise: str) -> None:
    assert find(f"{message}\n\n  \n", promise) == find(message, promise)
    assert find(message, promise.upper()) == find(message, promise.upper().lower())


@given(MESSAGES)
def test_a_marker_on_its_own_line_counts_unless_a_fence_is_open(message: str) -> None:
    may_be_fenced = "```" in message or "~~~" in message
    assert may_be_fenced or find(f"{message}\n\n<jikime:done />") is not None


@given(st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="<>`~"), min_size=1))
def test_any_promise_completes_by_its_own_words(promise: str) -> None:
    assert not promise.split() or find(f"text\n<promise>{promise}</promise>", promise) == Marker("complete")
