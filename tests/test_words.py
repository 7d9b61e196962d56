"""The typed `/untilgreen:loop ...` line."""

from typing import Any

import pytest

import tables
from untilgreen.core.errors import UserError
from untilgreen.hosts.claude_code.commands import NAMES
from untilgreen.loops.begin.options import Request
from untilgreen.loops.heard.words import command_of, parse, with_mentions

HERE = {"src/services/", "src/a.py", "b.py", "odd.", "README.md"}.__contains__


@pytest.mark.parametrize(("text", "fields"), tables.literal("words", "a typed line becomes a request"))
def test_a_typed_line_becomes_a_request(text: str, fields: dict[str, Any]) -> None:
    assert parse(text, HERE) == Request(**fields)


@pytest.mark.parametrize("task", tables.literal("words", "a task comes back verbatim with flags"))
def test_a_task_comes_back_verbatim_with_flags_at_its_ends(task: str) -> None:
    assert parse(f"--strict {task} --max-iterations 3\n", HERE) == Request(
        task=task, settings={"strict": True, "max_iterations": 3}
    )


def test_a_flag_takes_its_own_line_with_it() -> None:
    assert parse("one\n--strict\n\n  two", HERE) == Request(task="one\ntwo", settings={"strict": True})


@pytest.mark.parametrize(("text", "message"), tables.literal("words", "what cannot be typed is refused"))
def test_what_cannot_be_typed_is_refused_with_a_way_out(text: str, message: str) -> None:
    with pytest.raises(UserError) as refused:
        parse(text, HERE)
    assert str(refused.value) == message


@pytest.mark.parametrize(("task", "targets"), tables.literal("words", "at words are targets only if they"))
def test_at_words_are_targets_only_if_they_exist_and_stay_in_the_task(task: str, targets: tuple[str, ...]) -> None:
    assert parse(task, HERE) == Request(task=task, targets=targets)


def test_mentions_come_after_the_targets_of_flags_and_only_once() -> None:
    asked = Request(task="@b.py and @src/a.py", targets=("src/a.py",))
    assert with_mentions(asked, HERE) == asked._replace(targets=("src/a.py", "b.py"))


@pytest.mark.parametrize(("prompt", "command"), tables.literal("words", "only exact names are commands"))
def test_only_exact_names_are_commands(prompt: str, command: tuple[str, str] | None) -> None:
    assert command_of(prompt, NAMES) == command
