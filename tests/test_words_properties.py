"""What holds for every typed line."""

import contextlib
import re

from hypothesis import assume, given
from hypothesis import strategies as st

from untilgreen.core.errors import UserError
from untilgreen.hosts.claude_code.commands import NAMES
from untilgreen.loops.begin.options import OPTIONS, Request
from untilgreen.loops.heard.words import command_of, parse

pieces = st.sampled_from(
    ["fix", "don't", '"', "'", " ", "  ", "\n", "=", "--", "@a", "-m", "-t", "3", "$(x)", "`", "\\", "<<EOF", "a=b;"]
    + [option.flag for option in OPTIONS]
)
lines = st.lists(st.one_of(pieces, st.text(max_size=5))).map("".join)
quotes = st.sampled_from("\"'")
flags = st.sampled_from(
    [
        ("", Request()),
        (" --strict", Request(settings={"strict": True})),
        (" --max-iterations 3", Request(settings={"max_iterations": 3})),
        (" --max-minutes=0\n", Request(settings={"max_minutes": 0})),
    ]
)


def nowhere(path: str) -> bool:
    return False


@given(lines)
def test_a_line_is_a_request_or_a_user_error_of_one_line(line: str) -> None:
    said = ""
    try:
        parse(line, bool)
    except UserError as error:
        said = str(error)
    assert said.isprintable()


@given(st.text(), quotes, flags)
def test_quoted_text_comes_back_verbatim(text: str, quote: str, flag: tuple[str, Request]) -> None:
    assume(not re.search(rf"{quote}\s", text))  # there the quote closes
    typed, request = flag
    assert parse(f"{quote}{text}{quote}{typed}", nowhere) == request._replace(task=text)


@given(lines, flags)
def test_text_without_flags_or_quotes_round_it_comes_back_but_for_outer_white_space(
    text: str, flag: tuple[str, Request]
) -> None:
    assume(not re.search(r"""--|-m|-t|^\s*["']|["']\s*$""", text))
    typed, request = flag
    assert parse(text + typed, nowhere) == request._replace(task=text.strip())


@given(lines)
def test_a_task_that_holds_no_flags_parses_to_itself(line: str) -> None:
    with contextlib.suppress(UserError):
        task = parse(line, nowhere).task
        assume(not re.search(r"""--|-m|-t|^["'].*["']$|^\s|\s$""", task, re.DOTALL))
        assert parse(task, nowhere) == Request(task=task)


@given(lines)
def test_the_rest_of_a_command_is_the_end_of_the_prompt(line: str) -> None:
    assert command_of(f"/untilgreen:loop {line}", NAMES) == ("loop", line.lstrip())
