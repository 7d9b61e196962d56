"""The last message from the host's own file: recorded ones, and the lines on which other loops died."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tables
from untilgreen.hosts.claude_code.records import last_message

RECORDED = Path(__file__).parent / "payloads" / "claude-code" / "2.1.330" / "transcripts"
PROMISE = "<promise>DONE</promise>"


def entry(role: str, content: Any, **fields: Any) -> str:
    return json.dumps({"type": role, "isSidechain": False, "message": {"role": role, "content": content}, **fields})


def text(*texts: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": one} for one in texts]


USER = entry("user", "fix it")
EARLIER = entry("assistant", text("earlier"))
TOOL_USE = entry("assistant", [{"type": "tool_use", "name": "Bash"}])
TOOL_RESULT = entry("user", [{"type": "tool_result", "content": "5"}])


def of_lines(folder: Path, *lines: str, end: str = "\n") -> str | None:
    path = folder / "transcript.jsonl"
    path.write_bytes(("\n".join(lines) + end).encode("utf-8", "surrogateescape"))
    return last_message(str(path))


@pytest.mark.parametrize(("name", "message"), tables.literal("transcript", "recorded transcripts are read"))
def test_recorded_transcripts_are_read(name: str, message: str | None) -> None:
    assert last_message(str(RECORDED / f"{name}.jsonl")) == message


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], None),
        ([USER], None),
        ([USER, EARLIER], "earlier"),
        ([USER, EARLIER, entry("assistant", text("a", "b"))], "a\nb"),
        ([USER, entry("assistant", "a plain string")], "a plain string"),
        ([USER, entry("assistant", [{"type": "thinking", "thinking": "x"}, *text("a")])], "a"),
        ([USER, EARLIER, TOOL_USE], "earlier"),
        ([USER, EARLIER, TOOL_USE, TOOL_RESULT], "earlier"),
        ([USER, EARLIER, TOOL_USE, TOOL_RESULT, entry("assistant", text("later"))], "later"),
        ([USER, EARLIER, entry("user", [{"type": "tool_result"}, *text("and typed")])], None),
        ([USER, EARLIER, entry("user", "next")], None),
        ([USER, EARLIER, entry("user", text("next"))], None),
        ([USER, EARLIER, entry("user", "Stop hook feedback:\nx", isMeta=True)], None),
        ([USER, EARLIER, entry("user", "sub task", isSidechain=True)], "earlier"),
        ([USER, entry("assistant", text(PROMISE), isSidechain=True)], None),
        ([USER, EARLIER, entry("assistant", text("API Error: 500"), isApiErrorMessage=True)], "earlier"),
        ([USER, entry("assistant", text("API Error: 500"), isApiErrorMessage=True)], None),
        ([USER, '{"type": "assistant",  "message": {"role": "assistant", "content": "spaced"}}'], "spaced"),
        (
            [USER, EARLIER, json.dumps({"type": "progress", "data": json.loads(entry("assistant", text(PROMISE)))})],
            "earlier",
        ),
        (
            [USER, EARLIER, json.dumps({"type": "progress", "message": {"role": "assistant", "content": PROMISE}})],
            "earlier",
        ),
        ([USER, EARLIER, '{"type": "assistant", "message": {"role": "user", "content": "odd"}}'], "earlier"),
        ([USER, EARLIER, entry("assistant", text(PROMISE))[:-9]], "earlier"),
        ([USER, EARLIER, "", "null", "[1]", '"x"', "{}", "not json", '{"type": "assistant"}', "[" * 9999], "earlier"),
        ([USER, EARLIER, '{"type": "assistant", "message": {"content": [null, 1, {"type": "text"}]}}'], "earlier"),
        ([USER, '{"type": "assistant", "message": {"content": "lone \\ud800"}}'], "lone \ufffd"),
        ([USER, '{"type": "assistant", "message": {"content": "bad \udcff byte"}}'], "bad \ufffd byte"),
        ([USER, '{"type": "assistant", "message": {"content": "line\u2028separator"}}'], "line\u2028separator"),
    ],
)
def test_only_what_the_main_agent_said_since_the_user_counts(
    tmp_path: Path, lines: list[str], message: str | None
) -> None:
    assert of_lines(tmp_path, *lines) == message
    assert of_lines(tmp_path, *lines, end="") == message
    assert of_lines(tmp_path, *lines, end="\r\n") == message


def test_blocks_of_one_message_on_lines_of_their_own_are_put_together(tmp_path: Path) -> None:
    def block(said: str, message_id: str | None) -> str:
        message = {"role": "assistant", "id": message_id, "content": text(said)}
        return json.dumps({"type": "assistant", "message": message})

    assert of_lines(tmp_path, USER, block("a", "m1"), block("b", "m2"), TOOL_USE, block("c", "m2")) == "b\nc"
    assert of_lines(tmp_path, USER, block("a", None), block("b", None)) == "b"
    assert of_lines(tmp_path, USER, block("a", "m1"), USER, block("b", "m1")) == "b"


def test_a_turn_that_is_longer_than_the_tail_is_read_from_the_tail(tmp_path: Path) -> None:
    assert of_lines(tmp_path, USER, *[TOOL_RESULT] * 5_000, EARLIER) == "earlier"


def test_a_message_that_is_longer_than_the_tail_is_not_there(tmp_path: Path) -> None:
    assert of_lines(tmp_path, USER, EARLIER, entry("assistant", text("x" * 300_000))) is None


@pytest.mark.parametrize("limit", [0, 1, 40, 100_000])
def test_the_tail_may_begin_anywhere(tmp_path: Path, limit: int) -> None:
    path = tmp_path / "transcript.jsonl"
    path.write_text(f"{USER}\n{EARLIER}\n", encoding="utf-8")
    assert last_message(str(path), limit) == ("earlier" if limit > len(EARLIER) else None)


def test_time_does_not_grow_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "transcript.jsonl"
    with path.open("wb") as file:
        file.seek(20_000_000_000)  # sparse
        file.write(f"\n{USER}\n{EARLIER}\n".encode())
    start = time.process_time()
    assert last_message(str(path)) == "earlier"
    assert time.process_time() - start < 1


def test_a_file_that_cannot_be_read_is_the_callers_to_tell(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        last_message(str(tmp_path / "none.jsonl"))
    with pytest.raises(OSError):
        last_message(str(tmp_path))


@given(
    st.lists(st.sampled_from([USER, EARLIER, TOOL_USE, TOOL_RESULT, "{", "é", '"']) | st.text(max_size=9), max_size=9)
)
def test_no_file_makes_it_raise(tmp_path_factory: pytest.TempPathFactory, lines: list[str]) -> None:
    path = tmp_path_factory.getbasetemp() / "any.jsonl"
    path.write_bytes("\n".join(lines).encode("utf-8", "surrogatepass"))
    assert last_message(str(path)) in (None, "earlier")
