"""The scope and the flags of a project's own call, as the tool is then called; what writes or reports is left out."""

import re

import pytest

import tables
from untilgreen import checkers
from untilgreen.checkers.checker import arguments
from untilgreen.core.model.outcome import Setting


@pytest.mark.parametrize(
    ("name", "call", "expected"), tables.literal("own-words", "a call is taken with its scope and its")
)
def test_a_call_is_taken_with_its_scope_and_its_flags(name: str, call: str, expected: str) -> None:
    checker = checkers.get(name)
    words = arguments(checker, call.split())
    said = None if words is None else " ".join(checker.argv(Setting(tool="T", root="/project", call=words))[1:])
    assert re.sub(r"--exclude=\S+", "--exclude=X", str(said)) == expected
