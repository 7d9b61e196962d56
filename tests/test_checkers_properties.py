"""Whatever a tool prints, its parser answers with an outcome or says that it does not understand."""

import json
import time
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import archives
from shapes import VALUES, listed, shaped
from untilgreen import checkers
from untilgreen.checkers import custom
from untilgreen.checkers.answer import Malformed
from untilgreen.checkers.checker import outcome
from untilgreen.core.model.outcome import Broken, Clean, Found, Outcome, Output, Setting

SETTING = Setting("/tool", "/project", resolves=False)


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
    check_bounds(*answer)


def ended(name: str, output: Output) -> Outcome:
    return outcome(checkers.get(name), output, SETTING._replace(variant="python" if name == "ast-grep" else ""))


def check_bounds(name: str, output: Output) -> None:
    result = ended(name, output)
    if isinstance(result, Broken):
        assert result.reason
        assert "\n" not in result.reason
        assert len(result.reason) <= 500
        assert len(result.tail) <= 2_000
    elif isinstance(result, Found):
        assert result.diagnostics
        assert result.tests is None or 0 < result.tests.failed <= result.tests.run
        for one in result.diagnostics:
            assert (one.check, one.line >= 0, bool(one.rule), bool(one.message)) == (name, True, True, True)
            by_code = one.rule == f"exit-{output.code}"
            assert by_code or "\n" not in one.message
            assert len(one.message) <= (20 * 301 if by_code else 520)
            assert one.severity in ("error", "warning", "info", "security", "test")
            assert not one.file.startswith("/project/")
    else:
        assert isinstance(result, Clean)
        assert output.code == 0


SCANNED = """sg: summary|file: scannedFileCount=3,skippedFileCount=1
sg: summary|rule: effectiveRuleCount=63,skippedRuleCount=0
"""
PLACED = shaped(start=shaped("line"))
ENTRIES = listed("filename", "issue_text", "test_id", "line_number", "reason")
LOCATIONS = shaped("sourceCode", path=shaped("file"), span=VALUES | st.just([3, 4]), start=shaped("line", "column"))
DOCUMENTS = {
    "ruff": listed("code", "filename", "message", "cell", location=shaped("row")),
    "ast-grep": listed("ruleId", "file", "message", range=PLACED),
    "pyright": st.fixed_dictionaries(
        {
            "generalDiagnostics": listed("file", "message", "severity", "rule", range=PLACED),
            "summary": shaped("filesAnalyzed", "errorCount", "warningCount", "informationCount"),
        }
    ),
    "bandit": st.fixed_dictionaries({"results": ENTRIES, "errors": ENTRIES, "metrics": VALUES | st.just({"a.py": {}})}),
    "eslint": listed("filePath", messages=listed("ruleId", "message", "line", severity=st.sampled_from([1, 2]))),
    "biome": st.fixed_dictionaries(
        {
            "summary": shaped("changed", "unchanged", "diagnosticsNotPrinted"),
            "diagnostics": listed("category", "severity", "message", location=LOCATIONS),
        }
    ),
}


@pytest.mark.parametrize("name", DOCUMENTS)
@given(data=st.data())
def test_any_json_is_an_outcome(name: str, data: st.DataObject) -> None:
    answer = json.dumps(data.draw(DOCUMENTS[name]))
    assert isinstance(ended(name, Output(1, answer, SCANNED)), Found | Broken)


SPANS = listed(
    file_name=st.sampled_from(["src/lib.rs", "/rustc/x.rs"]),
    line_start=st.integers(),
    column_start=st.integers(),
    is_primary=st.booleans(),
    label=st.text(),
    expansion=st.fixed_dictionaries({"span": VALUES}),
)
LEVELS = st.sampled_from(["error", "warning", "note"])
MESSAGES = shaped(
    reason=st.sampled_from(["compiler-message", "compiler-artifact", "build-finished"]),
    manifest_path=st.just("/project/a/Cargo.toml"),
    target=shaped(name=st.text(), src_path=st.text(), doctest=st.booleans()),
    message=shaped(level=LEVELS, message=st.text(), code=shaped(code=st.text()), spans=SPANS),
    success=st.booleans(),
)
EVENTS = shaped(
    Action=st.sampled_from(["run", "output", "pass", "fail", "skip", "build-output"]),
    Package=st.sampled_from(["example.com/shop", "example.com/shop/a"]),
    Test=st.sampled_from(["TestA", "TestA/b", ""]),
    Output=st.sampled_from(["--- FAIL: TestA (0.00s)\n", "    a_test.go:3: no\n", "panic: x\n", "a.go:1:2: no\n"]),
    OutputType=st.just("error"),
)
BY_LINES = ("go-vet", "go-test", "cargo-check", "cargo-clippy", "cargo-test")


@given(st.sampled_from(BY_LINES), st.lists(MESSAGES | EVENTS, max_size=6), st.sampled_from([0, 1, 101]), st.booleans())
def test_any_lines_of_json_are_an_outcome(name: str, said: list[Any], code: int, over: bool) -> None:
    end = {"reason": "build-finished", "success": code == 0}
    text = "".join(json.dumps(one) + "\n" for one in (*said, *[end] * over))
    check_bounds(name, Output(code, text, text))


PIECES = st.sampled_from(
    [
        "\n", " ", "=" * 70 + "\n", "-" * 70 + "\n", "FAIL: ", "ERROR: ", "UNEXPECTED SUCCESS: ", "test_a (a.A.test_a)",
        "test_a (a.A)", "setUpClass (a.A)", "(unittest.loader._FailedTest.a)", " ... ok\n", " ... unexpected success\n",
        "Traceback (most recent call last):\n", '  File "/project/a.py", line 1\n', "E: m\n", "Ran 2 tests in 0.1s\n\n",
        "OK", "FAILED (failures=1)\n", "FAILED (failures=1, errors=1, unexpected successes=1)\n", "NO TESTS RAN",
        "OK\n", "a.py:1:2: ", "error[a] b\n", "warning[unresolved-import] b\n", "Found 1 diagnostic\n",
        "All checks passed!\n",
    ]
)  # fmt: skip


@pytest.mark.parametrize("name", ["ty", "unittest", "ast-grep"])
@given(text=st.lists(PIECES | st.text(max_size=3), max_size=30).map("".join), code=st.integers(0, 5))
def test_any_lines_are_an_outcome(name: str, text: str, code: int) -> None:
    stdout, stderr = ("[]", f"{text}\n{SCANNED}{text}") if name == "ast-grep" else (text, text)
    check_bounds(name, Output(code, stdout, stderr))


@pytest.mark.parametrize("text", ["[" * 100_000, "9" * 100_000, '[{"code": ' + "9" * 5_000 + "}]"])
def test_json_that_a_parser_chokes_on_is_malformed(text: str) -> None:
    with pytest.raises(Malformed):
        checkers.get("ruff").parse(Output(1, text, ""), SETTING)


# where a checker looks for its findings; and what ends the first part of an answer that stands for something: behind
# it, a cut answer is a shorter one
ANSWER = {"pytest": "report.xml"} | dict.fromkeys(("ruff", "mypy", *BY_LINES), "stdout")
EVIDENCE = {"go-vet": "{}", "cargo-test": "test result: "}


@pytest.mark.parametrize("name", ANSWER)
@given(data=st.data())
def test_an_answer_that_was_cut_is_never_clean(name: str, data: st.DataObject) -> None:
    case = f"{name}/{data.draw(st.sampled_from(archives.versions(name)))}/clean"
    said = {part: archives.text(case, part).rstrip() for part in ("stdout", "stderr", "report.xml")}
    part = ANSWER[name] if said[ANSWER[name]] else "stderr"  # go vet's was there until 1.25
    most = said[part].index(EVIDENCE[name]) if name in EVIDENCE else len(said[part]) - 1
    said[part] = said[part][: data.draw(st.integers(0, most))]
    assert isinstance(ended(name, Output(0, said["stdout"], said["stderr"], said["report.xml"])), Broken)


SUMMARY = f"\n{'-' * 70}\nRan 1 test in 0.001s\n\nFAILED (failures=1, unexpected successes=1)\n"
MADE = '{"reason": "compiler-artifact"}\n{"reason": "build-finished", "success": true}\nrunning 1 test\n'
RESULT = "test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n"
PANICS = "---- a stdout ----\n" + "thread 'a' panicked at '\n" * 20_000 + "\nfailures:\n    a\n\n"
REPEATED = ("x", " ", "a (", "{", f"{'=' * 70}\nFAIL: ", "-", "a: error[", "Ran 1 test in 1s\n\nOK (", "0." * 9, "=1")
HEAVY = [
    ("cargo-test", "thread 'a' panicked at '" * 5_000),
    ("cargo-test", MADE + PANICS + RESULT),
    ("cargo-test", MADE + "failures:\n" * 20_000 + RESULT),
    ("go-test", json.dumps({"Package": "a", "Action": "output", "Test": "TestA", "Output": " " * 100_000})),
    ("go-vet", "a" * 200_000 + ".go:" * 1_000),
    ("go-vet", "{\n" * 100_000),
    ("cargo-check", '{"reason":' * 20_000),
    *((name, piece * (1_000_000 // len(piece))) for name in ("pyright", "ty", "bandit") for piece in REPEATED),
    *(("unittest", piece * (1_000_000 // len(piece)) + SUMMARY) for piece in REPEATED),
    *(("ty", piece * (1_000_000 // len(piece)) + "\nFound 1 diagnostic\n") for piece in REPEATED),
]


@pytest.mark.parametrize(("name", "text"), HEAVY)
def test_no_answer_takes_long(name: str, text: str) -> None:
    begun = time.process_time()
    assert not isinstance(ended(name, Output(1, text, text)), Clean)
    assert time.process_time() - begun < 5


@given(st.integers(-20, 300), st.text(), st.text())
def test_any_output_of_a_command_is_an_outcome(code: int, stdout: str, stderr: str) -> None:
    result = custom.outcome_of("smoke", Output(code, stdout, stderr))
    expected = Clean if code == 0 else Broken if code < 0 or code in (126, 127) else Found
    assert isinstance(result, expected)
