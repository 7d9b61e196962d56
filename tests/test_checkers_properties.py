"""Whatever a tool prints, its parser answers with an outcome or says that it does not understand."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import archives
from untilgreen import checkers
from untilgreen.checkers import custom
from untilgreen.checkers.answer import Malformed
from untilgreen.checkers.checker import outcome
from untilgreen.core.model.outcome import Broken, Clean, Found, Output, Setting

SETTING = Setting("/tool", "/project", resolves=False)
# the part of the answer in which a checker looks for its findings; the others' have tests beside their own
FINDINGS = {"ruff": "stdout", "mypy": "stdout", "pytest": "report.xml"}


def texts(name: str) -> list[str]:
    """What the real tool printed, in all its recorded cases."""
    parts = ("stdout", "stderr", "report.xml")
    return sorted({archives.text(f"{name}/{case}", part) for case in archives.cases(name) for part in parts})


def garbled(name: str) -> st.SearchStrategy[str]:
    """Real output with a part of it replaced by anything, or anything at all."""
    pieces = st.tuples(st.sampled_from(texts(name)), st.integers(0, 400), st.integers(0, 40), st.text(max_size=20))
    return st.text() | pieces.map(lambda p: p[0][: p[1]] + p[3] + p[0][p[1] + p[2] :]) | st.sampled_from(texts(name))


def outputs(name: str) -> st.SearchStrategy[Output]:
    text = garbled(name)
    return st.builds(Output, st.integers(-2, 6), stdout=text, stderr=text, report=text)


ANSWERS = st.sampled_from(checkers.NAMES).flatmap(lambda name: st.tuples(st.just(name), outputs(name)))


@given(ANSWERS)
@example(("svelte-check", Output(0, '1 ERROR "a" 1:1 "\x1f"\n1 COMPLETED 1 FILES 0 ERRORS 0 WARNINGS', "")))
def test_any_text_is_an_outcome_or_malformed(answer: tuple[str, Output]) -> None:
    name, output = answer
    with suppress(Malformed):
        checkers.get(name).runner.names(output, SETTING)
    try:
        result = checkers.get(name).parse(output, SETTING)
    except Malformed:
        return
    assert isinstance(result, Clean) or (isinstance(result, Found) and result.diagnostics)


@given(ANSWERS)
def test_any_output_ends_as_an_outcome_within_bounds(answer: tuple[str, Output]) -> None:
    name, output = answer
    result = outcome(checkers.get(name), output, SETTING)
    if isinstance(result, Broken):
        assert result.reason
        assert "\n" not in result.reason
        assert len(result.reason) <= 500
        assert len(result.tail) <= 2_000
    elif isinstance(result, Found):
        for one in result.diagnostics:
            assert (one.check, one.line >= 0, bool(one.rule)) == (name, True, True)
            assert len(one.message) <= (20 * 301 if one.rule == f"exit-{output.code}" else 520)
            assert one.severity in ("error", "warning", "info", "security", "test")
            assert not one.file.startswith("/project/")


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
ENTRIES = st.fixed_dictionaries(
    {
        "code": VALUES,
        "filename": VALUES,
        "message": VALUES,
        "location": VALUES | st.fixed_dictionaries({"row": VALUES}),
    },
    optional={"cell": VALUES},
)


@given(st.lists(ENTRIES | VALUES) | VALUES)
def test_any_json_is_an_outcome_of_ruff(answer: Any) -> None:
    result = outcome(checkers.get("ruff"), Output(1, json.dumps(answer), ""), SETTING)
    assert isinstance(result, Found | Broken)


@pytest.mark.parametrize("text", ["[" * 100_000, "9" * 100_000, '[{"code": ' + "9" * 5_000 + "}]"])
def test_json_that_a_parser_chokes_on_is_malformed(text: str) -> None:
    with pytest.raises(Malformed):
        checkers.get("ruff").parse(Output(1, text, ""), SETTING)


@pytest.mark.parametrize("name", FINDINGS)
@given(data=st.data())
def test_an_answer_that_was_cut_is_never_clean(name: str, data: st.DataObject) -> None:
    version = data.draw(st.sampled_from(archives.versions(name)))
    answer = archives.text(f"{name}/{version}/clean", FINDINGS[name]).rstrip()
    cut = answer[: data.draw(st.integers(0, len(answer) - 1))]
    stdout, report = (answer, cut) if name == "pytest" else (cut, "")
    assert isinstance(outcome(checkers.get(name), Output(0, stdout, "", report), SETTING), Broken)


@given(st.integers(-20, 300), st.text(), st.text())
def test_any_output_of_a_command_is_an_outcome(code: int, stdout: str, stderr: str) -> None:
    result = custom.outcome_of("smoke", Output(code, stdout, stderr))
    expected = Clean if code == 0 else Broken if code < 0 or code in (126, 127) else Found
    assert isinstance(result, expected)
